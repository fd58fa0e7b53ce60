"""A recorded run as bytes for the browser: everything the stepper shows, nothing it has to compute twice.

Layout (little-endian):

    "NEON" | uint32 version | uint32 length of the header | header: JSON, UTF-8 | columns, one after the other

Header fields:

    isa title steps first locations names   as in the trace; names: register -> what the kernel calls it
    instructions  one per instruction of the program: text, line, doc (first line of its manual page), rule (its
                  formula), manual (index into `manual`), macs (products it makes, null if it is unknown), element,
                  condition, target (index or null), reads and writes as [role, register, lanes],
                  lanes = [element, first, count] or null
    code          the lines of the listing: number, text, pcs (the instructions on that line)
    source        null where these lines are the source; else a listing that assembles to the program
    manual        the manual's text of each form that occurs
    warnings      [instruction, text] of what the run did that is suspicious but not wrong
    changes       values changed by hand: step, name, was, now; location (index, or null), buffer (index, or null),
                  offset of the first byte there (of what is sent of a buffer), data (bytes). Those of registers are
                  also the last writes of the step before (at step 0: in `initial`), those of memory only here (at
                  step 0: in `memory`).
    flows flow_of dataflow of instruction i is flows[flow_of[i]]: [register, element, lane, arithmetic, sources] per
                  destination lane, sources = [register, element, lane] each; register "mem" is the memory of the step
    buffers       name, address and nbytes of the part that is sent, skipped (bytes of the buffer before that part),
                  size (bytes of the whole buffer), dtype, shape, columns (elements per row of the picture), type (of
                  its elements: declared, or what the run takes them for) and typed (whether it was declared). Large
                  buffers are cut down to the rows that the run touches: a tile of a layer needs a few of its rows.
    timing        null, or core, cycles, units (names) and reasons (of waiting): all modelled; caches: null, or what
                  `cache_columns` says of them
    differs       null, or where the data of a run beside another differ from that one's: said (the first, or that there
                  is none, as a sentence), results (elements), every [step of the other run, step of this one, 1 if it
                  begins there, sentence] in the order of the other's steps
    live          in a page that computes: what `live_run` says, and as ``check`` the CRC-32 of the columns that such a
                  page makes itself and, if it can compute whatever there may be, is not sent (`MADE`); the program
                  itself is a script beside
    columns       name -> [kind, byte offset after the header, count]; kind u1 u2 u4 i2 i4 f4

Columns: initial (all locations, one after the other, at their own sizes), memory (all buffers before the first step),
known (1 for each byte of memory that is initialized then), registers_known (likewise of initial), pc, executed,
write_count, write_location, write_data (values after each write, at the size of the location), access_count,
access_buffer (65535 = none), access_offset, access_bytes, access_store, store_data (bytes after each store) and, with a
timing, start_cycle, issue_cycle, done_cycle, unit (index into timing.units), reason (index into timing.reasons); with
caches those of `cache_columns`, of which access_found says for each access where it was found.

learned_step, learned_at, learned_bytes, learned_known: after n steps n bytes of `initial` from there are
known, or are no longer; only what changes. memory_learned_step and so on: likewise of `memory`.

Values *before* a write are not sent: the browser replays the run once and knows them.
"""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from neonsim.arm.machine.arch.register_names import Names, names_by_register
from neonsim.common.fileio import load_json
from neonsim.errors import BadArgument, TimingError
from neonsim.render.stepper.cache_columns import cache_columns
from neonsim.render.stepper.header import buffer_header, program_header
from neonsim.render.stepper.live_page import live_run
from neonsim.render.stepper.regions import region_types
from neonsim.render.stepper.trace_diff import differences

if TYPE_CHECKING:
    from neonsim.arm.machine.call.edits import StateEdit
    from neonsim.arm.machine.trace.trace import BufferInfo, Trace
    from neonsim.arm.timing import Timing

__all__ = ["PAYLOAD_VERSION", "Run", "computing", "packed", "payload", "split"]

PAYLOAD_VERSION = 2
MAGIC = b"NEON"
NO_BUFFER = 65535
WHOLE = 16384  # bytes up to which a buffer is sent as it is
NEAR = 4096  # an access this close to a buffer is shown as one of it (declared over-reads, guard zones)
MADE = ("pc", "executed", "write_count", "write_location", "write_data", "access_count", "access_buffer",
        "access_offset", "access_bytes", "access_store", "store_data")  # columns that a run makes
KINDS = {"u1": np.uint8, "u2": np.uint16, "u4": np.uint32, "i2": np.int16, "i4": np.int32, "f4": np.float32}


@dataclass(frozen=True)
class Run:
    """A recorded run and how it is shown: what stands beside another. Fields as the arguments of `payload`."""

    trace: Trace
    names: Names | None = None
    timing: Timing | None = None
    title: str = ""
    columns: Mapping[str, int] | None = None

    @classmethod
    def from_trace(cls, run: Trace | Run, columns: Mapping[str, int] | None = None) -> Run:
        """Return a run; from a bare trace with the columns of the run it stands beside, for the buffers that both
        have."""
        if isinstance(run, Run):
            return run
        if not hasattr(run, "write_start"):
            raise BadArgument("compare_with= must be another Trace, or a neonsim.render.Run with names; got "
                              f"{type(run).__name__}" + (": take its .trace" if hasattr(run, "trace") else ""))
        names = {buffer.name for buffer in run.buffers}
        return cls(run, columns={name: n for name, n in (columns or {}).items() if name in names})

    def pack(self, against: Trace) -> bytes:
        """Its bytes for the browser, with where its data begin to differ from those of the run it stands beside."""
        try:
            found = differences(against, self.trace, self.columns).to_dict()
        except BadArgument as problem:
            found = {"said": str(problem), "results": [], "followed": False, "every": []}
        return payload(self.trace, names=self.names, timing=self.timing, title=self.title, columns=self.columns,
                       differs=found)


def payload(trace: Trace, *, names: Names | None = None, timing: Timing | None = None, title: str = "",
            columns: Mapping[str, int] | None = None, differs: dict[str, Any] | None = None) -> bytes:
    """Pack a trace for the browser; arguments as of `computing`."""
    return computing(trace, names=names, timing=timing, title=title, columns=columns, differs=differs, live=False)[0]


def computing(trace: Trace, *, names: Names | None, timing: Timing | None, title: str,
              columns: Mapping[str, int] | None, differs: dict[str, Any] | None = None,
              live: bool = True) -> tuple[bytes, str]:
    """Pack a trace for the browser, and the program as a script if the page is to do the run again.

    names     register -> name ({"q8": "vacc0"}), or a kernel header's name -> registers ({"vacc0": ("q8", "q9")})
    timing    a Timing of this trace: its modelled cycles are shown beside each step
    title     heading of the page
    columns   buffer -> elements per row in its picture, for buffers without a two-dimensional shape
    differs   where its data differ from another run's: `Differences.to_dict()`
    ->        (bytes, see the module's text; a JavaScript expression, "" without ``live``)

    Raises BadArgument if a name, a buffer or the timing does not belong to the trace, and as `live_run` does.
    """
    program = trace.program
    _check_columns(trace, columns or {})
    windows = [window for window in (_window(trace, buffer, columns or {}) for buffer in trace.buffers) if window]
    sizes = {name: len(trace.initial[name]) for name in trace.locations}
    locations, types = trace.locations, region_types(trace)
    arrays: dict[str, tuple[str, np.ndarray]] = {
        "initial": ("u1", _bytes(b"".join(trace.initial[name] for name in locations))),
        "memory": ("u1", _bytes(b"".join(window.cut(window.buffer.before) for window in windows))),
        "known": ("u1", _bytes(b"".join(window.cut(_known(window.buffer)) for window in windows))),
        **_learned(trace, windows),
        "pc": ("u4", np.asarray(trace.pc)),
        "executed": ("u1", np.asarray(trace.executed)),
        "write_count": ("u2", np.diff(trace.write_start)),
        "write_location": ("u2", np.asarray(trace.write_location)),
        "write_data": ("u1", _write_data(trace, [sizes[name] for name in locations])),
        **_accesses(trace, windows),
    }
    of_program = program_header(program)
    header: dict[str, Any] = {
        "isa": trace.isa, "title": title or "recorded run", "steps": int(trace.steps),
        "first": int(trace.first), "locations": list(locations), "names": names_by_register(names),
        **{name: of_program.pop(name) for name in ("instructions", "code", "source")},
        "buffers": [window.header(types) for window in windows], "timing": None,
        "differs": differs, **of_program,
    }
    products = _products(trace)
    for one, text in zip(header["instructions"], map(str, program.instructions), strict=True):
        one["macs"] = products.get(text, 0) if products is not None else None
    header["changes"] = [_change(trace, one, windows) for one in trace.changes]
    header["warnings"] = [[pc, text] for pc, text in trace.notices]
    if timing is not None:
        header["timing"], more = _timing(trace, timing)
        arrays.update(more)
    script = ""
    if live:
        header["live"], script = live_run(trace, windows)
        # The page makes these itself; it is told what they must come to.
        header["live"]["check"] = {name: crc32(_packed(*arrays[name], name)) for name in MADE}
        if header["live"]["exact"]:
            for name in MADE:
                del arrays[name]
    return _join(header, arrays), script


def packed(data: bytes) -> bytes:
    """Return a payload, or a script, as a page and a notebook carry it: a gzip file, the same for the same data."""
    # Level 9 takes six times as long on columns, and gains a thousandth.
    return gzip.compress(data, 6, mtime=0)


def split(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Take a payload apart again: header and columns. The inverse of what the browser is given, for tests and tools.

    Raises BadArgument if the bytes are no payload of this version.
    """
    if data[:4] != MAGIC:
        raise BadArgument("these bytes are not a recorded run of neonsim, which must start with NEON")
    try:
        version, length = struct.unpack_from("<II", data, 4)
        if version != PAYLOAD_VERSION:
            raise BadArgument(f"the recorded run has format {version}, but this neonsim reads {PAYLOAD_VERSION}")
        header = load_json(data[12:12 + length])
        arrays = {name: np.frombuffer(data, np.dtype(KINDS[kind]).newbyteorder("<"), count, 12 + length + offset)
                  for name, (kind, offset, count) in header["columns"].items()}
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as problem:
        if isinstance(problem, BadArgument):
            raise
        raise BadArgument("the recorded run is damaged or truncated. Record it again") from None
    return header, arrays


def _join(header: dict[str, Any], arrays: dict[str, tuple[str, np.ndarray]]) -> bytes:
    header["columns"] = {}
    body = bytearray()
    for name, (kind, values) in arrays.items():
        header["columns"][name] = [kind, len(body), np.size(values)]
        body += _packed(kind, values, name)
    # Half a character, of a name that is no UTF-8, is written as JSON writes it: \udcff.
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace")
    return MAGIC + struct.pack("<II", PAYLOAD_VERSION, len(text)) + text + bytes(body)


def _packed(kind: str, values: np.ndarray, name: str) -> bytes:
    packed = np.ascontiguousarray(values).astype(np.dtype(KINDS[kind]).newbyteorder("<"))
    if not np.array_equal(packed, values):
        raise BadArgument(f"the column {name} of this trace does not fit the stepper's {kind} column")
    return packed.tobytes()


def _bytes(data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.uint8)


def _known(buffer: BufferInfo) -> bytes:
    known = buffer.defined
    return bytes([1]) * buffer.nbytes if known is None else bytes(known)


def _learned(trace: Trace, windows: list[_Window]) -> dict[str, tuple[str, np.ndarray]]:
    """What is known of registers at first, and what steps change in what is known of them and of memory."""
    known, place, at = trace.knowledge, {}, 0
    for name in trace.locations:
        place[name], at = at, at + len(trace.initial[name])
    registers = [(step, place[name] + k, n, value) for step, name, before, after in known.learned
                 for k, n, value in _changes(before, after)]
    memory, start = [], {}
    at = 0
    for window in windows:
        start[window.buffer.name], at = (at, window), at + window.nbytes
    for step, name, first, before, after in known.stored:
        if name in start:
            base, window = start[name]
            for k, n, value in _changes(before, after):
                low, high = max(first + k - window.first, 0), min(first + k + n - window.first, window.nbytes)
                if low < high:
                    memory.append((step, base + low, high - low, value))
    found = {"registers_known": ("u1", _bytes(b"".join(known.registers[name] for name in trace.locations)))}
    for prefix, rows in (("learned", registers), ("memory_learned", memory)):
        table = np.array(rows, np.int64).reshape(-1, 4)
        found |= {f"{prefix}_step": ("u4", table[:, 0] + 1), f"{prefix}_at": ("u4", table[:, 1]),
                  f"{prefix}_bytes": ("u4", table[:, 2]), f"{prefix}_known": ("u1", table[:, 3])}
    return found


def _changes(before: bytes, after: bytes) -> list[tuple[int, int, int]]:
    """(first byte, how many, value) of each run of bytes that change to one value."""
    runs: list[tuple[int, int, int]] = []
    for k, (old, new) in enumerate(zip(before, after, strict=True)):
        if old == new:
            continue
        if runs and runs[-1][0] + runs[-1][1] == k and runs[-1][2] == new:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1, new)
        else:
            runs.append((k, 1, new))
    return runs


def _write_data(trace: Trace, sizes: list[int]) -> np.ndarray:
    """The first bytes of each row of write_after: as many as its location has."""
    after = np.asarray(trace.write_after, np.uint8)
    width = np.asarray(sizes)[np.asarray(trace.write_location, np.int64)] if len(after) else np.zeros(0, np.int64)
    keep: np.ndarray = np.arange(16)[None, :] < width[:, None]
    picked: np.ndarray = after[keep]
    return picked


def _accesses(trace: Trace, windows: list[_Window]) -> dict[str, tuple[str, np.ndarray]]:
    address = np.asarray(trace.access_address, np.int64)
    home = np.full(address.shape, NO_BUFFER, np.int64)
    offset = np.zeros(address.shape, np.int64)
    distance = np.full(address.shape, NEAR + 1, np.int64)
    for index, window in enumerate(windows):
        relative = address - window.address
        far = np.maximum(np.maximum(-relative, relative - window.nbytes + 1), 0)
        nearer = far < distance
        home[nearer], offset[nearer], distance[nearer] = index, relative[nearer], far[nearer]
    store = np.asarray(trace.access_store, bool)
    start = np.asarray(trace.access_data_start, np.int64)
    data = np.asarray(trace.access_after, np.uint8)
    stored = [data[start[k]:start[k + 1]] for k in np.flatnonzero(store)]
    return {
        "access_count": ("u2", np.diff(trace.access_start)),
        "access_buffer": ("u2", home),
        "access_offset": ("i4", offset),
        "access_bytes": ("u2", np.asarray(trace.access_bytes)),
        "access_store": ("u1", store),
        "store_data": ("u1", np.concatenate(stored) if stored else np.zeros(0, np.uint8)),
    }


def _change(trace: Trace, one: StateEdit, windows: list[_Window]) -> dict[str, Any]:
    home = next((k for k, window in enumerate(windows) if window.buffer.name == one.place), None)
    location = trace.locations.index(one.place) if one.place in trace.locations else None
    offset = one.offset - (windows[home].first if home is not None else 0)
    return {"step": one.step - trace.first, "name": one.name, "was": one.was, "now": one.now, "location": location,
            "buffer": home, "offset": offset, "data": list(one.data)}


def _products(trace: Trace) -> dict[str, int] | None:
    """instruction -> products it makes, of those that ran; None where one has no class to count by."""
    if not trace.steps:
        return {}
    from neonsim.arm.timing.stream import stream_of

    try:
        return {op.text: op.macs for op in stream_of(trace).ops}
    except TimingError:
        return None


@dataclass(frozen=True)
class _Window:
    """The part of a buffer that is sent: whole rows, from byte `first` on."""

    buffer: BufferInfo
    columns: int
    first: int
    nbytes: int

    @property
    def address(self) -> int:
        return int(self.buffer.address) + self.first

    def cut(self, data: bytes) -> bytes:
        return bytes(data[self.first:self.first + self.nbytes])

    def header(self, types: Mapping[str, str]) -> dict[str, Any]:
        buffer = self.buffer
        return buffer_header(buffer.name, self.address, self.nbytes, skipped=self.first, size=int(buffer.nbytes),
                             dtype=str(buffer.dtype), itemsize=np.dtype(buffer.dtype).itemsize, shape=buffer.shape,
                             wide=self.columns, kind=types[buffer.name], typed=bool(buffer.typed))


def _check_columns(trace: Trace, columns: Mapping[str, int]) -> None:
    names = [buffer.name for buffer in trace.buffers]
    for name, count in columns.items():
        if name not in names:
            raise BadArgument(f"columns has the unknown buffer {name!r}; this run has {', '.join(names) or 'none'}")
        if count < 1:
            raise BadArgument(f"columns[{name!r}] must be at least 1, got {count}")


def _window(trace: Trace, buffer: BufferInfo, columns: Mapping[str, int]) -> _Window | None:
    wide = int(columns.get(buffer.name, buffer.shape[-1] if len(buffer.shape) > 1 else 16))
    nbytes = int(buffer.nbytes)
    if nbytes <= WHOLE:
        return _Window(buffer, wide, 0, nbytes)
    start = np.asarray(trace.access_address, np.int64) - int(buffer.address)
    end = start + np.asarray(trace.access_bytes, np.int64)
    touching = (end > 0) & (start < nbytes)
    if not touching.any():
        return None
    row = wide * np.dtype(buffer.dtype).itemsize
    low, high = max(0, int(start[touching].min())), min(nbytes, int(end[touching].max()))
    first = low // row * row
    return _Window(buffer, wide, first, min(nbytes, -(-high // row) * row) - first)


def _timing(trace: Trace, timing: Timing) -> tuple[dict[str, Any], dict[str, tuple[str, np.ndarray]]]:
    run = timing.run
    if len(run.issue) != trace.steps:
        raise BadArgument(f"the timing has {len(run.issue)} instructions but the trace has {trace.steps} steps, so it "
                          f"belongs to another run")
    columns = {f"{name}_cycle": ("u4", np.asarray(times)) for name, times in
               (("start", run.start), ("issue", run.issue), ("done", run.completion))}
    words: dict[str, list[str]] = {}
    for name, values in (("unit", run.unit), ("reason", run.stall_reason or [""] * trace.steps)):
        words[name] = sorted(set(values))
        index = {word: k for k, word in enumerate(words[name])}
        columns[name] = ("u2", np.array([index[word] for word in values]))
    caches, more = cache_columns(trace, timing)
    return {"core": timing.core.name, "cycles": int(timing.cycles), "units": words["unit"],
            "reasons": words["reason"], "caches": caches}, {**columns, **more}
