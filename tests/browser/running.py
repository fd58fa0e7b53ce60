"""The browser that runs in this process: Playwright starts once, and fixtures of several folders share it."""

from __future__ import annotations

from typing import Any

BROWSERS: list[Any] = []
