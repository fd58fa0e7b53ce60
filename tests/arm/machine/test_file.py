"""Saved traces: what comes back is what was saved; anything else is refused in one sentence."""

from __future__ import annotations

import json
import random
import struct
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine import rerun
from neonsim.arm.machine.trace.save import FRONT, TRACE_MAGIC, VERSION
from neonsim.cli import main

TEXT = {"aarch64": """// twice each
f:      ldr     q0, [x0]
        add     v0.4s, v0.4s, v0.4s
        adr     x2, one
        ldr     s1, [x2]
        str     q0, [x1]
        cmp     x0, x1
        b.ne    1f
        nop
1:      ret
        .data
one:    .word   1
""", "aarch32": """
f:      vld1.32 {q0}, [r0]
        cmp     r0, #0
        addeq   r0, r0, #1
        vst1.32 {q0}, [r1]
        bx      lr
"""}


def recorded(isa: str = "aarch64") -> ns.Trace:
    machine = ns.Machine(isa=isa)
    a = machine.memory.place(np.arange(4, dtype=np.int32).reshape(2, 2), name="a", readonly=True)
    c = machine.memory.alloc(16, name="c")
    trace = machine.call(ns.assemble(TEXT[isa], isa=isa), a, c, trace=True).trace
    assert trace is not None
    return trace


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded().save(tmp_path_factory.mktemp("saved") / "run.neontrace")


def same(one: ns.Trace, other: ns.Trace) -> None:
    assert one.program == other.program and one.program.lines == other.program.lines
    assert [i.position for i in one.program.instructions] == [i.position for i in other.program.instructions]
    for name in ("isa", "locations", "initial", "buffers", "first", "returned", "grid", "call", "notices"):
        assert getattr(one, name) == getattr(other, name), name
    for name, column in vars(one).items():
        if isinstance(column, np.ndarray):
            assert column.dtype == getattr(other, name).dtype and np.array_equal(column, getattr(other, name)), name
    assert one.to_text() == other.to_text() and one.state(one.steps) == other.state(one.steps)


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_comes_back(isa: str, tmp_path: Path) -> None:
    trace = recorded(isa)
    again = ns.load_trace(trace.save(tmp_path / "run.neontrace"))
    same(trace, again)
    same(rerun(again, again.program, max_steps=100)[0], rerun(trace, trace.program, max_steps=100)[0])
    assert ns.time(again, core="cortex-a53").cycles == ns.time(trace, core="cortex-a53").cycles


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_every_kind_of_kernel_comes_back(isa: str, tmp_path: Path) -> None:
    found = {one.header.contract: one for one in ns.kernels() if one.isa == isa}
    assert len(found) > 5
    for one in found.values():
        path = tmp_path / f"{one.name}.neontrace"
        assert main(["trace", one.name, "--save", str(path)]) == 0
        same(ns.load_trace(path), ns.load_trace(ns.load_trace(path).save(tmp_path / "again.neontrace")))


def opened(path: Path) -> tuple[dict[str, Any], bytes]:
    body = zlib.decompress(path.read_bytes()[len(TRACE_MAGIC) + FRONT.size:])
    (length,) = struct.unpack_from("<I", body)
    return json.loads(body[4:4 + length]), body[4 + length:]


def closed(header: Any, columns: bytes, version: int = VERSION) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    body = struct.pack("<I", len(text)) + text + columns
    return TRACE_MAGIC + FRONT.pack(version, zlib.crc32(body)) + zlib.compress(body)


def refused(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    with pytest.raises(ns.BadArgument) as problem:
        ns.load_trace(path)
    said = str(problem.value)
    assert said.startswith(str(path)) and len(said) < 700 and "\n" not in said
    return said


def test_cut_anywhere_and_changed_anywhere(saved: Path, tmp_path: Path) -> None:
    data, rng = saved.read_bytes(), random.Random(1)
    for length in [0, 3, len(TRACE_MAGIC), len(TRACE_MAGIC) + 4, len(data) - 1, *rng.sample(range(20, len(data)), 20)]:
        assert "truncated" in refused(tmp_path / "x", data[:length]) or length < len(TRACE_MAGIC)
    for place in [0, 5, len(data) - 1, *rng.sample(range(len(data)), 40)]:
        changed = bytearray(data)
        changed[place] ^= 1 << rng.randrange(8)
        refused(tmp_path / "x", bytes(changed))
    assert "damaged" in refused(tmp_path / "x", data + b"more")


def test_other_files(tmp_path: Path) -> None:
    assert "no trace of neonsim" in refused(tmp_path / "x", b"\x80\x04\x95 a pickle")
    assert "format 9" in refused(tmp_path / "x", closed({}, b"", version=9))
    for path, words in ((tmp_path / "nothing", "there is no file"), (tmp_path, "is a folder")):
        with pytest.raises(ns.BadArgument, match=words):
            ns.load_trace(path)
    with pytest.raises(ns.BadArgument, match="there is no folder"):
        recorded().save(tmp_path / "no" / "folder")


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neonsim.arm.machine.trace.file.MAX_TRACE_FILE_BYTES", 1 << 20)
    data = TRACE_MAGIC + FRONT.pack(VERSION, 0) + zlib.compress(bytes(1 << 24))
    assert "too large when unpacked" in refused(tmp_path / "x", data)
    assert "is too large: " in refused(tmp_path / "x", data + bytes(1 << 20))
    monkeypatch.setattr("neonsim.arm.machine.trace.save.MAX_TRACE_FILE_BYTES", 1 << 10)
    with pytest.raises(ns.BadArgument, match="last steps only"):
        recorded().save(tmp_path / "y")


def test_a_bomb_takes_no_memory(saved: Path, tmp_path: Path) -> None:
    """What unpacks to too much, or to more than its own header says, costs pieces of it and not the whole."""
    header, columns = opened(saved)
    text = json.dumps(header).encode()
    whole = struct.pack("<I", len(text)) + text + columns
    bombs = {"zeros": bytes(1 << 25), "a header without end": b"\xff" * (1 << 25),
             "more than its header says": whole + bytes(1 << 25)}
    for name, body in bombs.items():
        (tmp_path / "x").write_bytes(TRACE_MAGIC + FRONT.pack(VERSION, zlib.crc32(body)) + zlib.compress(body, 1))
        tracemalloc.start()
        try:
            with pytest.raises(ns.BadArgument, match="does not hold together"):
                ns.load_trace(tmp_path / "x")
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 4 << 20, f"{name}: {peak:,} bytes for {len(body):,}"


@pytest.mark.nightly
def test_three_gigabytes_take_no_memory(tmp_path: Path) -> None:
    packer = zlib.compressobj(9)
    with (tmp_path / "x").open("wb") as file:
        file.write(TRACE_MAGIC + FRONT.pack(VERSION, 0))
        for _ in range(3 << 4):
            file.write(packer.compress(bytes(1 << 26)))
        file.write(packer.flush())
    script = ("import resource, sys, neonsim\nbefore = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
              "try: neonsim.load_trace(sys.argv[1])\nexcept neonsim.BadArgument as problem: print(problem)\n"
              "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)")
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "x")], capture_output=True, text=True,
                          check=True)
    said, kib = done.stdout.splitlines()
    assert "too large when unpacked" in said and int(kib) < 16 << 10


def put(*places: Any) -> Callable[[dict[str, Any]], None]:
    *keys, value = places

    def change(header: dict[str, Any]) -> None:
        inner: Any = header
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = value(inner[keys[-1]]) if callable(value) else value
    return change


HOSTILE = {
    "isa": put("isa", "mips"), "isa list": put("isa", []), "program": put("program", None),
    "include": put("program", "listing", lambda text: '.include "/etc/passwd"\n' + text),
    "macro": put("program", "listing", lambda text: ".rept 1000000000\n nop\n.endr\n" + text),
    "other text": put("program", "listing", lambda text: text + "// more\n"),
    "shorter": put("program", "listing", "f:\n        ret\n"), "no text": put("program", "listing", 5),
    "where": put("program", "where", []), "where text": put("program", "where", 0, [1, 2, 3, 4, 5]),
    "origins": put("program", "origins", [[1, "x"]]), "lines": put("program", "lines", [1]),
    "first": put("trace", "first", -1), "returned": put("trace", "returned", 1e999), "grid": put("trace", "grid", [1]),
    "called": put("trace", "called", [["x"], None]), "entry": put("trace", "called", [[], 3]),
    "notice": put("trace", "notices", [[99999, "x"]]), "registers": put("locations", lambda rows: rows[1:]),
    "register size": put("locations", 0, ["v0", 8]), "buffers": put("buffers", []),
    "buffer size": put("buffers", 0, 2, 15), "buffer shape": put("buffers", 0, 4, [1 << 40, 1 << 40]),
    "buffer type": put("buffers", 0, 3, "O"), "buffer type 2": put("buffers", 0, 3, "(1000,1000)f8,i4"),
    "buffer name": put("buffers", 0, 0, ["<b>"]), "buffer flag": put("buffers", 0, 5, "no"),
    "buffer mask": put("buffers", 0, 8, True), "counts": put("counts", lambda counts: counts[1:]),
    "count": put("counts", 0, 1 << 60), "negative count": put("counts", 0, -1),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_header_that_does_not_fit(saved: Path, tmp_path: Path, name: str) -> None:
    header, columns = opened(saved)
    HOSTILE[name](header)
    assert "does not hold together" in refused(tmp_path / "x", closed(header, columns))


def test_columns_that_do_not_fit(saved: Path, tmp_path: Path) -> None:
    """Every byte of the columns that are indices, made large: refused, or a run that can be read to its end."""
    header, columns = opened(saved)
    starts = np.cumsum([0, *(n * w for n, w in zip(header["counts"], (4, 1, 4, 2), strict=False))])
    for place in range(0, int(starts[4]), 3):
        changed = bytearray(columns)
        changed[place] = 255
        path = tmp_path / "x"
        path.write_bytes(closed(header, bytes(changed)))
        try:
            trace = ns.load_trace(path)
        except ns.BadArgument as problem:
            assert "does not hold together" in str(problem)
        else:
            assert trace.to_text() and trace.state(trace.steps)
    assert "does not hold together" in refused(tmp_path / "x", closed(header, columns + b"\0"))
    deep = b'{"isa": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    assert "nested deeper than 32 levels" in refused(tmp_path / "x", closed(deep, columns))
    for text in (b"", b"{", b"[" * 100_000, b"5" * 6000, b"\xff\xfe", b"{}"):
        assert "does not hold together" in refused(tmp_path / "x", closed(text, columns))


def test_on_the_command_line(saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(saved)]) == 0
    shown = capsys.readouterr().out
    assert "add v0.4s, v0.4s, v0.4s" in shown and "recorded before" in shown
    assert main(["trace", str(saved), "--html", str(tmp_path / "x.html"), "--core", "cortex-a53"]) == 0
    assert main(["trace", str(saved), "--save", str(tmp_path / "y.neontrace")]) == 0
    same(ns.load_trace(tmp_path / "y.neontrace"), ns.load_trace(saved))
    (tmp_path / "cut.neontrace").write_bytes(saved.read_bytes()[:300])
    for words, said in (([str(saved), "3"], "takes no arguments"), ([str(tmp_path / "cut.neontrace")], "truncated"),
                        ([str(tmp_path / "no.neontrace")], "there is no file")):
        assert main(["trace", *words]) == 2
        assert said in capsys.readouterr().err
    assert main(["run", str(saved)]) == 2 and "recorded run, not a program" in capsys.readouterr().err
