"""Faces for notebooks: the stepper as a widget, exercises, views, and the magics.

`%load_ext neonsim` registers the magics; `Stepper(trace)` shows a recorded run; `Exercise(name)` an exercise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neonsim.kinds import judge_all
from neonsim.ui.magic import load_ipython_extension
from neonsim.ui.widget import Stepper

if TYPE_CHECKING:
    from neonsim.ui.exercise import Answer, Exercise, exercises

__all__ = ["Answer", "Exercise", "Stepper", "exercises", "load_ipython_extension"]

judge_all(globals(), "Stepper")


def __getattr__(name: str) -> Any:
    """Exercises are loaded on first use: the stepper needs no course."""
    if name not in ("Answer", "Exercise", "exercises"):
        raise AttributeError(f"neonsim.ui has no {name!r}")
    from neonsim.ui import exercise

    globals()[name] = value = getattr(exercise, name)
    return value
