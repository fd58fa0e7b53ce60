"""Run by the playground's own interpreter, in Node.js: what it needs of its library and of neonsim, compiled.

Two archives of modules without their sources: a zip of the library's that are in use, a tar of neonsim with its data.
"""

from __future__ import annotations

import importlib
import io
import json
import marshal
import sys
import tarfile
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

# Programs that between them take every way through the playground's Python.
TEXTS = (
    ("aarch64", "#define N 4\n.macro twice r\nadd \\r\\().4s, \\r\\().4s, \\r\\().4s\n.endm\n"
                "ldr x1, =0x123456789\nadrp x2, t\nadd x2, x2, :lo12:t\nldr q0, [x0]\n.rept N\ntwice v0\n.endr\n"
                "fadd v0.4s, v0.4s, v0.4s\nstr q0, [x0]\nret\n.data\nt: .word 1\n"),
    ("aarch32", "vld1.32 {d0, d1}, [r0]\nvmlal.s16 q1, d0, d1[0]\nvst1.32 {d0, d1}, [r0]\nbx lr\n"),
    ("aarch64", "add v0.4s, v1.4h\nnosuch\nsmlal v0.4s, v1.8h, v2.h[9]\n"),
)
RECORD = {"pc": [0, 1], "executed": [1, 1], "accesses": [[], []], "buffers": []}
# Parts of neonsim that import some of their modules late.
WHOLE = ("neonsim.arm.asm", "neonsim.arm.isa", "neonsim.arm.semantics", "neonsim.common", "neonsim.render.play")
# Of the library: what is asked for when something goes wrong.
SPARE = ("traceback", "linecache", "tokenize", "encodings.ascii", "encodings.latin_1", "encodings.idna",
         "encodings.utf_8_sig", "stringprep", "pprint")
DATE = (2020, 1, 1, 0, 0, 0)


def pack(staged: Path, library: Path, neonsim: Path, standard: Path) -> str:
    """Write both archives; returns what is in them.

    staged     a folder with the package and the stand-in for numpy      library   the interpreter's own library, a zip
    neonsim, standard   the archives
    """
    sys.path.insert(0, str(staged))
    stand_in = importlib.import_module("absent_numpy")
    stand_in.install()
    play = importlib.import_module("neonsim.render.play")
    stand_in.seal()
    for isa, text in TEXTS:
        said = json.loads(play.answer(json.dumps({"ask": "open", "text": text, "isa": isa, "words": ["s32*4"]})))
        assert ("header" in said) != ("nosuch" in text), said.get("problem")
        if "header" in said:
            for core, _ in json.loads(play.answer(json.dumps({"ask": "cores", "isa": isa})))["cores"]:
                said = json.loads(play.answer(json.dumps({"ask": "price", "core": core, **RECORD})))
                assert "timing" in said or "cannot run" in said["problem"], said
            said = json.loads(play.answer(json.dumps({"ask": "judge", "outputs": ["arg0"], **RECORD, "budget": {
                "call": "n = 4", "elements": 4, "each": "y", "neon": 0.5}})))
            assert "kept" in said, said
    loaded = {name for name, module in sys.modules.items() if getattr(module, "__file__", None)}
    ours = sorted(path for path in staged.rglob("*") if path.is_file() and _is_used(path.relative_to(staged), loaded))
    # One stream for all: modules are alike, and together they are two thirds of what they are in a zip.
    with tarfile.open(neonsim, "w:xz", format=tarfile.USTAR_FORMAT) as archive:
        for path in ours:
            name, data = _compiled(path.relative_to(staged).as_posix(), path.read_bytes(), 0)
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    kept = 0
    with ZipFile(library) as every, ZipFile(standard, "w") as smaller:
        for name in sorted(every.namelist()):
            module = _module(Path(name)) if name.endswith(".py") else ""
            if module and (module in loaded or module in SPARE or module.startswith(("_pyodide", "pyodide"))):
                made, data = _compiled(name, every.read(name), 2)  # without docstrings
                entry_in_zip = ZipInfo(made, DATE)
                entry_in_zip.compress_type = ZIP_DEFLATED
                smaller.writestr(entry_in_zip, data, compresslevel=9)
                kept += 1
    return f"{len(ours)} files of neonsim, {kept} modules of the library"


def _module(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _is_used(path: Path, loaded: set[str]) -> bool:
    module = _module(path)
    if path.suffix != ".py":
        return path.suffix in (".txt", ".s", ".toml", ".tsv", ".pyi", ".h", ".S")
    return module in loaded or any(f"{module}.".startswith(f"{part}.") for part in WHOLE)


def _compiled(name: str, data: bytes, optimize: int) -> tuple[str, bytes]:
    """A module as the interpreter has it when it is loaded; other files as they are, and packages that read their own
    source for the names that they load later."""
    if not name.endswith(".py") or b"= later(globals()" in data:
        return name, data
    code = compile(data, f"/{name}", "exec", dont_inherit=True, optimize=optimize)
    code = _without_lines(code) if optimize else code
    # Flags 1: by its hash, which nobody checks.
    return f"{name}c", MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code)


def _without_lines(code: CodeType) -> CodeType:
    """The same without the lines that its instructions come from, which are a fifth of it."""
    return code.replace(co_linetable=b"", co_consts=tuple(
        _without_lines(one) if isinstance(one, CodeType) else one for one in code.co_consts))
