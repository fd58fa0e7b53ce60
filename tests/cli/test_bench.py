"""`neonsim bench`: the form of its answer, not its speed."""

from __future__ import annotations

import json

import pytest

from neonsim.asm import assemble
from neonsim.backends import native_library
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


def test_chosen_cases(capsys: pytest.CaptureFixture[str]) -> None:
    """Words choose cases; one that is in no name is an error that lists the names."""
    if native_library.available() is not None:
        pytest.skip(str(native_library.available()))
    assert main(["bench", "gemm", "--quick", "--json", "--only", "pw_49,fc_1x"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["name"] for row in rows] == ["pw_49x1024x1024", "fc_1x1024x1001"]
    assert all(0 < row["value"] <= row["median"] and row["percent_of_peak"] > 0 for row in rows)
    assert main(["bench", "gemm", "--quick", "--only", "pw_50"]) != 0
    assert "no case of gemm has 'pw_50' in its name; there are pw_12544x32x64, " in capsys.readouterr().err


@pytest.mark.parametrize(("what", "option"), [("emulator", "--only=pw"), ("timing", "--peers"), ("gemm", "--layers"),
                                              ("articles", "--padding=even")])
def test_options_of_other_benchmarks_are_refused(what: str, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", what, option]) != 0
    assert f"{option.split('=')[0]} does nothing for `neonsim bench {what}`" in capsys.readouterr().err


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
