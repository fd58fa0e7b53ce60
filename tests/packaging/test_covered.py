"""The figure of `make coverage`: what it makes of a report of coverage.py."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any


def covered() -> ModuleType:
    spec = importlib.util.spec_from_file_location("covered", Path(__file__).parents[1] / "covered.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_rooms_are_folders_and_single_modules() -> None:
    def lines(ran: int, there: int) -> dict[str, Any]:
        return {"summary": {"covered_lines": ran, "num_statements": there}}

    report = {"totals": {"percent_covered": 72.25, "num_statements": 40}, "files": {
        "neonsim/arm/isa/add.py": lines(9, 10), "neonsim/arm/isa/forms/form.py": lines(1, 10),
        "neonsim/errors.py": lines(9, 9), "neonsim/cli/run.py": lines(2, 11), "neonsim/cli/__init__.py": lines(0, 0),
        "neonsim/empty/__init__.py": lines(0, 0)}}
    module = covered()
    assert module.rooms(report) == {"arm": (10, 20), "errors": (9, 9), "cli": (2, 11)}
    text = module.said(report)
    assert text.splitlines()[0] == "coverage: 72.2 % of 40 lines of neonsim. Least covered:"
    assert [row.split()[0] for row in text.splitlines()[1:]] == ["cli", "arm", "errors"]
