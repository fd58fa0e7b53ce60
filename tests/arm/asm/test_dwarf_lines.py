"""Lines of C beside the instructions of an object made with -g; objects/lines.c is what they were made of."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import neonsim as ns

HERE = Path(__file__).parent / "objects"
ISAS = ["aarch64", "aarch32"]


@pytest.mark.parametrize("isa", ISAS)
def test_with_its_source_beside_it(isa: str) -> None:
    program = ns.load_object(HERE / f"lines_{isa}.o")
    source = (HERE / "lines.c").read_text().splitlines()
    assert len(program.origins) == len(program) == 3
    assert all(text == source[number - 1].strip() for number, text in program.origins)
    assert any(" // C " in line for line in program.lines)
    assert ns.Machine(isa).call(program, 7, entry="twice").returned == 42


@pytest.mark.parametrize("isa", ISAS)
def test_without_it(isa: str, tmp_path: Path) -> None:
    data = (HERE / f"lines_{isa}.o").read_bytes()
    shown = [f"lines.c:{number}" for number, _ in ns.load_object(HERE / f"lines_{isa}.o").origins]
    assert [text for _, text in ns.load_object(data).origins] == shown
    (tmp_path / "a.o").write_bytes(data)
    (tmp_path / "elsewhere.c").write_text("secret\n" * 9)
    (tmp_path / "lines.c").symlink_to(tmp_path / "elsewhere.c")  # a link is not followed
    assert [text for _, text in ns.load_object(tmp_path / "a.o").origins] == shown


def test_a_name_with_folders_is_looked_for_beside_the_object_only(tmp_path: Path) -> None:
    data = (HERE / "lines_aarch64.o").read_bytes()
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "s.c").write_text("secret\n" * 9)
    (folder / "a.o").write_bytes(data.replace(b"lines.c\0", b"../s.c\0\0"))
    assert not any("secret" in line for line in ns.load_object(folder / "a.o").lines)


@pytest.mark.parametrize("isa", ISAS)
def test_damaged_debug_information(isa: str) -> None:
    data = bytearray((HERE / f"lines_{isa}.o").read_bytes())
    whole = ns.load_object(bytes(data))
    for at in range(0x50, len(data), 151):
        broken = bytearray(data)
        broken[at] ^= 0x55
        try:
            assert ns.load_object(bytes(broken)).isa == whole.isa
        except ns.NeonsimError as problem:
            assert str(problem)


def test_a_source_that_is_not_text_is_no_reason_to_fail(tmp_path: Path) -> None:
    shutil.copy(HERE / "lines_aarch64.o", tmp_path / "a.o")
    (tmp_path / "lines.c").write_bytes(bytes(range(256)) * 3)
    assert len(ns.load_object(tmp_path / "a.o")) == 3
