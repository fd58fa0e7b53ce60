"""Recorded results: what QEMU made of a few lines of every kind, in one compressed file per family
(golden/aarch64/simd/multiply.npz).

The states before are not stored: they are a chunk of a pool of states that `pool` makes again, small enough that a line
costs little and in lock-step as those of the long comparison. Stored is which chunk, and what changed in it:

    lines    uint8   the lines, joined by newlines
    chunks   uint8   per line: the number of its chunk
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
from numpy.typing import NDArray
from oracle import Changes
from readings import Pool
from states import RULES, states

from neonsim.arm.isa import Instruction

STATES: Final = 4
MEMORY: Final = 66
CHUNKS: Final = 128
FOLDER: Final = Path(__file__).parent / "golden"


class Recorded(NamedTuple):
    """One line, the number of its chunk, and what QEMU changed in its states, flags as QEMU has them."""

    isa: str
    line: str
    chunk: int
    changes: Changes

    @property
    def before(self) -> NDArray[np.void]:
        return pool(self.isa).chunk(self.chunk)

    @property
    def after(self) -> NDArray[np.void]:
        """The states afterwards, `canonical`."""
        after = canonical(self.isa, self.before)
        for (field, index), values in self.changes.items():
            if field == "mem":
                after["mem"][:, index:index + values.shape[1]] = values
            elif field in ("v", "x"):
                after[field][:, index] = values
            else:
                after[field] = values
        return after


@lru_cache
def pool(isa: str) -> Pool:
    """The states that lines are recorded with."""
    halves = [states(isa, oracle.DTYPE[isa], CHUNKS * STATES, seed, apart=STATES, formats=formats, rules=rules)
              for seed, formats, rules in ((1, False, (0,)), (3, True, (0, *RULES)))]
    return Pool(isa, 2 * CHUNKS, size=STATES, filled=np.concatenate(halves))


def chunk(instruction: Instruction) -> int:
    """Which of them: any of the first half for most lines, chosen by the line; of the second one where numbers of half
    or double precision are computed with.

    Tiles in lock-step access memory all or none, and LDRD and STRD fault where the offset is no multiple of 4.
    """
    number = zlib.crc32(str(instruction).encode()) % CHUNKS
    formats = {p.type.name for ps in instruction.places.values() for p in ps}
    if instruction.form.semantics.family.startswith("fp/") and formats & {"f16", "f64"}:
        number += CHUNKS
    alike = instruction.memory and (instruction.condition or str(instruction).startswith(("ldrd", "strd")))
    return number | 1 if alike else number


def canonical(isa: str, state: NDArray[np.void]) -> NDArray[np.void]:
    """Only what both sides know: the flags that the machine has, nothing of the guest's own registers."""
    state = state.copy()
    for field, mask in ours.FLAG_MASKS[isa].items():
        state[field] &= mask
    state["own_sp"] = state["fault"] = 0
    for number in oracle.RESERVED[isa]:
        state["x"][:, number] = 0
    return state


class Place(NamedTuple):
    """What can change: its key in `Changes`, and its values of one state."""

    key: tuple[str, int]
    dtype: np.dtype[np.generic]
    length: int


def places(isa: str) -> dict[int, Place]:
    """By number, everything but memory."""
    word, byte = oracle.DTYPE[isa]["x"].base, np.dtype(np.uint8)
    banks, general = (oracle.DTYPE[isa][field].shape[0] for field in ("v", "x"))
    found = {i: Place(("v", i), byte, 16) for i in range(banks)}
    found |= {32 + i: Place(("x", i), word, 1) for i in range(general)}
    return found | {63 + i: Place((field, 0), word, 1) for i, field in enumerate(("sp", "nzcv", "fpsr"))}


def record(isa: str, listed: list[tuple[str, int, Instruction]], folder: Path) -> dict[str, NDArray[np.generic]]:
    """Run all lines (text, word, instruction) on QEMU and pack what changed."""
    chunks, counts, where, spans, data = [], [], [], [], []
    numbers = {place.key: number for number, place in places(isa).items()}
    with oracle.Qemu(isa, folder) as qemu:
        qemu.keep(pool(isa).states)
        for line, word, instruction in listed:
            chunks.append(chunk(instruction))
            qemu.ask_changes(word, chunks[-1] * STATES, STATES)
            changes = qemu.changes(STATES)
            assert not any(field == "fault" for field, _ in changes), f"{line}: QEMU raised a signal"
            count = 0
            for (field, index), values in changes.items():
                if field in ours.FLAG_MASKS[isa]:
                    mask = values.dtype.type(ours.FLAG_MASKS[isa][field])
                    values = values & mask
                    if (values == pool(isa).chunk(chunks[-1])[field] & mask).all():
                        continue
                count += 1
                where.append(numbers.get((field, index), MEMORY))
                spans += [index, values.shape[1]] if field == "mem" else []
                data.append(values.tobytes())
            counts.append(count)
    return {"lines": np.frombuffer("\n".join(line for line, _, _ in listed).encode(), np.uint8),
            "chunks": np.array(chunks, np.uint8), "counts": np.array(counts, np.uint8),
            "where": np.array(where, np.uint8), "spans": np.array(spans, np.uint16),
            "bytes": np.frombuffer(b"".join(data), np.uint8)}


def families(isa: str) -> list[str]:
    """The families with recorded results."""
    folder = FOLDER / isa
    return sorted(file.relative_to(folder).with_suffix("").as_posix() for file in folder.rglob("*.npz"))


def load(isa: str, family: str) -> dict[str, NDArray[np.generic]]:
    with np.load(FOLDER / isa / f"{family}.npz") as file:
        return dict(file)


def lines(isa: str) -> list[str]:
    """Every recorded line."""
    return [line for family in families(isa) for line in load(isa, family)["lines"].tobytes().decode().split("\n")]


def replay(isa: str) -> Iterator[Recorded]:
    """Every recorded line."""
    for family in families(isa):
        yield from unpack(isa, load(isa, family))


def unpack(isa: str, packed: dict[str, NDArray[np.generic]]) -> Iterator[Recorded]:
    """The lines of one family."""
    known = places(isa)
    data, where, spans = packed["bytes"].tobytes(), iter(packed["where"].tolist()), iter(packed["spans"].tolist())
    at = 0
    for line, number, count in zip(packed["lines"].tobytes().decode().split("\n"), packed["chunks"].tolist(),
                                   packed["counts"].tolist(), strict=True):
        changes = Changes()
        for _ in range(count):
            place = known.get(next(where)) or Place(("mem", next(spans)), np.dtype(np.uint8), next(spans))
            values = np.frombuffer(data, place.dtype, STATES * place.length, at)
            at += values.nbytes
            changes[place.key] = values if place.dtype.itemsize > 1 else values.reshape(STATES, place.length)
        yield Recorded(isa, line, number, changes)
