"""Lines to read: those with recorded results (tests/conformance), a few of each form, or all."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "conformance"))
