"""The GEMM kernels' main loops on the modelled cores: bounds, orderings, and what binds.

Bounds by hand from measured tables: A53 issues one Q-form operation or one 64-bit vector load a cycle; A72 one multiply
a cycle (F0) and three Q-form operations in two cycles.
"""

from __future__ import annotations

import pytest

from neonsim.arm.asm import assemble
from neonsim.arm.asm.program import Program
from neonsim.arm.timing import Timing, cores, count, load_core, loop_heads, requirements_of, time
from neonsim.arm.timing.stream import stream_of
from neonsim.errors import TimingError
from neonsim.ukernel import Kernel, kernel, kernels
from tests.tiers import every

NAMES = {
    "4x8": "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane",
    "8x8": "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane",
    "4x8c2": "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal",
}


def program(tile: str) -> Program:
    return kernel(NAMES[tile]).program()


def main_loop(tile: str) -> tuple[Program, str]:
    """The program and the head of its longest loop."""
    code = program(tile)
    heads = loop_heads(code)
    return code, max(heads, key=lambda head: heads[head][1] - heads[head][0])


def timing(tile: str, core: str) -> Timing:
    code, head = main_loop(tile)
    return time(code, core=core, entry=head)


@pytest.mark.parametrize(("tile", "core", "bound", "at_most"), every(2, [
    ("4x8", "cortex-a53", 88, 96), ("4x8", "cortex-a72", 64, 74),
    ("8x8", "cortex-a53", 160, 170), ("8x8", "cortex-a72", 128, 146),
    ("4x8c2", "cortex-a53", 108, 200), ("4x8c2", "cortex-a72", 48.6, 54),
    ("4x8", "cortex-a55", 76, 90), ("8x8", "cortex-a55", 144, 165), ("4x8c2", "cortex-a55", 110, 200),
    ("4x8", "cortex-a57", 64, 74), ("8x8", "cortex-a57", 128, 146), ("4x8c2", "cortex-a57", 38, 50),
    ("4x8", "cortex-a73", 64, 74), ("8x8", "cortex-a73", 128, 146), ("4x8c2", "cortex-a73", 48.6, 54),
    ("4x8", "cortex-a75", 64, 74), ("8x8", "cortex-a75", 128, 146), ("4x8c2", "cortex-a75", 48.6, 54),
    ("4x8", "cortex-a76", 64, 66), ("8x8", "cortex-a76", 128, 131), ("4x8c2", "cortex-a76", 38, 40),
    ("4x8", "neoverse-n1", 64, 66), ("8x8", "neoverse-n1", 128, 131), ("4x8c2", "neoverse-n1", 38, 40),
]))
def test_bounds_of_the_loop(tile: str, core: str, bound: float, at_most: float) -> None:
    result = timing(tile, core)
    print(f"{tile:<6} {core}: bound {bound}, modelled {result.cycles_per_iteration:.1f} cycles an iteration, "
          f"{result.macs_per_cycle:.2f} MAC a cycle, {result.bounds.binding}")
    assert bound <= result.cycles_per_iteration <= at_most
    assert result.bounds.highest / result.bounds.per == pytest.approx(bound, abs=0.5)


def test_dual_issue_kernel_pays_on_a72_and_not_on_a53() -> None:
    def gain(core: str) -> float:
        return timing("4x8", core).cycles_per_iteration / timing("4x8c2", core).cycles_per_iteration

    assert gain("cortex-a53") < 0.85
    assert 1.2 < gain("cortex-a72") < 1.45
    assert gain("ideal-mul-add") == pytest.approx(2.0, abs=0.02)


@pytest.mark.parametrize(("tile", "macs", "neon", "share"), [("4x8", 256, 88, 72.7), ("8x8", 512, 160, 80.0),
                                                              ("4x8c2", 256, 84, 38.1)])
def test_counts_of_the_loop(tile: str, macs: int, neon: int, share: float) -> None:
    code, head = main_loop(tile)
    counted = count(code, entry=head)
    assert (counted.macs, counted.neon) == (macs, neon)
    assert 100 * counted.share_neon == pytest.approx(share, abs=0.05)


def test_what_binds_on_a72() -> None:
    """The default kernel waits to enter the multiply pipe, the dual-issue kernel for the budget of both."""
    default, dual = timing("4x8", "cortex-a72"), timing("4x8c2", "cortex-a72")
    assert default.bounds.binding == "unit F0" and next(iter(default.slots)) == "dispatch: F0"
    assert "rate: F0+F1" not in default.slots
    assert dual.bounds.binding == "rate F0+F1"
    assert dual.slots["rate: F0+F1"] > 0.1 * (3 * dual.cycles)


def test_single_issue_core_counts_instructions() -> None:
    assert timing("4x8", "ideal-1").cycles_per_iteration == 90


ALL = list(cores())
OWN = [name for name in ALL if not load_core(name).based_on]       # cores that are no other's but for some numbers


@pytest.mark.parametrize(("one", "names"), [
    pytest.param(k, ALL if at % 160 else OWN, marks=pytest.mark.nightly if at % 160 else (), id=k.name)
    for at, k in enumerate(kernels())])
def test_every_kernel_of_the_catalog_has_a_cost(one: Kernel, names: list[str]) -> None:
    """Its longest loop on every core that has what its instructions need: all priced, slots add up, bounds hold."""
    code = one.program()
    heads = loop_heads(code)
    if not heads:
        pytest.skip("no loop")
    longest = max(heads, key=lambda head: heads[head][1] - heads[head][0])
    needs = requirements_of(stream_of(code, entry=longest, iterations=12))
    for name in names:
        if missing := load_core(name).missing(needs.isa, needs.features):
            with pytest.raises(TimingError, match=rf"{name} (has no {missing[0]}|runs aarch(32|64), but)"):
                time(code, core=name, entry=longest, iterations=12)
            continue
        result = time(code, core=name, entry=longest, iterations=12)
        assert result.instructions + sum(result.slots.values()) == load_core(name).width * result.cycles
        assert result.bounds.highest <= result.cycles
        # The Cortex-A75 has dot products, and no source that was read says what they cost.
        assert set(result.unknown) <= ({"asimd_dot"} if name == "cortex-a75" else set()), result.unknown


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a55"])
@pytest.mark.parametrize("pair", ["smull v0.4s, v1.4h, v2.4h\nsmlal v0.4s, v3.4h, v4.4h",
                                  "mul v0.4s, v1.4s, v2.4s\nmla v0.4s, v3.4s, v4.4s"])
def test_the_first_product_of_a_chain_is_forwarded_too(core: str, pair: str) -> None:
    """A pair that is no chain over its iterations: two NEON operations, and the branch that ends the group."""
    text = f"top:\n{pair}\nsubs x9, x9, #1\nb.ne top\n"
    assert time(assemble(text, isa="aarch64"), core=core, iterations=100).cycles < 3.2 * 100


def test_narrowing_into_the_upper_half_waits_little_for_the_lower(core: str = "cortex-a53") -> None:
    chain = "sqxtn2 v0.8h, v2.4s\n"
    assert time(assemble(f"top:\n{chain * 8}subs x9, x9, #1\nb.ne top\n", isa="aarch64"), core=core,
                iterations=50).cycles < 50 * 8 * 2.2
