"""The same stepper in other homes: Notebook 7 and marimo; and a text changed and run again by the kernel."""

from __future__ import annotations

import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from tests.until import HANGS, until

pytestmark = [pytest.mark.browser, pytest.mark.nightly]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SHOTS = os.environ.get("NEONSIM_SCREENSHOTS")
TEXT = "f: ld1     {v0.4s}, [x0]\n   add     v1.4s, v0.4s, v0.4s\n   st1     {v1.4s}, [x1]\n   ret\n"
CELL = f"""import numpy as np, neonsim as ns
machine = ns.Machine(isa="aarch64")
a = machine.memory.place(np.arange(4, dtype=np.int32), name="a")
c = machine.memory.alloc(16, name="c")
run = machine.call(ns.assemble({TEXT!r}, isa="aarch64"), a, c, trace=True)
stepper = ns.Stepper(run.trace, core="cortex-a53")
"""
# Notebook 7 says this once at its start, with these settings, before anything of ours is there.
KNOWN = ("reading 'schema'",)


def lanes(stepper: Any, register: str) -> list[int]:
    pairs = stepper.locator(f'[data-register="{register}"] .nsim-cell').evaluate_all(
        "all => all.map(c => [Number(c.dataset.lane), c.textContent])")
    return [int(text) for _, text in sorted(pairs)]


def use(page: Any, stepper: Any, cells: Callable[[], int]) -> None:
    """Steps by mouse and keyboard, then another text: a mistake, a fault, and one that runs."""
    def step() -> int:
        return int(stepper.get_attribute("data-step"))

    for want in (1, 2):
        stepper.locator('[data-act="next"]').click()
        assert step() == want
    stepper.get_by_label("element type of all registers").select_option("s32")
    assert lanes(stepper, "v1") == [0, 2, 4, 6]
    before = cells()
    stepper.get_by_role("listbox").focus()
    for key, want in (("Home", 0), ("n", 1), ("b", 1), ("a", 1), ("d", 1), ("d", 1), ("ArrowRight", 2), ("p", 1)):
        page.keyboard.press(key)
        assert step() == want, key
    assert cells() == before
    stepper.get_by_role("button", name="edit").click()
    area = stepper.get_by_label("text of the program")
    assert area.input_value() == TEXT
    tries = (("add     v1.4s, v0", "add     v1.4h, v0", "^"),
             ("st1     {v1.4s}, [x1]", "str     q1, [x0, #64]", "the 2 steps"), ("add", "mul", "Run again: 4 steps"))
    for old, new, answer in tries:
        area.fill(TEXT.replace(old, new))
        area.press("Control+Enter")
        stepper.locator(".nsim-edit", has_text=answer).wait_for(timeout=60_000)
    stepper.locator('[data-act="last"]').click()
    assert lanes(stepper, "v1") == [0, 1, 4, 9]
    assert cells() == before


@pytest.fixture
def watched(chromium: Any) -> Iterator[tuple[Any, list[str]]]:
    """A page, and what went wrong in it or was asked from elsewhere."""
    page = chromium.new_page(viewport={"width": 1400, "height": 1800})
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(f"asks {request.url}") if request.url.startswith("http")
            and not request.url.startswith(("http://127.0.0.1", "http://localhost")) else None)
    yield page, problems
    page.close()


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_jupyter(watched: tuple[Any, list[str]], tmp_path: Path, app: str) -> None:
    pytest.importorskip({"lab": "jupyterlab", "notebook": "notebook"}[app], reason=f"needs it: pip install {app}")
    page, problems = watched
    cell = {"cell_type": "code", "id": "one", "source": CELL + "stepper", "metadata": {}, "outputs": [],
            "execution_count": None}
    (tmp_path / "one.ipynb").write_text(json.dumps({
        "cells": [cell], "nbformat": 4, "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}}))
    lab = runpy.run_path(str(HERE / "jupyter.py"))["Lab"](tmp_path, dark=False, python_path=ROOT, app=app)
    try:
        lab.open(page, "one.ipynb")
        lab.run_all(page)
        stepper = page.locator(".nsim[data-step]").first
        stepper.wait_for(timeout=90_000)
        use(page, stepper, page.locator(".jp-Cell").count)
        if SHOTS:
            stepper.screenshot(path=str(Path(SHOTS) / f"{app}.png"))
        assert [text for text in problems if not any(known in text for known in KNOWN)] == []
    finally:
        lab.close()


def test_marimo(watched: tuple[Any, list[str]], tmp_path: Path) -> None:
    pytest.importorskip("marimo", reason="needs marimo: pip install marimo")
    page, problems = watched
    body = "".join(f"    {line}\n" for line in CELL.splitlines())
    (tmp_path / "app.py").write_text("import marimo\napp = marimo.App()\n\n@app.cell\ndef _():\n" + body
                                     + "    stepper\n    return\n\nif __name__ == '__main__':\n    app.run()\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = (tmp_path / "log").open("wb")
    server = subprocess.Popen(
        [sys.executable, "-m", "marimo", "run", "app.py", "--headless", "--no-token", "--host", "127.0.0.1", "--port",
         str(port)], cwd=tmp_path, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)})
    try:
        def there() -> bool:
            assert server.poll() is None, (tmp_path / "log").read_text()
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=HANGS).close()
            return True
        until(there, "the server")
        page.goto(f"http://127.0.0.1:{port}", wait_until="domcontentloaded")
        stepper = page.locator(".nsim[data-step]").first
        stepper.wait_for(timeout=90_000)
        use(page, stepper, lambda: 0)
        if SHOTS:
            stepper.screenshot(path=str(Path(SHOTS) / "marimo.png"))
        assert problems == []
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(HANGS)
        log.close()


def test_first_state_is_the_machines() -> None:
    """The cell of these tests, here: what the pages are compared with."""
    names: dict[str, Any] = {}
    exec(CELL, names)
    trace = names["run"].trace
    assert isinstance(trace, ns.Trace)
    assert np.frombuffer(trace.state(trace.steps)["v1"], np.int32).tolist() == [0, 2, 4, 6]
