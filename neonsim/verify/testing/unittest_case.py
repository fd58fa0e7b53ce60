"""The words of a test for unittest: a TestCase with a judge, set by the variables of its environment.

    NEONSIM_SEED=7 NEONSIM_ENGINE=compiled NEONSIM_ARTIFACTS=pages NEONSIM_UPDATE=1 python -m unittest
"""

from __future__ import annotations

import os
import sys
import unittest
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.ukernel import Case

from .cases import Cases
from .cycles import Baselines, Cycles
from .failure import Artifacts
from .function import Function
from .judge import Judge

__all__ = ["TestCase"]


class TestCase(unittest.TestCase):
    """A case of unittest with `self.neon`, a `Judge` whose files are named from the module's folder on."""

    neon: Judge

    def setUp(self) -> None:
        """Make a judge for each test. Raises BadArgument for a seed that is no number."""
        super().setUp()
        folder = Path(getattr(sys.modules[type(self).__module__], "__file__", None) or ".").parent
        seed = os.environ.get("NEONSIM_SEED", "0")
        if not seed.isdigit():
            raise BadArgument(f"NEONSIM_SEED must be a number; got {seed!r}")
        pages = os.environ.get("NEONSIM_ARTIFACTS")
        self.neon = Judge(folder, as_int(int(seed), "NEONSIM_SEED", 0), os.environ.get("NEONSIM_ENGINE"),
                          Artifacts(Path(pages) if pages else None, self.id()),
                          Baselines(folder / "neonsim-baselines.json", bool(os.environ.get("NEONSIM_UPDATE"))))

    def assertEqualTo(self, function: Function, reference: Callable[..., Any],
                      cases: Cases | Case | Iterable[Case] | None = None, *, ulps: int = 0) -> None:
        """As `Judge.equal`."""
        self.neon.equal(function, reference, cases, ulps=ulps)

    def assertContract(self, name: str, source: str | Path, **options: Any) -> None:
        """As `Judge.contract`, a subtest for each class of sizes."""
        for shape in self.neon.contract_classes(name, source, **options):
            with self.subTest(shape=shape):
                self.neon.contract(name, source, shape, **options)

    def assertAgree(self, call: Callable[..., Any], *inputs: Any, **options: Any) -> None:
        """As `Judge.agree`."""
        self.neon.agree(call, *inputs, **options)

    def assertNoSlower(self, cycles: Cycles) -> None:
        """At most as many cycles as the file of baselines has; NEONSIM_UPDATE=1 writes them there."""
        self.assertTrue(cycles <= self.neon.baseline)
        self.neon.baselines.write()
