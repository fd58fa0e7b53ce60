"""Recorded results: what QEMU made of a few lines of every kind, in one compressed file per family.

The states before are not stored: they are chosen by the line from a pool that `states.states` makes again. Stored is
what changed:

    lines    uint8   the lines, joined by newlines
    counts   uint8   per line: how many locations changed in any of its STATES states
    where    uint8   their numbers (0..31 V, 32..62 X or R, 63 sp, 64 nzcv, 65 fpsr, 66 memory)
    spans    uint16  per changed memory: first byte, number of bytes
    bytes    uint8   per line and location: STATES values behind each other

Record again:  python tests/conformance/record.py [FAMILY ...]       (needs QEMU and GNU as)
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import oracle
import ours
import states as made
from numpy.typing import NDArray

STATES: Final = 4
POOL: Final = 512
FOLDER: Final = Path(__file__).parent / "golden"


class Recorded(NamedTuple):
    """One line with the states before and after it."""

    line: str
    before: NDArray[np.void]
    after: NDArray[np.void]


@lru_cache
def _pool(isa: str) -> NDArray[np.void]:
    return made.states(isa, oracle.DTYPE[isa], POOL, 1)


def before(isa: str, line: str) -> NDArray[np.void]:
    """The states a line is recorded with: some of a pool, chosen by the line."""
    return pick(line, _pool(isa), made.Stream(zlib.crc32(line.encode())).below(POOL, STATES))


def pick(line: str, pool: NDArray[np.void], numbers: NDArray[np.int64]) -> NDArray[np.void]:
    """States of a pool by number; for LDRD and STRD, which fault on other addresses, of those with a word offset."""
    if line.startswith(("ldrd", "strd")):
        pool = pool[pool["x"][:, 8] % 4 == 0]
    return pool[numbers % len(pool)]


def canonical(isa: str, state: NDArray[np.void]) -> NDArray[np.void]:
    """Only what both sides know: the flags that the machine has, nothing of the guest's own registers."""
    state = state.copy()
    for field, mask in ours.FLAG_MASKS[isa].items():
        state[field] &= mask
    state["own_sp"] = state["fault"] = 0
    for number in oracle.RESERVED[isa]:
        state["x"][:, number] = 0
    return state


def locations(isa: str) -> list[tuple[int, str, int | None, int]]:
    """(number, field, index in it, bytes) of everything but memory."""
    banks, general, width = (32, 31, 8) if isa == "aarch64" else (16, 16, 4)
    found: list[tuple[int, str, int | None, int]] = [(i, "v", i, 16) for i in range(banks)]
    found += [(32 + i, "x", i, width) for i in range(general)]
    if isa == "aarch64":
        found.append((63, "sp", None, width))
    return [*found, (64, "nzcv", None, width), (65, "fpsr", None, width)]


def _bytes(state: NDArray[np.void], field: str, index: int | None) -> NDArray[np.uint8]:
    column = state[field] if index is None else state[field][:, index]
    return np.ascontiguousarray(column).view(np.uint8).reshape(len(state), -1)


def record(isa: str, listed: list[tuple[str, int]], folder: Path) -> dict[str, NDArray[np.generic]]:
    """Run all cases on QEMU and pack what changed."""
    kept, counts, where, spans, data = [], [], [], [], []
    places = locations(isa)
    with oracle.Qemu(isa, folder) as qemu:
        for line, word in listed:
            start = before(isa, line)
            after = qemu.run(word, start)
            assert not after["fault"].any(), f"{line}: signal {after['fault'].max()}"
            after, start = canonical(isa, after), canonical(isa, start)
            changed = []
            for number, field, index, _ in places:
                old, new = _bytes(start, field, index), _bytes(after, field, index)
                if (old != new).any():
                    changed.append(number)
                    data.append(new.tobytes())
            touched = np.flatnonzero((start["mem"] != after["mem"]).any(0))
            if len(touched):
                first, last = int(touched[0]), int(touched[-1]) + 1
                changed.append(66)
                spans += [first, last - first]
                data.append(np.ascontiguousarray(after["mem"][:, first:last]).tobytes())
            kept.append(line)
            counts.append(len(changed))
            where += changed
    return {"lines": np.frombuffer("\n".join(kept).encode(), np.uint8), "counts": np.array(counts, np.uint8),
            "where": np.array(where, np.uint8), "spans": np.array(spans, np.uint16),
            "bytes": np.frombuffer(b"".join(data), np.uint8)}


def families(isa: str) -> list[str]:
    """The families with recorded results."""
    return sorted(file.stem for file in (FOLDER / isa).glob("*.npz"))


def load(isa: str, family: str) -> dict[str, NDArray[np.generic]]:
    with np.load(FOLDER / isa / f"{family}.npz") as file:
        return dict(file)


def lines(isa: str) -> list[str]:
    """Every recorded line."""
    return [line for family in families(isa) for line in load(isa, family)["lines"].tobytes().decode().split("\n")]


def replay(isa: str) -> Iterator[Recorded]:
    """Every recorded line with its states before and after (canonical)."""
    for family in families(isa):
        yield from _replay(isa, load(isa, family))


def _replay(isa: str, packed: dict[str, NDArray[np.generic]]) -> Iterator[Recorded]:
    known = {number: (field, index, width) for number, field, index, width in locations(isa)}
    data = packed["bytes"].tobytes()
    at = number_at = span_at = 0
    for line, count in zip(packed["lines"].tobytes().decode().split("\n"), packed["counts"], strict=True):
        start = before(isa, line)
        after = canonical(isa, start)
        for number in packed["where"][number_at:number_at + int(count)]:
            if number == 66:
                first, length = (int(n) for n in packed["spans"][span_at:span_at + 2])
                span_at += 2
                window = np.frombuffer(data, np.uint8, STATES * length, at).reshape(STATES, -1)
                after["mem"][:, first:first + length] = window
                at += STATES * length
                continue
            field, index, width = known[int(number)]
            target = after[field] if index is None else after[field][:, index]
            if field == "v":
                target[...] = np.frombuffer(data, np.uint8, STATES * 16, at).reshape(STATES, 16)
            else:
                target[...] = np.frombuffer(data, f"<u{width}", STATES, at)
            at += STATES * width
        number_at += int(count)
        yield Recorded(line, start, after)
