"""C programs: compiled by GCC or Clang for one instruction set, their functions called under QEMU and in our machine.

    built = build(source, "clang", "aarch32", "-O3", folder)       an object file
    ours = Ours(ns.load_object(built.path))
    with Guest(built, ["adler32"], folder) as guest:
        assert ours.call("adler32", data, 100) == guest.call("adler32", data, 100)

An argument is a number or an array; an array goes as the address of a buffer with its contents. Answers are what came
back (as a register) and all buffers as they are then.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import oracle
from numpy.typing import NDArray

import neonsim as ns

FOLDER: Final = Path(__file__).parent / "programs"
COMPILERS: Final = ("gcc", "clang")
_ARCH: Final = {"aarch64": [], "aarch32": ["-marm", "-mfpu=neon", "-march=armv7-a"]}
_CLANG: Final = {"aarch64": "aarch64-linux-gnu", "aarch32": "arm-linux-gnueabihf"}
# Clang calls by its name in the Run-time ABI what libgcc has under GNU's only.
_LINKED: Final = {"aarch64": [], "aarch32": ["-mfp16-format=ieee", str(FOLDER / "half_helpers.c"),
                                             "-Wl,--defsym=__aeabi_d2h=__gnu_d2h_ieee"]}
Answer = tuple[int, list[bytes]]


@dataclass(frozen=True)
class Built:
    """An object file and what it was made from and for."""

    path: Path
    isa: str
    source: Path


def command(compiler: str, isa: str) -> list[str]:
    """The compiler with the options that choose the instruction set."""
    own = [oracle.PREFIX[isa] + "gcc"] if compiler == "gcc" else ["clang", f"--target={_CLANG[isa]}"]
    return [*own, *_ARCH[isa]]


def missing(compiler: str, isa: str) -> str | None:
    """What has to be installed before this compiler can work; None if nothing."""
    tools = [command(compiler, isa)[0], oracle.PREFIX[isa] + "gcc"]  # Clang takes the headers of GCC's libc
    absent = [tool for tool in tools if shutil.which(tool) is None]
    return f"{' and '.join(absent)} not installed: make system-packages" if absent else None


def build(source: Path, compiler: str, isa: str, level: str, folder: Path, *options: str) -> Built:
    path = folder / f"{source.stem}.{compiler}.{isa}{level}.o"
    subprocess.run([*command(compiler, isa), level, *options, "-c", str(source), "-o", str(path)], check=True,
                   capture_output=True)
    return Built(path, isa, source)


class Ours:
    """A program in our machine, with the sanitizer on unless an engine is asked for."""

    def __init__(self, program: ns.Program) -> None:
        self.program, self.machine = program, ns.Machine(program.isa)
        self._next = 0
        self.fpsr = 0  # what the last call has raised

    def call(self, name: str, *arguments: Any, **options: Any) -> Answer:
        memory, values, names = self.machine.memory, [], []
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                names.append(f"buffer{self._next}")
                values.append(memory.place(argument, name=names[-1]))
                self._next += 1
            else:
                values.append(argument)
        done = self.machine.call(self.program, *values, entry=name, **options)
        self.note_flags()
        return done.returned, [memory.fetch(buffer).tobytes() for buffer in names]


    def note_flags(self) -> None:
        flags = self.machine.flags
        raised = (flags.ioc, flags.dzc, flags.ofc, flags.ufc, flags.ixc, 0, 0, flags.idc)
        self.fpsr = sum(bit << at for at, bit in enumerate(raised)) | flags.qc << 27


class Guest:
    """The object linked to driver.c and run by QEMU."""

    def __init__(self, built: Built, names: list[str], folder: Path) -> None:
        self.names = names
        binary = folder / f"{built.path.stem}.guest"
        listed = "".join(f" WHAT({name})" for name in names)
        subprocess.run([*command("gcc", built.isa), "-O1", "-w", "-static", f"-DFUNCTIONS(WHAT)={listed}",
                        str(FOLDER / "driver.c"), str(built.path), "-lm", *_LINKED[built.isa], "-o", str(binary)],
                       check=True)
        self.fpsr = 0  # what the last call has raised: bits of FPSR or FPSCR
        self._process = subprocess.Popen([oracle.QEMU[built.isa], "-cpu", oracle.CPU[built.isa], str(binary)],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Guest:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()

    def call(self, name: str, *arguments: Any) -> Answer:
        assert self._process.stdin
        request = struct.pack("<II", self.names.index(name), len(arguments))
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                request += struct.pack("<I", argument.nbytes) + argument.tobytes()
            else:
                request += struct.pack("<IQ", 0, int(argument) % (1 << 64))
        self._process.stdin.write(request)
        self._process.stdin.flush()
        returned, self.fpsr = struct.unpack("<QI", self._read(12))
        return returned, [self._read(a.nbytes) for a in arguments if isinstance(a, np.ndarray)]

    def _read(self, nbytes: int) -> bytes:
        assert self._process.stdout
        data = self._process.stdout.read(nbytes)
        assert len(data) == nbytes, "the guest died"
        return data


def sizes(isa: str, *values: int) -> NDArray[Any]:
    """An array of size_t."""
    return np.array(values, np.uint64 if isa == "aarch64" else np.uint32)
