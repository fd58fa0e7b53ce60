"""The requantisation laboratory: schemes side by side, witnesses, steps; and the vector code held to the formulas."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import neonsim as ns
import neonsim.quant.requant.lab
from neonsim.arm.machine import Grid, Machine
from neonsim.errors import BadArgument
from neonsim.nn.ops.explain.requant_costs import requant_cost_table, requant_costs
from neonsim.quant.params.requant import Fp32Params, RndnuParams
from neonsim.quant.requant.lab import SCHEMES, disagree, magic_range, rate_table, rates, result, scheme_table, steps
from neonsim.ukernel import kernel
from neonsim.ukernel.packing.param_blocks import block_of


def exact(scheme: str, acc: int, scale: np.float32) -> int:
    """The scheme by fractions."""
    value = Fraction(float(scale)) * acc
    if scheme in ("fp32_lrint", "fp32_magic", "ncnn"):
        value = Fraction(float(np.float32(np.float32(acc) * scale)))
    down, half = value // 1, value % 1
    if half != Fraction(1, 2):
        return int((value + Fraction(1, 2)) // 1)
    if scheme in ("rndnu", "ruy"):
        return int(down + 1)
    return int(down + (down % 2)) if scheme.startswith("fp32") else int(down + (value > 0))


@pytest.mark.parametrize("scheme", [s for s in SCHEMES if s not in ("q31", "gemmlowp")])
def test_schemes_of_one_rounding(scheme: str) -> None:
    rng = np.random.default_rng(1)
    for scale in (2.0**-7, 0.5, 0.75, 0.0117, 1 / 90, 1.5, 3e-5):
        single = np.float32(scale)
        far = rng.integers(-200, 200, 50) / single // 1
        acc = np.unique(np.concatenate([np.arange(-20, 21), far]).astype(np.int64))
        found = result(acc, single, scheme)
        assert found.tolist() == [exact(scheme, int(x), single) if abs(x * single) < 250 or scheme != "fp32_magic"
                                  else int(np.clip(np.rint(x * single), -255, 255)) for x in acc]


def test_every_pair_has_a_witness_or_the_same_values() -> None:
    """Witnesses are checked against the schemes themselves; pairs without one are those that the facts name."""
    alike = set()
    for one, other in combinations(SCHEMES, 2):
        found = disagree(one, other, count=2)
        for w in found:
            values = tuple(int(result(np.array([w.acc]), np.float32(w.scale), s)[0]) for s in (one, other))
            assert values == w.results and values[0] != values[1]
            assert w.exact == Fraction(w.scale) * w.acc and w.reason != "they round differently"
        if not found:
            alike.add((one, other))
    assert alike == {("rndnu", "ruy"), ("fp32_lrint", "fp32_magic"), ("q31", "gemmlowp")}


def test_rates_follow_the_law() -> None:
    """q31 against one exact rounding differs for 2**-(shift + 1) of all accumulators, shift 1 and more (R13)."""
    for shift in (1, 2, 3, 6):
        share = rates(0.7 * 2.0**-shift, count=100_000)["precise", "q31"]
        assert share == pytest.approx(2.0 ** -(shift + 1), rel=0.15)
    assert rates(0.7)["precise", "q31"] == 0
    # Halves only: a power of two.
    assert rates(0.5)["precise", "rndnu"] == pytest.approx(0.25, rel=0.03)
    assert "ncnn" in rate_table(0.3) and "q31" not in rate_table(1.5, count=10)
    assert set(SCHEMES) <= set(scheme_table().split())


def test_steps_end_at_the_result() -> None:
    rng = np.random.default_rng(2)
    for scale in (0.0117, 0.5, 0.3, 1 / 90, 1.7, 2.0**-31):
        for acc in (*(int(v) for v in rng.integers(-(1 << 31), 1 << 31, 6)), -3, 3, 585, 0):
            found = steps(scale, acc)
            for name, value in found.results.items():
                assert value == int(result(np.array([acc]), np.float32(scale), name)[0])
                assert found.lines[name][-1].rsplit(maxsplit=1)[-1] == str(value), found
    text = ns.quant.explain_requant(1 / 90, 585)
    assert "kernels read multiplier 1527099520" in text and "an exact half" not in text
    assert "q = p * scale = 585 * 0.01111111138 = 6.5" in text and "fp32_lrint   6" in text


def test_refusals() -> None:
    for call, words in ((lambda: disagree("q31", "rndnux"), "Unknown scheme"),
                        (lambda: disagree("q31", "rndnu", 1.5), "q31 takes 2"),
                        (lambda: steps(0.5, 1 << 31), "must be in"), (lambda: steps(0.5, 1.5), "must be an integer"),  # type: ignore[arg-type]
                        (lambda: steps(2000.0, 1), "takes 2"), (lambda: rates(300.0), "takes 2"),
                        (lambda: steps([0.5, 0.2], 1), "takes one scale"),  # type: ignore[arg-type]
                        (lambda: ns.quant.explain_requant(-1.0), "must be positive")):
        with pytest.raises(BadArgument, match=words):
            call()


def test_where_the_magic_number_works() -> None:
    """All halves within the range, exactly; the first number on either side of it is wrong."""
    low, high = magic_range()
    assert (low, high) == (-(2.0**22), 2.0**22 + 0.5)

    def magic(f: np.ndarray) -> np.ndarray:
        return (f + np.float32(12582912.0)).view(np.int32).astype(np.int64) - 0x4B400000

    inside = np.concatenate([np.arange(low, low + 50_000, 0.5), np.arange(-50_000, 50_000, 0.25),
                             np.arange(high - 50_000, high + 0.5, 0.5)]).astype(np.float32)
    np.testing.assert_array_equal(magic(inside), np.rint(inside.astype(np.float64)))
    ends = np.array([low, high], np.float32)
    for outside in np.nextafter(ends, np.array([-np.inf, np.inf], np.float32)):
        assert magic(np.array([outside])).item() != np.rint(float(outside))
    # What a clamp to eight bits leaves is far inside.
    assert low < -255 and high > 255


# ---- the instruction sequences themselves

def boundary_sums(multiplier: int, shift: int) -> np.ndarray:
    """Ends of int32, powers of two and their neighbours, and what lies on or next to every half of eight bits."""
    powers = [s * (1 << k) + d for k in range(31) for s in (-1, 1) for d in (-1, 0, 1)]
    halves = [((2 * y + 1) << 30 + shift) // multiplier + d for y in range(-260, 260) for d in (-1, 0, 1)]
    sums = np.array([-(1 << 31), -(1 << 31) + 1, (1 << 31) - 1, 0, *powers, *halves], np.int64)
    return np.clip(sums, -(1 << 31), (1 << 31) - 1)


def run(name: str, sums: np.ndarray, blocks: list[bytes]) -> np.ndarray:
    """A requantisation kernel over int32 [parameters, n], every parameter block a row of tiles in lock-step."""
    one, (rows, n) = kernel(name), sums.shape
    machine = Machine(isa=one.isa)
    x = machine.memory.place(np.ascontiguousarray(sums, np.int32), "x", reads_after=0)
    y = machine.memory.alloc(rows * n, "y")
    size = len(blocks[0])
    params = machine.memory.place(np.frombuffer(b"".join(blocks), np.uint8), "params")
    row, column = np.arange(rows)[:, None], np.arange(n // 16)[None, :]
    machine.call(one.program(), 16, x + 4 * (row * n + 16 * column), y + row * n + 16 * column,
                 np.broadcast_to(params + size * row, (rows, n // 16)), entry=name, trace=False,
                 tiles=Grid(rows, n // 16))
    return machine.memory.fetch("y", "uint8", (rows, n))


def scales() -> list[np.float32]:
    """Every exponent, with the smallest, the largest and an odd mantissa."""
    return [np.float32(np.ldexp(m, e)) for e in range(-31, 9) for m in (0.5, 0.7236328125, 1 - 2.0**-24)]


@pytest.mark.parametrize("name", ["qu8_requantize_rndnu_16x__aarch64_neon", "qu8_requantize_rndnu_16x__aarch32_neon"])
def test_rndnu_of_the_vector_code_is_the_formula(name: str) -> None:
    """Over a million random sums, and all boundary cases of every scale: exactly the formula of 64 bits."""
    rng = np.random.default_rng(3)
    params = [RndnuParams.from_scale(float(s), output_zero_point=int(rng.integers(0, 256))) for s in scales()]
    edges = np.stack([boundary_sums(p.multiplier, p.shift) for p in params])
    # Half of the random sums anywhere, half where results are no clamp.
    anywhere = rng.integers(-(1 << 31), 1 << 31, (len(params), 4800))
    reach = np.array([min(300.0 * 2.0 ** (31 + p.shift) / p.multiplier, 2.0**31) for p in params])[:, None]
    near = np.floor(rng.uniform(-1, 1, (len(params), 4800)) * reach).astype(np.int64)
    sums = np.concatenate([edges, anywhere, near], axis=1)
    sums = np.clip(np.pad(sums, ((0, 0), (0, -sums.shape[1] % 16))), -(1 << 31), (1 << 31) - 1)
    assert 2 * anywhere.size > 1_000_000
    found = run(name, sums, [block_of(p) for p in params])
    for p, x, y in zip(params, sums, found, strict=True):
        exact = (x * p.multiplier + (1 << 30 + p.shift)) >> 31 + p.shift
        np.testing.assert_array_equal(y, np.clip(exact + p.output_zero_point, 0, 255), err_msg=str(p))


@pytest.mark.parametrize("name", ["qu8_requantize_fp32_16x__aarch64_neon", "qu8_requantize_fp32_16x__aarch32_neon"])
def test_fp32_of_the_vector_code_is_its_definition(name: str) -> None:
    """FCVTNS on AArch64 and the magic number on AArch32: the same bytes as rint of the float product."""
    rng = np.random.default_rng(4)
    params = [Fp32Params(float(s), int(rng.integers(0, 256))) for s in scales()[3:]]
    sums = []
    for p in params:
        multiplier, shift = (int(v) for v in ns.quant.decompose(p.scale))
        reach = min(300.0 / p.scale, 2.0**31)
        sums.append(np.concatenate([boundary_sums(multiplier, shift), rng.integers(-(1 << 31), 1 << 31, 2000),
                                    np.floor(rng.uniform(-1, 1, 2000) * reach).astype(np.int64)]))
    every = np.clip(np.stack(sums), -(1 << 31), (1 << 31) - 1)
    every = np.pad(every, ((0, 0), (0, -every.shape[1] % 16)))
    found = run(name, every, [block_of(p) for p in params])
    for p, x, y in zip(params, every, found, strict=True):
        product = x.astype(np.float32) * np.float32(p.scale)
        np.testing.assert_array_equal(y, np.clip(np.rint(product.astype(np.float64)) + p.output_zero_point, 0, 255))


def test_costs_are_counted() -> None:
    costs = requant_costs("aarch64")
    assert {c.scheme for c in costs} == {"precise", "rndnu", "fp32", "q31", "gemmlowp"}
    by = {c.scheme: c for c in costs}
    # Four SQSHL, SQDMULH, SRSHL of 32-bit lanes each, and ten instructions to narrow and clamp.
    assert by["rndnu"].arithmetic == 22 and by["rndnu"].neon == 24
    assert by["rndnu"].arithmetic < by["q31"].arithmetic < by["gemmlowp"].arithmetic < by["precise"].arithmetic
    assert "counted in traces" in requant_cost_table(costs)
