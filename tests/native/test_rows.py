"""The table of variants is written from the kernels: a new file of kernels/ needs no other change."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from neonsim.nn.backends.native import backend
from neonsim.ukernel import contract_named, contracts, kernel, kernels
from neonsim.ukernel.kernelgen import contracts_c
from neonsim.ukernel.kernelgen.contracts_c import written

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "native" / "cmake" / "variants.cmake"
OLD = "qu8_vadd_32x__aarch64_neon"
NEW = "qu8_vadd_32x__aarch64_neon_dup"

pytestmark = pytest.mark.skipif(shutil.which("cmake") is None, reason="needs cmake: run `make`")


def tree(folder: Path) -> Path:
    """A copy of what the library is built from."""
    for part in ("native", "kernels"):
        shutil.copytree(ROOT / part, folder / part)
    return folder


def add_kernel(root: Path) -> Path:
    """One kernel more: a copy of another under the name of a new technique."""
    path = kernel(OLD).path
    new = root / "kernels" / path.parent.name / f"{NEW}.S"
    new.write_text(path.read_text().replace(OLD, NEW))
    return new


def write(root: Path, output: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["cmake", f"-DKERNELS={root / 'kernels'}", f"-DCONTRACTS={root / 'native/src/contracts'}", f"-DOUTPUT={output}",
         "-P", str(SCRIPT)], capture_output=True, text=True, check=False)


def rows(root: Path, output: Path) -> dict[str, list[str]]:
    """Kernel -> the other fields of its row."""
    done = write(root, output)
    assert done.returncode == 0, done.stderr
    found = [line.split("(")[1].rstrip(")").split(", ") for line in output.read_text().splitlines()[1:]]
    assert len({row[-1] for row in found}) == len(found), "a kernel has two rows"
    return {row[-1]: row[:-1] for row in found}


def test_every_kernel_has_the_row_that_its_header_says(tmp_path: Path) -> None:
    found = rows(ROOT, tmp_path / "rows.h")
    files = [k for k in kernels() if not k.is_generated]
    assert {name for name, row in found.items() if row[3].startswith("aarch")} == {k.name for k in files}
    for each in files:
        constant, contract, _, isa, mr, nr, kr, sr, before, origin, feature = found[each.name]
        assert (constant.lower(), contract, isa, origin) == (contract, each.contract.name, each.isa, each.isa.upper())
        assert (int(mr), int(nr)) == (each.tile.mr, each.tile.nr or 0)
        assert (int(before), feature) == (each.header.reads_before, each.feature)
        # Where nothing is packed in groups there is no group.
        assert (int(kr), int(sr)) in ((0, 0), (each.tile.kr, each.contract.swizzle or each.tile.sr))


def test_headers_are_those_of_the_contracts() -> None:
    for path, text in written(ROOT).items():
        assert (ROOT / path).read_text() == text, f"{path} is older than neonsim/ukernel/contracts: run `make headers`"


def test_every_contract_has_its_line_in_the_order_of_the_enumeration() -> None:
    header = (ROOT / "native" / "include" / "neonsim.h").read_text()
    constants = re.findall(r"\bNEONSIM_(\w+)", header.partition("enum neonsim_contract {")[2].partition("}")[0])
    listed = re.findall(r"^  X\((\w+), (\w+),", (ROOT / "native/src/contracts/contracts.h").read_text(), re.M)
    assert [constant for constant, _ in listed] == constants[:-1]
    assert {name for _, name in listed} == {contract.name for contract in contracts()}


def test_a_contract_that_is_new_comes_last_and_no_number_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    new = dataclasses.replace(contract_named("qs8_vadd"), name="qs8_vaaa")
    monkeypatch.setattr(contracts_c, "contracts", lambda: (new, *contracts()))
    text = written(ROOT)["native/include/neonsim.h"]
    old = (ROOT / "native" / "include" / "neonsim.h").read_text()
    assert text == old.replace("  NEONSIM_CONTRACTS\n", "  NEONSIM_QS8_VAAA,\n  NEONSIM_CONTRACTS\n")
    lines = written(ROOT)["native/src/contracts/contracts.h"]
    assert "  X(QS8_VAAA, qs8_vaaa, binary, 0, 0)\n\n" in lines and "  OVER(QS8_VAAA, 3, 2, 1, n)\n" in lines


@pytest.mark.skipif(backend.available() is not None, reason=f"native backend: {backend.available()}")
def test_the_library_lists_what_the_rows_say(tmp_path: Path) -> None:
    assert [v.name for v in backend.variants()] == list(rows(ROOT, tmp_path / "rows.h"))


@pytest.mark.slow
def test_a_new_kernel_has_a_row_and_nothing_else_moves(tmp_path: Path) -> None:
    before, root = rows(ROOT, tmp_path / "before.h"), tree(tmp_path)
    add_kernel(root)
    after = rows(root, tmp_path / "after.h")
    assert after == before | {NEW: before[OLD]}
    # Written again with the same rows the file stays, so that nothing is compiled for it.
    stamp = (tmp_path / "after.h").stat().st_mtime_ns
    assert write(root, tmp_path / "after.h").returncode == 0
    assert (tmp_path / "after.h").stat().st_mtime_ns == stamp


@pytest.mark.nightly
@pytest.mark.parametrize(("old", "new", "says"), [
    ("contract: qu8_vadd", "contract: qu8_vsum", "the header says qu8_vsum"),
    ("tile: 32x", "tile: 16x", "the file name says otherwise"),
    ("feature: neon", "feature: sse2", "feature is one of i8mm, dotprod, neonv8, neon, not sse2"),
    ("reads-before: 7", "reads-before: few", "reads-before is a number of bytes"),
    ("//! isa: aarch64\n", "", "the header has no line `//! isa: ...`"),
    (None, None, "there is no contract qx8_vadd"),
])
def test_a_wrong_header_stops_the_build_in_words(tmp_path: Path, old: str | None, new: str, says: str) -> None:
    root = tree(tmp_path)
    path = add_kernel(root)
    text = path.read_text()
    if old is None:
        path.unlink()
        path = path.with_name(path.name.replace("qu8", "qx8"))
        text, old, new = text.replace(NEW, path.stem), "contract: qu8_vadd", "contract: qx8_vadd"
    assert old in text
    path.write_text(text.replace(old, new))
    done = write(root, tmp_path / "rows.h")
    assert done.returncode != 0
    told = " ".join(done.stderr.split())
    assert says in told and path.name in told


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("aarch64-linux-gnu-gcc") is None or shutil.which("qemu-aarch64") is None,
                    reason="needs the cross compiler and QEMU: run `make system-packages`")
def test_a_new_kernel_is_one_file_and_runs_in_the_library(tmp_path: Path) -> None:
    root, build = tree(tmp_path), tmp_path / "build"
    add_kernel(root)
    for command in (["cmake", "-S", str(root / "native"), "-B", str(build), "-DNEONSIM_WERROR=ON",
                     f"-DCMAKE_TOOLCHAIN_FILE={root}/native/cmake/aarch64-linux-gnu.cmake"],
                    ["cmake", "--build", str(build), "--target", "neonsim_driver", "--parallel", "2"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    listed = subprocess.run(["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", str(build / "neonsim_driver"), "variants"],
                            capture_output=True, text=True, check=True).stdout.splitlines()
    assert f"{NEW}: available" in listed and f"{OLD}: available" in listed
    # A header that changes is read again by the build alone.
    path = next((root / "kernels").rglob(f"{NEW}.S"))
    path.write_text(path.read_text().replace("//! reads-before: 7", "//! reads-before: 9"))
    subprocess.run(["cmake", "--build", str(build), "--target", "neonsim_objects"], check=True, capture_output=True)
    assert re.search(rf", 9, AARCH64, neon, {NEW}\)", (build / "generated" / "variant_rows.h").read_text())
