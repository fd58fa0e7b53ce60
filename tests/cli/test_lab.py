"""`neonsim lab`: the course copied and opened; without JupyterLab a sentence, and the copy is there all the same."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from neonsim.cli import main
from neonsim.common.extras import install
from tests.until import HANGS, until


def test_without_jupyterlab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                            capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    assert main(["lab"]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith(f"neonsim: opening the course needs JupyterLab: {install('neonsim[lab]')}. ")
    assert shown.err.count("\n") == 1 and "the course is in neonsim-course: files" in shown.out
    (tmp_path / "neonsim-course" / "notebooks" / "10_cycles.ipynb").write_text("my work")
    assert main(["lab", "--copy-only"]) == 0
    assert "kept as you changed it: notebooks/10_cycles.ipynb" in capsys.readouterr().out


@pytest.mark.nightly
def test_jupyterlab_serves_the_copy(tmp_path: Path) -> None:
    pytest.importorskip("jupyterlab", reason="needs a package: pip install 'neonsim[lab]'")
    environment = os.environ | {"JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"), "JUPYTER_TOKEN": "t0ken"}
    process = subprocess.Popen([sys.executable, "-m", "neonsim", "lab", "c", "--no-browser"], cwd=tmp_path,
                               env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True)
    try:
        def listed() -> set[str] | None:
            """Its file is there before the text in it, and that before the server listens."""
            assert process.poll() is None, process.communicate()[0]
            with suppress(ValueError):
                for path in (tmp_path / "runtime").glob("jpserver-*.json"):
                    url = f"{json.loads(path.read_text())['url']}api/contents/notebooks?token=t0ken"
                    with urllib.request.urlopen(url, timeout=HANGS) as answer:
                        return {one["name"] for one in json.load(answer)["content"]}
            return None
        names = until(listed, "the server")
        assert {"README.md", "pictures", "00_assembler_for_readers_of_c.ipynb"} <= names
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=HANGS)
