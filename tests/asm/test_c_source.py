"""C through the compilers that are here: the right values, the right lines, one clear error where there is none."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.asm import c_source, load_c
from neonsim.errors import BadArgument, CompilerError

DOT = """#include <arm_neon.h>

int32_t dot(const int8_t *a, const int8_t *b, long n) {
    int32x4_t sum = vdupq_n_s32(START);
    for (long i = 0; i < n; i += 8) {
        int16x8_t product = vmull_s8(vld1_s8(a + i), vld1_s8(b + i));
        sum = vpadalq_s16(sum, product);
    }
    int32_t lanes[4];
    vst1q_s32(lanes, sum);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}
"""
FOUND = [(isa, name) for isa in ("aarch64", "aarch32") for name in c_source.compilers(isa)]
every_compiler = pytest.mark.parametrize(("isa", "compiler"), FOUND or [pytest.param("", "", marks=pytest.mark.skip(
    "no cross compiler: make system-packages"))])


@every_compiler
@pytest.mark.parametrize("level", ["0", "2", "3"])
def test_values_and_lines(isa: str, compiler: str, level: str) -> None:
    program = load_c(DOT, isa, compiler=compiler, options=[f"-O{level}", "-DSTART=5"])
    machine = ns.Machine(isa)
    a, b = (np.arange(24, dtype=np.int8) * k - 30 for k in (3, -5))
    places = [machine.memory.place(x, name=name) for x, name in ((a, "a"), (b, "b"))]
    result = machine.call(program, *places, 24, entry="dot")
    assert np.int32(np.uint32(result.returned & 0xFFFFFFFF)) == int(a.astype(int) @ b.astype(int)) + 20
    # The multiplication, an inlined function of a header, belongs to the line that calls it.
    lines = {str(i): origin for i, origin in zip(program.instructions, program.origins, strict=True)}
    (multiply,) = [origin for text, origin in lines.items() if re.match(r"v?s?mull", text)][:1]
    assert multiply == ((0, "") if level == "0" else (6, DOT.splitlines()[5].strip())) or level == "0"
    assert sum(n > 0 for n, _ in program.origins) >= len(program) * 3 // 4
    assert "// C 6  int16x8_t" in "\n".join(program.lines)
    text = result.trace.text()
    assert re.search(r"^ +7 \| sum = vpadalq_s16\(sum, product\);$", text, re.M)
    assert pickle.loads(pickle.dumps(program)).origins == program.origins


@pytest.mark.skipif(not FOUND, reason="no cross compiler: make system-packages")
def test_what_the_compiler_says(tmp_path: Path) -> None:
    with pytest.raises(CompilerError, match=r"cell\.c:1:\d+: error: .*undeclared") as caught:
        load_c("int f(void) { return x; }", FOUND[0][0])
    assert "/tmp" not in str(caught.value)
    path = tmp_path / "mine.c"
    path.write_text('#include "mine.h"\nint f(void) { return MINE; }\n')
    with pytest.raises(CompilerError, match=r"mine\.h"):
        load_c(path)
    (tmp_path / "mine.h").write_text("#define MINE 7\n")
    assert ns.Machine().call(load_c(path), entry="f").returned == 7
    with pytest.raises(CompilerError):
        load_c(path.read_text())
    assert ns.Machine().call(load_c(path.read_text(), include=[tmp_path])).returned == 7


@pytest.mark.skipif(not FOUND, reason="no cross compiler: make system-packages")
def test_a_comment_cannot_break_out() -> None:
    program = load_c("int f(int x) { /* a \\ b */ return x * 3; // end\\\n\n}\n")
    assert ns.Machine().call(program, 5).returned == 15
    assert ns.assemble(str(program), isa="aarch64") == program


@pytest.mark.parametrize("option", ["-fplugin=x.so", "-o/tmp/x", "@file", "-Wl,-x", "-Wp,-x", "-B.", "-specs=x", "-x",
                                    "-include/etc/passwd", "file.c", "-wrapper", "", 3])
def test_options_that_are_not_taken(option: Any) -> None:
    with pytest.raises(BadArgument, match="is not taken"):
        load_c("int x;", options=[option])


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_source, "compilers", lambda isa: {})
    with pytest.raises(CompilerError, match=r"no C compiler for aarch64 here: install .*pip install ziglang"):
        load_c("int x;")
    with pytest.raises(CompilerError, match="there is no zig for aarch32 here"):
        load_c("int x;", "aarch32", compiler="zig")
    for wrong, words in (({"isa": "mips"}, "no instruction set"), ({"compiler": "tcc"}, "no compiler 'tcc'"),
                         ({"include": ["/nowhere"]}, "no folder")):
        with pytest.raises(BadArgument, match=words):
            load_c("int x;", **wrong)


@pytest.mark.skipif(not FOUND, reason="no cross compiler: make system-packages")
def test_a_compiler_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_source, "LONGEST_COMPILE", 0.05)
    with pytest.raises(CompilerError, match="took longer than"):
        load_c("#define A(x) x+x+x+x+x+x+x+x\nint y = " + "A(" * 8 + "1" + ")" * 8 + ";", FOUND[0][0])
