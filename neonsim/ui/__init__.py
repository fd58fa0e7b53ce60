"""Faces for notebooks: the stepper as a widget, exercises, views, and the magics.

`%load_ext neonsim` registers the magics; `Stepper(trace)` shows a recorded run; `Exercise(name)` an exercise.
"""

from __future__ import annotations

from neonsim.kinds import judge_all
from neonsim.ui.exercise import Answer, Exercise, exercises
from neonsim.ui.magic import load_ipython_extension
from neonsim.ui.widget import Stepper

__all__ = ["Answer", "Exercise", "Stepper", "exercises", "load_ipython_extension"]

judge_all(globals(), "Stepper", "Exercise")
