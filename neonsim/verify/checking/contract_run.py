"""Cases of a contract, run by one program: alone under the sanitizer, in lock-step, and the smallest one that fails."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from neonsim.arm.machine import Trace, compiler
from neonsim.arm.machine.trace.provenance import MEMORY, ByteLocation
from neonsim.common.integers import as_int
from neonsim.errors import BackendError, BadArgument, MachineError
from neonsim.ukernel import Case, Outcome, run_alone, run_together
from neonsim.ukernel.case import RETURNED, At
from neonsim.ukernel.case_runner import collect, setup

from .element_flow import ByteOrigin
from .element_text import describe_element
from .locate import Element, element_at
from .target import KernelUnderTest

__all__ = ["CheckResult", "ContractRun", "FailingCase", "Progress"]

STEPS = 200_000    # of one call; the longest call of our own kernels takes a tenth
ENOUGH = 100       # failing cases after which the sweep stops
NAMED = 4          # inputs of a wrong element that stand in a heading
SHRINKING = 10.0   # seconds for looking for a smaller case
# Instructions that a full sweep does in lock-step, whatever the number of calls, before its kernel is compiled: this
# many take as long as the compiler, some 25 microseconds each.
WORTH = 10_000

Progress = Callable[[int, str], None]


@dataclass(frozen=True)
class FailingCase:
    """The smallest case that fails.

    case         str              its name: what is special about it
    sizes        dict             {"mr": 1, "nr": 3, "kc": 9}
    message      str              one sentence
    expected, got, region, index  the first differing element, if bytes differ
    element      str              its name, "y[3]"
    arithmetic   tuple[str, ...]  how the definition arrives at the expected value
    inputs       tuple[str, ...]  what the run made the element of, by its recorded flow of data: "a[3] = 131"
    writing_step  str              the step that wrote the wrong byte, "" if none did
    report       str              what the sanitizer or the machine has to say, with the steps that led there
    rule         str              of the sanitizer, "" if none is broken
    outcome      Outcome | None   of the call by itself, if it came to its end
    trace        Trace | None     of that call, or of the steps until it was stopped
    step         int | None       the step of the trace that wrote the wrong byte, or was the last one
    stepper_lane  tuple            where the stepper shows the element as a lane: steps done, which lane of the last of
                                  them, what is followed
    place        ByteLocation | None   of the wrong element, after the last step
    """

    case: str
    sizes: dict[str, int]
    message: str
    region: str = ""
    index: tuple[int, ...] | None = None
    expected: float | None = None
    got: float | None = None
    element: str = ""
    arithmetic: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    writing_step: str = ""
    report: str = ""
    rule: str = ""
    outcome: Outcome | None = field(default=None, repr=False, compare=False)
    trace: Trace | None = field(default=None, repr=False, compare=False)
    step: int | None = field(default=None, compare=False)
    stepper_lane: tuple[int, int, str] | None = field(default=None, compare=False)
    place: ByteLocation | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        sizes = ", ".join(f"{name} = {n}" for name, n in self.sizes.items())
        rows = [f"smallest failing case: {sizes}   ({self.case})" if sizes else f"failing case: {self.case}"]
        if not self.report:
            rows.append(f"  {self.message}")
        rows += [f"  {line}" for line in self.arithmetic]
        if self.provenance:
            rows.append(f"  {self.provenance}")
        if self.writing_step:
            rows.append(f"  {self.writing_step}")
        if self.report:
            rows += ["", self.report]
        return "\n".join(rows)

    @property
    def provenance(self) -> str:
        """What the run made the wrong element of, in a sentence; "" if it is uninitialized."""
        if not self.element or self.trace is None or self.step is None:
            return ""
        return f"this run made {self.element} of {', '.join(self.inputs) or 'no input: of constants alone'}"

    @property
    def opening_step(self) -> int:
        """Where the stepper opens: n steps are done, the last of them made the wrong element or was stopped."""
        assert self.trace is not None
        if self.stepper_lane is not None:
            return self.stepper_lane[0]
        return self.trace.steps if self.step is None else min(self.step + 1, self.trace.steps)

    @property
    def view(self) -> str:
        """How the stepper is set up: the lane is selected, the element is followed."""
        return urlencode({"lane": self.stepper_lane[1],
                          "follow": self.stepper_lane[2]}) if self.stepper_lane is not None else ""

    def heading(self, name: str) -> str:
        """Return what is wrong, for the head of a page: the exercise or the kernel, the sizes, the element, its
        inputs."""
        sizes = ", ".join(f"{size} = {n}" for size, n in self.sizes.items())
        made = f"; made of {', '.join(self.inputs)}" if 0 < len(self.inputs) <= NAMED else ""
        return f"{name}{f', {sizes}' if sizes else ''}: {self.message.partition('   (')[0]}{made}"

    def to_html(self, path: str | Path, name: str, *, step: int | None = None, live: bool = False) -> Path:
        """Write a page that replays the failing call and says at its head what is wrong; returns its path.

        name   of the exercise or the kernel
        step   where it opens, as the stepper counts; left out, at the step that wrote the wrong element
        live   values can be changed in the page (`neonsim.render.stepper.page`)

        Raises BadArgument where no call was recorded, where nothing can be written, for a step that there is not.
        """
        if self.trace is None:
            raise BadArgument(f"{name} fails only together with other calls, so there is no single call to step "
                              f"through.")
        step = self.opening_step if step is None else as_int(step, "step", 0, self.trace.steps)
        view = "&".join(filter(None, (f"step={step}", self.view)))
        found: Path = self.trace.to_html(path, title=self.heading(name), view=view, live=live)
        return found


@dataclass
class CheckResult:
    """What a sweep has found; true if every byte was right and no rule was broken.

    cases     int   calls made, each compared byte by byte with the definition
    sanitized_calls  int   of these, calls by themselves under the sanitizer
    failed    int   how many of them went wrong (the sweep stops after 100)
    called_sizes  dict  {size: its values in these calls}
    """

    name: str
    contract: str
    tile: str
    isa: str
    cases: int = 0
    sanitized_calls: int = 0
    failed: int = 0
    smallest: FailingCase | None = None
    seconds: float = 0.0
    complete: bool = True
    notes: list[str] = field(default_factory=list)
    called_sizes: dict[str, set[int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.failed == 0

    def __str__(self) -> str:
        head = f"{self.name}: {self.contract}, tile {self.tile}, {self.isa}"
        count = (f"{self.cases:,} calls, {self.sanitized_calls:,} of them alone under the sanitizer, "
                 f"{self.seconds:.1f} s")
        if self:
            return f"{head}\nright in every byte: {count}\n{self.sizes}".rstrip()
        stopped = "" if self.complete else "; the sweep was stopped"
        return f"{head}\nWRONG: {self.failed:,} of {count}{stopped}\n\n{self.smallest}"

    def count_calls(self, some: Sequence[Case], sanitized: bool) -> None:
        """Count calls of equal sizes."""
        self.add(CheckResult("", "", "", "", len(some), len(some) if sanitized else 0,
                             called_sizes={name: {n} for name, n in _named(some[0]).items()}))

    def add(self, other: CheckResult) -> None:
        """Count what another sweep has called as well."""
        self.cases += other.cases
        self.sanitized_calls += other.sanitized_calls
        for name, some in other.called_sizes.items():
            self.called_sizes.setdefault(name, set()).update(some)

    @property
    def sizes(self) -> str:
        """Every size that was tried: "sizes tried: k 1 to 41, 64, 258"; "" where there is none."""
        found = [f"{name} {_runs(sorted(some))}" for name, some in self.called_sizes.items()]
        return f"sizes tried: {'; '.join(found)}" if found else ""

    def to_dict(self) -> dict[str, Any]:
        """For --json."""
        recorded = ("outcome", "trace", "step", "stepper_lane", "place")
        trouble = None if self.smallest is None else {
            name: value for name, value in vars(self.smallest).items() if name not in recorded}
        return {**vars(self), "ok": bool(self), "seconds": round(self.seconds, 2), "smallest": trouble,
                "called_sizes": {name: sorted(some) for name, some in self.called_sizes.items()}}


class ContractRun:
    """Cases of a contract, run by one program.

    kernel     Subject
    made       called with "quick" or "full": the cases
    progress   as for `check`
    steps      of one call, after which it counts as one that does not end
    max_failures  failing cases after which to stop
    shrinking  seconds for looking for a smaller case
    thin       True: alone (slow, exact) only one case of each size, all of them in lock-step
    known      sizes that have been called alone before, and are not again
    """

    def __init__(self, kernel: KernelUnderTest, made: Callable[[str], Iterable[Case]], progress: Progress | None = None,
                 *,
                 steps: int = STEPS, max_failures: int = ENOUGH, shrinking: float = SHRINKING, thin: bool = False,
                 known: Collection[tuple[int, ...]] = ()) -> None:
        self.what, self.made, self.progress = kernel, made, progress or (lambda count, doing: None)
        self.steps, self.enough, self.shrinking, self.thin, self.known = steps, max_failures, shrinking, thin, known
        self.result = CheckResult(kernel.name, kernel.contract, str(kernel.tile), kernel.program.isa)
        self.failing: list[tuple[Case, bool]] = []  # and whether it fails alone
        self.smallest: Case | None = None       # of those that fail, once `run` has looked for it
        self._stepped = 0       # instructions in lock-step
        self._compiles = False  # whether their number is worth it

    def run(self, full: bool) -> CheckResult:
        """Run them, alone and in lock-step; ``full``: those of "full" as well."""
        began = time.monotonic()
        self._compiles = full and compiler() is not None
        quick = sorted(self.made("quick"), key=_effort)
        alone = [case for case in (_thinned(quick) if self.thin else quick) if case.sizes not in self.known]
        self._go(alone, alone=True, doing="each alone")
        if not self.failing:
            self._go(quick, alone=False, doing="in lock-step")
        if not self.failing and full:
            self._go(self.made("full"), alone=False, doing="full sweep")
        self.result.failed = len(self.failing)
        if self.failing:
            self.smallest, by_itself = self._shrunk()
            self.result.smallest = self.explain(self.smallest, by_itself)
        self.result.seconds = time.monotonic() - began
        return self.result

    def _limits(self) -> dict[str, Any]:
        return {"reads_before": self.what.reads_before, "reads_after": self.what.reads_after, "max_steps": self.steps}

    def _go(self, cases: Iterable[Case], alone: bool, doing: str) -> None:
        for group in _groups(cases):
            groups = [[case] for case in group] if alone else [group]
            for some in groups:
                self.failing += [] if not alone and self._right(some) else self._failures(some, alone)
                self.result.count_calls(some, alone)
                self.progress(len(some), f"{doing}, {_words(some[0])}")
                if len(self.failing) >= self.enough:
                    break
            if len(self.failing) >= self.enough:
                self.result.complete = False
                return

    def _right(self, group: list[Case]) -> bool:
        """Whether these calls are seen to be right by the compiled engine, once lock-step has done enough steps.

        Lock-step then runs all other calls, so verdict and report are the same. Calls that diverge are never right
        here, because lock-step runs each of them alone.
        """
        if len(group) == 1 or self._stepped < WORTH or not self._compiles:
            return False
        what = self.what
        try:
            outcomes = run_together(what.program, what.entry, group, engine="compiled", uniform=True, **self._limits())
        except MachineError:
            return False
        except BackendError as problem:
            self._compiles = False
            self.result.notes.append(f"the whole sweep ran step by step: {problem}")
            return False
        return not any(outcome.wrong() for outcome in outcomes)

    def _failures(self, group: list[Case], alone: bool) -> list[tuple[Case, bool]]:
        what = self.what
        if not alone and len(group) > 1:
            try:
                outcomes = run_together(what.program, what.entry, group, **self._limits())
                self._stepped += outcomes[0].result.steps
            except MachineError:
                # One of them stops all, or they part: a kernel may branch on data, so each has its turn.
                return [found for case in group for found in self._failures([case], True)]
            wrong = [outcome.case for outcome in outcomes if outcome.wrong()]
            return [(case, bool(self._failures([case], True))) for case in wrong]
        return [(case, True) for case in group if self._trouble(case) is not None]

    def _alone(self, case: Case, trace: bool) -> Outcome:
        return run_alone(self.what.program, self.what.entry, case, sanitize=True, trace=trace, **self._limits())

    def _recorded(self, case: Case) -> Outcome | tuple[MachineError, Trace]:
        """The call with its trace; if it does not come to its end, why, and the steps until then."""
        machine, arguments = setup(self.what.program, case, self.what.reads_before, self.what.reads_after)
        try:
            result = machine.call(self.what.program, *arguments, entry=self.what.entry, sanitize=True, trace=True,
                                  max_steps=self.steps)
        except MachineError as problem:
            return problem, machine.trace()
        return collect(case, machine, result)

    def _trouble(self, case: Case) -> str | None:
        try:
            return self._alone(case, False).wrong() or None
        except MachineError as problem:
            return str(problem)

    # -- the smallest one
    def _shrunk(self) -> tuple[Case, bool]:
        best, alone = min(self.failing, key=lambda found: _effort(found[0]))
        until = time.monotonic() + self.shrinking
        self.progress(0, "looking for a smaller case")
        tried: set[tuple[int, ...]] = set()
        for case in self.made("full"):
            smaller = case.sizes != best.sizes and all(n <= m for n, m in zip(case.sizes, best.sizes, strict=True))
            # Most contracts have sizes from 1 up: then all that are smaller may have been tried.
            if time.monotonic() > until or (not smaller and len(tried) >= math.prod(best.sizes) - 1):
                break
            tried |= {case.sizes} if smaller else set()
            if smaller and _effort(case) < _effort(best) and self._trouble(case) is not None:
                best, alone, tried = case, True, set()
        return best, alone

    def explain(self, case: Case, rerun: bool = True) -> FailingCase:
        """Return what is wrong with a call that fails; ``rerun``: also by itself."""
        sizes = _named(case)
        if not rerun:
            return FailingCase(case.name, sizes,
                               "goes wrong only beside other calls: it changes bytes that are not its "
                                             "own, or depends on them")
        outcome = self._recorded(case)
        if isinstance(outcome, tuple):
            problem, trace = outcome
            sentence = problem.finding.message if problem.finding is not None else str(problem)
            return FailingCase(case.name, sizes, f"{type(problem).__name__}: {sentence}", report=str(problem),
                               rule=problem.rule, trace=trace, step=max(trace.steps - 1, 0))
        element, recorded = _first_wrong(case, outcome), outcome.result.trace
        assert recorded is not None
        if element is None:
            return FailingCase(case.name, sizes, outcome.wrong(), outcome=outcome, trace=recorded)
        spelled = tuple(describe_element(case, element.argument, element.index)) if element.index is not None else ()
        if element.region == RETURNED:
            place, step = _returned(recorded, element.size, np.dtype(case.contract.returns).kind == "f")
        else:
            address = outcome.machine.memory.buffer(element.region).address
            step = recorded.last_store(address + element.offset)
            place = ByteLocation(MEMORY, address + element.start, element.size)
        inputs, written, shown = _story(recorded, case, element, place, step)
        return FailingCase(case.name, sizes, element.sentence(), element.region, element.index, element.expected,
                           element.got, element.name, spelled, inputs, written, outcome=outcome, trace=recorded,
                           step=step, stepper_lane=shown, place=place)


def _thinned(cases: Sequence[Case]) -> list[Case]:
    """One case of each size, another kind of data each time."""
    groups = [list(group) for group in _groups(cases)]
    return [group[i % len(group)] for i, group in enumerate(groups)]


def _groups(cases: Iterable[Case]) -> Iterator[list[Case]]:
    """Neighbours with equal sizes and places: they may run together."""
    for _, group in groupby(cases, key=lambda case: (case.sizes, _places(case))):
        yield list(group)


def _places(case: Case) -> tuple[Any, ...]:
    return (tuple(v.region for v in case.values.values() if isinstance(v, At)),
            tuple(sorted((name, region.role) for name, region in case.memory.items())))


def _named(case: Case) -> dict[str, int]:
    return {a.name: case.number(a.name) for a in case.contract.arguments if a.kind == "size"}


def _runs(numbers: Sequence[int]) -> str:
    """Numbers going up, neighbours as a range.

    >>> _runs([1, 2, 3, 5, 9, 10])
    '1 to 3, 5, 9, 10'
    """
    found = [[n for _, n in run] for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])]
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in found)


def _effort(case: Case) -> tuple[int, int, int]:
    """Small cases first: few elements, then small numbers, then plain data."""
    product = math.prod(max(n, 1) for n in case.sizes)
    gaps = sum(case.number(a.name) for a in case.contract.arguments if a.kind in ("stride", "pointers"))
    return product, sum(case.sizes), gaps


def _words(case: Case) -> str:
    return " ".join(f"{name}={n}" for name, n in _named(case).items())


def _returned(trace: Trace, nbytes: int, real: bool) -> tuple[ByteLocation, int | None]:
    """Where a call leaves what it returns, and the step that wrote it last."""
    where = ("v0" if trace.isa == "aarch64" else "q0") if real else "x0" if trace.isa == "aarch64" else "r0"
    rows = np.flatnonzero(np.asarray(trace.write_location) == trace.locations.index(where))
    step = int(np.searchsorted(trace.write_start, rows[-1], side="right")) - 1 if rows.size else None
    return ByteLocation(where, 0, nbytes), step


def _first_wrong(case: Case, outcome: Outcome) -> Element | None:
    for name, left in outcome.memory.items():
        if name != RETURNED and case.memory[name].role == "scratch":
            continue
        differs = np.flatnonzero(left != case.expected[name])
        if differs.size:
            if name == RETURNED:
                return element_at(case, name, int(differs[0]), left)
            memory = outcome.machine.memory
            known = memory.defined_bytes(memory.buffer(name)) if memory.shadow else None
            return element_at(case, name, int(differs[0]), left, known)
    return None


def _story(trace: Trace, case: Case, element: Element, place: ByteLocation, step: int | None
           ) -> tuple[tuple[str, ...], str, tuple[int, int, str] | None]:
    """What a wrong element was made of; which step wrote it, as the stepper counts; where that shows it as a lane."""
    if step is None:
        return (), ("no step wrote it: nothing was stored there, what stands there is what lay there before the call"
                    ), None
    text = f"written by step {step + 1} of {trace.steps}, {_said(trace, step)}"
    if element.index is None:
        return (), text, None
    origin = ByteOrigin(trace, case, place)
    made = origin.maker
    if made is not None and made.step != step + 1:
        text += f"\n  worked out by step {made.step}, {_said(trace, made.step - 1)}   (lane {made.name})"
    return origin.inputs(), text, origin.stepper_lane(step + 1)


def _said(trace: Trace, step: int) -> str:
    """A step's place and instruction, and where it stands in C or comes from a macro."""
    instruction = trace.instruction(step)
    where = instruction.position
    text = f"{where.path}:{where.line}: {instruction}"
    if trace.program.origins:
        number, line = trace.program.origins[int(trace.pc[step])]
        return f"{text}\n      C line {number}: {line}" if number else text
    source = " ".join(where.text.split())
    return text if source in ("", str(instruction)) else f"{text}\n      as {source}"
