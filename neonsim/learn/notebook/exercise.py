"""An exercise in a notebook: its statement, answers checked in a cell, hints, the score, results for the teacher."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neonsim.common.argument_types import check_arguments
from neonsim.errors import NeonsimError
from neonsim.learn.course import (
    Answers,
    ExerciseBase,
    Limits,
    Score,
    Verdict,
    check_answer,
    define,
    define_choice,
    register,
    score_answer,
    task_named,
    tasks,
)
from neonsim.learn.course.classroom.gradebook import Attempt, attempt, attempts, export, hint, hinted
from neonsim.learn.course.grading.prove_answer import prove_answer
from neonsim.learn.course.grading.test_calls import published
from neonsim.learn.course.tasks import program

from .cell import Cell, running_cell
from .magic_options import MagicParser, variable_name

if TYPE_CHECKING:
    from neonsim.ukernel import Case, Contract
    from neonsim.verify.checking import FailingCase
    from neonsim.verify.proving import Proof

    from .stepper import Stepper

__all__ = ["AnswerView", "Exercise", "exercises", "run_exercise"]

_PRE = ("white-space:pre-wrap;word-break:normal;overflow-wrap:break-word;font-family:ui-monospace,monospace;"
        "font-size:.92em")


def _pre(text: str) -> str:
    return f'<pre style="{_PRE}">{html.escape(text)}</pre>'


class Exercises(tuple[ExerciseBase, ...]):
    """The exercises; prints as a table."""

    def __repr__(self) -> str:
        width = max(len(task.name) for task in self)
        return "\n".join(f"{task.name:<{width}}  {'/'.join(task.isas):<15}  {task.title}" for task in self)

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td style='text-align:left'><code>{task.name}</code></td><td style='text-align:left'>"
                       f"{html.escape(task.title)}</td><td style='text-align:left'>{', '.join(task.isas)}</td></tr>"
                       for task in self)
        return f"<table><tr><th>exercise</th><th>about</th><th>posed in</th></tr>{rows}</table>"


def exercises() -> Exercises:
    """Return every exercise, easy ones first."""
    return Exercises(tasks())


class AnswerView:
    """What became of an answer; true if it passed. In a notebook it shows itself, with the stepper where it is wrong.

    verdict   Verdict        everything that is known
    score     Score | None   of an answer that passed
    """

    def __init__(self, verdict: Verdict, score: Score | None = None) -> None:
        self.verdict, self.score = verdict, score
        self.cell_id = ""  # of the notebook's cell that holds the answer

    def __bool__(self) -> bool:
        return self.verdict.passed

    @property
    def passed(self) -> bool:
        """Right in every byte, no rule broken, the goal reached."""
        return self.verdict.passed

    @property
    def message(self) -> str:
        """What to tell the student: what is wrong, and after the second hint what was probably done instead."""
        return self.verdict.student_message(hinted(self.verdict.exercise))

    @property
    def remark(self) -> str:
        """What was done instead, if that is recognised."""
        return self.verdict.remark

    @property
    def text(self) -> str:
        """The answer."""
        return self.verdict.text

    def stepper(self, core: str | None = None) -> Stepper | None:
        """Return the failing call, at the step that wrote the first wrong element (or at the one that was stopped).

        None if nothing was run, or nothing is wrong.
        """
        from .stepper import failing_stepper

        cell = Cell(f"%%neon_exercise {self.verdict.exercise} {self.verdict.isa}", self.cell_id, bool(self.cell_id))
        return failing_stepper(self.verdict.trouble, self.verdict.exercise, core, cell)

    def __repr__(self) -> str:
        return self.verdict.to_text(hinted(self.verdict.exercise)) + (f"\n\n{self.score}" if self.score else "")

    def _repr_html_(self) -> str:
        verdict = self.verdict
        mark, color = ("\u2713 passed", "#1a7f37") if verdict else ("\u2717 not yet", "#c62828")
        score = _score_html(self.score) if self.score is not None else ""
        badge = f'<b style="color:#fff;background:{color};padding:.1em .5em;border-radius:.3em">{mark}</b>'
        wrong = _wrong_html(verdict.trouble) if verdict.trouble is not None else ""
        return (f'<div role="status"><p>{badge} <b>{html.escape(verdict.exercise)}</b> ({verdict.isa})</p>{wrong}'
                f'{_pre(self.message)}{score}</div>')

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _ipython_display_(self) -> None:
        from IPython.display import display

        display(_Page(repr(self), self._repr_html_()))  # type: ignore[no-untyped-call]
        if (stepper := self.stepper()) is not None:
            display(stepper)  # type: ignore[no-untyped-call]


def _wrong_html(trouble: FailingCase) -> str:
    """What is wrong, at the head: the element, what it should be and is, side by side, and what it was made of."""
    if not trouble.element:
        return f"<p><b>{html.escape(trouble.message)}</b></p>"
    # Uninitialized data has no value.
    is_ = trouble.got if trouble.step is not None else "not written"
    cells = ((trouble.element, "element"), (trouble.expected, "should be"), (is_, "is"),
             (", ".join(trouble.inputs) or "-", "this run made it of"))
    heads = "".join(f"<th style='text-align:left'>{head}</th>" for _, head in cells)
    row = "".join(f"<td style='text-align:left'><b>{html.escape(str(cell))}</b></td>" for cell, _ in cells)
    return f"<table><tr>{heads}</tr><tr>{row}</tr></table>"


def _score_html(score: Score) -> str:
    rows = "".join(f"<tr><td style='text-align:left'>{html.escape(what)}</td><td>{'-' if own is None else own}</td>"
                   f"<td>{'-' if other is None else other}</td></tr>" for what, own, other in score.rows())
    goal = "".join(f"<p>{html.escape(words)}.</p>" for words in score.notes)
    return (f"<table><tr><th style='text-align:left'>{score.scope} {html.escape(score.case)}</th><th>yours</th>"
            f"<th>solution</th></tr>{rows}</table>{goal}")


class ScoreView:
    """A `Score` that shows itself as a table."""

    def __init__(self, score: Score) -> None:
        self.score = score

    def __repr__(self) -> str:
        return str(self.score)

    def _repr_html_(self) -> str:
        return _score_html(self.score)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.score, name)


class _Page:
    """A text that notebooks show as a page."""

    def __init__(self, text: str, page: str) -> None:
        self.text, self.page = text, page

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.page


class Exercise:
    """One exercise: statement, contract, starting text, the calls that judge it.

    name   str   as `ns.exercises()` lists them: "add-two-vectors"
    isa    str   "aarch64" or "aarch32"; left out, the first one it is posed in

    `Exercise.define(...)` makes one of your own.

    Raises BadArgument for a name or an instruction set that there is not.
    """

    Limits = Limits
    """What is asked besides right bytes, for `define`: Exercise.Limits(instructions=1, neon=0.3)."""

    def __init__(self, name: str, isa: str | None = None) -> None:
        self.task = task_named(name)
        self.isa = self.task.isa(isa)

    @classmethod
    def define(cls, name: str, title: str, **parts: Any) -> Exercise:
        """Define an exercise: a C prototype, a definition in numpy, sizes, limits, hints, remarks for mistakes.

        Arguments as `neonsim.learn.course.define` (docs/exercises.md has a page about them); those of neonsim are made
        the same way. With choices= it asks for numbers that a plan is made with, and is graded in modelled cycles
        (`neonsim.learn.course.define_choice`). It is known by its name from then on: in `%%neon_exercise`, and to
        results and grades.

        Raises BadArgument: what is missing or wrong. A built-in name is refused; a user-defined one is replaced.
        """
        make = define_choice if "choices" in parts else define
        return cls(register(make(name, title, **parts)).name)

    def answers(self, **known: Any) -> Exercise:
        """Answers that prove an exercise of your own: right, also, wrong, cheats (see `neonsim.learn.course.Answers`).

        `neonsim course validate FILE` tries them all. Put this call below a line `# ---- answers`: what follows that
        line is not handed out.
        """
        self.task = register(self.task.with_answers(Answers(**known)))
        return self

    @property
    def name(self) -> str:
        """Its name."""
        return self.task.name

    @property
    def contract(self) -> Contract:
        """The definition that answers are judged by, and the order of arguments."""
        return program(self.task).contract

    def cases(self, *, full: bool = False) -> tuple[Case, ...]:
        """Return the published calls that judge an answer, with data and results; each check draws others too."""
        return published(program(self.task).calls, "full" if full else "quick")

    @property
    def statement(self) -> str:
        """What is to be done."""
        return self.task.statement(self.isa)

    @property
    def start(self) -> str:
        """The text to start from."""
        return self.task.start(self.isa)

    @property
    def cell(self) -> str:
        """The cell to copy: the magic, and the text to start from."""
        extra = "" if self.isa == self.task.isas[0] else f" {self.isa}"
        return f"%%neon_exercise {self.name}{extra}\n{self.start}"

    def check(self, text: str, *, full: bool = False, seed: int | None = None, line: int = 1) -> AnswerView:
        """Check an answer with all sizes, residues and adversarial data, under the sanitizer.

        text   str    assembly, or a line for each choice
        full   bool   more sizes and more data
        seed   int    of the calls that are drawn; left out, other ones each time (the answer's message names it)
        line   int    the number of the text's first line, for messages: below a magic it is 2
        ->     Answer; show it in a cell, or print it

        Raises BadArgument for what is no text.
        """
        verdict = check_answer(self.task, text, self.isa, full=full, seed=seed, line=line)
        attempt(verdict)
        return AnswerView(verdict)

    def score(self, text: str, core: str | None = None) -> ScoreView:
        """Count instructions and model cycles of one call, next to those of the solution.

        core   str   of `ns.cores()`; left out, that of the goal, or the Cortex-A53

        Raises NeonsimError for an answer that is not right yet, or a core that there is not.
        """
        return ScoreView(score_answer(self.task, text, self.isa, core))

    def prove(self, text: str, *, seconds: float = 20.0, solver: str | None = None) -> Proof:
        """Prove that an answer equals the starting text of the exercise, for all data of one call.

        Arguments, result and errors as `neonsim.learn.course.grading.prove_answer.prove_answer`: for exercises whose
        start is right.
        """
        return prove_answer(program(self.task), text, self.isa, seconds=seconds, solver=solver)

    def hint(self, number: int | None = None) -> str:
        """Return the next hint, or hint number n (1 is the first); later hints say more.

        After the second one a wrong answer is also told what was probably done instead, where that is recognised.
        """
        return _Words(hint(self.task, number))

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """What has been tried of it in this session."""
        return tuple(one for one in attempts(self.name) if one.isa == self.isa)

    def export(self, path: str | Path, student: str) -> Path:
        """Write all attempts of this session, at other exercises too, as JSON: exercise, who, when, passed, score, the
        answer itself; or as a table without the answers, if the file is called .csv."""
        return export(path, student)

    def __repr__(self) -> str:
        return f"{self.statement}\n\nStart from:\n\n{self.cell}"

    def _repr_html_(self) -> str:
        task = self.task
        promise = _pre(task.promise) if task.promise else ""
        heads, given = task.argument_table(self.isa)
        head = "".join(f"<th>{word}</th>" for word in heads)
        rows = "".join("<tr>" + "".join(f"<td style='text-align:left'><code>{html.escape(word)}</code></td>"
                                        for word in row) + "</tr>" for row in given)
        story = "".join(f"<p>{html.escape(part)}</p>" for part in task.story.strip().split("\n\n"))
        asked = "".join(f"<p><b>{what}:</b> {html.escape(words)}.</p>" for what, words in task.requirements(self.isa))
        return (f"<div><h4>{html.escape(task.name)}: {html.escape(task.title)}</h4>{story}{promise}"
                f"<table><tr>{head}</tr>{rows}</table>{asked}"
                f"<p>Copy this into a cell, and run it:</p>{_pre(self.cell)}"
                f"<p><code>.hint()</code> helps; there are {len(task.hints)}.</p></div>")


class _Words(str):
    """Text that a notebook shows without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def run_exercise(line: str, text: str, variables: dict[str, Any], magic: str = "%%neon_exercise") -> Any:
    """Return what `%%neon_exercise` does, without IPython: what is to be displayed.

    line        the rest of the magic's line
    text        the answer; without a single instruction, the statement is shown
    variables   the notebook's: -o puts the Answer there

    Raises NeonsimError for anything wrong with the options.
    """
    parser = MagicParser(prog=magic, add_help=False)
    parser.add_argument("name", help="of the exercise")
    parser.add_argument("isa", nargs="?", choices=["aarch64", "aarch32"])
    parser.add_argument("-o", "--output", metavar="NAME", help="variable that receives the answer")
    parser.add_argument("--core", help="cycles of the score are modelled on it")
    parser.add_argument("--full", action="store_true", help="more sizes and data")
    parser.add_argument("--seed", type=int, help="of the calls that are drawn: the one that an answer named")
    parser.add_argument("--hint", action="store_true", help="show a hint as well")
    options: Any = parser.read(line)
    variable_name(options.output, magic)
    exercise = Exercise(options.name, options.isa)
    answer = exercise.check(text, full=options.full, seed=options.seed, line=2)
    answer.cell_id = running_cell()
    if answer:
        try:
            answer.score = exercise.score(text, options.core).score
        except NeonsimError as problem:
            if options.core is not None:
                raise
            # Right, but a price is missing on the default core: that is no fault of the answer.
            print(f"no score: {problem}")
    if options.output is not None:
        variables[options.output] = answer
    if options.hint:
        tried = sum(not one.passed for one in exercise.attempts)
        print(exercise.hint(min(max(tried, 1), len(exercise.task.hints))))
    return answer


check_arguments(globals(), "Exercise")
