"""Structs and numbers that cross between Python and the C library: compared when it is loaded."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from neonsim.nn.backends.native import library, structs
from neonsim.nn.backends.native.network import kinds, roundings

ROOT = Path(__file__).resolve().parents[3]
INCLUDE, LAYOUT = ROOT / "native" / "include", ROOT / "native" / "src" / "layout.c"
HEADERS = ("neonsim.h", "neonsim_network.h")
needs_library = pytest.mark.skipif(library.available() is not None, reason=str(library.available()))
needs_compiler = pytest.mark.skipif(shutil.which("gcc") is None or not INCLUDE.is_dir(),
                                    reason="needs gcc and a checkout")


def text_of_headers() -> str:
    text = "".join((INCLUDE / name).read_text() for name in HEADERS)
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


@needs_library
def test_the_library_is_that_of_this_code() -> None:
    assert structs.layout_mismatch(library.require()) is None


@needs_compiler
def test_the_table_holds_every_field_of_the_headers() -> None:
    """What layout.c left out would not be compared."""
    text = text_of_headers()
    for record, made in structs.RECORDS.items():
        body = re.search(rf"struct {record} \{{(.*?)\}};", text, re.DOTALL)
        assert body is not None
        names = [name for line in body[1].split(";") for name in re.findall(r"(\w+)\s*(?=,|$)", line.strip())]
        assert names == [field[0] for field in made._fields_], record
        assert re.findall(rf"FIELD\({record}, (\w+)\)", LAYOUT.read_text()) == names


@needs_library
@needs_compiler
@pytest.mark.parametrize(("enumeration", "prefix"), [
    ("neonsim_status", "NEONSIM_"), ("neonsim_layer_kind", "NEONSIM_LAYER_"), ("neonsim_rounding", "NEONSIM_ROUND_"),
    ("neonsim_algorithm", "NEONSIM_ALGORITHM_")])
def test_every_enumerator_of_the_headers_is_there(enumeration: str, prefix: str) -> None:
    # As the compiler sees it: the kinds of layers are a list that a macro turns into an enum.
    text = subprocess.run(["gcc", "-E", "-P", str(INCLUDE / "neonsim_network.h")], capture_output=True,
                          text=True, check=True).stdout
    body = re.search(rf"enum {enumeration} \{{(.*?)\}};", text, re.DOTALL)
    assert body is not None
    names = [name.removeprefix(prefix).lower() for name in re.findall(r"(\w+)(?: = \d+)?\s*(?:,|$)", body[1].strip())]
    found = library.numbers(enumeration)
    assert list(found) == [name for name in names if name not in ("kinds", "neonsim_algorithms")]
    assert list(found.values()) == list(range(len(found)))


@needs_library
def test_kinds_and_roundings() -> None:
    assert {"conv", "add", "copy"} <= set(kinds()) and {"q31", "fp32", "away"} <= set(roundings())


# A library built from headers in which one thing is different, and what is said of it.
OTHERS = {
    "order": ("uint32_t input_stride, second_stride,", "uint32_t second_stride, input_stride,",
              "field 'input_stride' of struct neonsim_layer is unsigned, 4 bytes from byte 72 on in the library and "
              "unsigned, 4 bytes from byte 68 on in Python."),
    "type": ("  int32_t fuse_with_previous;", "  uint32_t fuse_with_previous;",
             "field 'fuse_with_previous' of struct neonsim_layer is unsigned, 4 bytes from byte {at} on in the "
             "library and signed, 4 bytes from byte {at} on in Python."),
    "longer": ("  double value, least, most;", "  double value, least, most, usual;",
               "struct neonsim_refusal is 48 bytes in the library and 40 bytes in Python."),
    "shorter": ("  uint32_t kr, sr;", "  uint16_t kr, sr;", "struct neonsim_variant_info is"),
}


@needs_compiler
@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="offsets of 64-bit systems")
@pytest.mark.parametrize("which", OTHERS)
def test_a_library_of_other_headers_is_refused(which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All functions are there and the version is right: only the layout tells."""
    old, new, said = OTHERS[which]
    for name in HEADERS:
        text = (INCLUDE / name).read_text()
        (tmp_path / name).write_text(text.replace(old, new))
    assert sum(new in (tmp_path / name).read_text() for name in HEADERS) == 1
    names = [name for name in library._SIGNATURES if name != "neonsim_abi_version"]
    (tmp_path / "rest.c").write_text("".join(f"int {name}(void) {{ return 1; }}\n" for name in names)
                                     + f"unsigned neonsim_abi_version(void) {{ return {library.ABI_VERSION}; }}")
    path = tmp_path / library._FILE
    subprocess.run(["gcc", "-shared", "-fPIC", "-I", str(tmp_path), "-o", str(path), str(LAYOUT),
                    str(tmp_path / "rest.c")], check=True)
    monkeypatch.setattr(library, "_library", None)
    monkeypatch.setattr(library, "_locate", lambda: (path, ""))
    refused = str(library.available())
    assert "was built from other headers" in refused and "make native" in refused
    assert said.format(at=structs.LayerRecord.fuse_with_previous.offset) in refused
