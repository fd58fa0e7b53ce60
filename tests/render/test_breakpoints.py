"""Where a run stops: the table that pages (tests/browser/test_stopping.py) and `neonsim step` are both held to."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import numpy as np
import pytest

import neonsim as ns
from neonsim.errors import BadArgument
from neonsim.render.stepper.breakpoints import Breakpoints, parse_stop, places
from neonsim.render.stepper.cursor import TraceCursor
from neonsim.render.stepper.expression import StateView, parse_expression
from tests.tiers import every
from tests.work import grows_evenly

TABLE = json.loads(Path(__file__).with_name("stops.json").read_text(encoding="utf-8"))
record_dot = runpy.run_path(str(Path(__file__).with_name("recorded.py")))["record_dot"]


@pytest.fixture(scope="module")
def walk() -> TraceCursor:
    # The page's list of buffers has no stack, on which this run puts nothing.
    trace = record_dot(6)
    trace.buffers = [buffer for buffer in trace.buffers if buffer.name != "stack"]
    return TraceCursor(trace)


def test_places(walk: TraceCursor) -> None:
    found = {text: places(parse_stop(text, walk.trace), walk).tolist() for text in TABLE["places"]}
    assert found == TABLE["places"]


def test_as_python_writes_it(walk: TraceCursor) -> None:
    """and, or and not are && || and !, of which ! binds as in pages: more tightly than a comparison."""
    for text, same in (("x2 == 4 and step > 3", "x2 == 4 && step > 3"), ("x2 == 4 or x2 == 2", "x2 == 4||x2 == 2"),
                       ("not x2 >= 3", "!(x2 >= 3)"), ("not x2 == 0", "x2 != 0"), ("!x2 == 1", "x2 == 0"),
                       ("x2 == 0x4", "x2 == 0b100"), ("x2 == 1_0 - 6", "x2 == 4.0")):
        one, other = (places(parse_stop(way, walk.trace), walk).tolist() for way in (text, same))
        assert one == other, text
    with pytest.raises(BadArgument, match=r"1 < x2 < 4 compares more than two values. Write a < b and b < c"):
        parse_stop("1 < x2 < 4", walk.trace)        # pages read (1 < x2) < 4


def test_what_is_wrong_is_said(walk: TraceCursor) -> None:
    """In one sentence: everything that pages refuse; what of Python's is no expression here; and nothing is run."""
    saying = {"x2": "x2 alone is not a condition. Compare it (x2 == 1)", "x2 = 8": "= is not valid here; == compares",
              "x2 ==": "cannot be read: invalid syntax",
              "x99 == 1": "x99 is not a register or buffer of this run (buffers: a, w, c, zero_point)",
              "nothing(x2) == 1": "use sum(a, ...), min, max and abs",
              "x2.s == 1": "x2 is one number and has no lanes",
              "v16.q == 1": ".q is not an element type: use b h s d (signed)",
              "1 + v16.s[4]": "v16.s[4] is out of range: v16 has 4 elements of s32", "c[1 == 1": "'[' was never closed",
              "x2 == v16": "v16 has several values. Name a lane, or use sum, min or max",
              "h16.s == 1": "h16 has 0 elements of s32", "c[9] == 1": "c[9] is out of range",
              "": "write something like",
              "write 3": "write needs one register", "line x": "line needs one number",
              "line 1": "line 1 has no instruction"}
    python = ["x2**9 == 1", "9**9**9**9", "x2 // 2 == 1", "x2 @ 2", "x2 ^ 1", "+x2 == 1", "1j == 1", "'x2' == 1",
              "f'{x2}' == 1", "True", "None == 1", "x2 is 1", "x2 in c", "1 if x2 else 2", "lambda: 1",
              "(x2 := 3) == 1", "[x2][0] == 1", "{1: x2}[1] == 1", "(x2, 1)[0] == 1", "c[0:1] == 1", "c[*a] == 1",
              "sum(*c) == 1", "sum(c, key=1) == 1",
              "sum() == 1", "__import__('os').system('true') == 0", "x2.__class__ == 1", "sum.__globals__ == 1",
              "().__class__ == 1", "[v for v in c] == 1", "await x2", "yield x2", "x2; x3", "x2 ==\n1", "x2\0 == 1",
              "(sum)(c)(c) == 1", "c[0][0] == 1", "c[0].s == 1", "x2.s.s == 1", "...", "x2 == 8" * 40,
              "a[" * 60 + "1" + "]" * 60]
    for text in (*TABLE["wrong"], *python):
        with pytest.raises(BadArgument) as caught:
            parse_stop(text, walk.trace)
        assert saying.get(text, "") in str(caught.value) and "\n" not in str(caught.value).replace("\\n", ""), text


@pytest.mark.parametrize("text", ["-" * 198 + "1", "!" * 198 + "1", "(" * 99 + "1" + ")" * 99, "not " * 49 + "x2",
                                  "1" + "+1" * 99, "9" * 200, "0x" + "f" * 198, "1 << 9" + "9" * 190, "1e999 * 0",
                                  "1 >> -9" + "9" * 190, "sum(" * 39 + "c" + ")" * 39, "1/0", "0/0", "5 % 0"])
def test_no_number_and_no_depth_is_too_much(text: str, walk: TraceCursor) -> None:
    assert isinstance(parse_expression(text, walk.trace).value(StateView(walk.state(), walk.memory)), float)


def test_a_buffer_may_have_the_name_of_a_word_of_python() -> None:
    machine = ns.Machine(isa="aarch64")
    made = machine.memory.declare("in=s32:3,4")
    trace = machine.call(ns.assemble("f: mov w1, #5\n str w1, [x0]\n ret\n", isa="aarch64"), made, trace=True).trace
    walk = TraceCursor(trace)
    assert [places(parse_stop(text, trace), walk).tolist() for text in ("in[0] == 5 and in[1] == 4", "write in[0]")] \
        == [[2], [2]]
    with pytest.raises(BadArgument, match=r"in\[2\] is out of range: in has 2 elements"):
        parse_stop("in[2] == 1", trace)


def test_lanes_and_cells_are_those_of_the_trace(walk: TraceCursor) -> None:
    trace = walk.trace
    for step in (0, 7, 30, trace.steps):
        walk.goto(step)
        here = StateView(trace.state(step), {name: bytearray(data.tobytes()) for name, data in walk.memory.items()})
        state = trace.state(step)
        for text, kind in (("v16.s", np.int32), ("v1.u16", np.uint16), ("v0.b", np.int8), ("v2.f32", np.float32),
                           ("v2.f64", np.float64)):
            register, lanes = text.split(".")[0], np.frombuffer(state[text.split(".")[0]], kind)
            assert parse_expression(text, trace).value(here) == [float(v) for v in lanes], text
            assert parse_expression(f"sum({text})", trace).value(here) == float(sum(map(float, lanes))), text
            one = f"{register}.{text.split('.')[1]}[1]"
            assert parse_expression(one, trace).value(here) == float(lanes[1])
        assert parse_expression("w[3] - a[1,2]", trace, {"a": 12}).value(here) == float(
            int(walk.memory["w"][3]) - int(walk.memory["a"][14]))


def test_a_stop_on_a32_takes_the_half_of_a_register() -> None:
    machine = ns.Machine(isa="aarch32")
    text = "f: vmov.i8 d1, #1\n vmov.i8 d0, #2\n vmov.i8 q1, #3\n vadd.i8 d2, d0, d1\n bx lr\n"
    program = ns.assemble(text, isa="aarch32")
    trace = machine.call(program, trace=True).trace
    assert trace is not None
    walk = TraceCursor(trace)
    wanted = {"write d0": [2], "write d1": [1], "write q0": [1, 2], "write d3": [3], "write d2": [3, 4],
              "read d1": [4], "d1.u8[0] == 1": [1], "sum(q0.u8) == 24": [2]}
    assert {text: places(parse_stop(text, trace), walk).tolist() for text in wanted} == wanted


@pytest.mark.parametrize("text", every(2, ["x2 == 4", "write v16.s[1]", "sum(w) > 5 && step == 3",
                                  "step % 2 == 0 && v16.s[0] != 1"]))
def test_a_long_run_is_searched_step_by_step(text: str) -> None:
    """The work is a few calls of functions a step."""
    walks = {groups: TraceCursor(record_dot(groups)) for groups in (50, 100)}

    def search(groups: int) -> None:
        walk = walks[groups]
        found = len(places(parse_stop(text, walk.trace), walk))
        assert {"x2": found == 1, "write": found == 2 * groups + 1, "sum(w)": found <= 1,
                "step": found > 3 * groups}[text.split()[0]]
    assert grows_evenly(search, 50) < 70 * walks[50].trace.steps


def test_what_nobody_has_written_is_no_number_and_what_was_changed_by_hand_is_one() -> None:
    machine = ns.Machine(isa="aarch64")
    out = machine.memory.place(np.zeros(2, np.int32), name="out")
    program = ns.assemble("f: mov x5, #3\n mov x6, x5\n movi v3.4s, #7\n str x5, [x0]\n ret\n", isa="aarch64")
    result = machine.call(program, out, trace=True)
    changed = result.changed(2, {"x6": 40, "out[1]": 9})
    for trace, wanted in ((result.trace, {"x6 == 40": [], "v3.s[0] == 7": [3], "v3.s[0] != 7": [], "x9 != 1": [],
                                          "out[0] == 3": [4], "write out[1]": [4], "out[1] == 9": []}),
                          (changed.trace, {"x6 == 40": [2], "write x6": [2], "out[1] == 9": [2], "sum(out) == 9": [2],
                                           "out[0] == 3 && out[1] == 0": [4], "write out[1]": [2, 4]})):
        assert trace is not None
        walk = TraceCursor(trace)
        assert {text: places(parse_stop(text, trace), walk).tolist() for text in wanted} == wanted


def test_breakpoints_of_a_session(walk: TraceCursor) -> None:
    stops = Breakpoints(walk)
    assert stops.nearest(0) is None
    assert all(stops.toggle(text) for text in ("line 15", "x2 == 4", "write c[2]"))
    assert [stops.nearest(step)[0] for step in (0, 8, 16, 48)] == [8, 16, 17, 51]
    assert stops.nearest(17, -1) == (16, "line 15")
    assert stops.nearest(51) is None and stops.nearest(8, -1) is None
    assert [stops.times(text) for text in stops.at] == ["reached 6 times", "reached once", "reached once"]
    assert not stops.toggle("line 15") and stops.nearest(0) == (17, "x2 == 4") and stops.toggle(" line 15 ")
    with pytest.raises(BadArgument, match="== compares"):
        stops.toggle("x2 = 8")
