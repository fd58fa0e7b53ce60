"""What a program can ask a core: MRS of what it is, judged by QEMU's cores, and DC ZVA."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.isa.operands.system_registers import IDENTITY
from neonsim.arm.timing import load_cores

READ = "f: mrs x0, {0}\nret"
ZEROS = """f:  mrs x2, DCZID_EL0
    tbnz x2, #4, 1f
    dc zva, x0
    ret
1:  movi v0.4s, #0
    stp q0, q0, [x0]
    stp q0, q0, [x0, #32]
    ret"""
REAL = [core.name for core in load_cores() if not core.teaching and "aarch64" in core.isas]


def read(name: str, identity: dict[str, int] | None = None) -> int:
    return ns.Machine(identity=identity).call(ns.assemble(READ.format(name), isa="aarch64")).returned


@pytest.mark.parametrize("name", IDENTITY)
def test_without_a_core(name: str) -> None:
    assert read(name.upper()) == IDENTITY[name]


@pytest.mark.parametrize("core", REAL)
def test_of_a_core(core: str) -> None:
    known = ns.identity(core)
    assert {"midr_el1", "ctr_el0", "dczid_el0", "id_aa64isar0_el1"} <= known.keys()
    assert {name: read(name, known) for name in known} == known
    assert len({ns.identity(other)["midr_el1"] for other in REAL}) == len(REAL)


def test_a_core_without_aarch64_has_none_of_its_registers() -> None:
    assert ns.identity("cortex-a9") == ns.identity("cortex-a7") == {}


@pytest.mark.parametrize("engine", [True, False])
def test_zeros_by_either_way(engine: bool) -> None:
    program = ns.assemble(ZEROS, isa="aarch64")
    for core, way in ((None, "stp"), ("cortex-a53", "dc zva")):
        machine = ns.Machine(identity=None if core is None else ns.identity(core))
        at = machine.memory.place(np.full(192, 7, np.uint8), name="a")
        trace = machine.call(program, at + 64, trace=True).trace
        assert trace is not None and way in trace.to_text()
        machine.call(program, at + 64, trace=not engine, sanitize=not engine)
        left = machine.memory.fetch("a", dtype="uint8")
        assert not left[64:128].any() and (left[:64] == 7).all() and (left[128:] == 7).all()


def test_a_block_begins_at_a_multiple_and_is_checked_whole() -> None:
    program = ns.assemble("f: dc zva, x0\nret", isa="aarch64")
    machine = ns.Machine()
    at = machine.memory.place(np.full(128, 7, np.uint8), name="a")
    machine.call(program, at + 100)
    assert (machine.memory.fetch("a", dtype="uint8") == 0).tolist() == [False] * 64 + [True] * 64
    with pytest.raises(ns.MemoryFault, match="a"):
        machine.call(program, at + 128)


def test_a_wait_for_the_clock_is_no_hang() -> None:
    text = "f: mrs x1, cntvct_el0\n1: mrs x2, cntvct_el0\nsub x2, x2, x1\ncmp x2, #100\nb.lo 1b\nret"
    with pytest.raises(ns.StepLimit):
        ns.Machine().call(ns.assemble(text, isa="aarch64"), max_steps=100_000)


def test_refused() -> None:
    with pytest.raises(ns.BadArgument, match="does not identify the core; use midr_el1"):
        ns.Machine(identity={"mdir_el1": 1})
    with pytest.raises(ns.BadArgument, match="tpidr_el0"):
        ns.Machine(identity={"tpidr_el0": -1})
    with pytest.raises(ns.TimingError, match="cortex-a54"):
        ns.identity("cortex-a54")


@pytest.mark.nightly
def test_qemu_says_the_same_of_its_cores(tmp_path: Path) -> None:
    compiler, qemu = "aarch64-linux-gnu-gcc", "qemu-aarch64"
    for tool in (compiler, qemu):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed: make system-packages")
    names = ("midr_el1", "ctr_el0", "dczid_el0", "id_aa64isar0_el1", "id_aa64isar1_el1", "id_aa64pfr0_el1")
    reads = "".join(f'{{unsigned long v; __asm__("mrs %0, {name}" : "=r"(v)); printf("%lu\\n", v);}}' for name in names)
    (tmp_path / "f.c").write_text("#include <stdio.h>\nint main(void) {" + reads + "}")
    subprocess.run([compiler, "-static", str(tmp_path / "f.c"), "-o", str(tmp_path / "f")], check=True)
    listed = subprocess.run([qemu, "-cpu", "help"], capture_output=True, text=True, check=False).stdout.split()
    cores = [core for core in REAL if core in listed]
    assert len(cores) >= 4
    for core in cores:
        done = subprocess.run([qemu, "-cpu", core, str(tmp_path / "f")], capture_output=True, text=True, check=True)
        known = ns.identity(core)
        assert [known[name] for name in names] == [int(word) for word in done.stdout.split()], core
