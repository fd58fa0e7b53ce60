"""A grid of tiles in lock-step does what the tiles do one by one, or says that it cannot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.errors import BadArgument, LockstepDivergence, MemoryFault, UninitialisedRead

ROWS, COLUMNS = 3, 4
GRID = ns.Grid(ROWS, COLUMNS)
# A program of each kind of address and state: c[16 bytes of a tile] from a row, a column, a shared table, the stack.
MIX = {
    "aarch64": """
        stp d8, d9, [sp, #-32]!
        str x4, [sp, #16]
        ldr q0, [x0]
        ldr q8, [x1]
        ld1r {v2.4s}, [x3]
        mov w5, #3
    loop:
        mla v0.4s, v8.4s, v2.4s
        uaddw2 v0.8h, v0.8h, v8.16b
        ext v0.16b, v0.16b, v8.16b, #5
        sqadd v0.4s, v0.4s, v2.4s
        subs w5, w5, #1
        b.ne loop
        ldr w6, [sp, #16]
        dup v3.4s, w6
        add v0.4s, v0.4s, v3.4s
        str q0, [x2]
        umov w0, v0.s[1]
        ldp d8, d9, [sp], #32
        ret
    """,
    "aarch32": """
        push {r4-r6, lr}
        vpush {d8-d9}
        ldr r4, [sp, #32]
        ldr r6, [sp, #36]
        vld1.8 {d0-d1}, [r0]
        vld1.8 {d8-d9}, [r1]
        vld1.32 {d4[], d5[]}, [r3]
        mov r5, #3
    loop:
        vmla.i32 q0, q4, q2
        vaddw.u8 q0, q0, d9
        vext.8 q0, q0, q4, #5
        vqadd.s32 q0, q0, q2
        vmov.32 d1[1], r4
        subs r5, r5, #1
        bne loop
        cmp r4, #1000
        addhi r6, r6, #77
        movls r6, r4
        vmovhi.32 d3[0], r6
        vmovls.32 d3[0], r5
        vdup.32 q3, r6
        vadd.i32 q0, q0, q3
        vst1.8 {d0-d1}, [r2]
        vmov.32 r0, d0[1]
        vpop {d8-d9}
        pop {r4-r6, pc}
    """,
}
ISAS = pytest.mark.parametrize("isa", ["aarch64", "aarch32"])


def operands(isa: str, machine: ns.Machine) -> tuple[list[Any], np.ndarray[Any, Any]]:
    """Row pointers, column pointers, outputs, a shared table, two numbers per tile."""
    rng = np.random.default_rng(1)
    a = machine.memory.place(rng.integers(0, 256, (ROWS, 32), dtype=np.uint8), name="a")
    b = machine.memory.place(rng.integers(0, 256, (COLUMNS, 16), dtype=np.uint8), name="b", readonly=True)
    c = machine.memory.place(np.zeros((ROWS, COLUMNS, 16), np.uint8), name="c")
    table = machine.memory.place(rng.integers(0, 1 << 32, 4, dtype=np.uint32), name="table")
    i, j = np.arange(ROWS)[:, None], np.arange(COLUMNS)[None, :]
    shape = (ROWS, COLUMNS)
    numbers = rng.integers(0, 2000, shape)
    return [np.broadcast_to(a + 32 * i, shape), np.broadcast_to(b + 16 * j, shape), c + 64 * i + 16 * j, table, numbers,
            numbers[::-1]], numbers


@ISAS
@pytest.mark.parametrize("sanitize", [False, True])
def test_equals_tile_by_tile(isa: str, sanitize: bool) -> None:
    program = ns.assemble(MIX[isa], isa=isa)
    grid, one = ns.Machine(isa, 3), ns.Machine(isa, 4)
    arguments, _ = operands(isa, grid)
    together = grid.call(program, *arguments, tiles=GRID, sanitize=sanitize)
    arguments, _ = operands(isa, one)
    returned = np.zeros((ROWS, COLUMNS), np.int64)
    for i in range(ROWS):
        for j in range(COLUMNS):
            own = [int(x[i, j]) if isinstance(x, np.ndarray) else x for x in arguments]
            alone = one.call(program, *own)
            returned[i, j] = alone.returned
            assert alone.steps == together.steps
    assert together.tile_steps == ROWS * COLUMNS * together.steps
    assert np.array_equal(together.tile_returned.astype(np.int64), returned)
    for name in ("a", "b", "c", "table"):
        assert np.array_equal(grid.memory.fetch(name), one.memory.fetch(name)), name


@ISAS
def test_registers_of_every_tile(isa: str) -> None:
    """All SIMD and general registers that a program leaves behind, not only its output."""
    body = {"aarch64": "ldr q0, [x0]\nldr q1, [x1]\numull v2.8h, v0.8b, v1.8b\nzip1 v3.8b, v0.8b, v1.8b\n"
                       "addv s4, v0.4s\ncmp x4, #1000\ncset x9, hi\ncsinc x10, x4, x5, lt\nret",
            "aarch32": "vld1.8 {d0-d1}, [r0]\nvld1.8 {d2-d3}, [r1]\nvmull.u8 q2, d0, d2\nvpadal.u16 q2, q1\n"
                       "cmp r0, r1\nmovhi r3, #1\nmvnls r3, r0\nvmov r2, r12, d4\nbx lr"}[isa]
    body = body.replace("cset x9, hi\n", "csel x9, x0, x1, hi\n")
    program = ns.assemble(body, isa=isa)
    grid, one = ns.Machine(isa), ns.Machine(isa)
    arguments, _ = operands(isa, grid)
    grid.call(program, *arguments, tiles=GRID, trace=False)
    operands(isa, one)
    names = ["v0", "v1", "v2", "v3", "v4", "x9", "x10"] if isa == "aarch64" else ["q0", "q1", "q2", "r2", "r3", "r12"]
    for i in range(ROWS):
        for j in range(COLUMNS):
            own = [int(x[i, j]) if isinstance(x, np.ndarray) else x for x in arguments]
            one.call(program, *own, trace=False)
            for name in names:
                slot = one.state.registers.index[name]
                assert _tile(grid, slot, i, j) == _tile(one, slot, 0, 0), (name, i, j)


def _tile(machine: ns.Machine, slot: int, i: int, j: int) -> bytes:
    from neonsim.arm.machine.arch.registers import VectorValue, numeric
    from neonsim.arm.semantics import u8, view

    value = machine.state.slots[slot]
    array = numeric(value.read(0, 16, u8) if isinstance(value, VectorValue) else view(value, u8)).array
    if array.ndim == 3:
        array = np.broadcast_to(array, (len(array), ROWS, COLUMNS))[:, i, j]
    return array.tobytes()


@ISAS
def test_trace_of_a_grid_is_the_first_tile_s(isa: str) -> None:
    program = ns.assemble(MIX[isa], isa=isa)
    grid, one = ns.Machine(isa), ns.Machine(isa)
    arguments, _ = operands(isa, grid)
    t = grid.call(program, *arguments, tiles=GRID, trace=True).trace
    operands(isa, one)
    alone = one.call(program, *(int(x[0, 0]) if isinstance(x, np.ndarray) else x for x in arguments)).trace
    assert t.grid == (ROWS, COLUMNS)
    assert t.pc.tolist() == alone.pc.tolist()
    assert t.executed.tolist() == alone.executed.tolist()
    assert t.write_location.tolist() == alone.write_location.tolist()
    assert t.access_store.tolist() == alone.access_store.tolist()
    before = {b.name: b for b in t.buffers}
    assert not any(before["c"].before), "memory before the first step: no tile has written yet"
    simd = [i for i, x in enumerate(t.locations) if x[0] in "vq" and x[1:].isdigit() and x not in ("v8", "v9", "q4")]
    mine, theirs = ([tuple(x.write_after[k]) for k in range(len(x.write_location)) if x.write_location[k] in simd]
                    for x in (t, alone))
    assert len(mine) > 10
    assert mine[:8] == theirs[:8]
    grid.back(10 ** 6)
    assert not grid.memory.fetch("c").any()
    grid.step(10 ** 6)
    one_c = one.memory.fetch("c")
    assert np.array_equal(grid.memory.fetch("c")[0, 0], one_c[0, 0])
    assert grid.memory.fetch("c").any(axis=2).all()


def test_gathered_addresses() -> None:
    """A pointer table: each tile loads its address, then the bytes there, wherever they are; then a store likewise."""
    machine = ns.Machine()
    rng = np.random.default_rng(2)
    data = rng.integers(0, 256, (12, 64), dtype=np.uint8)
    rows = [machine.memory.place(row, name=f"row{k}") for k, row in enumerate(data)]
    c = machine.memory.alloc(12 * 24, name="c")
    order, places = rng.permutation(12), rng.permutation(12)
    table = machine.memory.place(np.array([rows[k] for k in order], np.uint64), name="table")
    out = machine.memory.place(np.array([c + 24 * k for k in places], np.uint64), name="out")
    program = ns.assemble("ldr x2, [x0]\nldr x3, [x1]\nldr q0, [x2, #8]\nldr d1, [x2, #1]\nstr q0, [x3], #16\n"
                          "str d1, [x3]\nret", isa="aarch64")
    offsets = 8 * np.arange(12).reshape(3, 4)
    before = machine.memory.fetch("c").tolist()
    for sanitize in (True, False):
        machine.call(program, table + offsets, out + offsets, tiles=GRID, sanitize=sanitize, trace=True)
        written = machine.memory.fetch("c", shape=(12, 24))
        for tile in range(12):
            row = data[order[tile]]
            assert written[places[tile]].tolist() == [*row[8:24], *row[1:9]]
    machine.back(100)
    assert machine.memory.fetch("c").tolist() == written.ravel().tolist() != before
    machine.call(program, table + offsets, out + offsets, tiles=GRID, sanitize=True, trace=True)


def test_a_gather_is_taken_back() -> None:
    machine = ns.Machine()
    c = machine.memory.place(np.arange(96, dtype=np.uint8), name="c")
    places = c + np.array([[0, 40, 16, 80]])
    machine.call(ns.assemble("str x1, [x0]\nret", isa="aarch64"), places, 0, tiles=ns.Grid(1, 4), trace=True)
    assert not machine.memory.fetch("c")[[0, 7, 40, 47, 16, 80, 87]].any()
    assert machine.memory.fetch("c")[[8, 24, 48, 88]].tolist() == [8, 24, 48, 88]
    machine.back(2)
    assert machine.memory.fetch("c").tolist() == list(range(96))


def test_a_gather_that_leaves_a_buffer() -> None:
    machine = ns.Machine()
    a = machine.memory.place(np.zeros(64, np.uint8), name="a")
    program = ns.assemble("ldr x1, [x0]\nret", isa="aarch64")
    with pytest.raises(MemoryFault, match=r'tile \(1, 0\): reads 8 bytes at .*offset 60 of buffer "a"'):
        machine.call(program, a + np.array([[0, 1], [60, 5]]), tiles=ns.Grid(2, 2))
    with pytest.raises(MemoryFault, match=r'tile \(0, 2\): .*offset 64 of buffer "a"'):
        machine.call(program, a + 32 * np.arange(3).reshape(1, 3), tiles=ns.Grid(1, 3))


def test_a_diverging_branch() -> None:
    machine = ns.Machine()
    program = ns.assemble("cbz x0, 1f\nadd x0, x0, #1\n1: ret", isa="aarch64")
    with pytest.raises(LockstepDivergence) as caught:
        machine.call(program, np.array([[0, 1, 0]]), tiles=ns.Grid(1, 3))
    assert "step 1, cbz x0, 1f: 1 of 3 tiles would branch to another place" in str(caught.value).replace("1b", "1f")
    assert "Run tiles of equal sizes together" in str(caught.value)
    assert machine.call(program, np.array([[3, 1, 2]]), tiles=ns.Grid(1, 3)).tile_returned.tolist() == [[4, 2, 3]]


def test_a_diverging_conditional_load() -> None:
    machine = ns.Machine("aarch32")
    a = machine.memory.place(np.zeros(4, np.uint32), name="a")
    program = ns.assemble("cmp r1, #1\nldreq r2, [r0]\nbx lr", isa="aarch32")
    with pytest.raises(LockstepDivergence, match="2 of 4 tiles would execute this conditional instruction"):
        machine.call(program, a, np.array([[1, 2], [1, 0]]), tiles=ns.Grid(2, 2))
    machine.call(program, a, np.array([[1, 1], [1, 1]]), tiles=ns.Grid(2, 2))


def test_conditional_execution_tile_by_tile() -> None:
    machine = ns.Machine("aarch32")
    program = ns.assemble("cmp r0, #5\nmov r1, #1\naddgt r0, r0, #100\nsubslt r0, r0, #1\nmovmi r1, #9\n"
                          "vmov.i32 d0, #0\nvmovgt.32 d0[0], r0\nvmov.32 r2, d0[0]\nadd r0, r0, r2, lsl #8\n"
                          "orr r0, r0, r1, lsl #24\nbx lr", isa="aarch32")
    values = np.arange(12).reshape(3, 4)
    got = machine.call(program, values, tiles=GRID).tile_returned
    want = [[ns.Machine("aarch32").call(program, int(v)).returned for v in row] for row in values]
    assert got.tolist() == want


@pytest.mark.parametrize(("step", "words"), [
    (0, "two tiles write the same byte, because the address does not differ between tiles"),
    (4, "tiles (0, 1) and (0, 0) write the same byte"), (8, None)])
def test_overlapping_writes(step: int, words: str | None) -> None:
    machine = ns.Machine()
    c = machine.memory.alloc(64, name="c")
    program = ns.assemble("str x1, [x0]\nret", isa="aarch64")

    def call() -> None:
        machine.call(program, c + step * np.arange(4).reshape(1, 4), 5, tiles=ns.Grid(1, 4))

    if words is None:
        call()
        return
    with pytest.raises(LockstepDivergence) as caught:
        call()
    text = str(caught.value)
    assert "write the same byte" in text
    assert words in text or step
    assert "a different output for each tile" in text


def test_overlap_of_two_instructions_and_of_gathers() -> None:
    machine = ns.Machine()
    c = machine.memory.alloc(64, name="c")
    two = ns.assemble("str w1, [x0]\nstr w1, [x0, #8]\nret", isa="aarch64")
    with pytest.raises(LockstepDivergence, match=r"step 2, str .* write the same byte"):
        machine.call(two, c + 8 * np.arange(4).reshape(1, 4), 5, tiles=ns.Grid(1, 4))
    one = ns.assemble("str w1, [x0]\nret", isa="aarch64")
    with pytest.raises(LockstepDivergence, match="write the same byte"):
        machine.call(one, c + np.array([[0, 20, 4, 22]]), 5, tiles=ns.Grid(1, 4))
    machine.call(one, c + np.array([[0, 20, 4, 24]]), 5, tiles=ns.Grid(1, 4))
    again = ns.assemble("str w1, [x0]\nstr w1, [x0]\nldr w2, [x0]\nret", isa="aarch64")  # its own bytes: any time
    machine.call(again, c + np.array([[0, 20, 4, 24]]), 5, tiles=ns.Grid(1, 4))


@pytest.mark.parametrize("where", ["neighbor", "uniform", "gather"])
def test_reading_what_another_tile_wrote(where: str) -> None:
    machine = ns.Machine()
    c = machine.memory.place(np.zeros(64, np.uint8), name="c")
    program = ns.assemble("str w2, [x0]\nldr w3, [x1]\nret", isa="aarch64")
    own = c + 8 * np.arange(4).reshape(1, 4)
    read = {"neighbor": own[:, ::-1], "uniform": c, "gather": own[:, [0, 3, 1, 2]]}[where]
    with pytest.raises(LockstepDivergence, match=r"step 2, .*a tile reads a byte that another tile has written"):
        machine.call(program, own, read, 5, tiles=ns.Grid(1, 4))
    machine.call(program, own, own, 5, tiles=ns.Grid(1, 4))
    machine.call(program, own, c + 40, 5, tiles=ns.Grid(1, 4))


@ISAS
def test_private_stacks(isa: str) -> None:
    """Each tile has its own: what is pushed by one is not seen by another."""
    body = {"aarch64": "str x0, [sp, #-16]!\nmov x0, #0\nldr x0, [sp], #16\nret",
            "aarch32": "push {r0, r4}\nmov r0, #0\npop {r0, r4}\nbx lr"}[isa]
    values = np.arange(12).reshape(3, 4) * 3
    for sanitize in (True, False):
        result = ns.Machine(isa).call(ns.assemble(body, isa=isa), values, tiles=GRID, sanitize=sanitize)
        assert result.tile_returned.tolist() == values.tolist()


@ISAS
def test_the_stack_ends_where_it_ends_for_one_tile(isa: str) -> None:
    read, behind = (ns.assemble(f"ldr {'x0' if isa == 'aarch64' else 'r0'}, [sp, #{offset}]\n"
                                f"{'ret' if isa == 'aarch64' else 'bx lr'}", isa=isa) for offset in (0, 256))
    for tiles in (None, ns.Grid(2, 2)):
        with pytest.raises(MemoryFault):  # behind the caller's frame
            ns.Machine(isa).call(behind, 1, tiles=tiles, sanitize=False)
    many = ns.Machine(isa).call(read, *range(9), 77, tiles=ns.Grid(2, 2)).returned
    assert many == (8 if isa == "aarch64" else 4)


def test_junk_on_the_stack_of_a_grid() -> None:
    program = ns.assemble("sub sp, sp, #16\nldr x0, [sp], #16\nret", isa="aarch64")
    got = {ns.Machine(poison=p).call(program, tiles=ns.Grid(2, 2)).returned for p in range(3)}
    assert len(got) == 3
    with pytest.raises(UninitialisedRead):
        asked = ns.assemble("sub sp, sp, #16\nldr x0, [sp], #16\ncbz x0, 1f\n1: ret", isa="aarch64")
        ns.Machine().call(asked, tiles=ns.Grid(2, 2), sanitize=True)


@pytest.mark.parametrize("argument", [np.zeros((3, 3), int), np.zeros(12, int), np.zeros((3, 4)),
                                      np.zeros((3, 4), object), [[1, 2]], "x"],
                         ids=lambda x: str(getattr(x, "dtype", x)))
def test_refused_grid_arguments(argument: Any) -> None:
    with pytest.raises(BadArgument, match="argument 0"):
        ns.Machine().call(ns.assemble("ret", isa="aarch64"), argument, tiles=GRID)


def test_values_too_large_for_a_register() -> None:
    with pytest.raises(BadArgument, match="does not fit a register of 32 bits"):
        ns.Machine("aarch32").call(ns.assemble("bx lr", isa="aarch32"), np.full((3, 4), 1 << 32), tiles=GRID)
    top = np.full((3, 4), (1 << 64) - 1, np.uint64)
    assert ns.Machine().call(ns.assemble("ret", isa="aarch64"), top, tiles=GRID).returned == (1 << 64) - 1


def test_a_grid_of_one() -> None:
    machine = ns.Machine()
    c = machine.memory.alloc(8, name="c")
    machine.call(ns.assemble("str x1, [x0]\nret", isa="aarch64"), c, 9, tiles=ns.Grid(1))
    assert machine.memory.fetch("c", dtype="u8")[0] == 9


def test_callee_saved_in_one_tile_only() -> None:
    with pytest.raises(ns.AbiViolation, match="x19 changed"):
        ns.Machine().call(ns.assemble("cmp x0, #0\ncsel x19, x19, x0, eq\nret", isa="aarch64"),
                          np.array([[0, 0, 1]]), tiles=ns.Grid(1, 3))


def test_uninitialized_in_one_tile_only() -> None:
    machine = ns.Machine()
    a = machine.memory.alloc(32, name="a")
    machine.call(ns.assemble("str x1, [x0]\nret", isa="aarch64"), a, 1)
    program = ns.assemble("ldr x1, [x0]\ncbz x1, 1f\n1: ret", isa="aarch64")
    where = a + 8 * np.arange(4).reshape(1, 4)
    with pytest.raises(UninitialisedRead):
        machine.call(program, where, tiles=ns.Grid(1, 4), sanitize=True)
    machine.call(program, np.full((1, 4), a), tiles=ns.Grid(1, 4), sanitize=True)
