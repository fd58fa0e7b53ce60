"""#include, #define and #if: what is taken, what is read, and where errors point."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from neonsim.arm.asm import Program, assemble
from neonsim.arm.asm.text.cpp_expression import ConditionError, evaluate
from neonsim.arm.asm.text.predefined import PREDEFINED
from neonsim.errors import AssemblyError, BadArgument

# Written for this test, in the way kernel libraries write it.
ASSEMBLY_H = """\
#pragma once
/* Functions as the
   formats want them. */
#ifdef __ELF__
.macro BEGIN_FUNCTION name
  .text
  .p2align 4
  .global \\name
  .hidden \\name
  .type \\name, %function
  \\name:
.endm
.macro END_FUNCTION name
  .size \\name, .-\\name
.endm
#elif defined(__MACH__)
.macro BEGIN_FUNCTION name
  .text
  .p2align 4
  .global _\\name
  .private_extern _\\name
  _\\name:
.endm
.macro END_FUNCTION name
.endm
#else
# error "unknown object format"
#endif
"""

KERNEL = """\
#include <lib/assembly.h>
#include "lib/assembly.h" // read once
# Adds v1 to v0.
BEGIN_FUNCTION kernel
    ADD v0.4s, v0.4s, v1.4s
    RET
END_FUNCTION kernel
"""

MACH = {"__ELF__": None, "__linux__": None, "__MACH__": 1, "__APPLE__": 1}


def text_of(source: str, isa: str = "aarch64", **options: object) -> list[str]:
    return [str(i) for i in assemble(source, isa, **options).instructions]  # type: ignore[arg-type]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    (tmp_path / "include/lib").mkdir(parents=True)
    (tmp_path / "include/lib/assembly.h").write_text(ASSEMBLY_H)
    return tmp_path / "include"


def test_function_macros_of_an_included_header(library: Path) -> None:
    program = assemble(KERNEL, "aarch64", include=[library])
    assert program.globals == ("kernel",) and program.entry() == 0
    assert [i.position.line for i in program.instructions] == [5, 6]
    assert assemble(str(program), "aarch64") == program


def test_the_same_on_macos(library: Path) -> None:
    program = assemble(KERNEL, "aarch64", include=[library], define=MACH)
    assert program.globals == ("_kernel",)


def test_neither(library: Path) -> None:
    with pytest.raises(AssemblyError, match="unknown object format") as caught:
        assemble(KERNEL, "aarch64", include=[library], define={"__ELF__": None})
    assert caught.value.path.endswith("assembly.h") and caught.value.line == 27


def test_without_the_folder() -> None:
    with pytest.raises(AssemblyError) as caught:
        assemble(KERNEL, "aarch64")
    error = caught.value
    assert (error.line, error.column, error.width) == (1, 10, 16)
    assert "`lib/assembly.h` was not found" in error.message and "include=[folder]" in error.message


def test_where_it_was_looked_for(tmp_path: Path, library: Path) -> None:
    file = tmp_path / "k.S"
    file.write_text('#include "other.h"\n')
    with pytest.raises(AssemblyError) as caught:
        assemble(file, "aarch64", include=[library])
    assert f"Searched in: {tmp_path}, {library}." in caught.value.message and "-I folder" in caught.value.message


def test_quotes_search_the_own_folder_first(tmp_path: Path, library: Path) -> None:
    (library / "n.h").write_text("#define N 1\n")
    (tmp_path / "n.h").write_text('#include "m.h"\n')
    (tmp_path / "m.h").write_text("#define N 2\n")
    (tmp_path / "k.S").write_text('#include "n.h"\nmov x0, N\n')
    (tmp_path / "l.S").write_text("#include <n.h>\nmov x0, N\n")
    assert text_of(tmp_path / "k.S", include=[library]) == ["mov x0, #2"]  # type: ignore[arg-type]
    assert text_of(tmp_path / "l.S", include=[library]) == ["mov x0, #1"]  # type: ignore[arg-type]


def test_an_instruction_of_an_included_file_says_so(library: Path) -> None:
    (library / "body.h").write_text("\n\n nop\n bogus x0\n")
    with pytest.raises(AssemblyError) as caught:
        assemble('#include "body.h"', "aarch64", include=[library])
    assert caught.value.path == str(library / "body.h") and (caught.value.line, caught.value.column) == (4, 2)


def test_a_program_all_of_an_included_file_shows_that_text(library: Path) -> None:
    (library / "body.h").write_text("    // All of it.\n    nop\n    ret\n")
    program = assemble('f:\n#include "body.h"\n', "aarch64", include=[library])
    assert [program.lines[i.position.line - 1].strip() for i in program.instructions] == ["nop", "ret"]
    # With instructions in two files it is the file itself: nobody takes one's lines for the other's.
    assert assemble('f: nop\n#include "body.h"\n', "aarch64", include=[library]).lines[0] == "f: nop"


@pytest.mark.parametrize("name", ["../secret.h", "a/../../secret.h", "/etc/hostname", "..", "link.h", "dir/secret.h"])
def test_nothing_outside_is_read(tmp_path: Path, library: Path, name: str) -> None:
    (tmp_path / "secret.h").write_text("nop\n")
    os.symlink(tmp_path / "secret.h", library / "link.h")
    os.symlink(tmp_path, library / "dir")
    for text in (f'#include "{name}"', f"#include <{name}>", f'.include "{name}"'):
        with pytest.raises(AssemblyError, match=r"given folders|was not found"):
            assemble(text, "aarch64", include=[library])


def test_a_file_that_includes_itself(library: Path) -> None:
    (library / "a.h").write_text('#include "a.h"\n')
    with pytest.raises(AssemblyError, match="32 levels deep"):
        assemble('#include "a.h"', "aarch64", include=[library])
    (library / "b.h").write_text('#include "c.h"\n#include "c.h"\n')
    for name, then in zip("cdefghijklmnopqrstuvwxy", "defghijklmnopqrstuvwxyz", strict=True):
        (library / f"{name}.h").write_text(f'#include "{then}.h"\n#include "{then}.h"\n')
    (library / "z.h").write_text("nop\n")
    with pytest.raises(AssemblyError, match=r"1,000 files"):
        assemble('#include "b.h"', "aarch64", include=[library])


@pytest.mark.parametrize("folder", ["nowhere", 3, "a\0b"])
def test_folders_that_are_none(folder: object) -> None:
    with pytest.raises(BadArgument, match="include"):
        assemble("nop", "aarch64", include=[folder])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("#define N 3\nmov x0, N", ["mov x0, #3"], id="object"),
        pytest.param("#define N M\n#define M 4\nmov x0, N", ["mov x0, #4"], id="defined_later"),
        pytest.param("#define N 3\n#undef N\nN = 5\nmov x0, N", ["mov x0, #5"], id="undef"),
        pytest.param(
            "#define ADD(d, s) add d, d, s\nADD(x1, (x2))".replace("(x2)", "x2"), ["add x1, x1, x2"], id="function"
        ),
        pytest.param("#define V(n) v##n.4s\nadd V(1), V(2), V(31)", ["add v1.4s, v2.4s, v31.4s"], id="paste"),
        pytest.param(
            "#define CAT(a, b) a ## b\n#define X CAT(CAT, )\nmov CAT(x, 1), 7", ["mov x1, #7"], id="paste_blanks"
        ),
        pytest.param("#define acc v7\nadd acc.4s, acc.4s, v1.4s", ["add v7.4s, v7.4s, v1.4s"], id="register"),
        pytest.param("#define s v9\nmov v1.s[0], v2.s[1]; mov v1.16b, s.16b", None, id="names_behind_a_dot_are_words"),
        pytest.param("#define TWO nop; nop\nTWO; ret", ["nop", "nop", "ret"], id="separators"),
        pytest.param("#define LONG add x0, x0, \\\n  x1 ; \\\n  ret\nLONG", ["add x0, x0, x1", "ret"], id="continued"),
        pytest.param(
            "#define F(a, \\\n b) add a, a, b\nF(x1,\n  x2)\nret", ["add x1, x1, x2", "ret"], id="call_over_lines"
        ),
        pytest.param("#define F(x) x\nF: b F", ["b F"], id="function_without_call_is_a_word"),
        pytest.param("#define F(x, ...) add x, __VA_ARGS__\nF(x0, x1, x2)", ["add x0, x1, x2"], id="variadic"),
        pytest.param(
            "#define F(x, r...) mov x, ## r\nF(x0, x1)\n#define G(x, r...) ret x, ## r\nG(x3)",
            ["mov x0, x1", "ret x3"],
            id="gnu_comma",
        ),
        pytest.param('#define x x y\n#define y x\n.ident "a"\nnop', ["nop"], id="recursion_stops"),
        pytest.param(
            "#define f(a) a*g\n#define g(a) f(a)\nmov x0, 1 // f(2)(9)", ["mov x0, #1"], id="comment_not_expanded"
        ),
        pytest.param('#define S(x) #x\n.ident S(a "b\\n" c)\nnop', ["nop"], id="string"),
        pytest.param(
            "/* #define N 3 */ # comment\n# another comment, isn't it\nnop # /* not mine\n".replace(
                "nop # /* not mine", "nop"
            ),
            ["nop"],
            id="comments",
        ),
        pytest.param(
            "#define N 3 // three\n#define M /* \n */ 4\nmov x0, N\nmov x1, M", None, id="comment_opened_in_define"
        ),
        pytest.param("mov x0, __LINE__", ["mov x0, #1"], id="line"),
        pytest.param("#if 0\n it's \"anything\n#elif 1\nnop\n#else\nbogus\n#endif", ["nop"], id="left_out"),
        pytest.param("#if 1\nnop\n#elif 1 / 0\nbogus\n#endif", ["nop"], id="elif_not_looked_at"),
        pytest.param("#ifdef A\n#if 1\nbogus\n#else\nbogus\n#endif\n#else\nnop\n#endif", ["nop"], id="nested"),
        pytest.param("# ifdef __aarch64__\nnop\n# else // not\nbogus\n# endif\n", ["nop"], id="blank_behind_hash"),
        pytest.param(
            "#if defined __aarch64__ && !defined(__arm__) && __ARM_ARCH >= 8\nnop\n#endif", ["nop"], id="defined"
        ),
        pytest.param("#if UNKNOWN\nbogus\n#endif\nnop", ["nop"], id="unknown_is_zero"),
        pytest.param("# if this is a sentence\nnop", ["nop"], id="sentence"),
        pytest.param("#pragma unroll\n#warning so what\n#line 7\nnop", ["nop"], id="no_meaning"),
    ],
)
def test_expansion(source: str, expected: list[str] | None) -> None:
    if expected is None:
        with pytest.raises(AssemblyError):
            text_of(source)
    else:
        assert text_of(source) == expected


def test_definitions_from_outside() -> None:
    assert text_of("mov x0, N; ADD(x1)", define={"N": 7, "ADD(r)": "add r, r, r"}) == ["mov x0, #7", "add x1, x1, x1"]
    assert text_of("#ifndef __ELF__\nnop\n#endif", define={"__ELF__": None}) == ["nop"]


def test_the_target() -> None:
    source = "#ifdef __arm__\nmov r0, __ARM_ARCH\n#else\nmov x0, __ARM_ARCH\n#endif"
    assert text_of(source, "aarch32") == ["mov r0, #7"] and text_of(source) == ["mov x0, #8"]
    assert PREDEFINED["aarch64"]["__LP64__"] == "1" and "__LP64__" not in PREDEFINED["aarch32"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("1 << 3 | 1", 9),
        ("~0", -1),
        ("!3", 0),
        ("1 ? 2 : 3", 2),
        ("0 ? 2 : 0 ? 3 : 4", 4),
        ("0x10UL == 16u", 1),
        ("017", 15),
        ("'a'", 97),
        ("1 && 0 || 1", 1),
        ("3 > 2 > 1", 0),
        ("name", 0),
    ],
)
def test_conditions(text: str, value: int) -> None:
    assert evaluate(text) == value


@pytest.mark.parametrize(
    "text", ["", "1 +", "(1", "1 2", "1 / 0", "f(1)", "@", "(" * 100 + "1" + ")" * 100, "1 ? 2", "09x"]
)
def test_conditions_that_are_none(text: str) -> None:
    with pytest.raises(ConditionError):
        evaluate(text)


@pytest.mark.parametrize(
    ("source", "line", "column", "width", "words"),
    [
        pytest.param("nop\n#if 1\n nop", 2, 1, 3, "needs an #endif", id="if_open"),
        pytest.param("#endif", 1, 1, 6, "without #if", id="endif"),
        pytest.param("#if 1\n#else\n#else\n#endif", 3, 1, 5, "after #else", id="else_twice"),
        pytest.param("#if 1 +\n#endif", 1, 5, 3, "ends too early", id="condition"),
        pytest.param("#ifdef\n#endif", 1, 1, 6, "name is missing", id="ifdef"),
        pytest.param("#define 3", 1, 9, 1, "name of the macro", id="define"),
        pytest.param("#define F(a\nnop", 1, 9, 3, "needs a closing", id="define_open"),
        pytest.param("#define F(a, a) a", 1, 9, 7, "twice", id="define_twice"),
        pytest.param(
            "#define F(a) a\n nop; F(1, 2)", 2, 7, 1, "takes 1 argument (a; <text>:1), and 2 are given", id="arity"
        ),
        pytest.param("#define F(a) a\n F(1", 2, 2, 3, "need a closing", id="call_open"),
        pytest.param("#include x.h", 1, 10, 3, '#include "name"', id="include_shape"),
        pytest.param("#include_next <x.h>", 1, 1, 13, "write #include", id="include_next"),
        pytest.param("#error no way", 1, 1, 6, "no way", id="error"),
        pytest.param(
            "#define R v99\n add v0.4s, R.4s, v1.4s",
            2,
            13,
            1,
            "In the expansion of macro R (<text>:1): add v0.4s, v99.4s, v1.4s",
            id="expanded",
        ),
        pytest.param(
            "#define R v1\n add v0.4s, R.4s, v98.4s", 2, 19, 6, "`v98.4s` does not exist", id="behind_expansion"
        ),
        pytest.param("#define A B\n#define B bogus\n A x0", 3, 2, 1, "bogus", id="two_deep"),
        pytest.param("#define F(a) add x0, x0, a\n F(v77)", 2, 4, 3, "v77", id="argument"),
        pytest.param(
            "#define A B B B B B B B B\n#define B C C C C C C C C\n#define C D D D D D D D D\n"
            "#define D E E E E E E E E\n#define E F F F F F F F F\n#define F x x x x x x x x\nA",
            7,
            1,
            1,
            "more than 50,000",
            id="explosion",
        ),
    ],
)
def test_errors(source: str, line: int, column: int, width: int, words: str) -> None:
    with pytest.raises(AssemblyError) as caught:
        assemble(source, "aarch64")
    error = caught.value
    assert words in error.message
    assert (error.line, error.column, error.width) == (line, column, width)


def test_a_decoded_instruction_points_at_the_source() -> None:
    program: Program = assemble("#define ADD(d) add d, d, d\n  nop; ADD(x3)", "aarch64")
    where = program.instructions[1].position
    assert (where.line, where.column, where.text) == (2, 8, "  nop; ADD(x3)")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("isa", "gcc"),
    [("aarch64", ["aarch64-linux-gnu-gcc"]), ("aarch32", ["arm-linux-gnueabihf-gcc", "-marm", "-mfpu=neon"])],
    ids=["aarch64", "aarch32"],
)
def test_gcc_predefines_the_same(isa: str, gcc: list[str]) -> None:
    if shutil.which(gcc[0]) is None:
        pytest.skip(f"needs {gcc[0]}: make system-packages")
    command = [*gcc, "-dM", "-E", "-x", "assembler-with-cpp", "-"]
    shown = subprocess.run(command, input="", capture_output=True, text=True, check=True).stdout
    real = dict(line.split(" ", 2)[1:] for line in shown.splitlines() if line.count(" ") >= 2)
    for name, value in PREDEFINED[isa].items():
        if name != "__GNUC__":  # the version of the compiler at hand
            assert real.get(real.get(name, ""), real.get(name)) == value, name


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
@pytest.mark.parametrize("line", ['#include "{}"', "#include <{}>", '.include "{}"', '.data\n.incbin "{}"'])
def test_every_way_to_name_a_file_stays_within_the_folders(line: str, isa: str, tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.mkdir()
    (tmp_path / "secret").write_text("nop\n")
    (given / "inside").write_text("nop\n")
    (given / "link").symlink_to(tmp_path / "secret")
    (given / "folder").symlink_to(tmp_path)
    os.mkfifo(given / "pipe")
    for name in (str(tmp_path / "secret"), "../secret", "link", "folder/secret", "inside/../../secret", "pipe",
                 "/dev/zero", "inside"):
        text = f"f: nop\n{line.format(name)}\n"
        if name == "inside":
            assemble(text, isa, include=[given])
        else:
            with pytest.raises(AssemblyError, match=r"absolute path|leads upwards|leads out of|was not found"):
                assemble(text, isa, include=[given])
