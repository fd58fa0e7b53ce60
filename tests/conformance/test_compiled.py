"""Two hundred small C functions as GCC and Clang make them, -O0 to -O3: every engine against QEMU, bit by bit.

The answer is 64 bytes of memory and, where the code computes it itself, the floating-point flags. Functions of the C
library that they call come from glibc and libgcc under QEMU and are built in here.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import calls
import numpy as np
import oracle
import pytest
from calls import FOLDER, Guest, Ours
from numpy.typing import NDArray

import neonsim as ns
from neonsim.arm.machine.engines import compiled

SOURCE: Final = FOLDER / "functions.c"
NAMES: Final = re.findall(r"^FUNCTION\((\w+)\)", SOURCE.read_text(), re.MULTILINE)
OPTIONS: Final = {
    ("gcc", "aarch64"): (), ("clang", "aarch64"): (),
    ("gcc", "aarch32"): ("-mfp16-format=ieee",), ("clang", "aarch32"): ()}
NEWER: Final = {"aarch64": ("-march=armv8.2-a+fp16",), "aarch32": ("-march=armv8.2-a+fp16", "-mfpu=neon-fp-armv8")}
# What C leaves open: numbers that do not fit where they are converted to.
_IN_RANGE: Final = re.compile(r"to_(wide|words|small)_(\w+)")
# Their library counts in other flags than one instruction does, or works with integers where we have an instruction.
_LIBRARY: Final = re.compile(r"(rounded|extremes|fma|sqrt|length)_|half|(to|from)_wide|convert_u?int64|precision_|many")
REALS: Final[dict[str, Any]] = {"float": np.float32, "double": np.float64, "half": np.float16}
EIGHTH: Final = 8  # the host's C compiler takes its time: the compiled engine does one function in so many of a build
ENGINES: Final = ["interpreter", "python", *(["compiled"] if compiled.compiler() is not None else [])]


def inputs(name: str, seed: int) -> NDArray[np.uint8]:
    """64 bytes: random ones, ends of ranges, numbers of an ordinary size."""
    rng = np.random.default_rng([seed, *name.encode()])
    if fits := _IN_RANGE.fullmatch(name):
        most = {"wide": 2.0 ** 61, "words": 2.0 ** 30, "small": 100.0}[fits[1]]
        values = rng.uniform(0, 1, 32) * most ** rng.uniform(0, 1, 32)
        if fits[1] != "small":
            values[0::2] *= -1
        real = REALS[fits[2]]
        values = np.clip(values, -65000, 65000) if fits[2] == "half" else values
        return np.frombuffer(values.astype(real).tobytes()[:64], np.uint8).copy()
    kind = seed % 4
    if kind == 0:
        return rng.integers(0, 256, 64, np.uint8)
    if kind == 1:
        return rng.choice(np.array([0, 0, 1, 0x7F, 0x80, 0xFF, 0xFF], np.uint8), 64)
    numbers = next((real for word, real in REALS.items() if word in name), None)
    if kind == 2 and (numbers or "struct" in name):
        values = rng.normal(0, 8, 32).astype(numbers or np.float64)
        return np.frombuffer(values.tobytes()[:64], np.uint8).copy()
    if kind == 3 and numbers:
        ends = np.finfo(numbers)
        odd = np.array([0, -0.0, 1, -1, 0.5, 2.5, np.inf, -np.inf, np.nan, ends.max, ends.tiny,
                        ends.smallest_subnormal], numbers)
        return np.frombuffer(rng.choice(odd, 32).tobytes()[:64], np.uint8).copy()
    return np.frombuffer(rng.integers(-9, 10, 16, np.int32).tobytes(), np.uint8).copy()


def functions(program: ns.Program) -> list[str]:
    """The functions of functions.c in a program."""
    return [name for name in program.globals if name in program.symbols]


def in_lockstep(ours: Ours, name: str, data: NDArray[np.uint8]) -> bytes:
    """One tile as a grid, in lock-step."""
    memory = ours.machine.memory
    given, out = memory.place(data, name=f"g{ours._next}"), memory.place(np.zeros(64, np.uint8), name=f"o{ours._next}")
    ours._next += 1
    ours.machine.call(ours.program, given, out, entry=name, trace=False, tiles=ns.Grid(1, 1))
    ours.note_flags()
    return memory.fetch(f"o{ours._next - 1}").tobytes()


def like_qemu(compiler: str, isa: str, level: str, folder: Path, *options: str, seeds: range = range(8)) -> None:
    """All functions of a build, on every engine."""
    built = calls.build(SOURCE, compiler, isa, level, folder, *OPTIONS[compiler, isa], *options)
    program = ns.load_object(built.path)
    assert not program.undefined
    names = functions(program)
    assert len(names) >= 200
    ways: dict[str, Ours] = {engine: Ours(program) for engine in ("checked", *ENGINES, "lock-step")}
    wrong: list[str] = []
    with Guest(built, names, folder) as guest:
        for seed in seeds:
            for number, name in enumerate(names):
                data = inputs(name, seed)
                _, (_, expected) = guest.call(name, data, np.zeros(64, np.uint8))
                for way, ours in ways.items():
                    if way == "compiled" and (number + len(isa + compiler) + int(level[2])) % EIGHTH:
                        continue
                    try:
                        if way == "lock-step":
                            found = in_lockstep(ours, name, data)
                        else:
                            asked: dict[str, Any] = {} if way == "checked" else {"engine": way}
                            if way == "interpreter":
                                asked["sanitize"] = False
                            found = ours.call(name, data, np.zeros(64, np.uint8), **asked)[1][1]
                    except ns.NeonsimError as problem:
                        wrong.append(f"{name} seed {seed} {way}: {str(problem)[:300]}")
                        continue
                    if found != expected:
                        wrong.append(f"{name} seed {seed} {way}: {found.hex()} not {expected.hex()}")
                    if ours.fpsr != guest.fpsr and not _LIBRARY.search(name):
                        wrong.append(f"{name} seed {seed} {way}: FPSR {ours.fpsr:#x} not {guest.fpsr:#x}")
    assert not wrong, f"{len(wrong)} answers differ:\n" + "\n".join(wrong[:40])


def test_every_function_is_there() -> None:
    """The file has the functions it says, and each is called."""
    text = SOURCE.read_text()
    made = sum(len(re.findall(r"FUNCTION\(\w+##", body)) * len(re.findall(rf"^{family}\(", text, re.MULTILINE))
               for family, body in re.findall(r"#define (\w+)\(.*?\)((?:.*\\\n)+.*)", text))
    assert made + len(NAMES) >= 200


@pytest.mark.nightly
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
@pytest.mark.parametrize("compiler", calls.COMPILERS)
def test_like_qemu(compiler: str, isa: str, level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if reason := calls.missing(compiler, isa) or oracle.missing(isa):
        pytest.skip(reason)
    monkeypatch.setattr(compiled, "_options", lambda *_: ["-O0", "-fPIC", "-shared", "-fno-strict-aliasing", "-w"])
    like_qemu(compiler, isa, level, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("first", [0, 8, 16])
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
@pytest.mark.parametrize("compiler", calls.COMPILERS)
def test_for_newer_processors(compiler: str, isa: str, first: int, tmp_path: Path,
                              monkeypatch: pytest.MonkeyPatch) -> None:
    """Half precision in instructions, and what else Armv8.2-A has."""
    if reason := calls.missing(compiler, isa) or oracle.missing(isa):
        pytest.skip(reason)
    monkeypatch.setattr(compiled, "_options", lambda *_: ["-O0", "-fPIC", "-shared", "-fno-strict-aliasing", "-w"])
    like_qemu(compiler, isa, f"-O{first // 8 + 1}", tmp_path, *NEWER[isa], seeds=range(first, first + 8))
