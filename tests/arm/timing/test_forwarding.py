"""How soon a result reaches the next instruction: each rule by the shortest sequence that shows it.

Sources stand in the core files; the numbers here are those of the sources, not of a run.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from neonsim.arm.asm import assemble
from neonsim.arm.timing import InstructionStream, load_core, time
from neonsim.arm.timing.simulation import simulate
from neonsim.errors import TimingError


def distance(core: str, lines: str) -> int:
    """Cycles from the start of the first instruction to that of the last."""
    text = "\n".join(["top:", *lines.split(";"), "b top"])
    ops = time(assemble(text, "aarch64"), core=core, iterations=1).stream.ops[:-1]
    issue = simulate(InstructionStream.of_ops(ops), load_core(core)).issue
    return issue[-1] - issue[0]


CHAIN = "smlal v0.4s, v1.4h, v2.4h; {} smlal v0.4s, v3.4h, v4.4h"
OTHER = "smlal v5.4s, v1.4h, v2.4h; "


@pytest.mark.parametrize(("core", "others", "cycles"), [
    ("cortex-a55", 0, 1), ("cortex-a55", 1, 4), ("cortex-a55", 2, 4), ("cortex-a55", 3, 4), ("cortex-a55", 4, 5),
    ("cortex-a53", 0, 1), ("cortex-a53", 1, 2), ("cortex-a53", 3, 4),
])
def test_sums_of_long_products_in_the_very_next_cycle(core: str, others: int, cycles: int) -> None:
    """With n others between, each in a cycle of its own; SLOTHY has the rule for the A55, nobody for the A53."""
    between = "".join(f"smlal v{5 + n}.4s, v1.4h, v2.4h; " for n in range(others))
    assert distance(core, CHAIN.format(between)) == cycles


@pytest.mark.parametrize(("lines", "cycles"), [
    ("smull v0.4s, v1.4h, v2.4h; smlal v0.4s, v3.4h, v4.4h", 1),
    ("mul v0.4s, v1.4s, v2.4s; mla v0.4s, v3.4s, v4.4s", 1),
    ("mla v0.4s, v1.4s, v2.4s; mla v5.4s, v1.4s, v2.4s; mla v0.4s, v3.4s, v4.4s", 2),      # no such rule for these
    ("mul v0.4s, v1.4s, v2.4s; add v3.4s, v0.4s, v4.4s", 4),
])
@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a55"])
def test_products_reach_accumulators(core: str, lines: str, cycles: int) -> None:
    assert distance(core, lines) == cycles


@pytest.mark.parametrize(("core", "lines", "cycles"), [
    ("cortex-a53", "add x1, x2, x3; ldr x4, [x1]", 3),
    ("cortex-a53", "lsl x1, x2, #3; ldr x4, [x1]", 2),
    ("cortex-a53", "lsl x1, x2, x3; str x4, [x5, x1]", 2),
    ("cortex-a55", "add x1, x2, x3; ldr x4, [x1]", 1),
    ("cortex-a55", "lsl x1, x2, #3; ldr x4, [x1]", 2),
])
def test_results_reach_addresses(core: str, lines: str, cycles: int) -> None:
    assert distance(core, lines) == cycles


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a55"])
def test_the_shifted_operand_is_needed_early_and_the_other_is_not(core: str) -> None:
    assert distance(core, "add x1, x2, x3; eor x4, x5, x1, ror #7") == 2
    assert distance(core, "add x1, x2, x3; eor x4, x1, x5, ror #7") <= 1
    assert distance(core, "eor x1, x2, x3, ror #7; add x4, x1, x5") <= 1


def test_sums_of_q_registers_are_late_for_products() -> None:
    for form, product, cycles in (("4s", "mul v0.4s, v3.4s, v4.4s", 3), ("2s", "mul v0.2s, v3.2s, v4.2s", 2)):
        assert distance("cortex-a55", f"add v3.{form}, v1.{form}, v2.{form}; {product}") == cycles
    assert distance("cortex-a55", "add v3.4s, v1.4s, v2.4s; and v0.16b, v3.16b, v4.16b") == 2


@pytest.mark.parametrize(("line", "cycles"), [("ldr d0, [x0]", 3), ("ldr q0, [x0]", 4)])
def test_loads_reach_arithmetic_on_a55(line: str, cycles: int) -> None:
    """Of a Q register a cycle after a D register: both the guide and SLOTHY."""
    assert distance("cortex-a55", f"{line}; add v1.16b, v0.16b, v0.16b") == cycles


def test_narrowing_into_the_upper_half_does_not_wait_for_all_of_the_lower_on_a53() -> None:
    assert distance("cortex-a53", "sqxtn v0.8b, v1.8h; sqxtn2 v0.16b, v2.8h") == 2


def test_rules_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    head = ('name = "mine"\ntitle = "mine"\npicture = "one"\nbased_on = "{}"\ninherits = ["kind", "isa", "features", '
            '"{}", "unit", "fetch", "memory", "writeback", "forward", "class"]\n[source]\nassumed = "here"\n')
    for base, rule, words in (("cortex-a72", "latency = 1\nexact = true", "exact goes with latency"),
                              ("cortex-a53", "earlier = 1\nexact = true", "exact goes with latency"),
                              ("cortex-a53", 'latency = 1\nform = "x"', "form must be 'd' or 'q'")):
        path = tmp_path / "mine.toml"
        path.write_text(head.format(base, "dispatch" if base == "cortex-a72" else "issue")
                        + f'[[forward]]\n{rule}\nsource = "assumed"\n')
        with pytest.raises(TimingError, match=words):
            load_core(str(path))


def test_a_passing_operand_never_makes_a_program_faster_than_a_lasting_one() -> None:
    core = load_core("cortex-a55")
    lasting = replace(core, forwards=tuple(replace(rule, exact=False) for rule in core.forwards))
    for others in range(8):
        lines = CHAIN.format(OTHER * others).split(";")
        ops = time(assemble("\n".join(["top:", *lines, "b top"]), "aarch64"), core="cortex-a55").stream.ops
        assert simulate(InstructionStream.of_ops(ops), core).cycles >= simulate(InstructionStream.of_ops(ops),
                                                                                lasting).cycles
