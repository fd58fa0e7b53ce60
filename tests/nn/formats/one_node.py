"""Files of one node by chance, in three arithmetics, beside LiteRT.

    python -m tests.nn.formats.one_node [WORD ...] [--files N]

A table says of every operator and arithmetic how many files have LiteRT's elements, how many LiteRT itself refuses, and
how many are refused here, counted by reason. Exit status 1: a file has others. What differs is said by seed: `made` of
it is the same file again.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import neonsim as ns
from neonsim.nn.formats import Model
from neonsim.nn.formats.tflite.read import read_tflite
from tests.nn.formats.conftest import LiteRt

ARITHMETICS = tuple(LiteRt.resolvers)
File = tuple[bytes, list[Any]]


class Chance:
    """Files of one node, with inputs; wide: scales far from those that networks have."""

    def __init__(self, seed: Any, litert: Any, wide: bool = False) -> None:
        self.rng, self.one, self.wide = np.random.default_rng(seed), litert.one, wide
        self.dtype = str(self.rng.choice(["uint8", "int8"]))

    # ---- parts
    def scheme(self, scale: Any = None, dtype: str | None = None) -> ns.Scheme:
        """A zero point anywhere; no scale: one of two octaves of a power of two, which exact halves come from."""
        info = np.iinfo(dtype or self.dtype)
        if scale is None:
            scale = self.rng.choice([2.0 ** int(self.rng.integers(-8, -2)), self.rng.uniform(0.004, 0.2)], p=(0.3, 0.7))
        return ns.Scheme(float(np.float32(scale)), int(self.rng.integers(info.min, info.max + 1)), dtype or self.dtype)

    def sixteen(self, scale: Any) -> ns.Scheme:
        """int16, mostly symmetric; steps small enough for what 8 bits hold, or as they are."""
        made = self.scheme(float(np.float32(scale)) / float(self.rng.choice([1, 16, 256])), "int16")
        return made if self.rng.integers(3) == 0 else ns.Scheme(made.scale, 0, "int16")

    def near(self, scale: Any) -> ns.Scheme:
        """A scale beside another: equal, a power of two away, or anything."""
        factor = self.rng.choice([1, 0.5, 2, 4, self.rng.uniform(0.2, 3), self.rng.uniform(0.8, 1.2)])
        if self.wide:
            factor = 2.0 ** self.rng.choice([int(self.rng.integers(-9, 10)), self.rng.uniform(-9, 9)])
        return self.scheme(float(np.float32(scale)) * float(factor))

    def values(self, shape: Sequence[int], dtype: str | None = None) -> Any:
        info = np.iinfo(dtype or self.dtype)
        return self.rng.integers(info.min, info.max + 1, tuple(shape)).astype(dtype or self.dtype)

    def shape(self, least: int, most: int, largest: int = 8) -> tuple[int, ...]:
        return tuple(int(n) for n in self.rng.integers(1, largest, self.rng.integers(least, most + 1)))

    def image(self) -> tuple[int, int, int, int]:
        n, h, w, c = (int(n) for n in self.rng.integers(1, (3, 10, 10, 20)))
        return n, h, w, c

    def activation(self) -> int:
        """None, RELU, RELU_N1_TO_1, RELU6."""
        return int(self.rng.choice([0, 0, 1, 2, 3]))

    def size(self) -> tuple[int, ...]:
        """As many elements as fill vectors and leave some over."""
        return self.shape(1, 3, 40 if self.rng.integers(2) else 8)

    # ---- element by element
    def broadcast(self, word: str) -> File:
        """Either operand smaller, either constant."""
        whole = self.size() if self.rng.integers(2) else self.shape(1, 4)
        shapes = [whole, whole] if self.rng.integers(3) == 0 else [
            tuple(n if self.rng.integers(2) else 1 for n in whole)[int(self.rng.integers(len(whole))):]
            for _ in range(2)]
        first = self.scheme()
        schemes = [first, self.near(first.scale)]
        product = float(np.float32(schemes[0].scale)) * float(np.float32(schemes[1].scale)) * 60
        out = self.near(product if word == "Mul" else first.scale)
        if self.rng.integers(4) == 0 and not self.wide:     # far too fine: what leaves 16 bits. Beyond 2**20 of a
            # sum's operands LiteRT ends the process
            out = self.scheme(out.scale / float(self.rng.uniform(50, 2000)))
        if word in ("Maximum", "Minimum"):
            schemes, out = [out, out], out
        constant, given = int(self.rng.integers(3)), []
        inputs: list[Any] = []
        for i, (shape, scheme) in enumerate(zip(shapes, schemes, strict=True)):
            values = self.values(shape)
            if i == constant:
                inputs.append((values, scheme))
            else:
                inputs.append((shape, self.dtype, scheme))
                given.append(values)
        extreme = word in ("Maximum", "Minimum")
        options = ("MaximumMinimumOptions", {}) if extreme else (f"{word}Options", {
            "fusedActivationFunction": self.activation()})
        result = np.broadcast_shapes(*shapes)
        return self.one(word.upper(), inputs, [(result, self.dtype, out)], options), given

    def curve(self, word: str) -> File:
        x, shape = self.scheme(), self.size()
        soft: Any = {"LOGISTIC": (1 / 256, 0, -128), "TANH": (1 / 128, 128, 0)}.get(word)
        if soft is not None:
            x = self.scheme(2.0 ** self.rng.uniform(-9, -2))
            out = ns.Scheme(soft[0], soft[1 if self.dtype == "uint8" else 2], self.dtype)
        else:
            out = x if self.rng.integers(3) == 0 else self.near(x.scale)
        slope = float(np.float32(self.rng.uniform(0.01, 1)))
        if self.wide and self.rng.integers(4) == 0:
            slope = float(self.rng.choice([np.inf, -np.inf, np.nan, -0.5, 0]))
        options = {"LEAKY_RELU": ("LeakyReluOptions", {"alpha": slope}),
                   "HARD_SWISH": ("HardSwishOptions", {})}.get(word)
        return self.one(word, [(shape, self.dtype, x)], [(shape, self.dtype, out)], options, 1), [self.values(shape)]

    def softmax(self, word: str) -> File:
        shape = (int(self.rng.integers(1, 5)), int(self.rng.choice([1, 2, 3, 10, 17, 64, 200])))
        x, low = self.scheme(2.0 ** self.rng.uniform(-8, 0)), np.iinfo(self.dtype).min
        beta = float(self.rng.choice([1.0, 1.0, 0.5, 2.0]))
        out, given = ns.Scheme(1 / 256, low, self.dtype), self.values(shape)
        if self.rng.integers(3) == 0:
            out = ns.Scheme(out.scale * float(self.rng.uniform(0.9995, 1.0005)), low, "int8")
            if self.dtype == "uint8":       # as fine as it comes, any zero point
                out = self.scheme(2.0 ** -self.rng.choice([int(self.rng.integers(0, 30)), self.rng.uniform(4, 10)]))
        return self.one(word, [(shape, self.dtype, x)], [(shape, self.dtype, out)], (
            "SoftmaxOptions", {"beta": beta}), 1), [given]

    def quantize(self, word: str) -> File:
        """From real numbers: on halves, next to them, or anywhere; or from other integers."""
        if self.rng.integers(3) == 0:
            x, shape = self.scheme(), self.size()
            out = self.near(x.scale)
            if self.rng.integers(2):
                other = "int8" if self.dtype == "uint8" else "uint8"
                out = self.scheme(out.scale, other)
            if self.rng.integers(3) == 0:       # 16 bits on either side, or on both
                x, out = ((self.sixteen(x.scale), out), (x, self.sixteen(out.scale)),
                          (self.sixteen(x.scale), self.sixteen(out.scale)))[int(self.rng.integers(3))]
                return self.one(word, [(shape, x.dtype, x)], [(shape, out.dtype, out)], ("QuantizeOptions", {})), [
                    self.values(shape, x.dtype)]
            return self.one(word, [(shape, self.dtype, x)], [(shape, out.dtype, out)], ("QuantizeOptions", {})), [
                self.values(shape)]
        dtype, shape = str(self.rng.choice([self.dtype, "int16"])), self.size()
        out = self.scheme(dtype=dtype)
        if dtype == "int16" and self.rng.integers(2):
            out = ns.Scheme(out.scale, 0, dtype)
        halves = (self.rng.integers(-700, 700, shape) / 2 * np.float32(out.scale)).astype(np.float32)
        towards = self.rng.choice(np.array([-np.inf, np.inf], np.float32), shape)
        kind = self.rng.integers(0, 3, shape)
        x = np.select([kind == 0, kind == 1], [halves, np.nextafter(halves, towards)], self.rng.normal(
            0, 100 * out.scale, shape)).astype(np.float32)
        return self.one(word, [(shape, "float32", None)], [(shape, dtype, out)], ("QuantizeOptions", {})), [x]

    def dequantize(self, word: str) -> File:
        dtype, shape = str(self.rng.choice([self.dtype, self.dtype, "int16"])), self.size()
        x = self.scheme(dtype=dtype)
        if dtype == "int16":
            x = ns.Scheme(x.scale, 0, dtype)
        return self.one(word, [(shape, dtype, x)], [(shape, "float32", None)], ("DequantizeOptions", {})), [
            self.values(shape, dtype)]

    # ---- products
    def weights(self, shape: Sequence[int], axis: int, x: ns.Scheme) -> tuple[Any, ns.Scheme]:
        """uint8 with a zero point; int8 with one scale, or one per channel."""
        if self.dtype == "uint8":
            return self.values(shape), self.scheme(float(self.rng.uniform(0.002, 0.01)))
        count = shape[axis]
        values = self.rng.integers(-128 if self.wide else -127, 128, tuple(shape)).astype(np.int8)
        if self.rng.integers(2) and count > 1:
            return values, ns.Scheme(self.rng.uniform(0.002, 0.01, count).astype(np.float32), 0, "int8", axis=axis)
        return values, ns.Scheme(float(np.float32(self.rng.choice([2.0**-8, self.rng.uniform(0.002, 0.01)]))), 0,
                                 "int8")

    def bias(self, x: ns.Scheme, w: ns.Scheme, count: int, dtype: str = "int32") -> tuple[Any, Loose]:
        scale = np.float32(x.scale) * np.asarray(w.scale, np.float32)
        return self.rng.integers(-3000, 3000, count).astype(dtype), Loose(scale)

    def of_products(self, x: ns.Scheme, w: ns.Scheme, depth: int) -> ns.Scheme:
        """What sums of so many products need, more or less; now and then steps of a power of two of theirs."""
        scale = float(np.float32(x.scale)) * float(np.max(np.asarray(w.scale))) * 40 * math.sqrt(depth)
        factor = self.rng.uniform(0.3, 2)
        if self.rng.integers(3) == 0:
            scale = float(np.float32(x.scale)) * float(np.max(np.asarray(w.scale))) * 2.0 ** round(
                math.log2(40 * math.sqrt(depth)))
            factor = 1
        return self.scheme(scale * float(2.0 ** self.rng.uniform(-12, 4) if self.wide else factor))

    def window(self, image: Sequence[int], kernel: Sequence[int], stride: int, dilation: int,
               same: bool) -> tuple[int, int] | None:
        found = []
        for size, taps in zip(image[1:3], kernel, strict=True):
            reach = (taps - 1) * dilation + 1
            found.append(-(-size // stride) if same else (size - reach) // stride + 1)
        return (found[0], found[1]) if min(found) > 0 else None

    def conv(self, word: str) -> File:
        """Convolutions of all groups, and depthwise ones."""
        deep = word == "DEPTHWISE_CONV_2D"
        while True:
            image = self.image()
            kernel = [int(n) for n in self.rng.choice([1, 1, 2, 3, 3, 5], 2)]
            stride, dilation = int(self.rng.choice([1, 1, 2, 3])), int(self.rng.choice([1, 1, 1, 2]))
            if stride > 1:
                dilation = 1
            same = bool(self.rng.integers(2))
            size = self.window(image, kernel, stride, dilation, same)
            if size is not None:
                break
        x = self.scheme()
        options = {"padding": 0 if same else 1, "strideH": stride, "strideW": stride, "dilationHFactor": dilation,
                   "dilationWFactor": dilation, "fusedActivationFunction": self.activation()}
        n, _, _, channels = image
        if deep:
            multiplier = int(self.rng.choice([1, 1, 2, 3]))
            many, shape, axis, depth = channels * multiplier, (1, *kernel, channels * multiplier), 3, math.prod(kernel)
            options["depthMultiplier"] = multiplier
        else:
            groups = int(self.rng.choice([1, 1, 1, 2, 3])) if self.dtype == "int8" else 1
            each, filters = -(-channels // groups), int(self.rng.integers(1, 9))
            image = (n, *image[1:3], each * groups)
            many, shape, axis = filters * groups, (filters * groups, *kernel, each), 0
            depth = math.prod(kernel) * each
        sixteen = self.dtype == "int8" and self.rng.integers(5) == 0
        if sixteen:
            x = ns.Scheme(float(x.scale) / 200, 0, "int16")
        values, w = self.weights(shape, axis, x)
        out = self.of_products(x, w, depth)
        if sixteen:
            out = ns.Scheme(out.scale, 0, "int16")
        inputs = [(image, x.dtype, x), (values, w), self.bias(x, w, many, "int64" if sixteen else "int32")]
        kind = "DepthwiseConv2DOptions" if deep else "Conv2DOptions"
        return self.one(word, inputs, [((n, *size, many), out.dtype, out)], (kind, options), 3), [
            self.values(image, x.dtype)]

    def connected(self, word: str) -> File:
        shape, many = self.shape(1, 3, 30), int(self.rng.integers(1, 20))
        rows, x = (shape if len(shape) > 1 else (1, *shape)), self.scheme()
        values, w = self.weights((many, rows[-1]), 0, x)
        out, keep = self.of_products(x, w, rows[-1]), bool(self.rng.integers(2))
        inputs = [(rows, self.dtype, x), (values, w)]
        if self.rng.integers(4):
            inputs.append(self.bias(x, w, many))
        result = (*rows[:-1], many) if keep else (math.prod(rows[:-1]), many)
        return self.one(word, inputs, [(result, self.dtype, out)], ("FullyConnectedOptions", {
            "keepNumDims": keep, "fusedActivationFunction": self.activation()}), 5), [self.values(rows)]

    def deconv(self, word: str) -> File:
        while True:
            n, h, w_, c = self.image()
            kernel, stride = [int(k) for k in self.rng.integers(1, 5, 2)], int(self.rng.integers(1, 4))
            same, many = bool(self.rng.integers(2)), int(self.rng.integers(1, 12))
            if not same or min(kernel) >= stride:
                break
        size = [n_ * stride if same else (n_ - 1) * stride + max(k, stride) if k < stride else (n_ - 1) * stride + k
                for n_, k in zip((h, w_), kernel, strict=True)]
        x = self.scheme()
        values, w = self.weights((many, *kernel, c), 0, x)
        out, result = self.of_products(x, w, math.prod(kernel) * c), (n, *size, many)
        inputs = [(np.array(result, np.int32), None), (values, w), ((n, h, w_, c), self.dtype, x)]
        version = 1
        if self.rng.integers(4):
            inputs.append(self.bias(x, w, many))
            version = 3
        return self.one(word, inputs, [(result, self.dtype, out)], ("TransposeConvOptions", {
            "padding": 0 if same else 1, "strideH": stride, "strideW": stride}), version), [self.values((n, h, w_, c))]

    # ---- windows and means
    def pool(self, word: str) -> File:
        while True:
            image, kernel = self.image(), [int(k) for k in self.rng.integers(1, 5, 2)]
            stride, same = int(self.rng.integers(1, 4)), bool(self.rng.integers(2))
            size = self.window(image, kernel, stride, 1, same)
            if size is not None:
                break
        x = self.scheme()
        return self.one(word, [(image, self.dtype, x)], [((image[0], *size, image[3]), self.dtype, x)], (
            "Pool2DOptions", {"padding": 0 if same else 1, "strideH": stride, "strideW": stride,
                              "filterHeight": kernel[0], "filterWidth": kernel[1],
                              "fusedActivationFunction": self.activation()})), [self.values(image)]

    def reduce(self, word: str) -> File:
        """Ties are usual: scales are often multiples of each other."""
        shape, keep = self.shape(1, 4), bool(self.rng.integers(2))
        axes = sorted(self.rng.choice(len(shape), self.rng.integers(1, len(shape) + 1), replace=False).tolist())
        if self.rng.integers(3) == 0:       # height and width of an image
            shape, axes = self.image(), [1, 2]
        x = self.scheme()
        out = x if word == "REDUCE_MAX" else self.near(x.scale)
        result = tuple(1 if i in axes else n for i, n in enumerate(shape) if keep or i not in axes)
        return self.one(word, [(shape, self.dtype, x), (np.array(axes, np.int32), None)], [(result, self.dtype, out)],
                        ("ReducerOptions", {"keepDims": keep})), [self.values(shape)]

    def find(self, word: str) -> File:
        shape = self.shape(2, 4)
        axis = int(self.rng.integers(-len(shape), len(shape)))
        result = tuple(n for i, n in enumerate(shape) if i != axis % len(shape))
        few = (self.values(shape) // 40).astype(self.dtype)     # several are the largest
        kind = "ArgMaxOptions" if word == "ARG_MAX" else "ArgMinOptions"
        return self.one(word, [(shape, self.dtype, self.scheme()), (np.array(axis, np.int32), None)],
                        [(result, "int32", None)], (kind, {"outputType": 2})), [few]

    def join(self, word: str) -> File:
        """uint8 of any schemes."""
        shape = self.shape(1, 4)
        axis, out = int(self.rng.integers(len(shape))), self.scheme()
        shapes = [tuple(int(self.rng.integers(1, 6)) if i == axis else n for i, n in enumerate(shape))
                  for _ in range(int(self.rng.integers(2, 4)))]
        schemes = [self.near(out.scale) if self.dtype == "uint8" and self.rng.integers(2) else out for _ in shapes]
        result = tuple(sum(one[axis] for one in shapes) if i == axis else n for i, n in enumerate(shape))
        inputs = [(one, self.dtype, scheme) for one, scheme in zip(shapes, schemes, strict=True)]
        return self.one(word, inputs, [(result, self.dtype, out)], (
            "ConcatenationOptions", {"axis": axis})), [self.values(one) for one in shapes]

    def resize(self, word: str) -> File:
        n, h, w, c = (int(n) for n in self.rng.integers(1, (3, 40, 40, 9)))
        size = self.rng.integers(1, 90, 2)
        flags = [{}, {"alignCorners": True}, {"halfPixelCenters": True}][int(self.rng.integers(3))]
        kind = {"RESIZE_BILINEAR": "ResizeBilinearOptions"}.get(word, "ResizeNearestNeighborOptions")
        scheme = self.scheme()
        return self.one(word, [((n, h, w, c), self.dtype, scheme), (size.astype(np.int32), None)],
                        [((n, *map(int, size), c), self.dtype, scheme)], (kind, flags), 3), [self.values((n, h, w, c))]

    # ---- moves
    def moved(self, word: str) -> File:
        """What is in the result is numpy's word, tried elsewhere; here it is LiteRT's."""
        x, scheme = self.values(self.shape(4, 4)), self.scheme()
        shape = x.shape
        constants: list[Any] = []
        options: Any = None
        version = 1
        if word == "TRANSPOSE":
            constants = [self.rng.permutation(4)]
            result = tuple(shape[i] for i in constants[0])
            options = ("TransposeOptions", {})
        elif word == "TILE":
            constants = [self.rng.integers(1, 4, 4)]
            result, options = tuple(np.array(shape) * constants[0]), ("TileOptions", {})
        elif word in ("PAD", "PADV2", "MIRROR_PAD"):
            most = np.array(shape)[:, None] - 1 if word == "MIRROR_PAD" else np.full((4, 1), 3)
            constants = [self.rng.integers(0, most + 1, (4, 2))]
            result = tuple(np.array(shape) + constants[0].sum(axis=1))
            options = {"PAD": ("PadOptions", {}), "PADV2": ("PadV2Options", {}), "MIRROR_PAD": (
                "MirrorPadOptions", {"mode": 0})}[word]
        elif word == "RESHAPE":
            result = (shape[0] * shape[1], shape[2] * shape[3])
            constants, options = [np.array(result)], ("ReshapeOptions", {"newShape": list(result)})
        elif word == "SLICE":
            begins = self.rng.integers(0, shape)
            constants = [begins, self.rng.integers(1, np.array(shape) - begins + 1)]
            result, options = tuple(constants[1]), ("SliceOptions", {})
        elif word in ("SQUEEZE", "EXPAND_DIMS"):
            shape = (1, *shape[1:])
            x = x[:1]
            result = shape[1:] if word == "SQUEEZE" else (*shape[:2], 1, *shape[2:])
            constants = [] if word == "SQUEEZE" else [np.array(2)]
            options = ("SqueezeOptions", {"squeezeDims": [0]}) if word == "SQUEEZE" else ("ExpandDimsOptions", {})
        elif word == "BROADCAST_TO":
            shape = tuple(int(n) if self.rng.integers(2) else 1 for n in shape)
            x, result = self.values(shape), (2, *(n if n > 1 else int(self.rng.integers(1, 5)) for n in shape))
            constants, options, version = [np.array(result)], ("BroadcastToOptions", {}), 2
        elif word == "GATHER":
            axis = int(self.rng.integers(4))
            constants = [self.rng.integers(0, shape[axis], int(self.rng.integers(1, 6)))]
            result = (*shape[:axis], constants[0].size, *shape[axis + 1:])
            options, version = ("GatherOptions", {"axis": axis}), 2
        elif word in ("SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND"):
            blocks, (n, h, w, c) = self.rng.integers(1, 4, 2), shape
            if word == "SPACE_TO_BATCH_ND":
                edges = np.array([[0, -h % blocks[0]], [-w % blocks[1], 0]])
                result = (n * blocks.prod(), (h + edges[0].sum()) // blocks[0], (w + edges[1].sum()) // blocks[1], c)
            else:
                shape = (n * int(blocks.prod()), h, w, c)
                x, edges = self.values(shape), np.array([[0, 0], [0, blocks[1] - 1]])
                result = (n, h * blocks[0], w * blocks[1] - edges[1, 1], c)
            constants, options = [blocks, edges], (
                "SpaceToBatchNDOptions" if word == "SPACE_TO_BATCH_ND" else "BatchToSpaceNDOptions", {})
        else:
            begins = self.rng.integers(0, shape)
            constants = [begins, np.array(shape), self.rng.integers(1, 3, 4)]
            result = tuple(-(-(shape[i] - begins[i]) // constants[2][i]) for i in range(4))
            options = ("StridedSliceOptions", {})
        inputs: list[Any] = [(shape, self.dtype, scheme), *((one.astype(np.int32), None) for one in constants)]
        if word == "PADV2":
            inputs.append((self.values((1,)), scheme))
        return self.one(word, inputs, [(tuple(map(int, result)), self.dtype, scheme)], options, version), [x]

    def parts(self, word: str) -> File:
        """Several inputs, or several results."""
        shape, scheme = self.shape(2, 4), self.scheme()
        axis, count = int(self.rng.integers(len(shape))), int(self.rng.integers(1, 5))
        longer = tuple(n * count if i == axis else n for i, n in enumerate(shape))
        number = (np.array(axis, np.int32), None)
        if word == "PACK":
            result = (*shape[:axis], count, *shape[axis:])
            return self.one(word, [(shape, self.dtype, scheme)] * count, [(result, self.dtype, scheme)], (
                "PackOptions", {"axis": axis, "valuesCount": count})), [self.values(shape) for _ in range(count)]
        if word == "UNPACK":
            results = [((*shape[:axis], *shape[axis + 1:]), self.dtype, scheme)] * shape[axis]
            return self.one(word, [(shape, self.dtype, scheme)], results, (
                "UnpackOptions", {"axis": axis, "num": shape[axis]})), [self.values(shape)]
        results = [(shape, self.dtype, scheme)] * count
        if word == "SPLIT":
            return self.one(word, [number, (longer, self.dtype, scheme)], results, (
                "SplitOptions", {"numSplits": count})), [self.values(longer)]
        sizes = np.full(count, shape[axis], np.int32)
        return self.one(word, [(longer, self.dtype, scheme), (sizes, None), number], results, (
            "SplitVOptions", {"numSplits": count})), [self.values(longer)]

    def blocks(self, word: str) -> File:
        n, h, w, c = (int(k) for k in self.rng.integers(1, (3, 5, 5, 4)))
        block, scheme = int(self.rng.integers(2, 4)), self.scheme()
        small, large = (n, h, w, c * block * block), (n, h * block, w * block, c)
        shape, result = (small, large) if word == "DEPTH_TO_SPACE" else (large, small)
        kind = "DepthToSpaceOptions" if word == "DEPTH_TO_SPACE" else "SpaceToDepthOptions"
        return self.one(word, [(shape, self.dtype, scheme)], [(result, self.dtype, scheme)], (
            kind, {"blockSize": block}), 1), [self.values(shape)]


class Loose:
    """Scales as files have them: of sums, or one with an axis."""

    def __init__(self, scale: Any, zero_point: int = 0, axis: int = 0) -> None:
        self.scale, self.zero_point, self.axis = scale, zero_point, axis


class NamesAxis:
    """Makes files of LiteRT's one tensor of which names axis 1 for its one scale.

    place   of the tensor, inputs first
    """

    def __init__(self, litert: Any, place: int) -> None:
        self.litert, self.place = litert, place

    def one(self, word: str, inputs: list[Any], outputs: list[Any], options: Any = None, version: int = 2) -> bytes:
        """As of LiteRT."""
        tensors = [*inputs, *outputs]
        *what, scheme = tensors[self.place]
        if scheme is not None and np.ndim(scheme.scale) == 0:
            tensors[self.place] = (*what, Loose(scheme.scale, scheme.zero_point, 1))
        made: bytes = self.litert.one(word, tensors[:len(inputs)], tensors[len(inputs):], options, version)
        return made

    def __getattr__(self, name: str) -> Any:
        return getattr(self.litert, name)


_MAKERS: dict[str, str] = {
    "ADD": "broadcast", "SUB": "broadcast", "MUL": "broadcast", "MAXIMUM": "broadcast", "MINIMUM": "broadcast",
    **dict.fromkeys(("LOGISTIC", "TANH", "HARD_SWISH", "LEAKY_RELU", "ELU", "RELU", "RELU6", "RELU_N1_TO_1"), "curve"),
    "SOFTMAX": "softmax", "QUANTIZE": "quantize", "DEQUANTIZE": "dequantize", "CONV_2D": "conv",
    "DEPTHWISE_CONV_2D": "conv", "FULLY_CONNECTED": "connected", "TRANSPOSE_CONV": "deconv",
    "AVERAGE_POOL_2D": "pool", "MAX_POOL_2D": "pool", "MEAN": "reduce", "SUM": "reduce", "REDUCE_MAX": "reduce",
    "ARG_MAX": "find", "ARG_MIN": "find", "CONCATENATION": "join", "RESIZE_BILINEAR": "resize",
    "RESIZE_NEAREST_NEIGHBOR": "resize",
    **dict.fromkeys(("TRANSPOSE", "TILE", "PAD", "MIRROR_PAD", "RESHAPE", "SLICE", "STRIDED_SLICE"), "moved"),
    "DEPTH_TO_SPACE": "blocks", "SPACE_TO_DEPTH": "blocks",
    **dict.fromkeys(("PADV2", "SQUEEZE", "EXPAND_DIMS", "BROADCAST_TO", "GATHER", "SPACE_TO_BATCH_ND",
                     "BATCH_TO_SPACE_ND"), "moved"),
    **dict.fromkeys(("PACK", "UNPACK", "SPLIT", "SPLIT_V"), "parts"),
}
WORDS = tuple(_MAKERS)      # seeds come from a word's place: new ones go to the end


def made(word: str, seed: int, litert: Any) -> File:
    """The file of that number, and inputs for it."""
    maker = _MAKERS[word]
    spoken = word.capitalize() if maker == "broadcast" else word
    return getattr(Chance([seed, WORDS.index(word)], litert, wide=seed % 8 == 7), maker)(spoken)


class Verdict(NamedTuple):
    """Of one file in one arithmetic.

    what   "equal", "different", "refused", or "refused there": by LiteRT
    why    of those that are not equal
    """

    what: str
    why: str = ""


def judged(word: str, seed: int, arithmetic: str, litert: Any, backend: Any = None) -> Verdict:
    """The same elements?"""
    data, given = made(word, seed, litert)
    try:
        wanted = litert.run(litert.interpreter(data, arithmetic), given)
    except (RuntimeError, ValueError) as problem:
        return Verdict("refused there", " ".join(str(problem).split()))
    try:
        found = Model(read_tflite(data, "one")).run(given, backend, arithmetic=arithmetic)
    except ns.NeonsimError as problem:
        return Verdict("refused", str(problem))
    for ours, theirs in zip(found, wanted, strict=True):
        if ours.dtype != theirs.dtype or ours.size != theirs.size:
            return Verdict("different", f"{ours.dtype} {ours.shape}, there {theirs.dtype} {theirs.shape}")
        if np.any(unlike := ours.reshape(-1) != theirs.reshape(-1)):
            at = int(np.argmax(unlike))
            return Verdict("different", f"seed {seed}: {int(unlike.sum())} of {unlike.size} differ, first element "
                                        f"{at}, {ours.reshape(-1)[at]} and there {theirs.reshape(-1)[at]}")
    return Verdict("equal")


def reasons(verdicts: Sequence[Verdict]) -> Iterator[tuple[int, str]]:
    """Refusals, those of the same words together, numbers and names left out."""
    def words(why: str) -> str:
        return re.sub(r"'[^']*'", "...", re.sub(r"-?\d[\d.e+-]*", "#", why.split(": ", 2)[-1]))
    found = Counter(f"{one.what}: {words(one.why)}" for one in verdicts if one.what not in ("equal", "different"))
    return ((count, why) for why, count in found.most_common())


def main(given: Sequence[str] | None = None) -> int:
    """The table."""
    parser = argparse.ArgumentParser(prog="python -m tests.nn.formats.one_node", description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*", metavar="WORD", choices=[[], *WORDS], help="operators; all by themselves")
    parser.add_argument("--files", type=int, default=1000, help="of each, 1000 by themselves")
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    parser.add_argument("--backend", help="of ours; by itself the fastest")
    options = parser.parse_args(given)
    litert, wrong = LiteRt(), 0
    for word in options.words or WORDS:
        for arithmetic in ARITHMETICS:
            verdicts = [judged(word, options.first + i, arithmetic, litert, options.backend)
                        for i in range(options.files)]
            count = Counter(one.what for one in verdicts)
            said = ", ".join(f"{n:,} {what}" for what, n in sorted(count.items()))
            print(f"{word:24}{arithmetic:9}{said}", flush=True)
            for one in [one for one in verdicts if one.what == "different"][:3]:
                print(f"    {one.why}")
            for number, why in reasons(verdicts):
                print(f"    {number:,} x {why}")
            wrong += count["different"]
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
