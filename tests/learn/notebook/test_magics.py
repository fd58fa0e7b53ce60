from __future__ import annotations

import re
from gzip import decompress
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.asm.c import compile
from neonsim.arm.asm.c.compile import compilers
from neonsim.arm.asm.c.options import CompilerOptions
from neonsim.learn.notebook.magics import run_cell
from neonsim.render import split
from neonsim.render.stepper.header import listing

ADD = """
        ld1     {v0.8h}, [x0]
        ld1     {v1.8h}, [x1]
        add     v0.8h, v0.8h, v1.8h
        st1     {v0.8h}, [x2]
"""


def test_arrays_go_in_and_come_out() -> None:
    n, m, d = np.arange(8, dtype=np.int16), np.full(8, 100, np.int16), np.zeros(8, np.int16)
    variables: dict[str, Any] = {"n": n, "m": m, "d": d}
    result, face = run_cell("--args n,m,d -o result", ADD, variables)
    assert d.tolist() == (n + m).tolist() and variables["result"] is result
    assert type(face).__name__ == "Stepper" and result.steps == 5


def test_other_instruction_set_and_integers() -> None:
    result, _ = run_cell("aarch32 --args 40,0x2", "add r0, r0, r1", {})
    assert result.returned == 42


@pytest.mark.parametrize("line", ["--args 40, 0x2 aarch32", "aarch32 --args 40 ,0x2", "aarch32 --args 43 , -1 -o r"])
def test_blanks_beside_commas(line: str) -> None:
    assert run_cell(line, "add r0, r0, r1", {})[0].returned == 42


def test_lines_have_the_numbers_of_the_cell(capsys: pytest.CaptureFixture[str]) -> None:
    """The magic stands in line 1, so the first instruction is in line 2: in messages, in the stepper, in the editor."""
    with pytest.raises(ns.AssemblyError, match=r"^<text>:3:9") as caught:
        run_cell("", "mov w0, #1\n        mow w0, #2", {})
    assert caught.value.line == 3
    with pytest.raises(ns.NeonsimError, match=r"<text>:2: step 1, ldr"):
        run_cell("--args 4096", "ldr x1, [x0]", {})
    kept, face = run_cell("--args 5", "dup v3.4s, w0\nnop", {})
    assert [row["number"] for row in split(decompress(face.payload))[0]["code"]] == [2, 3, 4]
    assert kept.text == "dup v3.4s, w0\nnop" and face.text == "\ndup v3.4s, w0\nnop\n        ret"
    face._cell.on_rerun(face.text, face.trace, None)
    assert kept.text == "dup v3.4s, w0\nnop\n        ret", "without the magic's line"


def test_the_stepper_begins_where_it_is_asked_to() -> None:
    assert run_cell("--args 5 --at 1", "dup v3.4s, w0", {})[1].step == 1
    with pytest.raises(ns.NeonsimError, match="step"):
        run_cell("--args 5 --at 3", "dup v3.4s, w0", {})


def test_registers_instead_of_the_stepper() -> None:
    _, face = run_cell("--no-step --args 5", "dup v3.4s, w0", {})
    assert "after 2 steps (counted)" in str(face) and ">v3<" in str(face)


@pytest.mark.parametrize(("line", "text", "message"), [
    ("--core", "ret", "expected one argument"),
    ("mips", "ret", "invalid choice: 'mips'"),
    ("-o 9lives", "ret", "needs a variable name"),
    ("--args nothing", "ret", "neither an integer nor a variable"),
    ("--args text", "ret", "is a str; it must be an integer or a numpy array"),
    ("--args listed", "ret", "numpy.array.listed, dtype="),
    ("--args words", "ret", "elements of type <U1"),
    ("--args 'a", "ret", "no closing quotation"),
    ("-o class", "ret", "needs a variable name"),
    ("--steps 0", "ret", "must be 1 to"),
    ("--steps 99999999999", "0: b 0b", "every step is recorded"),
    ("--no-step --core cortex-a99", "ret", "cortex-a99"),
    ("--args fixed", "mov w1, #1\n strb w1, [x0]", '"fixed" is read-only'),
    ("", "smlall v0.4s, v1.4h, v2.4h", "smlal"),
    ("--core cortex-a1", "ret", "cortex-a1"),
    ("--steps 500", "0: b 0b", "500"),
    ("--steps 90", "0: add w0, w0, #1\n b 0b", "Give %%neon a larger --steps"),
    ("a b", "ret", "for example: %%neon aarch64 --args a,b,16"),
    ("", "0: subs x1, x1, #1\n b.ne 0b", "uninitialized"),
    ("--args 4096", "ldr x1, [x0]", "0x1000"),
], ids=["option", "isa", "output", "argument", "argument_type", "list", "strings", "quotation", "keyword", "no_steps",
        "too_many_steps", "core_without_stepper", "read_only", "mnemonic", "core", "endless", "long", "example",
        "uninitialized", "unmapped"])
def test_refuses_in_one_message(line: str, text: str, message: str) -> None:
    with pytest.raises(ns.NeonsimError, match=message):
        fixed = np.zeros(4, np.uint8)
        fixed.flags.writeable = False
        run_cell(line, text, {"text": "hello", "listed": [1, 2], "words": np.array(["a"]), "fixed": fixed})


def test_one_array_twice_is_one_buffer() -> None:
    x = np.arange(4, dtype=np.uint8)
    run_cell("--args x,x", "mov w2, #9\n strb w2, [x0]\n strb w2, [x1, #1]", {"x": x})
    assert x.tolist() == [9, 9, 2, 3]


def test_negative_numbers_and_floats() -> None:
    assert run_cell("--args -1,-0x10", "add w0, w0, w1", {})[0].returned == (-17) & 0xFFFFFFFF
    result, _ = run_cell("--args half", "fadd s0, s0, s0", {"half": np.float32(0.5)})
    # What comes back is read as a double; the single-precision 1.0 is its lower half.
    assert int(np.float64(result.returned_float).view(np.uint64)) == 0x3F800000


def test_an_interrupted_run_leaves_the_notebook_usable(monkeypatch: pytest.MonkeyPatch,
                                                       capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("IPython", reason="needs IPython")
    from IPython.core.interactiveshell import InteractiveShell

    def stopped(*arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "neonsim")
    shell.run_cell("import numpy as np; x = np.arange(4)")
    with monkeypatch.context() as patch:
        patch.setattr("neonsim.arm.machine.Machine.call", stopped)
        assert not shell.run_cell("%%neon -o r --args x\nret\n").success
    shown = capsys.readouterr().out
    assert "the run was stopped" in shown and "Traceback" not in shown and "r" not in shell.user_ns
    assert shell.run_cell("%%neon -o r --args x\nret\n").success


def test_what_o_keeps_follows_the_stepper(monkeypatch: pytest.MonkeyPatch) -> None:
    d = np.zeros(4, np.int32)
    variables: dict[str, Any] = {"d": d}
    text = "mov w9, #3\n dup v1.4s, w9\n str q1, [x0]\n umov w0, v1.s[2]"
    result, stepper = run_cell("--args d  -o kept", text, variables)
    kept: Any = variables["kept"]
    assert kept is result and kept.text == text and kept.returned == 3 and issubclass(type(kept), ns.CallResult)
    assert stepper.cell == {"line": "%%neon --args d  -o kept", "id": "", "own": True}
    stepper.request = {"number": 1, "text": text.replace("#3", "#7")}  # a return is added as in the cell
    assert stepper.answer["problem"] == "" and kept.text == text.replace("#3", "#7") == stepper.text
    assert (kept.returned, kept.trace is stepper.trace, kept.steps) == (7, True, 5)
    assert d.tolist() == [3] * 4, "the arrays are those of the cell's own run"
    stepper.request = {"number": 2, "change": {"step": 2, "name": "v1.u8[8]", "value": "9"}}
    assert stepper.answer["said"] == "changed by hand at step 2: v1.u8[8] 7 -> 9. From here on 3 steps (counted)."
    assert (kept.returned, stepper.step, stepper.undoable, len(kept.trace.changes)) == (9, 2, 1, 1)
    stepper.request = {"number": 3, "undo": True}
    assert (kept.returned, stepper.step, stepper.undoable) == (7, 2, 0) and kept.trace.changes == ()
    stepper.request = {"number": 4, "text": "mov x2, #1\n ldr x0, [x1]"}
    assert "x1" in kept.problem and kept.text == "mov x2, #1\n ldr x0, [x1]" and kept.trace is stepper.trace
    stepper.request = {"number": 5, "text": text.replace("mov w9", "mow w9")}
    assert [one["line"] for one in stepper.answer["errors"]] == [1] and kept.text == "mov x2, #1\n ldr x0, [x1]"

    class Shell:
        """What IPython is asked."""

        cells: ClassVar[list[tuple[str, bool]]] = []

        def set_next_input(self, cell: str, replace: bool) -> None:
            self.cells.append((cell, replace))

    with pytest.raises(ns.BadArgument, match=r"Use \.text"):
        kept.to_cell()
    monkeypatch.setattr("neonsim.learn.notebook.cell.running_shell", Shell)
    kept.to_cell(replace=True)
    assert Shell.cells == [("%%neon --args d  -o kept\nmov x2, #1\n ldr x0, [x1]", True)]


@pytest.mark.skipif(not compilers("aarch64"), reason="needs a cross compiler for AArch64: make system-packages")
def test_a_cell_of_c_keeps_its_assembly() -> None:
    variables: dict[str, Any] = {}
    kept, stepper = run_cell("-O 1 -o kept --args 5", "int twice(int n) { return 2 * n; }", variables, "%%neon_c")
    assert kept.returned == 10 and ns.assemble(kept.text, "aarch64") and kept.line == "%%neon aarch64 --args 5"
    assert not stepper.cell["own"], "assembly does not take the place of C"


def test_in_ipython(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("IPython", reason="needs IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "neonsim")
    shell.run_cell("%%neon -o r --args 7\nadd x0, x0, #1\n")
    assert shell.user_ns["r"].returned == 8
    capsys.readouterr()
    assert not shell.run_cell("%%neon -o later\n        smlall v0.4s, v1.4h, v2.4h\n").success
    shown = capsys.readouterr().out
    assert "AssemblyError" in shown and "^^^^^^" in shown and "Traceback" not in shown
    assert "later" not in shell.user_ns
    shell.run_cell("%%neon\nadd x0, x1, #1\n")
    shown = capsys.readouterr().out
    assert "warning: <text>:" in shown and "returns with bits in x0 that depend on uninitialized data" in shown
    shell.run_cell("x = 1")
    assert shell.user_ns["x"] == 1, "the notebook stays usable"


C = "int twice(int x) {\n    return x + x;\n}\n"
needs_compiler = pytest.mark.skipif(not compilers("aarch64"), reason="needs a cross compiler: make system-packages")


@pytest.mark.slow
@needs_compiler
def test_c_in_a_cell(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("IPython", reason="needs IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "neonsim")
    shell.run_cell("%%neon_c -o r --args 21 --no-step -O 0\n" + C)
    assert shell.user_ns["r"].returned == 42
    assert (3, "return x + x;") in shell.user_ns["r"].trace.program.origins
    capsys.readouterr()
    shell.run_cell("%%neon_c\nint f(void) { return y; }\n")
    out = "".join(capsys.readouterr())
    assert "CompilerError" in out and "cell.c:2:" in out and "undeclared" in out and "Traceback" not in out
    shell.run_cell("%neon_time r --core cortex-a53")
    assert "cortex-a53" in capsys.readouterr().out.lower()
    shell.run_cell("%neon_check qu8_sumrows_4x__aarch32_neon")
    assert "right in every byte" in capsys.readouterr().out
    shell.run_cell("%neon_time nothing")
    assert "is not a run with a trace" in "".join(capsys.readouterr())


def test_a_check_that_fails_is_opened_in_the_stepper(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    display = pytest.importorskip("IPython.display", reason="needs IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shown: list[Any] = []
    monkeypatch.setattr(display, "display", shown.append)
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "neonsim")
    (tmp_path / "mine.S").write_text("mine:\n ldrb w4, [x1]\n strb w4, [x2]\n ret\n")
    shell.run_cell(f"%neon_check {tmp_path / 'mine.S'} --contract u8_clamp --isa aarch64 --tile 8x")
    (stepper,) = shown
    assert "smallest failing case: n = " in capsys.readouterr().out
    title = split(decompress(stepper.payload))[0]["title"]
    assert "mine.S, n = " in title and "y[0] should be" in title and stepper.view.startswith("lane=0&follow=")


@needs_compiler
def test_c_beside_the_assembly_in_the_stepper() -> None:
    result, face = run_cell("--args 21 -O 0", C, {}, "%%neon_c")
    assert type(face).__name__ == "Stepper"
    assert any("// C 3  return x + x;" in line["text"] for line in listing(result.trace.program))


TRIPLE = """#include <stdint.h>
void f(const int16_t* a, int32_t* c, int n) {
    for (int i = 0; i < n; i++) c[i] = a[i] * 3 > LIMIT ? a[i] * 3 : -a[i];
}
"""


@needs_compiler
@pytest.mark.nightly
def test_c_compiled_two_ways_beside_each_other() -> None:
    a, c = np.arange(-8, 8, dtype=np.int16), np.zeros(16, np.int32)
    variables: dict[str, Any] = {"a": a, "c": c}
    _, face = run_cell("--args a,c,16 -D LIMIT=3 --core cortex-a53 --compare-flags -O0", TRIPLE, variables, "%%neon_c")
    assert c.tolist() == [3 * x if 3 * x > 3 else -x for x in range(-8, 8)], "written back once"
    left, right = (split(decompress(data))[0] for data in (face.payload, face.beside))
    assert left["title"].endswith("-O2 -DLIMIT=3") and right["title"].endswith("-O0 -DLIMIT=3")
    assert left["steps"] < right["steps"] and left["timing"]["cycles"] < right["timing"]["cycles"]
    assert right["differs"]["said"] == "No difference of data: both runs leave the same bytes in c."
    _, face = run_cell("--args a,c,16 -D LIMIT=3 --compare-flags '-O0 -DLIMIT=9'", TRIPLE, variables, "%%neon_c")
    found = split(decompress(face.beside))[0]["differs"]
    assert found["results"] == ["c[10]", "c[11]"] and "It reaches c[10]" in found["said"]


@needs_compiler
def test_options_for_the_compiler_in_a_cell() -> None:
    text = "#ifndef __ARM_FEATURE_DOTPROD\n#error __ARM_FEATURE_DOTPROD\n#endif\nint f(void) { return N; }"
    line = "--no-step --compiler-option -march=armv8.2-a+dotprod --compiler-option -DN=7"
    assert run_cell(line, text, {}, "%%neon_c")[0].returned == 7
    with pytest.raises(ns.NeonsimError, match=r"add --compiler-option -march=armv8\.2-a"):
        run_cell("--no-step -D N=7", text, {}, "%%neon_c")


@needs_compiler
@pytest.mark.parametrize(("line", "says"), [
    ("--compare-flags -O2", "so it is compiled already"),
    ("--compare-flags tcc", "'tcc' is no compiler (gcc, clang, zig)"),
    ("--compare-flags clang --no-step", "Omit --no-step"), ("--compare-flags -pipe", "'-pipe' is not allowed"),
], ids=["same", "unknown", "no_stepper", "option"])
def test_ways_beside_that_are_refused(line: str, says: str) -> None:
    with pytest.raises(ns.BadArgument, match=re.escape(says)):
        run_cell(line, C, {}, "%%neon_c")


def test_a_compiler_that_is_missing_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile, "compilers", lambda isa: {"gcc": ("aarch64-linux-gnu-gcc",)})
    way = CompilerOptions().with_changes("clang -O3")
    assert way.title == "clang -O3"
    with pytest.raises(ns.NeonsimError, match="clang for aarch64 was not found") as caught:
        way.load(C)
    assert "\n" not in str(caught.value)
