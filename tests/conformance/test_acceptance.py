"""What GNU as takes and what our assembler takes is the same set of lines, but for what is listed here with its reason."""

from __future__ import annotations

import re

import oracle
import pytest
from cases import decoder, enumerated

pytestmark = pytest.mark.full

# (pattern of lines, why GNU as takes what we refuse)
WIDER = {
    "aarch64": [],
    "aarch32": [],
}  # fmt: skip


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_the_same_lines_are_accepted(isa: str) -> None:
    if reason := oracle.missing(isa):
        pytest.skip(reason)
    decoded = decoder(isa)
    lines = list(enumerated(isa))
    words = oracle.assemble(isa, lines)
    ours = [decoded(line) is not None for line in lines]
    only_ours = [line for line, word, mine in zip(lines, words, ours, strict=True) if mine and word is None]
    assert not only_ours, f"{len(only_ours)} lines GNU as refuses, among them {only_ours[:20]}"
    known = [re.compile(pattern) for pattern, _ in WIDER[isa]]
    only_gas = [line for line, word, mine in zip(lines, words, ours, strict=True)
                if not mine and word is not None and not any(p.search(line) for p in known)]
    assert not only_gas, f"{len(only_gas)} lines only GNU as takes, among them {only_gas[:20]}"
