"""The page of a failing call: the wrong element is a lane of its step, and selected; the head says what is wrong."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.learn.course import solution

pytestmark = [pytest.mark.browser, pytest.mark.nightly]

SHOTS = os.environ.get("NEONSIM_SCREENSHOTS")  # a folder: pictures for a person to look at


@pytest.mark.parametrize(("name", "old", "new"), [
    ("saturating-add", "uqadd ", "add "), ("channels-of-four", "smax    v3.4s, v3.4s, v4.4s", "nop")],
    ids=["worked out", "stored"])
def test_a_failing_exercise(tab: Any, tmp_path: Path, name: str, old: str, new: str) -> None:
    trouble = ns.Exercise(name).check(solution(name).replace(old, new), seed=3).verdict.trouble
    assert trouble is not None and trouble.stepper_lane is not None and trouble.index is not None
    page = tab.open(trouble.to_html(tmp_path / "failing.html", name), width=1366)
    said = f"{trouble.element} should be {trouble.expected}, is {trouble.got}; made of {', '.join(trouble.inputs)}"
    assert said in page.locator("h1").inner_text() and "\n" not in page.title()
    assert int(page.locator(".nsim").get_attribute("data-step")) == trouble.opening_step
    # The lane is the one that is pressed, and its number that of the element.
    chosen = page.locator(".nsim-picture .nsim-to[aria-pressed=true]")
    assert chosen.count() == 1 and chosen.locator(".nsim-index").text_content() == str(trouble.index[-1])
    # An addition takes no notice of signs: its lanes may be shown without one.
    alike = {str(trouble.got), str(int(trouble.got or 0) % 2**32)}
    assert chosen.locator("text").first.text_content() in alike
    assert page.locator(".nsim-formula b").inner_text().rpartition(" = ")[2] in alike
    found = page.locator(".nsim-finder").inner_text()
    assert f"{trouble.stepper_lane[2]}: last written by step {trouble.opening_step}" in found
    for width, height in ((1366, 768), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if SHOTS:
            page.screenshot(path=str(Path(SHOTS) / f"failing-{name}-{width}.png"))
    assert not tab.errors
