"""What is loaded of objects and archives has the file's bytes, with line numbers and without."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.asm import load_archive, load_c, load_object
from neonsim.arm.asm.c import compile
from tests.arm.asm.sections import CONSTANTS, differences

FOUND = [(isa, name) for isa in ("aarch64", "aarch32") for name in compile.compilers(isa)]
every_compiler = pytest.mark.parametrize(("isa", "compiler"), FOUND or [pytest.param("", "", marks=pytest.mark.skip(
    "no cross compiler: make system-packages"))])
HERE = Path(__file__).parent / "objects"


def compiled(isa: str, compiler: str, folder: Path, *options: str, text: str = CONSTANTS) -> Path:
    (folder / "a.c").write_text(text)
    subprocess.run([*compile.compilers(isa)[compiler], *options, "-c", "a.c", "-o", "a.o"], cwd=folder, check=True)
    return folder / "a.o"


@pytest.mark.parametrize("path", sorted(HERE.glob("*.o")), ids=lambda path: path.stem)
def test_those_that_are_kept(path: Path) -> None:
    assert not differences(load_object(path), path.read_bytes())


@every_compiler
@pytest.mark.parametrize("debug", ["-g", "-g0"])
def test_objects_and_archives(isa: str, compiler: str, debug: str, tmp_path: Path) -> None:
    path = compiled(isa, compiler, tmp_path, "-O2", debug, "-fno-pic")
    program = load_object(path)
    assert not differences(program, path.read_bytes())
    archiver = "llvm-ar" if compiler == "zig" else {"aarch64": "aarch64-linux-gnu-ar",
                                                    "aarch32": "arm-linux-gnueabihf-ar"}[isa]
    subprocess.run([archiver, "rcs", "a.a", "a.o"], cwd=tmp_path, check=True)
    assert load_archive(tmp_path / "a.a").load("a.o") == program
    machine = ns.Machine(isa)
    out, floats = (machine.memory.place(np.zeros(8, kind), name=name) for kind, name in (
        (np.uint8, "out"), (np.float32, "floats")))
    machine.call(program, out, entry="eight")
    assert machine.memory.fetch("out").tobytes() == bytes(range(0x11, 0x99, 0x11))
    machine.call(program, machine.memory.place(np.ones(8, np.float32), name="x"), floats, 8, entry="scale")
    assert list(machine.memory.fetch("floats")) == [np.float32(1) * np.float32(1.2345) + np.float32(0.1)] * 8


@every_compiler
def test_c(isa: str, compiler: str) -> None:
    program = load_c(CONSTANTS, isa, compiler=compiler)
    machine = ns.Machine(isa)
    out = machine.memory.place(np.zeros(8, np.int16), name="out")
    machine.call(program, out, entry="lanes")
    assert list(machine.memory.fetch("out")) == [1, -2, 300, -400, 5000, -6000, 32767, -32768]


def test_a_name_that_two_sections_would_share(tmp_path: Path) -> None:
    """What cannot stand in a name becomes an underscore: the two stay apart, as their bytes do."""
    text = """.global f\nf: ret
    .section ".rodata.a-b","a"\n.byte 1, 2\n.section ".rodata.a_b","a"\n.byte 3"""
    (tmp_path / "a.s").write_text(text + "\n")
    if not compile.compilers("aarch64"):
        pytest.skip("no cross compiler: make system-packages")
    command = next(iter(compile.compilers("aarch64").values()))
    subprocess.run([*command, "-c", "a.s", "-o", "a.o"], cwd=tmp_path, check=True)
    assert sorted(s.contents for s in load_object(tmp_path / "a.o").data) == [b"\1\2", b"\3"]
