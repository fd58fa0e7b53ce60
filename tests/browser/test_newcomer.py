"""From a clone to the first solved exercise, as a newcomer gets there, in JupyterLab in a real browser.

`make lab` runs in a fresh clone, in an environment of its own. The packages in it are those of the environment that
runs the test, linked: nothing is downloaded (pip is told that there is no index), all else is what a newcomer gets.
"""

from __future__ import annotations

import os
import runpy
import shutil
import site
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.needs import needs

needs("jupyterlab", "anywidget", install="pip install jupyterlab anywidget")
pytestmark = [pytest.mark.browser, pytest.mark.nightly]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NOTEBOOK = "00_assembler_for_readers_of_c.ipynb"
SHOTS = os.environ.get("NEONSIM_SCREENSHOTS")  # a folder: pictures for a person to look at
ERROR = '.jp-Notebook [data-mime-type="application/vnd.jupyter.stderr"]'
RIGHT = ("ld1 {v0.16b}, [x0]", "ld1 {v1.16b}, [x1]", "add v0.16b, v0.16b, v1.16b", "st1 {v0.16b}, [x2]")
WRONG = tuple(line.replace("add", "sub") for line in RIGHT)


def run(*command: str, cwd: Path, **options: Any) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{' '.join(command)}:\n{done.stdout}{done.stderr}"
    return done.stdout


def clone(folder: Path) -> Path:
    """`git clone` of this checkout, with what is not committed yet on top."""
    tree = folder / "neonsim"
    run("git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(tree), cwd=folder)
    for name in run("git", "ls-files", "-mdo", "--exclude-standard", "-z", cwd=ROOT).split("\0"):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
        elif name:
            (tree / name).unlink(missing_ok=True)
    return tree


def environment(tree: Path) -> None:
    """A `.venv` that finds the packages of this one, and nothing else of it: neonsim is installed by `make`."""
    venv, here = tree / ".venv", Path(sys.prefix)
    run(sys.executable, "-m", "venv", "--without-pip", str(venv), cwd=tree)
    where = "import site; print(site.getsitepackages()[0])"
    packages = run(str(venv / "bin" / "python"), "-c", where, cwd=tree).strip()
    Path(packages, "shared.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    for tool in ("cmake", "ninja"):
        (venv / "bin" / tool).symlink_to(here / "bin" / tool)
    for name, module in (("jupyter", "jupyter_core.command"), ("jupyter-lab", "jupyterlab.labapp")):
        script = venv / "bin" / name
        script.write_text(f"#!{venv / 'bin' / 'python'}\nfrom {module} import main\nmain()\n")
        script.chmod(0o755)
    (venv / "share" / "jupyter" / "lab").mkdir(parents=True)
    (venv / "etc").symlink_to(here / "etc")
    for source in [*(here / "share" / "jupyter").iterdir(), *(here / "share" / "jupyter" / "lab").iterdir()]:
        if source.name not in ("lab", "settings", "custom"):  # `make lab` writes settings and style
            (venv / source.relative_to(here)).symlink_to(source)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone in which `make lab` has nothing left to install."""
    if shutil.which("git") is None or shutil.which("make") is None:
        pytest.skip("needs git and make")
    if not all((Path(sys.prefix) / "bin" / tool).exists() for tool in ("cmake", "ninja")):
        pytest.skip("needs CMake and Ninja in the environment: make test")
    tree = clone(tmp_path_factory.mktemp("newcomer"))
    environment(tree)
    run("make", ".venv/.lab", "build/native/.built", cwd=tree, env={**bare(), "PIP_NO_INDEX": "1"}, timeout=3600)
    return tree


def bare() -> dict[str, str]:
    """Without what an activated environment or pytest says about itself."""
    return {key: value for key, value in os.environ.items()
            if not key.startswith(("PYTHON", "VIRTUAL_ENV", "MAKE", "MFLAGS"))}


def test_from_a_clone_to_the_first_solved_exercise(chromium: Any, installed: Path) -> None:
    lab = runpy.run_path(str(HERE / "jupyter.py"))["Lab"](installed, make=True, environment=bare())
    page = chromium.new_page(viewport={"width": 1366, "height": 768})
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    try:
        page.goto(f"{lab.base}/lab/tree/notebooks?token={lab.token}", wait_until="domcontentloaded")
        page.locator(".jp-DirListing-item", has_text=NOTEBOOK).wait_for(timeout=60_000)
        picture(page, "newcomer-1-list")
        page.locator(".jp-DirListing-item", has_text=NOTEBOOK).dblclick()
        page.locator(".jp-Notebook .jp-CodeCell").first.wait_for(timeout=60_000)
        # Before its kernel is there JupyterLab forgets what it is asked to run.
        lab.wait_for_kernel()
        page.locator("#jp-main-statusbar", has_text="(ipykernel) | Idle").wait_for(timeout=60_000)
        newcomer = Newcomer(page)
        newcomer.read_on_to("mov     x0, #5")
        newcomer.step()
        newcomer.read_on_to("%%neon_exercise")
        assert "not yet" in newcomer.verdict(), "an answer without instructions passes"
        newcomer.answer(WRONG)
        assert "not yet" in newcomer.verdict()
        newcomer.answer(RIGHT)
        assert "passed" in newcomer.verdict()
        assert newcomer.errors() == [] and problems == []
        breaks = page.evaluate("""[...document.querySelectorAll('.jp-OutputArea-output pre')].map(
            e => getComputedStyle(e).wordBreak)""")
        assert len(breaks) > 3 and set(breaks) == {"normal"}, "printed lines break between words"
    finally:
        picture(page, "newcomer-end")
        page.close()
        lab.close()


class Newcomer:
    """Works through the open notebook with the keyboard, as its first cell says."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.locator(".jp-Notebook .jp-Cell").first.click()

    def run(self) -> Any:
        """Shift+Enter; -> the cell that was active. The next one is then."""
        cell = self.page.locator(".jp-Notebook .jp-Cell.jp-mod-active").element_handle()
        self.page.keyboard.press("Shift+Enter")
        self.page.wait_for_function("cell => !cell.classList.contains('jp-mod-active')", arg=cell, timeout=60_000)
        return cell

    def read_on_to(self, text: str) -> None:
        """Run cell after cell, up to and with the one that says this."""
        for _ in range(60):
            self.ran = self.run()
            if "jp-CodeCell" in self.ran.get_attribute("class") and text in self.source():
                return
        raise AssertionError(f"no cell says {text!r}")

    def errors(self) -> list[str]:
        """What the notebook's cells complain of."""
        return [str(text) for text in self.page.locator(ERROR).all_inner_texts()]

    def source(self) -> str:
        return str(self.ran.query_selector(".cm-content").inner_text())

    def step(self) -> None:
        """Through the run in the cell's output, with the arrow keys."""
        shown = f"cell => cell.querySelector('.nsim[data-step]') || document.querySelector('{ERROR}')"
        self.page.wait_for_function(shown, arg=self.ran, timeout=60_000)
        assert self.errors() == []
        stepper = self.ran.query_selector(".nsim")
        stepper.query_selector('[role="listbox"]').focus()
        seen = []
        for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "End"):
            self.page.keyboard.press(key)
            seen.append(int(stepper.get_attribute("data-step")))
        assert seen == [0, 1, 2, 3, 2, 4]
        assert "8" in stepper.query_selector('[data-register="x0"]').inner_text()
        picture(self.page, "newcomer-2-stepper")
        self.page.locator(".jp-Notebook .jp-Cell:has(.nsim) + .jp-Cell").first.click()  # back to the text

    def verdict(self) -> str:
        self.page.wait_for_function("cell => cell.querySelector('.jp-OutputArea-output [role=status]')", arg=self.ran,
                                    timeout=60_000)
        return str(self.ran.query_selector(".jp-OutputArea-output [role=status]").inner_text())

    def answer(self, lines: tuple[str, ...], label: str = "two_vectors") -> None:
        """Type these lines in place of what stands between the label and `ret`, and run the cell."""
        rows = self.ran.query_selector_all(".cm-line")
        said = [row.inner_text() for row in rows]
        first = next(k for k, row in enumerate(said) if row.rstrip().endswith(f"{label}:")) + 1
        rows[first].click()
        self.page.keyboard.press("Home")
        for _ in range(next(k for k, row in enumerate(said) if row.strip() == "ret") - first - 1):
            self.page.keyboard.press("Shift+ArrowDown")
        self.page.keyboard.press("Shift+End")
        for k, line in enumerate(lines):
            self.page.keyboard.type(line)
            if k < len(lines) - 1:
                self.page.keyboard.press("Enter")
        typed = [" ".join(row.split()) for row in self.source().splitlines()]
        assert [row for row in typed if row in lines] == list(lines), f"the editor has {typed}"
        before = self.ran.query_selector(".jp-InputPrompt").inner_text()
        self.page.keyboard.press("Shift+Enter")
        self.page.wait_for_function(
            "([cell, before]) => /^\\[\\d+\\]:?$/.test(cell.querySelector('.jp-InputPrompt').textContent.trim()) && "
            "cell.querySelector('.jp-InputPrompt').textContent.trim() !== before.trim()", arg=[self.ran, before],
            timeout=60_000)


def picture(page: Any, name: str) -> None:
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(SHOTS) / f"{name}.png"))
