"""Pages that compute: the recorded run done again in the page, with other values; judged by the machine in Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine import rerun_with_edits
from neonsim.errors import BadArgument
from neonsim.render.stepper.payload import payload, split

pytestmark = pytest.mark.browser
TEXT = """
dot:    // x0: n, x1: inputs, x2: weights, x3: zero point </script><script>alert(1)</script>
        dup     v3.8b, w3
        movi    v0.4s, #0
again:  ld1     {v1.8b}, [x1], #8
        ld1     {v2.8b}, [x2], #8
        usubl   v1.8h, v1.8b, v3.8b
        uxtl    v2.8h, v2.8b
        smlal   v0.4s, v1.4h, v2.4h
        smlal2  v0.4s, v1.8h, v2.8h
        subs    x0, x0, #8
        b.ne    again
        addv    s0, v0.4s
        fmov    w0, s0
        str     w0, [x4]
        ret
"""
EVIL = "</script><img src=x onerror=alert(1)>"
# Columns of a run in the page that are not as given: [kind, values] by name.
DIFFER = """expected => { const { columns } = window.neonsim.replay;
  return Object.entries(expected).filter(([name, values]) => {
    const found = columns[name];
    return found.length !== values.length || values.some((value, k) => value !== found[k]); })
    .map(([name]) => name); }"""
# A change that changes nothing: the run is done again all the same.
SAME = """() => { const { neonsimLive: live } = window;
  live.changes = [{ step: 0, name: 'none', location: null, buffer: null, offset: 0, data: [], was: '', now: '' }];
  const done = live.again(0), base = live.data.columns;
  const differ = Object.keys(base).filter(name => base[name].length !== done.data.columns[name].length
    || base[name].some((value, k) => value !== done.data.columns[name][k]));
  live.reset();
  return [done.problem, differ, done.data.header.steps]; }"""


def recorded(n: int = 16) -> tuple[Any, Any, Any]:
    machine = ns.Machine()
    rng = np.random.default_rng(1)
    inputs, weights = (rng.integers(0, 256, 32, np.uint8) for _ in range(2))
    at = [machine.memory.place(array, name=name) for array, name in ((inputs, EVIL), (weights, "weights"))]
    c = machine.memory.alloc("s32*1", name="c")
    trace = machine.call(ns.assemble(TEXT, isa="aarch64"), n, *at, 128, c, trace=True).trace
    assert trace is not None
    return trace, inputs, weights


@pytest.fixture(scope="module")
def trace() -> Any:
    return recorded()[0]


@pytest.fixture(scope="module")
def html(trace: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trace.to_html(tmp_path_factory.mktemp("live") / "live.html", live=True, title=EVIL,
                         names={"x0": "n", "x3": "zero point"}, timing=ns.time(trace, core="cortex-a53"))


@pytest.fixture
def page(tab: Any, html: Path) -> Iterator[Any]:
    yield tab.open(html)
    assert tab.errors == []
    assert [url for url in tab.requests if not url.startswith("file:")] == []


def put(page: Any, register: str, value: object) -> None:
    box = page.locator(f'[data-input="{register}"]')
    box.fill(str(value))
    box.press("Enter")


def change(page: Any, step: int, name: str, value: object) -> None:
    page.evaluate("step => window.neonsim.goto(step)", step)
    page.evaluate("name => window.neonsim.change.open(name)", name)
    page.get_by_label("new value").fill(str(value))
    page.get_by_label("new value").press("Enter")


def result(page: Any) -> str:
    return str(page.locator(".nsim-result").inner_text())


def same_run(page: Any, expected: Any) -> list[str]:
    """Columns of the run shown that are not those of the machine's trace; times apart, which belong to a core."""
    _, columns = split(payload(expected))
    return list(page.evaluate(DIFFER, {name: values.tolist() for name, values in columns.items()}))


@pytest.mark.nightly
def test_the_page_does_the_recorded_run_again(page: Any, trace: Any, html: Path) -> None:
    """Every column, to the byte: registers, memory, flags, and which bytes are initialized."""
    assert same_run(page, trace) == []
    problem, differ, steps = page.evaluate(SAME)
    assert (problem, differ, steps) == ("", [], 22)
    assert html.stat().st_size < 400_000


@pytest.mark.slow
def test_inputs_give_what_numpy_says(page: Any) -> None:
    _, inputs, weights = recorded()
    a, w = inputs.astype(np.int64), weights.astype(np.int64)
    for n, zero in ((16, 7), (8, 7), (32, 255), (24, 0)):
        put(page, "x0", n)
        put(page, "x3", zero)
        assert result(page) == f"w0 at the end: {((a - zero)[:n] * w[:n]).sum()}"
        page.locator('[data-act="last"]').click()
        assert page.evaluate("() => window.neonsim.matrices.views.length") > 0
    page.locator('[data-act="reset"]').click()
    assert result(page) == f"w0 at the end: {((a - 128)[:16] * w[:16]).sum()}"
    assert page.locator('[data-act="reset"]').is_disabled()


CHANGES = [(5, "v2.s16[3]", "-40"), (0, "w3", "9"), (3, "x1", "0x10000040"), (9, "z", "1"), (4, "weights[9]", "200"),
           (0, "weights.u16[2]", "0xffff"), (12, "v0", "77"), (6, "d1", "0x0102030405060708"), (2, "n", "0"),
           (7, "c[0]", "-5"), (1, "s3", "5"), (21, "w0", "-1")]


@pytest.mark.nightly
@pytest.mark.parametrize(("step", "name", "value"), CHANGES)
def test_a_change_at_a_step_goes_on_as_the_machine_does(page: Any, trace: Any, step: int, name: str,
                                                        value: str) -> None:
    expected, _ = rerun_with_edits(trace, step, {name: value})
    change(page, step, name, value)
    said = page.locator(".nsim-change .nsim-problem").inner_text()
    assert said.startswith(f"{expected.changes[-1]}. From here on {expected.steps - step} steps"), said
    assert same_run(page, expected) == []
    assert page.evaluate("() => window.neonsim.replay.step") == step


@pytest.mark.nightly
def test_undo_and_several_changes(page: Any, trace: Any) -> None:
    change(page, 5, "v2.s16[3]", -40)
    change(page, 13, "v0.s[1]", 1000)
    once, _ = rerun_with_edits(trace, 5, {"v2.s16[3]": -40})
    twice, _ = rerun_with_edits(once, 13, {"v0.s[1]": 1000})
    assert same_run(page, twice) == []
    page.get_by_role("button", name="undo").click()
    assert same_run(page, once) == []
    page.get_by_role("button", name="undo").click()
    assert same_run(page, trace) == []


@pytest.mark.nightly
def test_what_leaves_the_buffers_stops_with_the_machines_sentence(page: Any, trace: Any) -> None:
    put(page, "x0", 40)
    failed, problem = rerun_with_edits(trace, 0, {"w0": 40})
    said = result(page)
    assert said.startswith("the run ends here: line 5, `ld1 {v1.8b}, [x1], #8`: reads 8 bytes at 0x")
    assert said.partition("`: ")[2] in str(problem)
    assert page.evaluate("() => window.neonsim.replay.steps") == failed.steps
    assert same_run(page, failed) == []
    put(page, "x0", 3)  # never 0 again: it leaves the buffer
    assert "32 bytes), 8 bytes past its end" in result(page)


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "value", "words"), [
    ("v2.s16[8]", "1", "lanes 0 to 7 of s16"), ("v2.s16[1]", "40000", "-32768 to 32767"), ("c[1]", "1", "outside"),
    ("x77", "1", "no register or buffer"), ("w3", "five", "must be an integer"),
    ("weights", "1", "name one of its elements"),
    ("v2.q9[1]", "1", "not an element type"), ("n", "2", "must be 0 to 1"), ("[", "1", "is not a register")])
def test_refusals(page: Any, name: str, value: str, words: str) -> None:
    change(page, 4, name, value)
    problem = page.locator(".nsim-change .nsim-problem.nsim-error")
    assert words in problem.inner_text()
    assert page.evaluate("() => window.neonsim.undoable") == 0


@pytest.mark.nightly
def test_breakpoints_hold_in_the_changed_run(page: Any) -> None:
    page.evaluate("() => window.neonsim.breakpoints.add('v0.s[0] > 100000')")
    put(page, "x3", 0)
    page.evaluate("() => window.neonsim.goto(0)")
    page.locator("h1").click()
    page.keyboard.press("c")
    step = page.evaluate("() => window.neonsim.replay.step")
    assert 0 < step < 22


@pytest.mark.nightly
def test_a_link_carries_changes_and_nothing_else(tab: Any, html: Path) -> None:
    _, inputs, weights = recorded()
    page = tab.open(html)
    put(page, "x3", 7)
    address = page.evaluate("() => window.neonsim.link()")
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector(".nsim[data-step]")
    want = f"w0 at the end: {((inputs.astype(np.int64) - 7) * weights)[:16].sum()}"
    assert result(page) == want
    evil = "set=0:w3=7;0:%3Cimg src=x onerror=alert(1)%3E=1;9:x0=;1e9:x1=2;0:constructor=1;0:__proto__=2"
    page.goto("about:blank")
    page.goto(html.as_uri() + "#" + evil)
    page.wait_for_selector(".nsim[data-step]")
    assert result(page) == want
    assert page.locator("img").count() == 0
    assert tab.errors == []


def test_texts_of_the_program_stay_data(html: Path) -> None:
    text = html.read_text("utf-8")
    assert "onerror=alert" not in text.replace("&lt;img src=x onerror=alert(1)&gt;", "")
    assert text.count("</script>") == text.count("<script")


@pytest.mark.nightly
def test_the_run_beside_stays_as_it_was_recorded(tab: Any, tmp_path: Path, trace: Any) -> None:
    page = tab.open(trace.to_html(tmp_path / "two.html", live=True, compare_with=trace))
    left, right = (page.locator(".nsim-sides > div").nth(side) for side in (0, 1))
    assert "No difference of data" in page.locator("p.nsim-found").inner_text()
    assert page.locator("[data-input]").count() == left.locator("[data-input]").count() > 0
    page.locator('[data-act="last"]').first.click()
    was = right.locator('[data-register="x0"]').inner_text()
    put(page, "x3", 7)
    page.locator('[data-act="last"]').first.click()
    assert "has been changed in this page" in page.locator("p.nsim-found").inner_text()
    now = [side.locator('[data-register="x0"]').inner_text() for side in (left, right)]
    assert now[0] != was == now[1]
    page.locator('[data-act="reset"]').click()
    page.locator('[data-act="last"]').first.click()
    assert left.locator('[data-register="x0"]').inner_text() == was
    assert "No difference of data" in page.locator("p.nsim-found").inner_text()
    assert tab.errors == []


def test_what_such_a_page_cannot_do_is_refused(tmp_path: Path) -> None:
    machine = ns.Machine()
    floats = machine.call(ns.assemble("fdiv d0, d0, d1\nret", isa="aarch64"), 1.5, 2.5, trace=True).trace
    with pytest.raises(BadArgument, match=r"line 1: fdiv d0, d0, d1: .*Omit live [(]--live[)]"):
        floats.to_html(tmp_path / "x.html", live=True)
    assert not (tmp_path / "x.html").exists()


FLOATS = """ld1 {v0.4s, v1.4s, v2.4s}, [x0]
fmla v0.4s, v1.4s, v2.4s
fdiv v3.4s, v0.4s, v2.4s
fsqrt v4.4s, v2.4s
fcvtns v5.4s, v3.4s
ret"""


@pytest.mark.nightly
def test_ordinary_floats(tab: Any, tmp_path: Path) -> None:
    """Exact for ordinary numbers, with their exceptions; what is none stops the run, and a recorded one is shown."""
    program = ns.assemble(FLOATS, isa="aarch64")
    values = np.random.default_rng(3).normal(0, 9, (3, 4)).astype(np.float32)
    values[2] = abs(values[2])
    for infinite in (False, True):
        machine = ns.Machine()
        if infinite:
            values[1, 1] = np.inf
        trace = machine.call(program, machine.memory.place(values, name="values"), trace=True).trace
        page = tab.open(trace.to_html(tmp_path / "floats.html", live=True))
        assert same_run(page, trace) == []
        if infinite:
            continue
        once, _ = rerun_with_edits(trace, 1, {"v0.f32[1]": "-1.5e10"})
        expected, _ = rerun_with_edits(once, 1, {"v2.f32[0]": "7"})
        change(page, 1, "v0.f32[1]", "-1.5e10")
        change(page, 1, "v2.f32[0]", "7")
        assert same_run(page, expected) == []
        change(page, 1, "v2.f32[0]", "0")
        assert "line 3, `fdiv v3.4s, v0.4s, v2.4s`: gives a number that is not a normal one" in result(page)
    assert tab.errors == []


def tile(kernel: str, depth: int) -> Any:
    """(kernel, trace of one tile of a layer)."""
    rng = np.random.default_rng(14)
    x = ns.Quantized(rng.integers(0, 256, (12, depth), np.uint8), scale=0.024, zero_point=3)
    w = ns.Quantized(rng.integers(0, 256, (16, depth), np.uint8), scale=0.006, zero_point=121)
    layer = ns.ops.FullyConnected(x.scheme, w, np.arange(16, dtype=np.int32), out=ns.Scheme(scale=0.3, zero_point=128))
    plan = layer.plan(x.shape, backend="emulated", kernel=kernel)
    plan.run(x)
    return plan.trace(call=0, row=0, column=0).trace


@pytest.mark.nightly
def test_the_default_tile_is_done_again(tab: Any, tmp_path: Path) -> None:
    """The tile of 5 864 steps, with a record of every step."""
    trace = tile("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", 512)
    html = trace.to_html(tmp_path / "tile.html", live=True, timing=ns.time(trace, core="cortex-a53"))
    page = tab.open(html)
    assert same_run(page, trace) == []
    assert page.evaluate(SAME) == ["", [], 5864]
    assert html.stat().st_size <= 410_000
