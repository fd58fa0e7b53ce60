"""Kernels that share a body: what is shown and stepped is what assemblers read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from neonsim.arm.asm import assemble
from neonsim.errors import AssemblyError
from neonsim.ukernel import catalog, kernel, kernels, kernels_folder
from neonsim.ukernel.bodies import bodies_in, with_bodies
from tests.tiers import first_of_each

SHARED = {k.name: bodies_in(k.path.read_text("utf-8")) for k in kernels() if not k.is_generated}
BODIES = sorted({body for bodies in SHARED.values() for body in bodies})
ONE = "qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane"


def test_conditions_and_words() -> None:
    body = ("// For those who include it.\n\n"
            "#if defined A && !defined B\na AT // AT\n#elif defined B\nb\n#else\nc\n#endif\n"
            "#ifndef A\nd\n#ifdef A\ne\n#endif\n#else\n#define AT x5\n#include \"bodies/inner.h\"\n#endif\n")
    bodies = {"bodies/body.h": body, "bodies/inner.h": "// Inner.\n\ni AT\n"}
    text = "//! AT\n{}#include \"include/m.h\"\n#include \"bodies/body.h\"\n"
    head = "//! AT\n#include \"include/m.h\"\n"
    assert with_bodies(text.format("#define A\n#define AT x4 // here\n"), bodies) == head + "a x4 // AT\ni x5\n"
    assert with_bodies("#define AT x29\n#define B\na AT // b\na B   // c", {}) == "a x29 // b\na     // c"
    assert with_bodies(text.format("#define B\n"), bodies) == head + "b\nd\n"
    assert with_bodies(text.format("#define A\n#undef A\n"), bodies) == head + "c\nd\n"
    assert with_bodies("#define TAPS 25\n#if TAPS > 9 && !defined A\na\n#endif", {}) == "a"


@pytest.mark.parametrize("text", ["#endif", "#else", "a\n#ifdef A", "#if (", "#include \"bodies/none.h\"",
                                  "#include \"bodies/itself.h\""])
def test_what_cannot_be_read_is_left_to_the_assembler(text: str) -> None:
    assert with_bodies(text, {"bodies/itself.h": f"// Itself.\n\n{text}\n"}) == text
    with pytest.raises(AssemblyError):
        assemble(text, "aarch64")


def test_every_body_is_of_several_kernels() -> None:
    files = {f"bodies/{path.name}": path.read_text("utf-8") for path in (kernels_folder() / "bodies").iterdir()}
    uses = [*(body for bodies in SHARED.values() for body in bodies),
            *(inner for text in files.values() for inner in bodies_in(text))]
    assert {name for name in files if uses.count(name) < 2} == set()
    assert all(text.startswith("// ") and text.endswith("\n") for text in files.values())


@pytest.mark.parametrize("body", first_of_each(lambda body: body.partition("_")[0], BODIES))
def test_the_text_shown_is_the_program(body: str) -> None:
    """Of one kernel of each body: the program is that of the file, and its lines are those that are shown."""
    each = kernel(max(name for name, bodies in SHARED.items() if body in bodies))
    program = each.program()
    assert program == assemble(each.path, each.isa, include=[kernels_folder()])
    assert "#include \"bodies/" not in each.source and "KERNEL" not in each.source
    assert "\n".join(program.lines) + "\n" == each.source
    for one in program.instructions:
        assert one.position.path == str(each.path) and one.position.text == program.lines[one.position.line - 1]


def test_a_mistake_is_named_where_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(shutil.copytree(kernels_folder(), tmp_path / "kernels"))
    monkeypatch.setattr(catalog, "kernels_folder", lambda: folder)
    body = folder / SHARED[ONE][0]
    body.write_text(body.read_text("utf-8").replace("    rewind_rows x2\n", "    rewound_rows x2\n"))
    line = body.read_text("utf-8").splitlines().index("    rewound_rows x2") + 1
    with pytest.raises(AssemblyError) as caught:
        catalog.Kernel(ONE, folder / "gemm" / f"{ONE}.S").program()
    assert (caught.value.path, caught.value.line) == (str(body), line)
