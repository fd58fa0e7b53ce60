"""Every form in every reading: one meaning, whatever flows through it; and what it is said to depend on."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import numpy as np
import pytest
from cases import decoder
from chosen_lines import BLOCKS, ISAS, chosen, draw

from neonsim.arm.isa import Instruction, forms
from neonsim.arm.machine.arch.binder import bind
from neonsim.arm.machine.arch.registers import AARCH32, AARCH64, VectorValue, numeric
from neonsim.arm.machine.arch.state import State
from neonsim.arm.machine.memory.memory import Memory
from neonsim.arm.machine.trace.dataflow import arguments, dataflow
from neonsim.arm.semantics import NumpyLanes, PolynomialLanes, ShadowLanes, SymbolicLanes, TermPool, element_named, u8
from neonsim.arm.semantics.interp.bitvectors import BitVectorLanes, FormulaBuilder, NoFormula, TermFormulas


def check_readings(instruction: Instruction, rng: random.Random) -> None:
    """Numpy, shadow and terms equal the expression trees, which compute with Python integers."""
    given = arguments(instruction, {})
    symbolic = instruction.form.function(*given)
    symbolic = symbolic if isinstance(symbolic, tuple) else (symbolic,)
    inputs = {leaf: a.type.bits for a in given if isinstance(a, SymbolicLanes) for lane in a.lanes
              for leaf in lane.leaves()}
    samples = []
    for _ in range(3):
        values = {leaf: draw(rng, bits) & (15 if leaf[0] == "nzcv" else -1) for leaf, bits in inputs.items()}
        plain = [NumpyLanes.from_integers([lane.evaluate(values) for lane in a.lanes], a.type)
                 if isinstance(a, SymbolicLanes)
                 else a for a in given]
        numbers = instruction.form.function(*plain)
        shadow = instruction.form.function(*(ShadowLanes(a) if isinstance(a, NumpyLanes) else a for a in plain))
        if not isinstance(numbers, tuple):
            numbers, shadow = (numbers,), (shadow,)
        for want, n, s in zip(symbolic, numbers, shadow, strict=True):
            assert [lane.evaluate(values) for lane in want.lanes] == n.tolist() == s.value.tolist(), (
                f"{instruction}: inputs {values}")
            assert s.undefined is None
        samples.append(values)
    check_terms(instruction, given, symbolic, samples)


def check_terms(instruction: Instruction, given: list[Any], symbolic: tuple[Any, ...],
                samples: list[dict[Any, int]]) -> None:
    """Terms of variables, one for each lane of an argument, have the values of the expressions."""
    pool = TermPool()
    made = instruction.form.function(*(PolynomialLanes.inputs(pool, str(i), a.type, a.count)
                                       if isinstance(a, SymbolicLanes) else a for i, a in enumerate(given)))
    terms = made if isinstance(made, tuple) else (made,)
    results = [([lane.evaluate(values) for values in samples], got, lane.type) for want, lanes in zip(
        symbolic, terms, strict=True) for lane, got in zip(want.lanes, lanes.lanes, strict=True)]
    named = [{(str(i), at): lane.evaluate(values) for i, a in enumerate(given) if isinstance(a, SymbolicLanes)
              for at, lane in enumerate(a.lanes)} for values in samples]
    for number, inputs in enumerate(named):
        got = pool.evaluate([term for _, term, _ in results], inputs)
        assert [type_.wrap(x) for x, (_, _, type_) in zip(got, results, strict=True)] == [
            want[number] for want, _, _ in results], f"terms of {instruction}: inputs {samples[number]}"
    check_formulas(instruction, given, pool, results, named)


def check_formulas(instruction: Instruction, given: list[Any], pool: TermPool, results: list[Any],
                   named: list[dict[Any, int]]) -> None:
    """Formulas over bits, made by the body and made of the terms; floating point is refused by both."""
    formulas = FormulaBuilder()
    has_floats = bool(pool.float_rules())
    try:
        made = instruction.form.function(*(BitVectorLanes.inputs(formulas, str(i), a.type, a.count)
                                           if isinstance(a, SymbolicLanes) else a for i, a in enumerate(given)))
    except NoFormula as problem:
        assert has_floats, f"{instruction}: {problem}"
        return
    lanes = [n for one in (made if isinstance(made, tuple) else (made,)) for n in one.lanes]
    of_terms = TermFormulas(pool, formulas).get([term for _, term, _ in results])
    for number, inputs in enumerate(named):
        wanted = [want[number] for want, _, _ in results]
        for name, found in (("formulas", lanes), ("formulas of terms", of_terms)):
            got = formulas.evaluate(found, inputs)
            assert [type_.wrap(x) for x, (_, _, type_) in zip(got, results, strict=True)] == wanted, (
                f"{name} of {instruction}: inputs {inputs}")


# ---- dependencies ---------------------------------------------------------------------------------------------------

def location(isa: str, register: str) -> tuple[int, int]:
    """(slot, first byte) of a register as the dataflow names it."""
    slots = AARCH64 if isa == "aarch64" else AARCH32
    if isa == "aarch32" and register[0] == "d" and register[1:].isdigit():
        return int(register[1:]) // 2, int(register[1:]) % 2 * 8
    return slots.index["r13" if (isa, register) == ("aarch32", "sp") else register], 0


def span(isa: str, lane: tuple[str, str, int]) -> set[tuple[int, int]]:
    """The (slot, byte)s of a lane."""
    register, type_, number = lane
    slot, first = location(isa, register)
    size = element_named(type_).bytes
    return {(slot, first + number * size + i) for i in range(size)}


def check_dependencies(instruction: Instruction, rng: random.Random) -> None:
    """Bits are flipped, one register byte per tile; a lane may change only where its edge says it depends on it."""
    isa = instruction.isa
    slots = AARCH64 if isa == "aarch64" else AARCH32
    sizes = {i: 16 if i < slots.vectors else 1 if i >= slots.nzcv else slots.word.bytes
             for i in range(len(slots.names))}
    edges = dataflow(instruction)
    used = {location(isa, u.register)[0] for u in (*instruction.reads, *instruction.writes)}
    addresses = {location(isa, u.register)[0] for u in instruction.reads if u.role in ("base", "offset")}
    flips = [(slot, byte) for slot in sorted((used | {1, slots.vectors + 1}) - addresses) for byte in range(sizes[slot])
             if not (instruction.memory and instruction.condition and slot == slots.nzcv)]
    flips = [(-1, 0), *flips, *flips]
    tiles = len(flips)
    state = State(slots, Memory(), axes=2, tracing=False)
    state.memory.place(np.arange(2048, dtype=np.uint8), name="window")
    address = state.memory.buffer("window").address + 1024
    before = {}
    for slot, size in sizes.items():
        value = address if slot in addresses and size > 1 else rng.getrandbits(8 * size)
        value &= {slots.nzcv: 15, slots.qc: 1}.get(slot, -1)
        if slot in addresses and any(u.role == "offset" and location(isa, u.register)[0] == slot
                                     for u in instruction.reads):
            value = 0 if len(addresses) > 1 else value
        array = np.empty((size, tiles, 1), np.uint8)
        array[...] = np.array([value >> 8 * i & 255 for i in range(size)], np.uint8).reshape(-1, 1, 1)
        for tile, (at, byte) in enumerate(flips):
            if at == slot:
                array[byte, tile, 0] ^= rng.randrange(1, {slots.nzcv: 16, slots.qc: 2}.get(slot, 256))
        uniform = array if any(at == slot for at, _ in flips) else array[:, :1]
        before[slot] = np.broadcast_to(uniform, array.shape)
        lanes = NumpyLanes(uniform.copy(), u8)
        state.slots.append(VectorValue(((0, lanes),)) if slot < slots.vectors else lanes if size == 1 else
                           lanes._view(slots.word))
    state.memory.begin((tiles, 1), False)
    writes_memory = instruction.stores
    if writes_memory:
        return  # every tile would write the same bytes; what a store writes is its source
    bind(instruction, 0, slots)(state)
    after = {}
    for slot, size in sizes.items():
        held = state.slots[slot]
        array = numeric(held.read(0, 16, u8) if isinstance(held, VectorValue) else held._view(u8)).array
        after[slot] = np.broadcast_to(array, (size, tiles, 1))
    covered: set[tuple[int, int]] = set()
    for edge in edges:
        if edge.destination[0] in ("mem", "pc", "link"):
            continue
        where = span(isa, edge.destination)
        covered |= where
        sources = set().union(*(span(isa, s) for s in edge.sources if s[0] not in ("mem", "next")))
        for slot, byte in where:
            for tile in np.flatnonzero(after[slot][byte, :, 0] != after[slot][byte, 0, 0]).tolist():
                assert flips[tile] in sources, (
                    f"{instruction}: {edge.destination} depends on byte {flips[tile][1]} of "
                    f"{slots.names[flips[tile][0]]}, its edge names {edge.sources}")
    linked = {(slots.link, i) for i in range(8)} if "link" in instruction.writes_names else set()
    for slot, size in sizes.items():
        for byte in range(size):
            if (slot, byte) in covered | linked:
                continue
            now, old = after[slot][byte, :, 0], before[slot][byte, :, 0]
            cleared = isa == "aarch64" and any(slot == s for s, _ in covered) and not now.any()
            assert cleared or (now == old).all(), f"{instruction} changes {slots.names[slot]}, byte {byte}"


def run(isa: str, everything: bool, block: int) -> None:
    rng = random.Random(f"{isa} {block}")
    for instruction in chosen(isa, everything, block):
        check_readings(instruction, rng)
        if not instruction.is_branch:
            check_dependencies(instruction, rng)


@pytest.mark.parametrize(("isa", "block"), [
    one if one == ("aarch32", 8) else pytest.param(*one, marks=pytest.mark.slow if one == ("aarch64", 0) else
                                                   pytest.mark.nightly) for one in product(ISAS, range(BLOCKS))])
def test_a_line_of_each_kind(isa: str, block: int) -> None:
    run(isa, False, block)


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_all_lines(isa: str, block: int) -> None:
    run(isa, True, block)


@pytest.mark.slow
@pytest.mark.parametrize("isa", ISAS)
def test_every_form_has_a_line(isa: str) -> None:
    """What names a label apart: branches are tested here, addresses and literals in tests/arm/asm/test_data.py; what
    writes the rules of floating point in tests/arm/machine/test_violations.py, what a core says of itself in
    test_identity.py there."""
    seen = {i.form.template for block in range(BLOCKS) for i in chosen(isa, False, block)}
    assert {f.template for f in forms(isa) if "pc" not in f.semantics.writes and "zero" not in f.options
            and not any(p.role == "label" or p.spec in ("literal", "identity", "block") for p in f.patterns)} <= seen


@pytest.mark.parametrize(("isa", "line"), [
    ("aarch64", "b 1f"), ("aarch64", "b.lt 1f"), ("aarch64", "cbz x1, 1f"), ("aarch64", "cbnz w1, 1f"),
    ("aarch64", "tbz x1, #63, 1f"), ("aarch64", "tbnz w1, #0, 1f"), ("aarch64", "bl 1f"), ("aarch64", "ret"),
    ("aarch64", "br x3"), ("aarch32", "b 1f"), ("aarch32", "bne 1f"), ("aarch32", "bl 1f"), ("aarch32", "bx lr")])
def test_branches(isa: str, line: str) -> None:
    instruction = decoder(isa)(line)
    assert instruction is not None
    assert instruction.is_branch
    rng = random.Random(line)
    for _ in range(20):
        check_readings(instruction, rng)
    assert dataflow(instruction)[0].destination[0] == "pc"


def test_a_plain_mov_does_not_read_the_flags() -> None:
    """Only what the written result depends on is read: else a timing model would see a dependency that is none."""
    decode = decoder("aarch32")
    reads = {line: {u.register for u in i.reads} for line in (
        "mov r0, r1", "movs r0, r1", "lsl r0, r1, #3", "adc r0, r1, r2", "add r0, r1, r2, rrx", "moveq r0, r1",
        "and r0, r1, r2") for i in (decode(line),) if i is not None}
    assert {line for line, registers in reads.items() if "nzcv" in registers} == {
        "movs r0, r1", "adc r0, r1, r2", "add r0, r1, r2, rrx", "moveq r0, r1"}
    assert len(reads) == 7
