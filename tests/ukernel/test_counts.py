"""What kernels are made of and what they move, counted from programs and traces, beside the figures of the libraries.

Inner loops (I01, I02, I03, I04), intensity (A08), sums in memory (A15, A16), the dual-issue loop (A28, A29, A30, A31),
depthwise (A38, A39, A40, A42) and its instructions (K28), requantisation (K38). Counted here means: from the
assembled program or from a trace.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.ukernel import Case, Outcome, Tile, build, contract_named, kernel, kernels, run_alone
from neonsim.ukernel.cases.dwconv import depthwise
from neonsim.ukernel.packing import pack_gemm

SCALAR = ("subs", "add", "cmp", "mov", "b", "sub")


def loops(name: str) -> list[Counter[str]]:
    """The instructions of each loop, by name, in the order in which the loops close."""
    program = kernel(name).program()
    found = []
    for end, closing in enumerate(program.instructions):
        if closing.is_branch and closing.target is not None and closing.target <= end:
            body = program.instructions[closing.target:end + 1]
            found.append(Counter("b" if i.is_branch else re.split(r"[.\s]", str(i).lower())[0] for i in body))
    return found


def vector(loop: Counter[str]) -> int:
    return sum(count for word, count in loop.items() if word not in SCALAR)


# kernel: (products of one pass through the inner loop, vector instructions, multiply-class ones, bytes loaded)
INNER = {
    "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane": (256, 88, 64, 96),          # (I01, A21)
    "qu8_conv_q31_4x8__aarch32_neon_mlal_lane": (256, 88, 64, 96),          # (K26): the loop of the product
    "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane": (512, 160, 128, 128),       # (I02)
    "qu8_conv_q31_8x8__aarch64_neon_mlal_lane": (512, 160, 128, 128),
    "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal": (256, 84, 32, 96),   # (I03, A28)
    "u8_gemm_packed_s32_12x4__aarch32_neon_cells": (96, 32, 24, 32),        # (I04, A22, Y03)
    "u8_gemm_packed_s32_12x8__aarch64_neon_cells": (192, 57, 48, 40),       # LDP loads two registers
    "qu8_gemm_q31_6x4__aarch32_neon_mlal_lane": (192, 68, 48, 80),
    "qu8_gemm_q31_1x8__aarch32_neon_mlal_lane": (64, 34, 16, 72),
}
PER_INSTRUCTION = {"qu8_gemm_q31_4x8__aarch32_neon_mlal_lane": 2.91, "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane": 3.20,
                   "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal": 3.05,
                   "u8_gemm_packed_s32_12x4__aarch32_neon_cells": 3.00}
MULTIPLY = ("vmlal", "smlal", "smlal2", "vmull", "umlal", "umlal2")


@pytest.mark.parametrize("name", INNER)
def test_inner_loops(name: str) -> None:
    _, instructions, multiplies, loaded = INNER[name]
    loop = loops(name)[0]
    assert vector(loop) == instructions
    assert sum(loop[word] for word in MULTIPLY) == multiplies
    program = kernel(name).program()
    end = next(i for i, ins in enumerate(program.instructions)
               if ins.is_branch and ins.target is not None and ins.target <= i)
    body = program.instructions[program.instructions[end].target:end]
    assert sum(ins.transfer_bytes for ins in body if ins.memory == "load") == loaded


def test_products_per_instruction_are_the_published_ones() -> None:
    assert {name: round(INNER[name][0] / INNER[name][1], 2) for name in PER_INSTRUCTION} == PER_INSTRUCTION


@pytest.mark.parametrize(("name", "intensity"), [
    ("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", 32 / 12), ("qu8_gemm_q31_8x8__aarch64_neon_mlal_lane", 4.0),
    ("u8_gemm_packed_s32_12x4__aarch32_neon_cells", 3.0), ("qu8_gemm_q31_6x4__aarch32_neon_mlal_lane", 2.4),
    ("qu8_gemm_q31_1x8__aarch32_neon_mlal_lane", 8 / 9)])
def test_intensity_is_mr_nr_over_mr_plus_nr(name: str, intensity: float) -> None:
    products, _, _, loaded = INNER[name]
    assert products / loaded == pytest.approx(intensity)
    tile = kernel(name).tile
    assert tile.nr is not None
    assert tile.mr * tile.nr / (tile.mr + tile.nr) == pytest.approx(intensity)


def test_a_dot_product_loads_twice_for_every_product() -> None:
    # (A07): 1x1 has two loads for one product.
    for name in ("qu8_gemm_q31_1x1__aarch64_madd", "qu8_gemm_q31_1x1__aarch32_mla"):
        loop = loops(name)[0]
        assert (loop["ldrb"], loop["madd"] + loop["mla"]) == (2, 1)


def test_the_dual_issue_loop() -> None:
    # (A28, A29, A30): 32 multiplies, 32 pairwise adds, 12 rotations, 8 loads; two thirds of 84 is 56 cycles at 3 in 2.
    loop = loops("qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal")[0]
    assert (loop["vmull"], loop["vpadal"], loop["vext"], loop["vld1"]) == (32, 32, 12, 8)
    assert vector(loop) * 2 // 3 == 56


# ---- requantisation

# Vector instructions per 16 values, loads and stores apart: the libraries' own annotations (K38).
PER_SIXTEEN = {("precise", "aarch32"): 46, ("precise", "aarch64"): 42, ("fp32", "aarch32"): 30, ("fp32", "aarch64"): 22,
               ("q31", "aarch32"): 26, ("q31", "aarch64"): 26, ("rndnu", "aarch32"): 22, ("rndnu", "aarch64"): 22,
               # Not annotated there; ours.
               ("gemmlowp", "aarch32"): 30, ("gemmlowp", "aarch64"): 30}


@pytest.mark.parametrize(("scheme", "isa"), PER_SIXTEEN)
def test_requantization_takes_as_many_instructions_as_the_libraries_say(scheme: str, isa: str) -> None:
    loop = loops(f"qu8_requantize_{scheme}_16x__{isa}_neon")[0]
    memory = sum(loop[word] for word in ("ld1", "vld1", "str", "vst1"))
    assert vector(loop) - memory == PER_SIXTEEN[scheme, isa]


# ---- depthwise

def dw_case(contract: str, tile: str, channels: int, width: int, step: int) -> Case:
    parsed = Tile.parse(tile)
    assert parsed is not None
    return depthwise(contract_named(contract), parsed, "uniform", channels, width, step, 0,
                     np.random.default_rng(channels))


def traced(name: str, case: Case) -> Outcome:
    each = kernel(name)
    return run_alone(each.program(), name, case, reads_before=each.header.reads_before, trace=True)


def moved(outcome: Outcome, *regions: str, store: bool) -> int:
    """Accesses of these regions."""
    trace: Any = outcome.result.trace
    spans = [(b.address, b.address + b.nbytes) for b in trace.buffers if b.name in regions]
    return sum(any(low <= int(at) < high for low, high in spans)
               for at, stored in zip(trace.access_address, trace.access_store, strict=True) if bool(stored) is store)


@pytest.mark.parametrize(("isa", "one", "classic"), [
    ("aarch32", "qu8_dwconv_q31_8x9__aarch32_neon_mlal", "qu8_dwconv_mp_q31_8x9__aarch32_neon_tap_by_tap"),
    ("aarch64", "qu8_dwconv_q31_8x9__aarch64_neon_mlal_3pixels", "qu8_dwconv_mp_q31_8x9__aarch64_neon_tap_by_tap")])
def test_sums_travel_nine_times_the_classic_way_and_not_at_all_in_one_pass(isa: str, one: str, classic: str) -> None:
    # (A38): the row of outputs is updated nine times by nine passes, once by one.
    case = dw_case("qu8_dwconv_mp_q31", "8x9", 16, 1, 3)
    outcome = traced(classic, case)
    blocks = 2
    assert moved(outcome, "buffer", store=True) == 9 * blocks
    assert moved(outcome, "buffer", store=False) == 9 * blocks
    fused = traced(one, dw_case("qu8_dwconv_q31", "8x9", 16, 1, 3))
    assert moved(fused, "buffer", "output", store=True) == blocks
    assert moved(fused, "output", store=False) == 0


def test_multi_pass_keeps_sums_twice() -> None:
    for isa in ("aarch32", "aarch64"):
        outcome = traced(f"qu8_dwconv_mp_q31_8x25__{isa}_neon_mlal", dw_case("qu8_dwconv_mp_q31", "8x25", 8, 1, 5))
        assert (moved(outcome, "buffer", store=True), moved(outcome, "buffer", store=False)) == (2, 2)


THREE = "qu8_dwconv_q31_8x9__aarch64_neon_mlal_3pixels"


@pytest.mark.parametrize(("width", "step", "loads"), [
    (3, 3, 15), (1, 3, 9), (2, 3, 18), (4, 3, 15 + 9), (5, 3, 15 + 18), (7, 3, 30 + 9),    # 1 and 2 pixels left over
    (3, 6, 27), (3, 9, 27), (5, 6, 45)])                                                   # no neighbours: the guard
def test_loads_per_output(width: int, step: int, loads: int) -> None:
    # (A42): three neighbouring pixels take 15 rows, 5 loads for each output instead of 9, only with stride 1.
    outcome = traced(THREE, dw_case("qu8_dwconv_q31", "8x9", 8, width, step))
    assert not outcome.wrong()
    assert moved(outcome, "image", "zero_row", store=False) == loads


def test_three_pixels_take_54_multiplies_and_24_loads() -> None:
    loop = loops(THREE)[0]
    assert loop["smlal"] + loop["smlal2"] == 54
    assert loop["ld1"] == 15 + 9 + 1    # rows, weights, biases


def test_one_pass_takes_the_instructions_of_k28() -> None:
    loop = loops("qu8_dwconv_q31_8x9__aarch32_neon_mlal")[0]
    assert (loop["vld1"], loop["vmovl"], loop["vsubl"], loop["vmlal"]) == (9 + 9 + 1, 9, 9, 18)


def test_ten_pointers_fit_fourteen_registers_where_eighteen_would_not() -> None:
    # (A39, A40): with weights packed in the order of their use one pointer serves all nine rows of them.
    each = kernel("qu8_dwconv_q31_8x9__aarch32_neon_mlal")
    names = {u.register for i in each.program().instructions for u in (*i.reads, *i.writes)
             if re.fullmatch(r"r\d+", u.register)}
    general = names - {"r13", "r15"}
    assert general == {f"r{i}" for i in (*range(13), 14)}
    pointers = {p for line in each.header.registers for name, places in line.values.items() for p in places
                if name.startswith(("pi", "pw"))}
    assert len(pointers) == 10
    assert 9 + 9 + 4 > 14   # nine and nine, the table, the output and two counters


# ---- sums in memory

@pytest.mark.parametrize("isa", ["aarch32", "aarch64"])
def test_blocks_of_the_depth_move_all_sums_and_give_the_same_bytes(isa: str) -> None:
    # (A15, A16): 8 bytes per sum for every block after the first; requantised afterwards, the fused kernel's bytes.
    blocked = next(k for k in kernels(contract="qu8_gemm_s32", isa=isa))
    fused = next(k for k in kernels(contract="qu8_gemm_q31", isa=isa) if k.tile == blocked.tile)
    second = kernel(f"qu8_requantize_q31_16x__{isa}_neon")
    mr, nr, k, block = blocked.tile.mr, 8, 24, 8
    rng = np.random.default_rng(15)
    a, w = rng.integers(0, 256, (mr, k), np.uint8), rng.integers(0, 256, (nr, k), np.uint8)
    bias = rng.integers(-5000, 5000, nr).astype(np.int32)
    params = Q31Params.from_scale(0.0007, a_zero_point=101, w_zero_point=133, output_zero_point=120)
    zeros = {"a_zero_point": params.a_zero_point, "w_zero_point": params.w_zero_point}
    limits = {"reads_before": 7}

    sums, traffic = np.zeros((mr, nr), np.int32), []
    for first in range(0, k, block):
        packed = pack_gemm(w[:, first:first + block], bias if first == 0 else 0 * bias, nr=8, **zeros)
        case = build(blocked.contract, "block", mr=mr, nr=nr, kc=block, a=a[:, first:first + block], a_stride=block,
                     w=packed, c=sums, c_stride=4 * nr, accumulate=int(first > 0), params=params)
        outcome = run_alone(blocked.program(), blocked.name, case, trace=True, **limits)
        assert not outcome.wrong()
        sums = outcome.memory["c"].view(np.int32).reshape(mr, nr)
        trace: Any = outcome.result.trace
        span = next((b.address, b.address + b.nbytes) for b in trace.buffers if b.name == "c")
        traffic.append(sum(int(n) for at, n in zip(trace.access_address, trace.access_bytes, strict=True)
                           if span[0] <= int(at) < span[1]))
    assert traffic == [4 * mr * nr, 8 * mr * nr, 8 * mr * nr]

    case = build(second.contract, "second pass", n=sums.size, x=sums.reshape(-1), params=params)
    two_passes = run_alone(second.program(), second.name, case).memory["y"].reshape(mr, nr)
    whole = build(fused.contract, "fused", mr=mr, nr=nr, kc=k, a=a, a_stride=k, w=pack_gemm(w, bias, nr=8, **zeros),
                  c_stride=nr, params=params)
    at_once = run_alone(fused.program(), fused.name, whole, trace=True, **limits)
    assert np.array_equal(at_once.memory["c"].reshape(mr, nr), two_passes)
    assert moved(at_once, "c", store=True) == mr


def test_row_sums_correct_raw_products() -> None:
    # (A31): sum (a - za)(b - zb) = sum ab - zb sum a - za sum b + K za zb, by the kernels that compute the parts.
    sums = contract_named("qu8_sumrows")
    rng = np.random.default_rng(31)
    a, b = rng.integers(0, 256, (4, 20), np.uint8), rng.integers(0, 256, 20, np.uint8)
    za, zb, k = 77, 130, 20
    case = build(sums, "rows", m=4, k=k, stride=k, a=a, multiplier=-zb)
    rows = [run_alone(each.program(), each.name, case, reads_before=7).memory["sums"].view(np.int32)
            for each in kernels(contract="qu8_sumrows")]
    assert np.array_equal(rows[0], rows[1])
    exact = (a.astype(int) - za) @ (b.astype(int) - zb)
    assert np.array_equal(a.astype(int) @ b + rows[0] - za * int(b.sum()) + k * za * zb, exact)
