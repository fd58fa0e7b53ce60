from __future__ import annotations

import base64
import gzip
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine.arch.register_names import locate, names_by_register
from neonsim.render import payload, split


def replay(header: dict[str, Any], columns: dict[str, Any], step: int) -> dict[str, bytes]:
    """State after `step` steps, from the payload alone."""
    state, at = {}, 0
    sizes = {name: locate(name, header["isa"])[2] for name in header["locations"]}
    for name in header["locations"]:
        state[name] = columns["initial"][at:at + sizes[name]].tobytes()
        at += sizes[name]
    write = data = 0
    for k in range(step):
        for _ in range(columns["write_count"][k]):
            name = header["locations"][columns["write_location"][write]]
            state[name] = columns["write_data"][data:data + sizes[name]].tobytes()
            write, data = write + 1, data + sizes[name]
    return state


def test_every_state_comes_back(dot: ns.Trace) -> None:
    header, columns = split(payload(dot))
    for step in range(dot.steps + 1):
        assert replay(header, columns, step) == dot.state(step), step


def test_program_and_dataflow(dot: ns.Trace) -> None:
    header, columns = split(payload(dot, title="dot", names={"vacc": ("v16",)}))
    assert (header["title"], header["isa"], header["steps"]) == ("dot", "aarch64", dot.steps)
    assert header["names"] == {"v16": "vacc"}
    assert columns["pc"].tolist() == list(dot.pc)
    assert [header["instructions"][pc]["text"] for pc in (6, 9)] == ["smlal v16.4s, v1.4h, v0.h[2]", "b.ne loop"]
    assert header["instructions"][9]["target"] == 2
    line = next(row for row in header["code"] if row["pcs"] == [6])
    assert "smlal" in line["text"] and header["instructions"][6]["line"] == line["number"]
    assert all(one["doc"] for one in header["instructions"]), "every instruction says what it does"
    flow = header["flows"][header["flow_of"][6]]
    assert [tuple(edge[:3]) for edge in flow] == [("v16", "s32", k) for k in range(4)]
    assert ["v0", "s16", 2] in flow[3][4] and "v0.h[2]" in flow[3][3]


def test_memory(dot: ns.Trace) -> None:
    header, columns = split(payload(dot, columns={"w": 8}))
    names = [buffer["name"] for buffer in header["buffers"]]
    by_name = dict(zip(names, header["buffers"], strict=True))
    assert by_name["a"]["columns"] == 4 and by_name["w"]["columns"] == 8 and by_name["c"]["columns"] == 16
    home = [names[k] if k < len(names) else None for k in columns["access_buffer"]]
    offsets = columns["access_offset"].tolist()
    first = [("zero_point", 0), ("c", 0), ("a", 0), ("w", 0), ("a", 8), ("w", 8)]
    assert list(zip(home, offsets, strict=True))[:6] == first
    assert columns["access_store"].tolist() == [0] * 6 + [1]
    assert columns["store_data"].tobytes() == dot.state(dot.steps)["v16"]
    assert columns["known"].all() and "stack" not in by_name, "a large buffer that nobody touched is not sent"


def test_large_buffer_is_cut_to_the_rows_that_are_touched() -> None:
    machine = ns.Machine(isa="aarch64")
    matrix = np.arange(64 * 512).astype(np.uint8).reshape(64, 512)
    address = machine.memory.place(matrix, name="matrix")
    program = ns.assemble("ld1 {v0.8b}, [x0]\n ret", isa="aarch64")
    header, columns = split(payload(machine.call(program, address + 40 * 512 + 3, trace=True).trace))
    (buffer,) = header["buffers"]
    assert (buffer["skipped"], buffer["nbytes"], buffer["size"]) == (40 * 512, 512, 64 * 512)
    assert buffer["address"] == address + 40 * 512 and columns["access_offset"].tolist() == [3]
    assert columns["memory"].tobytes() == matrix[40].tobytes()


def test_same_run_same_bytes(dot: ns.Trace) -> None:
    assert payload(dot) == payload(dot)


@pytest.mark.parametrize(("damage", "message"), [
    (lambda data: b"NOON" + data[4:], "not a recorded run"),
    (lambda data: data[:4] + struct.pack("<I", 99) + data[8:], "format 99"),
], ids=["magic", "version"])
def test_split_refuses(dot: ns.Trace, damage: Callable[[bytes], bytes], message: str) -> None:
    with pytest.raises(ns.BadArgument, match=message):
        split(damage(payload(dot)))


@pytest.mark.parametrize(("options", "message"), [
    ({"columns": {"q": 8}}, "has the unknown buffer 'q'; this run has"),
    ({"columns": {"w": 0}}, "must be at least 1"),
    ({"names": {"v0": 3}}, "names must map a register"),
], ids=["unknown_buffer", "no_columns", "name_not_text"])
def test_payload_refuses(dot: ns.Trace, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ns.BadArgument, match=message):
        payload(dot, **options)


def test_places_of_registers() -> None:
    assert locate("d31", "aarch32") == ("q15", 8, 8)
    assert locate("s5", "aarch32") == ("q1", 4, 4)
    assert locate("r13", "aarch32") == ("r13", 0, 4)
    assert locate("w3", "aarch64") == ("x3", 0, 4)
    assert locate("sp", "aarch64") == ("sp", 0, 8)
    assert locate("nzcv", "aarch32") == ("nzcv", 0, 1)
    assert names_by_register({"t": ("v1", "v2", "v3")})["v3"] == "t[2]"


def test_run_of_which_only_the_end_was_kept() -> None:
    program = ns.assemble("mov x1, #50\n0: subs x1, x1, #1\n b.ne 0b\n ret", isa="aarch64")
    trace = ns.Machine(isa="aarch64").call(program, trace="last 10").trace
    header, columns = split(payload(trace))
    assert (header["first"], header["steps"]) == (92, 10)
    for step in (0, 5, 10):
        assert replay(header, columns, step) == trace.state(step)


def test_counted_and_suspicious() -> None:
    """Products of each instruction, the manual's text, and warnings with their instruction."""
    text = "f: umull v0.8h, v1.8b, v2.8b\n smlal v3.4s, v0.4h, v0.h[1]\n stp x19, x20, [sp, #-16]!\n mul x1, x0, x0\n" \
        " ldp x19, x20, [sp], #16\n ret"
    machine = ns.Machine(isa="aarch64")
    machine.start(ns.assemble(text, isa="aarch64"), 3)
    for register in ("v1", "v2", "v3"):
        machine.registers[register] = bytes(range(16))
    machine.run()
    trace = machine.trace()
    header, _ = split(payload(trace))
    assert [one["macs"] for one in header["instructions"]][:2] == [8, 4]
    pages = [header["manual"][one["manual"]] for one in header["instructions"]]
    assert "Multiply long" in pages[1] and "In quantised kernels" in pages[1] and "Source:" in pages[1]
    assert len(header["manual"]) < len(pages) + 1 and header["warnings"] == [list(one) for one in trace.notices]


def test_products_of_a_run_of_which_only_the_end_was_kept() -> None:
    program = ns.assemble("mov x1, #50\n0: mul v0.4s, v0.4s, v0.4s\n subs x1, x1, #1\n b.ne 0b\n ret", isa="aarch64")
    trace = ns.Machine(isa="aarch64").call(program, trace="last 10", sanitize=False).trace
    header, _ = split(payload(trace, timing=ns.time(trace, core="cortex-a53")))
    assert header["instructions"][1]["macs"] == 4 and header["timing"]["cycles"] > 0


def test_a_page_is_written_whole_or_not_at_all(dot: ns.Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "steps.html"
    dot.to_html(path)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(ns.BadArgument, match="No space left"):
        dot.to_html(path, title="another")
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("cut", [6, 40, 1000, -1])
def test_cut_short(dot: ns.Trace, cut: int) -> None:
    with pytest.raises(ns.BadArgument, match=r"truncated|not a recorded run"):
        split(payload(dot)[:cut])


def test_a_page_is_packed_no_harder_than_it_pays(tmp_path: Path) -> None:
    """The highest level takes six times as long on the columns of a long run, and makes them hardly smaller."""
    text = "f: ldrb w3, [x0], #1\nadd x2, x2, x3\nsubs x1, x1, #1\nb.ne f\nmov x0, x2\nret"
    program = ns.assemble(text, isa="aarch64")
    machine = ns.Machine()
    at = machine.memory.place(np.random.default_rng(1).integers(0, 256, 2_000, dtype=np.uint8), name="a")
    trace = machine.call(program, at, 2_000, 0).trace
    assert trace is not None
    page = trace.to_html(tmp_path / "run.html").read_text()
    packed = base64.b64decode(re.findall(r'id="neonsim-run">([^<]+)<', page)[0])
    assert packed[8] == 0, "RFC 1952: neither the highest level nor the lowest"
    assert len(packed) < 1.01 * len(gzip.compress(payload(trace), 9))
    assert len(packed) < trace.steps * 5, "bytes a step"
