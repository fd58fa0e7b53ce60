"""What is computed is as the hashes say; `python -m tests.golden --renew` is for what should not be."""

from __future__ import annotations

import pytest

from tests.golden import GROUPS, compare


def as_kept(group: str, long: bool) -> None:
    found = compare(group, long)
    assert not found.changes and not found.wrong, "\n".join([*found.changes, *found.wrong])
    if found.missing:
        pytest.skip("what was computed is right; not compared: " + "; ".join(found.missing))
    assert found.rows


@pytest.mark.parametrize("group", GROUPS)
def test_quick_rows(group: str) -> None:
    as_kept(group, False)


@pytest.mark.nightly
@pytest.mark.parametrize("group", GROUPS)
def test_all_rows(group: str) -> None:
    as_kept(group, True)
