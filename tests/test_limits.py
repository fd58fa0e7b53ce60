"""Every bound of the table is one that something passes, or that is really used."""

from __future__ import annotations

import re
from pathlib import Path

import neonsim
from neonsim.limits import LIMITS, limits_table

ROOT = Path(neonsim.__file__).parent


def test_every_limit_is_used() -> None:
    text = "\n".join(path.read_text("utf-8") for path in ROOT.rglob("*.py") if path.name != "limits.py")
    unused = [name for name in LIMITS if not re.search(rf"import .*\b{name}\b|^ +{name},$", text, re.M)]
    assert not unused, f"in neonsim/limits.py, but used nowhere: {', '.join(unused)}"


def test_the_table_prints() -> None:
    lines = limits_table().splitlines()
    assert len(lines) == len(LIMITS)
    assert all(re.fullmatch(r"[A-Z_]+ +[\d,]+  \S.*", line) for line in lines)
