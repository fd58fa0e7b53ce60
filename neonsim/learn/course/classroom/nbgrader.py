"""Exercises to hand out: notebooks, with the metadata by which nbgrader gives points.

`nbgrader generate_assignment` puts a stub in place of what stands between BEGIN SOLUTION and END SOLUTION; where a cell
is said to hold a solution and has no such marks, in place of all of it, magic and name too. So the marks stand round
each place that a text leaves open. A text without such a place is a program to be changed: students get all of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.learn.course.classroom.authoring import handout, origin
from neonsim.learn.course.exercise import OPEN
from neonsim.learn.course.tasks import task_named

__all__ = ["CONFIG", "nbgrader_cells", "notebook"]

POINTS = 1
# nbgrader's own stub is Python, `raise NotImplementedError()`. Its first line is a comment in assembly as well.
CONFIG = 'c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE"}'


def _marked(text: str) -> str:
    """A starting text with nbgrader's marks round each place that it leaves open."""
    return re.sub(rf"^([ \t]*){re.escape(OPEN)}$", r"\1// BEGIN SOLUTION\n\g<0>\n\1// END SOLUTION", text, flags=re.M)


def _id(name: str, part: str) -> str:
    return f"{name}-{part}"


def _cell(kind: str, source: str, name: str, part: str, nbgrader: Mapping[str, Any] | None) -> dict[str, Any]:
    made: dict[str, Any] = {"cell_type": kind, "id": _id(name, part)[:64], "metadata": {}, "source": source}
    if nbgrader is not None:
        made["metadata"]["nbgrader"] = {"schema_version": 3, "grade_id": _id(name, part), "cell_type": kind, **nbgrader}
    if kind == "code":
        made |= {"execution_count": None, "outputs": []}
    return made


def nbgrader_cells(name: str, isa: str | None = None, *, points: int = POINTS,
                   graded: bool = True) -> list[dict[str, Any]]:
    """Return an exercise as three notebook cells: the statement, the answer, and an assertion that grades it.

    points   int    that nbgrader gives for it
    graded   bool   False: without nbgrader's metadata
    ->       cells of nbformat 4.5: markdown (read-only), code (the answer), code (autograder test, locked)
    """
    task = task_named(name)
    chosen = task.isa(isa)
    points = as_int(points, "points", 0)
    variable = f"answer_{task.label}"
    test = (f"# Right in every byte? (checked again here, whatever the cell above says)\n"
            f"verdict = neonsim.Exercise({name!r}, isa={chosen!r}).check({variable}.text)\nassert verdict, "
            f"verdict.message")
    fixed = {"grade": False, "locked": True, "solution": False, "task": False}
    start = task.start(chosen)
    marked = _marked(start) if graded else start
    words: list[dict[str, Any] | None] = [fixed, {**fixed, "locked": False, "solution": True},
                                          {**fixed, "grade": True, "points": points}]
    if marked == start:
        words[1] = None
    text = "\n".join(["```text", task.statement(chosen).replace("```", "'''"), "```"])
    answer = f"%%neon_exercise {name} {chosen} -o {variable}\n{marked}"
    parts = (("markdown", text, "statement"), ("code", answer, "answer"), ("code", test, "test"))
    return [_cell(kind, source, name, part, said if graded else None)
            for (kind, source, part), said in zip(parts, words, strict=True)]


def notebook(names: Sequence[str], isa: str | None = None, *, points: int = POINTS, graded: bool = True,
             hints: bool = True) -> dict[str, Any]:
    """Return a notebook (nbformat 4.5, ready for json.dump) with these exercises, to hand out.

    hints   bool   False: exercises of your own without their hints
    """
    if not names:
        raise BadArgument("name the exercises of the notebook")
    fixed = {"grade": False, "locked": True, "solution": False, "task": False}
    cells = [_cell("code", "import neonsim\n%load_ext neonsim", "setup", "cell", fixed if graded else None)]
    files = dict.fromkeys(path for name in names if (path := origin(name)) is not None)
    if not hints and not files:
        raise BadArgument("the hints of built-in exercises are in the package and cannot be left out; only the hints "
                          "of your exercises can")
    for number, path in enumerate(files, 1):
        # An exercise of your own is defined where it is posed: students need no other file.
        given = handout(path, hints=hints)
        cells.append(_cell("code", given, f"file-{number}", "definition", fixed if graded else None))
    for name in dict.fromkeys(names):
        cells += nbgrader_cells(name, isa if isa in task_named(name).isas else None, points=points, graded=graded)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}}, "nbformat": 4,
            "nbformat_minor": 5}
