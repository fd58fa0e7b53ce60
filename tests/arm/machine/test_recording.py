"""Calls with trace and sanitizer at speed: the trace, the findings and the state are the interpreter's to the byte."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine import session
from neonsim.arm.machine.engines import recording
from neonsim.arm.machine.session import Session
from neonsim.arm.machine.trace.trace import Trace
from neonsim.arm.semantics import ShadowLanes, u8
from neonsim.common.locking import PerObjectCache
from tests.tiers import every

Made = Callable[[ns.Machine], tuple[Any, ...]]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recording engine takes over as soon as it can."""
    monkeypatch.setattr(recording, "WORTH", 0)
    monkeypatch.setattr(recording, "MET", 1)


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only the last steps are kept, what is recorded is dropped again and again."""
    monkeypatch.setattr(session, "CHUNK", 20)
    monkeypatch.setattr(session, "LAST", 30)


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Steps that the recording engine did, one number for each time it ran."""
    found: list[int] = []
    whole = recording.RecordingEngine.run

    def run(self: Any, *arguments: Any) -> Any:
        done = whole(self, *arguments)
        found.append(done[0])
        return done
    monkeypatch.setattr(recording.RecordingEngine, "run", run)
    return found


def columns(trace: Trace) -> dict[str, Any]:
    """Everything in a trace, comparable; types of arrays too."""
    found = {}
    for field in fields(trace):
        value = getattr(trace, field.name)
        if field.name not in ("_states", "program"):
            array = isinstance(value, np.ndarray)
            found[field.name] = (str(value.dtype), value.shape, value.tolist()) if array else value
    return found


def shadows(machine: ns.Machine) -> list[Any]:
    """Every register with the bits of it that are uninitialized."""
    found = []
    for value in machine.state.slots:
        lanes = value.read(0, 16, u8) if hasattr(value, "parts") else value
        mask = lanes.mask.array.tolist() if isinstance(lanes, ShadowLanes) else None
        found.append(((lanes.value if isinstance(lanes, ShadowLanes) else lanes).array.tolist(), mask))
    return found


def outcome(isa: str, text: str, words: tuple[int, ...], engine: str | None, **options: Any) -> dict[str, Any]:
    """All that a call leaves, also when it fails, and what taking back its last steps gives."""
    machine = ns.Machine(isa=isa, poison=3)
    memory = machine.memory
    at = memory.place(np.arange(256, dtype=np.uint8), name="data", reads_before=4, reads_after=8)
    fixed = memory.place(np.arange(64, dtype=np.uint8)[::-1].copy(), name="fixed", readonly=True)
    out = memory.alloc(96, name="out")
    found: dict[str, Any] = {}
    try:
        done = machine.call(ns.assemble(text, isa=isa), at, fixed, out, *words, engine=engine, **options)
        found["result"] = done.returned, done.steps, done.warnings, repr(done.returned_float)
        found["trace"] = done.trace and columns(done.trace)
    except ns.NeonsimError as problem:
        found["error"] = type(problem).__name__, str(problem), getattr(problem, "rule", None)
    found["registers"], found["line"], found["steps"] = shadows(machine), machine.line, machine.steps
    found["memory"] = [(memory.fetch(b.name).tolist(), memory.defined_bytes(b)) for b in memory.buffers]
    if options.get("trace", True):
        found["again"] = columns(machine.trace())
        if machine.steps > 1:
            machine.back(min(3, machine.steps - 1))
            found["back"] = shadows(machine), machine.line
    return found


def agree(isa: str, text: str, *words: int, **options: Any) -> dict[str, Any]:
    expected = outcome(isa, text, words, "interpreter", **options)
    got = outcome(isa, text, words, None, **options)
    for name, value in expected.items():
        assert got[name] == value, f"{name} differs"
    return expected


PROGRAMS = {
    "loop": ("aarch64", "mov x9, #0\nmov x10, #0\n0: ldrb w4, [x0, x9]\nadd x10, x10, x4\nadd x9, x9, #1\ncmp x9, x3\n"
                        "b.lo 0b\nstr x10, [x2]\nmov x0, x10\nret", (100,)),
    "vectors": ("aarch64", "mov x9, #5\nmovi v3.16b, #7\n0: ld1 {v0.16b}, [x0], #16\nld1 {v1.8b}, [x1], #8\n"
                           "uaddw v2.8h, v3.8h, v1.8b\nsmlal v3.4s, v2.4h, v0.h[3]\nsqadd v4.8h, v2.8h, v0.8h\n"
                           "ins v4.b[3], w9\nst1 {v4.8b}, [x2], #8\nsubs x9, x9, #1\nb.ne 0b\n"
                           "umov w0, v4.b[0]\nret", ()),
    "junk_in_registers": ("aarch64", "mov x9, #4\n0: ins v20.h[2], w9\nins v20.b[9], w9\nadd v21.4s, v20.4s, v20.4s\n"
                                     "movi v5.4h, #3\nsubs x9, x9, #1\nb.ne 0b\neor v6.16b, v6.16b, v6.16b\n"
                                     "mov w0, w9\nret", ()),
    "junk_in_memory": ("aarch64", "mov x9, #6\nmov x10, x2\n0: ldr x11, [x2]\nstr x9, [x10], #8\nsubs x9, x9, #1\n"
                                  "b.ne 0b\nldr x0, [x2]\nret", ()),
    "over_read": ("aarch64", "mov x9, #6\nadd x0, x0, #200\n0: ld1 {v0.8b}, [x0], #8\nushl d1, d0, d0\n"
                             "ext v1.16b, v0.16b, v0.16b, #3\nsubs x9, x9, #1\nb.ne 0b\nmov x0, #1\nret", ()),
    "saved": ("aarch64", "stp d8, d9, [sp, #-32]!\nstp x19, x30, [sp, #16]\nmov x19, #3\n0: movi v8.16b, #1\n"
                         "add v8.16b, v8.16b, v8.16b\nbl f\nsubs x19, x19, #1\nb.ne 0b\nldp x19, x30, [sp, #16]\n"
                         "ldp d8, d9, [sp], #32\nret\nf: add x5, x19, #2\nstr x5, [sp, #-16]!\n"
                         "ldr x0, [sp], #16\nret", ()),
    "flags": ("aarch64", "mov x9, #20\n0: adds w4, w9, w9, lsl #27\nccmp w4, w9, #5, vs\ncset x5, ge\nadcs x6, x5, x4\n"
                         "cinc x0, x6, mi\ntbz w9, #2, 1f\nands x7, x6, #0xff00\n"
                         "1: subs x9, x9, #1\nb.hi 0b\nret", ()),
    "conditions": ("aarch32", "push {r4, r5, lr}\nmov r4, #9\nmov r5, #0\n0: tst r4, #1\naddne r5, r5, r4\n"
                              "strbeq r4, [r2], #1\nvldmia r0!, {d0, d1}\nvld1.8 {d30[]}, [r1]\nvaddl.u8 q2, d0, d30\n"
                              "vmovne d3, r4, r5\nsubs r4, r4, #1\nbne 0b\nmov r0, r5\npop {r4, r5, pc}", ()),
    "halves": ("aarch32", "mov r12, #5\n0: vld1.8 {d0}, [r0]!\nvmovl.u8 q0, d0\nvmlal.s16 q8, d0, d1[2]\n"
                          "vld1.8 {d30[]}, [r1]\nvqmovn.s16 d30, q0\nvst1.8 {d30}, [r2]!\nsubs r12, r12, #1\n"
                          "bne 0b\nbx lr", ()),
}


OPTIONS: list[dict[str, Any]] = [{}, {"sanitize": False}, {"trace": False}, {"trace": "last 9"},
                                 {"trace": "last 9", "sanitize": False}, {"trace": "last 1000"}]


@pytest.mark.parametrize(("name", "options"), every(2, ((name, options) for name in PROGRAMS for options in OPTIONS)))
def test_same(name: str, options: dict[str, Any], recorded: list[int]) -> None:
    isa, text, words = PROGRAMS[name]
    if options.get("trace") is False:
        options = {**options, "sanitize": True}
    done = agree(isa, text, *words, **options)
    assert "result" in done, done
    assert sum(recorded) > 0


FAULTS = {
    "late_fault": ("aarch64", "mov x9, #40\n0: ld1 {v0.16b}, [x0], #16\nsubs x9, x9, #1\nb.ne 0b\nret", "MemoryFault"),
    "read_only": ("aarch64", "mov x9, #4\n0: str x9, [x2], #8\nsubs x9, x9, #1\nb.ne 0b\nstr x9, [x1]\nret",
                  "MemoryFault"),
    "junk_stored": ("aarch64", "mov x9, #4\nmovi v0.8b, #1\n0: ins v1.d[0], v0.d[0]\nstr d1, [x2], #8\n"
                               "subs x9, x9, #1\nb.ne 0b\nstr q1, [x2]\nret", "UninitialisedRead"),
    "junk_loaded": ("aarch64", "mov x9, #4\n0: str x9, [x2], #8\nsubs x9, x9, #1\nb.ne 0b\nldr x4, [x2]\n"
                               "cbz x4, 1f\n1: ret", "UninitialisedRead"),
    "junk_decision": ("aarch64", "mov x9, #4\n0: add x9, x9, #1\nb.ne 0b\nret", "UninitialisedRead"),
    "callee_saved": ("aarch64", "mov x19, #4\n0: subs x19, x19, #1\nmovi v9.16b, #0\nb.ne 0b\nret", "AbiViolation"),
    "limit": ("aarch64", "0: add x9, x9, #1\nstr x0, [x2]\nb 0b", "StepLimit"),
    "endless": ("aarch64", "mov x9, #3\n0: eor x9, x9, #6\nand x9, x9, #7\nb 0b", "StepLimit"),
    "no_return": ("aarch64", "mov x9, #3\n0: subs x9, x9, #1\nb.ne 0b", "MachineError"),
    "lost_link": ("aarch64", "mov x9, #3\n0: subs x9, x9, #1\nb.ne 0b\nbl f\nret\nf: ret", "MachineError"),
    "odd_sp": ("aarch32", "mov r12, #3\nsub sp, sp, #2\n0: str r12, [sp, #-8]\nsubs r12, r12, #1\nbne 0b\n"
                          "add sp, sp, #2\nbx lr", "MemoryFault"),
}


@pytest.mark.parametrize(("name", "trace"), every(2, ((name, trace) for name in FAULTS for trace in (True, "last 9"))))
def test_same_findings(name: str, trace: bool | str) -> None:
    """Reports to the letter: the rule, the steps that led there, where the bits come from."""
    isa, text, error = FAULTS[name]
    done = agree(isa, text, max_steps=1100, trace=trace)
    assert "error" in done, done["result"]
    if name != "lost_link":
        assert done["error"][0] == error


def random_line(rng: random.Random) -> str:
    d, n, m = (f"v{rng.choice((0, 1, 2, 3, 5, 20))}" for _ in range(3))
    a, b, c = (f"x{rng.choice((4, 5, 6, 7, 11))}" for _ in range(3))
    t = rng.choice(("8b", "16b", "4h", "8h", "2s", "4s"))
    return rng.choice((
        f"{rng.choice(('add', 'sqsub', 'smax', 'cmgt', 'sshl', 'uzp1', 'mla', 'srhadd'))} {d}.{t}, {n}.{t}, {m}.{t}",
        f"smlal {d}.4s, {n}.4h, v{rng.choice((0, 1, 2, 3, 5))}.h[{rng.randint(0, 7)}]", f"sqxtn2 {d}.16b, {n}.8h",
        f"mov {d}.16b, {n}.16b", f"mvn {a}, {b}", f"mov {a}, {b}", f"eor {a}, {b}, {c}", f"uadalp {d}.8h, {n}.16b",
        f"ins {d}.s[{rng.randint(0, 3)}], w{a[1:]}", f"umov w{a[1:]}, {n}.h[{rng.randint(0, 7)}]",
        f"movi {d}.8h, #{rng.randint(0, 255)}", f"ext {d}.16b, {n}.16b, {m}.16b, #{rng.randint(1, 15)}",
        f"adds {a}, {b}, {c}", f"adcs {a}, {b}, {c}", f"csel {a}, {b}, {c}, {rng.choice(('lo', 'ge', 'mi'))}",
        f"mul {a}, {b}, {c}", f"mov {a}, #{rng.randint(0, 999)}", f"ldr {a}, [x0, #{8 * rng.randint(0, 20)}]",
        f"ldr q{d[1:]}, [x1, #{16 * rng.randint(0, 3)}]", f"ld1 {{{d}.h}}[{rng.randint(0, 7)}], [x0]",
        f"str {a}, [sp, #{16 * rng.randint(0, 3)}]", f"ldr {a}, [sp, #{16 * rng.randint(0, 3)}]",
        f"str q{n[1:]}, [sp, #{16 * rng.randint(0, 3)}]", f"ldr q{d[1:]}, [sp, #{16 * rng.randint(0, 3)}]"))


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(n, marks=pytest.mark.nightly) for n in range(4, 60))])
def test_random_programs(seed: int) -> None:
    """Loops over any instructions on registers and stack that are partly junk; now and then one decides by it."""
    rng = random.Random(seed)
    lines = [random_line(rng) for _ in range(40)]
    if seed % 3 == 0:
        lines.insert(rng.randrange(40), f"cbz x{rng.choice((4, 7, 11))}, 1f")
    text = "\n".join(["sub sp, sp, #64", "mov x9, #6", "mov x4, #3", "ldr q0, [x0]", "0:", *lines, "1: subs x9, x9, #1",
                      "b.ne 0b", "add sp, sp, #64", "ret"])
    done = agree("aarch64", text)
    assert seed % 3 == 0 or done["steps"] > 200


CONTRACTS = ("qu8_sumrows", "qu8_gemm_q31", "qu8_gemm_xzp_q31")
KERNELS = [pytest.param(k, marks=[] if k.contract.name == CONTRACTS[0] or "4x8c2" in k.name else pytest.mark.nightly)
           for k in ns.kernels() if k.contract.name in CONTRACTS]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_kernels(kernel: Any, recorded: list[int]) -> None:
    """Trace columns and warnings of every kernel of the first contracts."""
    rng = np.random.default_rng(1)
    traces = []
    for engine in ("interpreter", None):
        rng = np.random.default_rng(1)
        machine = ns.Machine(isa=kernel.isa, poison=3)
        memory = machine.memory
        k, mr, nr = 29, kernel.tile.mr, kernel.tile.nr or 8
        values = {"mr": mr, "m": mr, "nr": nr, "kc": k, "k": k, "a_stride": k, "stride": k, "c_stride": nr,
                  "multiplier": 3}
        values["a"] = memory.place(rng.integers(0, 256, (mr, k), dtype=np.uint8), reads_before=7, readonly=True)
        values["w"] = memory.place(rng.integers(0, 256, 64 * nr, dtype=np.uint8), readonly=True)
        values["a_sum"] = memory.place(rng.integers(-99, 99, mr).astype(np.int32))
        block = np.zeros(16, np.uint8)
        block[:8] = np.array([1500000000, -9], np.int32).view(np.uint8)
        block[8:13] = 5, 0, 250, 1, 128
        values["params"] = memory.place(block, readonly=True)
        values["c"] = memory.alloc(mr * nr, name="c")
        values["sums"] = memory.alloc(4 * mr, name="sums")
        done = machine.call(kernel.program(), *(values[x.name] for x in kernel.contract.arguments), entry=kernel.name,
                            engine=engine)
        traces.append((columns(done.trace), done.warnings, shadows(machine)))
    assert traces[0] == traces[1]
    assert sum(recorded) > traces[0][0]["pc"][1][0] // 2


# ---- only the last steps ------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", [*range(100, 103), *(pytest.param(n, marks=pytest.mark.nightly)
                                                      for n in range(103, 140))])
@pytest.mark.usefixtures("in_pieces")
def test_the_last_steps_of_random_programs(seed: int) -> None:
    rng = random.Random(seed)
    lines = [random_line(rng) for _ in range(12)]
    text = "\n".join(["sub sp, sp, #64", "mov x9, #30", "mov x4, #3", "ldr q0, [x0]", "0:", *lines, "subs x9, x9, #1",
                      "b.ne 0b", rng.choice(("", "str q1, [x2]", "ldr x5, [x0, #4000]")), "add sp, sp, #64", "ret"])
    options: dict[str, Any] = {"trace": rng.choice((False, "last 1", "last 40", "last 200")),
                               "sanitize": seed % 4 != 1 or None}
    done = agree("aarch64", text, **options)
    assert done["steps"] > 100


def test_the_last_steps_take_no_more_than_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter does no more of them than it keeps, and of the record there is a bounded part at any time."""
    steps: list[int] = []
    kept: list[int] = []
    step, whole = Session._step, recording.RecordingEngine.run

    def counted(self: Session, *arguments: Any) -> None:
        steps.append(1)
        step(self, *arguments)

    def run(self: Any, *arguments: Any) -> Any:
        done = whole(self, *arguments)
        kept.append(len(self.order))
        return done
    monkeypatch.setattr(Session, "_step", counted)
    monkeypatch.setattr(recording.RecordingEngine, "run", run)
    monkeypatch.setattr(session, "CHUNK", 1000)
    program = ns.assemble(LONG, isa="aarch64")
    trace = ns.Machine().call(program, 0, 0, 0, 5_000, trace="last 500").trace
    assert trace is not None
    assert (trace.first, trace.steps) == (4 * 5_000 + 3 - 500, 500)
    assert len(steps) < 700
    assert max(kept) <= 1600, "records of blocks of four steps"


# ---- when it takes over, and what it leaves -------------------------------------------------------------------------

LONG = "mov x9, #0\n0: add x9, x9, #1\nadd x10, x9, x9\ncmp x9, x3\nb.lo 0b\nmov x0, x10\nret"


def test_only_what_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short calls are not translated until there are many of them; a long one is."""
    monkeypatch.undo()
    made: list[int] = []
    whole = recording.translate_recording  # type: ignore[attr-defined]
    monkeypatch.setattr(recording, "_TRANSLATIONS", PerObjectCache(lambda *a: (made.append(1), whole(*a))[1]))  # type: ignore[func-returns-value]
    program = ns.assemble(LONG, isa="aarch64")
    for _ in range(3):
        ns.Machine().call(program, 0, 0, 0, 8)
    assert not made
    for _ in range(2):
        ns.Machine().call(program, 0, 0, 0, 8)
    assert len(made) == 1
    other = ns.assemble(LONG, isa="aarch64")
    first = ns.Machine().call(other, 0, 0, 0, 500)
    assert len(made) == 2
    assert first.trace is not None
    assert first.trace.steps == first.steps == 4 * 500 + 3


def test_going_on_after_it() -> None:
    """Stepping back and forth again through what was only recorded."""
    machine = ns.Machine()
    done = machine.call(ns.assemble(LONG, isa="aarch64"), 0, 0, 0, 200)
    machine.back(5)
    assert machine.registers["x9"] == 199 + 1 and machine.running
    machine.run()
    assert machine.registers["x0"] == 400
    assert machine.trace().steps == done.steps


def test_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C stops between two blocks: the machine stands there, steps back, and goes on to the same end."""
    program = ns.assemble("mov x9, #0\n0: ldrb w4, [x0]\nadd x9, x9, #1\nstrb w9, [x2]\ncmp x9, #200\nb.lo 0b\n"
                          "mov x0, x9\nret", isa="aarch64")
    machine = ns.Machine()
    at = machine.memory.place(np.arange(8, dtype=np.uint8), name="data")
    out = machine.memory.alloc(8, name="out")
    whole, count = recording._find, [0]

    def find(*arguments: Any) -> Any:
        count[0] += 1
        if count[0] == 2:
            raise KeyboardInterrupt
        return whole(*arguments)
    monkeypatch.setattr(recording, "_find", find)
    with pytest.raises(KeyboardInterrupt):
        machine.call(program, at, 0, out)
    monkeypatch.setattr(recording, "_find", whole)
    assert machine.running
    stood = machine.steps
    machine.step(3)
    machine.back(3)
    assert machine.steps == stood
    machine.run()
    assert machine.registers["x0"] == 200
    assert machine.trace().steps == machine.steps == 1 + 5 * 200 + 2


@pytest.mark.parametrize(("isa", "trace"), every(3, [("aarch64", True), ("aarch64", False), ("aarch32", True),
                                                     ("aarch32", False)]))
def test_a_loop_without_end_is_not_done_again_to_report_it(isa: str, trace: bool,
                                                           monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter does the first steps, the looks for repetition and the last ones: no more than a fixed number."""
    x = "x" if isa == "aarch64" else "r"
    text = f"1: add {x}1, {x}1, #1\nadd {x}2, {x}2, {x}1\nldr {x}3, [{x}0]\nb 1b"
    reports, done = [], []
    step = Session._step

    def counted(self: Session, *arguments: Any) -> None:
        done.append(1)
        step(self, *arguments)
    monkeypatch.setattr(Session, "_step", counted)
    for engine in (None, "interpreter"):
        done.clear()
        machine = ns.Machine(isa)
        at = machine.memory.place(np.zeros(8, np.uint8), name="a")
        with pytest.raises(ns.StepLimit, match="still running after 9,000 steps") as caught:
            machine.call(ns.assemble(text, isa=isa), at, 0, 0, trace=trace, engine=engine, max_steps=9_000)
        reports.append(str(caught.value))
        if engine is None:
            assert len(done) < 2_500
            machine.back(3)  # what was only recorded is done now
            assert machine.steps == 8_997
    assert reports[0] == reports[1]
    assert reports[0].splitlines()[-1].startswith("(rule endless")


def test_a_loop_that_comes_back_late_is_found_and_reported_the_same() -> None:
    text = "1: subs x1, x1, #1\nb.ne 1b\n2: ldr x3, [x0]\nadd x4, x1, #2\nb 2b"
    reports = []
    for engine in (None, "interpreter"):
        machine = ns.Machine()
        at = machine.memory.place(np.zeros(8, np.uint8), name="a")
        with pytest.raises(ns.StepLimit, match="the same as 3 steps before") as caught:
            machine.call(ns.assemble(text, isa="aarch64"), at, 3_000, engine=engine)
        reports.append(str(caught.value))
    assert reports[0] == reports[1]


def test_limits_of_steps_fit_the_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who steps one by one is told sooner, and how to go on."""
    text = ns.assemble("1: add x1, x1, #1\nb 1b", isa="aarch64")
    reached: list[int] = []
    monkeypatch.setattr(Session, "run_on", lambda _, most, *rest: reached.append(most))
    both: tuple[dict[str, Any], ...] = ({}, {"engine": "interpreter"})
    for options in both:
        ns.Machine().call(text, 0, 0, **options)
    assert reached == [10_000_000, 1_000_000]
