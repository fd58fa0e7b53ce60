"""The playground's examples: programs with arguments and what must come out.

What is expected of a lesson and of a kernel is what the definition says of a call that its generator draws; the machine
in Python has run each example, and left those bytes.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import neonsim as ns
from neonsim.arm.asm import Program, assemble
from neonsim.arm.isa import WORD_BYTES
from neonsim.arm.machine.memory.arguments import DTYPES, declared, is_place, nbytes_of
from neonsim.errors import NeonsimError
from neonsim.learn.course.classroom.gradebook import FORMAT
from neonsim.learn.course.exercise import ExerciseBase
from neonsim.learn.course.grading.grade import budget_of
from neonsim.learn.course.program_exercise import Task
from neonsim.learn.course.tasks import tasks
from neonsim.render.play.start import NO_ARGUMENT, ByteMemory
from neonsim.ukernel.case import At, Case
from neonsim.ukernel.cases import cases
from neonsim.ukernel.catalog import Kernel, kernels_folder

__all__ = ["FIRST", "check", "kernel_example", "link_to", "make_examples", "write_exercises",
           "write_kernel_examples"]

FIRST = "scale-and-add"
KINDS = {dtype: kind for kind, dtype in DTYPES.items()}
INCLUDE = (kernels_folder(),)  # macros of the kernels, which the worker has too
SWEPT, DRAWN = 6, 20  # calls of an exercise that are stored, and one that is timed
SEEDS = range(1, 13)
LARGE = 16384  # bytes of a call that is timed
SMALL = 4096  # bytes of a call that an example may have

TEXTS: tuple[tuple[str, str, str, str, list[str], list[str]], ...] = (
    (FIRST, "scale and add", "aarch64", """\
// out[i] = 3 * a[i] + b[i], four lanes at a time.
        mov     w4, #3
        dup     v2.4s, w4               // 3 in every lane
1:      ldr     q0, [x0], #16           // four of a
        ldr     q1, [x1], #16           // four of b
        mla     v1.4s, v0.4s, v2.4s     // b += 3 * a, lane by lane
        str     q1, [x2], #16
        subs    x3, x3, #4
        b.ne    1b
        ret
""", ["a=s32:1,2,3,4,5,6,7,8", "b=s32*8:100", "out=out:s32*8", "8"], ["out=s32:103,106,109,112,115,118,121,124"]),
    ("add-sixteen-bytes", "sixteen bytes at once", "aarch32", """\
// Sixteen bytes plus sixteen bytes, which may not wrap.
        vld1.8      {q0}, [r0]
        vld1.8      {q1}, [r1]
        vqadd.u8    q0, q0, q1          // 255 is as far as it goes
        vst1.8      {q0}, [r2]
        bx          lr
""", ["a=u8:250,251,252,253,254,255,0,1,2,3,4,5,6,7,8,9", "b=u8*16:3", "out=out:u8*16"],
     ["out=u8:253,254,255,255,255,255,3,4,5,6,7,8,9,10,11,12"]),
    ("nobody-wrote-it", "a byte that nobody has written", "aarch64", """\
// v1 is used before anything has been put into it: the page shows -- where nobody has written.
        ldr     q0, [x0]
        add     v0.4s, v0.4s, v1.4s
        str     q0, [x1]
        ret
""", ["a=s32:1,2,3,4", "out=out:s32*4"], []),
    ("endless", "a loop that does not end", "aarch64", """\
// The count never comes to 0, for it goes down by 3 from 8.
        mov     x3, #8
1:      subs    x3, x3, #3
        b.ne    1b
        ret
""", [], []),
)


def make_examples() -> list[dict[str, Any]]:
    """Short ones, and a right answer to each exercise of the course, for the smallest of its calls."""
    found = [_example(name, "first steps", title, isa, text, words, expected)
             for name, title, isa, text, words, expected in TEXTS]
    for one in found[:2]:
        check(one)
    for task in tasks():
        if not isinstance(task, Task):
            continue
        for isa in filter(task.solved, task.isas):
            text, case = task.solution(isa), _smallest(task.calls.sweep("quick"))
            one = _checked(f"{task.name}.{isa}", "course", f"{task.title} ({isa})", isa, text, case,
                           task.reads_before(isa), 0)
            found += [one] if one else []
    return found


def write_exercises(folder: Path) -> list[dict[str, Any]]:
    """A file for each exercise: the text to start from, calls that check an answer; those that ask for numbers, and
    those whose calls no words can say, say that the page cannot check them."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for task in tasks():
        for isa in filter(task.solved, task.isas):
            one = _exercise(task, isa) if isinstance(task, Task) else None
            one = one or _unchecked(task, isa, "What it asks for is no program that the page could run.")
            name = f"{folder.name}/{one['name']}.json"
            (folder.parent / name).write_text(json.dumps(one, separators=(",", ":")), "utf-8")
            rows.append({key: one[key] for key in ("name", "group", "title", "isa")} | {"file": name})
    return rows


def _exercise(task: Task, isa: str) -> dict[str, Any] | None:
    """None where no call can be said in words; without calls where fewer than `DRAWN` can."""
    program, timed = assemble(task.solution(isa), isa=isa, include=INCLUDE), task.calls.clock()

    def said(cases: Iterable[Case], most: int, small: int = SMALL) -> list[dict[str, Any]]:
        words = ((case.name, call_of(program, case, task.reads_before(isa), 0, written=True, small=small))
                 for case in cases)
        return [{"name": name, "words": made[0], "expected": made[1]}
                for name, made in islice((one for one in words if one[1] is not None), most) if made is not None]

    swept = sorted(task.calls.sweep("quick"), key=lambda case: sum(one.data.size for one in case.memory.values()))
    # Of a seed the calls of any size with the largest data come last.
    drawn = said((case for seed in SEEDS for case in reversed([*task.calls.draw(seed)])), DRAWN)
    calls = [*said(swept[::-(-len(swept) // SWEPT)], SWEPT), *drawn]
    if not calls:
        return None
    if len(drawn) < DRAWN or not (last := said([timed], 1, LARGE)):
        return _unchecked(task, isa, "Its calls are too large for the page.")
    for call in (*calls[::8], *last):
        check({"isa": isa, "text": task.solution(isa), **call})
    found = _unchecked(task, isa, "", calls[0]["words"], calls[0]["expected"])
    found["exercise"] |= {
        "calls": [*calls, *last], "budget": budget_of(task, isa, timed).to_dict(), "steps": task.limits.steps,
        "outputs": [name for name, region in timed.memory.items() if region.role == "out"]}
    return found


def _unchecked(task: ExerciseBase, isa: str, reason: str, words: Sequence[str] = (), expected: Sequence[str] = ()
               ) -> dict[str, Any]:
    """An exercise without calls; `reason`: why, a sentence."""
    return _example(f"{task.name}.{isa}.exercise", "exercises", f"{task.title} ({isa})", isa, task.start(isa),
                    list(words), list(expected)) | {"exercise": {
                        "calls": [], "rest": reason and f"The page cannot check this exercise. {reason}",
                        "entry": task.label, "result": {"format": FORMAT, "exercise": task.name, "isa": isa}}}


def write_kernel_examples(folder: Path) -> list[dict[str, Any]]:
    """A file for each kernel of the catalogue, and a row that names it; those that no words can say are left out."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for kernel in ns.kernels():
        one = kernel_example(kernel)
        if one is None:
            continue
        (folder / f"{kernel.name}.json").write_text(json.dumps(one, separators=(",", ":")), "utf-8")
        rows.append({key: one[key] for key in ("name", "group", "title", "isa")}
                    | {"file": f"examples/{kernel.name}.json"})
    return rows


def kernel_example(kernel: Kernel) -> dict[str, Any] | None:
    """Of its contract's smallest case; None if no words can say it."""
    return _checked(kernel.name, f"kernels: {kernel.contract.name}", kernel.name, kernel.isa, kernel.source,
                    _smallest(cases(kernel.contract.name, kernel.tile)), kernel.header.reads_before,
                    kernel.header.reads_after)


def _example(name: str, group: str, title: str, isa: str, text: str, words: list[str], expected: list[str]
             ) -> dict[str, Any]:
    return {"name": name, "group": group, "title": title, "isa": isa, "text": text, "words": words,
            "expected": expected, "core": "cortex-a53", "step": 0}


def _checked(name: str, group: str, title: str, isa: str, text: str, case: Case, reads_before: int, reads_after: int
             ) -> dict[str, Any] | None:
    """An example of a call that the machine has done as the definition says; None if words cannot say it."""
    program = assemble(text, isa=isa, include=INCLUDE)
    for written in (False, True):
        made = call_of(program, case, reads_before, reads_after, written=written)
        if made is None:
            return None
        one = _example(name, group, title, isa, text, *made)
        try:
            check(one)
            return one
        except NeonsimError:
            continue  # bytes between the rows of a result stay: they have to be there
    return None


def _smallest(found: Iterable[Case]) -> Case:
    """The one of fewest bytes, of those that have some in every region."""
    return min(found, key=lambda case: (not all(one.nbytes(1) for one in case.memory.values()),
                                        sum(one.data.size for one in case.memory.values())))


def call_of(program: Program, case: Case, reads_before: int, reads_after: int, *, written: bool = False,
            small: int = 0) -> tuple[list[str], list[str]] | None:
    """(words of the arguments, of what is expected) of a call; None for one above `small` bytes, or that no words say.

    Rows that are read over their ends are given so many bytes more. `written`: results begin with what the case has.
    """
    pointer = WORD_BYTES[program.isa]
    pads: dict[str, int] = {}
    texts: dict[str, str] = {}
    expected: list[str] = []
    memory = ByteMemory()
    order = sorted(case.memory.items(), key=lambda item: item[1].role == "table")
    if sum(region.nbytes(pointer) for _, region in order) > (small or SMALL) or not all(
            name.isidentifier() and region.nbytes(pointer) for name, region in order):
        return None
    addresses: dict[str, int] = {}
    for name, region in order:
        data, kind = region.data, KINDS.get(region.dtype, "u8")
        if region.role == "table":
            data = np.array([addresses[at.region] + at.offset for at in region.pointers], f"<u{pointer}").view(np.uint8)
            kind = f"u{8 * pointer}"
        if data.size % nbytes_of(kind):
            kind = "u8"
        size, given = nbytes_of(kind), region.role != "scratch" and (region.written or written)
        # What a kernel works on in place may be read over its ends too.
        over = region.role == "in" or (region.role == "out" and region.written)
        pads[name], after = (-(-n // size) * size * over for n in (reads_before, reads_after))

        def values(data: Any, name: str = name, kind: str = kind) -> str:
            texts = ",".join(map(str, data.view(DTYPES[kind]).tolist()))
            return f"{name}={kind}:{texts}" if "," in texts else f"{name}={kind}:[{texts}]"  # u8:1 is a number

        zeros = [np.zeros(n, np.uint8) for n in (pads[name], after)]
        texts[name] = (values(np.concatenate([zeros[0], data, zeros[1]])) if given else
                       f"{name}=out:{kind}*{data.size // size}")
        addresses[name] = memory.declare(declared(texts[name]), name) + pads[name]
        if region.role not in ("in", "block", "table", "scratch"):
            expected.append(values(np.concatenate([zeros[0], case.expected[name]])))
    words = [f"{NO_ARGUMENT}{texts[name]}" for name, _ in order]
    words += [_argument(case, one.name, one.kind, pointer, pads) for one in case.contract.arguments]
    return words, expected


def _argument(case: Case, name: str, kind: str, pointer: int, pads: Mapping[str, int]) -> str:
    value = case.values[name]
    if isinstance(value, At):
        return f"{value.region}+{value.offset + pads[value.region]}"
    if kind == "pointers":
        return str(value * pointer)
    return f"s32:{value}" if kind == "int32" else str(value)


def link_to(text: str, isa: str, words: list[str]) -> str:
    """What stands behind # in the playground's address for a program: as playlink.js has it."""
    said = {"i": isa, "t": text, "w": words} if words else {"i": isa, "t": text}
    packer = zlib.compressobj(9, wbits=-15)
    data = packer.compress(json.dumps(said, separators=(",", ":"), ensure_ascii=False).encode()) + packer.flush()
    return "p1." + base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def check(one: Mapping[str, Any]) -> None:
    """The machine in Python is given the words, and must leave what is expected. Raises NeonsimError."""
    machine = ns.Machine(one["isa"])
    given: dict[int, Any] = {}
    for number, word in sorted(enumerate(one["words"]), key=lambda word: is_place(word[1])):
        value = machine.memory.declare(word.removeprefix(NO_ARGUMENT), f"arg{number}")
        if not word.startswith(NO_ARGUMENT):
            given[number] = value
    machine.call(assemble(one["text"], isa=one["isa"], include=INCLUDE), *(given[number] for number in sorted(given)))
    for word in one["expected"]:
        said = declared(word)
        have, known = machine.memory.fetch(said.name), machine.memory.defined_bytes(machine.memory.buffer(said.name))
        if have.tobytes()[:len(said.data or b"")] != said.data or (known is not None and not all(known)):
            raise NeonsimError(f"{one['name']}: {said.name} is not as expected")
