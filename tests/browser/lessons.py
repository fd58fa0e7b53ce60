"""The steppers of a lesson as pages of their own: its notebook run in this process, without a server."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from unittest import mock

from neonsim.learn.notebook.stepper import Stepper

__all__ = ["NOTEBOOKS", "steppers"]

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


@cache
def steppers(number: int) -> list[Stepper]:
    """Every stepper that the cells of a lesson show, the unsolved exercise's with them, in order."""
    from IPython.core.interactiveshell import InteractiveShell

    (path,) = NOTEBOOKS.glob(f"{number:02}_*.ipynb")
    made: list[Stepper] = []
    start, here = Stepper.__init__, os.getcwd()

    def kept(self: Stepper, *given: object, **options: object) -> None:
        start(self, *given, **options)  # type: ignore[arg-type]
        made.append(self)

    shell = InteractiveShell.instance()
    try:
        os.chdir(NOTEBOOKS)     # pictures and data are named from there
        with mock.patch.object(Stepper, "__init__", kept):
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                if cell["cell_type"] == "code":
                    done = shell.run_cell("".join(cell["source"]), silent=True)
                    assert done.success, (path.name, done.error_in_exec or done.error_before_exec)
    finally:
        InteractiveShell.clear_instance()
        os.chdir(here)
    return made
