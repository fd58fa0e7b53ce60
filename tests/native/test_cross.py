"""The library built for Arm by real compilers and assemblers, run under QEMU; and for the host with sanitizers.

The driver (native/tests/driver.c) calls kernels between guard pages with rubbish in every undefined register.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonsim.nn.graph import model, random_input
from neonsim.nn.graph.memory.planner import place
from neonsim.nn.graph.serialize import serialize, tensor_in
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.quant.reference.matmul import accumulate
from neonsim.ukernel.packing import PackedWeights, pack_gemm, pack_gemm_xzp
from neonsim.ukernel.packing.param_blocks import block_of

pytestmark = pytest.mark.nightly

NATIVE = Path(__file__).parents[2] / "native"
SEEDS = range(1, 21)


@dataclass(frozen=True)
class Target:
    name: str
    compiler: str
    qemu: str
    assembly: tuple[str, ...]

    def missing(self) -> str | None:
        absent = [tool for tool in ("cmake", self.compiler, self.qemu) if shutil.which(tool) is None]
        return f"needs {' and '.join(absent)}: run `make system-packages`" if absent else None

    def command(self, driver: Path, *arguments: str) -> list[str]:
        return [self.qemu, "-L", f"/usr/{self.name}", str(driver), *arguments]


TARGETS = {
    "aarch64": Target("aarch64-linux-gnu", "aarch64-linux-gnu-gcc", "qemu-aarch64",
                      ("qu8_gemm_q31_8x8__aarch64_neon_mlal_lane",)),
    "aarch32": Target("arm-linux-gnueabihf", "arm-linux-gnueabihf-gcc", "qemu-arm",
                      ("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal",
                       "qu8_sumrows_4x__aarch32_neon")),
}
INTRINSICS = ("qu8_gemm_q31_4x8__neon_mlal_lane", "qu8_gemm_q31_8x8__neon_mlal_lane",
              "qu8_gemm_xzp_q31_4x8c2__neon_mull_padal", "qu8_sumrows_4x__neon")


def build(folder: Path, *options: str, source: Path = NATIVE) -> Path:
    """Configure and build; a warning is an error. Returns the driver."""
    for command in (["cmake", "-S", str(source), "-B", str(folder), "-DNEONSIM_WERROR=ON", *options],
                    ["cmake", "--build", str(folder)]):
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
    return folder / "neonsim_driver"


@pytest.fixture(scope="module", params=TARGETS)
def arm(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Target, Path]:
    target = TARGETS[request.param]
    if target.missing():
        pytest.skip(str(target.missing()))
    toolchain = NATIVE / "cmake" / f"{target.name}.cmake"
    return target, build(tmp_path_factory.mktemp(target.name), f"-DCMAKE_TOOLCHAIN_FILE={toolchain}")


# QEMU's 32-bit processor has these, but not the bits by which a library sees them.
ALL = {"NEONSIM_WITH": "dotprod,i8mm"}


def run(command: list[str], **environment: str) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_intrinsics_and_assembly_are_all_there(arm: tuple[Target, Path]) -> None:
    target, driver = arm
    lines = dict(line.split(": ", 1) for line in run(target.command(driver, "variants")).splitlines())
    assert [name for name in (*INTRINSICS, *target.assembly) if lines[name] != "available"] == []


def test_arguments(arm: tuple[Target, Path]) -> None:
    target, driver = arm
    assert "0 failures" in run(target.command(driver, "arguments"))


def test_hostile_calls(arm: tuple[Target, Path]) -> None:
    target, driver = arm
    assert "fuzz: 0 failures" in run(target.command(driver, "fuzz", "1", "5000"), **ALL)


FAMILIES = ("i8mm", "neondot", "neon", "assembly", "scalar")


def test_networks(arm: tuple[Target, Path]) -> None:
    """Random layers and a small network: every family, the files of kernels/ too, gives the portable one's bytes."""
    target, driver = arm
    assert run(target.command(driver, "networks"), **ALL) == f"networks: 0 differences by {' '.join(FAMILIES)}\n"


@pytest.mark.parametrize(("name", "options"), [
    ("mobilenet_v2", {"width": 0.35, "quantization": "qu8"}), ("mobilenet_v2", {"width": 0.35, "quantization": "qc8w"}),
    ("shufflenet_v1", {})])
def test_whole_networks(arm: tuple[Target, Path], name: str, options: dict[str, Any]) -> None:
    """Real networks at 64x64, every tensor of every family: the reference's bytes."""
    target, driver = arm
    graph = model(name, size=64, **options)
    arena, x = place(graph, keep=True), random_input(graph)
    reference = graph.plan("reference")
    reference.run(x)
    text = serialize(graph, arena, x)
    for family in FAMILIES:
        served = subprocess.run(target.command(driver, "network", family, "2"), input=text, stdout=subprocess.PIPE,
                                check=True, env={**os.environ, **ALL})
        memory = np.frombuffer(served.stdout, np.uint8)
        for node in graph.nodes:
            wanted = reference.tensor(node.name).values
            found = tensor_in(memory, graph, arena, node.name)
            assert np.array_equal(found, wanted.view(np.uint8)), (family, node.name)


@pytest.mark.parametrize("seed", SEEDS)
def test_sweep(arm: tuple[Target, Path], seed: int) -> None:
    """C, intrinsics and assembly against the definition: all mr, nr and 42 depths, two poisons, guard pages."""
    target, driver = arm
    text = run(target.command(driver, "sweep", str(seed)))
    for name in (*INTRINSICS, *target.assembly):
        assert f"passed {name}: " in text


# ---- the same cases from Python: what a test of the emulator can do too ----------------------------------------------

def record(name: str, a: np.ndarray, w: PackedWeights | None, p: Q31Params, c: np.ndarray, a_sum: np.ndarray | None,
           multiplier: int = 0) -> bytes:
    """One case as native/tests/driver.c describes it; a [mr, kc], c [mr, nr] or int32 [m]."""
    rows, depth = a.shape
    packed = b"" if w is None else w.data.tobytes()
    columns, c_stride = (1, 4) if c.ndim == 1 else (c.shape[1], c.shape[1])
    sizes = (rows, columns, depth, depth, c_stride, a.size, len(packed), c.nbytes)
    header = b"NSC1" + name.encode().ljust(60, b"\0") + struct.pack("<8Ii", *sizes, multiplier) + block_of(p)
    return header + a.tobytes() + packed + (b"" if a_sum is None else a_sum.tobytes()) + c.tobytes()


def test_cases_from_python(arm: tuple[Target, Path]) -> None:
    target, driver = arm
    rng = np.random.default_rng(5)
    cases, expected = [], []
    for name in (*INTRINSICS, *target.assembly):
        mr = 8 if "_8x8_" in name else 4
        for k in (1, 7, 8, 9, 40, 513):
            p = Q31Params.from_scale(0.3 / k, a_zero_point=int(rng.integers(256)), w_zero_point=int(rng.integers(256)),
                                     output_zero_point=128)
            a, w = rng.integers(0, 256, (mr, k), dtype=np.uint8), rng.integers(0, 256, (7, k), dtype=np.uint8)
            bias = rng.integers(-9999, 9999, 7, dtype=np.int32)
            sums = (-p.w_zero_point * a.astype(np.int64).sum(axis=1)).astype(np.int32)
            if "sumrows" in name:
                cases.append(record(name, a, None, p, np.zeros(mr, np.int32), None, -p.w_zero_point))
                expected.append(sums.tobytes())
                continue
            xzp = "_xzp_" in name
            pack = pack_gemm_xzp if xzp else pack_gemm
            packed = pack(w, bias, nr=8, a_zero_point=p.a_zero_point, w_zero_point=p.w_zero_point)
            cases.append(record(name, a, packed, p, np.zeros((mr, 7), np.uint8), sums if xzp else None))
            expected.append(p.requantize(accumulate(a, w.T, bias, p.a_zero_point, p.w_zero_point)).tobytes())
    served = subprocess.run(target.command(driver, "cases"), input=b"".join(cases), stdout=subprocess.PIPE, check=True)
    wanted = b"".join(b"NSR1" + struct.pack("<3I", 0, 0, 0) + result for result in expected)
    assert served.stdout == wanted


# ---- the driver itself must notice -----------------------------------------------------------------------------------

# name: (text of a line of the AArch64 kernel, what is written in its place, what the driver says)
PLANTED = {
    "x19_clobbered": ("    ret", "    mvn x19, x19\n    ret", "a callee-saved register"),
    "d8_clobbered": ("    ret", "    fmov d8, xzr\n    ret", "a callee-saved register"),
    "reads_behind_a": ("KERNEL:", "KERNEL:\n    sub x9, x0, #1\n    madd x9, x9, x4, x3\n    ldrb w9, [x9, x2]",
                       "signal 11"),
    "reads_too_far_before_a": ("KERNEL:", "KERNEL:\n    ldrb w9, [x3, #-8]", "signal 11"),
    "writes_behind_c": ("KERNEL:", "KERNEL:\n    strb wzr, [x6, #64]", "outside the output"),
    "writes_between_rows": ("KERNEL:", "KERNEL:\n    sub x9, x7, #1\n    strb wzr, [x6, x9]", "changed"),
    "clamp_dropped": ("    umax        v16.16b, v16.16b, v2.16b", "    nop", "a wrong result"),
    "other_register_used": ("    umax        v16.16b, v16.16b, v2.16b", "    orr v16.16b, v16.16b, v30.16b",
                            "a wrong result"),
    "none": ("    ret", "    ret", None),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_the_driver_notices(bug: str, tmp_path: Path) -> None:
    target = TARGETS["aarch64"]
    if target.missing():
        pytest.skip(str(target.missing()))
    (name,) = target.assembly
    shutil.copytree(NATIVE, tmp_path / "native")
    shutil.copytree(NATIVE.parent / "kernels", tmp_path / "kernels")
    kernel = tmp_path / "kernels" / "gemm" / f"{name}.S"
    line, planted, message = (text and text.replace("KERNEL", name) for text in PLANTED[bug])
    before = kernel.read_text()
    assert before.count(f"\n{line}") == 1
    kernel.write_text(before.replace(f"\n{line}", f"\n{planted}"))
    toolchain = tmp_path / "native" / "cmake" / f"{target.name}.cmake"
    driver = build(tmp_path / "build", f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", source=tmp_path / "native")
    result = subprocess.run(target.command(driver, "sweep", "1", name), capture_output=True, text=True, check=False)
    if message is None:
        assert result.returncode == 0, result.stderr
    else:
        assert result.returncode != 0
        assert message in result.stderr


# ---- this host -------------------------------------------------------------------------------------------------------

@pytest.mark.skipif(shutil.which("cmake") is None, reason="needs cmake: `make test` puts it into .venv/bin")
@pytest.mark.parametrize(
    "option", ["-DNEONSIM_SANITIZE=ON", "-DNEONSIM_SANITIZE_THREADS=ON", "-DCMAKE_BUILD_TYPE=Debug"],
    ids=["sanitizers", "threads", "debug"])
def test_ctest_without_python(option: str, tmp_path: Path) -> None:
    driver = build(tmp_path, option)
    command = ["ctest", "--test-dir", str(tmp_path), "--output-on-failure"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "100% tests passed" in result.stdout, result.stdout + result.stderr
    if option == "-DNEONSIM_SANITIZE=ON":
        assert "fuzz: 0 failures" in run([str(driver), "fuzz", "100000", "100000"])


@pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm of binutils")
def test_only_the_public_names_are_exported(tmp_path: Path) -> None:
    build(tmp_path)
    symbols = run(["nm", "-D", "--defined-only", str(tmp_path / "libneonsim.so")])
    exported = {line.split()[-1] for line in symbols.splitlines()}
    headers = "".join(path.read_text() for path in sorted((NATIVE / "include").glob("*.h")))
    assert exported
    assert {name for name in exported if f"{name}(" not in headers} == set()
