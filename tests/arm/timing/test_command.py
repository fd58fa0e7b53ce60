"""`neonsim time`: loops and calls, every report, every refusal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neonsim.cli import main

SUM = """
.global sum
sum:    movi    v4.4s, #0
0:      ld1     {v0.16b}, [x0], #16
        uaddlp  v1.8h, v0.16b
        uadalp  v4.4s, v1.8h
        subs    x1, x1, #16
        b.ne    0b
        st1     {v4.4s}, [x2]
        ret
"""
KERNEL = "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"


@pytest.fixture
def program(tmp_path: Path) -> list[str]:
    path = tmp_path / "sum.s"
    path.write_text(SUM, encoding="utf-8")
    return ["time", str(path), "--isa", "aarch64"]


CALL = ["a=u8*512:1", "512", "c=out:16"]


def test_whole_call_with_caches(program: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--core", "cortex-a55", "--caches", "cold", "--no-prefetch", "--lines", "--ports", "--path"]
    assert main([*program, *CALL, *options]) == 0
    text = capsys.readouterr().out
    assert "caches cold at first, stream prefetcher off" in text and "memory" in text
    assert "uaddlp v1.8h, v0.16b" in text and "longest chain" in text and "64-bit half of the NEON datapath" in text
    row = next(line for line in text.splitlines() if line.endswith("   a"))
    assert row.split() == ["32", "0", "512", "0", "8", "8", "0", "a"]
    lines = [line.split() for line in text.partition("cycles by line")[2].partition("\n\n")[0].splitlines()[1:]]
    assert max(lines, key=lambda words: max(float(w) for w in words if w.replace(".", "").isdigit()))[1] == "uaddlp"


def test_json_holds_what_the_reports_say(program: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*program, *CALL, "--core", "cortex-a55,cortex-a76", "--caches", "warm", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["core"] for row in found] == ["cortex-a55", "cortex-a76"]
    modeled = found[0]["modeled"]
    assert modeled["caches"] == "warm" and modeled["traffic"]["c"]["bytes_written"] == 16
    assert sum(modeled["lines"].values()) == pytest.approx(modeled["cycles"])
    assert modeled["units"]["branch"] == 33


def test_two_kernels_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "two.html"
    other = "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"
    assert main(["time", KERNEL, "--compare", other, "--core", "cortex-a72", "--html", str(page)]) == 0
    assert page.read_text(encoding="utf-8").count("aarch32_neon_mlal_lane") >= 2
    text = capsys.readouterr().out
    assert text.count("cortex-a72") >= 4 and "issued" in text and "MAC per" in text


def test_page_and_log(program: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, log = tmp_path / "t.html", tmp_path / "t.kanata"
    assert main([*program, *CALL, "--caches", "cold", "--html", str(page), "--konata", str(log)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "caches cold at first" in text and "hits L1" not in text
    for heading in ("Lower bounds", "Memory by buffer", "Cost by line", "Longest chain", "vector registers alive"):
        assert heading in text
    assert log.read_text(encoding="utf-8").startswith("Kanata\t0004\n")


@pytest.mark.parametrize(("options", "says"), [
    (["--caches", "cold"], "needs the addresses of a call"),
    ([*CALL, "--loop", "0"], "Use one of them"),
    (["--core", "cortex-a5"], "There is no core 'cortex-a5' (did you mean"),
    (["--core", "cortex-a53,cortex-a55", "--konata", "x"], "one kernel and one core"),
    (["--compare", KERNEL, "--konata", "x"], "one kernel and one core"),
    (["--loop", "nowhere"], "No branch goes back to 'nowhere'"),
    (["--iterations", "0"], "iterations must be 1 or more; got 0"),
], ids=["caches_of_a_loop", "loop_of_a_call", "core", "log_of_two_cores", "log_of_two_kernels", "loop",
        "no_iteration"])
def test_refusals(program: list[str], options: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*program, *options]) == 2
    assert says in capsys.readouterr().err
