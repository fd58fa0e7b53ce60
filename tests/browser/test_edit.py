"""The editor and values changed by hand in a saved page: everything but a machine."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.arm.machine.arch.register_names import lane_values

by_hand = runpy.run_path(str(Path(__file__).parents[1] / "arm" / "machine" / "test_edits.py"))
pytestmark = [pytest.mark.browser, pytest.mark.nightly]
STEP = by_hand["AFTER_PASS"]


@pytest.fixture(scope="module")
def result() -> Any:
    return by_hand["called"]().changed(STEP, {"v3.s32[1]": -40, "a[1,1]": 77, "z": 0, "c[0]": 9})


@pytest.fixture(scope="module")
def html(result: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return result.trace.to_html(tmp_path_factory.mktemp("page") / "hand.html")


@pytest.fixture
def page(tab: Any, html: Path) -> Iterator[Any]:
    yield tab.open(html)
    assert tab.errors == []


def go(page: Any, step: int) -> None:
    page.evaluate("step => window.neonsim.goto(step)", step)


def test_a_change_is_marked_and_every_state_is_the_recorded_one(page: Any, result: Any) -> None:
    trace = result.trace
    order = [*range(trace.steps + 1), *range(trace.steps, -1, -1), STEP]
    read = """step => { const { replay } = window.neonsim, b = replay.buffers[0];
      window.neonsim.goto(step);
      const of = (state, name) => { const p = replay.places.get(name); return [...state.slice(p.at, p.at + p.bytes)]; };
      return [...['v3', 'v2', 'x9', 'nzcv'].map(name => of(replay.now, name)),
        [...replay.memory.slice(b.at, b.at + 32)], of(replay.made, 'v3')]; }"""
    a = by_hand["A"].tobytes()
    for step in order:
        v3, v2, x9, nzcv, memory, made = page.evaluate(read, step)
        state = trace.state(step)
        assert [bytes(one) for one in (v3, v2, x9, nzcv)] == [state[n] for n in ("v3", "v2", "x9", "nzcv")], step
        assert bytes(made) == trace.state(step, edits=False)["v3"], step
        assert bytes(memory) == (a if step < STEP else a[:20] + b"\x4d\0\0\0" + a[24:]), step
    card = page.locator(".nsim-explain").inner_text()
    assert "changed by hand here: v3.s32[1] 2 → -40, a[1,1] 5 → 77, z 0 → 0, c[0]" in card
    page.get_by_label("element type of all registers").select_option("s32")
    cells = page.locator('[data-register="v3"] .nsim-cell.nsim-byhand')
    assert cells.count() == 1 and cells.first.inner_text().endswith(lane_values(trace.state(STEP)["v3"], "s32")[1])
    page.evaluate("() => window.neonsim.finder.find('v3')")
    page.evaluate("step => { neonsim.goto(step); neonsim.finder.update(); }", STEP)
    assert f"changed by hand at step {STEP}: v3.s32[1] 2 → -40" in page.locator(".nsim-found").inner_text()
    assert page.locator(".nsim-ticks .nsim-byhand").get_attribute("d").startswith("M")
    assert page.locator(".nsim-line.nsim-byhand").count() == 1


def test_a_saved_page_has_no_machine_and_says_so(page: Any) -> None:
    go(page, 3)
    page.locator(".nsim-run").press("e")
    page.keyboard.type("x9")
    page.get_by_label("new value").fill("5")
    page.get_by_label("new value").press("Enter")
    said = page.locator(".nsim-change .nsim-problem").inner_text()
    assert "no machine" in said and 'result.changed(3, {"x9": 5})' in said and "\n" not in said
    page.evaluate("() => { neonsim.machine = { ask() { throw new Error('asked'); } }; }")
    go(page, 1000)
    page.get_by_role("button", name="change at step").click()
    assert "has ended here" in page.locator(".nsim-change .nsim-problem").inner_text()


def test_a_cell_is_named_as_the_machine_does(page: Any) -> None:
    """Mere bytes that the page reads as numbers get their type into the name; a matrix of its own type stays a[1,1]."""
    names = page.evaluate("""() => { const { replay, matrices, finder, change } = neonsim;
      const c = replay.buffers.find(b => b.name === 'c'), view = matrices.views.find(v => v.buffer === c);
      view.type = 's32';
      finder.choose({ at: c.at + 20, bytes: 4, name: 'c[1,1]' });
      return ['c[1,1]', 'a[1,1]', 'v3.s[1]', 'n', 'nowhere[', 'c.u8[3]'].map(name => change.exact(name)); }""")
    assert names == ["c.s32[5]", "a[1,1]", "v3.s[1]", "n", "nowhere[", "c.u8[3]"]
    page.locator('[data-buffer="a"] td.nsim-cell').nth(5).dblclick()
    assert page.get_by_label("register, flag or cell to change").input_value() == "a[1,1]"


@pytest.mark.parametrize("width", [390, 860, 1280, 1920])
def test_letters_stand_where_they_are_typed(tab: Any, html: Path, width: int) -> None:
    """The coloured layer and the text above it are of the same size, line by line; marks stand at their columns."""
    page = tab.open(html, width=width)
    page.evaluate("() => neonsim.editor.show(true)")
    long = "\tadd v0.4s, v1.4s, v99.4s // a comment that is rather long " + "x" * 100
    text = long + "\n/* over\nlines */ ret\n" + "nop\n" * 60
    page.get_by_label("text of the program").fill(text)
    sizes = page.evaluate("""() => { const e = neonsim.editor.editor, a = e.area, g = e.gutter, l = e.layer;
      return [a.scrollHeight - a.clientHeight, a.scrollWidth - a.clientWidth, l.children.length, g.children.length,
        Math.abs(l.children[40].offsetTop - g.children[40].offsetTop)]; }""")
    assert sizes[0] <= 1 and sizes[1] <= 1 and sizes[2] == sizes[3] == 64 and sizes[4] <= 1
    assert page.locator(".nsim-row").nth(1).locator(".nsim-comment").inner_text().strip() == "/* over"
    assert page.locator(".nsim-row").nth(2).locator(".nsim-mnemonic").inner_text() == "ret"
    with pytest.raises(ns.AssemblyError) as caught:
        ns.assemble(text, "aarch64")
    page.evaluate("a => neonsim.editor.answer(a)", {"problem": "x", "errors": [
        {"path": e.path, "line": e.line, "column": e.column, "width": e.width, "text": e.text, "message": e.message}
        for e in caught.value.errors]})
    boxes = page.evaluate("""() => { const row = document.querySelector('.nsim-row');
      const mark = row.querySelector('u').getBoundingClientRect(), range = document.createRange();
      range.selectNode([...row.querySelectorAll('.nsim-register')].find(e => e.textContent === 'v99.4s'));
      const word = range.getBoundingClientRect();
      return [mark.left, mark.right, word.left, word.right]; }""")
    assert abs(boxes[0] - boxes[2]) < 1 and abs(boxes[1] - boxes[3]) < 1
    page.get_by_label("text of the program").press("Control+Home")
    page.keyboard.type("\n")  # lines move, and the mark with its line
    page.keyboard.press("ArrowUp")
    page.keyboard.type("nop")
    assert page.locator(".nsim-wrong-line").all_inner_texts() == ["2"]


def test_a_keystroke_draws_one_line_again(page: Any) -> None:
    page.evaluate("() => neonsim.editor.show(true)")
    rows = page.evaluate("""async () => { const e = neonsim.editor.editor;
      e.value = '        add v0.4s, v1.4s, v2.4s // sum\\n'.repeat(1000);
      const rows = new Set();
      const watch = new MutationObserver(all => { for (const one of all) rows.add(one.target.className); });
      watch.observe(e.layer, { childList: true, subtree: true });
      e.area.setRangeText('x', 2000, 2000, 'end'); e.edited();
      await new Promise(done => setTimeout(done));
      return [...rows, [...e.layer.children].filter(row => row.textContent.includes('x')).length]; }""")
    assert rows == ["nsim-row", 1]
