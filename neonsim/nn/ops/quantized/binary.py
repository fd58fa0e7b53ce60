"""Addition, subtraction and multiplication of two arrays, broadcast as numpy does, up to six dimensions.

    operator   uint8                                     int8
    add        qu8_vadd: factors of 22 bits, ties away   qs8_vadd, qs8_vaddc: factors of 21 bits, ties up
    subtract   qu8_vsub, qu8_vsubc: as int8              the same kernels, the second factor negative
    multiply   qu8_vmul_*, qu8_vmulc_*: fp32 or rndnu    qs8_vmul_*, qs8_vmulc_*: the same

Axes that both operands walk over alike are merged first, so most shapes come down to one or two axes. Along the last
one either both operands move (a kernel of two vectors), or one stands still: a kernel with a constant, with operands
and factors exchanged if it is the first that stands still (X45).

    a [2, 3, 4, 5]   b [      4, 5]  ->  [6 | 20]     b goes back to its beginning for each of 6 rows
    a [2, 3, 4, 5]   b [   3, 1, 1]  ->  [2, 3 | 20]  one value of b for each row of 20: a constant

All may write their result over an operand of its shape: `out_array=a.values`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Backend, Gather, NamedKernel, Pointer
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.job_builder import Builder, parts
from neonsim.nn.ops.operand import check_scheme, scheme_of, with_channels
from neonsim.nn.ops.operator import Operator
from neonsim.nn.ops.quantized.pooling import check_ratio
from neonsim.quant.params.elementwise import AddParams
from neonsim.quant.params.qs8_elementwise import MultiplyParams, ScaledAddParams
from neonsim.quant.reference import operators
from neonsim.quant.reference.litert_vectors import Narrowing
from neonsim.quant.requant.double_scale import PairParams, SumParams
from neonsim.quant.rounding import limits
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["Add", "Axes", "Multiply", "Subtract", "add", "merged", "multiply", "subtract"]

MAX_RANK = 6        # dimensions, as the libraries' own operators (D08)
TASK = 4096             # elements of a call (P10)
_DTYPES = ("uint8", "int8")


class Axes(NamedTuple):
    """A shape, and bytes from one element to the next along each axis for both operands and the result.

    A step of 0: the operand stands still, it is broadcast along that axis.
    """

    shape: tuple[int, ...]
    a: tuple[int, ...]
    b: tuple[int, ...]
    y: tuple[int, ...]


def merged(axes: Axes) -> Axes:
    """The same walk with as few axes as possible: axes of size 1 dropped, neighbours merged where all three allow.

    >>> merged(Axes((2, 3, 4), (12, 4, 1), (0, 4, 1), (12, 4, 1)))
    Axes(shape=(2, 12), a=(12, 1), b=(0, 1), y=(12, 1))
    """
    kept = [(n, steps) for n, *steps in zip(*axes, strict=True) if n != 1] or [(1, [1, 1, 1])]
    found = [kept[-1]]
    for size, steps in reversed(kept[:-1]):
        inner_size, inner_steps = found[0]
        if all(step == inner * inner_size for step, inner in zip(steps, inner_steps, strict=True)):
            found[0] = (size * inner_size, inner_steps)
        else:
            found.insert(0, (size, steps))
    a, b, y = zip(*(steps for _, steps in found), strict=True)
    return Axes(tuple(size for size, _ in found), a, b, y)


def _no_kernel(kind: str) -> str:
    return (f"there are no kernels for {kind} with multipliers of 31 bits; backend='reference' takes it, and networks "
            "do.")


def _needed(narrowing: Narrowing | None, params: SumParams | PairParams) -> bool:
    """Whether any result leaves 16 bits: those of the ends of both operands are the ends of all."""
    ends = np.array([*limits(params.dtype)], np.int64)
    found = params.rounded(ends[:, np.newaxis], ends)
    return narrowing is not None and bool((np.abs(found) >= (1 << 15) - 256).any())


class Broadcasting(Operator):
    """One result per element of the broadcast shape."""

    names = ("a", "b")
    may_overwrite = True
    vector: str                 # contract of two vectors
    constant: str               # contract of a vector and one value, "" if there is none

    def _check(self, a: Scheme, b: Scheme, out: Scheme, output_min: int | None, output_max: int | None) -> None:
        self.schemes = (check_scheme(a, "a", _DTYPES), check_scheme(b, "b", _DTYPES))
        self.out = check_scheme(out, "out", _DTYPES)
        types = {"a": a.dtype, "b": b.dtype, "out": out.dtype}
        if len(set(types.values())) > 1:
            said = ", ".join(f"{name} is {kind}" for name, kind in types.items())
            raise BadArgument(f"{said}: operands and result of {self.kind} are all uint8 or all int8.")
        self.output_min, self.output_max = limits(out.dtype, output_min, output_max)
        if self.output_min >= self.output_max:
            raise BadArgument(f"output_min {self.output_min} must be less than output_max {self.output_max}.")

    @property
    @abstractmethod
    def params(self) -> Any:
        """The block of the kernels."""

    def _by_table(self, shapes: tuple[tuple[int, ...], ...], narrowing: Narrowing | None = None) -> NativeLayer:
        """A layer by a table of the results for all pairs of bytes, as networks keep them: int8 with 128 added."""
        check_alike(shapes)
        kept = 0x80 if self.out.dtype == "int8" else 0
        every = (np.arange(256, dtype=np.uint8) ^ kept).view(self.out.dtype)
        if narrowing is not None:
            raise BackendError("its results leave 16 bits, which wrap by an element's place; only backend='reference' "
                               "has it")
        made = self.reference(every[:, np.newaxis], every[np.newaxis, :]).view(np.uint8) ^ np.uint8(kept)
        return NativeLayer("lut_pair", {"weights": np.ascontiguousarray(made)})

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        for name, shape in zip(self.names, shapes, strict=True):
            if len(with_channels(shape, name)) > MAX_RANK:
                raise BadArgument(f"{name} has {len(shape)} dimensions; at most {MAX_RANK} are broadcast.")
        a, b = ((1,) * (max(map(len, shapes)) - len(s)) + s for s in shapes)
        for axis, (m, n) in enumerate(zip(a, b, strict=True)):
            if m != n and 1 not in (m, n):
                raise BadArgument(f"a {list(shapes[0])} and b {list(shapes[1])} must have one shape or broadcast: "
                                  f"counted from the end, axis {axis - len(a)} has {m} and {n}, and neither is 1.")
        return tuple(n if m == 1 else m for m, n in zip(a, b, strict=True))

    def axes(self, build: Builder) -> Axes:
        """How operands and result lie in memory, merged."""
        rank = len(build.output.shape)

        def steps(shape: tuple[int, ...], pixel: int) -> tuple[int, ...]:
            found = [1]
            step = pixel
            for size in reversed(shape[:-1]):
                found.insert(0, step)
                step *= size
            found = [0 if n == 1 else s for n, s in zip(shape, found, strict=True)]
            return (*(0,) * (rank - len(shape)), *found)

        a, b = (steps(o.shape, o.stride) for o in build.inputs)
        shape, result = build.output.shape, steps(build.output.shape, build.output.stride)
        return merged(Axes(shape, a, b, result))

    def lower(self, build: Builder, **options: Any) -> None:
        """One call for every row of the merged shape, or for a task of it."""
        axes = self.axes(build)
        a, b = (Pointer(o.name) for o in build.inputs)
        *outer, length = axes.shape
        rows = np.indices(outer, np.int64).reshape(len(outer), -1) if outer else np.zeros((0, 1), np.int64)
        starts = [(rows * np.array(steps[:-1], np.int64).reshape(-1, 1)).sum(axis=0)[:, np.newaxis]
                  for steps in (axes.a, axes.b, axes.y)]
        last = axes.a[-1], axes.b[-1]
        params, contract, reason = self.params, self.vector, "both operands move along the last axis"
        if length > 1 and 0 in last:
            if self.constant and (build.kernel is None or build.find(self.constant)):
                contract = self.constant
                reason = f"{'a' if last[0] == 0 else 'b'} stands still along the last axis: a constant"
                if last[0] == 0:
                    params, a, b, starts = params.swapped(), b, a, [starts[1], starts[0], starts[2]]
                    reason += ", operands and factors exchanged"
            else:
                # No kernel with a constant: the operand that stands still is written out along the row.
                which = 0 if last[0] == 0 else 1
                operand, start = build.inputs[which], starts[which]
                spread = build.scratch(f"{operand.name}, written out", start.size * length, operand=True)
                build.gather(Gather(Pointer(operand.name), spread, np.repeat(start.reshape(-1), length), 1, 0,
                                    f"{operand.name}, one byte for each of {length} elements of a row"))
                starts[which] = np.arange(start.size, dtype=np.int64)[:, np.newaxis] * length
                a, b = (spread, b) if which == 0 else (a, spread)
        one = build.choose(contract, f"{reason}; {len(outer) + 1} axes after merging")
        block = build.constant("params", block_of(params))
        moves_b = contract == self.vector
        for part in parts(length, TASK):
            begin = part.columns
            build.call(one, len(starts[0]), part.tiles, f"{part.size} elements", n=part.size,
                       a=Pointer(a.region, starts[0] + begin), b=Pointer(b.region, starts[1] + begin * moves_b),
                       y=Pointer(build.result, starts[2] + begin), params=block)


def check_alike(shapes: tuple[tuple[int, ...], ...]) -> None:
    """Layers of networks broadcast nothing."""
    if shapes[0] != shapes[1]:
        raise BackendError(f"the shapes of its operands are {list(shapes[0])} and {list(shapes[1])}; they must be "
                           "equal.")


class Add(Broadcasting):
    """Sum of two arrays, prepared. Arguments as `add`, with schemes in place of arrays.

    rounding    "away", "up" or "twice"
    narrowing   of "twice": what becomes of results that leave 16 bits (`neonsim.quant.reference.litert_vectors`)
    """

    kind = "addition"
    subtracts = False

    def __init__(self, a: Scheme, b: Scheme, *, out: Scheme, output_min: int | None = None,
                 output_max: int | None = None, rounding: str | None = None,
                 narrowing: Narrowing | None = None) -> None:
        self._check(a, b, out, output_min, output_max)
        self.narrowing = narrowing
        there = ("up", "away") if out.dtype == "uint8" and not self.subtracts else ("up",)
        if rounding == "twice":
            self.rounding = rounding
            self._sums = SumParams.from_schemes(a, b, out, output_min=self.output_min, output_max=self.output_max,
                                                subtracts=self.subtracts)
            if _needed(narrowing, self._sums):
                self._sums = replace(self._sums, narrowing=narrowing)
            return
        if rounding not in (None, *there):
            raise BadArgument(f"rounding of ties in {self.kind} of {out.dtype} is {', '.join(map(repr, there))} or "
                              f"'twice'; got {rounding!r}.")
        self.rounding = rounding or there[-1]
        self.vector, self.constant = (("qu8_vadd", "") if self._older else ("qu8_vsub", "qu8_vsubc")
                                      if out.dtype == "uint8" else ("qs8_vadd", "qs8_vaddc"))
        low = -14 if self._older else -10
        self.ratios = (float(check_ratio(a, out, low, 8, "a")), float(check_ratio(b, out, low, 8, "b")))
        if max(self.ratios) < 2.0**-10:
            raise BadArgument(f"a scale / output scale is {self.ratios[0]:.9g} and b scale / output scale "
                              f"{self.ratios[1]:.9g}; one of them must be at least 2**-10, or the sum of "
                              "products would be shifted by more than 31 bits (the older library's operator takes both "
                              "down to 2**-14, but its parameters are asserted to shift by less than 32).")

    @property
    def _older(self) -> bool:
        """The sum of the older library."""
        return self.rounding == "away"

    @property
    def params(self) -> AddParams | ScaledAddParams | SumParams:
        """AddParams where ties go away, ScaledAddParams where they go up, SumParams of those that are rounded twice."""
        if self.rounding == "twice":
            return self._sums
        common = {"a_zero_point": self.schemes[0].zero_point, "b_zero_point": self.schemes[1].zero_point,
                  "output_zero_point": self.out.zero_point, "output_min": self.output_min,
                  "output_max": self.output_max}
        if self._older:
            return AddParams.from_scales(*self.ratios, **common)
        return ScaledAddParams.from_scales(*self.ratios, subtract=self.subtracts, dtype=self.out.dtype, **common)

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """An addition of two tensors of one shape; of a difference the second factor is negative."""
        check_alike(shapes)
        params = self.params
        if isinstance(params, SumParams):
            return self._by_table(shapes, params.narrowing)
        return NativeLayer("add", {
            "rounding": "away" if isinstance(params, AddParams) else "up", "multiplier": params.a_multiplier,
            "second_multiplier": params.b_multiplier, "shift": params.shift, "output_min": self.output_min,
            "output_max": self.output_max})

    def unsupported_reason(self) -> str | None:
        """Kernels have one multiplier for each operand."""
        return _no_kernel(self.kind) if self.rounding == "twice" else None

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        params = self.params
        if isinstance(params, ScaledAddParams | SumParams):
            return params.add(values[0], values[1])
        a, b = np.broadcast_arrays(values[0], values[1])
        return operators.add(a, b, a_zero_point=params.a_zero_point, b_zero_point=params.b_zero_point,
                             a_ratio=self.ratios[0], b_ratio=self.ratios[1],
                             out_zero_point=params.output_zero_point, output_min=self.output_min,
                             output_max=self.output_max)


class Subtract(Add):
    """Difference of two arrays, prepared. Arguments as `subtract`, with schemes in place of arrays."""

    kind = "subtraction"
    subtracts = True


class Multiply(Broadcasting):
    """Product of two arrays, prepared. Arguments as `multiply`, with schemes in place of arrays; narrowing as of `Add`.
    """

    kind = "multiplication"

    def __init__(self, a: Scheme, b: Scheme, *, out: Scheme, requantization: str = "fp32",
                 output_min: int | None = None, output_max: int | None = None,
                 narrowing: Narrowing | None = None) -> None:
        self._check(a, b, out, output_min, output_max)
        self.narrowing = narrowing
        if requantization not in ("fp32", "rndnu", "gemmlowp"):
            raise BadArgument("requantization of multiplication is 'fp32', 'rndnu' or 'gemmlowp'; got "
                              f"{requantization!r}.")
        self.requantization = requantization
        kind = "qu8" if out.dtype == "uint8" else "qs8"
        self.vector, self.constant = f"{kind}_vmul_{requantization}", f"{kind}_vmulc_{requantization}"
        with np.errstate(over="ignore", under="ignore"):
            self.scale = float(np.float32(a.scale) * np.float32(b.scale) / np.float32(out.scale))
        if requantization == "gemmlowp":
            self._wide = PairParams.from_schemes(a, b, out, output_min=self.output_min, output_max=self.output_max)
            if _needed(narrowing, self._wide):
                self._wide = replace(self._wide, narrowing=narrowing)
        elif not 2.0**-16 <= self.scale < 256:
            raise BadArgument(f"a scale * b scale / output scale is {self.scale:.9g}; it must be in [2**-16, 2**8).")

    @property
    def params(self) -> MultiplyParams | PairParams:
        if self.requantization == "gemmlowp":
            return self._wide
        return MultiplyParams(self.scale, self.schemes[0].zero_point, self.schemes[1].zero_point, self.out.zero_point,
                              self.output_min, self.output_max, self.requantization, self.out.dtype)

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """A product of two tensors of one shape; of 31 bits by a table of all pairs."""
        check_alike(shapes)
        if self.requantization == "gemmlowp":
            return self._by_table(shapes, self._wide.narrowing)
        if self.requantization != "fp32":
            raise BackendError(f"its requantization is {self.requantization!r}; networks have 'fp32' and 'gemmlowp'.")
        return NativeLayer("multiply", {
            "rounding": "fp32", "scale": np.array([self.scale], np.float32), "output_min": self.output_min,
            "output_max": self.output_max})

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return self.params.multiply(values[0], values[1])

    def unsupported_reason(self) -> str | None:
        """Kernels multiply by 24 bits."""
        return _no_kernel(self.kind) if self.requantization == "gemmlowp" else None

    def details(self) -> list[str]:
        return [f"requantization {self.requantization}, scale {self.scale:.9g}"]


def _with_axis(x: Any) -> Any:
    """A single value as an array of one."""
    if isinstance(x, Quantized) and x.values.ndim == 0:
        return Quantized(x.values.reshape(1), x.scale, x.zero_point)
    return x


def _run(kind: type[Add] | type[Multiply], a: Any, b: Any, options: dict[str, Any], **made: Any) -> Quantized:
    a, b = _with_axis(a), _with_axis(b)
    return kind(scheme_of(a, "a"), scheme_of(b, "b"), **made)(a, b, **options)


def add(a: Quantized, b: Quantized, *, out: Scheme, output_min: int | None = None, output_max: int | None = None,
        rounding: str | None = None, backend: str | Backend | None = None, threads: int = 1,
        kernel: str | NamedKernel | None = None, out_array: NDArray[Any] | None = None) -> Quantized:
    """Add two arrays whose scales and zero points differ, broadcast as numpy does.

    y = clip(round((ma * (a - za) + mb * (b - zb)) / 2**shift) + zy)     ma, mb, shift from the scale ratios (R07)

    a, b   Quantized, both uint8 or both int8, up to 6 dimensions that are equal or 1
    out        Scheme of the same type; a.scale / out.scale and b.scale / out.scale in [2**-14, 2**8), one of them at
               least 2**-10 (ties away); in [2**-10, 2**8) (ties up)
    rounding   ties "away" from zero with factors of 32 bits, as QNNPACK has uint8, or "up" with factors of 21 bits, as
               XNNPACK has both types; None: "away" for uint8, "up" for int8. "twice": three multipliers of 31 bits, as
               TensorFlow Lite has both types (Y16); any ratio with out.scale above 2**-19 of the inputs'
    out_array       array or None   may be a.values or b.values, if they have the shape of the result
    ->         Quantized of the broadcast shape

    Raises BadArgument for shapes that do not broadcast, mixtures of types, a ratio out of range, output_min >=
    output_max. (Of uint8, QNNPACK checks [2**-14, 2**8) where an operator is made, but computing its parameters asserts
    a shift of 13..31, that is a larger ratio of 2**-10 and more; a shift by 32 would be undefined.)
    Source: (K08, R07, D08, M11).

    >>> a, b = Quantized(np.array([10], np.uint8), 1.0), Quantized(np.array([9], np.uint8), 0.5)
    >>> add(a, b, out=Scheme(2.0), backend="reference").values.tolist()
    [7]
    """
    return _run(Add, a, b, {"backend": backend, "threads": threads, "kernel": kernel, "out_array": out_array}, out=out,
                output_min=output_min, output_max=output_max, rounding=rounding)


def subtract(a: Quantized, b: Quantized, *, out: Scheme, output_min: int | None = None, output_max: int | None = None,
             backend: str | Backend | None = None, threads: int = 1, kernel: str | NamedKernel | None = None,
             out_array: NDArray[Any] | None = None, rounding: str | None = None) -> Quantized:
    """Subtract b from a, broadcast as numpy does.

    y = clip(round((ma * (a - za) - mb * (b - zb)) / 2**shift) + zy), ties up

    a, b, out, out_array   as `add`; both ratios in [2**-10, 2**8)
    rounding          "up", which None means, or "twice", as of `add`

    Source: (D08, R07).

    >>> a, b = Quantized(np.array([10, -7], np.int8), 1.0), Quantized(np.array([9], np.int8), 1.0)
    >>> subtract(a, b, out=Scheme(1.0, dtype="int8"), backend="reference").values.tolist()
    [1, -16]
    """
    return _run(Subtract, a, b, {"backend": backend, "threads": threads, "kernel": kernel, "out_array": out_array},
                out=out,
                output_min=output_min, output_max=output_max, rounding=rounding)


def multiply(a: Quantized, b: Quantized, *, out: Scheme, requantization: str = "fp32", output_min: int | None = None,
             output_max: int | None = None, backend: str | Backend | None = None, threads: int = 1,
             kernel: str | NamedKernel | None = None, out_array: NDArray[Any] | None = None) -> Quantized:
    """Multiply two arrays element by element, broadcast as numpy does.

    y = clip(round((a - za) * (b - zb) * (a.scale * b.scale / out.scale)) + zy)

    a, b             Quantized, both uint8 or both int8, up to 6 dimensions that are equal or 1
    out              Scheme of the same type; a.scale * b.scale / out.scale in [2**-16, 2**8)
    requantization   str   "fp32" (ties to even), "rndnu" (ties up) or "gemmlowp" (twice, as TensorFlow Lite (Y17):
                           any scale below 2**30)
    ->               Quantized of the broadcast shape

    Source: (D08, R12).

    >>> a, b = Quantized(np.array([[10], [-7]], np.int8), 0.5), Quantized(np.array([1, 2], np.int8), 1.0)
    >>> multiply(a, b, out=Scheme(0.5, dtype="int8"), backend="reference").values.tolist()
    [[10, 20], [-7, -14]]
    """
    return _run(Multiply, a, b, {"backend": backend, "threads": threads, "kernel": kernel, "out_array": out_array},
                out=out,
                requantization=requantization, output_min=output_min, output_max=output_max)
