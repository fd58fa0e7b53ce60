"""Fuzzing of saved traces: the file, the stream in it, the header, the columns; then what a trace is used for.

    python tests/fuzz/fuzz_trace.py --inputs 300000 --seed 1

Inputs are traces of small programs of both instruction sets, with data, tables among the code, conditions and a grid,
damaged where it matters: most keep their checksum, as somebody would who means it. A trace that is taken is read to its
end: listing, states, memory, a save and a load, and the call once more.
"""

from __future__ import annotations

import copy
import json
import random
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from harness import Box, Fuzz

from neonsim.arm.asm import assemble
from neonsim.arm.machine import Grid, Machine, load_trace, rerun
from neonsim.arm.machine.trace.save import COLUMNS, FRONT, MEMORY, TRACE_MAGIC, VERSION
from neonsim.errors import BadArgument, NeonsimError

PROGRAMS = {
    "aarch64": ["""f: ldr q0, [x0]; add v0.4s, v0.4s, v0.4s; adr x2, one; ldr s1, [x2]; str q0, [x1]; cmp x0, x1
                   b.ne 1f; nop; 1: ret; .data; one: .word 1""",
                """f: and x0, x0, #3; adr x3, 1f; ldrh w2, [x3, x0, lsl #1]; add x3, x3, w2, sxth; br x3
                   1: .hword a - 1b, b - 1b, a - 1b, b - 1b; a: mov w0, #1; ret; .p2align 4; b: mov w0, #2; ret""",
                "f: mov x2, #4; 1: ldrb w3, [x0], #1; strb w3, [x1], #1; subs x2, x2, #1; b.ne 1b; ret"],
    "aarch32": ["f: vld1.32 {q0}, [r0]; cmp r0, #0; addeq r0, r0, #1; vst1.32 {q0}, [r1]; bx lr",
                """f: push {r4, lr}; bl g; pop {r4, pc}; g: ldr r2, =t; ldrb r3, [r2]; str r3, [r1]; bx lr
                   t: .byte 1, 2"""],
}
ENDS: tuple[Any, ...] = (
    0, 1, -1, 2, 3, 15, 16, 64, 255, 256, 0x7FFF, 0xFFFF, 1 << 16, 1 << 20, 1 << 29, (1 << 31) - 1, 1 << 31,
    (1 << 32) - 1, 1 << 40, (1 << 63) - 1, 1 << 63, 1 << 64, 1 << 70, -(1 << 31), -(1 << 63), 1.5, 1e999, True,
    None, "", "x", "<script>", "../x", [], {}, [[]], [0] * 40, "nan", "\0", "\ud800")
WORDS = ("\n", "ret", ".rept 9999999", '.include "/etc/passwd"\n', "-", "x0", " ", "7", "\n.data\n.word 1\n",
         "\n.p2align 4\n", "é")
Parts = tuple[dict[str, Any], bytes]


def _corpus() -> list[bytes]:
    found: list[bytes] = []
    for isa, texts in PROGRAMS.items():
        for text in texts:
            for way in ({"trace": True}, {"trace": "last 3"}, {"trace": True, "tiles": Grid(1, 2)}):
                machine = Machine(isa, poison=len(found))
                a = machine.memory.place(np.arange(4, dtype=np.int32).reshape(2, 2), name="a", readonly=True)
                c = machine.memory.alloc(16 * 2, name="c")
                rows = c + 16 * np.arange(2).reshape(1, 2) if "tiles" in way else c
                trace = machine.call(assemble(text, isa=isa), a, rows, **way).trace
                assert trace is not None
                found.append(trace.save(BOX.folder / "corpus").read_bytes())
    return found


def opened(data: bytes) -> Parts | None:
    """(header, columns) of a file, None if it cannot be taken apart."""
    try:
        body = zlib.decompress(data[len(TRACE_MAGIC) + FRONT.size:])
        (length,) = struct.unpack_from("<I", body)
        header = json.loads(body[4:4 + length])
    except (zlib.error, struct.error, ValueError, RecursionError):
        return None
    return (header, body[4 + length:]) if isinstance(header, dict) else None


def closed(header: Any, columns: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    body = struct.pack("<I", len(text)) + text + columns
    return TRACE_MAGIC + FRONT.pack(VERSION, zlib.crc32(body)) + zlib.compress(body, 1)


def make(rng: random.Random) -> bytes:
    return rng.choice(CORPUS)


def mutate(data: bytes, rng: random.Random) -> bytes:
    parts = opened(data)
    kind = rng.randrange(10)
    if parts is None or kind == 0:
        return _bytes(data, rng)
    header, columns = parts
    if kind == 1:
        return closed(_bytes(json.dumps(header).encode(), rng), columns)
    if kind < 6:
        return closed(_value(header, rng), columns)
    if kind == 6:
        return closed(header, _bytes(columns, rng))
    if kind == 7 and (other := opened(make(rng))) is not None:
        key = rng.choice(sorted(header))
        return closed({**header, key: other[0].get(key)}, rng.choice((columns, other[1])))
    return _column(header, columns, rng)


def _bytes(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    at = rng.randrange(len(out) + 1)
    kind = rng.randrange(4)
    if kind == 0:
        del out[at:at + rng.choice((1, 4, 8, len(out)))]
    elif kind == 1:
        out[at:at] = rng.choice((rng.randbytes(4), b"[" * 200, b"0" * 5000, bytes(1 << 16)))
    else:
        out[at:at + 1] = bytes([rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))])
    return bytes(out)


def _value(header: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Another value somewhere in the header."""
    header = copy.deepcopy(header)
    inner: Any = header
    while True:
        keys = sorted(inner) if isinstance(inner, dict) else range(len(inner))
        key = rng.choice(list(keys))
        if not isinstance(inner[key], dict | list) or not inner[key] or rng.random() < 0.15:
            break
        inner = inner[key]
    old, choice = inner[key], rng.random()
    if choice < 0.2 and isinstance(inner, list):
        del inner[key]
    elif choice < 0.3 and isinstance(inner, list):
        inner.insert(key, copy.deepcopy(old))
    elif choice < 0.6 and isinstance(old, str):
        at = rng.randrange(len(old) + 1)
        inner[key] = old[:at] + rng.choice(WORDS) + old[at + rng.randrange(4):]
    elif choice < 0.7 and isinstance(old, int):
        inner[key] = old + rng.choice((-16, -8, -1, 1, 2, 16, 64))
    else:
        inner[key] = rng.choice(ENDS)
    return header


def _column(header: dict[str, Any], columns: bytes, rng: random.Random) -> bytes:
    """One element of one column, or its length together with its count."""
    out, at = bytearray(columns), 0
    counts = header.get("counts")
    if not isinstance(counts, list) or len(counts) != len(COLUMNS) or not all(
            isinstance(n, int) and 0 <= n < 1 << 20 for n in counts):
        return closed(header, _bytes(columns, rng))
    wanted = rng.randrange(len(COLUMNS) - len(MEMORY))
    for number, (count, dtype) in enumerate(zip(counts, COLUMNS.values(), strict=True)):
        size = np.dtype(dtype).itemsize
        if number == wanted:
            place = at + size * rng.randrange(count + 1)
            if rng.random() < 0.2:
                out[place:place] = rng.randbytes(size)
                header = {**header, "counts": [n + (k == number) for k, n in enumerate(counts)]}
            else:
                value = rng.choice([n for n in ENDS if type(n) is int] + [rng.randrange(20)])
                out[place:place + size] = (value % (1 << 8 * size)).to_bytes(size, "little")
            break
        at += size * count
    return closed(header, bytes(out))


def check(data: bytes, rng: random.Random) -> str:
    path = BOX.folder / "input"
    BOX.armed = False
    path.write_bytes(data)
    BOX.armed = True
    trace = load_trace(path)
    assert trace.to_text() and trace.steps == len(trace.pc)
    for step in {0, trace.steps, rng.randrange(trace.steps + 1)}:
        trace.state(step)
    if rng.random() < 0.3:
        BOX.armed = False
        again = load_trace(trace.save(BOX.folder / "again"))
        BOX.armed = True
        assert again.to_text() == trace.to_text() and again.program == trace.program
    if rng.random() < 0.3:
        try:
            rerun(trace, trace.program, max_steps=300)
        except NeonsimError as error:
            return f"again: {type(error).__name__}"
    return "loaded"


BOX = Box.make()
CORPUS = _corpus()

if __name__ == "__main__":
    Path(BOX.folder / "corpus").unlink()
    sys.exit(Fuzz("trace", make, mutate, check, BadArgument, BOX).main())
