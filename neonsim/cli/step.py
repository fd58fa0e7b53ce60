"""`neonsim step`: through a run, forwards and backwards, a command a line."""

from __future__ import annotations

import argparse
import cmd
import io
import re
import sys
from collections.abc import Iterator
from typing import Any

from neonsim.arm.machine.arch.register_names import (
    TYPE_BYTES,
    UNWRITTEN,
    lane_name,
    lane_values,
    names_by_register,
    printable,
)
from neonsim.arm.semantics.lane_order import in_order
from neonsim.arm.timing import Timing, time
from neonsim.common.terminal import escape_text
from neonsim.errors import BadArgument
from neonsim.render.pictures.lanes import with_values
from neonsim.render.stepper.breakpoints import GRAMMAR, Breakpoints
from neonsim.render.stepper.cursor import TraceCursor
from neonsim.render.stepper.expression import StateView, parse_expression
from neonsim.render.stepper.regions import MAX_ELEMENTS, address_of_text, region_lines, region_types
from neonsim.render.text_listing import flags_text

from .calls import ARGUMENT_HELP, Recording, add_program_options, add_run_options
from .options import print_json, top_command
from .recording import SAMPLE_HELP, record

__all__ = ["add_commands"]

COMMANDS = """\
s [N]  b [N]     on, back; by N steps
g N              go to step N
c  cb            on to the next stop, back to the last
stop [STOP]      set a stop, or remove the one that is written so; alone: list them
p EXPRESSION     its value here, as in p v0.h[3] or p sum(c)
r                all registers of the run
m [ADDRESS]      a buffer from an address on: m c, m c + 16, m x1; alone: list them
w                lanes that wrapped, saturated or lost bits, in all of the run
t TYPE           element type of registers: used (as the program does), u8, s16, f32 ...
h  q             this list, quit
"""
WIDTHS = {1: 4, 2: 6, 4: 11, 8: 20}     # of a lane of n bytes


def add_commands(commands: Any) -> None:
    step = top_command(commands, "step", "neonsim step qu8_gemm_q31_8x8__aarch64_neon_mlal_lane --core cortex-a53",
                       SAMPLE_HELP + "\ncommands, one a line; an empty line repeats the last:\n"
                       + "".join(f"  {line}\n" for line in COMMANDS.splitlines())
                       + "With --json no command is read: registers and memory at --at are printed.\n\n"
                       + ARGUMENT_HELP + "\n" + GRAMMAR)
    add_program_options(step)
    add_run_options(step, 1_000_000)
    step.add_argument("--core", metavar="CORE", help="Show the modelled cycles of this core beside the steps.")
    step.add_argument("--at", type=int, default=0, metavar="STEP",
                      help="Begin at this step; with --json, print the state there (0).")
    step.add_argument("--stop", action="append", default=[], metavar="STOP",
                      help="Stop the command c here, as in \"x2 == 8\" (see below); can be given again.")
    step.set_defaults(run=_step)


def _step(options: argparse.Namespace) -> int:
    found = record(options)
    if not 0 <= options.at <= found.trace.steps:
        raise BadArgument(f"--at must be 0 to {found.trace.steps}; got {options.at}")
    timing = time(found.trace, core=options.core) if options.core and found.trace.steps else None
    walk = TraceCursor(found.trace)
    walk.goto(options.at)
    if options.json:
        _state(found, walk, options.core, timing)
        if found.problem is not None:
            raise found.problem
        return 0
    if sys.stdin is None:
        raise BadArgument("step reads commands from standard input, which is closed. Use `neonsim trace` to list the "
                          "steps.")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    if found.problem is not None:
        walk.goto(found.trace.steps)
    _Stepper(found, walk, timing, options.stop).cmdloop()
    return 0


def _state(found: Recording, walk: TraceCursor, core: str | None, timing: Timing | None) -> None:
    """What stands in registers and memory, as JSON."""
    trace = found.trace
    following = None if walk.next is None else trace.program.instructions[walk.next]
    print_json({
        "isa": trace.isa, "step": walk.step, "steps": trace.steps, "first": trace.first,
        "next": following and {"line": following.position.line, "instruction": str(following)},
        "registers": {name: value[::-1].hex() for name, value in walk.state().items()},
        "memory": {name: data.tobytes().hex() for name, data in walk.memory.items()},
        "modeled_cycles": timing and {"core": core, "cycles": timing.cycles},
        "said": found.note, "notices": [text for _, text in trace.notices]})


class _Stepper(cmd.Cmd):
    """Reads commands. `kind`: element type of registers, "used" or one of `TYPE_BYTES`."""

    def __init__(self, recording: Recording, walk: TraceCursor, timing: Timing | None, stops: list[str]) -> None:
        super().__init__()
        self.walk, self.trace, self.timing, self.columns = walk, recording.trace, timing, recording.columns
        self.names, self.kind = names_by_register(recording.names), "used"
        self.stops = Breakpoints(walk, recording.columns)
        for text in stops:
            if not self.stops.toggle(text):
                raise BadArgument(f"--stop {text!r} is given twice")
        self.prompt = "(step) " if sys.stdin.isatty() else ""
        _say(f"{recording.title}; h lists the commands", recording.note, *self.shown(),
             f"stops after here: {str(recording.problem).splitlines()[0]}" if recording.problem else "")

    def onecmd(self, line: str) -> bool:
        try:
            return bool(super().onecmd(line.strip()))
        except BadArgument as problem:
            _say(*str(problem).splitlines())
            return False

    def default(self, line: str) -> None:
        _say(f"{line!r} is no command here; h lists them")

    # -- moving
    def go(self, step: int, reason: str = "") -> None:
        self.walk.goto(step)
        _say(*self.shown(), reason)

    def do_s(self, words: str) -> None:
        self.go(self.walk.step + _count(words or "1"))

    def do_b(self, words: str) -> None:
        self.go(self.walk.step - _count(words or "1"))

    def do_g(self, words: str) -> None:
        self.go(_count(words))

    def do_c(self, words: str, direction: int = 1) -> None:
        if words:
            raise BadArgument("c and cb take no arguments. Set a stop with stop, then continue with c")
        found = self.stops.nearest(self.walk.step, direction)
        if found is None:
            raise BadArgument(f"no stop is reached {'after' if direction > 0 else 'before'} here" if self.stops.at else
                              "there is no stop. Set one, as stop x2 == 8")
        self.go(found[0], f"stopped: {found[1]}")

    def do_cb(self, words: str) -> None:
        self.do_c(words, -1)

    def do_stop(self, words: str) -> None:
        there = not words or self.stops.toggle(words)
        _say(*[f"stop at {text}: {self.stops.times(text)}" for text in self.stops.at if not words or text == words]
             if there and self.stops.at else [f"no stop at {words}" if words else "there is no stop"])

    def do_q(self, words: str) -> bool:
        return True

    def do_EOF(self, words: str) -> bool:
        print(end="\n" if self.prompt else "")
        return True

    # -- looking
    def do_help(self, arg: str) -> None:
        print(COMMANDS + "\n" + GRAMMAR, end="")

    do_h = do_help

    def do_p(self, words: str) -> None:
        asked = parse_expression(words, self.trace, self.columns)
        here = StateView(self.walk.state(), self.walk.memory, self.walk.definedness).stand(self.trace, self.walk.step)
        values = asked.value(here) if asked.is_vector else [asked.value(here)]
        if len(values) > MAX_ELEMENTS:
            raise BadArgument(f"{words} has {len(values)} values. Use m to show a buffer, or sum, min or max")
        print(*[str(int(v)) if v % 1 == 0 else f"{v:.10g}" for v in (
            values if asked.target is None or asked.target.memory else in_order(values))])

    def do_r(self, words: str) -> None:
        state = self.walk.state()
        _say(*[self.register("", name,
                             state[name]) for name in self.trace.locations if name in self.walk.named_locations])

    def do_m(self, words: str) -> None:
        types = region_types(self.trace)
        if not words:
            _say(*[f"{b.name}: {b.nbytes} bytes of {types[b.name]} at {b.address:#x}" for b in self.trace.buffers])
            return
        at = address_of_text(words, self.walk)
        home = next(b for b in self.trace.buffers if b is self.walk.home(at))
        shape = home.shape if at == home.address else ()
        _say(f"{self.walk.pointer(at)}: {types[home.name]} at {at:#x}; {UNWRITTEN} has not been written",
             *region_lines(self.walk.bytes_of(home.name)[at - home.address:], types[home.name], shape))

    def do_w(self, words: str) -> None:
        _say(*str(self.trace.wraps()).splitlines())

    def do_t(self, words: str) -> None:
        if words not in ("used", *TYPE_BYTES):
            raise BadArgument(f"t needs used, {', '.join(TYPE_BYTES)}")
        self.kind = words
        self.go(self.walk.step)

    def shown(self) -> Iterator[str]:
        """Yield the place: the step that led here, what it read and wrote, what comes next."""
        walk, trace, one = self.walk, self.trace, self.walk.instruction
        cycle = "" if self.timing is None else (
            f", cycle {self.timing.run.issue[walk.step - 1] if walk.step else 0} of {self.timing.cycles} "
            f"(modelled, {self.timing.core.name})")
        yield f"step {walk.step} of {trace.steps}{f' (from {trace.first} on)' if trace.first else ''}{cycle}"
        if one is not None and walk.last is not None:
            doc = " ".join((one.form.doc or "").strip().partition("\n\n")[0].split())
            yield f"  line {one.position.line}: {one}  " + (
                doc if walk.executed else f"not executed: condition {one.condition} does not hold")
            done, before, state = walk.touched(walk.last), walk.before(), walk.state()
            for name in done.reads if walk.executed else ():
                yield self.register("  reads   ", name, before[name], done.read_as.get(name, "x"))
            for name in walk.written_locations():
                yield self.register("  writes  ", name, state[name])
            for edge in [e for e in done.edges if e.destination[0] != "mem"][:walk.executed]:
                register, kind, lane = edge.destination
                yield (f"          {lane_name(register, printable(kind), lane, trace.isa)} = "
                       f"{with_values(edge.expression, edge.sources, before, trace.isa)}")
            for address, size, store, *_ in trace.accesses(walk.step - 1):
                place = walk.pointer(address) or f"{address:#x}, outside the buffers"
                yield f"  {'stores' if store else 'loads'} {size} bytes {'to' if store else 'from'} {place}"
        yield from (f"  {change}" for change in walk.edits())
        following = None if walk.next is None else trace.program.instructions[walk.next]
        yield f"  next: line {following.position.line}: {following}" if following else "  the run ends here"

    def register(self, head: str, location: str, data: bytes, name: str = "x") -> str:
        """Return a register as a row: its name, what the kernel calls it, and its lanes, its number or its flags.

        name   the element type that an instruction takes it for; "x..." where it does not matter
        """
        written, size = all(getattr(data, "defined", b"\1")), len(data)
        number = int.from_bytes(data, "little")
        if size == 1:
            return f"{head}{'flags' if location == 'nzcv' else location:15}     {flags_text(location, data)}"
        used = printable(name) if name[0] != "x" else self.walk.type_of(location)
        kind = f"u{8 * size}" if size < 16 else used if self.kind == "used" else self.kind
        wide = WIDTHS[TYPE_BYTES[kind]] if size == 16 else 0
        lanes = " ".join(text.rjust(wide) for text in in_order(lane_values(data, kind)))
        place = self.walk.pointer(number) if size < 16 and written else ""
        return f"{head}{location:5}{self.names.get(location, ''):10}{kind:>4} {lanes}{f' ({place})' if place else ''}"


def _say(*lines: str) -> None:
    """Print lines, but empty ones. What comes from a file may hold anything, ends of lines too."""
    print(*[escape_text(line, "") for line in lines if line], sep="\n")


def _count(words: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", words):
        raise BadArgument(f"s, b and g need a number of steps, not {words!r}")
    return int(words)
