"""Programs translated to JavaScript, run where JavaScript runs: in Node, or in a tab of Chromium.

    runs = [Start(translated, registers, regions, pc)]        what each begins with
    found = in_node(text(runs, functions), folder)            what each leaves: Left
    found = beside_python(text(runs, functions), folder, functions)   the same, with floating point to the bit
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neonsim.arm.asm import Program
from neonsim.arm.machine.arch.abi import RETURN
from neonsim.arm.machine.arch.registers import Slots, slot_bytes
from neonsim.arm.machine.translate.to_javascript import CELL, JavaScriptFunctions, JavaScriptProgram
from neonsim.render.play import soft_words
from neonsim.render.stepper.bundle import join_modules

LIMIT = 100_000
DRIVER = """
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const text = (data) => btoa(Array.from(data, (b) => String.fromCharCode(b)).join(""));
const runAll = (soft) => JSON.stringify(starts.map((one) => {
  const memory = new Uint8Array(one.room);
  for (const [at, data] of one.data) memory.set(bytes(data), at);
  const engine = new Engine(generated, one.program, one.regions, memory, soft);
  engine.file.set(bytes(one.registers));
  const done = engine.run(one.limit);
  const kept = one.data.map(([at, data]) => text(memory.subarray(at, at + bytes(data).length)));
  return { ...done, pc: engine.pc, registers: text(engine.file.subarray(0, one.size)), kept };
}));
"""

# Each word goes to Python over the standard output, and its value comes back over the standard input.
ASKER = """
import { readSync, writeSync } from "node:fs";
const line = new Uint8Array(256);
const soft = (...asked) => {
  writeSync(1, asked.join(" ") + "\\n");
  const found = BigInt(Buffer.from(line.subarray(0, readSync(0, line))).toString().trim());
  return [BigInt.asUintN(64, found), Number(found >> 64n)];
};
writeSync(1, "= " + runAll(soft) + "\\n");
"""


@dataclass(frozen=True)
class Region:
    """A buffer: what it holds at an offset of it, the rest is zero; ``before`` and ``after`` may be read too."""

    name: str
    address: int
    nbytes: int
    data: bytes = b""
    offset: int = 0
    before: int = 0
    after: int = 0
    readonly: bool = False


@dataclass(frozen=True)
class Start:
    """A program and what it begins with; ``registers`` as `file_of` gives them."""

    program: Program
    made: JavaScriptProgram
    registers: bytes
    regions: Sequence[Region]
    limit: int = LIMIT
    pc: int = 0

    def to_dict(self) -> dict[str, Any]:
        regions, data, at = [], [], 0
        for one in sorted(self.regions, key=lambda r: r.address):
            low, high = one.address - one.before, one.address + one.nbytes + one.after
            regions.append({"name": one.name, "low": low, "high": high, "first": one.address,
                            "end": one.address + one.nbytes, "at": at, "readonly": one.readonly})
            if one.data:
                data.append([at + one.before + one.offset, base64.b64encode(one.data).decode()])
            at += high - low
        program = {"steps": [s and s.to_list() for s in self.made.steps], "known": [],
                   "refused": self.made.refused, "back": RETURN, "loaded": self.made.loaded,
                   "code": [self.program.address(i) for i in range(len(self.program.instructions))],
                   "stored": self.made.stored}
        return {"program": program, "regions": regions, "data": data, "room": at, "limit": self.limit,
                "registers": base64.b64encode(self.registers).decode(), "size": len(self.registers)}


@dataclass(frozen=True)
class Left:
    """What a run leaves; ``kept``: of each region that held data, what it holds there now."""

    steps: int
    returned: bool
    problem: str
    pc: int
    registers: bytes
    kept: list[bytes]


def file_of(values: Sequence[Any]) -> bytes:
    """The registers of a state, one cell after the other."""
    return b"".join(slot_bytes(value).ljust(CELL, b"\0") for value in values)


def different(slots: Slots, expected: bytes, found: bytes) -> list[str]:
    """Names of registers that are not the same."""
    return [name for at, name in enumerate(slots.names) if expected[CELL * at:CELL * at + CELL]
            != found[CELL * at:CELL * at + CELL]]


def text(starts: Sequence[Start], functions: JavaScriptFunctions) -> str:
    """A script that defines runAll()."""
    listed = json.dumps([one.to_dict() for one in starts])
    return f"{join_modules('engine.js')}\nconst generated = {functions.text()};\nconst starts = {listed};\n{DRIVER}"


def node() -> str | None:
    return shutil.which("node")


def in_node(script: str, folder: Path) -> list[Left]:
    """Run it in Node."""
    file = folder / "programs.mjs"
    file.write_text(script + "process.stdout.write(runAll());\n")
    found = node()
    assert found is not None
    done = subprocess.run([found, str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return left(done.stdout)


def beside_python(script: str, folder: Path, functions: JavaScriptFunctions) -> list[Left]:
    """Run it in Node, with words of floating point computed here by their definitions."""
    file = folder / "programs.mjs"
    file.write_text(script + ASKER)
    found = node()
    assert found is not None
    compute = soft_words(json.dumps([[one.name, one.format, one.detail] for one in functions.words or ()]))
    with subprocess.Popen([found, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin is not None and running.stdout is not None
        for asked in running.stdout:
            if asked.startswith("= "):
                return left(asked[2:])
            running.stdin.write(f"{compute(*map(int, asked.split()))}\n")
            running.stdin.flush()
    raise AssertionError(f"Node ended with {running.returncode}")


def in_tab(script: str, page: Any) -> list[Left]:
    """Run it in a page of Chromium."""
    return left(page.evaluate(f"(() => {{\n{script}\nreturn runAll();\n}})()"))


def left(answer: str) -> list[Left]:
    return [Left(one["steps"], one["returned"], one["problem"], one["pc"], base64.b64decode(one["registers"]),
                 [base64.b64decode(kept) for kept in one["kept"]]) for one in json.loads(answer)]
