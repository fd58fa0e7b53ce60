"""Faces for notebooks: the stepper as a widget, and the `%%neon` cell.

`%load_ext neonsim` registers the magic; `Stepper(trace)` shows a recorded run.
"""

from __future__ import annotations

from neonsim.ui.magic import load_ipython_extension
from neonsim.ui.widget import Stepper

__all__ = ["Stepper", "load_ipython_extension"]
