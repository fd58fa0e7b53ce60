"""Lines that a text repeats are read once: each keeps its own place, and means what its names mean there."""

from __future__ import annotations

import pytest

from neonsim.asm import assemble
from neonsim.errors import AssemblyError


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_places_and_targets(isa: str) -> None:
    add, branch = ("add x0, x0, #1", "b 1b") if isa == "aarch64" else ("add r0, r0, #1", "b 1b")
    program = assemble(f"1: {add}\n   {add}\n{branch}\n1:\n   {add}\n{branch}\n{add}; {add}", isa)
    assert [(i.where.line, i.where.column) for i in program.instructions] == [
        (1, 4), (2, 4), (3, 1), (5, 4), (6, 1), (7, 1), (7, 1 + len(add) + 2)]
    assert [i.target for i in program.instructions if i.is_branch] == [0, 3]
    assert [i.where.text for i in program.instructions][1:3] == [f"   {add}", branch]


def test_names_that_change_between() -> None:
    text = ".set N, 1\nadd x0, x0, N\n.set N, 2\nadd x0, x0, N\nacc .req v1\nabs acc.4s, acc.4s\n.unreq acc\n" \
           "acc .req v2\nabs acc.4s, acc.4s"
    assert [str(i) for i in assemble(text, "aarch64").instructions] == [
        "add x0, x0, #1", "add x0, x0, #2", "abs v1.4s, v1.4s", "abs v2.4s, v2.4s"]


def test_the_second_is_wrong() -> None:
    with pytest.raises(AssemblyError) as caught:
        assemble("1: b 1b\nb 1f\n1: nop\n\n  b 1f\nret", "aarch64")
    assert (caught.value.line, caught.value.column, caught.value.width) == (5, 5, 2)
    with pytest.raises(AssemblyError) as caught:
        assemble(".text\nnop\n.data\n nop\n", "aarch64")
    assert (caught.value.line, caught.value.column) == (4, 2)


def test_calls_that_repeat_each_other() -> None:
    text = ".macro STEP a, b\n  add x\\a, x0, #\\b\n  \\a\\()x\n.endm\nSTEP 1, 2\nSTEP 1, 2\n  STEP   1, 9999"
    with pytest.raises(AssemblyError) as caught:
        assemble(text, "aarch64")
    errors = getattr(caught.value, "errors", [])
    assert [(e.line, e.column, e.width) for e in errors] == [(5, 6, 1), (6, 6, 1), (7, 3, 4), (7, 10, 1)]
    program = assemble(text.replace("9999", "3").replace("  \\a\\()x\n", ""), "aarch64")
    assert [(i.where.line, i.where.column, i.where.width) for i in program.instructions] == [
        (4, 1, 4), (5, 1, 4), (6, 3, 4)]


def test_local_names_of_one_call() -> None:
    text = ".altmacro\n.macro M n\nLOCAL a\na: add x0, x0, #n\n b a\nLOCAL a\na: b a\n.endm\nM 1\nM 2"
    program = assemble(text, "aarch64")
    assert [i.target for i in program.instructions] == [None, 0, 2, None, 3, 5]
    with pytest.raises(AssemblyError) as caught:
        assemble(text.replace("M 2", "M 5000"), "aarch64")
    assert (caught.value.line, caught.value.column, caught.value.width) == (10, 1, 1)
