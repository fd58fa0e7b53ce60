"""A trace from a file: written by one person (`trace_save`, which has the layout), opened by another who need not trust
it.

Reading runs nothing: the listing is assembled again, without files to include, and every index is checked before it is
used. A file that is cut short, changed, of another version or something else altogether is refused with one sentence.
"""

from __future__ import annotations

import os
import re
import struct
import zlib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np

from neonsim.arm.asm import Program
from neonsim.arm.asm.assembler import assemble_named
from neonsim.arm.isa.forms.instruction import SourcePosition
from neonsim.arm.machine.arch.registers import AARCH32, AARCH64, Slots
from neonsim.arm.machine.call.edits import StateEdit
from neonsim.common.fileio import load_json, open_file
from neonsim.common.limits import MAX_TRACE_FILE_BYTES, MAX_TRACE_HEADER_BYTES
from neonsim.errors import BadArgument, NeonsimError

from .save import COLUMNS, FRONT, MEMORY, TRACE_MAGIC, VERSION
from .trace import BufferInfo, Trace

__all__ = ["is_trace_file", "load_trace"]

# Columns of starts, and the column that they cut into pieces.
_COUNTED = {"write_start": "write_location", "access_start": "access_address", "access_data_start": "access_after"}
PIECE = 1 << 16  # bytes that are unpacked at a time


def is_trace_file(path: str | Path) -> bool:
    """Return whether a file says that it is one, by its first bytes."""
    with open_file(path) as file:
        return file.read(len(TRACE_MAGIC)) == TRACE_MAGIC


def load_trace(path: str | Path) -> Trace:
    """Read what `Trace.save` wrote. Nothing in the file is executed; it is checked first, wherever it comes from.

    Raises BadArgument (what is wrong with the file, and what to do).
    """
    if not isinstance(path, str | Path):
        raise BadArgument("load_trace needs the path of a file that trace.save(path) wrote, not "
                          f"{type(path).__name__}.")
    where = Path(path)
    start = len(TRACE_MAGIC)
    with open_file(where) as file:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_TRACE_FILE_BYTES:
            _refuse(where, f"is too large: {size} bytes, of at most {MAX_TRACE_FILE_BYTES}")
        front = file.read(start + FRONT.size)
        if not front.startswith(TRACE_MAGIC):
            _refuse(where, "is no trace of neonsim (its first bytes are not NEONTRACE)")
        if len(front) < start + FRONT.size:
            _refuse(where, "is truncated")
        version, checksum = FRONT.unpack_from(front, start)
        if version != VERSION:
            raise BadArgument(f"{where} is a trace in format {version}; this neonsim reads format {VERSION}. "
                              "Record the run again, or use the neonsim that wrote it.")
        # Twice through the stream: what it unpacks to is weighed, piece by piece, before any of it is kept.
        total = _weighed(file, where, checksum)
        file.seek(start + FRONT.size)
        try:
            return _trace(_Unpacked(file), total)
        except (NeonsimError, ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError, MemoryError,
                struct.error, zlib.error) as problem:
            # Its checksum is right, so a program wrote it like this: say what does not fit.
            reason = (str(problem).splitlines() or [type(problem).__name__])[-1][:200]
            _refuse(where, f"does not hold together ({reason})")


class _Unpacked:
    """The unpacked bytes of a zlib stream, in order, a piece at a time."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.unpacker = file, zlib.decompressobj()

    def piece(self, most: int) -> bytes:
        """Return the next bytes, at most n and at most `PIECE`; none at the end of the stream, or of the file."""
        while not self.unpacker.eof:
            packed = self.unpacker.unconsumed_tail or self.file.read(PIECE)
            found = self.unpacker.decompress(packed, min(most, PIECE))
            if found or not packed:
                return found
        return b""

    def exactly(self, count: int) -> bytearray:
        """Return the next n bytes; ValueError if there are fewer."""
        kept = bytearray(count)
        at = 0
        while at < count:
            found = self.piece(count - at)
            _need(bool(found), "truncated")
            kept[at:at + len(found)] = found
            at += len(found)
        return kept


def _weighed(file: BinaryIO, where: Path, checksum: int) -> int:
    """How many bytes a stream unpacks to, if that is no more than a trace may have and they are not damaged."""
    unpacked = _Unpacked(file)
    total = found = 0
    try:
        while piece := unpacked.piece(PIECE):
            total += len(piece)
            found = zlib.crc32(piece, found)
            if total > MAX_TRACE_FILE_BYTES:
                _refuse(where, "is too large when unpacked")
    except zlib.error:
        _refuse(where, "is damaged")
    if not unpacked.unpacker.eof:
        _refuse(where, "is truncated")
    if unpacked.unpacker.unused_data or file.read(1) or found != checksum:
        _refuse(where, "is damaged")
    return total


def _refuse(path: Path, what: str) -> NoReturn:
    raise BadArgument(f"{path} {what}. Record the run again and save it with trace.save(path), or ask its sender for a "
                      f"new copy.")


def _trace(unpacked: _Unpacked, total: int) -> Trace:
    """The trace in a stream of `total` bytes; its header is checked before the columns are unpacked."""
    _need(total >= 4, "truncated")
    (length,) = struct.unpack("<I", unpacked.exactly(4))
    _need(length <= min(total - 4, MAX_TRACE_HEADER_BYTES), "the length of its header")
    header = load_json(bytes(unpacked.exactly(length)))
    slots = {"aarch64": AARCH64, "aarch32": AARCH32}[header["isa"]]
    widths = _widths(slots)
    _need(header["locations"] == [list(one) for one in zip(slots.names, widths, strict=True)], "other registers")
    _counts(header, widths, total - 4 - length)
    program = _program(header)
    columns = _columns(unpacked.exactly(total - 4 - length), header["counts"])
    kept = header["trace"]
    for name in ("write_start", "access_start", "access_data_start"):
        column, of = columns[name], columns[_COUNTED[name]].size
        _need(column[0] == 0 and column[-1] == of and bool((np.diff(column) >= 0).all()), name)
    _indices(columns["pc"], len(program.instructions), "pc")
    _indices(columns["write_location"], len(slots.names), "write_location")
    _need(np.array_equal(np.diff(columns["access_data_start"]), columns["access_bytes"]), "access_bytes")
    initial = dict(zip(slots.names, _pieces(columns["initial"], widths, "initial"), strict=True))
    mask = columns["registers_known"]
    known = dict(zip(slots.names, _pieces(mask, widths, "registers_known"), strict=True)) if mask.size else None
    grid, called = kept["grid"], kept["called"]
    made: dict[str, Any] = {name: columns[name] for name in COLUMNS if name not in MEMORY}
    made |= {name: columns[name].reshape(-1, 16) for name in ("write_before", "write_after")}
    return Trace(
        program=program, isa=slots.isa, locations=slots.names, **made, initial=initial,
        buffers=_buffers(header["buffers"], columns), defined=known,
        first=_whole(kept["first"]), returned=_whole(kept["returned"]),
        grid=None if grid is None else (_whole(grid[0]), _whole(grid[1])),
        call=None if called is None else (tuple(_whole(one, least=None) for one in called[0]),
                                          None if called[1] is None else _text(called[1])),
        notices=tuple((_whole(pc, below=len(program.instructions)), _text(text)) for pc, text in kept["notices"]),
        changes=_changes(kept.get("changes", []), initial, header["buffers"], len(columns["pc"])))


def _changes(rows: list[list[Any]], initial: dict[str, bytes], buffers: list[list[Any]],
             steps: int) -> tuple[StateEdit, ...]:
    """Values changed by hand, in places that there are."""
    sizes = {_text(row[0]): _whole(row[2]) for row in buffers} | {name: len(data) for name, data in initial.items()}
    found = []
    for step, name, was, now, place, offset, data, old in rows:
        made = StateEdit(_whole(step, below=steps + 1), _text(name), _text(was), _text(now), _text(place),
                         _whole(offset),
                         bytes.fromhex(_text(data)), bytes.fromhex(_text(old)))
        _need(len(made.old) in (0, len(made.data)), "changes")
        _need(made.offset + len(made.data) <= sizes.get(made.place, -1), "changes")
        found.append(made)
    _need(all(a.step <= b.step for a, b in pairwise(found)), "changes")
    return tuple(found)


def _widths(slots: Slots) -> list[int]:
    """Bytes of each register, in order: vectors, core registers, flags."""
    return [16 if k < slots.vectors else slots.word.bytes if k < slots.nzcv else 1 for k in range(len(slots.names))]


def _counts(header: dict[str, Any], widths: list[int], nbytes: int) -> None:
    """What the header says of the columns fits together, and the bytes behind it are just as many."""
    counts = dict(zip(COLUMNS, (_whole(count) for count in header["counts"]), strict=True))
    _need(sum(count * np.dtype(COLUMNS[name]).itemsize for name, count in counts.items()) == nbytes,
          "another length than its header says")
    steps, writes, accesses = counts["pc"], counts["write_location"], counts["access_address"]
    sizes = [_whole(row[2]) for row in header["buffers"]]
    known = sum(size for row, size in zip(header["buffers"], sizes, strict=True) if row[8])
    for name, count in (("executed", steps), ("write_start", steps + 1), ("access_start", steps + 1),
                        ("access_data_start", accesses + 1), ("write_before", 16 * writes),
                        ("write_after", 16 * writes), ("access_bytes", accesses), ("access_store", accesses),
                        ("access_before", counts["access_after"]), ("initial", sum(widths)), ("memory", sum(sizes)),
                        ("known", known), ("registers_known", counts["registers_known"] and sum(widths))):
        _need(counts[name] == count, name)


def _columns(body: bytearray, counts: list[int]) -> dict[str, np.ndarray[Any, Any]]:
    """The columns, read-only."""
    found: dict[str, np.ndarray[Any, Any]] = {}
    data, start = memoryview(body).toreadonly(), 0
    for (name, dtype), count in zip(COLUMNS.items(), counts, strict=True):
        column: np.ndarray[Any, Any] = np.frombuffer(data, dtype, count, start)
        if dtype == "|b1" or name.endswith("known"):  # another byte than 0 and 1 is no truth value
            _need(bool((column.view(np.uint8) <= 1).all()), name)
        found[name] = column
        start += column.nbytes
    return found


def _program(header: dict[str, Any]) -> Program:
    said = header["program"]
    path, listing = _text(said["path"]), _text(said["listing"])
    found = assemble_named(path, listing, header["isa"])
    _need(str(found) == listing, "its program is no listing")  # no macros, nothing generated: what it says it is
    where = [SourcePosition(_text(file), _whole(line), _whole(column), _whole(width), _text(text))
             for file, line, column, width, text in said["where"]]
    origins = tuple((_whole(line), _text(text)) for line, text in said["origins"])
    _need(not origins or len(origins) == len(found), "origins")
    lines = tuple(_text(line) for line in said["lines"])
    return replace(found, lines=lines, origins=origins, instructions=tuple(
        replace(one, position=place) for one, place in zip(found.instructions, where, strict=True)))


def _buffers(rows: list[Any], columns: dict[str, np.ndarray[Any, Any]]) -> list[BufferInfo]:
    sizes = [_whole(row[2]) for row in rows]
    before = _pieces(columns["memory"], sizes, "memory")
    masks = iter(_pieces(columns["known"], [size for row, size in zip(rows, sizes, strict=True) if row[8]], "known"))
    found = []
    for (name, address, nbytes, dtype, shape, readonly, low, high, known, typed), data in zip(rows, before,
                                                                                              strict=True):
        _need(re.fullmatch(r"[<>]?[a-z]\w{0,9}", _text(dtype)) is not None and np.dtype(dtype).kind in "iufbc",
              "the element type of a buffer")
        lengths = tuple(_whole(n) for n in shape)
        _need(int(np.prod(lengths, dtype=object)) * np.dtype(dtype).itemsize == nbytes, "the shape of a buffer")
        _need(all(isinstance(flag, bool) for flag in (readonly, known, typed)), "the flags of a buffer")
        found.append(BufferInfo(_text(name), _whole(address), nbytes, dtype, lengths, readonly, data,
                                next(masks) if known else None, _whole(low), _whole(high), typed))
    return found


def _pieces(column: np.ndarray[Any, Any], sizes: list[int], name: str) -> list[bytes]:
    _need(sum(sizes) == column.size, name)
    ends = np.cumsum([0, *sizes])
    return [column[low:high].tobytes() for low, high in pairwise(ends)]


def _indices(column: np.ndarray[Any, Any], below: int, name: str) -> None:
    _need(not column.size or (int(column.min()) >= 0 and int(column.max()) < below), name)


def _whole(value: Any, *, least: int | None = 0, below: int = 1 << 64) -> int:
    _need(isinstance(value, int) and not isinstance(value, bool) and value < below and (
        value >= least if least is not None else value >= -below), "a number")
    return int(value)


def _text(value: Any) -> str:
    _need(isinstance(value, str), "a text")
    return str(value)


def _need(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"{what}: not the state after a run")
