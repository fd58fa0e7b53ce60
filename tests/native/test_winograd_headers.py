"""Headers of Winograd's transforms: the build writes them with Python alone; an sdist carries them and needs none."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from neonsim.ukernel.kernelgen.winograd_c import HEADERS

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "native" / "cmake" / "winograd.py"
CMAKE = shutil.which("cmake")


def test_python_alone_writes_them_and_leaves_alone_what_is_right(tmp_path: Path) -> None:
    alone = [sys.executable, "-I", "-S", str(SCRIPT), str(tmp_path)]    # -S: without installed packages
    subprocess.run(alone, check=True)
    for name, make in HEADERS.items():
        assert (tmp_path / name).read_text("utf-8") == make()
    (tmp_path / "integer_sizes.h").write_text("of yesterday")
    before = (tmp_path / "integer_programs.h").stat().st_mtime_ns
    subprocess.run(alone, check=True)
    assert (tmp_path / "integer_sizes.h").read_text("utf-8") == HEADERS["integer_sizes.h"]()
    assert (tmp_path / "integer_programs.h").stat().st_mtime_ns == before


@pytest.mark.nightly
@pytest.mark.skipif(CMAKE is None, reason="needs cmake: make setup")
def test_without_python_an_sdist_is_configured_and_a_checkout_ends_in_a_sentence(tmp_path: Path) -> None:
    assert CMAKE is not None
    for folder in ("native", "kernels"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("generated"))
    configure = [CMAKE, "-S", str(tmp_path / "native"), "-DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON"]
    done = subprocess.run([*configure, "-B", str(tmp_path / "checkout")], capture_output=True, text=True, check=False)
    assert done.returncode and "is built with Python 3.11 or newer" in " ".join(done.stderr.split())
    carried = tmp_path / "native" / "generated" / "network"
    carried.mkdir(parents=True)
    for name, make in HEADERS.items():
        (carried / name).write_text(make(), "utf-8")
    subprocess.run([*configure, "-B", str(tmp_path / "sdist")], check=True, capture_output=True)
