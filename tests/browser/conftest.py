"""A real browser for the tests of this folder: Chromium from the system, driven by Playwright."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.browser.running import BROWSERS

PATIENCE = 120_000      # milliseconds: a wait in a page ends before only where something hangs
FLAGS = ["--no-sandbox", "--disable-gpu", "--in-process-gpu", "--no-zygote", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]
SIZE = {"width": 1280, "height": 1000}


def chromium_path() -> str | None:
    named = os.environ.get("NEONSIM_CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Tab:
    """One page for many tests: making a new one costs three times as much as opening a file in it.

    page       Playwright's Page            errors     of scripts and on the console, since the last `open`
    requests   every address asked for since then
    """

    def __init__(self, browser: Any) -> None:
        self.page = browser.new_page(viewport=SIZE)
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.page.on("request", lambda request: self.requests.append(request.url))

    def open(self, path: Path, width: int = SIZE["width"]) -> Any:
        """A file with a stepper on it, as in a new page. Its errors are shown if no stepper appears."""
        self.page.goto("about:blank")
        self.page.set_viewport_size({**SIZE, "width": width})
        self.page.emulate_media(color_scheme="light", reduced_motion="no-preference", forced_colors="none")
        self.errors.clear()
        self.requests.clear()
        self.page.goto(path.as_uri())
        try:
            self.page.wait_for_selector(".nsim[data-step]")
        except Exception as problem:
            raise AssertionError(f"no stepper in {path}: {self.errors}") from problem
        return self.page


def _patient(make: Callable[..., Any]) -> Callable[..., Any]:
    """What makes pages, or contexts of pages, in which no wait ends before `PATIENCE`."""
    def made(*given: Any, **options: Any) -> Any:
        one = make(*given, **options)
        one.set_default_timeout(PATIENCE)
        return one
    return made


@pytest.fixture(scope="session")
def tab(chromium: object) -> Iterator[Tab]:
    one = Tab(chromium)
    yield one
    one.page.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """A running browser (Playwright's Browser)."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install playwright")
    path = chromium_path()
    if path is None or not Path(path).exists():
        pytest.skip("needs Chromium: install it (Debian: apt-get install chromium) or name it in NEONSIM_CHROMIUM")
    if BROWSERS:        # of the same fixture, as another folder has it
        yield BROWSERS[0]
        return
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS, headless=True, timeout=PATIENCE)
        for name in ("new_page", "new_context"):
            setattr(browser, name, _patient(getattr(browser, name)))
        BROWSERS.append(browser)
        yield browser
        BROWSERS.clear()
        browser.close()
