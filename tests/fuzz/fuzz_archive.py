"""Fuzzing of archives: damaged heads, names, tables of symbols and members; then members are loaded, and linked.

    python tests/fuzz/fuzz_archive.py --inputs 300000 --seed 1

Inputs are archives of the objects of fuzz_object, written as GNU ar and as BSD do.
"""

from __future__ import annotations

import random
import sys

import fuzz_object
from harness import Box, Fuzz

from neonsim.arm.asm import assemble, link, load_archive
from neonsim.errors import NeonsimError

ENDS = (b"0", b"1", b"59", b"60", b"4294967295", b"-1", b"9999999999", b"0x10", b" ", b"1e9", b"\xff\xff")

NAMES = (b"/", b"//", b"/9", b"/99999999999", b"#1/5", b"#1/999999999", b"", b"a/", b"/SYM64/", b"__.SYMDEF")


def _member(name: bytes, data: bytes) -> bytes:
    return name.ljust(48) + str(len(data)).encode().ljust(10) + b"`\n" + data + b"\n" * (len(data) % 2)


def make(rng: random.Random) -> bytes:
    objects = [(f"member_{'x' * rng.choice((0, 9, 30))}{i}.o".encode(), fuzz_object.make(rng)) for i in
               range(rng.choice((0, 1, 2, 3)))]
    symbols = [(name, i) for i in range(len(objects)) for name in (b"f", b"sum", b"h", b"loop")]
    bsd = rng.random() < 0.2
    table = 4 + 4 * len(symbols) + sum(len(name) + 1 for name, _ in symbols)
    long = b"".join(name + b"/\n" for name, _ in objects)
    out, places, at, offset = b"", [], 0, 8 + 60 + table + table % 2
    if not bsd:
        out += _member(b"//", long)
    for name, data in objects:
        places.append(offset + len(out))
        out += _member(b"#1/%d" % len(name), name + data) if bsd else _member(b"/%d" % at, data)
        at += len(name) + 2
    index = len(symbols).to_bytes(4, "big") + b"".join(places[i].to_bytes(4, "big") for _, i in symbols)
    index += b"".join(name + b"\0" for name, _ in symbols)
    return b"!<arch>\n" + _member(b"/", index) + out


def mutate(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    heads = [at - 58 for at in range(66, len(out)) if out[at:at + 2] == b"`\n"]
    kind = rng.randrange(6)
    if kind == 0 and heads:
        at, end = rng.choice(heads), rng.choice(ENDS)
        out[at + 48:at + 48 + len(end)] = end
    elif kind == 1 and heads:
        at = rng.choice(heads)
        out[at:at + 16] = rng.choice(NAMES).ljust(16)
    elif kind == 2 and len(out) > 80:
        at = 68 + rng.randrange(min(80, len(out) - 72))
        out[at:at + 4] = rng.choice((0, 1, 8, 0xFFFFFFFF, rng.randrange(len(out)))).to_bytes(4, "big")
    elif kind == 3:
        del out[rng.randrange(len(out) + 1):]
    elif kind == 4 and heads:
        return bytes(out[:rng.choice(heads)]) + fuzz_object.mutate(bytes(out[rng.choice(heads):]), rng)
    elif out:
        out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out[:1 << 17])


def check(data: bytes, rng: random.Random) -> str:
    archive = load_archive(data)
    if not archive.members:
        return "empty"
    if rng.random() < 0.5:
        archive.load(rng.choice(archive.members))
        return "loaded"
    for isa in ("aarch64", "aarch32"):
        link(assemble(".global start\nstart: b h\nbl sum", isa), archive)
    return "linked"


if __name__ == "__main__":
    sys.exit(Fuzz("archive", make, mutate, check, NeonsimError, Box.make()).main())
