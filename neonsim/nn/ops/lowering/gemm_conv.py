"""Fully connected layers, convolutions and deconvolutions by the contracts of `contract_sets`: which, and which kernel.

    lowering        contract        when
    gemm            ..._gemm_...    fully connected; 1x1, stride 1, no padding
    indirect        ..._igemm_...   all other convolutions, and deconvolutions
    depthwise       ..._dwconv_...  groups of one channel, 9 or 25 taps: fp32, and int8 by rndnu with one scale
    subconvolution  ..._igemm_...   deconvolutions with a stride: one small convolution for every phase of the output
    im2col          ..._gemm_...    never by itself: to compare with
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Implementation, Pointer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.gemm_rows import call_channelwise, call_gathered, call_phase, call_rows
from neonsim.nn.ops.lowering.gemm_tiles import concatenated
from neonsim.nn.ops.lowering.kernel_families import KernelFamily, KernelParams, pack_rows, pack_taps
from neonsim.nn.ops.lowering.kernel_selection import choose
from neonsim.nn.ops.windows import copy_windows
from neonsim.quant.scheme import Quantized
from neonsim.ukernel.packing import OUTSIDE, ConvShape, Taps, conv_taps

__all__ = ["GemmLayer", "kernel_for", "lower_convolution", "lower_deconvolution", "lower_matrix"]


class GemmLayer(Protocol):
    """What is known of a layer that multiplies."""

    @property
    def w(self) -> Quantized:
        """Weights."""
        ...

    @property
    def bias(self) -> NDArray[np.int32]:
        """[out]"""
        ...

    @property
    def scale(self) -> NDArray[np.float32]:
        """[] or [out]; of sums that stay nobody asks."""
        ...

    @property
    def kernel_params(self) -> KernelParams:
        """For its kernels."""
        ...


def kernel_for(build: Builder, contract: str, reason: str, *, rows: int | None = None) -> Implementation:
    """The kernel of a contract: the one asked for, else by the table of `dispatch`, else the backend's first.

    rows   of the whole product, if known
    """
    build.requested_contract(contract)
    found, isa = build.find(contract), getattr(build.backend, "isa", None)
    if build.kernel is None and isa is not None and found:
        decision = choose(found, isa, build.backend.core, rows=rows)
        return build.choose(contract, f"{reason}; {decision.reason}", name=decision.kernel.name)
    return build.choose(contract, reason)


def lower_matrix(layer: GemmLayer, contracts: KernelFamily, build: Builder) -> None:
    """x [..., k] by w [n, k]."""
    x = build.inputs[0]
    one = kernel_for(build, contracts.gemm, "a fully connected layer is a matrix product, rows are the batch",
                     rows=x.pixels)
    _product(layer, contracts, build, one, [layer.w.values], source=Pointer(x.name), m=x.pixels, k=x.channels,
             a_stride=x.stride, group_bytes=x.channels)


def _product(layer: GemmLayer, contracts: KernelFamily, build: Builder, one: Implementation,
             weights: Sequence[NDArray[Any]], **where: Any) -> None:
    params = layer.kernel_params
    packed = pack_rows(contracts, one, weights, np.split(layer.bias, len(weights)), layer.scale, params)
    call_rows(build, one, concatenated(build, packed), params, **where)


def lower_convolution(layer: GemmLayer, contracts: KernelFamily, build: Builder, shape: ConvShape, *, groups: int,
                      natural: tuple[str, str], lowering: str | None) -> None:
    """A convolution of weights [out, kh, kw, in / groups].

    natural    (lowering, reason) of the layer's own rules
    lowering   asked for by name, or None
    """
    x, depth = build.inputs[0], layer.w.shape[3]
    chosen, reason = natural
    if lowering is not None and lowering != chosen:
        chosen, reason = lowering, f"lowering {lowering!r} was asked for; by itself it would be {chosen!r}"
    asked = build.requested_contract(*(c for c in (contracts.gemm, contracts.igemm, contracts.dwconv) if c))
    if asked is not None and lowering is None:
        chosen = {contracts.gemm: "gemm" if shape.is_plain else "im2col", contracts.igemm: "indirect",
                  contracts.dwconv: "depthwise"}.get(asked, chosen)
    if chosen == "depthwise":
        taps = shape.kernel[0] * shape.kernel[1]
        if depth != 1 or layer.w.shape[0] != groups or taps not in (9, 25):
            raise BackendError(f"lowering 'depthwise' takes groups of one channel in and one out, and 9 or 25 taps; "
                               f"this has {depth} in, {layer.w.shape[0] // groups} out and {taps} taps.")
        if contracts.dwconv:
            _depthwise(layer, contracts, build, shape, reason)
            return
        if lowering == "depthwise":
            raise BackendError(f"The {build.backend.name} backend cannot do this: there are no depthwise kernels for "
                               f"{contracts.name} operands requantised so; leave lowering out, or take 'indirect'.")
        chosen, reason = "indirect", (f"{groups} groups of one channel each; no depthwise kernel for these operands: a "
                                      "product through pointers for every channel")
    if chosen == "gemm" and not shape.is_plain:
        raise BackendError("lowering 'gemm' takes a 1x1 window, stride 1 and no padding; take 'indirect' or 'im2col'.")
    weights = np.split(layer.w.values, groups)
    if chosen == "indirect":
        one = kernel_for(build, contracts.igemm, reason)
        packed = pack_rows(contracts, one, weights, np.split(layer.bias, groups), layer.scale, layer.kernel_params)
        call_gathered(build, one, concatenated(build, packed), layer.kernel_params, taps=conv_taps(shape),
                      batch=x.shape[0], channels=depth)
        return
    m = x.pixels if chosen == "gemm" else build.output.pixels
    one = kernel_for(build, contracts.gemm, reason, rows=m)
    flat = [w.reshape(w.shape[0], -1) for w in weights]
    if chosen == "gemm":
        _product(layer, contracts, build, one, flat, source=Pointer(x.name), m=m, k=depth, a_stride=x.stride,
                 group_bytes=depth)
        return
    matrix, k = copy_windows(build, shape, groups=groups, depth=depth,
                             outside=layer.kernel_params.a_zero_point & 0xFF)
    _product(layer, contracts, build, one, flat, source=matrix, m=m, k=k, a_stride=k, group_bytes=m * k)


def _depthwise(layer: GemmLayer, contracts: KernelFamily, build: Builder, shape: ConvShape, reason: str) -> None:
    """Each channel by itself, an output row a call; images share their pointers."""
    count = shape.kernel[0] * shape.kernel[1]
    found = build.find(contracts.dwconv) if build.kernel is not None else ()
    if found and all(each.nr != count for each in found):
        raise BackendError(f"The kernel asked for takes {found[0].nr} taps, this window has {count}.")
    one = build.choose(contracts.dwconv, reason, nr=count)
    # [channels, kh, kw, 1] -> taps column by column
    values = layer.w.values[..., 0]
    taps = np.ascontiguousarray(values.transpose(2, 1, 0).reshape(-1, values.shape[0]))
    packed, params = pack_taps(contracts, one, taps, layer.bias, layer.scale, layer.kernel_params)
    # Neighbours share columns of taps only where those lie next to each other (P08).
    step = shape.stride[1] if shape.dilation[1] == 1 else shape.kernel[1]
    call_channelwise(build, one, packed, params, taps=conv_taps(shape), batch=build.inputs[0].shape[0], step=step)


def lower_deconvolution(layer: GemmLayer, contracts: KernelFamily, build: Builder, taps: Taps, *, groups: int,
                        stride: tuple[int, int], splits: bool, lowering: str | None) -> None:
    """A deconvolution of weights [in, kh, kw, out / groups].

    taps     of the whole deconvolution: those between pixels are OUTSIDE
    splits   can it be cut into phases? (stride above 1, dilation 1, stride no larger than the window) (X44)
    """
    if lowering not in (None, "indirect", "subconvolution"):
        raise BadArgument(f"lowering of a deconvolution is indirect or subconvolution; got {lowering!r}.")
    if lowering == "subconvolution" and not splits:
        raise BackendError("lowering 'subconvolution' takes a stride above 1 and not beyond the window, and no "
                           "dilation; take 'indirect'.")
    # [in, kh, kw, out] -> per group [out, kh, kw, in]
    weights = [np.ascontiguousarray(w.transpose(3, 1, 2, 0)) for w in np.split(layer.w.values, groups)]
    biases, params = np.split(layer.bias, groups), layer.kernel_params
    batch, channels = build.inputs[0].shape[0], layer.w.shape[0] // groups
    if lowering == "indirect" or not splits:
        one = kernel_for(build, contracts.igemm, "through pointers; taps between pixels read the zero row")
        packed = pack_rows(contracts, one, weights, biases, layer.scale, params)
        call_gathered(build, one, concatenated(build, packed), params, taps=taps, batch=batch, channels=channels)
        return
    one = kernel_for(build, contracts.igemm, f"{stride[0]} x {stride[1]} phases, each a small convolution that "
                     "multiplies no zeros")
    for y in range(min(stride[0], taps.output[0])):
        for x in range(min(stride[1], taps.output[1])):
            # The taps that reach an input pixel from outputs of this phase: the same for all of them.
            ky = np.flatnonzero((taps.rows[y::stride[0]] != OUTSIDE).any(axis=0))
            kx = np.flatnonzero((taps.columns[x::stride[1]] != OUTSIDE).any(axis=0))
            if not ky.size or not kx.size:
                # No tap at all: results are the bias alone, from one tap that reads the zero row.
                ky, kx = np.zeros(1, np.int64), np.zeros(1, np.int64)
            part = Taps(taps.size, taps.rows[y::stride[0]][:, ky], taps.columns[x::stride[1]][:, kx])
            packed = pack_rows(contracts, one, [w[:, ky][:, :, kx] for w in weights], biases, layer.scale, params)
            call_phase(build, one, concatenated(build, packed, f"weights {y},{x}"), params, taps=part, batch=batch,
                       channels=channels, phase=(y, x), stride=stride, output=taps.output)
