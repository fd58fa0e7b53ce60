"""Runs a check on very many inputs and keeps what it finds.

`Fuzz.main()` is a script of its own:

    python tests/fuzz/fuzz_text.py --inputs 1000000 --seed 1             random mutation
    python tests/fuzz/fuzz_text.py --inputs 200000 --engine atheris      guided by coverage (pip install atheris)

Every input is checked under the same watch: only NeonsimErrors, at most WORK calls of functions and MEMORY bytes, and
no file opened outside the folder it was given (an audit hook sees each open). A find is written to --finds as a file,
and the script goes on; it ends with status 1 if there were any.
"""

from __future__ import annotations

import argparse
import atexit
import hashlib
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.work import calls  # noqa: E402

# What guides atheris has to be instrumented as it is imported, so before the scripts import it.
if "atheris" in sys.argv:
    import atheris

    with atheris.instrument_imports(include=["neonsim.arm.asm", "neonsim.arm.isa.forms"]):
        import neonsim.arm.asm  # noqa: F401

DOUBTFUL = 3.0       # seconds of processor time after which the work of an input is counted: the machine may be slow
WORK = 20_000_000    # calls of functions that one input may take
HANGS = 60.0         # seconds after which it is stopped
MEMORY = 2 << 30     # bytes of address space of the whole process
CANARY = "CANARY_OF_THE_FUZZER"


class Hang(BaseException):
    """An input is stopped; no handler of exceptions on its way may keep this."""


class Escape(Exception):
    """The program under test opened, or told about, a file that it was not given."""


@dataclass
class Box:
    """A folder that inputs may read from, with ways out of it that must not be taken.

    box/inside.h inside.bin    may be read           box/link.h, box/linked  links to what lies outside
    secret.h                   beside the box        box/loop.h              includes itself
    """

    folder: Path
    armed: bool = False
    opened: list[str] = field(default_factory=list)

    @classmethod
    def make(cls) -> Box:
        outer = Path(tempfile.mkdtemp(prefix="neonsim-fuzz-")).resolve()
        box = outer / "box"
        box.mkdir()
        (outer / "secret.h").write_text(f".ascii \"{CANARY}\"\nnop\n")
        (box / "inside.h").write_text("#define INSIDE 3\n.macro inside\nnop\n.endm\n")
        (box / "inside.bin").write_bytes(bytes(range(32)))
        (box / "loop.h").write_text("#include \"loop.h\"\n.include \"loop.h\"\n")
        (box / "link.h").symlink_to(outer / "secret.h")
        (box / "linked").symlink_to(outer)
        (box / "self").symlink_to(box / "self")
        made = cls(box)
        _BOXES.append(made)
        if len(_BOXES) == 1:
            sys.addaudithook(_audit)    # it stays: one for all, and quick
        return made

    def watch(self, event: str, arguments: tuple[Any, ...]) -> None:
        name = str(arguments[0])
        if event != "open" or (not isinstance(arguments[0], int) and not self._allowed(name)):
            self.opened.append(f"{event} {name}")

    def _allowed(self, name: str) -> bool:
        path = os.path.realpath(name)
        # Python loads modules late, from its own folders and ours.
        own = (sys.prefix, sys.base_prefix, str(ROOT / "neonsim"), "/proc/")
        return path.startswith((str(self.folder) + os.sep, *own))


_BOXES: list[Box] = []


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("open", "os.system", "subprocess.Popen", "os.exec", "socket.connect"):
        for box in _BOXES:
            if box.armed:
                box.watch(event, arguments)


def _stop(number: int, frame: Any) -> None:
    raise Hang(f"still running after {HANGS:.0f} s")


@dataclass
class Fuzz:
    """What is checked, and where inputs come from.

    name      of the script
    make      random numbers -> an input             mutate    input, random numbers -> another one
    check     runs one input; returns a word that says what became of it ("refused", "assembled", ...)
    refused   the errors that an input may raise
    """

    name: str
    make: Callable[[random.Random], bytes]
    mutate: Callable[[bytes, random.Random], bytes]
    check: Callable[[bytes, random.Random], str]
    refused: type[Exception]
    box: Box

    def one(self, data: bytes, rng: random.Random) -> tuple[str, str]:
        """(outcome, "" or what is wrong) of one input."""
        start, state, problem = time.process_time(), rng.getstate(), ""
        self.box.opened.clear()
        self.box.armed = True
        signal.setitimer(signal.ITIMER_VIRTUAL, HANGS)
        try:
            outcome = self.check(data, rng)
        except self.refused as error:
            outcome = "refused"
            if CANARY in str(error) or "MemoryError" in str(error):
                problem = f"tells what a file outside holds, or ran out of memory: {error}"
        except (Exception, Hang):
            outcome, problem = "crash", traceback.format_exc(limit=-6)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            self.box.armed = False
        if self.box.opened:
            problem = problem or f"opened {self.box.opened[0]}"
        if time.process_time() - start > DOUBTFUL:
            problem = problem or self._work(data, state)
        return outcome, problem

    def _work(self, data: bytes, state: Any) -> str:
        """What is wrong with the work of an input: "" if it is no more than it may be."""
        rng = random.Random()
        rng.setstate(state)
        try:
            calls(lambda: self.check(data, rng), most=WORK)
        except AssertionError as error:
            return str(error)
        except self.refused:
            pass
        return ""

    def main(self) -> int:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--inputs", type=int, default=10_000)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--engine", choices=["random", "atheris"], default="random")
        parser.add_argument("--finds", type=Path, default=Path("finds"), help="folder for what is found")
        parser.add_argument("--seconds", type=float, default=0, help="stop after so long (0: never)")
        options = parser.parse_args()
        signal.signal(signal.SIGVTALRM, _stop)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
        self.finds, self.found = options.finds, 0
        self.kinds: set[str] = set()
        self.outcomes: Counter[str] = Counter()
        self.began = time.monotonic()
        if options.engine == "atheris":
            return self._atheris(options)
        rng, last = random.Random(options.seed), time.monotonic()
        for number in range(options.inputs):
            data = self.make(rng)
            for _ in range(rng.choice((0, 0, 1, 1, 2, 4))):
                data = self.mutate(data, rng)
            self._take(data, rng, f"seed {options.seed}, input {number}")
            if time.monotonic() - last > 30:
                last = time.monotonic()
                print(self._line(), flush=True)
            if options.seconds and time.monotonic() - self.began > options.seconds:
                break
        print(self._line())
        return 1 if self.found else 0

    def _take(self, data: bytes, rng: random.Random, where: str) -> None:
        outcome, problem = self.one(data, rng)
        self.outcomes[outcome] += 1
        if not problem:
            return
        self.found += 1
        kind = problem.strip().splitlines()[-1][:60]
        if kind in self.kinds and self.found > 50:
            return
        self.kinds.add(kind)
        self.finds.mkdir(parents=True, exist_ok=True)
        path = self.finds / f"{self.name}-{hashlib.sha1(data).hexdigest()[:12]}"
        path.write_bytes(data)
        path.with_suffix(".txt").write_text(f"{where}\n{problem}\n")
        print(f"FIND {path}: {kind}", flush=True)

    def _line(self) -> str:
        done = sum(self.outcomes.values())
        seconds = time.monotonic() - self.began
        return json.dumps({"fuzz": self.name, "inputs": done, "finds": self.found, "seconds": round(seconds),
                           "per_second": round(done / max(seconds, 1)), "outcomes": dict(self.outcomes),
                           "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10})

    def _atheris(self, options: argparse.Namespace) -> int:
        rng = random.Random(options.seed)
        last = [time.monotonic()]

        def test(data: bytes) -> None:
            self._take(data, rng, f"atheris, seed {options.seed}")
            if time.monotonic() - last[0] > 30:
                last[0] = time.monotonic()
                print(self._line(), flush=True)
            if options.seconds and time.monotonic() - self.began > options.seconds:
                print(self._line(), flush=True)
                os._exit(1 if self.found else 0)

        def mutated(data: bytes, most: int, seed: int) -> bytes:
            own = random.Random(seed)
            if own.random() < 0.2:
                return self.make(own)[:most]
            return self.mutate(data, own)[:most]

        corpus = Path(tempfile.mkdtemp(prefix="neonsim-corpus-"))
        for number in range(300):
            (corpus / str(number)).write_bytes(self.make(rng)[:8192])
        atheris.Setup([sys.argv[0], f"-atheris_runs={options.inputs}", f"-seed={options.seed}", "-max_len=8192",
                       "-print_final_stats=0", "-verbosity=0", "-timeout=60", "-rss_limit_mb=0", str(corpus)],
                      test, custom_mutator=mutated)
        atexit.register(lambda: print(self._line(), flush=True))
        atheris.Fuzz()
        return 1 if self.found else 0
