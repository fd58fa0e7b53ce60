"""A failing test in words: at most 25 lines of 100 columns, and a page that replays the call."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap

import numpy as np

from neonsim.ukernel import Case
from neonsim.ukernel.case import RETURNED
from neonsim.verify.checking import FailingCase

from .remedy import remedy_of

__all__ = ["COLUMNS", "LINES", "FunctionFailure", "fitted", "mismatch"]

LINES, COLUMNS = 25, 100
REPORTED = 12   # lines of the sanitizer's report and of the definition's arithmetic


class FunctionFailure(AssertionError):
    """A function that is not what its test says; its text is what is shown, without a traceback.

    failing   FailingCase | None   the smallest call that fails
    page      Path | None          the page that replays it
    """

    failing: FailingCase | None = None
    page: Path | None = None


@dataclass(frozen=True)
class Artifacts:
    """Where pages of failing calls go.

    folder   Path | None   None: they are not written
    test     str           name of the test, which names the page
    """

    folder: Path | None = None
    test: str = ""
    command: str = ""
    _written: list[Path] = field(default_factory=list)

    def page(self, failing: FailingCase, name: str) -> Path | None:
        """Return the page that replays a failing call, if pages are asked for and a call was recorded."""
        if self.folder is None or failing.trace is None:
            return None
        self.folder.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"[^A-Za-z0-9_.-]+", "-", f"{self.test or name}")[-100:].strip("-.") or "failing"
        path = self.folder / f"{stem}{f'-{len(self._written)}' if self._written else ''}.html"
        self._written.append(path)
        return failing.to_html(path, name)


def mismatch(name: str, reference: str, failing: FailingCase, case: Case | None,
             artifacts: Artifacts) -> FunctionFailure:
    """Return the error of a function that differs: smallest case, element, both values, instruction, cause, remedy,
    page.

    case   the failing call; None of a kernel's contract that fails only beside other calls
    """
    sizes = ", ".join(f"{size} = {n}" for size, n in failing.sizes.items())
    rows = [f"{name} is not equal to {reference}.", f"smallest case: {sizes}{'   ' if sizes else ''}[{failing.case}]"]
    remedy = ""
    if failing.report:
        rows += ["", *_report(failing.report)]
    else:
        rows.append(f"first wrong element: {failing.message}")
        rows += [f"  {line}" for line in failing.arithmetic[:REPORTED - 4]]
        rows += [f"  {failing.provenance}"] if failing.provenance else []
        rows += [f"  {line.strip()}" for line in failing.writing_step.splitlines()]
    if case is not None:
        cause, remedy = remedy_of(failing, case, _dtype(failing, case))
        rows += [f"cause: {cause}"] if cause else []
    rows += [f"remedy: {remedy}"] if remedy else []
    page = artifacts.page(failing, name)
    if page is not None:
        rows.append(f"stepper: {page}")
    elif failing.trace is not None:
        rows.append("stepper: --neonsim-artifacts DIR writes a page that replays this call")
    if artifacts.command:
        rows.append(f"again: {artifacts.command}")
    error = FunctionFailure(fitted(rows))
    error.failing, error.page = failing, page
    return error


def _report(text: str) -> list[str]:
    """A report of the sanitizer: its sentence and its last steps, the middle left out."""
    rows = text.splitlines()
    return rows if len(rows) <= REPORTED else [*rows[:REPORTED - 5], "  ...", *rows[-4:]]


def _dtype(failing: FailingCase, case: Case) -> str:
    if failing.region == RETURNED:
        return case.contract.returns
    if not failing.region:
        return "uint8"
    return case.memory[failing.region].dtype or np.dtype(np.uint8).name


def fitted(rows: list[str]) -> str:
    """Lines that fit: long ones are folded, paths are not; of too many the middle is left out."""
    found: list[str] = []
    for row in rows:
        indent = " " * (len(row) - len(row.lstrip()) + 2)
        found += wrap(row, COLUMNS, subsequent_indent=indent, break_on_hyphens=False) if len(row) > COLUMNS else [row]
    if len(found) > LINES:
        found = [*found[:LINES - 9], "  ...", *found[-8:]]
    return "\n".join(found)
