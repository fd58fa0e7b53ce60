"""Exercises of your own: a file that defines them, what students get of it, and the file to start from.

A file is Python that its teacher wrote: it is run. Everything from the line `# ---- answers` on stays with the teacher.
"""

from __future__ import annotations

import ast
import re
import runpy
import traceback
from itertools import accumulate
from pathlib import Path

from neonsim.common.fileio import read_text
from neonsim.errors import BadArgument, NeonsimError
from neonsim.learn.course.define import MAX_NAME_LENGTH, NAME
from neonsim.learn.course.exercise import ISAS, ExerciseBase
from neonsim.learn.course.tasks import collected, is_ours

__all__ = ["MARK", "NO_HINTS", "handout", "load", "origin", "template"]

MARK = "# ---- answers"
NO_HINTS = "Your teacher has the hints to this exercise."   # in place of them
MAX_FILE_BYTES = 1_000_000   # bytes

_origins: dict[str, Path] = {}


def load(path: str | Path) -> tuple[ExerciseBase, ...]:
    """Run a file of exercises: those that it defines, known by their names from then on.

    Raises BadArgument: what is wrong in it, and in which line.
    """
    target = Path(path)
    read_text(target, MAX_FILE_BYTES)
    with collected() as found:
        try:
            runpy.run_path(str(target), run_name="neonsim_exercise")
        except NeonsimError as problem:
            raise BadArgument(f"{target}{_line(problem, target)}: {problem}") from problem
        except SyntaxError as problem:
            raise BadArgument(f"{target}:{problem.lineno}: {problem.msg}") from problem
        except Exception as problem:
            raise BadArgument(f"{target}{_line(problem, target)}: {type(problem).__name__}: {problem}") from problem
    _origins.update(dict.fromkeys(found, target))
    if not found:
        raise BadArgument(f"{target} defines no exercise: it calls ns.Exercise.define(...). `neonsim course new NAME` "
                          "writes a file to start from")
    return tuple(found.values())


def origin(name: str) -> Path | None:
    """Return the file that an exercise was loaded from; None for those of neonsim."""
    return _origins.get(name)


def _line(problem: BaseException, path: Path) -> str:
    rows = [row.lineno for row in traceback.extract_tb(problem.__traceback__) if row.filename == str(path)]
    return f":{rows[-1]}" if rows else ""


def handout(path: str | Path, *, hints: bool = True) -> str:
    """Return what students get of a file of exercises: the text above the line `# ---- answers`.

    hints   bool   False: without the hints (NO_HINTS stands in their place)

    Raises BadArgument if answers, or hints that are to be left out, are left in it.
    """
    target = Path(path)
    text = read_text(target, MAX_FILE_BYTES)
    known = re.search(rf"^{re.escape(MARK)}.*$", text, re.M)
    kept = text[:known.start()].rstrip() + "\n" if known else text
    with collected(keep=False) as found:
        try:
            exec(compile(kept, str(target), "exec"), {"__name__": "neonsim_exercise"})
        except Exception as problem:
            raise BadArgument(f"{target}: the part above `{MARK}` does not run alone: {type(problem).__name__}: "
                              f"{problem}") from problem
    given = [name for name, task in found.items() if any(vars(task.answers).values())]
    if given:
        raise BadArgument(f"{target} would show the answers of {', '.join(given)} to students. Put the line `{MARK}` "
                          f"above them")
    return kept if hints else _without_hints(kept, target, {hint for task in found.values() for hint in task.hints})


def _without_hints(text: str, target: Path, hints: set[str]) -> str:
    lines = text.encode().splitlines(keepends=True)
    ends = [0, *accumulate(map(len, lines))]
    whole = b"".join(lines)
    values = [word.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)
              for word in node.keywords if word.arg == "hints"]
    for value in sorted(values, key=lambda value: (value.lineno, value.col_offset), reverse=True):
        assert value.end_lineno is not None and value.end_col_offset is not None
        first, last = ends[value.lineno - 1] + value.col_offset, ends[value.end_lineno - 1] + value.end_col_offset
        whole = whole[:first] + f"[{NO_HINTS!r}]".encode() + whole[last:]
    kept = whole.decode()
    for node in ast.walk(ast.parse(kept)):
        if isinstance(node, ast.Constant) and node.value in hints:
            raise BadArgument(f"{target}: the hint {str(node.value)[:60]!r} is outside hints=[...], so students would "
                              f"see it. Write it in the list.")
    return kept


def template(name: str, isa: str = "aarch64") -> str:
    """Return a file that defines an exercise and works at once: to be changed line by line.

    Raises BadArgument for what is no name of an exercise.
    """
    if not isinstance(name, str) or not NAME.fullmatch(name) or len(name) > MAX_NAME_LENGTH:
        raise BadArgument(f"{name!r} is not a valid name of an exercise. Use lower-case words and hyphens, as "
                          f"halving-add")
    if is_ours(name):
        raise BadArgument(f"neonsim has an exercise {name} already: choose another name")
    if isa not in ISAS:
        raise BadArgument(f"isa must be {' or '.join(ISAS)}; got {isa!r}")
    label = name.replace("-", "_")
    text = (Path(__file__).parents[1] / "template.txt").read_text("utf-8")
    right, wide, edits = _ANSWERS[isa]
    words = {"NAME": name, "FILE": f"{name}.py", "LABEL": label, "ISA": isa, "RIGHT": right.strip("\n"),
             "ALSO": wide.strip("\n"), "EDITS": edits.strip("\n")}
    return re.sub(r"<(\w+)>", lambda match: words[match[1]].replace("<LABEL>", label), text)


_ANSWERS = {
    "aarch64": ("""
<LABEL>:
        ldr     q0, [x1], #16
        ldr     q1, [x2], #16
        urhadd  v0.16b, v0.16b, v1.16b
        str     q0, [x3], #16
        subs    x0, x0, #16
        b.ne    <LABEL>
        ret
""", """
<LABEL>:
        ldr     q0, [x1], #16
        ldr     q1, [x2], #16
        uaddl   v2.8h, v0.8b, v1.8b
        uaddl2  v3.8h, v0.16b, v1.16b
        rshrn   v0.8b, v2.8h, #1
        rshrn2  v0.16b, v3.8h, #1
        str     q0, [x3], #16
        subs    x0, x0, #16
        b.ne    <LABEL>
        ret
""", """
        # what of the right answer, what instead, words that the message must hold
        ("urhadd", "uhadd ", "the half is cut off"),
        ("urhadd", "srhadd", "taken as signed"),
        ("urhadd", "add   ", "should be"),
        ("subs    x0, x0, #16", "subs    x0, x0, #32", "past its end"),
        ("        str     q0, [x3], #16\\n", "", "no step wrote it"),
"""),
    "aarch32": ("""
<LABEL>:
        vld1.8      {q0}, [r1]!
        vld1.8      {q1}, [r2]!
        vrhadd.u8   q0, q0, q1
        vst1.8      {q0}, [r3]!
        subs        r0, r0, #16
        bne         <LABEL>
        bx          lr
""", """
<LABEL>:
        vld1.8      {q0}, [r1]!
        vld1.8      {q1}, [r2]!
        vaddl.u8    q8, d0, d2
        vaddl.u8    q9, d1, d3
        vrshrn.i16  d0, q8, #1
        vrshrn.i16  d1, q9, #1
        vst1.8      {q0}, [r3]!
        subs        r0, r0, #16
        bne         <LABEL>
        bx          lr
""", """
        # what of the right answer, what instead, words that the message must hold
        ("vrhadd.u8", "vhadd.u8 ", "the half is cut off"),
        ("vrhadd.u8", "vrhadd.s8", "taken as signed"),
        ("vrhadd.u8", "vadd.i8  ", "should be"),
        ("subs        r0, r0, #16", "subs        r0, r0, #32", "past its end"),
        ("        vst1.8      {q0}, [r3]!\\n", "", "no step wrote it"),
"""),
}
