"""`neonsim bench`: the form of its answer, not its speed."""

from __future__ import annotations

import json

import pytest

from neonsim.asm import assemble
from neonsim.cli import bench, main


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "emulator", "--quick", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"machine", "rows"} <= set(found)
    names = [row["name"] for row in found["rows"]]
    assert any("sanitizer" in n for n in names)
    assert any("gathered" in n for n in names)
    for row in found["rows"]:
        assert {"name", "value", "unit", "peer", "peer_value", "ratio"} <= set(row)
        assert row["value"] > 0
        if row["peer"] is not None:
            assert row["ratio"] == pytest.approx(row["value"] / row["peer_value"])


def test_the_encoding_is_that_of_the_text() -> None:
    """Unicorn runs words, we run text: they are the same twenty instructions."""
    capstone = pytest.importorskip("capstone", reason="capstone reads the words back: pip install capstone")
    words = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM).disasm(bench.CODE, 0)
    # SXTL and UXTL are other names of a shift by nothing.
    found = [f"{w.mnemonic} {w.op_str}".replace("ushll", "uxtl").removesuffix(", #0") for w in words]
    ours = [str(i) for i in assemble(bench.LOOP, isa="aarch64").instructions]
    assert len(found) == len(ours) == bench.COUNT
    assert found[:-1] == ours[:-1]
    assert found[-1].startswith("b.ne")
