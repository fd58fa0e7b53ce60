"""Lines that a text repeats are read once: each keeps its own place, and means what its names mean there."""

from __future__ import annotations

import tracemalloc

import pytest

from neonsim.arm.asm import assemble
from neonsim.errors import AssemblyError
from tests.tiers import every
from tests.work import grows_evenly


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_places_and_targets(isa: str) -> None:
    add, branch = ("add x0, x0, #1", "b 1b") if isa == "aarch64" else ("add r0, r0, #1", "b 1b")
    program = assemble(f"1: {add}\n   {add}\n{branch}\n1:\n   {add}\n{branch}\n{add}; {add}", isa)
    assert [(i.position.line, i.position.column) for i in program.instructions] == [
        (1, 4), (2, 4), (3, 1), (5, 4), (6, 1), (7, 1), (7, 1 + len(add) + 2)]
    assert [i.target for i in program.instructions if i.is_branch] == [0, 3]
    assert [i.position.text for i in program.instructions][1:3] == [f"   {add}", branch]


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
    assert [(i.position.line, i.position.column, i.position.width) for i in program.instructions] == [
        (4, 1, 4), (5, 1, 4), (6, 3, 4)]


def test_local_names_of_one_call() -> None:
    text = ".altmacro\n.macro M n\nLOCAL a\na: add x0, x0, #n\n b a\nLOCAL a\na: b a\n.endm\nM 1\nM 2"
    program = assemble(text, "aarch64")
    assert [i.target for i in program.instructions] == [None, 0, 2, None, 3, 5]
    with pytest.raises(AssemblyError) as caught:
        assemble(text.replace("M 2", "M 5000"), "aarch64")
    assert (caught.value.line, caught.value.column, caught.value.width) == (10, 1, 1)


@pytest.mark.nightly
@pytest.mark.parametrize("isa", every(2, ["aarch64", "aarch32"]))
def test_work_and_memory_grow_with_the_lines(isa: str) -> None:
    """Memory as tracemalloc counts it: the bytes of each line beyond the first 1 000."""
    def many(lines: int) -> None:
        text = "".join(f"l{i}: add {'xr'[isa == 'aarch32']}0, {'xr'[isa == 'aarch32']}1, #{i % 199}\n b l{i}\n"
                       for i in range(lines // 2))
        program = assemble(text, isa)
        assert len(program) == lines and program.instructions[-1].target == lines - 2

    def memory(lines: int) -> int:
        tracemalloc.reset_peak()
        many(lines)
        return tracemalloc.get_traced_memory()[1]
    grows_evenly(many, 400)
    tracemalloc.start()
    try:
        assert memory(2000) - memory(1000) < 2500 * 1000
    finally:
        tracemalloc.stop()


def test_too_many_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neonsim.arm.asm.text.gas_macros.MAX_STATEMENTS", 3000)
    assert len(assemble("nop;nop;nop;nop\n" * 750, "aarch64")) == 3000
    with pytest.raises(AssemblyError, match=r"more than 3,000 statements\. Split it") as caught:
        assemble("nop;nop;nop;nop\n" * 750 + "1:\n", "aarch64")
    assert caught.value.line == 751


def test_missing_labels_of_a_large_text() -> None:
    """Suggestions are looked for among names that begin alike, and work does not grow with missing times present."""
    labels = "".join(f".Label_{i}: nop\n" for i in range(2000))
    with pytest.raises(AssemblyError, match=r"There is no label `.Label_0x`; did you mean `.Label_0`\?"):
        assemble(f"{labels}b.eq .Label_0x\nret", "aarch64")

    def missing(count: int) -> None:
        text = "".join(f"label_{i}: nop\n" for i in range(8 * count))
        text += "".join(f"bl away_{i}\nb away_{i}\n" for i in range(count))
        assert len(assemble(text, "aarch64").undefined) == count
    grows_evenly(missing, 80)   # more than 500 labels: of fewer all are compared


def test_data_among_code() -> None:
    """Numbers alone are put at once, others when labels are known: the bytes are the same, and work grows with them."""
    def words(count: int) -> None:
        text = "".join(f"b 1f\n.word {i}, +{i}, ({i}), .-.+{i}\n1:\n" for i in range(count)) + "ret"
        data = assemble(text, "aarch64").data
        assert [s.contents for s in data] == [i.to_bytes(4, "little") * 4 for i in range(count)]
    grows_evenly(words, 100)
    for text in (".byte 256", ".bss\n.word 1", ".hword 65536", ".word 0x1ffffffff", ".octa 0x" + 33 * "f"):
        with pytest.raises(AssemblyError):
            assemble(f".data\n{text}\n", "aarch64")
