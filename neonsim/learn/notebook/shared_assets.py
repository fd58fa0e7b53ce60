"""What the steppers of a notebook have in common: script and style, and the cells that show them."""

from __future__ import annotations

import sys
from typing import Any

import traitlets
from ipywidgets import Widget

from neonsim.render import join_modules, stepper_styles

from .cell import running_cell, running_shell

__all__ = ["StepperCode", "register_stepper", "stepper_code"]


class StepperCode(Widget):  # type: ignore[misc]
    """The script and the style of all steppers of a kernel: sent, saved and read once."""

    script = traitlets.Unicode(join_modules("widget.js")).tag(sync=True)
    style = traitlets.Unicode(stepper_styles()).tag(sync=True)


_code: list[StepperCode] = []


def stepper_code() -> StepperCode | None:
    """Return the one that there is; None in marimo, which shares the text of widgets itself and ends them with their
    cell."""
    if "marimo" in sys.modules and sys.modules["marimo"].running_in_notebook():
        return None
    if not _code or _code[0].comm is None:  # closed with all widgets, by Widget.close_all()
        _code[:] = [StepperCode()]
    return _code[0]


_places: dict[str, list[Any]] = {}  # cell -> the steppers that were made or shown when it ran last
_watched: list[Any] = []            # the shell that says when a cell is run


def register_stepper(stepper: Any) -> None:
    """A stepper is made, or shown, by the cell that runs. When all such cells have been run again it is closed: no
    output shows it any more, and the page, the saved notebook and the kernel would keep it.
    """
    cell, shell = running_cell(), running_shell()
    if not cell:
        return
    if shell not in _watched:
        _watched.append(shell)
        shell.events.register("pre_run_cell", _again)
    here = _places.setdefault(cell, [])
    if all(one is not stepper for one in here):
        here.append(stepper)


def _again(*_: object) -> None:
    """A cell is about to run: what it showed before is gone."""
    for stepper in _places.pop(running_cell(), ()):
        if all(one is not stepper for others in _places.values() for one in others):
            stepper.close()
