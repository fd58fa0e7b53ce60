"""Two ways that people go from one end to the other; a student's is `test_newcomer`.

A teacher makes a lab of an hour with an exercise of their own, hands it out and grades it. An engineer writes a kernel
with three mistakes and mends each by what neonsim says of it.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.browser.jupyter import Lab
from tests.browser.test_newcomer import ERROR, Newcomer, picture
from tests.browser.waits import drawn
from tests.needs import needs

needs("jupyterlab", "anywidget", install="pip install jupyterlab anywidget")
pytestmark = [pytest.mark.browser, pytest.mark.nightly]

ROOT = Path(__file__).parents[2]
SMALL = {"width": 1366, "height": 768}
MEAN = ("ldr q0, [x1], #16", "ldr q1, [x2], #16", "urhadd v0.16b, v0.16b, v1.16b", "str q0, [x3], #16",
        "subs x0, x0, #16", "b.ne mean_of_two")
SUM = ("ldr q0, [x1], #16", "ldr q1, [x2], #16", "add v0.16b, v0.16b, v1.16b", "str q0, [x3], #16",
       "subs x0, x0, #16", "b.ne saturating_add")     # wraps: not yet
KERNEL = """//! Find the largest byte.
//! contract: u8_rmax
//! tile: 16x
//! isa: aarch64
rmax:                                   // x0: n, x1: bytes, x2: result
        movi    v0.16b, #0
        subs    x0, x0, #16
        b.lo    rest
loop:   ld1     {v1.16b}, [x1], #16
        umax    v0.16b, v0.16b, v1.8b
        subs    x0, x0, #16
        b.hs    loop
rest:   movi    v1.16b, #0
        adds    x0, x0, #16
        b.eq    done
one:    ldr     q1, [x1], #1
        umax    v0.16b, v0.16b, v1.16b
        subs    x0, x0, #1
        b.ne    one
done:   smaxv   b0, v0.16b
        str     b0, [x2]
        ret
"""


class Person:
    """At a shell, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def neonsim(self, *words: str, status: int = 0) -> str:
        """What a command says, which ends with this status."""
        done = subprocess.run([sys.executable, "-m", "neonsim", *words], cwd=self.folder, capture_output=True,
                              text=True, check=False, timeout=1800)
        assert done.returncode == status, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def mends(self, name: str, wrong: str, right: str) -> None:
        """Change one place of a file."""
        text = (self.folder / name).read_text("utf-8")
        assert text.count(wrong) == 1, wrong
        (self.folder / name).write_text(text.replace(wrong, right), "utf-8")


def test_a_teacher_makes_a_lab_of_an_hour_and_grades_it(chromium: Any, tmp_path: Path) -> None:
    teacher = Person(tmp_path)
    assert "mean-of-two.py: an exercise that works" in teacher.neonsim("course", "new", "mean-of-two")
    assert "the exercise is sound" in teacher.neonsim("course", "validate", "mean-of-two.py")
    said = teacher.neonsim("course", "notebook", "mean-of-two.py", "saturating-add", "-o", "lab.ipynb", "--points", "5")
    assert "wrote lab.ipynb: 2 exercises" in said

    # Ann works in JupyterLab; Bo hands in a file, in which the half is cut off.
    ann, bo = tmp_path / "ann", tmp_path / "class" / "bo"
    ann.mkdir()
    bo.mkdir(parents=True)
    shutil.copy(tmp_path / "lab.ipynb", ann)
    works_in_jupyterlab(chromium, ann)
    rows = "\n".join(f"        {row}" for row in MEAN).replace("urhadd", "uhadd ")
    (bo / "mean-of-two.S").write_text(f"mean_of_two:\n{rows}\n        ret\n", "utf-8")
    assert "y[1] should be" in Person(bo).neonsim(
        "course", "check", "../../mean-of-two.py", "mean-of-two.S", status=1)

    shutil.copy(ann / "results.json", tmp_path / "class" / "ann.json")
    teacher.neonsim("course", "grade", "mean-of-two.py", "class", "-o", "grades.csv")
    with (tmp_path / "grades.csv").open(newline="") as file:
        passed = {(row["who"], row["exercise"]): row["passed"] for row in csv.DictReader(file)}
    assert passed == {("ann", "mean-of-two"): "1", ("ann", "saturating-add"): "0", ("bo", "mean-of-two"): "0"}


def works_in_jupyterlab(chromium: Any, folder: Path) -> None:
    """Ann opens the sheet, solves its first exercise, not its second one, and writes her results."""
    lab = Lab(folder, python_path=ROOT)
    page = chromium.new_page(viewport=SMALL)
    try:
        page.goto(lab.address("lab.ipynb"), wait_until="domcontentloaded")
        page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
        lab.wait_for_kernel()
        page.locator("#jp-main-statusbar", has_text="(ipykernel) | Idle").wait_for()
        student = Newcomer(page)
        student.read_on_to("%%neon_exercise mean-of-two")
        assert "not yet" in student.verdict(), "an answer without instructions passes"
        student.answer(MEAN, "mean_of_two")
        assert "passed" in student.verdict()
        student.read_on_to("%%neon_exercise saturating-add")
        student.answer(SUM, "saturating_add")
        assert "not yet" in student.verdict()
        picture(page, "teacher-lab")
        assert page.locator(ERROR).count() == 0
        page.keyboard.press("b")
        page.keyboard.press("Enter")
        page.keyboard.type('neonsim.Exercise("saturating-add").export("results.json", who="ann")')
        page.keyboard.press("Shift+Enter")
        lab.wait((folder / "results.json").exists, "the file of results")
    finally:
        picture(page, "teacher-end")
        page.close()
        lab.close()


def test_an_engineer_mends_three_mistakes_by_what_is_said(chromium: Any, tmp_path: Path) -> None:
    engineer = Person(tmp_path)
    (tmp_path / "mine.S").write_text(KERNEL, "utf-8")

    # The assembler: where, and what is needed there.
    said = engineer.neonsim("check", "mine.S", "--quick", status=2)
    assert "mine.S:10:33" in said and "v1.16b is needed here" in said
    engineer.mends("mine.S", "v1.8b", "v1.16b")

    # The sanitizer: which instruction reads how far outside.
    said = engineer.neonsim("check", "mine.S", "--quick", status=1)
    assert "mine.S:16: step 7, ldr q1, [x1], #1: reads 16 bytes" in said and "15 bytes past its end" in said
    engineer.mends("mine.S", "ldr     q1, [x1], #1", "ld1     {v1.b}[0], [x1], #1")

    # A wrong byte: what wrote it, and a page that opens there.
    said = engineer.neonsim("check", "mine.S", "--quick", "--html", "call.html", status=1)
    assert "y[0] should be 255, is 0" in said and "worked out by step 11, mine.S:20: smaxv b0, v0.16b" in said
    page = chromium.new_page(viewport=SMALL)
    try:
        page.goto((tmp_path / "call.html").as_uri())
        page.locator('.nsim[data-step="12"]').wait_for()
        assert "y[0] should be 255, is 0" in page.inner_text("body")
        page.locator('.nsim [role="listbox"]').first.focus()
        page.keyboard.press("ArrowLeft")
        page.locator('.nsim[data-step="11"]').wait_for()
        drawn(page)
        current = page.locator('.nsim [role="option"][aria-selected="true"]')
        assert "smaxv" in current.first.inner_text().lower()
        picture(page, "engineer-call")
    finally:
        page.close()
    engineer.mends("mine.S", "smaxv", "umaxv")

    assert "right in every byte" in engineer.neonsim("check", "mine.S", "--quick")
    assert "cycles an iteration" in engineer.neonsim("time", "mine.S", "--core", "a53")
