"""Fully connected layers, convolutions and deconvolutions by a family of contracts: which, and which kernel.

    lowering        contract   when (Z05, A06)
    gemm            gemm       fully connected; 1x1, stride 1, no padding
    depthwise       dwconv     groups of one channel in and out, as many taps as a kernel of the family takes
    indirect        igemm      all other convolutions, and deconvolutions
    subconvolution  igemm      deconvolutions with a stride: one small convolution for every phase of the output
    im2col          gemm       never by itself: to compare with

All give the same bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Implementation, Pointer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.gemm_calls import (
    call_channelwise,
    call_gathered,
    call_phase,
    call_rows,
    concatenated,
    sum_rows,
)
from neonsim.nn.ops.lowering.kernel_families import FLOAT32, GemmLayer, pack_channels, pack_rows
from neonsim.nn.ops.lowering.kernel_selection import choose, dual_issue_depth
from neonsim.nn.ops.windows import copy_windows
from neonsim.ukernel.packing import OUTSIDE, ConvShape, Taps, conv_taps

__all__ = ["LOWERINGS", "kernel_for", "lower_convolution", "lower_deconvolution", "lower_matrix", "natural_lowering"]

LOWERINGS = ("depthwise", "gemm", "indirect", "im2col")


def natural_lowering(shape: ConvShape, groups: int, is_depthwise: bool,
                     counts: tuple[int, ...] = (9, 25)) -> tuple[str, str]:
    """(lowering, reason) by QNNPACK's rules; counts: of taps that depthwise kernels take."""
    taps = shape.kernel[0] * shape.kernel[1]
    if is_depthwise and taps in counts:
        return "depthwise", f"{groups} groups of one channel each and {taps} taps: each channel by itself"
    if shape.is_pointwise:
        return "gemm", "1x1, stride 1, no padding: the image is the left-hand matrix as it lies"
    why = f"{taps} taps are not {' or '.join(map(str, counts))}" if is_depthwise else \
        "1x1 with a stride or padding skips pixels" if taps == 1 else f"a window of {taps} taps"
    return "indirect", f"{why}: a matrix product through pointers, no copied matrix"


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


def _kernel(layer: GemmLayer, build: Builder, contract: str, reason: str, rows: int | None = None) -> Implementation:
    if layer.family.width is None:
        return kernel_for(build, contract, reason, rows=rows)
    build.requested_contract(contract)
    return build.choose(contract, reason, nr=None if build.kernel else layer.family.width)


def lower_matrix(layer: GemmLayer, build: Builder) -> None:
    """x [..., k] by w [n, k]."""
    x, family = build.inputs[0], layer.family
    contract = build.requested_contract(*filter(None, (family.gemm, family.raw))) or family.gemm
    one = _kernel(layer, build, contract, "a fully connected layer is a matrix product, rows are the batch", x.pixels)
    _product(layer, build, one, source=Pointer(x.name), m=x.pixels, k=layer.w.shape[-1], a_stride=x.stride,
             group_bytes=x.channels)


def _product(layer: GemmLayer, build: Builder, one: Implementation, **where: Any) -> None:
    family, sums = layer.family, Pointer("")
    packed = concatenated(build, pack_rows(layer, one, layer.w.reshape(*layer.w.shape[:2], -1)))
    if one.contract == family.raw:
        summed = build.choose("qu8_sumrows", f"{one.name} multiplies raw bytes: the part of w's zero point comes from "
                              "row sums", main=False, isa=one.isa)
        sums = sum_rows(build, summed, layer.params.w_zero_point, groups=len(layer.w), **where)
    call_rows(build, one, packed, layer.params, more={"a_sum": (sums, 4)} if family.raw else None, **where)


def _chosen(layer: GemmLayer, build: Builder, shape: ConvShape, natural: tuple[str, str],
            lowering: str | None) -> tuple[str, str]:
    """(lowering, reason): asked for by name, by that of a kernel, or the layer's own."""
    family, kept = layer.family, None
    copied = LOWERINGS if family is not FLOAT32 else LOWERINGS[:3]
    if lowering is not None and lowering not in copied:
        of = " of a convolution of float32" if family is FLOAT32 else ""
        raise BadArgument(f"lowering{of} must be one of {', '.join(copied)}"
                          f"{'' if of else ', or winograd-fNK'}; got {lowering!r}.")
    asked = build.requested_contract(*family.contracts)
    if asked is not None:
        kept = "indirect" if asked == family.igemm else "depthwise" if asked in family.dwconv.values() else \
            "gemm" if shape.is_pointwise else "im2col"
    chosen, reason = lowering or kept or natural[0], natural[1]
    if chosen != natural[0]:
        reason = f"lowering {chosen!r} was asked for; by itself it would be {natural[0]!r}"
    if chosen == "gemm" and not shape.is_pointwise:
        raise BackendError("lowering 'gemm' takes a 1x1 window, stride 1 and no padding; use 'indirect'"
                           f"{' or ' + repr('im2col') if 'im2col' in copied else ''}.")
    if chosen != "depthwise":
        return chosen, reason
    taps, counts = shape.kernel[0] * shape.kernel[1], tuple(family.dwconv) or (9, 25)
    groups, outputs, _, _, depth = layer.w.shape
    if depth != 1 or outputs != 1 or taps not in counts:
        raise BackendError(f"lowering 'depthwise' takes groups of one channel in and one out, and "
                           f"{' or '.join(map(str, counts))} taps; this has {depth} in, {outputs} out and "
                           f"{taps} taps.")
    if family.dwconv:
        return chosen, reason
    if lowering == "depthwise":
        raise BackendError(f"The {build.backend.name} backend does not support this: there are no depthwise kernels "
                           f"for {family.name} operands requantised so; omit lowering, or use 'indirect'.")
    return "indirect", (f"{groups} groups of one channel each; no depthwise kernel for these operands: a product "
                        "through pointers for every channel")


def lower_convolution(layer: GemmLayer, build: Builder, shape: ConvShape, *, natural: tuple[str, str],
                      lowering: str | None) -> None:
    """A convolution.

    natural    (lowering, reason) of the layer's own rules
    lowering   asked for by name, or None
    """
    chosen, reason = _chosen(layer, build, shape, natural, lowering)
    if chosen == "depthwise":
        _depthwise(layer, build, shape, reason)
        return
    x, groups, depth = build.inputs[0], len(layer.w), layer.w.shape[-1]
    if chosen == "indirect":
        one = _kernel(layer, build, layer.family.igemm, reason)
        call_gathered(build, one, concatenated(build, pack_rows(layer, one, layer.w)), layer.params,
                      taps=conv_taps(shape), channels=depth, zero=layer.zero_point)
        return
    m = x.pixels if chosen == "gemm" else build.output.pixels
    one = _gemm(layer, build, reason, chosen, depth, m)
    if chosen == "gemm":
        _product(layer, build, one, source=Pointer(x.name), m=m, k=depth, a_stride=x.stride,
                 group_bytes=depth * np.dtype(x.dtype).itemsize)
        return
    matrix, k = copy_windows(build, shape, groups=groups, depth=depth, outside=layer.zero_point)
    _product(layer, build, one, source=matrix, m=m, k=k, a_stride=k, group_bytes=m * k)


def _gemm(layer: GemmLayer, build: Builder, reason: str, lowering: str, depth: int, rows: int) -> Implementation:
    """The kernel of a product; deep ones are multiplied raw where the core gains by it (K14)."""
    family, contract = layer.family, layer.family.gemm
    if family.raw and build.kernel is not None:
        contract = build.requested_contract(family.gemm, family.raw) or contract
    elif family.raw and lowering == "gemm":
        threshold = dual_issue_depth(build.backend.core)
        if threshold is not None and depth >= threshold and build.find(family.raw):
            contract = family.raw
            reason += f"; {build.backend.core} gains from the kernel of raw bytes from depth {threshold} on"
    return _kernel(layer, build, contract, reason, rows)


def _depthwise(layer: GemmLayer, build: Builder, shape: ConvShape, reason: str) -> None:
    """Each channel by itself, an output row a call."""
    family, count = layer.family, shape.kernel[0] * shape.kernel[1]
    contract = build.requested_contract(*family.dwconv.values()) or family.dwconv[count]
    found = build.find(contract) if build.kernel is not None else ()
    if found and all(each.nr != count for each in found):
        raise BackendError(f"The kernel asked for takes {found[0].nr} taps, this window has {count}.")
    one = build.choose(contract, reason, nr=count)
    packed, params = pack_channels(layer, one)
    # Neighbours share columns of taps only where those lie next to each other (P08).
    step = shape.stride[1] if shape.dilation[1] == 1 else shape.kernel[1]
    call_channelwise(build, one, build.constant("weights", packed), params, taps=conv_taps(shape),
                     channels=len(layer.w), zero=layer.zero_point, step=None if family is FLOAT32 else step)


def lower_deconvolution(layer: GemmLayer, build: Builder, taps: Taps, *, stride: tuple[int, int], splits: bool,
                        lowering: str | None) -> None:
    """A deconvolution.

    taps     of the whole deconvolution: those between pixels are OUTSIDE
    splits   can it be cut into phases? (stride above 1, dilation 1, stride no larger than the window) (X44)
    """
    phases = layer.family.width is None
    if not phases and lowering not in (None, "indirect"):
        raise BackendError(f"lowering {lowering!r} of a deconvolution is there for the newer kernels, requantization "
                           "'rndnu' or 'fp32'; those of Q31 go through pointers ('indirect').")
    if lowering not in (None, "indirect", "subconvolution"):
        raise BadArgument(f"lowering of a deconvolution must be indirect or subconvolution; got {lowering!r}.")
    if lowering == "subconvolution" and not splits:
        raise BackendError("lowering 'subconvolution' takes a stride above 1 and not beyond the window, and no "
                           "dilation; use 'indirect'.")
    where: dict[str, Any] = {"channels": layer.w.shape[-1], "zero": layer.zero_point}
    if lowering == "indirect" or not splits or not phases:
        one = _kernel(layer, build, layer.family.igemm, "through pointers; taps between pixels read the zero buffer")
        call_gathered(build, one, concatenated(build, pack_rows(layer, one, layer.w)), layer.params, taps=taps, **where)
        return
    one = _kernel(layer, build, layer.family.igemm, f"{stride[0]} x {stride[1]} phases, each a small convolution that "
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
            packed = pack_rows(layer, one, layer.w[:, :, ky][..., kx, :])
            call_phase(build, one, concatenated(build, packed, f"weights {y},{x}"), layer.params, taps=part,
                       phase=(y, x), stride=stride, output=taps.output, **where)
