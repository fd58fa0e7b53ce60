"""A session: one call under way, how far it is and how to take it back.

It begins before the first instruction of a call and ends with its return. The interpreter and the engines move it on;
the history of its steps takes it back. `Machine` has one at a time, and is the only one that calls it.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from neonsim.arm.asm import Program
from neonsim.arm.isa import Instruction
from neonsim.arm.isa.operands.locations import CLEAR_AT_FIRST
from neonsim.common.limits import MAX_HISTORY
from neonsim.errors import AbiViolation, MachineError

from .arch import abi
from .arch.binder import BOUND, STOP, BoundInstruction
from .arch.registers import slot_bytes
from .arch.state import State
from .call.c_arguments import prototype_at
from .call.edits import Edit, StateEdit
from .call.float_arguments import Halves, check_unread_halves, halves_of
from .engines.gc_pause import without_collector
from .engines.python_engine import Engine
from .engines.recording import Interrupted, RecordingEngine
from .engines.replay import replayed
from .loop_detection import Repetition
from .memory.memory import Memory, Undo
from .memory.races import ReadWriteConflict
from .memory.violations import violation
from .trace.definedness import known_bytes
from .trace.sanitizer_report import KEPT, TooFar, locate
from .trace.trace import BufferInfo, Step, Trace, build_trace

__all__ = ["Later", "Session"]

LAST = 1024     # steps before a fault that the interpreter does: what its report tells lies mostly among them
CHUNK = 1 << 16  # steps that are recorded before they are dropped, where only the last ones are kept
Later = tuple[int, Callable[[], Engine]]  # (steps, an engine to go on with after n)


@dataclass(frozen=True)
class _Mark:
    """The state of the interpreter when a recording engine took over.

    memory   puts back what it held      history   steps kept before it
    """

    memory: Callable[[], None]
    history: list[Step]
    pc: int
    calls: tuple[int, ...]
    count: int
    slots: list[Any]


class Session:
    """A program on a state that is ready for its first instruction.

    call     (arguments, entry) of the call     kept   how many steps of it can be taken back, None for all
    junk     what the registers held before the arguments were placed

    count    steps so far         done    there is no next instruction; ``ended`` says why
    """

    def __init__(self, program: Program, state: State, call: tuple[tuple[Any, ...], str | None],
                 last: int | None, junk: list[Any]) -> None:
        self.program, self.state, self.called, self._junk = program, state, call, junk
        self.count, self.done, self.ended = 0, False, "the call has returned"
        self._memory: Memory = state.memory
        self._bound = BOUND.get(program)
        self._history: deque[Step] = deque(maxlen=last)
        self._saved = abi.saved(state)
        self.halves: Halves = {} if not state.shadow or prototype_at(program, state.pc) else halves_of(program, state)
        self._results = state.slots[state.registers.vectors], state.slots[0]  # before the first step
        self.changes: list[StateEdit] = []  # by hand, in the order of the steps
        self._kept_before: list[tuple[int, dict[str, Any]]] = []  # of each change: its step, what was saved before it
        self._repetition = Repetition()
        # With a recording engine: how to go back to where it took over, and what was before the first step.
        self._mark: _Mark | None = None
        self._older: _Mark | None = None    # where only the last steps are kept: a mark that lies before all of them
        self._settled = False               # of these, the record has what is kept, and nothing else
        self._failed: tuple[int, str] | None = None  # (steps until then, why)
        self._recorder: RecordingEngine | None = None
        self._joined = 0  # from this step on the history has no gap
        self._initial: tuple[list[Any], list[BufferInfo]] = [], []

    def abandon(self, reason: str) -> None:
        """Nothing can go on from here, nor back: the memory is another call's."""
        self.end(reason)
        self._history.clear()
        self._mark = None

    def end(self, reason: str) -> None:
        """There is no next instruction."""
        self.done, self.ended = True, reason

    def fail(self, problem: MachineError) -> None:
        """The call has not returned, and will not; a trace of it says why."""
        self.end("the call has failed")
        said = problem.finding.message if problem.finding else str(problem).splitlines()[0]
        self._failed = self.count, f"the call has not returned, the trace ends here: {said}"

    # -- to the return
    def run_on(self, max_steps: int, runner: Engine | None, later: Later | None) -> Engine | None:
        """To the return. What fails beside a recording engine fails as it should: if the report reaches further back
        than the interpreter's steps, the last ones are done again without it; if that is not enough, all of them.

        Returns the engine that has been used at last.
        """
        with without_collector():
            try:
                return self._run_with(max_steps, runner, later)
            except TooFar:
                until = self.count - max(LAST, self._history.maxlen or 0)
                began = self._go_back_to(until)
            if until > began:
                try:
                    return self._run_with(max_steps, self.recorder(self.called[1]), None, until)
                except TooFar:
                    self._go_back_to(0)
            return self._run_with(max_steps, None, None)

    def _run_with(self, max_steps: int, runner: Engine | None, later: Later | None,
                  until: int | None = None) -> Engine | None:
        """To the return; ``until``: how many steps the engine may have done at the end."""
        state, bound, repetition = self.state, self._bound, self._repetition
        while not self.done:
            if until is not None and self.count >= until:
                runner = None
            if later is not None and runner is None and self.count >= later[0]:
                runner = later[1]()
            looks = self.count >= repetition.next
            if looks:
                self._look_for_repetition()
            # The interpreter does a look and the steps before it and before the limit: a report shows them.
            most = min(max_steps, repetition.next) - KEPT if isinstance(runner, RecordingEngine) else max_steps
            most = most if until is None else min(most, until)
            if runner is not None and state.pc in runner.leaders and self.count < most and not looks:
                before = self.count
                self._translated(runner, most - before, repetition.next - before)
                if self.done:
                    break
                if self.count > before:
                    self._mark_again(runner)
                    continue
            if self.count >= max_steps:
                raise self._still_running(max_steps)
            self._step(state, bound)
        self._check_return()
        return runner

    def _translated(self, runner: Engine, limit: int, pause: int) -> None:
        """As far as an engine can go."""
        if self._history.maxlen:    # what it records is dropped in between
            limit = min(limit, CHUNK)
        try:
            steps, self.done = runner.run(self.state, self._memory, limit, pause)
        except ReadWriteConflict:
            raise
        except Interrupted as stop:
            self.count += stop.steps
            raise stop.problem from None
        except BaseException:
            # Ctrl-C where the engine cannot help it: registers are lost, but for those that a record began with.
            if self._mark is not None:
                self._go_back(self._mark)
            elif not isinstance(runner, RecordingEngine):   # that has done nothing yet
                self.end("the call was interrupted in translated code")
            raise
        self.count += steps
        if steps:
            self._joined = self.count

    def run_tiles(self, run: Callable[[], tuple[int, int]]) -> int:
        """Return a grid by an engine that does all of it, ``run`` -> (steps of tile (0, 0), steps of all); returns the
        latter.
        """
        try:
            self.count, steps = run()
            self.done = True
            self._check_return()
        except MachineError as problem:
            self.end("the call has failed")
            raise self._located(problem) from None
        return steps

    def run(self, max_steps: int, reached: Callable[[], bool] | None, description: str) -> None:
        """Step to the return, or until it is reached, once at least; ``description`` is its name."""
        self._repetition = Repetition(self.count)
        for _ in range(max_steps):
            if self.count >= self._repetition.next and not self.done:
                self._look_for_repetition()
            self.advance(1)
            if not self.done and reached is not None and reached():
                return
            if self.done:
                if reached is None:
                    self._check_return()
                    return
                raise MachineError(f"{description} was not reached: the call returned after {self.count} steps")
        problem = self._still_running(max_steps)
        self._failed = self.count, "the run was stopped here: " + str(problem.finding.message)
        raise problem

    def _check_return(self) -> None:
        """The procedure call standard's last words: AbiViolation if something that had to be kept was not."""
        try:
            abi.check_return(self.state, self._saved)
        except AbiViolation as problem:
            raise self._located(problem, 1) from None
        warning = abi.undefined_result(self.state, self._results) if self.state.shadow else ""
        if warning:
            self.state.notice = (self.state.pc, warning)

    # -- steps to and fro
    def advance(self, n: int) -> None:
        """n instructions, fewer if the call returns before; MachineError if nothing is running."""
        if self.done:
            raise MachineError(f"{self.ended}: there is no next instruction. Call start() again, or back()")
        self._recall()
        while n and not self.done:
            self._step(self.state, self._bound)
            n -= 1

    def change(self, edits: list[Edit]) -> None:
        """Changes by hand, before the next instruction. They belong to the step before, and are taken back with it."""
        self._recall()
        if self.done:
            raise MachineError(f"{self.ended}: no instruction would use the changed value. Choose an earlier step")
        if self.count and not self._history:
            raise MachineError(f"the steps before this one were not kept: {self._limit}")
        last = self._history[-1] if self.count else None
        writes, undo = (last.writes, last.undo) if last is not None else ([], [])
        altered = abi.altered(self.state, self._saved)
        self._kept_before.append((self.count, dict(self._saved)))
        for one in edits:
            one.carry_out(writes, undo)
            self.changes.append(one.note(self.count))
        for name, (slot, start, nbytes, _) in self._saved.items():
            if name not in altered:  # what the program has left alone it need not give back as it was
                self._saved[name] = slot, start, nbytes, self.state.slots[slot]

    def take_back(self, n: int) -> None:
        """n instructions, fewer if the start comes before; MachineError at the start."""
        self._recall()
        if not self._history:
            raise MachineError("there is no earlier step: this is the start" if self.count == 0 else
                               f"the steps before this one were not kept: {self._limit}")
        while n and self._history:
            step = self._history.pop()
            self._undo([*step.writes, *step.lost], step.undo)
            self.state.pc, self.state.calls = step.pc, step.calls
            self.state.writes = []
            self.count -= 1
            self.done = False
            n -= 1
        self.changes = [one for one in self.changes if one.step <= self.count]
        while self._kept_before and self._kept_before[-1][0] > self.count:
            self._saved = self._kept_before.pop()[1]

    def _step(self, state: State, bound: list[BoundInstruction]) -> None:
        pc = state.pc
        instruction = bound[pc] if 0 <= pc < len(bound) else None
        if instruction is None:
            raise self._located(violation("lost", "execution ran past the end of the program: a return (ret, bx lr) is "
                                               "missing"))
        count, calls, done = self.count, state.calls, None
        state.writes, state.lost, state.accesses, state.undo = [], [], [], []
        state.branched, state.executed = None, True
        try:
            if pc in self.halves:
                check_unread_halves(state, self.halves[pc])
            instruction(state)
            state.pc = pc + 1 if state.branched is None else self._target(state.branched, instruction.instruction)
            self.count = count + 1
            if self._history.maxlen != 0:
                done = Step(pc, state.executed, state.writes, state.accesses, state.undo, calls, state.lost)
                self._history.append(done)
        except BaseException as problem:
            # Also Ctrl-C: the step is taken back, so registers and memory are as before this instruction.
            if done is not None and self._history and self._history[-1] is done:
                self._history.pop()
            self._undo([*state.writes, *state.lost], state.undo)
            state.writes, state.accesses, state.undo = [], [], []
            state.pc, state.calls, self.count, self.done = pc, calls, count, False
            if isinstance(problem, MachineError):
                raise self._located(problem) from None
            raise

    def _target(self, address: int, instruction: Instruction) -> int:
        """The instruction index of a branch address; returning ends the run."""
        state = self.state
        if state.shadow:
            state.calls = abi.follow(state, instruction, address, self.program)
        if address == abi.RETURN:
            self.done = True
            return state.pc
        if address == STOP and instruction.label is not None:
            near = self.program.closest_label(instruction.label)
            raise violation("lost",
                            f"`{instruction}` goes to `{instruction.label}`, which is not in this program but in "
                                 f"another file. Join the two files, neonsim.link(program, other)"
                                 + (f". Or did you mean `{near}`?" if near else ""))
        if address == STOP:
            raise violation("lost",
                            f"{instruction.mnemonic} is a breakpoint. Compilers put one at a point that execution "
                                 f"should never reach")
        index = self.program.index_at(address)
        if index is None:
            raise violation("return-address" if abi.is_return(instruction) else "lost",
                         f"the branch goes to {address:#x}, which has no code"
                         + (": was the link register saved and restored?" if address & 1 == 0 else
                            ": Thumb code is not emulated"))
        return index

    def _undo(self, writes: list[tuple[int, Any, Any]], undo: list[Undo]) -> None:
        for slot, old, _ in reversed(writes):
            self.state.slots[slot] = old
        self._memory.take_back(reversed(undo))

    @property
    def _limit(self) -> str:
        """How many steps can be taken back, as a text."""
        most = self._history.maxlen
        return "the call ran with trace=False" if most == 0 else f"{most or MAX_HISTORY:,} at most"

    # -- beside a recording engine
    def recorder(self, entry: str | None) -> RecordingEngine:
        """Return the engine that keeps a record from here on."""
        session = weakref.ref(self)     # no circle: what a session holds is freed as soon as it is unused

        def remember() -> None:
            mine = session()
            assert mine is not None
            mine._remember()

        self._recorder = RecordingEngine(self.program, entry, self._history, remember)
        return self._recorder

    def _remember(self) -> None:
        """Where the interpreter stands when it hands over, so that it can go on from here itself if it must."""
        state, slots = self.state, list(self.state.slots)
        self._mark = _Mark(self._memory.snapshot(), list(self._history), state.pc, state.calls, self.count, slots)
        self._initial = self._registers_before(), self._buffers_before()

    def _mark_again(self, runner: Engine) -> None:
        """Where only the last steps are kept: what was recorded before the mark until now is not needed any more."""
        kept, mark = self._history.maxlen, self._mark
        if not kept or mark is None or not isinstance(runner, RecordingEngine):
            return
        if self.count - mark.count >= max(CHUNK, kept + LAST, self._memory.arena.size >> 9):
            self._older = mark
            self._history.clear()
            runner.forget()
            self._remember()

    def _go_back_to(self, step: int) -> int:
        """To the last mark that is not behind a step, or to the first one; -> the step there."""
        mark = self._mark if self._older is None or (self._mark and self._mark.count <= step) else self._older
        assert mark is not None
        self._go_back(mark)
        return mark.count

    def _go_back(self, mark: _Mark) -> None:
        """To where the recording engine took over."""
        mark.memory()
        self._history.clear()
        self._history.extend(mark.history)
        state = self.state
        state.pc, state.calls, state.slots[:] = mark.pc, mark.calls, mark.slots
        state.writes, state.accesses, state.undo = [], [], []
        self.count, self.done, self._repetition = mark.count, False, Repetition(mark.count)
        self._older, self._settled = None, False
        self._mark = None  # at last: Ctrl-C before leaves a way back

    def _settle(self) -> None:
        """Where only the last steps are kept: have a record of these, from the first of them on."""
        kept = self._history.maxlen
        if self._mark is None or not kept or self._settled:
            return
        count, done, first = self.count, self.done, max(self.count - kept, 0)
        self._go_back_to(first)
        self._go_on(first, RecordingEngine(self.program, self.called[1], self._history, lambda: None))
        while len(self._history) > self.count - first:
            self._history.popleft()
        self._go_on(count, self.recorder(self.called[1]))
        self.done, self._settled = done, True

    def _go_on(self, count: int, runner: RecordingEngine) -> None:
        """Steps that have been done before, once more, until there are n."""
        while self.count < count:
            before = self.count
            if self.state.pc in runner.leaders:
                self._translated(runner, count - before, count - before)
            if self.count == before:
                self._step(self.state, self._bound)

    def _recall(self) -> None:
        """Every step in the history, also those that have only been recorded: they are done again."""
        self._settle()
        if self._mark is None:
            return
        count, done = self.count, self.done
        self._go_back(self._mark)
        while self.count < count:
            self._step(self.state, self._bound)
        self.done = done

    # -- what is wrong, and where
    def _look_for_repetition(self) -> None:
        length = self._repetition.find_period(self.state, self.count)
        if length:
            raise self._located(violation("endless", f"never ends: registers and memory are the same as {length} "
                                                  f"step{'s' if length > 1 else ''} before"))

    def _still_running(self, max_steps: int) -> MachineError:
        return self._located(violation("endless", f"still running after {max_steps:,} steps: a loop that does not end? "
                                               "Raise max_steps if it is meant to be that long"))

    def _located(self, problem: MachineError, done: int = 0) -> MachineError:
        """The same error with its place in the program and the steps that led there.

        done   1 if the step at fault is the last one, and not the next
        """
        steps, before = list(self._history), None
        if self._mark is not None:  # between these and the others are steps that were only recorded
            assert self._recorder is not None
            steps = steps[max(len(steps) - (self.count - self._joined), 0):]
            if problem.rule == "endless":
                pass
            elif self._history.maxlen is None:
                before = self._recorder.first_writes()
            elif len(steps) < min(self.count, self._history.maxlen):
                raise TooFar
        return locate(problem, self.program, self.state, self.count - done, steps[:len(steps) - done], before)

    @property
    def path(self) -> list[int]:
        """The instructions of the steps in the history, by number."""
        return [one.pc for one in self._history]

    @property
    def notices(self) -> tuple[tuple[int, str], ...]:
        """(instruction, text) of what is suspicious but not wrong."""
        return () if self.state.notice is None else (self.state.notice,)

    # -- its trace
    @property
    def returned(self) -> int:
        """x0 or r0 of tile (0, 0), unsigned."""
        return int.from_bytes(slot_bytes(self.state.slots[self.state.registers.vectors]), "little")

    def trace(self) -> Trace:
        """Return the steps in the history, and those of the engine's record."""
        self._settle()
        slots, runner = self.state.registers, self._recorder
        if self._mark is not None and runner is not None:
            runner.note()
            made = replayed(self.program, slots, runner.program, runner.order, list(self._history), *self._initial,
                            self.returned, self._known(self._initial[0]))
            made.first = self.count - made.steps
            if made.first and not self.state.shadow:
                made.buffers = [replace(b, defined=None) if self._memory.buffer(b.name).is_written else b
                                for b in made.buffers]
        else:
            made = build_trace(self.program, slots, self._history, self.state.slots, self._buffers_before(),
                               self.count - len(self._history), self.returned, self._memory.tiles,
                               self._known(self._registers_before()))
        made.call, made.changes = self.called, tuple(self.changes)
        made.notices = *self.notices, *self._missing(made)
        return made

    def _registers_before(self) -> list[Any]:
        """Registers as they were before the steps in the history."""
        first = dict(reversed([(slot, old) for step in self._history
                               for slot, old, _ in (*step.writes, *step.lost)]))
        return [first.get(slot, value) for slot, value in enumerate(self.state.slots)]

    def _known(self, values: list[Any]) -> dict[str, bytes]:
        """Which bytes of these registers are initialized. Without a shadow: those that are not the junk of the
        beginning any more."""
        found = {}
        for name, value, junk in zip(self.state.registers.names, values, self._junk, strict=True):
            known = known_bytes(value)
            told = self.state.shadow or name in CLEAR_AT_FIRST or value is not junk
            found[name] = known if told else bytes(len(known))
        return found

    def _missing(self, made: Trace) -> Iterable[tuple[int, str]]:
        """(instruction, text) of what a trace does not show: its first steps, or the return."""
        if made.first and made.steps:
            yield int(made.pc[0]), (f"the trace begins here: of {self.count:,} steps it has the last {made.steps:,}, "
                                    "which were kept")
        if self._failed is not None and self._failed[0] == self.count and made.steps:
            yield int(made.pc[-1]), self._failed[1]

    def _buffers_before(self) -> list[BufferInfo]:
        """Memory as it was before the steps in the history."""
        undo: Iterable[Undo] = (put_back for step in reversed(self._history) for put_back in reversed(step.undo))
        # Without the sanitizer, the writes of dropped steps are unknown.
        lost = not self.state.shadow and self.count > len(self._history)
        return [BufferInfo(b.name, b.address, b.nbytes, str(b.dtype), b.shape, b.readonly, before,
                           None if lost and b.is_written else known,
                           b.reads_before, b.reads_after, b.typed)
                for b, before, known in self._memory.before(undo)]
