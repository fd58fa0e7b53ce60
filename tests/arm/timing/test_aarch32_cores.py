"""Cores that run AArch32 only: what they refuse, and the rules that only they have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from neonsim.arm.asm import assemble
from neonsim.arm.timing import (
    CoreFilter,
    InstructionStream,
    StaticInstruction,
    load_core,
    load_cores,
    loop_heads,
    requirements_of,
    simulate,
    time,
)
from neonsim.arm.timing.stream import from_loop
from neonsim.cli import main
from neonsim.errors import TimingError
from neonsim.nn.ops.lowering.kernel_selection import features_of
from neonsim.ukernel import kernels

ONLY = [core.name for core in load_cores() if core.isas == ("aarch32",)]
LOOP = "top: {}\nsubs r9, r9, #1\nbne top\n"


def cycles(body: str, core: str, turns: int = 200) -> float:
    """Cycles a turn of a loop."""
    return time(assemble(LOOP.format(body), isa="aarch32"), core=core, iterations=turns).cycles / turns


def test_there_are_some() -> None:
    assert ONLY == ["cortex-a7", "cortex-a9"]


@pytest.mark.parametrize("core", ONLY)
def test_aarch64_is_refused_in_a_sentence(core: str, capsys: pytest.CaptureFixture[str]) -> None:
    program = assemble("top: mul v0.8h, v1.8h, v2.8h\nsubs x9, x9, #1\nb.ne top\n", isa="aarch64")
    with pytest.raises(TimingError, match=rf"^{core} runs aarch32, but .* is aarch64\.$"):
        time(program, core=core)
    able = CoreFilter()
    assert able.cores(["cortex-a53", core], requirements_of(program, "a.S")) == ["cortex-a53"]
    assert able.sentences() == (f"Left out: {core} runs aarch32, but a.S is aarch64.",)
    assert main(["time", "qs8_gemm_rndnu_2x8c8__aarch64_neon_mlal_padal", "--core", core]) == 2
    assert f"neonsim: {core} runs aarch32, but" in capsys.readouterr().err


@pytest.mark.nightly
def test_a_sweep_says_why_it_has_no_cycles(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow", reason="pip install 'neonsim[sweep]'")
    kernel = "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"
    assert main(["sweep", kernel, "--core", "a9", "--shape", "8x8x8,8x8x16"]) == 0
    said = capsys.readouterr().out
    assert said.count(f"cannot: cortex-a9 runs aarch32, but {kernel} is aarch64.") == 1


@pytest.mark.parametrize(("line", "word", "runs"), [
    ("vcvtn.s32.f32 q0, q1", "neonv8", []), ("vrintn.f32 q0, q1", "neonv8", []),
    ("vmaxnm.f32 q0, q1, q2", "neonv8", []), ("lda r0, [r1]", "neonv8", []),
    ("vfma.f32 q0, q1, q2", "vfpv4", ["cortex-a7"]), ("sdiv r0, r1, r2", "idiv", ["cortex-a7"]),
    ("vsdot.s8 q0, q1, q2", "dotprod", []), ("vmla.f32 q0, q1, q2", "", ONLY), ("vmlal.s16 q0, d2, d3", "", ONLY)])
def test_what_came_after_them(line: str, word: str, runs: list[str]) -> None:
    """Rounding conversions, VMAXNM, acquire loads are of Armv8; the Cortex-A9 has neither VFMA nor SDIV."""
    program = assemble(LOOP.format(line), isa="aarch32")
    assert requirements_of(program).features - {"neon"} == {word} - {""}
    for core in ONLY:
        if core in runs:
            assert time(program, core=core).unknown == {}
        else:
            with pytest.raises(TimingError, match=f"{core} has no {word}, which"):
                time(program, core=core)
    assert not word or word == "dotprod" or time(program, core="cortex-a53").cycles > 0


@pytest.mark.parametrize(("body", "core", "turn"), [
    # One NEON instruction two cycles alone; the counter's SUBS and BNE pair in the third.
    ("vadd.i16 q0, q1, q2", "cortex-a7", 3), ("vmlal.s16 q0, d2, d3", "cortex-a7", 4),
    ("vmlal.s16 q0, d2, d3\n" + "\n".join(f"vmlal.s16 q{k}, d2, d3" for k in range(4, 8)), "cortex-a7", 6),
    # A chain of products: N6 to the accumulator's N3, four cycles; independent ones one a cycle, Q-form ones two.
    ("vmlal.s16 q0, d2, d3", "cortex-a9", 4), ("vmla.i16 q0, q1, q2", "cortex-a9", 5),
    ("\n".join(f"vmlal.s16 q{k}, d2, d3" for k in range(4, 14)), "cortex-a9", 10),
    ("\n".join(f"vmul.i16 q{k}, q1, q2" for k in range(4, 14)), "cortex-a9", 20),
    ("\n".join(f"vmul.i32 q{k}, q1, d0[0]" for k in range(4, 14)), "cortex-a9", 40)])
def test_loops_by_hand(body: str, core: str, turn: float) -> None:
    assert cycles(body, core) == pytest.approx(turn, abs=0.1)


def test_neon_of_the_cortex_a9_starts_in_program_order() -> None:
    """An addition behind a product that waits could start at once; it does where the units keep no order."""
    core = load_core("cortex-a9")
    chain = [StaticInstruction("asimd_mul", "vmul", "q", 16, reads=(("n", "d0"),), writes=(("d", "d0"),)) for _
             in range(3)]
    free = [StaticInstruction("asimd_add", "vadd", "q", 16, reads=(("n", "d8"),), writes=(("d", "d10"),)),
            StaticInstruction("ld1_1", "vld1", "d", 8, reads=(("base", "r0"),), writes=(("t", "d12"),), nbytes=8)]
    stream = InstructionStream.of_ops([*chain, *free], isa="aarch32")
    loose = replace(core, units={name: replace(unit, in_order="") for name, unit in core.units.items()})
    issue = simulate(stream, core).issue
    assert issue == sorted(set(issue))
    assert simulate(stream, loose).issue[3] < issue[2] and simulate(stream, loose).issue[4] < issue[2]


def test_loads_and_neon_share_a_start_a_cycle() -> None:
    body = "\n".join(f"vadd.i16 q{k}, q1, q2\nldr r{k - 3}, [r0]" for k in range(4, 10))
    assert cycles(body, "cortex-a9") == pytest.approx(12, abs=0.1)


def test_in_order_is_for_out_of_order_cores(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\ntitle = "mine"\nbased_on = "cortex-a53"\ninherits = ["kind", "isa", "features", '
                    '"issue", "class"]\npicture = "x"\n[source]\nme = "me"\n[unit.neon]\ncount = 1\nin_order = "NEON"\n'
                    'source = "me"\n', encoding="utf-8")
    with pytest.raises(TimingError, match=r"\[unit\.neon\]: in_order is a rule for cores of kind 'out-of-order'"):
        load_core(path)


@pytest.mark.parametrize("core", ONLY)
def test_kernels_are_chosen_for_armv7(core: str) -> None:
    assert "neon" in features_of(core) and "neonv8" not in features_of(core)


@pytest.mark.parametrize("core", ONLY)
@pytest.mark.parametrize("part", [pytest.param(0, id="every_32nd"),
                                  *(pytest.param(k, marks=pytest.mark.nightly) for k in range(1, 32))])
def test_folded_is_plain(core: str, part: int) -> None:
    """Of every loop of AArch32 kernels that the core can run: cycles, slots, columns."""
    model, able, seen = load_core(core), CoreFilter(), 0
    for one in [k for k in kernels() if k.isa == "aarch32"][part::32]:
        program = one.program()
        if able.runs(model, requirements_of(program, one.name, [one.feature])):
            for head in loop_heads(program):
                stream = from_loop(program, head, 12)
                assert simulate(stream, model, method="plain") == simulate(stream, model)
                seen += 1
    assert seen
