"""`neonsim course`: exercises in the terminal, results of a class, notebooks to hand out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neonsim.common.fileio import read_text, write_file
from neonsim.common.terminal import bare
from neonsim.errors import BadArgument
from neonsim.learn.course import (
    ExerciseBase,
    check_answer,
    handout,
    load,
    prove,
    score_answer,
    task_named,
    tasks,
    template,
)
from neonsim.learn.course.classroom.authoring import origin
from neonsim.learn.course.classroom.gradebook import attempt, grade, regrade, table
from neonsim.learn.course.classroom.nbgrader import CONFIG, notebook
from neonsim.learn.course.grading.grade import MAX_ANSWER_LENGTH, REMARKS_AFTER, new_seed

from .options import (
    ISAS,
    add_failing,
    add_output,
    answer,
    check_failing,
    command,
    command_group,
    print_json,
    show_failing,
    wrote,
)

__all__ = ["add_commands"]

NOTES = """\
`neonsim course` is short for `neonsim course list`, `neonsim course EXERCISE` for `neonsim course show EXERCISE`.
EXERCISE is a name, or a file of your own exercise, FILE.py. Such a file is Python and is run: use what you trust.

Exit status: 0 passed (or shown), 1 not yet, 2 wrong usage or bad input.
"""

EXERCISE = "An exercise: its name, or FILE.py of your own one."
MAX_SETTINGS_BYTES = 1_000_000    # bytes of nbgrader_config.py that are read


def _shorthand(words: Sequence[str]) -> str:
    return "list" if not words or words[0].startswith("-") else "show"


def add_commands(commands: Any) -> None:
    group = command_group(commands, "course",
                          "neonsim course add-two-vectors -o add.S\n  neonsim course check add-two-vectors add.S\n"
                          "  neonsim course grade answers -o grades.csv", NOTES, _shorthand)

    command(group, "list", "List the exercises.", "neonsim course list").set_defaults(run=_list)

    show = _of_exercise(group, "show", "Show what an exercise asks, and the text to start from.",
                        "neonsim course show add-two-vectors -o add.S", _show)
    add_output(show, "-o", "--output", help="Write the text to start from.")

    check = _of_exercise(group, "check", "Check an answer: all sizes and data, under the sanitizer.",
                         "neonsim course check add-two-vectors add.S --html failing.html", _check,
                         "Sizes and data are also drawn for this check, the timed call among them.\n")
    check.add_argument("--full", action="store_true", help="Take more sizes and data.")
    check.add_argument("--remark", action="store_true", help="Say what was probably done instead, where neonsim "
                       "recognizes it; meant for after the second hint.")
    add_failing(check)
    add_output(check, "--export", help="Add the result to this file, for the teacher.")
    check.add_argument("--who", metavar="NAME", help="Name of the student, for --export.")

    score = _of_exercise(group, "score", "Score an answer: instructions and cycles, beside the solution.",
                         "neonsim course score add-two-vectors add.S --core cortex-a72", _score)
    for made in (check, score):
        made.add_argument("answer", metavar="FILE", help="File with the answer; - reads standard input.")
        made.add_argument("--core", metavar="CORE", help="Model the cycles of this core.")

    hint = command(group, "hint", "Show a hint: 1 is a nudge, the last one nearly everything.",
                   "neonsim course hint grey 2")
    hint.add_argument("exercise", metavar="EXERCISE", help=EXERCISE)
    hint.add_argument("number", nargs="?", type=int, default=1, metavar="N", help="Number of the hint (1).")
    hint.set_defaults(run=_hint)

    graded = command(group, "grade", "Grade a class: folders of answers, or files of results.",
                     "neonsim course grade answers -o grades.csv\n  neonsim course grade mine.py answers -o grades.csv")
    graded.add_argument("places", nargs="+", metavar="PLACE",
                        help="A folder of NAME.S files, a folder of such folders, a file of results (.json), or a "
                        "FILE.py of your own exercises.")
    add_output(graded, "-o", "--output", help="Write the grades as .csv or .json.")
    graded.set_defaults(run=_grade)

    sheet = command(group, "notebook", "Write a notebook of exercises, with nbgrader's metadata.",
                    "neonsim course notebook grey dot-product -o lesson.ipynb")
    sheet.add_argument("exercises", nargs="+", metavar="EXERCISE", help=EXERCISE)
    add_output(sheet, "-o", "--output", help="File of the notebook.", required=True)
    sheet.add_argument("--points", type=int, default=1, metavar="N", help="Points for each exercise (1).")
    sheet.add_argument("--plain", action="store_true", help="Omit nbgrader's metadata.")
    sheet.set_defaults(run=_notebook)

    new = command(group, "new", "Write a file that defines an exercise of your own, to be changed line by line.",
                  "neonsim course new halving-add")
    new.add_argument("name", metavar="NAME", help="Name of the exercise.")
    add_output(new, "-o", "--output", help="File to write (NAME.py).")
    new.set_defaults(run=_new)

    validate = command(group, "validate", "Validate your own exercise: right answers pass, wrong ones fail.",
                       "neonsim course validate halving-add.py")
    validate.add_argument("files", nargs="+", metavar="FILE", help="Files that define exercises.")
    validate.set_defaults(run=_validate)

    given = command(group, "handout", "Write what students get of your own exercises: the file without answers.",
                    "neonsim course handout halving-add.py -o for_students.py")
    given.add_argument("file", help="File that defines exercises.")
    add_output(given, "-o", "--output", help="File to write.", required=True)
    given.set_defaults(run=_handout)

    for made in (sheet, given):
        made.add_argument("--no-hints", dest="hints", action="store_false", help="Leave the hints of your own "
                          "exercises out.")
    for made in (check, graded):
        made.add_argument("--seed", type=int, metavar="N", help="Seed of the sizes and data that are drawn (a new one, "
                          "which the answer names).")
    for made in (graded, sheet, new):
        _add_isa(made)


def _of_exercise(group: Any, name: str, text: str, example: str, run: Any, notes: str = "") -> argparse.ArgumentParser:
    made = command(group, name, text, example, notes)
    made.add_argument("exercise", metavar="EXERCISE", help=EXERCISE)
    _add_isa(made)
    made.set_defaults(run=run)
    return made


def _add_isa(made: argparse.ArgumentParser) -> None:
    made.add_argument("--isa", choices=ISAS, help="Instruction set (the first one the exercise is posed in).")


def _names(words: Sequence[str]) -> list[str]:
    """Names of exercises; of a file those of all that it defines."""
    return [name for word in words for name in ([task.name for task in load(word)] if word.endswith(".py") else [word])]


def _exercise(word: str) -> ExerciseBase:
    names = _names([word])
    if len(names) != 1:
        raise BadArgument(f"{word} defines {len(names)} exercises: {', '.join(names)}. Use a file with one.")
    return task_named(names[0])


def _new(options: argparse.Namespace) -> int:
    name = options.name.removesuffix(".py")
    text = template(name, options.isa or "aarch64")
    target = Path(options.output or f"{name}.py")
    if target.exists():
        raise BadArgument(f"{target} exists already. Choose another name, or remove it")
    write_file(target, text)
    answer(f"wrote {target}: an exercise that works, to be changed. Then: neonsim course validate {target}",
           {"wrote": str(target), "exercise": name}, options)
    return 0


def _validate(options: argparse.Namespace) -> int:
    rows: list[dict[str, Any]] = []
    for word in options.files:
        for task in load(word):
            if not options.json:
                print(f"{task.name}: {task.title}")
            for finding in prove(task):
                rows.append({"exercise": task.name, "what": finding.name, "ok": bool(finding), "says": finding.message})
                if not options.json:
                    print(f"  {finding}", flush=True)
    bad = sum(not row["ok"] for row in rows)
    if options.json:
        print_json(rows)
    else:
        print(f"{len(rows) - bad} of {len(rows)} hold" + ("" if bad else ": the exercise is sound"))
    return 1 if bad else 0


def _handout(options: argparse.Namespace) -> int:
    text = handout(options.file, hints=options.hints)
    target = Path(options.output)
    if target.exists():
        raise BadArgument(f"{target} exists already. Choose another name, or remove it")
    write_file(target, text)
    answer(f"wrote {target}: {options.file} without its answers", {"wrote": str(target)}, options)
    return 0


def _list(options: argparse.Namespace) -> int:
    if options.json:
        print_json([{"name": t.name, "title": t.title, "isas": t.isas} for t in tasks()])
        return 0
    width = max(len(t.name) for t in tasks())
    for task in tasks():
        print(f"{task.name:<{width}}  {'/'.join(task.isas):<15}  {task.title}")
    print("\nneonsim course NAME says what is to be done")
    return 0


def _show(options: argparse.Namespace) -> int:
    task = _exercise(options.exercise)
    isa = task.isa(options.isa)
    if options.json:
        print_json({"name": task.name, "title": task.title, "isa": isa, "statement": task.statement(isa),
                    "asked": dict(task.requirements(isa)), "start": task.start(isa), "hints": len(task.hints)})
        return 0
    print(task.statement(isa))
    if options.output:
        target = Path(options.output)
        if target.exists():
            raise BadArgument(f"{target} exists already and may have your answer. Choose another name, or remove it")
        write_file(target, task.start(isa))
        print(f"\nwrote {target}: the text to start from. Then: neonsim course check {_called(task)} {target}")
    else:
        print(f"\nStart from (-o FILE.S writes it):\n\n{task.start(isa)}")
    return 0


def _called(task: ExerciseBase) -> str:
    """How the command line names an exercise: a user-defined one by the file that defines it."""
    return str(origin(task.name) or task.name)


def _text(name: str) -> str:
    if name == "-":
        if sys.stdin is None:
            raise BadArgument("the answer comes from standard input, which is closed. Name a file.")
        return sys.stdin.read(MAX_ANSWER_LENGTH + 1)
    return read_text(name, 4 * MAX_ANSWER_LENGTH, "replace")


def _check(options: argparse.Namespace) -> int:
    check_failing(options)
    task, text = _exercise(options.exercise), _text(options.answer)
    if options.export and not (options.who or "").strip():
        raise BadArgument("--export needs --who NAME, the student's name")
    verdict = check_answer(task, text, options.isa, full=options.full, seed=options.seed)
    noted = attempt(verdict)
    if options.json:
        print_json({**verdict.to_dict(), "score": noted.score})
    else:
        print(verdict.to_text(REMARKS_AFTER if options.remark else 0))
        if verdict:
            print(f"\n{score_answer(task, text, options.isa, options.core)}")
    if options.html or verdict.trouble is not None:
        remark = ", --remark what was probably done" if verdict.mistake and not options.remark else ""
        show_failing(verdict.trouble, task.name, options, f"; neonsim course hint {_called(task)} gives a hint{remark}")
    if options.export:
        _add(Path(options.export), options.who, noted.to_dict())
        if not options.json:
            print(f"added to {options.export}")
    return 0 if verdict else 1


def _add(path: Path, who: str, row: dict[str, Any]) -> None:
    """Put a result into a file of results, in place of an earlier one of the same exercise that had not passed."""
    from neonsim.learn.course.classroom.gradebook import FORMAT, results_of

    rows: list[dict[str, Any]] = []
    if path.exists():
        said = results_of(path)
        if said.get("who") != who:
            raise BadArgument(f"{path} does not have results of {who}. Choose another file")
        rows = said["results"]
    same = [r for r in rows if (r.get("exercise"), r.get("isa")) == (row["exercise"], row["isa"])]
    tries = sum(r.get("attempts", 1) for r in same) + 1
    kept = next((r for r in same if r.get("passed")), row)
    rows = [*(r for r in rows if r not in same), {**kept, "attempts": tries}]
    passed = sum(bool(r.get("passed")) for r in rows)
    write_file(path, json.dumps({"format": FORMAT, "who": who, "passed": passed, "tried": len(rows), "results": rows},
                                indent=1) + "\n")


def _score(options: argparse.Namespace) -> int:
    task, text = _exercise(options.exercise), _text(options.answer)
    score = score_answer(task, text, options.isa, options.core)
    if options.json:
        print_json(score.to_dict())
    else:
        print(score)
    return 0 if score.reached else 1


def _hint(options: argparse.Namespace) -> int:
    task, number = _exercise(options.exercise), options.number
    hints = task.hints
    if not 1 <= number <= len(hints):
        raise BadArgument(f"{task.name} has hints 1 to {len(hints)}")
    answer(f"Hint {number} of {len(hints)}: {hints[number - 1]}",
           {"exercise": task.name, "hint": number, "of": len(hints), "text": hints[number - 1]}, options)
    return 0


def _grade(options: argparse.Namespace) -> int:
    words = _names(options.places)
    known = {task.name for task in tasks()}
    places = [word for word in words if word not in known or Path(word).exists()]  # names: of files that were loaded
    if not places:
        raise BadArgument("`neonsim course grade` takes files of results (.json), or folders with NAME.S files")
    from tqdm import tqdm  # type: ignore[import-untyped]

    if options.output and Path(options.output).suffix not in (".csv", ".json"):
        raise BadArgument(f"{options.output}: the name of a file of grades must end in .csv or .json")
    seed = new_seed() if options.seed is None else options.seed
    todo = [place for word in places for place in (_students(Path(word)) if Path(word).is_dir() else [Path(word)])]
    graded: list[dict[str, Any]] = []
    refused: list[str] = []
    for place in tqdm(todo, unit=" students", leave=False, file=bare(sys.stderr),
                      disable=not sys.stderr.isatty() or options.json):
        try:
            graded.append(_folder(place, options.isa, seed) if place.is_dir() else regrade(place, seed))
        except BadArgument as problem:  # one student's file is no reason to leave out the others
            refused.append(str(problem))
    if not graded:
        raise BadArgument("\n".join(refused))
    for said in refused:
        print(f"ignored: {said}", file=sys.stderr)
    if options.output:
        text = table(graded) if options.output.endswith(".csv") else json.dumps(graded, indent=1) + "\n"
        write_file(options.output, text)
    if options.json:
        print_json(graded)
        return 1 if refused else 0
    for one in graded:
        print(f"{one['who']}: {one['passed']} of {one['tried']} passed")
        for row in one["results"]:
            score = row["score"] or {}
            counted = score.get("cost")
            cycles = f", {counted['cycles']} cycles on {score['core']}" if counted and counted["cycles"] else ""
            cost = f"{counted['instructions']} instructions{cycles}" if counted else ""
            mark = "passed " if row["passed"] else "not yet"
            print(f"    {mark}  {row['exercise']} ({row['isa']})  {cost}".rstrip())
    print(f"sizes and data drawn with seed {seed}: --seed {seed} grades with the same calls")
    if options.output:
        print(f"wrote {options.output}")
    return 1 if refused else 0


def _students(folder: Path) -> list[Path]:
    """Where answers are: this folder, or one for each student in it; and files of results in any of them."""
    inside = sorted(path for path in folder.iterdir() if path.is_dir() and any(path.glob("*.[sS]")))
    found = ([folder] if any(folder.glob("*.[sS]")) else []) + inside
    found += sorted([*folder.glob("*.json"), *folder.glob("*/*.json")])
    if not found:
        raise BadArgument(f"{folder} has no answers. Answers are NAME.S or NAME.aarch32.S, named after the exercise, "
                          f"or files of results (.json)")
    return found


def _folder(folder: Path, asked: str | None, seed: int) -> dict[str, Any]:
    found = []
    for path in sorted(folder.glob("*.[sS]")):
        name, _, isa = path.stem.partition(".")
        if name not in {task.name for task in tasks()}:
            print(f"{path}: not the name of an exercise, so it is ignored", file=sys.stderr)
            continue
        task, chosen = task_named(name), isa or asked
        if chosen is not None and chosen not in task.isas:
            print(f"{path}: {name} is not available for {chosen!r}, so it is ignored", file=sys.stderr)
            continue
        verdict = check_answer(task, _text(str(path)), chosen, seed=seed)
        found.append(attempt(verdict, keep=False))
    return grade(folder.resolve().name, found)


def _notebook(options: argparse.Namespace) -> int:
    words = _names(options.exercises)
    made = notebook(words, options.isa, points=options.points, graded=not options.plain, hints=options.hints)
    target = Path(options.output)
    if target.exists():
        raise BadArgument(f"{target} exists already. Choose another name, or remove it")
    write_file(target, json.dumps(made, indent=1) + "\n")
    answer(f"wrote {target}: {len(words)} exercises", {"wrote": str(target), "exercises": words}, options)
    if not options.plain:
        _assembly_stub(target, options)
    return 0


def _assembly_stub(sheet: Path, options: argparse.Namespace) -> None:
    """See to it that nbgrader's stub is assembly: in its folder of a course (source/ASSIGNMENT/), or with a word."""
    room = sheet.resolve().parent.parent
    settings = room.parent / "nbgrader_config.py"
    if room.name == "source" and not settings.exists():
        write_file(settings, f"c = get_config()\n{CONFIG}\n")
        wrote(settings, options, ": nbgrader's stub is assembly")
    elif room.name != "source" or "code_stub" not in read_text(settings, MAX_SETTINGS_BYTES):
        print(f"for nbgrader: a line of nbgrader_config.py makes its stub assembly:\n  {CONFIG}",
              file=sys.stderr if options.json else sys.stdout)
