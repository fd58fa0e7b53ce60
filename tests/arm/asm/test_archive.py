"""Archives: members by name, what link takes of them, damage; archives made here, without `ar`."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

import neonsim as ns
from neonsim.arm.asm import assemble

OBJECT = (Path(__file__).parent / "objects" / "aarch64.o").read_bytes()


def archive(*members: tuple[str, bytes], symbols: dict[str, int] | None = None) -> bytes:
    """An archive as GNU ar writes it; `symbols`: in which member each is."""
    long = b"".join(f"{name}/\n".encode() for name, _ in members if len(name) > 15)
    heads: list[tuple[bytes, bytes]] = [(b"//", long)] if long else []
    at = 0
    for name, data in members:
        heads.append((f"/{at}".encode() if len(name) > 15 else f"{name}/".encode(), data))
        at += len(name) + 2 if len(name) > 15 else 0
    names = b"".join(f"{name}\0".encode() for name in symbols or {})
    table = 4 + 4 * len(symbols or {}) + len(names)
    places, out, offset = [], b"", 8 + 60 + table + table % 2
    for head, data in heads:
        if head != b"//":
            places.append(offset + len(out))
        out += head.ljust(48) + str(len(data)).encode().ljust(10) + b"`\n" + data + b"\n" * (len(data) % 2)
    numbers = [len(symbols or {}), *(places[i] for i in (symbols or {}).values())]
    index = b"".join(number.to_bytes(4, "big") for number in numbers) + names
    return b"!<arch>\n" + b"/".ljust(48) + str(table).encode().ljust(10) + b"`\n" + index + b"\n" * (table % 2) + out


def test_by_name_and_by_symbol() -> None:
    whole = archive(("readme.txt", b"text"), ("a_name_longer_than_15.o", OBJECT), symbols={"sum": 1, "copy": 1})
    lib = ns.load_archive(whole)
    assert lib.members == ("readme.txt", "a_name_longer_than_15.o")
    assert lib.load("a_name_longer_than_15.o") == ns.load_object(OBJECT)
    user = assemble(".global f\nf: b sum", "aarch64")
    both = ns.link(user, lib)
    assert both.undefined == () and "sum" in both.symbols
    assert len(ns.link(assemble(".global f\nf: ret", "aarch64"), lib)) == 1  # nothing is wanted
    with pytest.raises(ns.BadArgument, match=r"has no member 'b\.o'\. It has readme"):
        lib.load("b.o")
    with pytest.raises(ns.NeonsimError, match=r"\(readme\.txt\) is no ELF file"):
        lib.load("readme.txt")


@pytest.mark.parametrize(("data", "words"), [
    (b"", "is not an archive"), (b"!<thin>\n", "thin archive"),
    (b"!<arch>\n" + b"x" * 60, "no member begins at byte 8"),
    (archive(("a.o", OBJECT))[:-50], "is truncated"),
    (b"!<arch>\n" + b"/".ljust(48) + b"4".ljust(10) + b"`\n\0\0\0\x09", "too short"),
    (archive(("a.o", b"x"), symbols={"f": 0}).replace(b"\0\0\0\1\0\0\0", b"\0\0\0\1\0\0\1"), "without a member")])
def test_damage_is_said(data: bytes, words: str) -> None:
    with pytest.raises(ns.NeonsimError, match=words):
        ns.load_archive(data)


def test_damage_of_any_kind() -> None:
    rng = random.Random(1)
    data = archive(("a.o", OBJECT), ("a_name_longer_than_15.o", b"1"), symbols={"sum": 0, "g": 1})
    for _ in range(2000):
        broken = bytearray(data)
        for _ in range(rng.choice((1, 2, 8))):
            broken[rng.choice((rng.randrange(200), rng.randrange(len(broken))))] = rng.randrange(256)
        try:
            ns.load_archive(bytes(broken[:rng.choice((len(broken), rng.randrange(len(broken))))]))
        except ns.NeonsimError as problem:
            assert str(problem)


@pytest.mark.nightly
def test_what_ar_makes(tmp_path: Path) -> None:
    if shutil.which("aarch64-linux-gnu-gcc") is None:
        pytest.skip("needs aarch64-linux-gnu-gcc: make system-packages")
    for name, text in (("one", "int two(int); int one(int x) { return two(x) + 1; }"),
                       ("two", "int two(int x) { return x * 2; }"), ("three", "int three(void) { return 3; }")):
        (tmp_path / f"{name}.c").write_text(text)
        subprocess.run(["aarch64-linux-gnu-gcc", "-O1", "-c", f"{name}.c"], cwd=tmp_path, check=True)
    subprocess.run(["aarch64-linux-gnu-ar", "rcs", "lib.a", "one.o", "two.o", "three.o"], cwd=tmp_path, check=True)
    lib = ns.load_archive(tmp_path / "lib.a")
    both = ns.link(assemble(".global f\nf: b one", "aarch64"), lib)
    assert {"one", "two"} <= set(both.symbols) and "three" not in both.symbols
    assert ns.Machine().call(both, 20, entry="f").returned == 41
