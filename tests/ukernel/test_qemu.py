"""The same kernel files, assembled by GNU as and run by QEMU: the bytes must be those of the emulated machine.

The C side is the driver of native/tests (it calls between guard pages, with rubbish in every undefined register, and
checks the callee-saved ones); cases and results are records, described at its top.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonsim.packing.params import block_of
from neonsim.ukernel import Kernel, kernels

pytestmark = pytest.mark.nightly

NATIVE = Path(__file__).parents[2] / "native"
TOOLS = {"aarch64": ("aarch64-linux-gnu", "qemu-aarch64"), "aarch32": ("arm-linux-gnueabihf", "qemu-arm")}
# The kernels of the matrix product that the rig of conftest.py knows how to call; all others: test_families.py.
PRODUCTS = [k for k in kernels() if k.contract.name in ("qu8_gemm_q31", "qu8_gemm_xzp_q31", "qu8_sumrows")
            and str(k.tile) in ("4x8", "8x8", "4x8c2", "4x")]
# Every tail, with no whole group, one and several before it. Other kernels and depths: test_native_calls.py.
DEPTHS = (*range(1, 10), 13, 24, 39, 64, 257)


@pytest.fixture(scope="session")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The command of the driver for each instruction set that this machine can build for and run."""
    found = {}
    for isa, (triple, qemu) in TOOLS.items():
        if all(shutil.which(tool) for tool in ("cmake", f"{triple}-gcc", qemu)):
            folder = tmp_path_factory.mktemp(isa)
            toolchain = NATIVE / "cmake" / f"{triple}.cmake"
            for command in (["cmake", "-S", NATIVE, "-B", folder, f"-DCMAKE_TOOLCHAIN_FILE={toolchain}"],
                            ["cmake", "--build", folder, "--target", "neonsim_driver"]):
                subprocess.run([str(word) for word in command], check=True, capture_output=True)
            found[isa] = [qemu, "-L", f"/usr/{triple}", str(folder / "neonsim_driver"), "cases"]
    return found


def _record(rig: Any, case: Any) -> tuple[bytes, int]:
    """One case for the driver, and how many bytes of output it will give."""
    operands = rig._operands(case)
    mr, nr, k = case.sizes
    c = operands["sums" if rig.is_sum else "c"]
    w, a_sum = operands.get("w", np.zeros(0, np.uint8)), operands.get("a_sum", np.zeros(0, np.uint8))
    sizes = (mr, 1 if rig.is_sum else nr, k, case.a_stride, 4 if rig.is_sum else case.c_stride,
             operands["a"].size, w.size, c.size)
    multiplier = -case.params.w_zero_point if rig.is_sum else 0
    head = b"NSC1" + rig.kernel.name.encode().ljust(60, b"\0") + struct.pack("<8Ii", *sizes, multiplier)
    data = b"".join(x.tobytes() for x in (operands["a"], w, a_sum, c))
    return head + block_of(case.params) + data, c.size


@pytest.mark.parametrize("k", DEPTHS, ids=lambda k: f"k{k}")
@pytest.mark.parametrize("each", PRODUCTS, ids=str)
def test_qemu_and_the_emulated_machine_give_the_same_bytes(each: Kernel, k: int, rig: Any, make: Any, kinds: Any,
                                                           drivers: dict[str, list[str]]) -> None:
    if each.isa not in drivers:
        pytest.skip(f"needs cmake, {TOOLS[each.isa][0]}-gcc and {TOOLS[each.isa][1]}: run `make system-packages`")
    machine, records, ours = rig(each), [], []
    columns = each.tile.nr or 1
    for mr, nr in ((m, n) for m in range(1, each.tile.mr + 1) for n in range(1, columns + 1)):
        # Every tile size at the first depths; beyond, where only the loop count differs, each in its turn.
        if k > 9 and (mr + nr + k) % 4 and (mr, nr) != (each.tile.mr, columns):
            continue
        rng = np.random.default_rng((mr, nr, k, 9))
        cases = [make(kind, mr, nr, k, rng) for kind in kinds]
        records += [_record(machine, case) for case in cases]
        ours += [outcome.memory for outcome in machine.lockstep(cases)]
    served = subprocess.run(drivers[each.isa], input=b"".join(r for r, _ in records), capture_output=True, check=True)
    at = 0
    for (_, size), memory in zip(records, ours, strict=True):
        head, theirs = served.stdout[at:at + 16], served.stdout[at + 16:at + 16 + size]
        assert head == b"NSR1" + bytes(12)
        assert theirs == memory
        at += 16 + size
    assert at == len(served.stdout)
