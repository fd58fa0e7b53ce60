"""The course: the notebooks as they are stored; where a stepper stands, the page that replays its run."""

from __future__ import annotations

import logging
import os
import re
import shutil
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from html import escape
from itertools import repeat
from pathlib import Path
from typing import Any

import nbformat

from tests.notebooks.refresh import Session

from .links import PAGES, ROOT, lessons, relinked
from .slides import begin, write_slides
from .text import left_out, raw

__all__ = ["write"]

NOTEBOOKS = ROOT / "notebooks"
PAGE = "application/x-neonsim-page"
# Notebooks about what an instruction, a zero point or a depth does: their pages compute, and can be asked "what if".
COMPUTING = ("00", "01", "02", "03", "04", "05", "06", "07")
# Runs before a notebook's first cell: every stepper that is shown is written as a page, numbered.
PRELUDE = """
def _replaying(folder, stem, kind, live):
    from itertools import count
    from pathlib import Path
    from neonsim.learn.notebook.stepper import Stepper
    numbers = count(1)
    def shown(self, **options):
        return {kind: self.to_html(Path(folder) / f"{stem}-{next(numbers)}.html", live=live).name}, {}
    Stepper._repr_mimebundle_ = shown
    Stepper._ipython_display_ = None
"""
FRAME = """<iframe class="neonsim-replay" src="{page}" title="A recorded run, to step through" loading="lazy"></iframe>
<p>{asked}<a href="{page}">open this run on a separate page</a></p>"""
ASKED = "What if? Change a register, a lane or memory at any step (key e), and the page computes the rest. "


def write(sources: Path, *, whole: bool = True) -> None:
    """course/: the teacher's map, the notebooks, their runs, slides; project/, topics/: what else there is.

    whole   bool   False: only those of COMPUTING are replayed and have slides; the others are pages as they are stored
    """
    folder = sources / "course"
    folder.mkdir()
    shutil.copytree(NOTEBOOKS / "pictures", folder / "pictures")
    for file, page in PAGES.items():
        if file.endswith(".md"):
            (sources / page).parent.mkdir(exist_ok=True)
            (sources / page).write_text(relinked((ROOT / file).read_text("utf-8"), file), "utf-8")
    notebooks = [ROOT / file for file in PAGES if file.endswith(".ipynb")]
    names = "\n".join(path.stem for path in notebooks)
    played = [path for path in notebooks if whole or path.stem.startswith(COMPUTING)]
    with (folder / "index.md").open("a", encoding="utf-8") as index:
        links = "".join(f'<li><a href="../slides/{path.stem}.html">{path.stem.replace("_", " ")}</a>'
                        for path in played)
        missing = [path.stem.replace("_", " ") for path in notebooks if path not in played]
        index.write("\n## Slides\n\nEach notebook for a screen in front of a class: a slide for each heading, a stop "
                    f"at each prediction; arrow keys, or print them.\n\n{raw('<ul>' + links + '</ul>')}")
        index.write(f"\n{left_out(missing)}```{{toctree}}\n:hidden:\n\n{names}\n```\n")
    # Pages that Sphinx copies as they are: `html_extra_path`.
    runs = sources / "runs" / "course"
    runs.mkdir(parents=True)
    shutil.copytree(NOTEBOOKS / "pictures", runs / "pictures")  # those of <img>, which Sphinx does not see
    slides = sources / "runs" / "slides"
    begin(slides)
    for path in notebooks:
        if path not in played:
            _write(nbformat.read(path, as_version=4), path, folder)
    workers = os.cpu_count() or 1
    with ProcessPoolExecutor(workers) as pool:
        list(pool.map(_played, [played[n::workers] for n in range(workers)], repeat(folder), repeat(runs),
                      repeat(slides)))


def _write(notebook: Any, path: Path, folder: Path) -> None:
    """A notebook as a source of Sphinx: links as the site needs them, its subject in the title, its words in the index.

    A reader of the navigation does not know the question yet that is the notebook's title.
    """
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = relinked(cell.source, f"notebooks/{path.name}")
    subject, words = lessons((NOTEBOOKS / "README.md").read_text("utf-8"))[path.stem]
    first, *others = notebook.cells
    first.source = re.sub("^# (.)", lambda begin: f"# {subject}: {begin[1].lower()}", first.source)
    # With ! an entry counts as much as a heading.
    index = nbformat.v4.new_markdown_cell(f"```{{index}} {', '.join(f'!{word}' for word in words)}\n```")
    nbformat.write(nbformat.from_dict({**notebook, "cells": [first, index, *others]}), folder / path.name)


def _played(paths: Sequence[Path], folder: Path, runs: Path, slides: Path) -> None:
    """Notebooks as they are stored, their steppers as frames, and their slides; all run by one kernel in turn."""
    logging.getLogger("traitlets").setLevel(logging.ERROR)  # not a line for each picture and each notebook
    with Session() as session:
        for path in paths:
            notebook = _replaying(session, path, runs)
            _write(notebook, path, folder)
            write_slides(slides, path.stem, notebook)


def _replaying(session: Session, path: Path, runs: Path) -> Any:
    """A notebook as it is stored, its steppers as frames: it is run as far as the last of them, or not at all."""
    stored = nbformat.read(path, as_version=4)
    steppers = [n for n, cell in enumerate(stored.cells) if any(map(_is_stepper, cell.get("outputs", ())))]
    if not steppers:
        return stored
    live = path.stem.startswith(COMPUTING)
    prelude = f"{PRELUDE}_replaying({str(runs)!r}, {path.stem!r}, {PAGE!r}, {live})"
    ran = session.execute(path, prelude, end=steppers[-1] + 1)
    for n, cell in enumerate(ran.cells):
        framed = any(PAGE in output.get("data", {}) for output in cell.get("outputs", ()))
        if framed != (n in steppers):
            raise ValueError(f"{path.name}: what cell {n} stores and what it shows now do not agree about steppers; "
                             f"run tests/notebooks/refresh.py {path.name}")
        if framed:
            stored.cells[n].outputs = [_framed(output, ASKED if live else "") for output in cell.outputs]
    return stored


def _is_stepper(output: Any) -> bool:
    """As ns.Stepper says it in plain text, beside its picture."""
    return str(output.get("data", {}).get("text/plain", "")).startswith("<Stepper: ")


def _framed(output: Any, asked: str) -> Any:
    name = output.get("data", {}).get(PAGE)
    if name is None:
        return output
    return nbformat.v4.new_output("display_data", {"text/html": FRAME.format(page=escape(name), asked=asked)})
