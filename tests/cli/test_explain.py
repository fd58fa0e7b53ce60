"""`neonsim explain`: every subject answers, and refuses with a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neonsim.cli import main

LAYER = ["--x", "1x6x6x8", "--w", "8x3x3x8", "--padding", "1"]


@pytest.mark.parametrize(("arguments", "words"), [
    (["operator", "conv2d", *LAYER], "a window of 9 taps"),
    (["operator", "conv2d", "--x", "1x6x6x8", "--w", "8x3x3x1", "--groups", "8", "--isa", "aarch64"], "3pixels"),
    (["operator", "deconv2d", "--x", "1x3x3x8", "--w", "8x3x3x4", "--stride", "2"], "read the zero buffer"),
    (["operator", "fully_connected", "--x", "4x8", "--w", "8x8", "--backend", "reference"], "by definition"),
    (["operator", "conv2d", "--x", "1x2x2x64", "--w", "8x1x1x64", "--core", "cortex-a72", "--isa", "aarch32"],
     "from depth 64 on"),
    (["conv-lowerings", *LAYER], "im2col"),
    (["packing", "--kr", "2", "--sr", "8", "--at", "34"], "weight of channel 1, depth 2"),
    (["packing", "--n", "12", "--depthwise", "10,10,5", "--at", "350"], "pass 1, block 1"),
    (["indirection", "--padding", "1", "--at", "5"], "entry 5: image 0, output (0, 1), tap (0, 1)"),
    (["indirection", "--rows", "--stride", "2"], "pointers (rows)"),
    (["indirection", "--deconvolution", "--stride", "2", "--kernel", "2x2"], "zero buffer"),
    (["traffic", "--k", "32", "--block", "16", "--isa", "aarch32"], "two-pass"),
    (["cache-sets", "--rows", "8", "--length", "1024", "--pitch", "8192"], "1024 misses"),
], ids=lambda value: "-".join(value[:2]) if isinstance(value, list) else None)
def test_it_answers(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *arguments]) == 0
    assert words in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "words"), [
    (["operator", "conv2d", "--x", "1x6x6", "--w", "8x3x3x8"], "[batch, height, width, channels]"),
    (["operator", "conv2d", "--x", "one", "--w", "8x3x3x8"], "integers joined by x"),
    (["packing", "--depthwise", "ten"], "numbers of taps"), (["packing", "--at", "9999"], "offset must be in"),
    (["indirection", "--kernel", "9x9"], "no output pixel is left"), (["indirection", "--size", "1x2x3"], "2 sizes"),
    (["traffic", "--block", "0"], "block must be in"),
], ids=lambda value: "-".join(value) if isinstance(value, list) else None)
def test_it_refuses(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [
    ["packing"], ["packing", "--depthwise", "9"], ["indirection"], ["indirection", "--rows"],
], ids=lambda a: "-".join(a[:2]))
def test_pictures_are_written(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "picture.svg"
    assert main(["explain", *arguments, "--svg", str(target)]) == 0
    assert target.read_text().startswith("<svg") and "wrote" in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "words"), [
    (["registers", "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"], "vacc[3] hi"),
    (["mix", "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"], "3.20"),
    (["mix", "--contract", "qu8_dwconv_q31"], "qu8_dwconv_q31_8x9"),
    (["pressure", "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"], "15 of 16 vector registers alive"),
], ids=lambda value: value[0] if isinstance(value, list) else None)
def test_what_kernels_are_made_of(arguments: list[str], words: str, tmp_path: Path,
                                  capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kernels", *arguments, "--svg", str(tmp_path / "picture.svg")]) == 0
    assert words in capsys.readouterr().out and (tmp_path / "picture.svg").read_text().startswith("<svg")
    assert main(["kernels", "registers", "nobody"]) == 2
    assert "There is no kernel" in capsys.readouterr().err


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "conv-lowerings", *LAYER, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["lowering"] for row in rows} == {"indirect", "im2col"} and all(row["equal"] for row in rows)
    assert main(["kernels", "mix", "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["macs"] == 512
