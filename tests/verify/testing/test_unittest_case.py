"""The same words for unittest."""

from __future__ import annotations

import io
import unittest
from pathlib import Path

import numpy as np
import pytest

import neonsim as ns
from neonsim.errors import BadArgument
from neonsim.verify.testing import Cases, TestCase

ADD = """//! isa: aarch64
//! prototype: void add(const uint8_t a[n], const uint8_t b[n], uint8_t sum[n], size_t n)
add:
    ldrb    w4, [x0], #1
    ldrb    w5, [x1], #1
    add     w4, w4, w5
    strb    w4, [x2], #1
    subs    x3, x3, #1
    b.ne    add
    ret
"""


class Mine(TestCase):
    __test__ = False    # run by unittest alone
    folder: Path

    def setUp(self) -> None:
        super().setUp()
        self.neon.folder = self.folder
        self.neon.baselines.path = self.folder / "cycles.json"

    def test_add(self) -> None:
        self.assertEqualTo(self.neon.load("add.S"), np.add, Cases(deep=False))

    def test_saturating(self) -> None:
        self.assertEqualTo(self.neon.load("add.S"), lambda a, b: np.minimum(a.astype(int) + b, 255))

    def test_contract(self) -> None:
        self.assertContract("qu8_sumrows", "sums.S")

    def test_agree(self) -> None:
        self.neon.backends = ("a", "b")
        self.assertAgree(lambda backend: np.zeros(2))

    def test_cycles(self) -> None:
        self.assertNoSlower(self.neon.cycles(self.neon.load("add.S"), a=[1], b=[2]))


def results(names: list[str]) -> unittest.TestResult:
    return unittest.TextTestRunner(io.StringIO()).run(unittest.TestSuite(Mine(name) for name in names))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    Mine.folder = tmp_path
    (tmp_path / "add.S").write_text(ADD)
    (tmp_path / "sums.S").write_text(ns.kernel("qu8_sumrows_4x__aarch64_neon").source)
    return tmp_path


def test_what_passes_and_what_fails(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEONSIM_ARTIFACTS", str(folder / "pages"))
    found = results(["test_add", "test_contract", "test_agree", "test_saturating"])
    assert found.testsRun == 4 and not found.errors, found.errors
    ((case, text),) = found.failures
    assert "test_saturating" in str(case) and "sum[0] should be 255, is 254" in text
    assert len(list((folder / "pages").iterdir())) == 1


def test_cycles_are_accepted_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no baseline" in results(["test_cycles"]).failures[0][1]
    monkeypatch.setenv("NEONSIM_UPDATE", "1")
    assert results(["test_cycles"]).wasSuccessful()
    monkeypatch.delenv("NEONSIM_UPDATE")
    assert results(["test_cycles"]).wasSuccessful()


def test_settings_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEONSIM_SEED", "x")
    with pytest.raises(BadArgument, match="NEONSIM_SEED must be a number; got 'x'"):
        Mine("test_add").setUp()
