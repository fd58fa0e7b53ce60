"""The browser of tests/browser, for the site too."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.browser.conftest import chromium  # noqa: F401
