"""C through the compilers that are here: the right values, the right lines, one clear error where there is none."""

from __future__ import annotations

import ast
import contextlib
import os
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.asm import load_c
from neonsim.arm.asm.c import compile
from neonsim.arm.asm.c.features import missing_options
from neonsim.errors import BadArgument, CompilerError
from tests.tiers import every
from tests.until import until

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
FOUND = [(isa, name) for isa in ("aarch64", "aarch32") for name in compile.compilers(isa)]
every_compiler = pytest.mark.parametrize(("isa", "compiler"), FOUND or [pytest.param("", "", marks=pytest.mark.skip(
    "no cross compiler: make system-packages"))])


# Where much is compiled: the first one here; the others by `make nightly`.
one_compiler = pytest.mark.parametrize(("isa", "compiler"), every(len(FOUND) or 1, FOUND) or [pytest.param(
    "", "", marks=pytest.mark.skip("no cross compiler: make system-packages"))])


@every_compiler
@pytest.mark.parametrize("level", every(3, ["2", "0", "3"]))
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
    text = result.trace.to_text()
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
                                    "-include/etc/passwd", "file.c", "-mllvm", "-fdiagnostics-format=sarif-file",
                                    "-fintegrated-as", "-flto", "-wrapper", "-fmodules", "-fsyntax-only",
                                    "-fcompare-debug",
                                    "-fprofile-generate", "-fauto-profile", "-fstack-usage", "-ftime-trace", "-I/etc",
                                    "-fopt-info-all=x", "-march=../x", "-mfpu=@x", "", 3])
def test_options_that_are_not_taken(option: Any) -> None:
    with pytest.raises(BadArgument, match=r"is not (allowed|supported)"):
        load_c("int x;", options=[option])


OLD_CLANG = """cell.c:2:46: warning: implicit declaration of function 'vmmlaq_s32' is invalid in C99
cell.c:3:30: error: unknown type name 'bfloat16x8_t'; did you mean 'float16x8_t'?"""
NEW_CLANG = "cell.c:2:46: error: always_inline function '{}' requires target feature 'x', but would be inlined into 'f'"
GCC = "arm_neon.h:29527:1: error: inlining failed in call to 'always_inline' '{}': target specific option mismatch"


@pytest.mark.parametrize(("messages", "isa", "options", "wanted"), [
    (GCC.format("vdotq_s32"), "aarch64", ["-O2"], ["-march=armv8.2-a+dotprod"]),
    (NEW_CLANG.format("vdotq_lane_u32"), "aarch64", ["-O2"], ["-march=armv8.2-a+dotprod"]),
    (OLD_CLANG, "aarch64", ["-march=armv8-a+crc"], ["-march=armv8.2-a+crc+i8mm+bf16"]),
    (OLD_CLANG, "aarch32", [], ["-march=armv8.2-a+i8mm+bf16", "-mfpu=neon-fp-armv8"]),
    ("x.c:1:2: error: call to undeclared function 'vaddq_f16'; ISO C99", "aarch64", [], ["-march=armv8.2-a+fp16"]),
    ("error: #error build with __ARM_FEATURE_DOTPROD", "aarch64", [], ["-march=armv8.2-a+dotprod"]),
    ("x.c:1:2: error: instruction requires: aes", "aarch32", [], ["-march=armv8.2-a+crypto",
                                                                  "-mfpu=crypto-neon-fp-armv8"]),
    (GCC.format("vcaddq_rot90_f32"), "aarch64", ["-march=armv8.2-a+fp16"], ["-march=armv8.3-a+fp16"]),
    (GCC.format("vfmaq_f32"), "aarch32", [], ["-march=armv8.2-a", "-mfpu=neon-fp-armv8"]),
    # What no option gives: given already, of AArch64 alone, no instruction, another kind of -march.
    (GCC.format("vdotq_s32"), "aarch64", ["-march=armv8.2-a+dotprod"], []),
    (GCC.format("veor3q_u8"), "aarch32", [], []), (GCC.format("mine"), "aarch64", [], []),
    (GCC.format("vdotq_s32"), "aarch64", ["-mcpu=cortex-a53"], []),
    ("cell.c:1:1: error: 'vdotq' undeclared here", "aarch64", [], [])])
def test_the_option_that_is_missing(messages: str, isa: str, options: list[str], wanted: list[str]) -> None:
    assert list(missing_options(messages, isa, options)) == wanted


# Something of every extension, in the instruction sets that have it.
USES = {
    "int32x4_t f(int32x4_t a, int8x16_t b) { return vdotq_s32(a, b, b); }": "both",
    "int32x4_t f(int32x4_t a, int8x16_t b) { return vmmlaq_s32(a, b, b); }": "both",
    "int32x4_t f(int32x4_t a, uint8x16_t b, int8x16_t c) { return vusdotq_s32(a, b, c); }": "both",
    "float16x8_t f(float16x8_t a) { return vaddq_f16(a, a); }": "both",
    "float32x4_t f(float32x4_t a) { return vcaddq_rot90_f32(a, a); }": "both",
    "int32x4_t f(int32x4_t a) { return vqrdmlahq_s32(a, a, a); }": "both",
    "uint8x16_t f(uint8x16_t a) { return vaeseq_u8(a, a); }": "both",
    "uint32x4_t f(uint32x4_t a) { return vsha256hq_u32(a, a, a); }": "both",
    "float32x4_t f(float32x4_t a) { return vfmaq_f32(a, a, a); }": "both",
    "float32x4_t f(float32x4_t a) { return vrndq_f32(a); }": "both",
    "float32x4_t f(float16x4_t a) { return vcvt_f32_f16(a); }": "both",
    "float32x4_t f(float32x4_t a, bfloat16x8_t b) { return vbfdotq_f32(a, b, b); }": "aarch64",
    "float32x4_t f(float32x4_t a, float16x8_t b) { return vfmlalq_low_f16(a, b, b); }": "aarch64",
    "uint8x16_t f(uint8x16_t a) { return veor3q_u8(a, a, a); }": "aarch64",
    "uint32x4_t f(uint32x4_t a) { return vsm4eq_u32(a, a); }": "aarch64",
    "float32x4_t f(float32x4_t a) { return vrnd32xq_f32(a); }": "aarch64",
    "poly128_t f(poly64_t a) { return vmull_p64(a, a); }": "aarch64"}


@every_compiler
@pytest.mark.parametrize("use", every(len(USES), list(USES)))
def test_the_option_that_is_named_is_enough(isa: str, compiler: str, use: str) -> None:
    if USES[use] not in ("both", isa):
        pytest.skip("AArch64 only")
    text = f"#include <arm_neon.h>\n{use}\n"
    with contextlib.suppress(CompilerError):
        load_c(text, isa, compiler=compiler)
        return      # there without an option
    with pytest.raises(CompilerError, match="add --compiler-option -march=") as caught:
        load_c(text, isa, compiler=compiler)
    named = re.search(r"in Python: options=(\[.*\])\)\.$", str(caught.value))
    assert named is not None
    load_c(text, isa, compiler=compiler, options=ast.literal_eval(named[1])).entry("f")


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile, "compilers", lambda isa: {})
    with pytest.raises(CompilerError, match=r"no C compiler for aarch64 was found: install .*pip install ziglang"):
        load_c("int x;")
    with pytest.raises(CompilerError, match="zig for aarch32 was not found"):
        load_c("int x;", "aarch32", compiler="zig")
    for wrong, words in (({"isa": "mips"}, "isa must be"), ({"compiler": "tcc"}, "no compiler 'tcc'"),
                         ({"include": ["/nowhere"]}, "no folder")):
        with pytest.raises(BadArgument, match=words):
            load_c("int x;", **wrong)


SECRET = "topsecretword\n#bad topsecretword 'x\n"
# Text of C, with @ for the name of a file that it may not read. Each got its contents into the program or a message.
READS = {
    "incbin": r'asm(".data\nx: .incbin \"@\"\n.text"); int f(void) { return 1; }',
    "upper case": r'int f(void) { asm(".INCBIN \"@\""); return 1; }',
    "asm include": r'int f(void) { asm(".include \"@\""); return 1; }',
    "joined": '#define C(a, b) #a #b\n' r'asm(".data\n" C(.inc, bin) " \"@\"\n.text"); int f(void) { return 1; }',
    "operand": r'extern char bin[]; int f(void) { asm(".inc%c0 \"@\"" :: "i"(bin)); return 1; }',
    "macro": r'asm(".macro m a b\n.\\a\\b \"@\"\n.endm\nm inc bin"); int f(void) { return 1; }',
    "irp": r'asm(".irp b, bin\n.inc\\b \"@\"\n.endr\n"); int f(void) { return 1; }',
    "another meaning": r'asm(".macro .ident x\n.incbin \\x\n.endm\n.ident \"@\""); int f(void) { return 1; }',
    "section": r'__attribute__((section("y\n.incbin \"@\"\n.section z"))) int x = 3; int f(void) { return x; }',
    "symbol": r'int x asm("y\n.incbin \"@\"\n") = 3; int f(void) { return x; }',
    "behind comments": r'asm("nop /* \" */ ; .incbin \"@\" /* \" */"); int f(void) { return 1; }',
    "behind a character": r"""asm(".byte '\" ; .incbin \"@\" ; .byte '\""); int f(void) { return 1; }""",
    "over lines": r'asm("/*\n.ident \"*/ .incbin\"@\"\"\n"); int f(void) { return 1; }',
    "include": '#include "@"\nint f(void) { return 1; }', "include <>": '#include <@>\n',
    "upwards": '#include "../../../../../../../../../../../../../..@"\n',
    "after an error": '#error first\n#include "@"',
    "from the system": '#include </usr/include/../../@>\n', "computed": '#define X "@"\n#include X\n',
    "asked before": '#if __has_include("@")\n#include "@"\n#endif\n', "import": '#import "@"\n',
    "next": '#include_next "@"\n', "embed": 'const char f[] = {\n#embed "@"\n};',
    "line": '#line 1 "@"\nint f(void) { return y; }', "marker": '# 1 "@"\nint f(void) { return y; }',
    "spliced": '#li\\\nne 1 "@"\nint f(void) { return y; }',
}


@one_compiler
def test_other_files_are_not_read(isa: str, compiler: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    for name, text in READS.items():
        with pytest.raises(CompilerError) as caught:
            load_c(text.replace("@", str(secret)), isa, compiler=compiler)
        said = str(caught.value)
        assert "topsecretword" not in said, name
        if name in ("line", "marker", "spliced", "embed"):
            continue
        assert re.search(r"which is outside the folders that C may include from|the assembly in it "
                         r"(reads a file|has macros, strings or a comment)", said), f"{name}: {said}"


@one_compiler
def test_what_c_may_read(isa: str, compiler: str, tmp_path: Path) -> None:
    """Headers of the compiler and below the given folders; no link that leads out of those."""
    given, other = tmp_path / "given", tmp_path / "other"
    (given / "deep").mkdir(parents=True)
    other.mkdir()
    (given / "deep" / "a b$#.h").write_text("#define A 7\n")
    (other / "b.h").write_text("#define B 8\n")
    (given / "link.h").symlink_to(other / "b.h")
    text = '#include <arm_neon.h>\n#include <stdint.h>\n#include "deep/a b$#.h"\nint f(void) { return A; }'
    assert ns.Machine(isa).call(load_c(text, isa, compiler=compiler, include=[given])).returned == 7
    for name in ("link.h", "../other/b.h", "deep/../../other/b.h"):
        with pytest.raises(CompilerError, match=r"^cell\.c includes .*b?\.h, which is outside the folders"):
            load_c(f'#include "{name}"\nint f(void) {{ return B; }}', isa, compiler=compiler, include=[given])
    text = '#include "../other/b.h"\nint f(void) { return B; }'
    assert ns.Machine(isa).call(load_c(text, isa, compiler=compiler, include=[given, other])).returned == 8


@every_compiler
def test_inline_assembly_that_reads_nothing(isa: str, compiler: str) -> None:
    add = "add %w0, %w0, #1" if isa == "aarch64" else "add %0, %0, #1"
    mark = "//" if isa == "aarch64" else "@"
    text = f"""const char *s = "say \\"hi\\" /* .incbin \\"x\\" ; .macro \\\\ '";
    asm(".pushsection .rodata\\n.ascii \\"a;b\\\\n\\"\\n.popsection");
    int f(int x) {{ asm("{add} /* it is one more */\\n\\t{add} {mark} don't" : "+r"(x)); return x + s[0]; }}"""
    assert ns.Machine(isa).call(load_c(text, isa, compiler=compiler), 5).returned == 7 + ord("s")


@one_compiler
def test_names_are_files(isa: str, compiler: str, tmp_path: Path) -> None:
    for name in ("-o.c", "--version.c", "@x.c", "a b.c", "ä\n.c", "made.s"):
        path = tmp_path / name
        path.write_text("\nint f(int x) { return x * 3; }\n")
        program = load_c(path, isa, compiler=compiler)
        assert ns.Machine(isa).call(program, 5).returned == 15
        assert program.origins[0] == (2, "int f(int x) { return x * 3; }"), name
        path.write_text("int f(void) { return y; }\n")
        with pytest.raises(CompilerError) as caught:
            load_c(path, isa, compiler=compiler)
        assert str(caught.value).startswith(name.replace("\n", "_")) and "return y;" in str(caught.value)


@one_compiler
def test_bytes_are_the_files_own(isa: str, compiler: str, tmp_path: Path) -> None:
    """A file that is not UTF-8 is compiled as it stands."""
    path = tmp_path / "latin.c"
    path.write_bytes(b'/* gr\xfc\xdfe */ const unsigned char s[] = "\xfc"; int f(void) { return s[0]; }\n')
    assert ns.Machine(isa).call(load_c(path, isa, compiler=compiler)).returned == 0xFC
    with pytest.raises(BadArgument, match="half of a surrogate pair"):
        load_c("int \ud800;", isa, compiler=compiler)


@pytest.mark.skipif(not any(name == "clang" for _, name in FOUND), reason="no clang: make system-packages")
def test_a_function_says_its_processor() -> None:
    text = r"""#include <arm_neon.h>
    __attribute__((target("dotprod"))) int f(int8x16_t a) {
        int32x4_t s = vdupq_n_s32(0);
        asm("sdot %0.4s, %1.16b, %1.16b" : "+w"(s) : "w"(a)); return vgetq_lane_s32(s, 0); }"""
    assert "sdot" in str(load_c(text, compiler="clang"))


def _group(number: int) -> list[str]:
    """The processes of a group that have not ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, group = path.read_text().rpartition(")")[2].split()[:3]
            found += [path.parent.name] * (int(group) == number and state != "Z")
    return found


@pytest.mark.skipif(not FOUND or not Path("/proc/self/stat").exists(), reason="no cross compiler, or no /proc")
@pytest.mark.slow
def test_nothing_of_a_compiler_stays_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its driver starts a compiler, which must not go on alone; nor may it write or remember without end."""
    started, killed = list[int](), list[int]()
    end, kill = compile._kill, os.killpg
    monkeypatch.setattr(compile, "_kill", lambda process: (started.append(process.pid), end(process)))  # type: ignore[func-returns-value]
    monkeypatch.setattr(os, "killpg", lambda group, how: (killed.append(group), kill(group, how)))  # type: ignore[func-returns-value]
    with monkeypatch.context() as patch:
        patch.setattr(compile, "MAX_COMPILE_SECONDS", 0.2)
        with pytest.raises(CompilerError, match="took longer than"):
            load_c("#define A(x) x+x+x+x+x+x+x+x\nint y = " + "A(" * 12 + "1" + ")" * 12 + ";", FOUND[0][0])
    assert killed and killed == started[-1:]
    with pytest.raises(CompilerError, match=r"bytes and was stopped|nested too deeply|nested depth"):
        load_c('#include "cell.c"\n#include "cell.c"\n', FOUND[0][0])
    with pytest.raises(CompilerError, match=r"out of memory|outside of the folders"):
        load_c('#include "/dev/zero"\n', FOUND[0][0])
    until(lambda: not [left for number in started for left in _group(number)], "the end of what a compiler started")


@pytest.mark.skipif(not FOUND, reason="no cross compiler: make system-packages")
def test_a_compiler_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile, "MAX_COMPILE_SECONDS", 0.05)
    with pytest.raises(CompilerError, match="took longer than"):
        load_c("#define A(x) x+x+x+x+x+x+x+x\nint y = " + "A(" * 8 + "1" + ")" * 8 + ";", FOUND[0][0])
