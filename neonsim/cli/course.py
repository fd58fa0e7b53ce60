"""`neonsim course`: exercises in the terminal, results of a class, notebooks to hand out."""

from __future__ import annotations

import argparse
import json
import sys
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

from .options import ISAS, add_failing, add_output, answer, check_failing, print_json, show_failing, top_command, wrote

__all__ = ["add_commands"]

NOTES = """
  neonsim course                       the exercises
  neonsim course NAME [-o FILE.S]      what is to be done; the text to start
                                       from, also to a file
  neonsim course check NAME FILE.S     all sizes, residues and adversarial data,
                                       under the sanitizer; then sizes and data
                                       drawn for this check, the timed call
                                       among them (--seed N repeats them)
  neonsim course score NAME FILE.S     instructions (counted) and cycles
                                       (modelled) beside the solution
  neonsim course hint NAME [N]         1 is a nudge, the last nearly everything
  neonsim course grade PLACE...        a class: folders per student with NAME.S
                                       files, or files of results;
                                       -o grades.csv or grades.json
  neonsim course notebook NAME...      a notebook, with nbgrader's metadata

  neonsim course new NAME              a file that defines an exercise of your
                                       own, to be changed line by line
  neonsim course check FILE.py         is it sound? right answers pass, wrong
                                       and cheating ones fail, limits hold
  neonsim course handout FILE.py -o F  what students get: without its answers

For NAME, FILE.py may stand: course FILE.py, check FILE.py mine.S, notebook
FILE.py grey, grade FILE.py FOLDER. It is Python and is run: use what you trust.

FILE.S may be - for standard input. Exit status: 0 passed (or shown), 1 not yet,
2 wrong usage or bad input.
"""

MAX_SETTINGS_BYTES = 1_000_000    # bytes of nbgrader_config.py that are read
VERBS = ("check", "score", "hint", "grade", "notebook", "new", "handout")


def add_commands(commands: Any) -> None:
    course = top_command(commands, "course",
                         "neonsim course add-two-vectors -o add.S && neonsim course check add-two-vectors add.S", NOTES)
    course.add_argument("words", nargs="*", metavar="WORD", help="an exercise, or what to do; see below")
    course.add_argument("--isa", choices=ISAS, help="left out: the first one the exercise is posed in")
    add_output(course, "-o", "--output", help="write the starting text (or the notebook, the grades)")
    course.add_argument("--full", action="store_true", help="check: more sizes and data")
    course.add_argument("--seed", type=int, metavar="N", help="check, grade: of the sizes and data that are drawn; "
                        "left out, nobody knows it before. What is printed names it")
    course.add_argument("--core", help="score: cycles are modelled on it (see neonsim cores)")
    add_failing(course, "check: ")
    course.add_argument("--remark", action="store_true", help="check: tell what was probably done instead, where that "
                        "is recognised; meant for after the second hint")
    add_output(course, "--export", help="check: add the result to this file, for the teacher")
    course.add_argument("--who", metavar="NAME", help="check --export: whose result it is")
    course.add_argument("--points", type=int, default=1, metavar="N", help="notebook: points for each exercise")
    course.add_argument("--plain", action="store_true", help="notebook: without nbgrader's metadata")
    course.add_argument("--no-hints", dest="hints", action="store_false",
                        help="notebook, handout: exercises of your own without their hints")
    course.set_defaults(run=_course)


def _course(options: argparse.Namespace) -> int:
    check_failing(options)
    words = list(options.words)
    if not words:
        return _list(options)
    if words[0] in ("new", "handout"):
        return (_new if words[0] == "new" else _handout)(words[1:], options)
    if words[:1] == ["check"] and len(words) > 1 and all(word.endswith(".py") for word in words[1:]):
        return _prove(words[1:], options)
    words = [name for word in words for name in (_loaded(word) if word.endswith(".py") else [word])]
    if words[0] not in VERBS:
        if len(words) > 1:
            raise BadArgument(f"neonsim course {' '.join(words)}: say {', '.join(VERBS)}, or one exercise alone")
        return _show(task_named(words[0]), options)
    verb, rest = words[0], words[1:]
    run = {"check": _check, "score": _score, "hint": _hint, "grade": _grade, "notebook": _notebook}[verb]
    return run(rest, options)


def _loaded(path: str) -> list[str]:
    """The names of the exercises that a file defines."""
    return [task.name for task in load(path)]


def _new(words: list[str], options: argparse.Namespace) -> int:
    if len(words) != 1:
        raise BadArgument("`neonsim course new` takes a name: neonsim course new halving-add")
    name = words[0].removesuffix(".py")
    text = template(name, options.isa or "aarch64")
    target = Path(options.output or f"{name}.py")
    if target.exists():
        raise BadArgument(f"{target} exists already: choose another name, or remove it")
    write_file(target, text)
    answer(f"wrote {target}: an exercise that works, to be changed. Then: neonsim course check {target}",
           {"wrote": str(target), "exercise": name}, options)
    return 0


def _prove(words: list[str], options: argparse.Namespace) -> int:
    rows: list[dict[str, Any]] = []
    for word in words:
        for task in load(word):
            if not options.json:
                print(f"{task.name}: {task.title}")
            for finding in prove(task):
                rows.append({"exercise": task.name, "what": finding.what, "ok": bool(finding), "says": finding.says})
                if not options.json:
                    print(f"  {finding}", flush=True)
    bad = sum(not row["ok"] for row in rows)
    if options.json:
        print_json(rows)
    else:
        print(f"{len(rows) - bad} of {len(rows)} hold" + ("" if bad else ": the exercise is sound"))
    return 1 if bad else 0


def _handout(words: list[str], options: argparse.Namespace) -> int:
    if len(words) != 1 or options.output is None:
        raise BadArgument("`neonsim course handout` takes a file of exercises and a file to write: neonsim course "
                          "handout mine.py -o mine_students.py")
    text = handout(words[0], hints=options.hints)
    target = Path(options.output)
    if target.exists():
        raise BadArgument(f"{target} exists already: choose another name, or remove it")
    write_file(target, text)
    answer(f"wrote {target}: {words[0]} without its answers", {"wrote": str(target)}, options)
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


def _show(task: ExerciseBase, options: argparse.Namespace) -> int:
    isa = task.isa(options.isa)
    if options.json:
        print_json({"name": task.name, "title": task.title, "isa": isa, "statement": task.statement(isa),
                    "asked": dict(task.asked(isa)), "start": task.start(isa), "hints": len(task.hints)})
        return 0
    print(task.statement(isa))
    if options.output:
        target = Path(options.output)
        if target.exists():
            raise BadArgument(f"{target} exists already: choose another name, or remove it (it may hold your answer)")
        write_file(target, task.start(isa))
        print(f"\nwrote {target}: the text to start from. Then: neonsim course check {_called(task)} {target}")
    else:
        print(f"\nStart from (-o FILE.S writes it):\n\n{task.start(isa)}")
    return 0


def _called(task: ExerciseBase) -> str:
    """How the command line names an exercise: one's own by the file that defines it."""
    return str(origin(task.name) or task.name)


def _answer(words: list[str], verb: str) -> tuple[ExerciseBase, str]:
    task = task_named(words[0]) if words else None  # a name that is wrong is the first thing to say
    if task is None or len(words) != 2:
        name = "add-two-vectors" if task is None else task.name
        raise BadArgument(f"`neonsim course {verb}` takes an exercise and a file with the answer: neonsim course "
                          f"{verb} {name} mine.S. `neonsim course {name} -o mine.S` writes the text to start from.")
    return task, _text(words[1])


def _text(name: str) -> str:
    if name == "-":
        if sys.stdin is None:
            raise BadArgument("the answer is to be read from standard input, which is closed: name a file.")
        return sys.stdin.read(MAX_ANSWER_LENGTH + 1)
    return read_text(name, 4 * MAX_ANSWER_LENGTH, "replace")


def _check(words: list[str], options: argparse.Namespace) -> int:
    task, text = _answer(words, "check")
    if options.export and not (options.who or "").strip():
        raise BadArgument("--export needs --who NAME: whose result it is")
    verdict = check_answer(task, text, options.isa, full=options.full, seed=options.seed)
    noted = attempt(verdict)
    if options.json:
        print_json({**verdict.to_dict(), "score": noted.score})
    else:
        print(verdict.said(REMARKS_AFTER if options.remark else 0))
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
            raise BadArgument(f"{path} holds something else than results of {who}: choose another file")
        rows = said["results"]
    same = [r for r in rows if (r.get("exercise"), r.get("isa")) == (row["exercise"], row["isa"])]
    tries = sum(r.get("attempts", 1) for r in same) + 1
    kept = next((r for r in same if r.get("passed")), row)
    rows = [*(r for r in rows if r not in same), {**kept, "attempts": tries}]
    passed = sum(bool(r.get("passed")) for r in rows)
    write_file(path, json.dumps({"format": FORMAT, "who": who, "passed": passed, "tried": len(rows), "results": rows},
                                indent=1) + "\n")


def _score(words: list[str], options: argparse.Namespace) -> int:
    task, text = _answer(words, "score")
    score = score_answer(task, text, options.isa, options.core)
    if options.json:
        print_json(score.to_dict())
    else:
        print(score)
    return 0 if score.reached else 1


def _hint(words: list[str], options: argparse.Namespace) -> int:
    if len(words) not in (1, 2) or (len(words) == 2 and not words[1].isdigit()):
        raise BadArgument("`neonsim course hint` takes an exercise and the number of the hint, as "
                          "neonsim course hint grey 2")
    hints = task_named(words[0]).hints
    number = int(words[1]) if len(words) == 2 else 1
    if not 1 <= number <= len(hints):
        raise BadArgument(f"{words[0]} has hints 1..{len(hints)}")
    answer(f"Hint {number} of {len(hints)}: {hints[number - 1]}",
           {"exercise": words[0], "hint": number, "of": len(hints), "text": hints[number - 1]}, options)
    return 0


def _grade(words: list[str], options: argparse.Namespace) -> int:
    known = {task.name for task in tasks()}
    places = [word for word in words if word not in known or Path(word).exists()]  # names: of files that were loaded
    if not places:
        raise BadArgument("`neonsim course grade` takes files of results (.json), or folders with NAME.S files")
    from tqdm import tqdm  # type: ignore[import-untyped]

    if options.output and Path(options.output).suffix not in (".csv", ".json"):
        raise BadArgument(f"{options.output}: grades are written as .csv or .json")
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
        print(f"left out: {said}", file=sys.stderr)
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
            own = score.get("own")
            cycles = f", {own['cycles']} cycles on {score['core']}" if own and own["cycles"] else ""
            cost = f"{own['instructions']} instructions{cycles}" if own else ""
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
        raise BadArgument(f"{folder} holds no answers: they are called NAME.S, or NAME.aarch32.S, after the exercise, "
                          "or are files of results (.json)")
    return found


def _folder(folder: Path, asked: str | None, seed: int) -> dict[str, Any]:
    found = []
    for path in sorted(folder.glob("*.[sS]")):
        name, _, isa = path.stem.partition(".")
        if name not in {task.name for task in tasks()}:
            print(f"{path}: not the name of an exercise, left out", file=sys.stderr)
            continue
        task, chosen = task_named(name), isa or asked
        if chosen is not None and chosen not in task.isas:
            print(f"{path}: {name} is not posed in {chosen!r}, left out", file=sys.stderr)
            continue
        verdict = check_answer(task, _text(str(path)), chosen, seed=seed)
        found.append(attempt(verdict, keep=False))
    return grade(folder.resolve().name, found)


def _notebook(words: list[str], options: argparse.Namespace) -> int:
    if options.output is None:
        raise BadArgument("say where to write it: neonsim course notebook grey dot-product -o lesson.ipynb")
    made = notebook(words, options.isa, points=options.points, graded=not options.plain,
                    hints=options.hints)
    target = Path(options.output)
    if target.exists():
        raise BadArgument(f"{target} exists already: choose another name, or remove it")
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
