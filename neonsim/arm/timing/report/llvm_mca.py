"""llvm-mca beside our own figures: an outside opinion, where it is installed and has a model of the core.

Most cores of LLVM borrow another one's model (A72, A73, A75 and A76 are an A57 there); those are left out: only a core
file with [llvm] has one of its own. Debian: `apt-get install llvm-22` (or the newest `llvm-N`).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache

from neonsim.arm.timing.cores.loader import load_core
from neonsim.arm.timing.cores.model import Core
from neonsim.arm.timing.stream import InstructionStream
from neonsim.errors import TimingError

__all__ = ["McaResult", "mca", "mca_program"]

_TRIPLES = {"aarch64": "aarch64", "aarch32": "armv8a"}


@dataclass(frozen=True, slots=True)
class McaResult:
    """What llvm-mca says of a loop: version, cycles an iteration, instructions a cycle."""

    version: int
    cycles_per_iteration: float
    ipc: float


@cache
def mca_program() -> tuple[str, int] | None:
    """(path, version) of the newest llvm-mca, or None."""
    names = [f"llvm-mca-{n}" for n in range(40, 13, -1)] + ["llvm-mca"]
    path = next((found for found in map(shutil.which, names) if found), None)
    if path is None:
        return None
    text = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False).stdout
    version = re.search(r"LLVM version (\d+)", text)
    return (path, int(version[1])) if version else None


def mca(stream: InstructionStream, core: str | Core) -> McaResult | None:
    """llvm-mca's figures for a loop; None where it is not installed or has no model of its own.

    Raises TimingError if llvm-mca refuses the text.
    """
    known = load_core(core)
    program, model = mca_program(), known.llvm.get(stream.isa)
    if program is None or model is None or program[1] < known.llvm_oldest:
        return None
    body = stream.order[:stream.body] if stream.body else stream.order
    lines = [_for_llvm(stream.ops[index].text, stream.ops[index].kind) for index in body]
    n = 100
    command = [program[0], f"-mtriple={_TRIPLES[stream.isa]}", f"-mcpu={model}", f"-iterations={n}",
               "-resource-pressure=0", "-instruction-info=0"]
    if stream.isa == "aarch32":
        command.append("-mattr=+neon")
    done = subprocess.run(command, input="loop:\n" + "\n".join(lines) + "\n", capture_output=True, text=True,
                          timeout=60, check=False)
    cycles = re.search(r"Total Cycles:\s+(\d+)", done.stdout)
    if done.returncode or cycles is None:
        raise TimingError(f"{program[0]} rejects the loop: {done.stderr.strip()[:300]}")
    per = int(cycles[1]) / n
    return McaResult(program[1], per, len(lines) / per)


def _for_llvm(text: str, kind: str) -> str:
    """A printed instruction as LLVM reads it: a branch goes to a label that is there."""
    if kind == "branch" and len(text.split()) > 1:
        words = text.split()
        return " ".join([*words[:-1], "loop"]) if not re.fullmatch(r"[xr]\d+|lr", words[-1]) else text
    return text
