"""docs/examples/mylib: its suite finds both planted faults, with the right words; as corrected it passes."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
from pathlib import Path

import pytest

from neonsim.arm.asm.c.compile import compilers

MYLIB = Path(__file__).parents[3] / "docs" / "examples" / "mylib"


@pytest.fixture
def mylib(tmp_path: Path) -> Path:
    if not compilers("aarch64"):
        pytest.skip("no C compiler for aarch64: make system-packages")
    return Path(shutil.copytree(MYLIB, tmp_path / "mylib"))


def suite(folder: Path, *words: str) -> tuple[int, str]:
    """(exit status, what it prints) of pytest in a folder, with the plugin alone."""
    with pytest.MonkeyPatch.context() as changed, contextlib.redirect_stdout(io.StringIO()) as said:
        changed.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        changed.setenv("COLUMNS", "100")
        changed.chdir(folder)
        status = pytest.main(["-s", "-p", "no:cacheprovider", "-p", "neonsim.verify.pytest_plugin", "-c",
                              str(folder / "pyproject.toml"), *words])
    return int(status), said.getvalue()


def failures(said: str) -> dict[str, list[str]]:
    """The lines of each failure, by the file of its function."""
    found = {}
    told = re.split(r"=+ (?:warnings summary|short test summary)", said.partition(" FAILURES ")[2])[0]
    for part in told.split("\n____")[1:]:
        head, *rows = part.splitlines()
        found[head[head.index("[") + 1:head.index("]")]] = [row for row in rows if not row.startswith("====")]
    return found


def test_both_planted_faults_are_found(mylib: Path) -> None:
    status, said = suite(mylib, "--neonsim-artifacts", "pages")
    assert status == 1 and "2 failed, 4 passed" in said, said
    found = failures(said)
    assert found.keys() == {"negate_s16.S", "sum_u8.c"}
    tail, total = (" ".join(" ".join(rows).split()) for rows in found.values())
    assert "smallest case: n = 1 " in tail and "reads 16 bytes" in tail and "14 bytes past its" in tail
    assert "ldr q0, [x0]" in tail and "remedy: Read the tail by smaller vectors" in tail
    assert "smallest case: n = 2064 " in total and "returned value should be 526320, is 2032" in total
    cause = " ".join(total[total.index("cause: "):].split())
    assert "uadalp v0.8h, v1.16b (C line 10: sums = vpadalq_u8(sums, vld1q_u8(x + i));" in cause, total
    assert "254 where 65790 belongs, as u16" in cause and "wider lanes" in cause
    for rows in found.values():
        long = [row for row in rows if len(row) > 100 and str(mylib) not in row]
        assert len(rows) <= 25 and not long, long
    assert len(list((mylib / "pages").iterdir())) == 2


def test_as_corrected_all_pass(mylib: Path) -> None:
    for path in (mylib / "corrected").iterdir():
        shutil.copy(path, mylib / "src")
    status, said = suite(mylib)
    assert status == 0 and "6 passed" in said, said
