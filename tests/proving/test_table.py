"""The table of kernels beside the plain one of their contract: the page is whole, and says what is proved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from neonsim.errors import BadArgument
from neonsim.proving.table import Pair, Row, page, pairs, prove_pair
from neonsim.ukernel import kernels

PAGE = Path(__file__).parents[2] / "docs/proofs.md"
ROW = re.compile(r"^- `(\S+)` beside `(\S+)`: \*\*(\w+)\*\* on (.+?)(?:: .*)?$", re.M)


def rows() -> dict[tuple[str, str], tuple[str, str]]:
    return {(found[2], found[1]): (found[3], found[4]) for found in ROW.finditer(PAGE.read_text("utf-8"))}


def test_the_page_has_every_pair() -> None:
    said = rows()
    assert list(said) == [(p.first.name, p.second.name) for p in pairs()], "neonsim prove --table > docs/proofs.md"
    count = sum(verdict == "proved" for verdict, _ in said.values())
    assert f"{count} of {len(said)} pairs are proved" in PAGE.read_text("utf-8")


def test_every_kernel_that_has_company_is_in_it() -> None:
    """Of a contract with kernels of one kind, each is in a pair."""
    found = {k.name for p in pairs() for k in (p.first, p.second)}
    alone = {k.contract.name for k in kernels() if k.name not in found}
    assert all(len({str(k.tile) for k in kernels(name)}) == len(kernels(name)) for name in alone)


def agrees(pair: Pair) -> None:
    row, (verdict, calls) = prove_pair(pair, seconds=5.0), rows()[pair.first.name, pair.second.name]
    if verdict == "unknown" and row.verdict == "proved":
        return  # where solvers have more of the processor, they know more
    assert row.verdict == verdict, row.reason
    assert ", ".join(word for word, _ in pair.calls[:len(row.proofs)]) == calls


@pytest.mark.parametrize("contract", ["x8_zip_x3"])
def test_what_the_page_says_is_proved_again(contract: str) -> None:
    for pair in pairs(contract):
        agrees(pair)
        assert f"`{pair.second.name}`" in page([Row(pair, ())])


@pytest.mark.full
@pytest.mark.parametrize("pair", list(pairs()), ids=lambda p: p.second.name)
def test_the_page_is_true(pair: Pair) -> None:
    agrees(pair)


def test_there_is_no_such_contract() -> None:
    with pytest.raises(BadArgument, match="no kernels of qs8_nothing"):
        list(pairs("qs8_nothing"))
