"""The machine: registers and memory in motion.

`Machine.call` runs a function from entry to return; `start`, `step`, `back` and `run` move through one. The same bound
instructions run one tile (arrays of lanes) or a grid of tiles in lock-step (two more axes); with the sanitizer on, the
same again on values that know which of their bits were written.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from neonsim.asm import Program
from neonsim.errors import AbiViolation, BadArgument, MachineError
from neonsim.integers import as_int, is_int
from neonsim.isa import Instruction
from neonsim.limits import MOST_HISTORY, MOST_SINGLE_STEPS, MOST_STEPS
from neonsim.turns import MadeOnce, OneAtATime, in_turn

from . import abi
from .bind import STOP, Bound, State, bind, in_a_row
from .calls import CallResult, Grid, engine_name, positive, trace_length
from .endless import Repetition
from .engines import CompiledEngine, Engine, engine_for
from .findings import KEPT, located
from .loader import load
from .lockstep import LockstepEngine
from .memory import Memory, Undo, same_junk
from .owners import Mixed
from .recording import Interrupted, RecordingEngine, interpreted, steps_until_worth
from .registers import AARCH32, AARCH64, Flags, Registers, numeric, slot_bytes
from .replay import replayed
from .rules import broken
from .trace import BufferInfo, Step, Trace, build_trace

__all__ = ["CallResult", "Grid", "Machine"]

_Later = tuple[int, Callable[[], Engine]]

WARM = 2_000         # steps after which a call without trace and sanitizer is worth translating


class Machine(OneAtATime):
    """One emulated core and its memory.

    isa      "aarch64" or "aarch32"
    poison   seed of the junk that fills undefined registers and memory

    Any thread may use it: calls, steps and changes of its memory wait for each other. There is one memory and one set
    of registers, so threads with work of their own take machines of their own; a program can be shared.
    """

    def __init__(self, isa: str = "aarch64", poison: int = 0) -> None:
        if isa not in ("aarch64", "aarch32"):
            raise BadArgument(f'there is no instruction set {isa!r}: write "aarch64" or "aarch32"')
        poison = as_int(poison, "poison, the seed of the junk,", 0)
        self.isa = isa
        self._slots = AARCH64 if isa == "aarch64" else AARCH32
        self._random = np.random.default_rng(poison)
        self.memory = Memory(poison + 1)
        self.memory._turn = self._turn      # nobody moves the memory while a program runs in it
        self.state = State(self._slots, self.memory)
        abi.poison(self.state, self._random)
        self.registers = Registers(self)
        self._programs: dict[int, tuple[Program, Program]] = {}
        self.program: Program | None = None
        self._bound: list[Bound | None] = []
        self._history: deque[Step] = deque(maxlen=MOST_HISTORY)
        self._entry: str | None = None
        self._called: tuple[tuple[Any, ...], str | None] | None = None
        self._done, self._ended = True, "the call has returned"
        self._count = 0
        self._saved: dict[str, tuple[int, int, int, Any]] = {}
        self._results: tuple[Any, Any] = (None, None)  # the result registers before the first step
        self._repetition = Repetition()
        # Of a call with a recording engine: how to go back to where it took over, and what was before the first step.
        self._rewind: Callable[[], None] | None = None
        self._joined = 0  # from this step on the history has no gap
        self._initial: tuple[list[Any], list[BufferInfo]] = [], []

    def _forked(self) -> None:
        super()._forked()
        self._random = same_junk(self._random)

    # -- looking
    @property
    def flags(self) -> Flags:
        """n z c v, qc and the floating-point exceptions as they stand (of tile (0, 0))."""
        nzcv, qc, fpsr = (slot_bytes(self.state.slots[i])[0]
                          for i in (self._slots.nzcv, self._slots.qc, self._slots.fpsr))
        return Flags(nzcv, qc & 1, fpsr)

    @property
    def pc_address(self) -> int:
        return in_a_row(self.state.pc) if self.program is None else self.program.address(self.state.pc)

    @property
    def line(self) -> int | None:
        """Source line of the next instruction, None if nothing is running."""
        if self.program is None or self._done or not 0 <= self.state.pc < len(self.program.instructions):
            return None
        return self.program.instructions[self.state.pc].where.line

    @property
    def steps(self) -> int:
        """Steps since `start` (or of the last call)."""
        return self._count

    @property
    def running(self) -> bool:
        """Whether there is a next instruction to step."""
        return not self._done

    def __repr__(self) -> str:
        state = f"step {self._count}, line {self.line}" if not self._done else "not running"
        return f"<Machine {self.isa}, {state}, {len(self.memory.buffers)} buffers>"

    # -- whole calls
    @in_turn
    def call(self, program: Program, *arguments: Any, entry: str | None = None, max_steps: int | None = None,
             trace: bool | str | None = None, sanitize: bool | None = None, tiles: Grid | None = None,
             engine: str | None = None) -> CallResult:
        """Call a function by the procedure call standard and run it to its return.

        arguments   whole numbers, addresses, numpy scalars (np.uint32(3): the register's other bits are junk), floats;
                    on a grid also an integer array [rows, cols], one value per tile
        entry       label to call; the only global one, or the first instruction, if left out
        max_steps   instructions per tile before `StepLimit` (default: 10 000 000, of which translated code does
                    millions a second; 1 000 000 with engine="interpreter", which does some ten thousand)
        trace       True, False, or "last 100000" (default: True, also on a grid, for tile (0, 0); False with an engine
                    that records none)
        sanitize    find uses of what nobody has written (default: True for one tile, False on a grid)
        tiles       run a grid of tiles in lock-step
        engine      how the program is run. All leave the same results and end with the same errors:
                    "interpreter"  instruction by instruction
                    "python"       translated to Python, one tile; no trace, no sanitizer
                    "numpy"        translated to numpy, a grid in lock-step; likewise
                    "compiled"     translated to C (needs a C compiler), one tile or a grid tile by tile; likewise
                    Default: the interpreter, which goes over to translated code for what turns out to be run often:
                    one tile to Python, which with a trace or the sanitizer keeps a record (the trace is made of it, the
                    same to the byte; what may be wrong is the interpreter's again), a grid without them to numpy

        After Ctrl-C the machine stands before the instruction that was not finished: look, `step` or `run` on.
        Raises MemoryFault, UninitialisedRead, AbiViolation, StepLimit, Divergence, each with the line and instruction.
        """
        translated = engine_name(engine, trace, sanitize, tiles)
        keep = trace_length(trace if trace is not None else not translated)
        sanitize = False if translated else sanitize
        if max_steps is None:
            max_steps = MOST_SINGLE_STEPS if engine == "interpreter" else MOST_STEPS
        max_steps = as_int(max_steps, "max_steps", 1)
        sanitize = tiles is None if sanitize is None else bool(sanitize)
        program = self._loaded(program)
        if translated == "compiled" and tiles is not None:
            return self._call_tiles(program, arguments, entry, int(max_steps), tiles)
        free = keep == 0 and not sanitize and engine != "interpreter"
        noted = tiles is None and engine is None and keep in (None, 0) and not free
        watched: frozenset[str] = frozenset()
        junk, restore = self._random.bit_generator.state, self.memory.snapshot() if tiles is not None else None
        while True:
            self._begin(program, arguments, entry, tiles, sanitize, keep != 0, watched)
            self._history = deque(maxlen=KEPT if keep == 0 and sanitize else keep)
            runner: Engine | None = None
            if tiles is not None:
                # Who reads what is noted by the interpreter only.
                if free and not watched:
                    runner = LockstepEngine(program, entry, tiles.shape, *([0] if translated else []))
            elif translated:
                runner = engine_for(program, translated, entry)
            later: _Later | None = None
            if noted:
                later = steps_until_worth(program, entry), self._recorder
            elif free and tiles is None and not translated:
                later = WARM, lambda: engine_for(program, "python", entry)
            try:
                runner = self._run_on(int(max_steps), runner, later)
                break
            except Mixed as mixed:
                # A grid that reads and writes one buffer: once more, with the readers of its bytes noted.
                watched |= {mixed.buffer}
                assert restore is not None
                restore()
                self._random.bit_generator.state = junk
            except MachineError:
                self._done, self._ended = True, "the call has failed"
                raise
        if noted and runner is None:
            interpreted(program, entry, self._count)
        return self._result(program, keep, tiles, runner)

    def _run_on(self, max_steps: int, runner: Engine | None, later: _Later | None) -> Engine | None:
        """To the return; what fails beside a recording engine is done again without, and fails as it should, but for
        loops that do not end: of these the last steps say all.

        later   (steps, an engine to go on with after so many)

        Returns the engine that has been used at last.
        """
        try:
            return self._run_with(max_steps, runner, later)
        except MachineError as problem:
            if self._rewind is None or problem.rule == "endless":
                raise
            self._rewind()
            self._rewind = None
            return self._run_with(max_steps, None, None)

    def _run_with(self, max_steps: int, runner: Engine | None, later: _Later | None) -> Engine | None:
        state, bound, repetition = self.state, self._bound, self._repetition
        while not self._done:
            if later is not None and runner is None and self._count >= later[0]:
                runner = later[1]()
            looks = self._count >= repetition.next
            if looks:
                self._look_for_repetition()
            # The interpreter does a look and the steps before it and before the limit: a report shows them.
            most = min(max_steps, repetition.next) - KEPT if isinstance(runner, RecordingEngine) else max_steps
            if runner is not None and state.pc in runner.leaders and self._count < most and (
                    not looks or runner.by_blocks):
                before = self._count
                # A look at every block; to the next look otherwise.
                self._translated(runner, most - before, 1 if looks else repetition.next - before)
                if self._done:
                    break
                if self._count > before:
                    continue
            if self._count >= max_steps:
                raise self._still_running(max_steps)
            self._step(state, bound)
        self._check_return()
        return runner

    def _recorder(self) -> RecordingEngine:
        return RecordingEngine(self._started(), self._entry, self._history, self._remember)

    def _remember(self) -> None:
        """Where the interpreter stands when it hands over, so that it can go on from here itself if it must."""
        state, memory, history = self.state, self.memory.snapshot(), len(self._history)
        pc, calls, count, slots = state.pc, state.calls, self._count, list(state.slots)

        def rewind() -> None:
            memory()
            while len(self._history) > history:
                self._history.pop()
            state.pc, state.calls, state.slots[:] = pc, calls, slots
            state.writes, state.accesses, state.undo = [], [], []
            self._count, self._done, self._repetition = count, False, Repetition(count)
        self._rewind = rewind
        first = dict(reversed([(slot, old) for step in self._history for slot, old, _ in step.writes]))
        self._initial = [first.get(slot, value) for slot, value in enumerate(slots)], self._buffers_before()

    def _recall(self) -> None:
        """Every step in the history, also those that have only been recorded: they are done again."""
        if self._rewind is None:
            return
        count, done = self._count, self._done
        self._rewind()
        self._rewind = None
        while self._count < count:
            self._step(self.state, self._bound)
        self._done = done

    def _look_for_repetition(self) -> None:
        length = self._repetition.found(self.state, self._count)
        if length:
            raise self._located(broken("endless", f"never ends: registers and memory are the same again as {length} "
                                                  f"step{'s' if length > 1 else ''} before"))

    def _still_running(self, max_steps: int) -> MachineError:
        return self._located(broken("endless", f"still running after {max_steps:,} steps: a loop that does not end? "
                                               "Raise max_steps if it is meant to be that long"))

    def _check_return(self) -> None:
        """The procedure call standard's last words: AbiViolation if something that had to be kept was not."""
        try:
            abi.check_return(self.state, self._saved)
        except AbiViolation as problem:
            raise self._located(problem, 1) from None
        warning = abi.unknown_result(self.state, self._results) if self.state.shadow else ""
        if warning:
            self.state.notice = (self.state.pc, warning)

    def _translated(self, runner: Engine, limit: int, pause: int) -> None:
        """As far as an engine can go."""
        try:
            steps, self._done = runner.run(self.state, self.memory, limit, pause)
        except Mixed:
            raise
        except Interrupted as stop:
            self._count += stop.steps
            raise stop.problem from None
        except BaseException:
            # Ctrl-C in the middle of a block: its registers are lost, so nothing can go on from here.
            self._done, self._ended = True, "the call was interrupted in translated code"
            raise
        self._count += steps
        if steps:
            self._joined = self._count

    def _call_tiles(self, program: Program, arguments: tuple[Any, ...], entry: str | None, max_steps: int,
                    tiles: Grid) -> CallResult:
        """A grid on the compiled engine, tile by tile."""
        engine = engine_for(program, "compiled", entry)
        assert isinstance(engine, CompiledEngine)
        if not engine.checked:
            trial = Machine(self.isa)
            trial.memory = copy.deepcopy(self.memory)
            first = tuple(a[0, 0] if isinstance(a, np.ndarray) and a.shape == tiles.shape else a for a in arguments)
            trial._begin(program, first, entry, None, False, False)
            engine.check(trial.state, trial.memory, max_steps)
        self._begin(program, arguments, entry, tiles, False, False)
        self._history = deque(maxlen=0)
        state = self.state
        try:
            self._count, steps = engine.run_tiles(state, self.memory, max_steps, tiles.shape)
            self._done = True
            self._check_return()
        except MachineError as problem:
            self._done, self._ended = True, "the call has failed"
            raise self._located(problem) from None
        result = self._result(program, 0, tiles, None)
        result.tile_steps = steps
        return result

    def _result(self, program: Program, keep: int | None, tiles: Grid | None, runner: Engine | None) -> CallResult:
        state = self.state
        x0 = numeric(state.slots[self._slots.vectors])
        returned = int.from_bytes(slot_bytes(x0), "little")
        trace = None
        if keep != 0 and isinstance(runner, RecordingEngine) and runner.begun:
            runner.note()
            trace = replayed(program, self._slots, runner.program, runner.order, list(self._history), *self._initial,
                             returned)
        elif keep != 0:
            trace = self._trace(tiles.shape if tiles else None)
        if trace is not None:
            trace.called, trace.notices = self._called, self._notices()
        count = tiles.rows * tiles.cols if tiles else 1
        real = float(np.frombuffer(slot_bytes(state.slots[0])[:8], "<f8")[0])
        per_tile = None if tiles is None else np.broadcast_to(x0.array[0], tiles.shape).copy()
        return CallResult(returned, real, self._count, self._count * count, trace, self.warnings(), per_tile)

    def warnings(self) -> list[str]:
        """What the run so far did that is suspicious but not wrong."""
        if self.program is None:
            return []
        return [f"{where.path}:{where.line}: {text}" for pc, text in self._notices()
                for where in (self.program.instructions[pc].where,)]

    def _notices(self) -> tuple[tuple[int, str], ...]:
        return () if self.state.notice is None else (self.state.notice,)

    # -- step by step
    @in_turn
    def start(self, program: Program, *arguments: Any, entry: str | None = None, sanitize: bool = True) -> None:
        """Set up a call and stop before its first instruction; arguments as in `call`."""
        self._begin(self._loaded(program), arguments, entry, None, sanitize, True)
        self._history = deque(maxlen=MOST_HISTORY)

    @in_turn
    def step(self, n: int = 1) -> None:
        """Execute n instructions (fewer if the call returns before).

        Raises MachineError if nothing is running, and whatever the instruction raises; the state is then the one
        before that instruction.
        """
        self._advance(positive(n, "step"))

    def _advance(self, n: int) -> None:
        if self._done:
            self._started()
            raise MachineError(f"{self._ended}: there is no next instruction. Call start() again, or back()")
        self._recall()
        while n and not self._done:
            self._step(self.state, self._bound)
            n -= 1

    @in_turn
    def back(self, n: int = 1) -> None:
        """Take back n instructions (fewer if the start comes before), registers and memory included.

        Raises MachineError at the start.
        """
        n = positive(n, "back")
        self._recall()
        if not self._history:
            raise MachineError("there is nothing to take back: this is the start" if self._count == 0 else
                               f"the steps before this one were not kept: {self._kept}")
        while n and self._history:
            step = self._history.pop()
            self._undo(step.writes, step.undo)
            self.state.pc, self.state.calls = step.pc, step.calls
            self.state.writes = []
            self._count -= 1
            self._done = False
            n -= 1

    @in_turn
    def run(self, until: str | int | Callable[[Machine], bool] | None = None,
            max_steps: int = MOST_SINGLE_STEPS) -> None:
        """Step until a label (text), a source line (number), or until a predicate of the machine is true; without
        ``until``, to the return. At least one step is taken.

        Raises MachineError if the call returns first, StepLimit after max_steps (1 000 000 steps if left out).
        """
        self._started()
        reached = self._condition(until)
        self._repetition = Repetition(self._count)
        for _ in range(positive(max_steps, "run(max_steps=...)")):
            if self._count >= self._repetition.next and not self._done:
                self._look_for_repetition()
            self._advance(1)
            if not self._done and reached(self):
                return
            if self._done:
                if until is None:
                    self._check_return()
                    return
                what = (f"the label {until!r}" if isinstance(until, str) else "the condition" if callable(until) else
                        f"line {until}")
                raise MachineError(f"{what} was never reached: the call returned after {self._count} steps")
        raise self._still_running(max_steps)

    @in_turn
    def trace(self) -> Trace:
        """The steps so far as a `Trace`."""
        self._recall()
        trace = self._trace(self.memory.tiles)
        trace.called, trace.notices = self._called, self._notices()
        return trace

    # -- inside
    def _started(self) -> Program:
        """The program that was started; MachineError if there is none."""
        if self.program is None:
            raise MachineError("nothing has been started: call start(program, ...) first")
        return self.program

    def _trace(self, grid: tuple[int, int] | None) -> Trace:
        returned = int.from_bytes(slot_bytes(self.state.slots[self._slots.vectors]), "little")
        return build_trace(self._started(), self._slots, self._history, self.state.slots, self._buffers_before(),
                           self._count - len(self._history), returned, grid)

    def _buffers_before(self) -> list[BufferInfo]:
        """Memory as it was before the steps in the history."""
        undo = (put_back for step in reversed(self._history) for put_back in reversed(step.undo))
        return [BufferInfo(b.name, b.address, b.nbytes, str(b.dtype), b.shape, b.readonly, before, known,
                           b.reads_before, b.reads_after)
                for b, before, known in self.memory.before(undo)]

    def _loaded(self, program: Program) -> Program:
        """The program with its data in this machine's memory; placed once, so what it stores there stays."""
        if not isinstance(program, Program) or not program.data:
            return program
        if id(program) not in self._programs:
            placed = load(program, self.memory)
            # Both are kept, so that neither id is given to another program; calling the placed one again is fine.
            self._programs[id(program)] = self._programs[id(placed)] = (placed, program)
        return self._programs[id(program)][0]

    def _begin(self, program: Program, arguments: tuple[Any, ...], entry: str | None, tiles: Grid | None,
               sanitize: bool, tracing: bool, watched: frozenset[str] = frozenset()) -> None:
        if not isinstance(program, Program):
            raise BadArgument(f"a call takes a program from neonsim.assemble, not {type(program).__name__}")
        if program.isa != self.isa:
            raise BadArgument(f"this machine is {self.isa}, the program is {program.isa}: make a Machine(isa="
                              f'"{program.isa}") for it')
        if entry is not None and not isinstance(entry, str):
            raise BadArgument(f"entry is the name of a label, not {entry!r}")
        first = program.entry(entry)
        # From here on the memory belongs to the new call: what ran before cannot go on.
        self._done, self._ended = True, "the call could not begin"
        self._history.clear()
        self._rewind = None
        if self.program is not program or not self._bound:
            self._bound = _BOUND.of(program)
        state = State(self._slots, self.memory, axes=0 if tiles is None else 2, shadow=sanitize, tracing=tracing)
        shape = tiles.shape if tiles is not None else None
        abi.poison(state, self._random)
        stack = self.memory.begin(shape, sanitize, watched)
        abi.place_arguments(state, arguments, stack, shape, self._random)
        state.pc = first
        self.program, self.state, self._count, self._done = program, state, 0, False
        self._entry, self._called = entry, (arguments, entry)
        self._results = state.slots[self._slots.vectors], state.slots[0]
        self._saved, self._ended, self._repetition = abi.saved(state), "the call has returned", Repetition()

    def _step(self, state: State, bound: list[Bound | None]) -> None:
        pc = state.pc
        instruction = bound[pc] if 0 <= pc < len(bound) else None
        if instruction is None:
            raise self._located(broken("lost", "execution ran past the end of the program: a return (ret, bx lr) is "
                                               "missing"))
        count, calls, done = self._count, state.calls, None
        state.writes, state.accesses, state.undo = [], [], []
        state.branched, state.executed = None, True
        try:
            instruction(state)
            state.pc = pc + 1 if state.branched is None else self._target(state.branched, instruction.instruction)
            self._count = count + 1
            if self._history.maxlen != 0:
                done = Step(pc, state.executed, state.writes, state.accesses, state.undo, calls)
                self._history.append(done)
        except BaseException as problem:
            # Also Ctrl-C: the step is taken back, so registers and memory are as before this instruction.
            if done is not None and self._history and self._history[-1] is done:
                self._history.pop()
            self._undo(state.writes, state.undo)
            state.writes, state.accesses, state.undo = [], [], []
            state.pc, state.calls, self._count, self._done = pc, calls, count, False
            if isinstance(problem, MachineError):
                raise self._located(problem) from None
            raise

    def _target(self, address: int, instruction: Instruction) -> int:
        """The instruction index of a branch address; returning ends the run."""
        state = self.state
        if state.shadow:
            state.calls = abi.follow(state, instruction, address, self._started())
        if address == abi.RETURN:
            self._done = True
            return state.pc
        if address == STOP:
            raise broken("lost", f"{instruction.mnemonic} is a breakpoint: compilers put one where execution never "
                                 "should come")
        index = self._started().index_at(address)
        if index is None:
            raise broken("return-address" if abi.is_return(instruction) else "lost",
                         f"the branch goes to {address:#x}, where no code is"
                         + (": was the link register saved and restored?" if address & 1 == 0 else
                            ": Thumb code is not emulated"))
        return index

    def _undo(self, writes: list[tuple[int, Any, Any]], undo: list[Undo]) -> None:
        for slot, old, _ in reversed(writes):
            self.state.slots[slot] = old
        self.memory.take_back(reversed(undo))

    @property
    def _kept(self) -> str:
        """How many steps can be taken back, as a text."""
        most = self._history.maxlen
        return "the call ran with trace=False" if most == 0 else f"{most or MOST_HISTORY:,} at most"

    def _located(self, problem: MachineError, done: int = 0) -> MachineError:
        """The same error with its place in the program and the steps that led there.

        done   1 if the step at fault is the last one, and not the next
        """
        steps = list(self._history)
        if self._rewind is not None:  # between these and the others are steps that were only recorded
            steps = steps[max(len(steps) - (self._count - self._joined), 0):]
        return located(problem, self._started(), self.state, self._count - done, steps[:len(steps) - done])

    def _condition(self, until: Any) -> Callable[[Machine], bool]:
        program = self.program
        assert program is not None
        if until is None:
            return lambda machine: False
        if callable(until):
            return until  # type: ignore[no-any-return]
        if isinstance(until, str):
            index = program.entry(until)
            return lambda machine: machine.state.pc == index
        if is_int(until):
            indices = {i for i, x in enumerate(program.instructions) if x.where.line == until}
            if not indices:
                lines = sorted({x.where.line for x in program.instructions})
                near = min(lines, key=lambda n: abs(n - until))
                raise BadArgument(f"line {until} has no instruction: the nearest is line {near}")
            return lambda machine: machine.state.pc in indices
        raise BadArgument(f"until takes a label, a line number or a function of the machine, not {until!r}")


def _bind_all(program: Program) -> list[Bound | None]:
    slots = AARCH64 if program.isa == "aarch64" else AARCH32
    return [bind(instruction, i, slots, program.address) for i, instruction in enumerate(program.instructions)]


# Bound instructions keep no state, so every machine can use those of a program.
_BOUND: MadeOnce[Program, list[Bound | None]] = MadeOnce(_bind_all)
