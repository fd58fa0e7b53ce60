"""The playground's Python: without numpy, and with it the same; what it begins with is what a machine begins with."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from docs.website.play import absent_numpy
from neonsim.arm.machine import Trace
from neonsim.arm.semantics.softfloat import FloatWord
from neonsim.cli.calls import arguments
from neonsim.errors import AbiViolation
from neonsim.learn.course.grading.cost import program_of, run
from neonsim.learn.course.grading.grade import budget_of, score_answer
from neonsim.learn.course.program_exercise import Task
from neonsim.learn.course.tasks import task_named
from neonsim.render.play import TextMistakes, answer, open_text, price, soft_words
from neonsim.render.play.judged import judge
from neonsim.render.play.start import MAX_BYTES, STACK_SENT
from neonsim.render.stepper.payload import payload, split
from neonsim.verify.checking import entry_of

from .play_digests import digests

ROOT = Path(__file__).parents[2]
SAMPLE = ("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", "qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane")
CALLS = {
    "aarch64": ("ldr q0, [x0]\nadd v0.4s, v0.4s, v0.4s\nstr q0, [x1]\nret", [
        "a=s32*4", "out=out:s32*4", "u8:3", "1.5", "f32:2", "f16:-3", "c=u64*3x5", "d=out:5000", "a+4", "-1", "2",
        "0x30", "s16:-4", "f=f16*7"]),
    "aarch32": ("vld1.32 {d0, d1}, [r0]\nvst1.32 {d0, d1}, [r1]\nbx lr", [
        "a=s32*4", "out=out:s32*4", "u8:3", "1.5", "f32:2", "u64:5", "s8:-1", "f64:0.1", "f=f32*3"]),
    "aarch32 registers": ("mov r0, r2\nbx lr", ["1", "u64:5", "f32:1", "f64:2", "f32:3"]),
    "data": ("ldr x0, =0x123456789abcdef\nadrp x1, tab\nadd x1, x1, :lo12:tab\nldr q0, [x1]\nldr q1, among\nret\n"
             "among: .word 5, 6, 7, 8\n.data\ntab: .word 1, 2, 3, 4\n", ["a=s32*4", "f64*2"]),
}


def texts(names: list[str]) -> dict[str, tuple[str, str]]:
    return {name: (ns.kernel(name).source, ns.kernel(name).isa) for name in names}


def without_numpy(given: dict[str, tuple[str, str]]) -> dict[str, str]:
    done = subprocess.run([sys.executable, "-m", "tests.render.play_digests", "--without-numpy"], cwd=ROOT,
                          input=json.dumps(given), capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_some_kernels_without_numpy() -> None:
    given = texts(list(SAMPLE))
    assert without_numpy(given) == digests(given)


@pytest.mark.nightly
def test_every_kernel_without_numpy() -> None:
    given = texts([kernel.name for kernel in ns.kernels()])
    assert without_numpy(given) == digests(given)


def test_the_stand_in_names_the_line() -> None:
    done = subprocess.run([sys.executable, "-c", (
        "from docs.website.play import absent_numpy as stand_in\nstand_in.install()\nimport numpy as np\n"
        "ZEROS: 'np.ndarray | None' = np.zeros(3)\nstand_in.seal()\n"
        "for use in ('np.zeros(3)', 'np.float32 | None', '-np.pi', 'ZEROS[0]', 'list(ZEROS)', 'bool(ZEROS)',"
        " 'np.random.default_rng(0)'):\n"
        "    try:\n        exec(compile('\\n\\n' + use, 'some/file.py', 'exec'))\n"
        "    except ImportError as problem:\n        print(problem)\n")], cwd=ROOT, capture_output=True, text=True,
        check=True)
    said = done.stdout.splitlines()
    assert len(said) == 7 and all("is used at some/file.py:3: there is no numpy here" in line for line in said), said
    with pytest.raises(ImportError, match="imported already"):
        absent_numpy.install()


@pytest.mark.parametrize("name", CALLS)
def test_a_call_begins_as_in_the_machine(name: str) -> None:
    isa, (text, words) = name if name.startswith("aarch") else "aarch64", CALLS[name]
    isa = isa.split()[0]
    opened = open_text(text, isa, words)
    machine = ns.Machine(isa)
    result = machine.call(ns.assemble(text, isa=isa), *arguments(machine, words)[0], trace=True, sanitize=True)
    assert result.trace is not None
    header, columns = split(payload(result.trace))
    for column in ("initial", "registers_known"):
        assert opened.columns[column] == columns[column].tobytes(), column
    mine: dict[str, Any] = json.loads(json.dumps(opened.header))
    for field in ("isa", "locations", "code", "source", "manual", "flows", "flow_of"):
        assert mine[field] == header[field], field
    at = 0
    judges = {buffer.name: buffer for buffer in result.trace.buffers}
    for one in mine["buffers"]:
        judge, size = judges[one["name"]], one["nbytes"]
        known = b"\1" * judge.nbytes if judge.defined is None else bytes(judge.defined)
        assert opened.columns["memory"][at:at + size] == judge.before[one["skipped"]:], one["name"]
        assert opened.columns["known"][at:at + size] == known[one["skipped"]:], one["name"]
        assert (one["address"] - one["skipped"], one["size"]) == (judge.address, judge.nbytes)
        at += size
    assert [one["name"] for one in mine["buffers"]] == [buffer.name for buffer in result.trace.buffers]


def accesses_of(trace: Trace) -> list[list[tuple[int, int, int]]]:
    """Of each step: (first address, bytes, whether it is a store)."""
    starts = trace.access_start.tolist()
    return [[(int(trace.access_address[k]), int(trace.access_bytes[k]), int(trace.access_store[k]))
             for k in range(first, last)] for first, last in pairwise(starts)]


def test_cycles_of_a_record_are_those_of_its_trace() -> None:
    text = ("mov x2, #5\n1: ldr q0, [x0], #16\nadd v0.4s, v0.4s, v0.4s\nstr q0, [x1], #16\nsubs x2, x2, #1\nb.ne 1b\n"
            "prfm pldl1keep, [x0]\nret")
    words = ["a=s32*20", "c=out:s32*20"]
    opened, machine = open_text(text, "aarch64", words), ns.Machine()
    trace = machine.call(ns.assemble(text, isa="aarch64"), *arguments(machine, words)[0], trace=True).trace
    assert trace is not None
    accesses = accesses_of(trace)
    for core in ("cortex-a53", "cortex-a76"):
        timed = ns.time(trace, core=core)
        timing, columns = price(opened.program, core, trace.pc.tolist(), trace.executed.tolist(), accesses,
                                opened.header["buffers"])
        assert timing["cycles"] == timed.cycles
        assert columns["issue_cycle"] == list(timed.run.issue) and columns["done_cycle"] == list(timed.run.completion)
        assert [timing["reasons"][k] for k in columns["reason"]] == list(timed.run.stall_reason)


def test_floating_point_is_computed_by_its_definitions() -> None:
    opened = open_text("fadd v0.8h, v1.8h, v2.8h\nfsqrt d0, d0\nfadd v3.4s, v3.4s, v3.4s\nret", "aarch64")
    live = opened.header["live"]
    assert not live["program"]["refused"] and [word[:2] for word in live["words"]] == [
        ["add", "f16"], ["sqrt", "f64"], ["add", "f32"]]
    soft = soft_words(json.dumps(live["words"]))
    root = struct.unpack("<Q", struct.pack("<d", 2.0))[0]
    assert struct.pack("<Q", soft(1, 0, root) & (1 << 64) - 1) == struct.pack("<d", 2.0**0.5)
    assert soft(1, 0, root) >> 64 == 16 and soft(0, 1 << 3, 0x3C00, 0x0001) == sum(
        one << at for one, at in zip(FloatWord("add", "f16", 1 << 3)(0x3C00, 0x0001), (0, 64), strict=True))


@pytest.mark.parametrize(("name", "text", "passes"), [
    ("dot-product", "", True), ("break-the-chain", "", True), ("keep-the-sum", "", True),
    ("add-two-vectors", "add_two_vectors: mov w6, #16\n1: ldrb w4, [x0], #1\nldrb w5, [x1], #1\nadd w4, w4, w5\n"
     "strb w4, [x2], #1\nsubs w6, w6, #1\nb.ne 1b\nret\n", False)])
def test_a_budget_is_judged_as_by_the_course(name: str, text: str, passes: bool) -> None:
    task = task_named(name)
    assert isinstance(task, Task)
    program = program_of(text or task.solution("aarch64"), "aarch64")
    case = task.calls.clock()
    trace = run(task, program, entry_of(program, task.label), case)[1]
    buffers = [{"name": one.name, "address": one.address, "nbytes": one.nbytes, "skipped": 0} for one in trace.buffers]
    outputs = [region for region, one in case.memory.items() if one.role == "out"]
    kept, missed = judge(program, budget_of(task, "aarch64", case), outputs, trace.pc.tolist(),
                         trace.executed.tolist(), accesses_of(trace), buffers)
    assert passes == (not missed)
    score = score_answer(task, text or task.solution("aarch64"), "aarch64")
    assert (tuple(kept), tuple(missed)) == (score.met, score.missed)


def test_what_a_callee_keeps_is_named() -> None:
    said = asked(ask="returned", isa="aarch32", changed=["d8", "r4"])["problem"]
    machine = ns.Machine("aarch32")
    with pytest.raises(AbiViolation) as violation:
        machine.call(ns.assemble("mov r4, #1\nvmov.i8 d8, #1\nbx lr", isa="aarch32"))
    assert said in str(violation.value)
    keeps = open_text("bx lr", "aarch32").header["live"]["keeps"]
    assert ["d9", 4, 8, 8] in keeps and ["sp", 29, 0, 4] in keeps


def asked(**question: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer(json.dumps(question)))
    return found


def test_every_mistake_has_its_place() -> None:
    said = asked(ask="open", text="add v0.4s, v1.4h, v2.4s\n  foo\nret", isa="aarch64")
    assert [(one["line"], one["column"], one["width"]) for one in said["mistakes"]] == [(1, 12, 5), (2, 3, 3)]
    assert "16-bit elements" in said["problem"]


def test_another_call_of_the_same_text_is_the_call_itself() -> None:
    text, words = CALLS["data"]
    whole = asked(ask="open", text=text, isa="aarch64", words=words, expected=["a=s32:1,2"])
    asked(ask="open", text=text, isa="aarch64", words=["1", "b=u8*70"])
    again = asked(ask="call", words=words, expected=["a=s32:1,2"])
    assert again["buffers"] == whole["header"]["buffers"] and again["regions"] == whole["header"]["live"]["regions"]
    assert again["columns"] == whole["columns"] and again["expected"] == whole["expected"]
    assert "there is no buffer" in asked(ask="call", words=["nobody"])["problem"]


@pytest.mark.parametrize(("question", "words"), [
    ({"ask": "open", "text": "", "isa": "aarch64"}, "this text has no instruction"),
    ({"ask": "open", "text": "ret", "isa": "mips"}, "must be aarch64 or aarch32; got 'mips'"),
    ({"ask": "open", "text": "ret\n" * 60_000, "isa": "aarch64"}, "the limit is 200000"),
    ({"ask": "open", "text": "ret", "isa": "aarch64", "words": ["q"]}, "there is no buffer 'q'"),
    ({"ask": "open", "text": "ret", "isa": "aarch64", "words": ["u8:300"]}, "300 does not fit u8"),
    ({"ask": "open", "text": "ret", "isa": "aarch64", "words": ["stack=u8*4"]}, "is reserved for the machine"),
    ({"ask": "open", "text": "ret", "isa": "aarch64", "words": ["a=u8*4", "a=u8*4"]}, "exists already"),
    ({"ask": "open", "text": "ret", "isa": "aarch64", "words": [f"u8*{MAX_BYTES + 1}"]}, "may have 1 MiB"),
    ({"ask": "open", "text": "ret", "isa": "aarch64", "words": ["1"] * 65}, "at most 64 words"),
    ({"ask": "open", "text": "bx lr", "isa": "aarch32", "words": ["0x123456789"]}, "does not fit a register"),
    ({"ask": "no"}, "the unknown request"),
    ({"ask": "open", "text": "ret", "isa": "aarch64", "words": ["a=u8*4"], "expected": ["b=u8:1,2"]}, "buffers: a"),
    ({"ask": "open", "text": "ret", "isa": "aarch64", "words": ["a=u8*4"], "expected": ["a=u8*5:1"]},
     "expects 5 bytes"),
], ids=str)
def test_refused_in_a_sentence(question: dict[str, Any], words: str) -> None:
    said = asked(**question)
    assert words in said["problem"] and "\n" not in said["problem"]


def test_the_stack_is_bounded() -> None:
    header = open_text("ret", "aarch64").header
    assert header["buffers"][-1]["nbytes"] == STACK_SENT
    with pytest.raises(TextMistakes, match="no instruction"):
        open_text("// nothing\n", "aarch64")
    assert np.frombuffer(open_text("ret", "aarch64").columns["known"], np.uint8).sum() == 0
