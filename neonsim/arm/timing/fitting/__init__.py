"""Cores fitted to evidence: which numbers of a model are determined by what others measured, and which are not.

    evidence    figures as tests that any model can be put to
    unknowns    numbers of a core, what they could be, what a test depends on
    grids       what the model says of a test for all of these values
    solver      CP-SAT: the values that contradict least          deciding   programs that would decide the rest
    fit         all of it, judged on figures that were not used   report     as text, as JSON

`neonsim cores fit NAME`; needs OR-tools (`neonsim[search]`).
"""

from __future__ import annotations

from neonsim.arm.timing.fitting.fit import Fit, FittedNumber, Judged, Loop, fit
from neonsim.arm.timing.fitting.report import as_json, as_text

__all__ = ["Fit", "FittedNumber", "Judged", "Loop", "as_json", "as_text", "fit"]
