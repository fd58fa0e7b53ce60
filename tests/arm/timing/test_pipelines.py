"""Properties that hold for any instruction stream on any core."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neonsim.arm.timing import InstructionStream, StaticInstruction, bounds, cores, load_core, load_cores, time
from neonsim.arm.timing.cores.instruction_classes import CLASSES
from neonsim.arm.timing.cores.model import Core, PriceRow
from neonsim.arm.timing.simulation import simulate
from neonsim.studies.kernels import with_latency
from tests.tiers import every, examples

# What every core with AArch64 has; `on` leaves out what a core without it has not.
NAMES = sorted(set(CLASSES).difference(*(core.absent() for core in load_cores() if "aarch64" in core.isas)))
REAL = [core.name for core in load_cores() if not core.teaching]
REGISTERS = [f"v{n}" for n in range(6)]
BASES = ["x0", "x1"]


def build(name: str, width: str, bits: int, sources: list[str], target: str, base: str,
          update: bool) -> StaticInstruction:
    kind = CLASSES[name].kind
    address, back = (("base", base),), (("base", base),) if update else ()
    if kind == "load":
        size = 16 if width == "q" else 8
        return StaticInstruction(name, name, width, bits, reads=address, writes=(("t", target), *back), nbytes=size)
    if kind == "store":
        return StaticInstruction(name, name, width, bits, reads=(("t", sources[0]), *address), writes=back, nbytes=16)
    if kind == "branch":
        return StaticInstruction(name, name, reads=(("nzcv", "nzcv"),))
    roles = ("n", "m", "a")
    return StaticInstruction(name, name, width, bits, reads=tuple(zip(roles, sources, strict=False)),
                             writes=(("d", target),))


def on(core: Core, ops: list[StaticInstruction], **more: Any) -> InstructionStream:
    """The operations in the core's instruction set; one that it has not is an addition of the same width."""
    absent = core.absent()
    return InstructionStream.of_ops([replace(op, timing="asimd_add") if op.timing in absent else op for op in ops],
                                    isa=core.isas[-1], **more)


OPS = st.builds(build, st.sampled_from(NAMES), st.sampled_from(["d", "q"]), st.sampled_from([8, 16, 32]),
                st.lists(st.sampled_from(REGISTERS), min_size=1, max_size=3), st.sampled_from(REGISTERS),
                st.sampled_from(BASES), st.booleans())
STREAMS = st.lists(OPS, min_size=1, max_size=30)


@pytest.mark.parametrize("name", every(2, sorted(cores())))
@examples(8)
@given(ops=STREAMS, iterations=st.integers(1, 4))
def test_slots_add_up_and_bounds_hold(name: str, ops: list[StaticInstruction], iterations: int) -> None:
    core = load_core(name)
    stream = on(core, ops, iterations=iterations)
    run = simulate(stream, core)
    assert run.filled == len(stream)
    assert run.filled + sum(run.slots.values()) == core.width * run.cycles
    assert all(lost > 0 for lost in run.slots.values())
    limit = bounds(stream, core)
    assert limit.highest <= run.cycles, f"{limit}\nsimulated {run.cycles}"
    for start, issue, done, retire in zip(run.start, run.issue, run.completion, run.retire, strict=True):
        assert start <= issue < done <= max(retire, done) <= run.cycles
    assert len(run.stall_reason) == len(run.unit) == len(stream) and all(run.unit)
    assert run.retire == sorted(run.retire) or core.kind == "in-order"


@pytest.mark.parametrize("name", ["cortex-a53", "cortex-a72"])
@examples(30)
@given(ops=STREAMS)
def test_operands_are_there_before_use(name: str, ops: list[StaticInstruction]) -> None:
    """The record judged by a plain reading of the rules: nothing starts before what it reads has arrived."""
    core = load_core(name)
    run = simulate(InstructionStream.of_ops(ops), core)
    writer: dict[str, tuple[int, int]] = {}
    for k, op in enumerate(ops):
        for position, (role, register) in enumerate(op.reads):
            if register in writer and not (role == "base" and core.writeback_unit):
                producer, write = writer[register]
                if ops[producer].writes[write][0] == "base" and core.writeback_unit:
                    continue          # its own micro-operation, which may run ahead of the load or store
                wait = core.latency(ops[producer], write, op, role, position)
                assert run.issue[k] >= run.issue[producer] + wait
        writer.update({register: (k, write) for write, (_, register) in enumerate(op.writes)})


@pytest.mark.parametrize("name", every(3, REAL))
@examples(5)
@given(ops=STREAMS)
def test_bounds_are_monotone_in_width_and_pipes(name: str, ops: list[StaticInstruction]) -> None:
    core = load_core(name)
    stream = on(core, ops)
    before = bounds(stream, core)
    wider = bounds(stream, replace(core, width=core.width + 1, micros=core.micros + 1)).cycles
    assert wider["width"] < before.cycles["width"]
    assert all(wider[key] <= before.cycles[key] for key in before.cycles)
    units = {key: replace(unit, count=unit.count * 2) for key, unit in core.units.items()}
    richer = bounds(stream, replace(core, units=units))
    assert all(cycles <= before.cycles.get(key, cycles) for key, cycles in richer.cycles.items())
    assert richer.highest <= before.highest


@pytest.mark.parametrize("name", every(3, REAL))
@examples(5)
@given(ops=STREAMS, chosen=st.sampled_from(NAMES))
def test_bounds_are_monotone_in_latency(name: str, ops: list[StaticInstruction], chosen: str) -> None:
    core = load_core(name)
    stream = on(core, ops)
    chosen = "asimd_add" if chosen in core.absent() else chosen
    latency = max((core.price(op).latency for op in stream.ops if op.timing == chosen), default=1)
    before, after = bounds(stream, core).cycles, bounds(stream, with_latency(core, chosen, latency + 2)).cycles
    assert all(after[key] >= before[key] for key in before)


@pytest.mark.parametrize("name", every(3, REAL))
@examples(6)
@given(order=st.permutations(range(12)), names=st.lists(st.sampled_from(NAMES), min_size=12, max_size=12))
def test_order_of_independent_instructions_on_an_endless_core(name: str, order: list[int], names: list[str]) -> None:
    """Every unit a hundredfold, a hundred instructions a cycle, no pairing rule: only the longest latency counts."""
    core = load_core(name)
    units = {key: replace(unit, count=100, queue=1000, enter=0, q_form_older=False, in_order="")
             for key, unit in core.units.items()}
    free = {"alone": False, "older": False, "last_beat_free": False}
    rows = (*core.rows, *(PriceRow(timing, (), free) for timing in NAMES),
            *(PriceRow(row.name, row.suffixes, free) for row in core.rows if row.suffixes))
    endless = replace(core, width=100, micros=1000, rob=1000, retire=1000, loads=0, stores=0, units=units, rows=rows,
                      rates=(), aparts=(), taken_branch_ends_group=False)
    ops = [build(timing, "q", 16, [f"s{k}"], f"t{k}", f"b{k}", False) for k, timing in enumerate(names)]
    cycles = simulate(on(endless, ops), endless).cycles
    assert simulate(on(endless, [ops[k] for k in order]), endless).cycles == cycles


def chain(length: int, role: str) -> list[StaticInstruction]:
    return [StaticInstruction("asimd_mla_long", "smlal", "q", 16, reads=(("n", "v1"), (role, "v0")),
                              writes=(("d", "v0"),))] * length


@pytest.mark.parametrize(("role", "cycles"), [("a", 1), ("n", 4)], ids=["accumulator_is_forwarded", "factor_is_not"])
@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72"])
def test_accumulate_chain(core: str, role: str, cycles: int) -> None:
    run = simulate(InstructionStream.of_ops(chain(50, role)), load_core(core))
    assert run.issue[-1] - run.issue[-11] == 10 * cycles


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72"])
def test_row_says_what_it_waited_for(core: str) -> None:
    timing = time(InstructionStream.of_ops(chain(5, "n")), core=core)
    assert [row.stall_reason for row in timing.rows()] == ["", *["operand: multiply"] * 4]


def test_skewed_chain_runs_one_a_cycle() -> None:
    """Cortex-A55: two dependent additions issue together, but a long chain still takes a cycle each."""
    steps = [StaticInstruction("alu", "add", reads=(("n", f"x{k % 2}"),), writes=(("d", f"x{1 - k % 2}"),)) for k
             in range(40)]
    run = simulate(InstructionStream.of_ops(steps), load_core("cortex-a55"))
    assert run.issue[1] == 0 and run.issue[39] - run.issue[19] == 20


def test_three_q_form_operations_in_two_cycles_on_a72() -> None:
    def issue(width: str) -> float:
        ops = [StaticInstruction("asimd_add", "add", width, 32, writes=(("d", f"v{k % 16}"),)) for k in range(480)]
        run = simulate(InstructionStream.of_ops(ops), load_core("cortex-a72"))
        return 360 / (run.issue[-1] - run.issue[-361])

    assert issue("q") == pytest.approx(1.5, rel=0.02)
    assert issue("d") == pytest.approx(2.0, rel=0.02)


def test_loads_in_flight_are_limited() -> None:
    """A slow chain at the head keeps loads from retiring: with few entries the rest of the program waits for them."""
    core = load_core("neoverse-n1")
    ops = [*[StaticInstruction("asimd_sqdmulh", "sqdmulh", "q", 32, reads=(("n", "v0"),), writes=(("d", "v0"),))] * 20,
           *[StaticInstruction("ldr_simd", "ldr", "q", reads=(("base", "x0"),), writes=(("t", f"v{k}"),), nbytes=16)
             for k in range(1, 20)]]
    free, tight = (simulate(InstructionStream.of_ops(ops), replace(core, loads=loads)) for loads in (0, 4))
    assert "queue: loads" in tight.slots and "queue: loads" not in free.slots
    assert tight.issue[-1] > free.issue[-1] + 50
    assert tight.filled + sum(tight.slots.values()) == core.width * tight.cycles


def test_a_longer_queue_of_work_is_only_ever_charged_once() -> None:
    timing = time(InstructionStream.of_ops(chain(20, "n")), core="cortex-a53")
    assert timing.slots["operand: multiply"] == 19 * (2 * 4 - 1)
    assert timing.instructions / 2 + sum(timing.stalls.values()) == timing.cycles


def test_micro_operations_go_where_least_work_waits() -> None:
    """Two products of two cycles each on V0, four sums on either pipe: the sums belong on V1, all of them."""
    core = load_core("neoverse-n1")

    def op(name: str, target: str) -> StaticInstruction:
        return StaticInstruction(name, name, "q", 32, reads=(("n", "v1"), ("m", "v2")), writes=(("d", target),))

    stream = InstructionStream.of_ops([op("asimd_mul", f"v{3 + k}") for k in range(2)]
                                      + [op("asimd_add", f"v{5 + k}") for k in range(4)])
    by_work, by_entries = (simulate(stream, replace(core, steer=rule)) for rule in ("work", "entries"))
    assert by_work.unit == ["V0"] * 2 + ["V1"] * 4
    assert "V0" in by_entries.unit[2:] and max(by_entries.issue) > max(by_work.issue)
