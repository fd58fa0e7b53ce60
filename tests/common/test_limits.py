"""Every bound of the table is one that something passes, or that is really used."""

from __future__ import annotations

import re

from neonsim.common.limits import LIMITS, limits_table
from tests.syntax import sources


def test_every_limit_is_used() -> None:
    statement = re.compile(r"^ *from [\w.]*\blimits import (\([^)]*\)|.*)$", re.M)
    used = {word for _, text in sources() for names in statement.findall(text) for word in re.findall(r"\w+", names)}
    unused = sorted(LIMITS.keys() - used)
    assert not unused, f"in neonsim/common/limits.py, but used nowhere: {', '.join(unused)}"


def test_the_table_prints() -> None:
    lines = limits_table().splitlines()
    assert len(lines) == len(LIMITS)
    assert all(re.fullmatch(r"[A-Z_]+ +[\d,]+  \S.*", line) for line in lines)
