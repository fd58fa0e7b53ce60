"""The axes of the libraries' own test generators, by their names, in the cases of every contract.

Source: (T02, T03, T04, T05, T06, T07, T11, T12, T13).

An axis is looked for in the names of the cases, the ids of what a kernel goes through; sizes are read from them.
The quick cases of every day have every axis; the full ones every residue of rows, columns, depth and channels too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import pytest

from neonsim.ukernel import Kernel, Tile, cases, contracts, kernels

# Contracts, by what a pattern finds in their names -> axis: pattern in the names of cases. {MR}, {NR} are the tile's.
AXES: dict[str, dict[str, str]] = {
    # (T11)
    r"q[su]8_(qc8w_)?i?gemm_(rndnu|fp32|tengine)$|qd8_f32_qc8w_i?gemm": {
        "k_eq": r"^k_eq_8_", "k_lt": r"^k_lt_", "k_gt": r"^k_gt_", "k_div": r"^k_div_", "n_gt": r"_n_gt_",
        "n_div": r"_n_div_",
        "subtile_m": r"_m1_n{NR}_", "subtile_n": r"_m{MR}_n1_", "strided_cm": r"_strided_cm\d",
        "strided_cn": r"_strided_cn\d"},
    r"q[su]8_(qc8w_)?i?gemm_(rndnu|fp32|tengine)$": {
        "qmin": "_qmin", "qmax": "_qmax", "clamped": "_clamped_", "no_a_zp": "_azp0_.*_no_a_zp", "ties": "_ties_",
        "near_ties": "_near_ties_", "extremes": "_extremes_", "ends": "_ends_", "pairs": "_pairs_",
        "saturating": "_saturating_"},
    r"qs8_i?gemm_s32$": {
        "k_eq": r"^k_eq_8_", "k_lt": r"^k_lt_", "k_gt": r"^k_gt_", "k_div": r"^k_div_", "n_gt": r"_n_gt_",
        "n_div": r"_n_div_", "subtile_m": r"_m1_n{NR}_", "subtile_n": r"_m{MR}_n1_", "strided_cm": r"_strided_cm\d",
        "strided_cn": r"_strided_cn\d", "pairs": "_pairs_", "ends": "_ends_", "extremes": "_extremes_"},
    r"qs8_gemm_s32$": {"strided_a": r"_strided_a\d"},
    r"qu8_i?gemm_(rndnu|fp32)$": {"no_b_zp": "_bzp0_.*_no_b_zp", "no_zp": "_azp0_bzp0_.*_no_zp"},
    r"(qs8|qu8)_(qc8w_)?gemm_(rndnu|fp32|tengine)$": {"strided_a": r"_strided_a\d"},
    r"igemm": {"small_kernel": "_small_kernel_ks9", "a_offset": r"_a_offset(83|84|163|164)", "no_offset": "_a_offset0",
               "zero_first": "_zero_index0_", "zero_last": "_zero_index{LAST}_"},
    r"qd8": {"clamped": "_clamped_", "pairs": "_pairs_", "ends": "_ends_"},
    # (T02, T03)
    r"qu8_(gemm|conv).*q31|qu8_gemm_s32": {
        "k_eq": r"^k_eq_8", "k_lt": r"^k_lt_8", "k_gt": r"^k_gt_8", "k_div": r"^k_div_8", "azp": r"_azp\d",
        "bzp": r"_bzp\d",
        "azp0": "_azp0_", "bzp0": "_bzp0_", "no_zp": "_azp0_bzp0_", "ties": "ties", "saturating": "saturating"},
    # Of our own: products wider than bytes.
    r"gemm_s64$|^s8_gemm_s32$": {
        "k_1": "^k1_", "k_eq_4": "^k4_", "k_lt_4": "^k3_", "k_div_4": "^k16_", "k_gt_8": "^k9_", "m_1": "_m1_",
        "m_last": "_m{LAST}_", "m_full": "_m{MR}_", "n_1": "_n1_", "n_full": "_n{NR}_", "strided_a": "_strided_a",
        "strided_c": r"_c\d+$", "ends": "_ends_", "clamped": "_clamped_", "wrapping": "_wrapping_",
        "halves": "_halves_", "ties": "_ties_", "near_ties": "_near_ties_"},
    r"^qs16_qc8w_gemm_s64$": {"stretch_eq": "^k256_", "stretch_gt": "^k260_"},
    r"qu8_(gemm|conv).*q31": {"qmin": "_output_min", "qmax": "_output_max"},
    # (T12)
    r"qs8_dwconv_s32$": {
        "c_eq": r"^c_eq_{MR}_", "c_div": "^c_div_", "c_lt": "^c_lt_", "c_gt": "^c_gt_", "multipixel": r"_width[234]_",
        "multipixel_with_step": r"_width[234]_step(6|9|10|25)_", "single_pixel": "_width1_",
        "output_stride": r"_output_stride\d", "pairs": "_pairs_", "extremes": "_extremes_",
        "input_offset": r"_input_offset(83|163)", "no_offset": "_input_offset0", "zero": "_zero$"},
    r"qs8_(qc8w_)?dwconv_(rndnu|fp32|tengine)|qu8_dwconv_fp32": {
        "c_eq": r"^c_eq_{MR}_", "c_div": "^c_div_", "c_lt": "^c_lt_", "c_gt": "^c_gt_", "multipixel": r"_width[234]_",
        "multipixel_with_step": r"_width[234]_step(6|9|10|25)_", "single_pixel": "_width1_",
        "output_stride": r"_output_stride\d",
        "qmin": "_qmin", "qmax": "_qmax", "zp_low": "_izp(-128|0)_.*_zp$", "zp_none": "_izp(0|128)_.*_zp$",
        "zp_high": "_izp(127|255)_.*_zp$",
        "input_offset": r"_input_offset(83|163)", "no_offset": "_input_offset0", "zero": "_zero$", "ties": "_ties_"},
    # (T04)
    r"qu8_dwconv.*q31": {"c_eq": "^c_eq_8", "c_div": "^c_div_", "c_lt": "^c_lt_", "c_gt": "^c_gt_",
                    "multipixel": r"_width[2345]_",
                    "izp0": "_izp0_", "kzp0": "_kzp0_", "output_stride": r"_output_stride\d", "qmin": "_output_min",
                    "qmax": "_output_max", "subsampling": r"_step(6|10)_"},
    # (T13)
    r"qs8_vadd(?!_quotient)|q[su]8_v(sub|mul)": {
        "batch_eq": "batch_eq_", "batch_div": "batch_div_", "batch_lt": "batch_lt_", "batch_gt": "batch_gt_",
        "not_in_place": "_in_place_no", "in_place_a": "_in_place_a_", "azp": r"_azp-?\d", "bzp": r"_bzp-?\d",
        "yzp": r"_yzp-?\d",
        "qmin": r"_qmin(0|100|128|-28)_", "qmax": r"_qmax(150|22|50)$", "halves": "_halves_", "ends": "_ends_"},
    r"(qs8_vadd|q[su]8_v(sub|mul))(_rndnu|_fp32)?$": {"in_place_b": "_in_place_b_",
                                                      "in_place_both": "_in_place_ab_"},
    r"qs8_v(cvt|lrelu)": {"batch_eq": "batch_eq_", "batch_div": "batch_div_", "batch_lt": "batch_lt_",
                          "batch_gt": "batch_gt_",
                          "in_place": "_in_place_yes", "not_in_place": "_in_place_no", "xzp": r"_xzp-?\d",
                          "yzp": r"_yzp-?\d"},
    # (T06)
    r"qu8_vadd$": {"n_1": "^n1_", "many": r"^n(2\d|3\d|\d\d\d)_", "not_in_place": "_in_place_no_",
                   "in_place_a": "_in_place_a_",
                   "in_place_b": "_in_place_b_", "in_place_both": "_in_place_ab_", "azp": r"_azp\d", "bzp": r"_bzp\d",
                   "qmin": r"_qmin[1-9]", "qmax": r"_qmax(?!255)", "scales": r"_shift\d+_multipliers"},
    # (T05)
    r"^q.*gavgpool": {"m": r"^m\d", "n": r"_n\d", "x_stride": r"_strided_x\d", "zp": r"_zp-?\d",
                      "qmin_qmax": "_clamped_", "halves_or_ends": "halves|ends", "saturating": "_saturating_"},
    r"^q.*_avgpool(?!_quotient)": {"n": r"^n\d", "taps": r"_ks\d", "c": r"_kc\d", "zp": r"_zp-?\d", "step": r"_step\d",
                      "y_stride": r"_y_stride\d",
                      "qmin_qmax": "_clamped_", "ties": "_halves_"},
    r"[us]8_maxpool": {"n": r"^n\d", "taps": r"_ks\d", "c": r"_kc\d", "qmin": r"_qmin[^_]+", "qmax": r"_qmax",
                 "step": r"_step\d",
                 "ends": "_ends_", "clamped": "_clamped_"},
    # (T07)
    r"^q[us]8_softmax$": {"in_place": "_in_place$", "steep": "_steep", "flat": "_flat", "vanishing": "_vanishing",
                   "one": "^n1_", "ties": "^n512_alike", "near_ties": "_nearly_half"},
    r"8_clamp$": {"in_place": "_in_place$", "min": "_min", "max": "_max", "long": r"^n1\d\d"},
    r"_winograd_": {"one": "^count1_", "tail": "^count5_", "ends": "_ends_", "units": "_units_",
                    "cancelling": "_cancelling_"},
    r"s16_gemm_s32": {"one_deep": "^k1_", "tail": "^k5_", "full": "_m{MR}_n8_", "ends": "_ends$"},
    # Of ncnn's arithmetic: what its rounding and its one rounding of product and sum depend on.
    r"f32_qs8_quantize$": {"batch_eq": "batch_eq_", "batch_div": "batch_div_", "batch_lt": "batch_lt_",
                           "batch_gt": "batch_gt_", "ties": "_halves_", "near_ties": "_near_halves_", "tiny": "_tiny_",
                           "saturating": "_beyond_", "nan": "_special_", "scales": r"_steps1(e-|\.27)"},
    r"s32_(f32_de|qs8_re)quantize$": {
        "c_eq": "^c_eq_", "c_div": "^c_div_", "c_lt": "^c_lt_", "c_gt": "^c_gt_", "rows": r"_rows[234]_",
        "strided_x": r"_strided_x\d", "strided_y": r"_strided_y\d", "ties": "_halves_", "extremes": "_extremes_",
        "rounded_sums": "_beyond_", "clamped": "_clamped_", "relu": "_relu_", "fused": "_cancelled_"},
    r"qu8_requantize": {"ties": "_halves_", "near": "_near", "whole_range": "_whole_range_",
                        "extremes": "_extremes_", "zp0": "_zp0_",
                        "zp255": "_zp255_", "tiny_scale": "scale.*e-"},
    # float32: the same, without zero points; data on which another order of operations shows
    r"^f32_(i?gemm|dwconv|vadd|clamp|vmulcaddc|(max|avg|gavg)pool)$": {
        "uniform": "_uniform", "spread": "_spread", "zeros": "_zeros", "cancelling": "_cancelling",
        "limits": r"_min-0\.\d+_max-?0\.\d+", "no_limits": "_min-inf_maxinf", "limit_of_zero": r"_min0_|_max0(_|$)"},
    r"^f32_i?gemm": {
        "k_eq": "^k_eq_2_", "k_lt": "^k_lt_1_", "k_gt": "^k_gt_", "k_div": "^k_div_", "n_gt": "_n_gt_",
        "n_div": "_n_div_", "subtile_m": "_m1_n{NR}_", "subtile_n": "_m{MR}_n1_", "strided_cm": r"_strided_cm\d",
        "strided_cn": r"_strided_cn(44|60)_"},
    r"^f32_gemm": {"strided_a": r"_strided_a\d"},
    r"^f32_dwconv": {
        "c_eq": "^c_eq_{MR}_", "c_div": "^c_div_", "c_lt": "^c_lt_", "c_gt": "^c_gt_", "multipixel": "_width[23]_",
        "multipixel_with_step": "_width[23]_step(6|9)_", "single_pixel": "_width1_",
        "output_stride": r"_output_stride\d", "input_offset": "_input_offset(84|164)", "no_offset": "_input_offset0",
        "zero": "_zero$"},
    r"^f32_vmulcaddc": {"one_row": "^m1_", "rows": "^m3_", "n": r"_n\d", "x_stride": r"_strided_x\d",
                        "y_stride": r"_strided_y\d"},
    r"^f32_vlrelu": {"uniform": "_uniform", "zeros": "_zeros", "slope_up": "_slope3$", "slope_down": r"_slope0\.1$",
                     "negative_slope": r"_slope-0\.25$"},
    r"^f32_(vadd|clamp|vlrelu)": {
        "batch_eq": "^batch_eq_", "batch_div": "^batch_div_", "batch_lt": "^batch_lt_", "batch_gt": "^batch_gt_",
        "not_in_place": "_in_place_no", "in_place": "_in_place_[ax]_", "edges": "_edges_"},
    r"^f32_vadd": {"in_place_b": "_in_place_b_", "in_place_both": "_in_place_ab_"},
    r"^f32_(max|avg)pool": {"n": "^n[123]_", "one_tap": "_ks1_", "taps": "_ks9_", "c": r"_kc\d", "step": r"_step\d",
                           "y_stride": r"_y_stride\d"},
    r"^f32_maxpool": {"edges": "_edges_"},
    # Between real numbers and integers: halves and what is next to them, what has no integer, what is cut off.
    r"^((f32_x8|x8_f32|qs16_f32)_vcvt|(f32_qs|qs8_vadd|qs8_clamp).*_quotient|f32_softmax)$": {
        "batch_eq": "^batch_eq_", "batch_div": "^batch_div_", "batch_lt": "^batch_lt_", "batch_gt": "^batch_gt_"},
    r"^f32_(x8_vcvt|qs(8|16)_quotient)$": {"ties": "_halves_", "near_ties": "_near_halves_", "saturating": "_beyond_",
                                           "nan": "_special_", "scales": r"_scale(0\.1|1e|9\.09)"},
    r"^f32_x8_vcvt": {"signed": "_int8_zero-128", "unsigned": "_uint8_zero0", "zp255": "_zero255",
                       "zp": "_int8_zero3"},
    r"^x8_f32_vcvt": {"signed": "_int8_zero-128", "unsigned": "_uint8_zero0", "zp255": "_zero255",
                       "ends": "_extremes_"},
    r"^qs16_f32_vcvt": {"zp0": "_zero0_", "zp": "_zero77_", "zp_least": "_zero-32768_", "ends": "_extremes_"},
    r"^s32_qs8_quotient": {
        "c_eq": "^c_eq_", "c_div": "^c_div_", "c_lt": "^c_lt_", "c_gt": "^c_gt_", "rows": r"_rows[234]_",
        "strided_x": r"_strided_x\d", "strided_y": r"_strided_y\d", "ties": "_halves_", "extremes": "_extremes_",
        "rounded_sums": "_beyond_", "clamped": "_clamped_"},
    r"^qs8_(vadd|clamp)_quotient": {"ties": "_halves_", "ends": "_extremes_", "clamped": "_clamped_",
                                    "not_in_place": "_in_place_no", "in_place": "_in_place_[ax]"},
    r"^qs8_vadd_quotient": {"in_place_b": "_in_place_b$", "in_place_both": "_in_place_ab"},
    r"^qs8_clamp_quotient": {"relu": "_relu$", "relu6": "_relu6", "no_activation": "_open"},
    r"^qs8_avgpool_quotient": {"n": "^n[123]_", "one_tap": "_ks1_", "taps": "_ks9_", "image": "_ks49_", "c": r"_kc\d",
                               "step": r"_step\d", "y_stride": r"_y_stride\d", "ties": "_halves_"},
    r"^f32_softmax": {"spread": "_spread_", "alike": "_alike_", "below": "_below_", "nan": "_edges_",
                      "beta": "_beta0.5", "not_in_place": "_in_place_no", "in_place": "_in_place_x"},
    r"^f32_gavgpool": {"one_row": "^m1_", "rows": "^m9_", "n": r"_n\d", "x_stride": r"_strided_x\d"},
}
# Kernels for contrast and for bytes moved: their sizes are all there is.
PLAIN = r"^(qu8_sumrows|u8_gemm_packed_s32|u8_lut32norm|u8_rmax|x8_lut|x8_zip_x[234m])$"


@cache
def names(contract: str, tile: str) -> tuple[str, ...]:
    return tuple(case.name for case in cases(contract, tile))


def missing(contract: str, tile: Tile, found: Sequence[str]) -> list[str]:
    """Axes of a contract that none of these names shows."""
    sizes = {"{MR}": str(tile.mr), "{NR}": str(tile.nr), "{LAST}": str(tile.mr - 1)}
    lost = []
    for which, axes in AXES.items():
        if re.search(which, contract):
            for axis, pattern in axes.items():
                for word, size in sizes.items():
                    pattern = pattern.replace(word, size)
                if not any(re.search(pattern, name) for name in found):
                    lost.append(axis)
    return lost


def test_every_contract_has_axes() -> None:
    for contract in contracts():
        assert re.search(PLAIN, contract.name) or any(re.search(which, contract.name) for which in AXES), contract.name


# One kernel of each contract and tile: others go through the same cases.
DIFFERENT = list({(k.contract.name, str(k.tile)): k for k in kernels()}.values())


@pytest.mark.parametrize("each", [
    pytest.param(k, marks=pytest.mark.nightly) if at % 26 else k for at, k in enumerate(DIFFERENT)], ids=str)
def test_every_axis_of_the_generators_is_met(each: Kernel) -> None:
    lost = missing(each.contract.name, each.tile, names(each.contract.name, str(each.tile)))
    assert not lost, f"no case of {each.contract.name} {each.tile} is named after {', '.join(lost)}"


@pytest.mark.parametrize("each", [k for k in DIFFERENT if re.search("gemm_(rndnu|fp32)", k.contract.name)][:1], ids=str)
def test_every_row_and_column_count_is_met_by_name(each: Kernel) -> None:
    found, tile = names(each.contract.name, str(each.tile)), each.tile
    assert {int(m[1]) for name in found if (m := re.search(r"_m(\d+)_", name))} == set(range(1, tile.mr + 1))
    columns = {int(m[1]) for name in found if (m := re.search(r"_n(?:_gt_|_div_)?(\d+)_", name))}
    assert tile.nr and columns >= {*range(1, tile.nr + 2), 2 * tile.nr - 1, 2 * tile.nr, 2 * tile.nr + 3, 3 * tile.nr}


def test_zero_points_51_apart_and_at_the_ends() -> None:
    for contract, low in (("qs8_vadd", -128), ("qu8_vmul_fp32", 0)):
        found = {int(z) for name in names(contract, "32x") for z in re.findall(r"_[ab]zp(-?\d+)", name)}
        assert found >= {low, low + 51, low + 102, low + 128, low + 153, low + 204, low + 255}


@pytest.mark.nightly
@pytest.mark.parametrize("contract", ["qs8_gemm_rndnu", "qs8_qc8w_igemm_fp32", "qs8_dwconv_rndnu"])
def test_the_full_sweep_has_all_residues(contract: str) -> None:
    each = next(iter(kernels(contract, "aarch64")))
    found = {case.name for case in cases(contract, str(each.tile), size="full")}
    if "dwconv" in contract:
        channels = {int(m[1]) for name in found if (m := re.search(r"^c_[a-z]+_(\d+)_", name))}
        assert channels >= set(range(1, 3 * each.tile.mr + 2))
        return
    depths = {int(m[1]) for name in found if (m := re.search(r"^k_[a-z]+_(\d+)_", name))}
    assert depths >= {*range(1, 41), 64, 257}
    assert each.tile.nr is not None
    for residue in range(8):
        # Every residue of the depth meets every count of rows and of columns.
        mine = [name for name in found if (m := re.search(r"^k_[a-z]+_(\d+)_", name)) and int(m[1]) % 8 == residue]
        rows = {int(m[1]) for name in mine if (m := re.search(r"_m(\d+)_", name))}
        assert rows == set(range(1, each.tile.mr + 1))


def test_a_lost_axis_is_noticed() -> None:
    tile = Tile.parse("4x16c4")
    assert tile is not None
    found = [name for name in names("qs8_gemm_rndnu", "4x16c4") if "_qmax" not in name and "_n_gt_" not in name]
    assert missing("qs8_gemm_rndnu", tile, found) == ["n_gt", "qmax"]
