"""`neonsim trace --beside`: another program, or the same C compiled another way; where their data begin to differ."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neonsim.asm.c_source import compilers
from neonsim.cli import main

SUM = """        .global sum
sum:    ldp     w2, w3, [x0]
        add     w2, w2, w3
        str     w2, [x1]
        ret
"""
TWICE = "#include <stdint.h>\nvoid f(const int32_t *a, int32_t *c) { for (int i = 0; i < 4; i++) c[i] = a[i] * K; }\n"
needs_compiler = pytest.mark.skipif(not compilers("aarch64"), reason="needs a cross compiler: make system-packages")


def test_two_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = tmp_path / "sum.s", tmp_path / "difference.s"
    one.write_text(SUM)
    two.write_text(SUM.replace("        add", "        mov     x9, #3\n        sub"))
    call = ["trace", str(one), "--isa", "aarch64", "a=s32:5,3", "c=out:4", "--beside", str(two)]
    assert main(call) == 0
    assert capsys.readouterr().out == (
        "left  sum: 4 steps (counted)\nright difference: 5 steps (counted)\n"
        "First difference of data: x2 is 8 left, 2 right: left written by step 2 in line 3, right written by step 3 in "
        "line 4; different arithmetic made them. It reaches c[0].\n")
    assert main([*call, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["every"] == [[2, 3, 1, found["said"].partition(": ")[2]]] and found["results"] == ["c[0]"]
    assert main([*call[:-1], str(one), "--html", str(tmp_path / "page.html")]) == 0
    assert "No difference of data: both runs leave the same bytes in c." in capsys.readouterr().out


@needs_compiler
def test_one_c_file_two_ways(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.c"
    file.write_text(TWICE)
    call = ["trace", str(file), "a=s32:1,2,3,4", "c=out:16", "-D", "K=2", "--beside"]
    assert main([*call, "-O0"]) == 0
    out = capsys.readouterr().out
    assert "-O2 -DK=2): " in out and "-O0 -DK=2): " in out and "the same bytes in c" in out
    assert main([*call, "-O3 -DK=5"]) == 0
    out = capsys.readouterr().out
    assert "It reaches c[0]" in out and "(C line 2)" in out


@pytest.mark.parametrize(("words", "says"), [
    (["qu8_sumrows_4x__aarch32_neon", "--beside", "-O0"], "is not compiled. Give a C file, or name another program."),
    (["qu8_sumrows_4x__aarch32_neon", "--compiler", "gcc"], "is for C"),
    (["qu8_sumrows_4x__aarch32_neon", "--caches", "cold", "--html", "x.html"], "--caches are those of a core"),
], ids=["no_c", "compiler_of_a_kernel", "caches_of_no_core"])
def test_refused(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", *words]) == 2 and says in capsys.readouterr().err
