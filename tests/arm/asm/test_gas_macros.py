"""Assembler macros, repetition, conditions: GNU as is the model (`expected` was tried with it)."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from neonsim.arm.asm import assemble
from neonsim.errors import AssemblyError
from tests.tiers import every
from tests.work import grows_evenly

CASES = [
    pytest.param(
        ".macro m a, b\nadd \\a, \\a, \\b\n.endm\nm x0, x1\nM x2 x3",
        ["add x0, x0, x1", "add x2, x2, x3"],
        id="positional",
    ),
    pytest.param(
        ".macro m d, s=x9\nmov \\d, \\s\n.endm\nm x0\nm x0, x1\nm s=x3, d=x2\nm x0,",
        ["mov x0, x9", "mov x0, x1", "mov x2, x3", "mov x0, x9"],
        id="default_keyword",
    ),
    pytest.param(
        ".macro m a:req, r:vararg\n.ifnb \\r\nadd \\a, \\r\n.else\nmov \\a, 0\n.endif\n.endm\nm x0, x1, 2\nm x3",
        ["add x0, x1, #2", "mov x3, #0"],
        id="vararg",
    ),
    pytest.param(
        ".macro m r\nadd \\r\\().8h, v1.8h, \\r\\().8h\n.endm\nm v5", ["add v5.8h, v1.8h, v5.8h"], id="concat"
    ),
    pytest.param(".macro m\nl\\@: b l\\@\n.endm\nm\nm", ["b l0", "b l1"], id="counter"),
    pytest.param(
        ".macro inner a\nmov \\a, 1\n.endm\n.macro outer a, b\ninner \\a\ninner \\b\n.endm\nouter x1, x2",
        ["mov x1, #1", "mov x2, #1"],
        id="calls",
    ),
    pytest.param(
        ".macro make n\n.macro \\n a\nmov \\a, \\a\n.endm\n.endm\nmake mine\nmine x4", None, id="nested_same_name"
    ),
    pytest.param(".macro make n\n.macro \\n\nnop\n.endm\n.endm\nmake mine\nmine", ["nop"], id="nested"),
    pytest.param(
        ".macro m n\n.if \\n\nmov x\\n, \\n\nm (\\n-1)\n.endif\n.endm\nm 0\nret", ["ret"], id="recursion_ends"
    ),
    pytest.param(".macro m\nnop\n.exitm\nbogus\n.endm\nm\nret", ["nop", "ret"], id="exitm"),
    pytest.param(
        ".macro m\n.if 1\n.rept 3\nnop\n.exitm\nbogus\n.endr\n.endif\n.endm\nm\nret", ["nop", "ret"], id="exitm_in_rept"
    ),
    pytest.param(".macro m\nnop\n.endm\n.purgem m\n.macro m\nret\n.endm\nm", ["ret"], id="purgem"),
    pytest.param(".macro mov a\nret\n.endm\nmov", ["ret"], id="name_of_an_instruction"),
    pytest.param(".macro m; nop; .endm; m; m", ["nop", "nop"], id="one_line"),
    pytest.param(".macro m\nnop\n.endm\nthere: m\nb there", ["nop", "b there"], id="label_before_call"),
    pytest.param('.macro m a\n.ident "\\a"\nnop\n.endm\nm "x, y"', ["nop"], id="quoted_argument"),
    pytest.param(
        ".macro m a b\nldr \\a, \\b\n.endm\nm x0, [x1]\nm x0,[ x1 ]", ["ldr x0, [x1]", "ldr x0, [x1]"], id="brackets"
    ),
    pytest.param(
        ".macro m a\nmov x0, \\a\n.endm\nm 1 + 2\nm (1 + 2)\nm 1+ 2", ["mov x0, #3"] * 3, id="blanks_in_expression"
    ),
    pytest.param(".rept 3\nnop\n.endr\n.rept 0\nbogus\n.endr", ["nop"] * 3, id="rept"),
    pytest.param(".rept 2\n.rept 2\nnop\n.endr\nret\n.endr", ["nop", "nop", "ret"] * 2, id="rept_nested"),
    pytest.param(".irp r, x1, x2 x3\nmov \\r, 0\n.endr", ["mov x1, #0", "mov x2, #0", "mov x3, #0"], id="irp"),
    pytest.param(".irpc c, 012\nmov x\\c, \\c\n.endr", ["mov x0, #0", "mov x1, #1", "mov x2, #2"], id="irpc"),
    pytest.param(
        ".irp a, 1, 2\n.irp b, 3, 4\nadd x\\a, x\\a, \\b\n.endr\n.endr",
        ["add x1, x1, #3", "add x1, x1, #4", "add x2, x2, #3", "add x2, x2, #4"],
        id="irp_nested",
    ),
    pytest.param(
        "i = 0\n.rept 3\nmov x0, i\n.set i, i + 1\n.endr", ["mov x0, #0", "mov x0, #1", "mov x0, #2"], id="counting"
    ),
    pytest.param(".set n, 2\n.if n == 2\nnop\n.elseif n == 2\nbogus\n.else\nbogus\n.endif", ["nop"], id="if"),
    pytest.param(".if 0\nbogus\n.elseif 1\nnop\n.else\nbogus\n.endif", ["nop"], id="elseif"),
    pytest.param(".if 0\n.if 1\nbogus\n.else\nbogus\n.endif\n.else\nnop\n.endif", ["nop"], id="if_nested"),
    pytest.param(
        "here:\n.ifdef here\nnop\n.endif\n.ifndef there\nret\n.endif\nn=1\n.ifdef n\nnop\n.endif",
        ["nop", "ret", "nop"],
        id="ifdef",
    ),
    pytest.param(
        ".ifc a b, a b\nnop\n.endif\n.ifc a,b\nbogus\n.endif\n.ifnc 'x',y\nret\n.endif", ["nop", "ret"], id="ifc"
    ),
    pytest.param('.ifeqs "a","a"\nnop\n.endif\n.ifnes "a", "b"\nret\n.endif', ["nop", "ret"], id="ifeqs"),
    pytest.param(
        "".join(
            f".if{c} {v}\nmov x0, {i}\n.endif\n"
            for i, (c, v) in enumerate([("eq", 0), ("ne", 1), ("lt", -1), ("le", 0), ("gt", 1), ("ge", 0)])
        ),
        [f"mov x0, #{i}" for i in range(6)],
        id="comparisons",
    ),
    pytest.param(
        ".altmacro\n.macro m a, v\nLOCAL top\ntop: mov x&a, v\nb top\n.endm\nm 1, 7\nm 2, %(3*4)\n.noaltmacro",
        ["mov x1, #7", "b .LL0001", "mov x2, #12", "b .LL0002"],
        id="altmacro",
    ),
    pytest.param(".altmacro\n.macro m a\nadd a\n.endm\nm <x0, x1, x2>", ["add x0, x1, x2"], id="altmacro_angle"),
    pytest.param(
        ".macro m a\nacc\\a .req v\\a\n.endm\nm 3\nadd acc3.4s, acc3.4s, v0.4s\n.unreq acc3",
        ["add v3.4s, v3.4s, v0.4s"],
        id="req",
    ),
    pytest.param("#define REG x5\n.macro m a\nmov \\a, 1\n.endm\nm REG", ["mov x5, #1"], id="both_kinds"),
    pytest.param(".macro m a\nmov x0, \\a // \\a\n/* \\a */\n.endm\nm 1", ["mov x0, #1"], id="comments"),
]


@pytest.mark.parametrize(("source", "expected"), CASES)
def test_expansion(source: str, expected: list[str] | None) -> None:
    if expected is None:
        # The outer \a is none of the outer macro's; the inner macro gets it: as GNU as does.
        expected = ["mov x4, x4"]
    program = assemble(source, "aarch64")
    assert [str(i) for i in program.instructions] == expected
    assert assemble(str(program), "aarch64") == program


def test_at_in_aarch32() -> None:
    program = assemble(".macro m @ a macro\nl\\@: b l\\@ @ a jump\n.endm\nm\nm", "aarch32")
    assert [i.target for i in program.instructions] == [0, 1]


def test_include(tmp_path: Path) -> None:
    (tmp_path / "m.inc").write_text(".macro m\nnop\n.endm\n")
    (tmp_path / "k.S").write_text('.include "m.inc"\nm\n')
    assert len(assemble(tmp_path / "k.S", "aarch64")) == 1
    with pytest.raises(AssemblyError, match=r"m\.inc.* was not found"):
        assemble('.include "m.inc"\nm\n', "aarch64")
    (tmp_path / "self.inc").write_text('.include "self.inc"\n')
    with pytest.raises(AssemblyError, match="32 levels deep"):
        assemble('.include "self.inc"', "aarch64", include=[tmp_path])


@pytest.mark.parametrize(
    ("source", "line", "column", "width", "words"),
    [
        pytest.param(
            ".macro m a\n nop\n add x0, \\a, x1\n.endm\n f: m x77",
            5,
            7,
            3,
            "In the expansion of macro m (<text>:3): add x0, x77, x1",
            id="argument",
        ),
        pytest.param(
            ".macro m\n bogus\n.endm\n.macro n\n m\n.endm\n n",
            7,
            2,
            1,
            "In the expansion of macro n (<text>:5): m",
            id="nested",
        ),
        pytest.param(".irp r, x1, x99\n mov \\r, 1\n.endr", 2, 6, 2, "In .irp r (<text>:2): mov x99, 1", id="irp"),
        pytest.param(".rept 2\n mov x99, 1\n.endr", 2, 6, 3, "`x99` does not exist", id="rept"),
        pytest.param(
            ".macro m a\n add \\a.8h, v0.8h, v0.8h\n.endm\nm v1", 2, 6, 5, "Write \\a\\().8h", id="missing_separator"
        ),
        pytest.param(".macro m a:req\n.endm\n m", 3, 2, 1, "needs the argument `a`", id="required"),
        pytest.param(".macro m a\n.endm\n m 1, 2", 3, 7, 1, "takes 1 argument (<text>:1)", id="too_many"),
        pytest.param(".macro m\n.endm\n.macro m\n.endm", 3, 1, 6, "already defined (<text>:1)", id="twice"),
        pytest.param(".macro", 1, 7, 1, ".macro name", id="no_name"),
        pytest.param(".macro m a:raq\n.endm", 1, 10, 5, ":vararg", id="kind"),
        pytest.param("nop\n .endm", 2, 2, 5, "without .macro", id="endm"),
        pytest.param(".endr", 1, 1, 5, "without .rept", id="endr"),
        pytest.param(".exitm", 1, 1, 6, "inside a macro", id="exitm"),
        pytest.param(".purgem m", 1, 1, 7, "no macro `m`", id="purgem"),
        pytest.param(".rept 3\nnop", 1, 1, 5, "needs .endr", id="rept_open"),
        pytest.param(".rept -1\n.endr", 1, 1, 5, "negative", id="rept_negative"),
        pytest.param(".rept n\n.endr", 1, 7, 1, "not a constant", id="rept_unknown"),
        pytest.param(".rept 1000000000\nnop\n.endr", 1, 1, 5, "500,000", id="rept_huge"),
        pytest.param(".if 1\nnop", 1, 1, 3, "needs an .endif", id="if_open"),
        pytest.param(".macro m\n.if 1\n.endm\nm", 4, 1, 1, "inside `m`", id="if_open_in_macro"),
        pytest.param(".macro m\n.endif\n.endm\n.if 1\nm\n.endif", 5, 1, 1, "inside `m`", id="endif_in_macro"),
        pytest.param(".else", 1, 1, 5, "without .if", id="else"),
        pytest.param(".if 1\n.else\n.else\n.endif", 3, 1, 5, "after .else", id="else_twice"),
        pytest.param(".if x\n.endif", 1, 5, 1, "not a constant", id="if_unknown"),
        pytest.param(".ifc a\n.endif", 1, 1, 4, ".ifc a, b", id="ifc"),
        pytest.param('.error "not here"', 1, 1, 6, "not here", id="error"),
        pytest.param(".macro m\n m\n.endm\n m", 4, 2, 1, "100 levels deep", id="endless"),
        pytest.param(".macro m\n m\n m\n.endm\n m", 5, 2, 1, "100 levels deep", id="endless_twice"),
    ],
)
def test_errors(source: str, line: int, column: int, width: int, words: str) -> None:
    with pytest.raises(AssemblyError) as caught:
        assemble(source, "aarch64")
    error = caught.value
    assert words in error.message
    assert (error.line, error.column, error.width) == (line, column, width)


HOSTILE: dict[str, Callable[[int], str]] = {
    "a tree of calls": lambda n: ".macro m n\n.if \\n\nm \\n-1\nm \\n-1\n.endif\n.endm\nm 60",
    "nothing, often": lambda n: f".rept {n // 2}\n.rept {n // 2}\n.endr\n.endr",
    "often, often": lambda n: f".rept {n // 3}\n.rept {n // 3}\nnop\n.endr\n.endr",
    "twice as long each time": lambda n: ".macro m a\nm \\a\\a\n.endm\nm x",
    "long lines, often": lambda n: (f".irp a, {','.join('a' * (n // 2))}\n.irp b, {','.join('b' * (n // 2))}\n"
                                    f"{'nop;' * 75}\n.endr\n.endr"),
    ".macro": lambda n: ".macro m\n" * n,
    ".if": lambda n: ".if 0\n" * n,
    ".set": lambda n: ".set a, 1\n" + ".set a, a+a\n" * n + "nop",
    ".altmacro": lambda n: ".altmacro\n.macro m a\nLOCAL x\nm <x>\n.endm\nm <" + "<" * n,
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_hostile_macros_end_soon(source: Callable[[int], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Work grows with the text, and with the lines and characters that may be made: here few of them."""
    def hostile(size: int) -> None:
        monkeypatch.setattr("neonsim.arm.asm.text.gas_macros.MAX_LINES", size)
        monkeypatch.setattr("neonsim.arm.asm.text.gas_macros.MAX_CHARACTERS", 40 * size)
        try:
            assemble(source(size), "aarch64")
        except AssemblyError as error:
            assert len(str(error)) < 20_000
    assert grows_evenly(hostile, 250) < 1000 * 250


@pytest.mark.nightly
@pytest.mark.parametrize(("source", "expected"), CASES)
def test_gnu_as_makes_the_same(source: str, expected: list[str] | None, tmp_path: Path) -> None:
    """The same bytes from the text, expanded by GCC and GNU as, and from our listing of it."""
    gcc, objcopy = "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objcopy"
    if shutil.which(gcc) is None:
        pytest.skip(f"needs {gcc}: make system-packages")
    made = []
    for text in (source, str(assemble(source, "aarch64"))):
        (tmp_path / "a.S").write_text(text + "\n")
        subprocess.run([gcc, "-c", tmp_path / "a.S", "-o", tmp_path / "a.o"], check=True)
        subprocess.run([objcopy, "-O", "binary", "-j", ".text", tmp_path / "a.o", tmp_path / "a.bin"], check=True)
        made.append((tmp_path / "a.bin").read_bytes())
    assert made[0] == made[1]


def _nests() -> dict[str, str]:
    """Texts that nest one thing deeper than Python goes, as far as a line holds that."""
    deep, wide = 2_000, 1900
    found = {
        "calls of macros": "".join(f".macro m{i}\nm{i + 1}\n.endm\n" for i in range(deep)) + "m0",
        "a macro that calls itself": ".macro a\na\n.endm\na",
        "a macro that makes itself again": ".macro a\n.purgem a\n.macro a\na\n.endm\na\n.endm\na",
        ".rept": ".rept 1\n" * deep + "nop\n" + ".endr\n" * deep,
        ".irp": ".irp x, 1\n" * 400 + "nop\n" + ".endr\n" * 400,
        ".rept in a macro that calls itself": ".macro a\n.rept 1\na\n.endr\n.endm\na",
        ".if": ".if 1\n" * deep + "nop\n" + ".endif\n" * deep,
        ".pushsection": ".pushsection .data\n" * deep,
        "calls of #define in their arguments": "#define F(x) x\nmov x0, #" + "F(" * 1000 + "1" + ")" * 1000,
        "calls that make calls": "#define F(x) G(G(x))\n#define G(x) (x)\nmov x0, #" + "F(" * 500 + "1" + ")" * 500,
        "#if of minuses": "#if " + "-" * wide + "1\nnop\n#endif", "#if of parentheses": "#if " + "(" * wide + "1",
        "#if of choices": "#if " + "1 ? " * 900 + "1" + ": 1" * 900 + "\nnop\n#endif",
    }
    for name, nest in (("parentheses", "(" * wide + "1" + ")" * wide), ("minuses", "-" * 2 * wide + "1"),
                       ("signs", "~!-" * wide + "1")):
        found |= {f"an operand of {name}": f"mov x0, #{nest}"[:4000], f".word of {name}": f".data\n.word {nest}"[:4000],
                  f".set of {name}": f".set a, {nest}"[:4000], f".if of {name}": f".if {nest}"[:4000],
                  f"a literal of {name}": f"ldr x0, ={nest}"[:4000], f".inst of {name}": f".inst {nest}"[:4000]}
    return found


@pytest.mark.parametrize("isa", every(2, ["aarch32", "aarch64"]))
def test_nothing_nests_without_end(isa: str) -> None:
    for name, text in _nests().items():
        with pytest.raises(AssemblyError) as caught:
            assemble(text + "\nret", isa)
        assert caught.value.line and "recursion" not in str(caught.value), name


def test_long_is_not_deep() -> None:
    """What goes on and on without nesting is taken: sums, names set again and again, #define that lead to others."""
    for text in ("a: b a" + "+4-4" * 900, "mov x0, #1" + "+1" * 1500, ".set a, 1\n" + ".set a, a+1\n" * 2000,
                 "#define A0 1\n" + "".join(f"#define A{i} A{i - 1}\n" for i in range(1, 2000)) + "mov x0, #A1999",
                 "#define F(x) x\nmov x0, #" + "F(" * 80 + "1" + ")" * 80):
        assert len(assemble(text + "\nret", "aarch64")) >= 1
    assert str(assemble("a: b a" + "+4-4" * 900 + "+8\nret\nret", "aarch64").instructions[0]).split()[-1] == "a+8"
