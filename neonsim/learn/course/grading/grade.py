"""An answer to an exercise: is it right, does it keep the limits, and what does it cost?

The text is untrusted. It is read within the bounds of `neonsim.common.limits`, may include nothing but the kernels' own
files, and every call of it ends after a fixed number of steps, in a machine of its own with guards around every buffer
and nothing in it but the inputs. It is called with what everybody can know, then with sizes and data drawn for this
check, the call whose instructions are counted and whose cycles are modelled among them: every call is judged.
"""

from __future__ import annotations

import secrets
import time as clock
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from neonsim.arm.asm import Program
from neonsim.arm.machine import Trace
from neonsim.arm.timing.counts import GOAL, Budget
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument, MachineError, NeonsimError, TimingError
from neonsim.learn.course.choice_exercise import ChoiceExercise, modeled, read_choices
from neonsim.learn.course.exercise import CORES, ExerciseBase
from neonsim.learn.course.grading.cost import AnswerCost, figures, program_of, reference, run
from neonsim.learn.course.grading.test_calls import published, unseen
from neonsim.learn.course.program_exercise import Task, sizes_of
from neonsim.ukernel import Case
from neonsim.verify.checking import CheckResult, ContractRun, FailingCase, KernelUnderTest, entry_of

__all__ = ["MAX_ANSWER_LENGTH", "REMARKS_AFTER", "Score", "Verdict", "budget_of", "check_answer", "new_seed",
           "read_answer", "score_answer"]

MAX_ANSWER_LENGTH = 200_000  # characters; the longest solution has twelve thousand
MAX_SEED = (1 << 63) - 1
ENOUGH = 1                # failing cases: the first one found is small already, a smaller one is looked for
SHRINKING = 3.0           # seconds
MORE_SEEDS = 4            # of a full check
REMARKS_AFTER = 2         # hints; a remark on a likely mistake says more than the first ones
RECOGNIZED = "What was probably done instead is recognised: it is told after the second hint."
AGAIN = "(seed {seed} draws the same calls again: --seed {seed}, or check(text, seed={seed}))"


def new_seed() -> int:
    """Return an unpredictable number; short enough to be copied by hand."""
    return secrets.randbelow(10**9)


@dataclass(frozen=True)
class Verdict:
    """What became of an answer; true if it passed.

    exercise, isa   str
    passed          bool             right in every byte, no rule broken, and all limits kept
    message         str              what is wrong, or that all is right
    remark          str              what was done instead, if that is recognised, or the limit that is not kept
    mistake         str              the remark of a likely mistake: it often names the instruction, so it is no first
                                     hint (`student_message`)
    result          CheckResult      of the sweep; None if the text could not be read
    trouble         Trouble | None   the smallest failing case
    seed            int              of the calls that were drawn: the same seed gives the same calls
    score           Score | None     of the timed call, if its result is right
    seconds         float
    text            str              the answer
    """

    exercise: str
    isa: str
    passed: bool
    message: str
    text: str = field(repr=False)
    remark: str = ""
    mistake: str = ""
    result: CheckResult | None = field(default=None, repr=False)
    seed: int = 0
    score: Score | None = field(default=None, repr=False)
    seconds: float = 0.0

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, hinted: int = 0) -> str:
        """All of it as text, for a student who has had n hints."""
        return f"{self.exercise} ({self.isa}): {'passed' if self.passed else 'not yet'}\n{self.student_message(hinted)}"

    def student_message(self, hinted: int = 0) -> str:
        """Return what to tell the student: the message, and behind the second hint what was probably done instead.

        hinted   how many hints of the exercise have been given
        """
        if not self.mistake:
            return self.message
        return f"{self.message}\n\n{self.mistake if hinted >= REMARKS_AFTER else RECOGNIZED}"

    @property
    def trouble(self) -> FailingCase | None:
        """The smallest failing case."""
        return self.result.smallest if self.result is not None else None

    def to_dict(self) -> dict[str, Any]:
        """For JSON: without the recorded run."""
        return {"exercise": self.exercise, "isa": self.isa, "passed": self.passed, "message": self.message,
                "remark": self.remark, "mistake": self.mistake, "seconds": round(self.seconds, 2), "seed": self.seed,
                "score": self.score.to_dict() if self.score is not None else None,
                "check": self.result.to_dict() if self.result is not None else None}


@dataclass(frozen=True)
class Score:
    """What an answer costs, beside the solution that comes with the exercise, in one call.

    cost       Figures          instructions and NEON instructions counted, cycles modelled
    solution   Figures | None   None if no solution is known here
    core       str
    case       str              sizes of the call: "n = 256"
    missed     tuple[str, ...]  limits that are not kept, each in a sentence
    met        tuple[str, ...]  those that are
    scope      str              what is counted: "one call with", or "the plan with"
    """

    exercise: str
    isa: str
    core: str
    case: str
    cost: AnswerCost
    solution: AnswerCost | None
    missed: tuple[str, ...] = ()
    met: tuple[str, ...] = ()
    scope: str = "one call with"

    @property
    def reached(self) -> bool:
        """Whether all limits are kept."""
        return not self.missed

    @property
    def notes(self) -> tuple[str, ...]:
        """What the table does not say: whether the goal is reached, and limits that are not kept."""
        return (*(words for words in self.met if words.startswith(GOAL)), *self.missed)

    def rows(self) -> list[tuple[str, int | None, int | None]]:
        """(what, yours, the solution's)"""
        rows = (("instructions, counted", "instructions"), ("of these NEON, counted", "neon"),
                (f"cycles on {self.core}, modelled", "cycles"))
        return [(what, getattr(self.cost, key), getattr(self.solution, key, None)) for what, key in rows]

    def __str__(self) -> str:
        width = max(len(what) for what, _, _ in self.rows())
        wide = max(5, *(len(str(n)) for row in self.rows() for n in row[1:]))
        lines = [f"{self.exercise} ({self.isa}), {self.scope} {self.case}",
                 f"  {'':<{width}}  {'yours':>{wide}}  {'solution':>{max(wide, 8)}}"]
        lines += [f"  {what:<{width}}  {'-' if own is None else own:>{wide}}  "
                  f"{'-' if other is None else other:>{max(wide, 8)}}"
                  for what, own, other in self.rows()]
        return "\n".join([*lines, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"exercise": self.exercise, "isa": self.isa, "core": self.core, "case": self.case,
                "cost": vars(self.cost), "solution": vars(self.solution) if self.solution is not None else None,
                "met": list(self.met), "missed": list(self.missed), "reached": self.reached}


def read_answer(task: Task, text: str, isa: str, line: int = 1) -> tuple[Program, str]:
    """Return the program and its entry, lines counted from `line`. Raises BadArgument for what is no text,
    AssemblyError."""
    _bounded(text)
    program = program_of("\n" * (line - 1) + text, isa)
    return program, entry_of(program, task.label)


def _bounded(text: str) -> None:
    if not isinstance(text, str):
        raise BadArgument(f"an answer must be a str; got {type(text).__name__}")
    if len(text) > MAX_ANSWER_LENGTH:
        raise BadArgument(f"an answer must have at most {MAX_ANSWER_LENGTH:,} characters; got {len(text):,}")


def check_answer(task: ExerciseBase, text: str, isa: str | None = None, *, full: bool = False,
                 seed: int | None = None, line: int = 1) -> Verdict:
    """Run an answer through the calls of its exercise: those that everybody knows, then those of a seed.

    text   str          assembly; of a `ChoiceExercise` a line for each choice
    isa    str          left out: the first one that the exercise is posed in
    full   bool         more sizes and more data
    seed   int | None   of sizes and data that are drawn; left out, it is random. A caller that wants the same
                        calls again gives the one that the verdict names.
    line   int          the number of the text's first line, for messages: more than 1 where something stands above it
    ->     Verdict; text that cannot be assembled is a Verdict as well, with the caret in its message

    Raises BadArgument for what is no text, or an instruction set that the exercise is not posed in.
    """
    chosen, began = task.isa(isa), clock.monotonic()
    seed = new_seed() if seed is None else as_int(seed, "seed", 0, MAX_SEED)
    if isinstance(task, ChoiceExercise):
        return replace(_chosen(task, text, chosen, seed), seconds=clock.monotonic() - began)
    assert isinstance(task, Task)
    try:
        program, entry = read_answer(task, text, chosen, line)
    except BadArgument as problem:
        if not isinstance(text, str):
            raise
        return Verdict(task.name, chosen, False, str(problem), text, seed=seed)
    except NeonsimError as problem:
        return Verdict(task.name, chosen, False, str(problem), text, seed=seed)
    subject = KernelUnderTest(program, entry, task.label, task.contract.name, task.tile, task.reads_before(chosen))
    result, drawn, trace = _judged(task, subject, seed, full)
    verdict = Verdict(task.name, chosen, False, "", text, result=result, seed=seed, seconds=clock.monotonic() - began)
    if not result:
        mistake = _mistake(task, result.smallest)
        elsewhere = _unseen(task, result.smallest) if drawn and not mistake else ""
        parts = [str(result.smallest), elsewhere, AGAIN.format(seed=seed) if drawn else ""]
        return replace(verdict, message="\n\n".join(filter(None, parts)), remark=mistake or elsewhere, mistake=mistake)
    calls = (f"right in every byte: {result.cases:,} calls, {result.sanitized_calls:,} of them alone under the "
             "sanitizer; drawn "
             f"with seed {seed}\n{result.sizes}").rstrip()
    assert trace is not None
    try:
        score = _scored(task, trace, chosen, None, task.calls.clock(seed))
    except TimingError as problem:
        return replace(verdict, message=f"{calls}\nbut its cycles cannot be modelled: {problem}")
    verdict = replace(verdict, score=score, seconds=clock.monotonic() - began)
    if score.missed:
        message = "\n".join([calls, *(f"but {words}" for words in score.missed)])
        return replace(verdict, message=message, remark=" ".join(score.missed))
    return replace(verdict, passed=True, message="\n".join([calls, *score.met]))


def _chosen(task: ChoiceExercise, text: str, isa: str, seed: int) -> Verdict:
    """An answer of numbers: read, planned, modelled on the core of the limits. Nothing is drawn for it."""
    verdict = Verdict(task.name, isa, False, "", text, seed=seed)
    try:
        _bounded(text)
        numbers = read_choices(task, text)
        score = _scored_choice(task, numbers, isa, None)
    except NeonsimError as problem:
        if not isinstance(text, str):
            raise
        return replace(verdict, message=str(problem))
    said = " ".join((*score.missed, *score.met))
    return replace(verdict, passed=score.reached, score=score, message=said, remark=" ".join(score.missed))


def _scored_choice(task: ChoiceExercise, numbers: tuple[int, ...], isa: str, asked: str | None) -> Score:
    """What a plan costs beside that of the solution, and whether the goal is reached."""
    limits, core = task.limits, asked or task.limits.core
    own = modeled(task, isa, core, numbers)
    solved = modeled(task, isa, core, read_choices(task, task.solution(isa))) if task.solved(isa) else None
    cycles, allowed = modeled(task, isa, limits.core, numbers).cycles or 0, task.cycles_allowed(isa)
    where = ", ".join(f"{name} = {number}" for name, number in zip(task.choices, numbers, strict=True))
    share = cycles / task.default_cycles(isa)
    says = (f"{cycles:,} modelled cycles on {limits.core} with {where}, {share:.3f} of the defaults'; at most "
            f"{allowed:,}")
    reached = cycles <= allowed
    return Score(task.name, isa, core, where, own, solved, () if reached else (f"not fast enough: {says}",),
                 (f"{GOAL}: {says}",) if reached else (), "the plan with")


def _judged(task: Task, subject: KernelUnderTest, seed: int, full: bool) -> tuple[CheckResult, bool, Trace | None]:
    """What the sweep has found and, if all of that was right, the calls that were drawn, the timed one the last of
    them; whether these were called at all; and the trace of the timed one if it was right."""
    options: dict[str, Any] = {"steps": task.limits.steps, "max_failures": ENOUGH, "shrinking": SHRINKING, "thin": True}
    known = published(task.calls, "quick")
    first = ContractRun(subject, lambda size: published(task.calls, size), **options).run(full)
    if not first:
        return first, False, None
    seeds = range(seed, seed + MORE_SEEDS) if full else (seed,)
    others = [case for each in seeds for case in unseen(task.calls, each)]

    def drawn(size: str) -> Iterable[Case]:
        return chain(published(task.calls, "full"), others) if size == "full" else others

    second, trace = ContractRun(subject, drawn, known={case.sizes for case in known}, **options).run(False), None
    timed = task.calls.clock(seed)
    if second:
        trace = _recorded(task, subject, timed)
        if trace is None:
            others = [timed]
            second = ContractRun(subject, drawn, **options).run(False)
        else:
            second.count_calls([timed], sanitized=True)
    second.add(first)
    return second, True, trace


def _recorded(task: Task, subject: KernelUnderTest, case: Case) -> Trace | None:
    """The trace of a call, None if its result is wrong or it is stopped."""
    try:
        outcome, trace = run(task, subject.program, subject.entry, case)
    except MachineError:
        return None
    return None if outcome.wrong() else trace


def _scored(task: Task, trace: Trace, isa: str, asked: str | None, case: Case) -> Score:
    """A right call, counted and modelled, and what it makes of the limits.

    Raises TimingError for an instruction that has no price on the core that was asked for, or of the limits.
    """
    limits, core = task.limits, asked or task.limits.core or CORES[isa]
    try:
        own = figures(trace, case, core)
    except TimingError:
        if asked or limits.times:
            raise
        own = figures(trace, case)    # right, and new to the core: it has no cycles, which are not asked for
    assert own.useful is not None
    budget = budget_of(task, isa, case)
    cycles = own.cycles if core == limits.core or not limits.times else figures(trace, case, limits.core).cycles
    kept, missed = budget.judge(own.instructions, own.neon, own.useful, cycles)
    return Score(task.name, isa, core, budget.call, own, reference(task, isa, core, case), tuple(missed), tuple(kept))


def budget_of(task: Task, isa: str, case: Case) -> Budget:
    """Return what a call of an answer may take."""
    limits = task.limits
    return Budget(sizes_of(case), task.elements(case), task.counted_argument, limits.instructions, limits.neon,
                  task.cycles_allowed(isa, case), limits.core)


def score_answer(task: ExerciseBase, text: str, isa: str | None = None, core: str | None = None,
                 seed: int | None = None) -> Score:
    """Count one call of an answer, and model its cycles, beside the solution.

    core   a name of `neonsim.cores()`; left out, the core of the exercise's limits, or the Cortex-A53
    seed   of the call's size and data; left out, the sizes that the exercise states, so that scores can be compared

    Raises AssemblyError, MachineError and TimingError of the answer; BadArgument if its result is wrong: what is wrong
    has no score.
    """
    chosen = task.isa(isa)
    if isinstance(task, ChoiceExercise):
        _bounded(text)
        return _scored_choice(task, read_choices(task, text), chosen, core)
    assert isinstance(task, Task)
    program, entry = read_answer(task, text, chosen)
    case = task.calls.clock(seed)
    outcome, trace = run(task, program, entry, case)
    if wrong := outcome.wrong():
        raise BadArgument(f"{task.name}: the result is not correct yet ({wrong}). Check it first")
    return _scored(task, trace, chosen, core, case)


def _mistake(task: Task, trouble: FailingCase | None) -> str:
    """What to say of a result that is wrong in a way that is known."""
    if trouble is None or trouble.outcome is None:
        return ""
    outcome = trouble.outcome
    for mistake in task.mistakes:
        contract = replace(outcome.case.contract, function=mistake.definition)
        expected: Mapping[str, Any] = replace(outcome.case, contract=contract).expected
        if all((left == expected[name]).all() for name, left in outcome.memory.items()):
            return mistake.remark
    return ""


def _unseen(task: Task, trouble: FailingCase | None) -> str:
    """What to say of an answer that is right where everybody can look, and wrong elsewhere."""
    if trouble is None:
        return ""
    known = {tuple(sizes_of(case).split(", ")) for case in published(task.calls, "quick")}
    here = ", ".join(f"{name} = {n}" for name, n in trouble.sizes.items())
    if not trouble.sizes or tuple(here.split(", ")) in known:
        return ("With the published data every call of this size is right, with other data this one is not: results "
                "are to be computed, not repeated.")
    return (f"Every published call is right; this one, with {here}, is not. Sizes and data are drawn anew for each "
            "check, also those of the timed call: an answer works for all that the contract allows.")
