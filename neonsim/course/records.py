"""Results of a class: attempts as JSON, answers graded again by the teacher, cells for nbgrader.

A file of results holds the answers themselves: whoever grades does not have to believe what it says, but runs them
again (`regrade`, `neonsim course grade FILE`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from neonsim.course.answer import Verdict, check_answer
from neonsim.course.tasks import task_named
from neonsim.errors import BadArgument
from neonsim.files import write_file
from neonsim.integers import as_int, is_int
from neonsim.untrusted import json_of

__all__ = ["FORMAT", "Attempt", "attempt", "attempts", "export", "grade", "nbgrader_cells", "notebook", "regrade",
           "results_of"]

FORMAT = "neonsim-results-1"
LARGEST_FILE = 50_000_000  # bytes of a file of results
POINTS = 1


@dataclass(frozen=True)
class Attempt:
    """One answer, checked.

    when      str           UTC, as 2026-01-31T09:30:00Z
    score     dict | None   as `Score.to_dict`, of an answer whose results are right
    seed      int           of the calls that were drawn
    """

    exercise: str
    isa: str
    passed: bool
    when: str
    message: str
    answer: str
    score: dict[str, Any] | None = None
    seed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dict(vars(self))


@dataclass
class _Session:
    found: list[Attempt] = field(default_factory=list)


_session = _Session()


def attempt(verdict: Verdict, *, keep: bool = True) -> Attempt:
    """Note an answer that has been checked, and what it costs in the timed call."""
    score = verdict.score.to_dict() if verdict.score is not None else None
    when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    made = Attempt(verdict.exercise, verdict.isa, verdict.passed, when, verdict.message, verdict.text, score,
                   verdict.seed)
    if keep:
        _session.found.append(made)
    return made


def attempts(exercise: str | None = None) -> tuple[Attempt, ...]:
    """What has been tried in this session, of one exercise or of all."""
    return tuple(one for one in _session.found if exercise in (None, one.exercise))


def grade(who: str, found: Iterable[Attempt]) -> dict[str, Any]:
    """Somebody's results: for each exercise the attempts, and of these the first that passed, or the last.

    ->   {"format", "who", "passed", "tried",
          "results": [{exercise, isa, passed, attempts, when, message, answer, score}]}
    """
    if not isinstance(who, str) or not who.strip():
        raise BadArgument("say whose results these are: who=\"a name\" (--who on the command line)")
    by: dict[tuple[str, str], list[Attempt]] = {}
    for one in found:
        by.setdefault((one.exercise, one.isa), []).append(one)
    results = []
    for tries in by.values():
        chosen = next((one for one in tries if one.passed), tries[-1])
        results.append({**chosen.to_dict(), "attempts": len(tries)})
    return {"format": FORMAT, "who": who, "passed": sum(r["passed"] for r in results), "tried": len(results),
            "results": results}


def export(path: str | Path, who: str, found: Iterable[Attempt] | None = None) -> Path:
    """Write results as JSON (see `grade`); left out, those of this session. Returns the path.

    Raises BadArgument if there are none, or the file cannot be written.
    """
    tried = tuple(attempts() if found is None else found)
    if not tried:
        raise BadArgument("nothing has been checked yet: there are no results to write")
    return write_file(path, json.dumps(grade(who, tried), indent=1) + "\n")


def regrade(path: str | Path) -> dict[str, Any]:
    """Check every answer of a file of results again; what the file says of them does not count.

    Raises BadArgument for a file that is none of ours.
    """
    target = Path(path)
    said = results_of(target)
    found = [attempt(check_answer(task_named(row["exercise"]), row["answer"], row["isa"]), keep=False)
             for row in said["results"]]
    return grade(str(said.get("who") or target.stem), found)


def results_of(path: Path) -> dict[str, Any]:
    """What a file of results says: "who", and "results", rows with exercise, isa and answer.

    Raises BadArgument for a file that is none of ours.
    """
    who_writes = "Exercise.export and `neonsim course check --export` write them"
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ValueError(f"it is larger than {LARGEST_FILE:,} bytes")
        said = json_of(path.read_bytes())
    except OSError as problem:
        raise BadArgument(f"{path}: {problem.strerror}") from problem
    except ValueError as problem:
        raise BadArgument(f"{path} is no file of results: {problem}. {who_writes}") from problem
    rows = said.get("results") if isinstance(said, dict) and said.get("format") == FORMAT else None
    if not isinstance(rows, list) or not all(
            isinstance(row, dict) and all(isinstance(row.get(k), str) for k in ("exercise", "isa", "answer"))
            and is_int(row.get("attempts", 1)) for row in rows):
        raise BadArgument(f"{path} is no file of results. {who_writes}")
    return dict(said)


# ---- notebooks

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
    """An exercise as three notebook cells: the statement, the answer, and an assertion that grades it.

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
    words: list[dict[str, Any]] = [fixed, {**fixed, "locked": False, "solution": True},
                                   {**fixed, "grade": True, "points": points}]
    text = "\n".join(["```text", task.statement(chosen).replace("```", "'''"), "```"])
    answer = f"%%neon_exercise {name} {chosen} -o {variable}\n{task.start(chosen)}"
    parts = (("markdown", text, "statement"), ("code", answer, "answer"), ("code", test, "test"))
    return [_cell(kind, source, name, part, said if graded else None)
            for (kind, source, part), said in zip(parts, words, strict=True)]


def notebook(names: Sequence[str], isa: str | None = None, *, points: int = POINTS,
             graded: bool = True) -> dict[str, Any]:
    """A notebook (nbformat 4.5, ready for json.dump) with these exercises, to hand out."""
    if not names:
        raise BadArgument("name the exercises that the notebook is to hold")
    fixed = {"grade": False, "locked": True, "solution": False, "task": False}
    cells = [_cell("code", "import neonsim\n%load_ext neonsim", "setup", "cell", fixed if graded else None)]
    for name in dict.fromkeys(names):
        cells += nbgrader_cells(name, isa if isa in task_named(name).isas else None, points=points, graded=graded)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}}, "nbformat": 4,
            "nbformat_minor": 5}
