"""`neonsim trace --compare` and `--compare-flags`: another program, or the same C compiled another way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neonsim.arm.asm.c.compile import compilers
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
    call = ["trace", str(one), "--isa", "aarch64", "a=s32:5,3", "c=out:4", "--compare", str(two)]
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
    call = ["trace", str(file), "a=s32:1,2,3,4", "c=out:16", "-D", "K=2", "--compare-flags"]
    assert main([*call, "-O0"]) == 0
    out = capsys.readouterr().out
    assert "-O2 -DK=2): " in out and "-O0 -DK=2): " in out and "the same bytes in c" in out
    assert main([*call, "-O3 -DK=5"]) == 0
    out = capsys.readouterr().out
    assert "It reaches c[0]" in out and "(C line 2)" in out


LOOP = {"aarch64": "0: add v0.4s, v0.4s, v0.4s\n subs x0, x0, #1\n b.ne 0b\n ret\n",
        "aarch32": "0: vadd.i32 q0, q0, q0\n subs r0, r0, #1\n bne 0b\n bx lr\n"}


@pytest.mark.parametrize("isa", LOOP)
@pytest.mark.parametrize("declares", [None, "first", "second"])
def test_an_instruction_set_is_said_once(isa: str, declares: str | None, tmp_path: Path,
                                         capsys: pytest.CaptureFixture[str]) -> None:
    """For the first program, by --isa or its header, or for each its own."""
    names = [tmp_path / f"{name}.S" for name in ("first", "second")]
    for path in names:
        path.write_text((f"//! isa: {isa}\n" if path.stem == declares else "") + LOOP[isa])
    said = [] if declares == "first" else ["--isa", isa]
    for words in (["time", "--compare", str(names[1])], ["trace", "2", "--no-sanitize", "--compare", str(names[1])]):
        assert main([words[0], str(names[0]), *said, *words[1:]]) == 0
        assert "second" in capsys.readouterr().out
    other = next(one for one in LOOP if one != isa)
    names[1].write_text(f"//! isa: {other}\n{LOOP[other]}")
    assert main(["time", str(names[0]), *said, "--compare", str(names[1])]) == 0


DOTPROD = """#include <arm_neon.h>
void f(int32_t *o, const int8_t *a) { vst1q_s32(o, vdotq_s32(vdupq_n_s32(LEAST), vld1q_s8(a), vld1q_s8(a))); }
"""


@needs_compiler
def test_options_for_the_compiler(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Any number of them, and no feature without one; what is no option for C is refused in every command."""
    path = tmp_path / "f.c"
    path.write_text(DOTPROD)
    call = [str(path), "c=out:s32*4", "s8:1,2,3,4,5,6,7,8,0,0,0,0,1,1,1,1", "-O", "1"]
    assert main(["run", *call, "-D", "LEAST=3"]) == 2
    assert "add --compiler-option -march=armv8.2-a+dotprod (in Python" in capsys.readouterr().err
    given = ["--compiler-option", "-march=armv8.2-a+dotprod", "--compiler-option", "-DLEAST=3"]
    for words in (["run", *call], ["trace", *call], ["time", *call, "--core", "cortex-a55"]):
        assert main([*words, *given]) == 0
        assert words[0] != "run" or ["33", "177", "3", "7"] in map(str.split, capsys.readouterr().out.splitlines())
    for word in ("-fplugin=x", "-wrapper", "@x", "-ox", "-I/"):
        assert main(["run", *call, f"--compiler-option={word}"]) == 2
        assert "is not allowed" in capsys.readouterr().err
    for command in (["run"], ["time"], ["trace"], ["run", "--emit-c", "program"], ["check"]):
        assert main([*command, "qu8_sumrows_4x__aarch32_neon", *given]) == 2
        assert "for C files" in capsys.readouterr().err


@needs_compiler
def test_a_compiler_is_for_what_is_compiled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    c, text = tmp_path / "f.c", tmp_path / "g.S"
    c.write_text("void f(unsigned char *o, int n) { for (int i = 0; i < n; i++) o[i] += 3; }\n")
    text.write_text(LOOP["aarch64"])
    compiler = next(iter(compilers("aarch64")))
    for first, second in ((c, text), (text, c)):
        assert main(["time", str(first), "--isa", "aarch64", "--compiler", compiler, "--compare", str(second)]) == 0
        assert "f" in capsys.readouterr().out


@pytest.mark.parametrize(("words", "says"), [
    (["qu8_sumrows_4x__aarch32_neon", "--compare-flags", "-O0"],
     "Use a C file, or --compare with another program."),
    (["qu8_sumrows_4x__aarch32_neon", "--compiler", "gcc"], "is for C"),
    (["qu8_sumrows_4x__aarch32_neon", "--caches", "cold", "--html", "x.html"], "--caches needs a core"),
], ids=["no_c", "compiler_of_a_kernel", "caches_of_no_core"])
def test_refused(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", *words]) == 2 and says in capsys.readouterr().err
