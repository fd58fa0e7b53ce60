"""From sums to bytes by the instructions of the newer kernels: exactly the formula, everywhere it matters.

Nothing of the kernel is left out: the sums are biases, the weights zero. Kernels that only requantise are held to the
same in tests/quant/test_lab.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neonsim.arm.machine import Machine
from neonsim.quant.params.gemm import Fp32GemmParams, Qc8wParams, RndnuGemmParams
from neonsim.quant.rounding import fp32_lrint, rndnu
from neonsim.ukernel import kernel
from neonsim.ukernel.packing import pack_channelwise, pack_qc8w, pack_qs8, pack_qu8
from neonsim.ukernel.packing.param_blocks import block_of
from tests.tiers import every


def requantized(name: str, acc: Any, scale: float) -> tuple[Any, Any]:
    """(bytes, parameters) of sums through a kernel: weights are 0, each sum is the bias of a column or channel.

    A kernel of products walks over its columns, one of depthwise over its channels: one call for all of them.
    """
    each = kernel(name)
    assert each.tile.nr is not None
    per_channel, unsigned, n = "qc8w" in name, name.startswith("qu8"), acc.size
    make: Any = RndnuGemmParams if "rndnu" in name else Fp32GemmParams
    params: Any = Qc8wParams(0, -5) if per_channel else make.from_scale(
        scale, a_zero_point=0, w_zero_point=0, output_zero_point=-5 + 128 * unsigned,
        dtype="uint8" if unsigned else "int8")
    scales = np.full(n, scale, np.float32)
    machine = Machine(isa=each.isa)
    place, tile = machine.memory.place, each.tile
    block = place(np.frombuffer(block_of(params), np.uint8), "params")
    c = machine.memory.alloc(n, "c")
    common: dict[str, Any] = {"entry": name, "trace": False, "engine": "python", "max_steps": 1 << 30}
    if "dwconv" in name:
        packed: Any = pack_channelwise(np.zeros((tile.nr, n), np.int8), acc, scales if per_channel else None,
                                       lanes=tile.mr, a_zero_point=0)
        zero = place(np.zeros(n, np.int8), "zero", reads_before=each.header.reads_before, readonly=True)
        table = place(np.full(tile.nr, zero, "<u8" if each.isa == "aarch64" else "<u4"), "table", readonly=True)
        weights = place(packed.data, "w", readonly=True)
        machine.call(each.program(), n, 1, table, weights, c, 0, 0, 0, zero, block, **common)
    else:
        sizes: dict[str, Any] = {"nr": tile.nr, "kr": tile.kr, "sr": tile.sr, "a_zero_point": 0}
        w = np.zeros((n, 1), np.uint8 if unsigned else np.int8)
        packed = (pack_qc8w(w, acc, scales, **sizes) if per_channel else
                  pack_qu8(w, acc, w_zero_point=0, **sizes) if unsigned else pack_qs8(w, acc, **sizes))
        a = place(np.zeros(1, np.int8), "a", reads_before=each.header.reads_before, readonly=True,
                  reads_after=each.header.reads_after)
        weights = place(packed.data, "w", readonly=True)
        machine.call(each.program(), 1, n, 1, a, 1, weights, c, n, tile.nr, block, **common)
    return machine.memory.fetch("c").view(np.uint8 if unsigned else np.int8), params


SCALES = (2.0**-32, 1.7 * 2.0**-20, 0.0111111119, 0.3, 0.5, 1 - 2.0**-24, 1.0, 255.9)


def boundary(scale: float, n: int, rng: np.random.Generator) -> Any:
    """Sums next to every result and every half, at the ends of int32, and any."""
    results = np.arange(-130, 130, max(1, 1 << 12 >> (n.bit_length() - 1)))
    near = (results[:, None] + np.array([0, 0.5]))[:, :, None] / scale + np.array([-1, 0, 1])
    ends = np.array([-(2**31), -(2**31) + 1, -1, 0, 1, 2**31 - 2, 2**31 - 1, -(2**30), 2**30])
    edge = np.concatenate([np.round(near.reshape(-1)).clip(-(2**31), 2**31 - 1), ends]).astype(np.int64)
    spread = rng.uniform(-140 / scale, 140 / scale, n // 2).clip(-(2**31), 2**31 - 1).astype(np.int64)
    anything = rng.integers(-(2**31), 2**31, n - n // 2 - edge.size)
    return np.concatenate([edge, spread, anything]).astype(np.int32)


def compare(name: str, per_scale: int, scales: tuple[float, ...] = SCALES) -> None:
    rng = np.random.default_rng(1)
    dtype, zero = ("uint8", 123) if name.startswith("qu8") else ("int8", -5)
    for scale in scales:
        acc = boundary(scale, per_scale, rng)
        found, params = requantized(name, acc, scale)
        if "rndnu" in name:
            expected = rndnu(acc, params.multiplier, params.shift, zero, dtype=dtype)
        elif "tengine" in name:
            mantissa, e = (float(part) for part in np.frexp(np.float32(scale)))
            high = acc.astype(np.int64) * int(mantissa * 2**31) + 2**30 >> 31
            moved = (high << int(e)).astype(np.int32) if e >= 0 else high + 2**int(-e - 1) >> int(-e)
            expected = np.clip(moved.astype(np.int64) + zero, -128, 127).astype(np.int8)
        else:
            expected = fp32_lrint(acc, scale, zero, dtype=dtype)
        assert np.array_equal(found, expected), f"{name}, scale {scale}"


# Every way from sums to bytes: rndnu, FCVTNS, the magic number; int8 and uint8; rows of 16, 8 and 4 columns, channels.
REQUANTIZING = ("qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane", "qs8_gemm_rndnu_4x8__aarch32_neon_mlal_lane",
                "qs8_gemm_fp32_4x16__aarch64_neon_mlal_lane", "qs8_gemm_fp32_4x8__aarch32_neon_mlal_lane",
                "qs8_gemm_fp32_4x8__aarch32_neonv8_mlal_lane", "qu8_gemm_rndnu_4x16__aarch64_neon_mlal_lane",
                "qu8_gemm_rndnu_4x8__aarch32_neon_mlal_lane", "qs8_gemm_rndnu_2x8c8__aarch64_neon_mlal_padal",
                "qs8_qc8w_gemm_fp32_4x16__aarch64_neon_mlal_lane", "qs8_qc8w_gemm_fp32_4x8__aarch32_neon_mlal_lane",
                "qs8_qc8w_gemm_fp32_4x8__aarch32_neonv8_mlal_lane", "qs8_qc8w_gemm_fp32_2x8c8__aarch64_neon_mlal_padal",
                "qs8_dwconv_rndnu_16x9__aarch64_neon_mla8", "qs8_dwconv_rndnu_8x9__aarch64_neon_mul8",
                "qs8_dwconv_rndnu_8x9__aarch32_neon_mul16", "qs8_qc8w_dwconv_fp32_16x9__aarch64_neon_mul8",
                "qs8_qc8w_dwconv_fp32_8x9__aarch64_neon_mla8", "qs8_qc8w_dwconv_fp32_8x9__aarch32_neon_mla8",
                "qs8_qc8w_gemm_tengine_4x16__aarch64_neon_mlal_lane",
                "qs8_qc8w_gemm_tengine_4x8__aarch32_neon_mlal_lane",
                "qs8_qc8w_dwconv_tengine_8x9__aarch64_neon_mul16", "qs8_qc8w_dwconv_tengine_8x25__aarch32_neon_mul16")
EVERY_DAY = (*REQUANTIZING[:5], "qs8_dwconv_rndnu_8x9__aarch32_neon_mul16",
             "qs8_qc8w_dwconv_fp32_8x9__aarch64_neon_mla8")


@pytest.mark.parametrize("name", every(2, EVERY_DAY))
def test_requantization_by_instructions_is_the_formula_at_every_boundary(name: str) -> None:
    compare(name, 1024, (0.0111111119, 0.5, 255.9))


@pytest.mark.nightly
@pytest.mark.parametrize("name", REQUANTIZING)
def test_requantization_by_instructions_is_the_formula_a_million_times(name: str) -> None:
    compare(name, 1 << 17)
