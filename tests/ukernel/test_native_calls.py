"""The same cases away from the emulated machine: portable C here, and the kernel files under GNU as and QEMU.

native/tests/driver.c, command `calls`, runs records of any contract between guard pages, with rubbish in every
undefined register; what it leaves in memory must be what the definition says.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.nn.backends.native import backend
from neonsim.quant.params.float32 import FloatParams
from neonsim.ukernel import At, Case, Tile, cases, contract_named, contracts, kernels, run_alone
from neonsim.ukernel.case import build as build_case
from neonsim.ukernel.cases import deep, stream
from neonsim.verify.checking.kernel_lint import NO_INTRINSICS
from tests.tiers import first_of_each

from .test_sweep import PRODUCTS

NATIVE = Path(__file__).parents[2] / "native"
TOOLS = {"aarch64": ("aarch64-linux-gnu", "qemu-aarch64"), "aarch32": ("arm-linux-gnueabihf", "qemu-arm")}
ROLES = {"in": 2, "out": 3, "scratch": 9, "table": 4, "block": 0}
HOST = backend.available()


def record(name: str, case: Case, pointer: int) -> bytes:
    """One call for the driver (its top says how)."""
    names = list(case.memory)
    parts = [b"NSC2", name.encode().ljust(80, b"\0"), struct.pack("<II", len(case.values), len(names))]
    for argument in case.contract.arguments:
        value = case.values[argument.name]
        if isinstance(value, At):
            parts.append(struct.pack("<IIQ", 1, names.index(value.region), value.offset))
        else:
            number = value * pointer if argument.kind == "pointers" else value
            parts.append(struct.pack("<IIQ", 2 if argument.kind == "int32" else 0, 0, number & (1 << 64) - 1))
    for key in names:
        region = case.memory[key]
        parts.append(struct.pack("<III", region.data.size, ROLES[region.role], len(region.pointers)))
        if region.role == "table":
            parts += [struct.pack("<II", names.index(at.region), at.offset) for at in region.pointers]
        else:
            parts.append(region.data.tobytes())
    return b"".join(parts)


def check(command: Sequence[str], records: list[tuple[str, Case]], pointer: int) -> None:
    """Run calls and compare every byte with the definition."""
    served = subprocess.run([*command, "calls"], input=b"".join(record(n, c, pointer) for n, c in records),
                            capture_output=True, check=False)
    assert served.returncode == 0, served.stderr.decode()[-2000:]
    at = 0
    for name, case in records:
        head = served.stdout[at:at + 16]
        assert head == b"NSR2" + bytes(12), f"{name}, {case.name}: status, registers, stray bytes {head[4:].hex()}"
        at += 16
        for key, region in case.memory.items():
            if region.role == "out":
                left = np.frombuffer(served.stdout, np.uint8, region.data.size, at)
                assert np.array_equal(left, case.expected[key]), f"{name}, {case.name}: {key}"
                at += region.data.size
    assert at == len(served.stdout)


def build(folder: Path, *options: str) -> Path:
    for command in (["cmake", "-S", NATIVE, "-B", folder, *options],
                    ["cmake", "--build", folder, "--target", "neonsim_driver"]):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "neonsim_driver"


def scalars() -> list[backend.NativeVariant]:
    return [] if HOST is not None else [v for v in backend.variants() if v.missing is None]


def twins() -> list[backend.NativeVariant]:
    """Everything that is written in C, whether it runs here or not."""
    return [] if HOST is not None else [v for v in backend.variants() if v.isa in ("scalar", "neon")]


def tile_of(variant: backend.NativeVariant) -> Tile:
    # A contract that says how far its weights are rotated leaves it out of the tiles.
    turned = contract_named(variant.contract).swizzle
    return Tile(variant.mr, variant.nr or None, variant.kr or 1, 1 if turned else variant.sr or 1)


def call_here(variant: backend.NativeVariant, case: Case) -> dict[str, NDArray[np.uint8]]:
    """One call of a variant of the loaded library; canaries around every region are looked at."""
    room: dict[str, NDArray[np.uint8]] = {}
    addresses: dict[str, int] = {}
    for name, region in sorted(case.memory.items(), key=lambda item: item[1].role == "table"):
        size = region.nbytes(8)
        room[name] = np.full(size + 128, 0xA5, np.uint8)
        start = -room[name].ctypes.data % 64 or 64
        data: Any = region.data
        if region.role == "table":
            data = np.array([addresses[at.region] + at.offset for at in region.pointers], np.uint64).view(np.uint8)
        room[name][start:start + size] = data
        addresses[name] = room[name].ctypes.data + start
    values = []
    for argument in case.contract.arguments:
        value = case.values[argument.name]
        if isinstance(value, At):
            values.append(addresses[value.region] + value.offset)
        else:
            values.append((value * 8 if argument.kind == "pointers" else value) & (1 << 64) - 1)
    backend.call(variant.name, np.array([values], np.uint64), 1)
    left = {}
    for name, region in case.memory.items():
        start, size = addresses[name] - room[name].ctypes.data, region.nbytes(8)
        assert (room[name][:start] == 0xA5).all() and (room[name][start + size:] == 0xA5).all(), f"beside {name}"
        left[name] = room[name][start:start + size]
    return left


def test_contracts_without_intrinsics_are_those_that_need_none() -> None:
    # That every kernel has its twins is a rule of the house (test_catalog.py).
    if HOST is not None:
        pytest.skip(f"native backend: {HOST}")
    without = {c.name for c in contracts()} - {v.contract for v in backend.variants() if v.isa == "neon"}
    assert without == set(NO_INTRINSICS), "NO_INTRINSICS of verify/checking/kernel_lint.py lists them, with the reason"
    signed = [v.name for c in ("qs8_gemm_rndnu", "qs8_dwconv_rndnu") for v in backend.variants(c) if v.isa == "neon"]
    techniques = {name.partition("__neon_")[2] for name in signed}
    assert techniques >= {"mlal_lane", "mlal_padal", "dot", "i8mm", "mul16", "mul8", "mla8"}


@pytest.mark.skipif(HOST is not None, reason=f"native backend: {HOST}")
@pytest.mark.parametrize("variant", first_of_each(lambda v: v.contract, scalars()), ids=lambda v: v.name)
def test_native_twins(variant: backend.NativeVariant) -> None:
    _right(variant, chain(islice(stream(variant.contract, tile_of(variant)), 0, 60, 4),
                          deep(variant.contract, tile_of(variant))))


@pytest.mark.nightly
@pytest.mark.skipif(HOST is not None, reason=f"native backend: {HOST}")
@pytest.mark.parametrize("variant", scalars(), ids=lambda v: v.name)
def test_native_twins_on_all_cases(variant: backend.NativeVariant) -> None:
    _right(variant, chain(stream(variant.contract, tile_of(variant)), deep(variant.contract, tile_of(variant))))


def _right(variant: backend.NativeVariant, chosen: Iterable[Case]) -> None:
    for case in chosen:
        left = call_here(variant, case)
        for key, region in case.memory.items():
            if region.role in ("out", "in", "block"):
                assert np.array_equal(left[key], case.expected[key]), f"{case.name}: {key}"


@pytest.mark.nightly
@pytest.mark.parametrize("isa", TOOLS)
def test_kernel_files_under_gnu_as_and_qemu(isa: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # QEMU has them; older ones do not tell 32-bit programs.
    monkeypatch.setenv("NEONSIM_WITH", "neonv8,dotprod,i8mm")
    triple, qemu = TOOLS[isa]
    missing = [tool for tool in ("cmake", f"{triple}-gcc", qemu) if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}: run `make system-packages`")
    driver = build(tmp_path, f"-DCMAKE_TOOLCHAIN_FILE={NATIVE / 'cmake' / f'{triple}.cmake'}")
    command, pointer = [qemu, "-L", f"/usr/{triple}", str(driver)], 8 if isa == "aarch64" else 4
    for each in kernels(isa=isa):
        if not each.is_generated:     # those are no files: tests/ukernel/kernelgen assembles their text
            # Of QNNPACK's products every tile size at every depth.
            size = "full" if each.name in {one.name for one in PRODUCTS} else "quick"
            chosen = cases(each.contract.name, each.tile, seed=3, size=size)
            check(command, [(each.name, case) for case in chosen], pointer)
    # The portable twins and those in intrinsics as well, compiled for Arm.
    for variant in twins():
        step = 3 if variant.isa == "scalar" else 1
        check(command, [(variant.name, case) for case in cases(variant.contract, tile_of(variant), seed=4)[::step]],
              pointer)


@pytest.mark.nightly
@pytest.mark.parametrize("isa", TOOLS)
def test_subnormal_numbers_under_qemu(isa: str, tmp_path: Path) -> None:
    """Zeros on AArch32, numbers on AArch64, as on the emulated machine; no case of the contracts has any."""
    triple, qemu = TOOLS[isa]
    if missing := [tool for tool in ("cmake", f"{triple}-gcc", qemu) if shutil.which(tool) is None]:
        pytest.skip(f"needs {', '.join(missing)}: run `make system-packages`")
    driver = build(tmp_path, f"-DCMAKE_TOOLCHAIN_FILE={NATIVE / 'cmake' / f'{triple}.cmake'}")
    rng = np.random.default_rng(2)
    size = np.exp2(rng.integers(-149, -120, (2, 61)).astype(np.float64))
    a, b = (size * rng.choice([-1.0, 1.0, 1.25, -1.5], (2, 61))).astype(np.float32)
    case = build_case(contract_named("f32_vadd"), "subnormal", n=61, a=a, b=b, params=FloatParams())
    for each in kernels("f32_vadd", isa):
        served = subprocess.run([qemu, "-L", f"/usr/{triple}", str(driver), "calls"], capture_output=True, check=True,
                                input=record(each.name, case, 8 if isa == "aarch64" else 4))
        theirs = served.stdout[16:16 + 4 * 61]
        assert theirs == np.asarray(run_alone(each.program(), each.name, case).memory["y"]).tobytes()
        assert (theirs == (a + b).tobytes()) == (isa == "aarch64")


@pytest.mark.nightly
@pytest.mark.parametrize("how", ["sanitizers", "valgrind"])
def test_native_sweep_under_memory_checkers(how: str, tmp_path: Path) -> None:
    if shutil.which("cmake") is None or (how == "valgrind" and shutil.which("valgrind") is None):
        pytest.skip(f"needs cmake and {how}: apt-get install valgrind")
    driver = build(tmp_path, f"-DNEONSIM_SANITIZE={'ON' if how == 'sanitizers' else 'OFF'}")
    command = [str(driver)] if how == "sanitizers" else [
        "valgrind", "-q", "--error-exitcode=9", "--undef-value-errors=yes", str(driver)]
    step = 1 if how == "sanitizers" else 7
    for variant in scalars():
        if variant.isa == "scalar":
            check(command, [(variant.name, c) for c in cases(variant.contract, tile_of(variant), seed=5)[::step]], 8)
