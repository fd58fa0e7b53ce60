"""The commands of the README on a bare machine: only python3 with pip, make and gcc on PATH, an empty home."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[2]
# What every Unix has, besides the four that the README asks for.
BASE = ("sh", "bash", "env", "mkdir", "touch", "rm", "cp", "mv", "id", "cat", "echo", "uname", "dirname")
TOOLS = ("python3", "make", "gcc", "as", "ld", "ar")
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


class Bare:
    """A copy of the tree and a PATH with nothing more than is promised."""

    def __init__(self, folder: Path) -> None:
        self.tree, self.bin, self.home = folder / "tree", folder / "bin", folder / "home"
        self.home.mkdir()
        self.bin.mkdir()
        for tool in (*BASE, *TOOLS):
            found = shutil.which(tool, path=SYSTEM_PATH)
            if found is not None:
                (self.bin / tool).symlink_to(found)
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True,
                                text=True, check=True).stdout
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.tree / name)

    def run(self, *command: str, offline: bool = False) -> subprocess.CompletedProcess[str]:
        network = {key: value for key, value in os.environ.items() if key.lower().endswith(("_proxy", "_cert"))}
        environment = {"PATH": str(self.bin), "HOME": str(self.home), **network}
        prefix = ["/usr/bin/unshare", "-rn"] if offline else []
        return subprocess.run([*prefix, *command], cwd=self.tree, env=environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)

    def make(self, *goals: str, offline: bool = False) -> str:
        result = self.run(str(self.bin / "make"), *goals, offline=offline)
        if "Could not find a version" in result.stderr or "ConnectionError" in result.stderr:
            pytest.skip("needs a package index for the first set-up")
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout + result.stderr

    def native_missing(self) -> str:
        code = "from neonsim.nn.backends.native import backend; print(backend.available())"
        result = self.run(str(self.tree / ".venv" / "bin" / "python"), "-c", code)
        assert result.returncode == 0, result.stderr
        return result.stdout.strip()


@pytest.fixture
def bare(tmp_path: Path) -> Bare:
    missing = [tool for tool in ("python3", "make", "gcc", "git") if shutil.which(tool, path=SYSTEM_PATH) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)} in {SYSTEM_PATH}")
    python = str(shutil.which("python3", path=SYSTEM_PATH))
    if subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode:
        pytest.skip("needs pip for the system's python3: run `apt-get install python3-pip`")
    return Bare(tmp_path)


def offline_possible() -> bool:
    return subprocess.run(["/usr/bin/unshare", "-rn", "true"], capture_output=True, check=False).returncode == 0


def test_demo_twice_and_an_edit(bare: Bare) -> None:
    assert "native" in bare.make("demo")
    assert bare.native_missing() == "None"

    if offline_possible():
        second = bare.make("demo", offline=True)
        assert "pip" not in second
        assert "cmake" not in second

    # An edit in C must never be forgotten: refused until it is built, then there.
    header = bare.tree / "native" / "include" / "neonsim.h"
    header.write_text(re.sub(r"(#define NEONSIM_ABI_VERSION) \d+", r"\1 77", header.read_text()))
    assert "older than native/include/neonsim.h" in bare.native_missing()
    bare.make("native")
    assert "ABI version 77" in bare.native_missing()

    source = bare.tree / "native" / "src" / "contracts" / "entry.c"
    source.write_text(source.read_text() + "int broken(\n")
    result = bare.run("make", "native")
    assert result.returncode != 0
    assert "entry.c" in result.stdout + result.stderr


def test_demo_without_a_compiler_and_with_one_later(bare: Bare) -> None:
    gcc = (bare.bin / "gcc").readlink()
    (bare.bin / "gcc").unlink()
    assert "No C compiler found" in bare.make("demo")
    assert "no C compiler" in bare.native_missing()

    (bare.bin / "gcc").symlink_to(gcc)
    assert "run `make native`" in bare.native_missing()
    bare.make("native")
    assert bare.native_missing() == "None"
