"""Contracts: order of arguments, places by the procedure call standard, and definitions against plain loops."""

from __future__ import annotations

import re

import numpy as np
import pytest

from neonsim.errors import KernelFileError
from neonsim.quant import Q31Params
from neonsim.quant.params.elementwise import ClampParams
from neonsim.ukernel import kernels
from neonsim.ukernel.contract import Contract, Family, In, Out, Params, Size
from neonsim.ukernel.contracts import contract_named, contracts
from neonsim.ukernel.packing import pack_gemm, pack_gemm_xzp


def test_abi_order_of_the_default_gemm() -> None:
    names = [a.name for a in contract_named("qu8_gemm_q31").arguments]
    assert names == ["mr", "nr", "kc", "a", "a_stride", "w", "c", "c_stride", "params"]


def test_abi_order_with_row_sums() -> None:
    names = [a.name for a in contract_named("qu8_gemm_xzp_q31").arguments]
    assert names == ["mr", "nr", "kc", "a", "a_stride", "a_sum", "w", "c", "c_stride", "params"]


def test_a_stride_may_stand_elsewhere_than_behind_its_array() -> None:
    names = [a.name for a in contract_named("qu8_sumrows").arguments]
    assert names == ["a", "m", "k", "stride", "multiplier", "sums"]


def test_places_aarch32() -> None:
    places = contract_named("qu8_gemm_q31").places("aarch32")
    assert list(places.values()) == ["r0", "r1", "r2", "r3", "[sp]", "[sp, #4]", "[sp, #8]", "[sp, #12]", "[sp, #16]"]


def test_places_aarch64() -> None:
    places = contract_named("qu8_gemm_xzp_q31").places("aarch64")
    assert list(places.values()) == [*(f"x{i}" for i in range(8)), "[sp]", "[sp, #8]"]
    assert contract_named("qu8_sumrows").places("aarch64")["multiplier"] == "w4"


def test_places_of_an_unknown_isa() -> None:
    with pytest.raises(KernelFileError, match="aarch32 or aarch64"):
        contract_named("qu8_sumrows").places("arm64")


def test_prototype_is_c() -> None:
    assert contract_named("qu8_sumrows").prototype("f") == (
        "void f(const uint8_t *a, size_t m, size_t k, size_t stride, int32_t multiplier, int32_t *sums);")


@pytest.mark.parametrize("each", contracts(), ids=lambda c: c.name)
def test_every_contract_has_a_page_naming_every_argument(each: Contract) -> None:
    parts = each.doc.split("\n\n")
    assert re.fullmatch(r"[A-Z].*\.", parts[0]) and "{" not in each.doc
    table = next(part for part in parts if re.search(r"^[\w, ]+ +(size|pointers|\w+ \[)", part, re.M))
    for argument in each.arguments:
        assert re.search(rf"\b{argument.name}\b", table), argument.name
    assert parts[-1].replace("\n", " ").endswith("efinition of our own.")


def test_unknown_contract_suggests() -> None:
    with pytest.raises(KernelFileError, match="qu8_gemm_q31"):
        contract_named("qu8_gem_q31")


def test_a_row_is_a_contract() -> None:
    """Its page, prototype and definition follow from the family's arguments and what the row says."""
    family = Family("unary", n=Size(">= 1"), x=In("{t}", "n"), y=Out("{t}", "n", "may be x"), params=Params())
    made = family.row("qs8_vneg", lambda x, params: params.clamp(-x), t="int8", params=ClampParams,
                      says="Negate bytes.", formula="y[i] <- clamp(-x[i])", notes="-128 stays.")
    assert family.contracts == [made] and made.signature == "unary"
    assert made.prototype() == ("void qs8_vneg(size_t n, const int8_t *x, int8_t *y, "
                                "const struct neonsim_clamp_params *params);")
    assert made.doc.splitlines() == [
        "Negate bytes.", "", "y[i] <- clamp(-x[i])", "", "n        size       >= 1", "x        int8 [n]",
        "y        int8 [n]   written; may be x", "params   ClampParams", "", "-128 stays. Definition of our own."]
    y = np.zeros(3, np.int8)
    made(3, np.array([1, -2, 100], np.int8), y, ClampParams(-5, 6, "int8"))
    assert y.tolist() == [-1, 2, -5]


def test_a_family_but_for_some_arguments() -> None:
    family = Family("unary", n=Size(">= 1"), x=In("int8", "n"), y=Out("int8", "n"), params=Params())
    other = family.but("binary", before="y", x=In("int8", "2 n"), b=In("int8", "n"), params=None)
    assert list(other.arguments) == ["n", "x", "b", "y"] and list(family.arguments) == ["n", "x", "y", "params"]


def test_a_row_says_all_words_of_its_family() -> None:
    family = Family("unary", n=Size(">= 1"), x=In("{t}", "n"), y=Out("{t}", "n"))
    with pytest.raises(KernelFileError, match=r"qs8_vneg.*has no 't'"):
        family.row("qs8_vneg", lambda x: -x, says="Negate bytes.")


def _by_hand(a: np.ndarray, w: np.ndarray, bias: np.ndarray, p: Q31Params) -> list[list[int]]:
    rows = []
    for x in a.tolist():
        row = []
        for j, y in enumerate(w.tolist()):
            acc = sum((u - p.a_zero_point) * (v - p.w_zero_point) for u, v in zip(x, y, strict=True)) + int(bias[j])
            acc = (acc + 2**31) % 2**32 - 2**31
            product = (acc * p.multiplier + 2**30) >> 31
            low = product & ((1 << p.shift) - 1)
            up = p.shift > 0 and low - (product < 0) > ((1 << p.shift) - 1) >> 1
            row.append(min(max((product >> p.shift) + up + p.output_zero_point, p.output_min), p.output_max))
        rows.append(row)
    return rows


@pytest.mark.parametrize("k", [1, 2, 7, 8, 9, 23])
@pytest.mark.parametrize("zero_points", [(0, 0), (255, 0), (0, 255), (127, 127), (255, 255), (3, 200)],
                         ids=lambda z: f"azp{z[0]}_wzp{z[1]}")
def test_both_gemm_contracts_are_the_plain_sum(k: int, zero_points: tuple[int, int]) -> None:
    rng = np.random.default_rng(k)
    a, w = rng.integers(0, 256, (3, k), np.uint8), rng.integers(0, 256, (5, k), np.uint8)
    bias = rng.integers(-100_000, 100_000, 5).astype(np.int32)
    p = Q31Params(3 << 29, 9, *zero_points, output_zero_point=100, output_min=5, output_max=250)
    want = _by_hand(a, w, bias, p)
    c = np.zeros((3, 5), np.uint8)
    zeros = {"a_zero_point": zero_points[0], "w_zero_point": zero_points[1]}
    contract_named("qu8_gemm_q31")(3, 5, k, a, pack_gemm(w, bias, nr=8, **zeros), c, p)
    assert c.tolist() == want
    sums = np.zeros(3, np.int32)
    contract_named("qu8_sumrows")(a, 3, k, k, -zero_points[1], sums)
    assert sums.tolist() == [-zero_points[1] * sum(row) for row in a.tolist()]
    c[...] = 0
    contract_named("qu8_gemm_xzp_q31")(3, 5, k, a, sums, pack_gemm_xzp(w, bias, **zeros), c, p)
    assert c.tolist() == want


def test_only_the_dual_issue_contract_says_how_far_weights_are_rotated() -> None:
    assert {c.name: c.swizzle for c in contracts() if c.swizzle} == {"qu8_gemm_xzp_q31": 8}
    for each in kernels("qu8_gemm_xzp_q31"):
        assert each.tile.sr == 1, "its tile leaves out what the contract says"
