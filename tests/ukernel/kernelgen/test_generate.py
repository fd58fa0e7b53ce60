"""Kernels made by rule: their programs are their matrices, exactly; GNU as and QEMU agree with the definition."""

from __future__ import annotations

import shutil
import struct
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonsim.arm.asm import assemble
from neonsim.errors import KernelFileError
from neonsim.ukernel import At, Case, cases, kernel, kernels
from neonsim.ukernel.kernelgen import STANDARD, generated, is_generated
from neonsim.verify.checking import check
from tests.tiers import every

ROOT = Path(__file__).parents[3]
TOOLS = {"aarch64": ("aarch64-linux-gnu", "qemu-aarch64"), "aarch32": ("arm-linux-gnueabihf", "qemu-arm")}
# Names that are in no list: the rule makes them, the catalogue finds them.
OTHERS = ("f32_winograd_source_2x7__aarch32_neon_generated", "f32_winograd_destination_3x2__aarch64_neon_generated",
          "s16_winograd_source_4x3__aarch64_neon_generated", "s32_winograd_destination_4x3__aarch32_neon_generated",
          "qs8_winograd_source_3x2__aarch64_neon_generated", "f32_winograd_source_4x5__aarch64_neon_generated",
          "qs8_winograd_source_4x3__aarch32_neon_generated", "qu8_winograd_source_3x3__aarch64_neon_generated",
          "s32_winograd_destination_4x3__aarch64_neon_generated",
          "s32_winograd_destination_2x7__aarch32_neon_generated")


def test_the_catalog_has_them_and_any_other_by_name() -> None:
    assert set(STANDARD) <= set(kernels().names)
    for name in OTHERS:
        assert name not in kernels().names
        assert kernel(name).header.contract in name
        assert "made by rule" in kernel(name).explain()


@pytest.mark.parametrize("name", every(18, [
    *reversed(OTHERS), "f32_winograd_source_4x3__aarch32_neon_generated",
    "f32_winograd_destination_6x3__aarch64_neon_generated"]))
def test_of_any_size_they_are_their_definition(name: str) -> None:
    found = check(kernel(name), size="quick")
    assert found, str(found)


@pytest.mark.parametrize("name", STANDARD)
def test_texts_name_what_registers_hold(name: str) -> None:
    text = generated(name)
    assert assemble(text, isa=kernel(name).isa).symbols[name] == 0
    if "winograd" in name:
        program = text.partition("//! reg")[2] or text
        assert "y0 = v" in program
        assert "the steps" not in text


@pytest.mark.parametrize(("name", "words"), [
    ("f32_winograd_source_8x8__aarch32_neon_generated", "more than 16 vector registers"),
    ("f32_winograd_source_16x9__aarch64_neon_generated", "transforms 24 numbers at a time; programs take 16"),
    ("f32_winograd_middle_2x3__aarch64_neon_generated", "There is no kernel"),
    ("s16_gemm_s32_9x8__aarch64_neon_generated", "There is no kernel"),
])
def test_what_no_rule_makes(name: str, words: str) -> None:
    with pytest.raises(Exception, match=words) as found:
        kernel(name).source  # noqa: B018
    assert "\n" not in str(found.value).split("Do you mean")[0].strip()


def test_a_name_of_another_form_is_refused() -> None:
    assert not is_generated("u8_rmax_16x__aarch64_neon")
    with pytest.raises(KernelFileError, match=r"is not a generated kernel. Names look like"):
        generated("u8_rmax_16x__aarch64_neon")


@pytest.mark.parametrize("mutation", [
    pytest.param(one, marks=pytest.mark.nightly) if at else one for at, one in enumerate(
        [("fadd", "fsub"), ("x2\n", "x4\n"), ("#16", "#8"), ("v4 = ", "")])])
def test_mutations_of_a_text_are_noticed(mutation: tuple[str, str]) -> None:
    """A sum for a difference, the wrong stride, half a step; a comment is none."""
    name = "f32_winograd_source_2x3__aarch64_neon_generated"
    before, after = mutation
    text = generated(name).replace(" " * 20 + "// v0: row", "// v0: row") if before == "x2\n" else generated(name)
    wrong = text.replace("[x9], x2", "[x9], x4") if before == "x2\n" else text.replace(before, after)
    assert wrong != text
    found = check(assemble(wrong, isa="aarch64"), "f32_winograd_source", tile="2x3", size="quick")
    assert bool(found) == (before == "v4 = ")


# ---- away from the emulated machine ----------------------------------------------------------------------------------

@pytest.mark.nightly
@pytest.mark.parametrize("isa", TOOLS)
def test_qemu_agrees(isa: str, tmp_path: Path) -> None:
    """Every standard kernel and some others, assembled by GNU as, on every case of every day."""
    triple, qemu = TOOLS[isa]
    missing = [tool for tool in ("cmake", f"{triple}-gcc", qemu) if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} would make this run (make system-packages)")
    folder = tmp_path / "kernels"
    shutil.copytree(ROOT / "kernels", folder)
    (folder / "generated").mkdir()
    names = [name for name in (*STANDARD, *OTHERS) if f"__{isa}_" in name]
    for name in names:
        (folder / "generated" / f"{name}.S").write_text(generated(name), "utf-8")
    build = tmp_path / "build"
    for command in (["cmake", "-S", ROOT / "native", "-B", build, f"-DNEONSIM_KERNELS={folder}",
                     f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'native' / 'cmake' / f'{triple}.cmake'}"],
                    ["cmake", "--build", build, "--target", "neonsim_driver"]):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    records = [(name, case) for name in names for case in cases(kernel(name).contract.name, kernel(name).tile)]
    served = subprocess.run([qemu, "-L", f"/usr/{triple}", str(build / "neonsim_driver"), "calls"],
                            input=b"".join(_record(*one) for one in records), capture_output=True, check=False)
    assert served.returncode == 0, served.stderr.decode()[-2000:]
    at = 0
    for name, case in records:
        assert served.stdout[at:at + 16] == b"NSR2" + bytes(12), f"{name}, {case.name}"
        at += 16
        for key, region in case.memory.items():
            if region.role == "out":
                left = np.frombuffer(served.stdout, np.uint8, region.data.size, at)
                assert np.array_equal(left, case.expected[key]), f"{name}, {case.name}: {key}"
                at += region.data.size
    assert at == len(served.stdout)


ROLES = {"in": 2, "out": 3}


def _record(name: str, case: Case) -> bytes:
    """One call for the driver: its top says how."""
    names = list(case.memory)
    parts: list[Any] = [b"NSC2", name.encode().ljust(80, b"\0"), struct.pack("<II", len(case.values), len(names))]
    for argument in case.contract.arguments:
        value = case.values[argument.name]
        if isinstance(value, At):
            parts.append(struct.pack("<IIQ", 1, names.index(value.region), value.offset))
        else:
            parts.append(struct.pack("<IIQ", 2 if argument.kind == "int32" else 0, 0, value & (1 << 64) - 1))
    for region in case.memory.values():
        parts += [struct.pack("<III", region.data.size, ROLES[region.role], 0), region.data.tobytes()]
    return b"".join(parts)


def test_programs_are_fractions_too() -> None:
    """One fact: what a text says it does is what its matrix does."""
    from neonsim.quant.winograd import transforms
    from neonsim.quant.winograd.straightline import best_step, transform_program

    for n, k in ((2, 3), (4, 3), (6, 3), (2, 7), (3, 2)):
        a, b, _ = transforms(n, k, best_step(n, k))
        for side, matrix in (("source", b), ("destination", a)):
            x = [Fraction(7 * i + 1, 3) for i in range(n + k - 1)]
            wanted = [sum((row[column] * one for row, one in zip(matrix, x, strict=True)), Fraction(0))
                      for column in range(len(matrix[0]))]
            assert transform_program(side, n, k).run(x) == wanted
