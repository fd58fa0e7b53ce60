"""Faces for notebooks: the stepper as a widget, exercises, views, and the magics.

`%load_ext neonsim` registers the magics; `Stepper(trace)` shows a recorded run; `Exercise(name)` an exercise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neonsim.kinds import later

if TYPE_CHECKING:
    from neonsim.ui.exercise import Answer, Exercise, exercises
    from neonsim.ui.magic import load_ipython_extension
    from neonsim.ui.widget import Stepper

__all__ = ["Answer", "Exercise", "Stepper", "exercises", "load_ipython_extension"]

# The magics need no widgets, the stepper no course.
__getattr__ = later(globals(), {"magic": "load_ipython_extension", "widget": "Stepper",
                                "exercise": "Answer Exercise exercises"}, "Stepper")
