"""The machine: registers and memory in motion.

`Machine.call` runs a function from entry to return; `start`, `step`, `back` and `run` move through one. The same bound
instructions run one tile (arrays of lanes) or a grid of tiles in lock-step (two more axes); with the sanitizer on, the
same again on values that know which of their bits were written.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.asm import Program
from neonsim.common.integers import as_int, is_int
from neonsim.common.limits import MAX_HISTORY, MAX_SINGLE_STEPS, MAX_STEPS
from neonsim.common.locking import Serialized, serialized
from neonsim.errors import BadArgument, MachineError

from .arch import abi
from .arch.binder import in_a_row
from .arch.registers import AARCH32, AARCH64, Flags, Registers, numeric, slot_bytes
from .arch.state import State
from .call.c_arguments import converted
from .call.edits import StateEdit, edits
from .call.result import CallResult, Grid, engine_name, positive, trace_length
from .engines.gc_pause import without_collector
from .engines.python_engine import Engine
from .engines.recording import count_steps, steps_until_worth
from .engines.select import engine_for
from .loader import load, reads_id_registers, validate_identity, with_id_registers
from .memory.memory import Memory, copy_generator
from .memory.races import ReadWriteConflict
from .session import Later, Session
from .trace.sanitizer_report import KEPT
from .trace.trace import Trace
from .translate.blocks import blocks

if TYPE_CHECKING:
    from .engines.compiled_engine import CompiledEngine
    from .engines.compiled_grid import Owned

__all__ = ["CallResult", "Grid", "Machine"]


@lru_cache(maxsize=8)
def _poisoned(isa: str, seed: int) -> tuple[tuple[Any, ...], Any]:
    """(the registers of a new machine, the state of its generator when they are drawn): the same for each of a seed."""
    random, state = np.random.default_rng(seed), State(AARCH64 if isa == "aarch64" else AARCH32, Memory())
    abi.poison(state, random)
    return tuple(state.slots), random.bit_generator.state


class Machine(Serialized):
    """One emulated core and its memory.

    isa      "aarch64" or "aarch32"
    poison   seed of the junk that fills undefined registers and memory
    identity   what MRS reads of the registers that say what the core is, by their names ("midr_el1"); those left out
               are as `arm.isa.operands.system_registers` has them. `ns.identity(core)` gives those of a core

    Any thread may use it: calls, steps and changes of its memory wait for each other. There is one memory and one set
    of registers, so threads with work of their own take machines of their own; a program can be shared.
    """

    def __init__(self, isa: str = "aarch64", poison: int = 0, identity: Mapping[str, int] | None = None) -> None:
        if isa not in ("aarch64", "aarch32"):
            raise BadArgument(f'isa must be "aarch64" or "aarch32"; got {isa!r}')
        poison = as_int(poison, "poison, the seed of the junk,", 0)
        self.isa = isa
        self.identity = validate_identity(identity or {})
        self._slots = AARCH64 if isa == "aarch64" else AARCH32
        slots, drawn = _poisoned(isa, poison)
        self._random = np.random.default_rng(poison)
        self._random.bit_generator.state = drawn
        self.memory = Memory(poison + 1)
        self.memory._turn = self._turn      # the memory does not move while a program runs in it
        self.state = State(self._slots, self.memory, list(slots))
        self._programs: dict[int, tuple[Program, Program]] = {}
        self._owned: Owned | None = None        # of grids on the compiled engine
        self._session: Session | None = None    # the call under way, or the last one

    def _forked(self) -> None:
        super()._forked()
        self._random = copy_generator(self._random)

    # -- looking
    @property
    def flags(self) -> Flags:
        """n z c v, qc and the floating-point exceptions as they stand (of tile (0, 0))."""
        nzcv, qc, fpsr = (slot_bytes(self.state.slots[i])[0]
                          for i in (self._slots.nzcv, self._slots.qc, self._slots.fpsr))
        return Flags(nzcv, qc & 1, fpsr)

    @property
    def registers(self) -> Registers:
        """The registers by name, as they stand whenever they are asked."""
        return Registers(self)

    @property
    def program(self) -> Program | None:
        """What was started last, with its data in this memory."""
        return None if self._session is None else self._session.program

    @property
    def pc_address(self) -> int:
        return in_a_row(self.state.pc) if self.program is None else self.program.address(self.state.pc)

    @property
    def line(self) -> int | None:
        """Source line of the next instruction, None if nothing is running."""
        program = self.program
        if program is None or not self.running or not 0 <= self.state.pc < len(program.instructions):
            return None
        return program.instructions[self.state.pc].position.line

    @property
    def steps(self) -> int:
        """Steps since `start` (or of the last call)."""
        return 0 if self._session is None else self._session.count

    @property
    def running(self) -> bool:
        """Whether there is a next instruction to step."""
        return self._session is not None and not self._session.done

    def __repr__(self) -> str:
        state = f"step {self.steps}, line {self.line}" if self.running else "not running"
        return f"<Machine {self.isa}, {state}, {len(self.memory.buffers)} buffers>"

    # -- whole calls
    @serialized
    def call(self, program: Program, *arguments: Any, entry: str | None = None, max_steps: int | None = None,
             trace: bool | str | None = None, sanitize: bool | None = None, tiles: Grid | None = None,
             engine: str | None = None, strict_calls: bool = False, uniform: bool = False) -> CallResult:
        """Call a function by the procedure call standard and run it to its return.

        arguments   integers, addresses, numpy scalars (np.uint32(3): the register's other bits are junk), floats
                    (double precision; np.float32(3) is single). Where C, debug information or a contract says what the
                    function takes (`Program.prototypes`), they become that, or are refused;
                    on a grid also an integer array [rows, cols], one value per tile
        entry       label to call; the only global one, or the first instruction, if left out
        max_steps   instructions per tile before `StepLimit` (default: 10 000 000, of which translated code does
                    millions a second; 1 000 000 with engine="interpreter", which does some ten thousand)
        trace       True, False, or "last 100000" (default: True, also on a grid, for tile (0, 0); False with an engine
                    that records none)
        sanitize    find uses of uninitialized data (default: True for one tile, False on a grid)
        tiles       run a grid of tiles in lock-step
        engine      how the program is run. All leave the same results and end with the same errors:
                    "interpreter"  instruction by instruction
                    "python"       translated to Python, one tile; no trace, no sanitizer
                    "compiled"     translated to C (needs a C compiler), one tile or a grid tile by tile; likewise
                    Default: the interpreter, which goes over to translated code for what turns out to be run often:
                    one tile to Python, which with a trace or the sanitizer keeps a record (the trace is made of it, the
                    same to the byte; what may be wrong is the interpreter's again). A grid stays with it, in lock-step

        strict_calls   with the sanitizer: also behind a call of a function of the same file (but not of compiled C)
                    what a callee may change is junk, as it always is behind calls of other files' and built-in ones

        uniform     on a grid with engine="compiled": tiles that take different ways through the program are a
                    Divergence, as they are in lock-step

        After Ctrl-C the machine stands before the instruction that was not finished: look, `step` or `run` on.
        Raises MemoryFault, UninitialisedRead, AbiViolation, StepLimit, Divergence, each with the line and instruction.
        """
        translated = engine_name(engine, trace, sanitize, tiles)
        keep = trace_length(trace if trace is not None else not translated)
        sanitize = False if translated else sanitize
        if max_steps is None:
            max_steps = MAX_SINGLE_STEPS if engine == "interpreter" else MAX_STEPS
        max_steps = as_int(max_steps, "max_steps", 1)
        sanitize = tiles is None if sanitize is None else bool(sanitize)
        program = self._loaded(program)
        if translated == "compiled" and tiles is not None:
            return self._call_tiles(program, arguments, entry, int(max_steps), tiles, uniform)
        free = keep == 0 and not sanitize and engine != "interpreter"
        hands_over = tiles is None and engine is None
        watched: frozenset[str] = frozenset()
        junk, restore = self._random.bit_generator.state, self.memory.snapshot() if tiles is not None else None
        while True:
            session = self._begin(program, arguments, entry, tiles, sanitize, keep != 0,
                                  KEPT if keep == 0 and sanitize else keep, watched)
            session.state.strict = bool(strict_calls)
            runner = engine_for(program, translated, entry) if translated else None
            later: Later | None = None
            if hands_over and not session.halves:
                made: Callable[[str | None], Engine] = (partial(engine_for, program, "python") if free else
                                                        session.recorder)
                later = steps_until_worth(program, entry), partial(made, entry)
            try:
                runner = session.run_on(int(max_steps), runner, later)
                break
            except ReadWriteConflict as mixed:
                # A grid that reads and writes one buffer: once more, with the readers of its bytes noted.
                watched |= {mixed.buffer}
                assert restore is not None
                restore()
                self._random.bit_generator.state = junk
            except MachineError as problem:
                session.fail(problem)
                raise
        if hands_over:
            count_steps(program, entry, session.count)
        return self._result(session, keep, tiles, runner)

    def _call_tiles(self, program: Program, arguments: tuple[Any, ...], entry: str | None, max_steps: int,
                    tiles: Grid, uniform: bool) -> CallResult:
        """A grid on the compiled engine, tile by tile."""
        engine = self._compiled(program, arguments, entry, max_steps, tiles)
        session = self._begin(program, arguments, entry, tiles, False, False, 0)
        steps = session.run_tiles(lambda: engine.run_tiles(session.state, self.memory, max_steps, tiles.shape,
                                                           uniform))
        result = self._result(session, 0, tiles, None)
        result.tile_steps = steps
        return result

    def _compiled(self, program: Program, arguments: tuple[Any, ...], entry: str | None, max_steps: int,
                  tiles: Grid) -> CompiledEngine:
        """The compiled engine, which has been seen to do a tile as the interpreter does."""
        engine = self.translation(program, entry)
        if not engine.checked:
            trial = Machine(self.isa)
            trial.memory = copy.deepcopy(self.memory)
            first = tuple(a[0, 0] if isinstance(a, np.ndarray) and a.shape == tiles.shape else a for a in arguments)
            trial._begin(program, first, entry, None, False, False, 0)
            engine.check(trial.state, trial.memory, max_steps)
        return engine

    def translation(self, program: Program, entry: str | None = None) -> CompiledEngine:
        """Translate a program to C and compile it, from one entry on. The result is cached.

        Raises BackendError without a C compiler, AssemblyError for an unknown entry.
        """
        engine = engine_for(self._loaded(program), "compiled", entry)
        return cast("CompiledEngine", engine)

    @serialized
    def prepare(self, program: Program, *arguments: Any, entry: str | None = None, tiles: Grid,
              max_steps: int = MAX_STEPS) -> Callable[[int], int]:
        """Prepare a call on a grid for the compiled engine. It can run many times, on the current memory.

        arguments, entry, tiles, max_steps   as `call` takes them
        ->   threads -> steps of all tiles. Registers are undefined afterwards; what goes wrong is raised as by `call`

        The first steps of the first tile are compared with the interpreter's, once for a program. Raises as `call`.
        """
        if not isinstance(tiles, Grid):
            raise BadArgument(f"tiles must be a neonsim.Grid(rows, cols); got {tiles!r}")
        from .engines.compiled_grid import Owned, PreparedGrid

        program = self._loaded(program)
        engine = self._compiled(program, arguments, entry, max_steps, tiles)
        session = self._begin(program, arguments, entry, tiles, False, False, 0)
        self._owned = self._owned or Owned()
        grid = PreparedGrid(engine.library, *engine.start_of(session.state), self.memory, self._owned, tiles.shape,
                            max_steps, engine.preserved_fields(session.state))
        turn = self._turn

        def run(threads: int = 1) -> int:
            with turn.lock:
                left = grid.run(None, threads, restore=True)
                if left.status == "returned":
                    self.memory.wrote(left.stored)
                    return left.steps
                # Once more in the way that says what is wrong, and where.
                return self.call(program, *arguments, entry=entry, tiles=tiles, max_steps=max_steps,
                                 engine="compiled").tile_steps
        return run

    @serialized
    def execution_path(self, program: Program, *arguments: Any, entry: str | None = None,
                       max_steps: int = MAX_STEPS) -> NDArray[np.int64]:
        """Return the indices of the instructions that a call executes, in order. Memory does not change.

        By the compiled engine, which needs a C compiler: a million steps take milliseconds. Arguments and errors as
        of `call`. Conditional instructions that are not executed are in it, as they take their slot.
        """
        program = self._loaded(program)
        engine = self.translation(program, entry)
        session = self._begin(program, arguments, entry, None, False, False, 0)
        session.abandon("it was only looked at")
        firsts, steps = engine.path(session.state, self.memory, as_int(max_steps, "max_steps", 1))
        sizes = {block.first: block.last - block.first + 1 for block in blocks(program, program.entry(entry))}
        lengths = np.array([sizes.get(int(first), 0) for first in range(int(firsts.max()) + 1)])[firsts]
        ends = np.cumsum(lengths)
        assert int(ends[-1]) == steps
        return np.asarray(np.repeat(firsts - (ends - lengths), lengths) + np.arange(steps))

    def _result(self, session: Session, keep: int | None, tiles: Grid | None, runner: Engine | None) -> CallResult:
        slots = session.state.slots
        count = tiles.rows * tiles.cols if tiles else 1
        real = float(np.frombuffer(slot_bytes(slots[0])[:8], "<f8")[0])
        x0 = numeric(slots[self._slots.vectors]).array[0]
        per_tile = None if tiles is None else np.broadcast_to(x0, tiles.shape).copy()
        return CallResult(session.returned, real, session.count, session.count * count,
                          None if keep == 0 else session.trace(), self.warnings(), per_tile)

    def warnings(self) -> list[str]:
        """Return what the run so far did that is suspicious but not wrong."""
        session = self._session
        if session is None:
            return []
        return [f"{where.path}:{where.line}: {text}" for pc, text in session.notices
                for where in (session.program.instructions[pc].position,)]

    # -- step by step
    @serialized
    def start(self, program: Program, *arguments: Any, entry: str | None = None, sanitize: bool = True,
              strict_calls: bool = False) -> None:
        """Set up a call and stop before its first instruction; arguments as in `call`."""
        session = self._begin(self._loaded(program), arguments, entry, None, sanitize, True, MAX_HISTORY)
        session.state.strict = bool(strict_calls)

    @serialized
    def step(self, n: int = 1) -> None:
        """Execute n instructions (fewer if the call returns before).

        Raises MachineError if nothing is running, and whatever the instruction raises; the state is then the one
        before that instruction.
        """
        n = positive(n, "step")
        with without_collector():
            self._started().advance(n)

    @serialized
    def back(self, n: int = 1) -> None:
        """Take back n instructions (fewer if the start comes before), registers and memory included.

        Raises MachineError at the start.
        """
        n = positive(n, "back")
        self._started().take_back(n)

    @serialized
    def change(self, values: Mapping[str, Any], columns: Mapping[str, int] | None = None) -> None:
        """Put values into registers, flags and memory before the next instruction; the run goes on with them.

        values    place -> value: {"v3.s[1]": 99, "x2": 8, "n": 1, "c[0,3]": 7}; all are changed, or none
        columns   elements per row, for buffers that were not placed as a matrix

        The trace has them in `changes`; `back` takes them back with the step before them. Raises BadArgument for a
        place that there is not or a value outside its type, MachineError if there is no next instruction.
        """
        session = self._started()
        if self.state.axes:
            raise BadArgument("values can be changed only in a run of one tile, not on a grid")
        session.change(edits(self, values, columns))

    def restart_with_edits(self, changes: Iterable[StateEdit]) -> None:
        """Make the current state the one before the first step, and record these changes in it."""
        old = self._started()
        self._session = Session(old.program, self.state, old.called, MAX_HISTORY, old._junk)
        self._session.changes += changes

    @property
    def path(self) -> list[int]:
        """The instructions of the steps that are kept, by number."""
        return self._started().path

    @serialized
    def run(self, until: str | int | Callable[[Machine], bool] | None = None,
            max_steps: int = MAX_SINGLE_STEPS) -> None:
        """Step until a label (text), a source line (number), or until a predicate of the machine is true; without
        ``until``, to the return. At least one step is taken.

        Raises MachineError if the call returns first, StepLimit after max_steps (1 000 000 steps if left out).
        """
        session = self._started()
        reached = self._condition(session, until)
        what = (f"the label {until!r}" if isinstance(until, str) else "the condition" if callable(until) else
                f"line {until}")
        # What a caller's own condition makes may need to be collected.
        with nullcontext() if callable(until) else without_collector():
            session.run(positive(max_steps, "run(max_steps=...)"), reached, what)

    @serialized
    def trace(self) -> Trace:
        """Return the steps so far as a `Trace`."""
        return self._started().trace()

    # -- inside
    def _started(self) -> Session:
        """The call that was started; MachineError if there is none."""
        if self._session is None:
            raise MachineError("no run has been started. Call start(program, ...) first")
        return self._session

    def _loaded(self, program: Program) -> Program:
        """The program with its data in this machine's memory; placed once, so what it stores there stays."""
        if not isinstance(program, Program) or not (program.data or (self.identity and reads_id_registers(program))):
            return program
        if id(program) not in self._programs:
            placed = with_id_registers(load(program, self.memory), self.identity)
            # Both are kept, so that neither id is given to another program; calling the placed one again is fine.
            self._programs[id(program)] = self._programs[id(placed)] = (placed, program)
        return self._programs[id(program)][0]

    def _begin(self, program: Program, arguments: tuple[Any, ...], entry: str | None, tiles: Grid | None,
               sanitize: bool, tracing: bool, kept: int | None, watched: frozenset[str] = frozenset()) -> Session:
        """A new session before its first instruction; ``kept`` steps of it can be taken back."""
        if not isinstance(program, Program):
            remedy = {"str": ": call(ns.assemble(text, isa=...), ...)", "Kernel": ": call(kernel.program(), ...)"}
            raise BadArgument("a call needs a program from neonsim.assemble, not "
                              f"{type(program).__name__}{remedy.get(type(program).__name__, '')}")
        if program.isa != self.isa:
            raise BadArgument(f"this machine is {self.isa}, the program is {program.isa}: make a Machine(isa="
                              f'"{program.isa}") for it')
        if entry is not None and not isinstance(entry, str):
            raise BadArgument(f"entry must be the name of a label; got {entry!r}")
        first = program.entry(entry)
        if self._session is not None:
            # From here on the memory belongs to the new call: what ran before cannot go on.
            self._session.abandon("the call could not begin")
        state = State(self._slots, self.memory, axes=0 if tiles is None else 2, shadow=sanitize, tracing=tracing)
        shape = tiles.shape if tiles is not None else None
        arguments = converted(program, first, arguments)
        abi.poison(state, self._random)
        junk = list(state.slots)
        stack = self.memory.begin(shape, sanitize, watched)
        abi.place_arguments(state, arguments, stack, shape, self._random)
        state.pc = first
        self.state, self._session = state, Session(program, state, (arguments, entry), kept,
                                                    junk)
        return self._session

    def _condition(self, session: Session, until: Any) -> Callable[[], bool] | None:
        program, state = session.program, session.state
        if until is None:
            return None
        if callable(until):
            return lambda: bool(until(self))
        if isinstance(until, str):
            index = program.entry(until)
            return lambda: state.pc == index
        if is_int(until):
            indices = {i for i, x in enumerate(program.instructions) if x.position.line == until}
            if not indices:
                lines = sorted({x.position.line for x in program.instructions})
                near = min(lines, key=lambda n: abs(n - until))
                raise BadArgument(f"line {until} has no instruction. The nearest is line {near}")
            return lambda: state.pc in indices
        raise BadArgument(f"until must be a label, a line number or a function of the machine; got {until!r}")
