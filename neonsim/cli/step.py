"""`neonsim step`: through a run on the terminal, forwards and backwards, one key at a time."""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import sys
from collections.abc import Callable, Iterator
from typing import Any

from neonsim.errors import BadArgument
from neonsim.render.names import locate, names_by_register
from neonsim.render.regions import address_of_text
from neonsim.render.stops import GRAMMAR, Breakpoints
from neonsim.render.terminal import KINDS, View, screen
from neonsim.render.walk import Walk
from neonsim.timing import time

from .options import ARGUMENT_HELP, add_program_options, command, print_json
from .sample import SAMPLE_HELP, Recording, record

__all__ = ["add_commands"]

PAUSE = 0.25  # seconds between two steps while running
COLOURS = {"read": "36", "write": "1;33", "now": "7", "bold": "1", "soft": "2", "": ""}
ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[0m\x1b[?25h\x1b[?1049l"  # the other screen, without a cursor, and back
ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"}
SEQUENCES = {**{f"{before}{letter}": name for before in "[O" for letter, name in ARROWS.items()},
             "[1~": "home", "[4~": "end", "[5~": "[", "[6~": "]"}


def add_commands(commands: Any) -> None:
    step = command(commands, "step", "step through a run on the terminal: registers as lanes, memory, back and on",
                   "neonsim step qu8_gemm_q31_8x8__aarch64_neon_mlal_lane --core cortex-a53",
                   SAMPLE_HELP + "In the stepper ? lists the keys, q leaves. NO_COLOR switches colours off.\n"
                   "With --json nothing is drawn: registers and memory at --at are printed.\n"
                   + ARGUMENT_HELP + "\n" + GRAMMAR)
    add_program_options(step)
    step.add_argument("arguments", nargs="*", default=[], metavar="ARGUMENT", help="see below")
    step.add_argument("--entry", help="label to call")
    step.add_argument("--max-steps", type=int, default=1_000_000, metavar="N")
    step.add_argument("--no-sanitize", action="store_true", help="do not look for uses of what nobody wrote")
    step.add_argument("--core", metavar="CORE", help="modelled cycles of this core beside the steps")
    step.add_argument("--at", type=int, default=0, metavar="STEP",
                      help="where to begin; with --json: the state after so many steps")
    step.add_argument("--stop", action="append", default=[], metavar="STOP",
                      help="where c and space stop, as in \"x2 == 8\" (see below); can be given again")
    step.set_defaults(run=_step)


def _step(options: argparse.Namespace) -> int:
    if options.json:
        return _state(options)
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM", "dumb") == "dumb":
        raise BadArgument("step needs a terminal to draw on and keys to read. `neonsim trace` takes the same words and "
                          "lists the steps, or writes a page with --html FILE.")
    found = _recorded(options)
    _Session(found, options).run()
    return 0


def _recorded(options: argparse.Namespace) -> Recording:
    found = record(options)
    if not 0 <= options.at <= found.trace.steps:
        raise BadArgument(f"--at takes a step from 0 to {found.trace.steps}, not {options.at}")
    return found


def _state(options: argparse.Namespace) -> int:
    """What stands in registers and memory at --at, without a terminal."""
    found = _recorded(options)
    walk, trace = Walk(found.trace), found.trace
    walk.goto(options.at)
    timing = time(trace, core=options.core) if options.core and trace.steps else None
    following = None if walk.next is None else trace.program.instructions[walk.next]
    print_json({
        "isa": trace.isa, "step": walk.step, "steps": trace.steps, "first": trace.first,
        "next": following and {"line": following.where.line, "instruction": str(following)},
        "registers": {name: value[::-1].hex() for name, value in walk.state().items()},
        "memory": {name: data.tobytes().hex() for name, data in walk.memory.items()},
        "modelled_cycles": None if timing is None else {"core": options.core, "cycles": timing.cycles},
        "said": found.said, "notices": [text for _, text in trace.notices]})
    if found.problem is not None:
        raise found.problem
    return 0


class _Session:
    def __init__(self, found: Recording, options: argparse.Namespace) -> None:
        timing = time(found.trace, core=options.core) if options.core and found.trace.steps else None
        self.walk = Walk(found.trace)
        self.view = View(self.walk, found.title, names_by_register(found.names), timing)
        self.walk.goto(options.at)
        self.view.message = found.said
        if found.problem is not None:
            self.walk.goto(found.trace.steps)
            self.view.message = "stops after here: " + str(found.problem).splitlines()[0]
        self.running = False
        self.breakpoints = Breakpoints(self.walk, found.columns)
        for text in options.stop:
            if not self.breakpoints.toggle(text):
                raise BadArgument(f"--stop {text!r} stands there twice")
        self.view.breaks = self.breakpoints.lines
        self.size = os.terminal_size((80, 24))
        self.register = ""
        self.colour = not os.environ.get("NO_COLOR")

    def run(self) -> None:
        with _terminal():
            while True:
                self.draw()
                key = _key(PAUSE if self.running else None, self.size)
                if key in ("q", "eof"):
                    return
                if key != "resized":
                    self.press(key)

    def draw(self) -> None:
        self.size = size = os.get_terminal_size(sys.stdout.fileno())
        try:
            rows = screen(self.view, size.columns, size.lines)
        except BadArgument as small:
            rows = [[(str(small)[:max(size.columns, 1)], "")]]
        lines = ["".join(self.painted(text, style) for text, style in row) for row in rows]
        _write("\x1b[H" + "\r\n".join(line + "\x1b[K" for line in lines) + "\x1b[J")

    def painted(self, text: str, style: str) -> str:
        code = COLOURS[style] if self.colour else ""
        return f"\x1b[{code}m{text}\x1b[0m" if code else text

    def press(self, key: str) -> None:
        walk, view = self.walk, self.view
        if not key:  # nothing was pressed: a step of a run
            self.running = self.running and walk.step < walk.trace.steps
            if self.running:
                self.go(walk.step + 1)
                reason = self.breakpoints.nearest(walk.step - 1)
                if reason is not None and reason[0] == walk.step:
                    self.running, view.message = False, f"stopped: {reason[1].text}"
            return
        self.running, view.message = False, ""
        if view.help:
            view.help = False
            return
        if view.listing is not None:
            self.from_listing(key)
            return
        step, steps = walk.step, walk.trace.steps
        if key in ("right", "n", "\r", "\n"):
            self.go(step + 1)
        elif key in ("left", "p"):
            self.go(step - 1)
        elif key in ("home", "end"):
            self.go(0 if key == "home" else steps)
        elif key in ("up", "down"):
            view.top = (view.top or 0) + (1 if key == "down" else -1)
        elif key == " ":
            self.running = True
            if step == steps:
                self.go(0)
        elif key in ("]", "["):
            self.to(walk.next_of([walk.last], 1 if key == "]" else -1) if walk.last is not None else 1,
                    f"this line is not executed {'again' if key == ']' else 'before'}")
        elif key == "\t":
            view.buffer, view.lane = (view.buffer + 1, view.lane) if view.memory else (view.buffer, view.lane + 1)
        elif key in "amo?t":
            self.switch(key)
        elif key in "glbcCsSwW@":
            act: dict[str, Callable[[], None]] = {
                "@": self.ask_address, "g": self.ask_step, "l": self.ask_line,
                "b": self.breakpoint, "c": lambda: self.resume(1),
                "C": lambda: self.resume(-1), "s": self.ask_stop, "S": self.list_stops,
                "w": lambda: self.write(1), "W": lambda: self.write(-1)}
            act[key]()
        else:
            view.message = f"{key!r} is no key here; ? lists them"

    def switch(self, key: str) -> None:
        view = self.view
        view.top = None
        if key == "a":
            view.all = not view.all
        elif key == "m":
            view.memory = not view.memory
        elif key == "?":
            view.help = True
        elif key == "o":
            view.lane0 = "left" if view.lane0 == "right" else "right"
        else:
            view.kind = KINDS[(KINDS.index(view.kind) + 1) % len(KINDS)]

    def go(self, step: int) -> None:
        self.walk.goto(step)
        self.view.top = self.view.address = None

    def to(self, step: int | None, otherwise: str) -> None:
        if step is None:
            self.view.message = otherwise
        else:
            self.go(step)

    def ask_step(self) -> None:
        text = self.ask(f"go to step (0 to {self.walk.trace.steps}): ")
        if text:
            there = text.isdigit() and int(text) <= self.walk.trace.steps
            self.to(int(text) if there else None, f"there is no step {text}")

    def ask_address(self) -> None:
        text = self.ask("address (c + 16, x1, 0x1000): ")
        if text:
            view, walk = self.view, self.walk
            try:
                at = address_of_text(text, walk)
            except BadArgument as problem:
                view.message = str(problem)
                return
            home = walk.home(at)
            assert home is not None
            view.memory, view.top, view.address = True, None, at
            view.buffer = 1 + walk.trace.buffers.index(home)
            view.message = f"{at:#x} is {home.name} + {at - home.address}"

    def ask_line(self) -> None:
        text = self.ask("run to line: ")
        if text:
            pcs = self.walk.pcs_of_line(int(text)) if text.isdigit() else []
            self.to(self.walk.next_of(pcs) if pcs else None, f"line {text} " + (
                "is not executed after here" if pcs else "holds no instruction"))

    def breakpoint(self) -> None:
        pc = self.walk.next if self.walk.next is not None else self.walk.last
        if pc is not None:
            line = self.walk.trace.program.instructions[pc].where.line
            there = self.breakpoints.toggle(f"line {line}")
            self.view.breaks = self.breakpoints.lines
            self.view.message = f"line {line}: {'a' if there else 'no'} breakpoint (b)"

    def ask_stop(self) -> None:
        text = self.ask("stop at (x2 == 8, write c[0,3], line 12 if x2 < 4): ")
        if not text:
            return
        try:
            there = self.breakpoints.toggle(text)
        except BadArgument as problem:
            self.view.message = str(problem)
        else:
            self.view.breaks = self.breakpoints.lines
            self.view.message = f"stop at {text}: {self.breakpoints.times(text)}" if there else f"no stop at {text}"

    def list_stops(self) -> None:
        if not self.breakpoints.stops:
            self.view.message = "there is no breakpoint: b sets one here, s one that is written"
            return
        self.view.listing = [*self.breakpoints.listing(), "", "a number: on, off   s and the same words: removed   "
                                                              "another key: back"]

    def from_listing(self, key: str) -> None:
        self.view.listing = None
        if key.isdigit() and len(key) == 1:
            self.breakpoints.switch(int(key))
            self.view.breaks = self.breakpoints.lines
            self.list_stops()
        elif key == "s":
            self.ask_stop()

    def resume(self, way: int) -> None:
        found = self.breakpoints.nearest(self.walk.step, way)
        if found is not None:
            self.go(found[0])
            self.view.message = f"stopped: {found[1].text}"
        elif self.breakpoints.stops:
            self.view.message = f"no breakpoint is reached {'after' if way > 0 else 'before'} here"
        else:
            self.view.message = "there is no breakpoint: b sets one here, s one that is written"

    def write(self, way: int) -> None:
        text = self.ask(f"register{f' ({self.register})' if self.register else ''}: ") or self.register
        if text:
            self.register = text
            location = locate(text.lower(), self.walk.trace.isa)[0]
            known = location in self.walk.trace.locations
            self.to(self.walk.writer(location, way), f"{text} is not written {'after' if way > 0 else 'before'} here"
                    if known else f"there is no register {text}")

    def ask(self, prompt: str) -> str:
        """A short text from the last row; escape gives none."""
        text = ""
        while True:
            self.view.message = f"{prompt}{text}_"
            self.draw()
            key = _key(None, self.size)
            if key in ("\r", "\n"):
                break
            if key in ("escape", "eof"):
                text = ""
                break
            if key in ("\x7f", "\b"):
                text = text[:-1]
            elif len(key) == 1 and key.isprintable():
                text += key
        self.view.message = ""
        return text.strip()


@contextlib.contextmanager
def _terminal() -> Iterator[None]:
    """Keys one by one, on the other screen; whatever happens, the terminal is given back as it was."""
    import termios  # not on Windows; there isatty and TERM have refused before
    import tty

    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    try:
        tty.setcbreak(number)
        quiet = termios.tcgetattr(number)
        quiet[6][termios.VSUSP] = b"\0"  # not to be left standing on the other screen
        termios.tcsetattr(number, termios.TCSANOW, quiet)
        _write(ENTER)
        yield
    finally:
        _write(LEAVE)
        termios.tcsetattr(number, termios.TCSADRAIN, before)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _key(seconds: float | None, size: os.terminal_size) -> str:
    """The next key: a character, or a name such as "left" or "escape"; "" if none came in time, "resized" if the
    terminal's size is another than it was drawn for."""
    number = sys.stdin.fileno()
    while not select.select([number], [], [], 0.5 if seconds is None else seconds)[0]:
        if seconds is not None:
            return ""
        if os.get_terminal_size(sys.stdout.fileno()) != size:
            return "resized"
    data = os.read(number, 1)
    if not data or data == b"\x04":
        return "eof"
    if data != b"\x1b":
        while data[0] >= 0xC0 and len(data) < (2 if data[0] < 0xE0 else 3 if data[0] < 0xF0 else 4):
            data += os.read(number, 1)
        return data.decode("utf-8", "replace")
    text = ""
    while select.select([number], [], [], 0.05)[0] and len(text) < 6:
        text += os.read(number, 1).decode("latin-1")
        if text in SEQUENCES or (len(text) > 1 and text[-1].isalpha()) or text.endswith("~"):
            break
    return SEQUENCES.get(text, "escape")
