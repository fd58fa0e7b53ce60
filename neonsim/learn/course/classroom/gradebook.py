"""Results of a class: attempts as JSON, answers graded again by the teacher, a table of grades.

A file of results holds the answers themselves: a grader does not have to believe what it says, but runs them
again (`regrade`, `neonsim course grade FILE`).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from neonsim.common.fileio import load_json, read_file, write_file
from neonsim.common.integers import as_int, is_int
from neonsim.errors import BadArgument
from neonsim.learn.course.exercise import ExerciseBase
from neonsim.learn.course.grading.grade import Verdict, check_answer
from neonsim.learn.course.tasks import task_named

__all__ = ["FORMAT", "Attempt", "attempt", "attempts", "export", "grade", "hint", "hinted", "regrade", "results_of",
           "table"]

FORMAT = "neonsim-results-1"
MAX_FILE_BYTES = 50_000_000  # bytes of a file of results
COLUMNS = ("who", "exercise", "isa", "passed", "attempts", "instructions", "neon", "cycles", "core", "call", "seed",
           "time", "remark")


@dataclass(frozen=True)
class Attempt:
    """One answer, checked.

    time      str           UTC, as 2026-01-31T09:30:00Z
    score     dict | None   as `Score.to_dict`, of an answer whose results are right
    seed      int           of the calls that were drawn
    remark    str           what was done instead, or the limit that is not kept
    """

    exercise: str
    isa: str
    passed: bool
    time: str
    message: str
    answer: str
    score: dict[str, Any] | None = None
    seed: int = 0
    remark: str = ""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dict(vars(self))


@dataclass
class _Session:
    found: list[Attempt] = field(default_factory=list)
    hinted: dict[str, int] = field(default_factory=dict)    # the highest hint of each exercise that was given


_session = _Session()


def attempt(verdict: Verdict, *, keep: bool = True) -> Attempt:
    """Note an answer that has been checked, and what it costs in the timed call."""
    score = verdict.score.to_dict() if verdict.score is not None else None
    time = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    made = Attempt(verdict.exercise, verdict.isa, verdict.passed, time, verdict.message, verdict.text, score,
                   verdict.seed, verdict.remark)
    if keep:
        _session.found.append(made)
    return made


def attempts(exercise: str | None = None) -> tuple[Attempt, ...]:
    """Return what has been tried in this session, of one exercise or of all."""
    return tuple(one for one in _session.found if exercise in (None, one.exercise))


def hint(task: ExerciseBase, number: int | None = None) -> str:
    """Return the next hint of an exercise in this session, or the one of that number (1 is the first).

    Raises BadArgument for a number that it has not.
    """
    hints = task.hints
    if number is None:
        number = min(hinted(task.name) + 1, len(hints))
    number = as_int(number, f"the number of a hint of {task.name}", 1, len(hints))
    _session.hinted[task.name] = max(hinted(task.name), number)
    return f"Hint {number} of {len(hints)}: {hints[number - 1]}"


def hinted(exercise: str) -> int:
    """Return how many hints of an exercise were given in this session."""
    return _session.hinted.get(exercise, 0)


def grade(student: str, history: Iterable[Attempt]) -> dict[str, Any]:
    """Return a student's results: for each exercise the attempts, and of these the first that passed, or the last.

    ->   {"format", "who", "passed", "tried",
          "results": [{exercise, isa, passed, attempts, time, message, answer, score}]}
    """
    if not isinstance(student, str) or not student.strip():
        raise BadArgument("name the student: who=\"a name\" (--who on the command line)")
    by: dict[tuple[str, str], list[Attempt]] = {}
    for one in history:
        by.setdefault((one.exercise, one.isa), []).append(one)
    results = []
    for tries in by.values():
        chosen = next((one for one in tries if one.passed), tries[-1])
        results.append({**chosen.to_dict(), "attempts": len(tries)})
    return {"format": FORMAT, "who": student, "passed": sum(r["passed"] for r in results), "tried": len(results),
            "results": results}


def export(path: str | Path, student: str, history: Iterable[Attempt] | None = None) -> Path:
    """Write results as JSON (see `grade`), or as a table if the file is called .csv; left out, those of this session.

    A table has no answers in it: only JSON can be graded again. Returns the path.

    Raises BadArgument if there are none, or the file cannot be written.
    """
    tried = tuple(attempts() if history is None else history)
    if not tried:
        raise BadArgument("no answer has been checked yet, so there are no results to write")
    results = grade(student, tried)
    text = table([results]) if Path(path).suffix == ".csv" else json.dumps(results, indent=1) + "\n"
    return write_file(path, text)


def regrade(path: str | Path, seed: int | None = None) -> dict[str, Any]:
    """Check every answer of a file of results again; what the file says of them does not count.

    seed   of sizes and data that are drawn: one for all of a class makes them comparable

    Raises BadArgument for a file that is none of ours.
    """
    target = Path(path)
    said = results_of(target)
    found = [attempt(check_answer(task_named(row["exercise"]), row["answer"], row["isa"], seed=seed), keep=False)
             for row in said["results"]]
    return grade(str(said.get("who") or target.stem), found)


def results_of(path: Path) -> dict[str, Any]:
    """Return what a file of results says: "who", and "results", rows with exercise, isa and answer.

    Raises BadArgument for a file that is none of ours.
    """
    who_writes = "Exercise.export and `neonsim course check --export` write them"
    data = read_file(path, MAX_FILE_BYTES)
    try:
        said = load_json(data)
    except ValueError as problem:
        raise BadArgument(f"{path} is not a file of results: {problem}. {who_writes}") from problem
    rows = said.get("results") if isinstance(said, dict) and said.get("format") == FORMAT else None
    if not isinstance(rows, list) or not all(
            isinstance(row, dict) and all(isinstance(row.get(k), str) for k in ("exercise", "isa", "answer"))
            and is_int(row.get("attempts", 1)) for row in rows):
        raise BadArgument(f"{path} is not a file of results. {who_writes}")
    return dict(said)


def table(graded: Iterable[Mapping[str, Any]]) -> str:
    """Grades as CSV, a row for each student and exercise: what `grade` and `regrade` return.

    who, exercise, isa, passed (0 or 1), attempts, instructions and NEON instructions counted and cycles modelled on the
    core in the timed call, its sizes, the seed, the time, and what is said of it if it did not pass
    """
    made = io.StringIO()
    rows = csv.writer(made, lineterminator="\n")
    rows.writerow(COLUMNS)
    for student in graded:
        for row in student["results"]:
            score = row.get("score") or {}
            cost = score.get("cost") or {}
            first = "" if row["passed"] else row["remark"] or row["message"].partition("\n")[0]
            rows.writerow([_plain(cell) for cell in (
                student["who"], row["exercise"], row["isa"], int(row["passed"]), row["attempts"],
                cost.get("instructions", ""), cost.get("neon", ""), cost.get("cycles", ""), score.get("core", ""),
                score.get("case", ""), row["seed"], row["time"], first)])
    return made.getvalue()


def _plain(cell: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in tuple("=+-@\t\r") and cell else cell
