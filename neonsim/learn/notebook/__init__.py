"""Faces for notebooks: the stepper as a widget, exercises, views, and the magics.

`%load_ext neonsim` registers the magics; `Stepper(trace)` shows a recorded run; `Exercise(name)` an exercise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neonsim.common.argument_types import later

if TYPE_CHECKING:
    from neonsim.learn.notebook.exercise import AnswerView, Exercise, exercises
    from neonsim.learn.notebook.magic_registration import load_ipython_extension
    from neonsim.learn.notebook.stepper import Stepper

__all__ = ["AnswerView", "Exercise", "Stepper", "exercises", "load_ipython_extension"]

# The magics need no widgets, the stepper no course.
__getattr__ = later(globals(), "Stepper")
