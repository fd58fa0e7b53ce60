"""The stepper as a file of its own, in a real browser: what is on the page equals the trace."""

from __future__ import annotations

import base64
import gzip
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.arm.machine.arch.register_names import lane_values
from neonsim.render import write_page
from tests.browser.waits import drawn, turned

record_dot = runpy.run_path(str(Path(__file__).parents[1] / "render" / "recorded.py"))["record_dot"]
pytestmark = [pytest.mark.browser, pytest.mark.nightly]

SMLAL = 7  # steps done when the first SMLAL has been executed
ROW = '[data-register="{}"]'
# Nodes and attributes of the page that are set anew on the way from a step through the eight of a pass of the loop.
CHANGED = """first => { const s = window.neonsim, watch = new MutationObserver(() => {});
  s.goto(first);
  watch.observe(document.querySelector('.nsim'), { subtree: true, childList: true, attributes: true,
    characterData: true });
  for (let k = 1; k <= 8; k++) s.goto(first + k);
  const all = watch.takeRecords();
  watch.disconnect();
  return all.reduce((sum, one) => sum + Math.max(1, one.addedNodes.length + one.removedNodes.length), 0); }"""

# Smallest contrast (WCAG 2) between text and what is behind it, for each kind of element.
CONTRAST = """() => {
  const parse = text => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return { rgb: [r, g, b], a }; };
  const linear = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const weights = [0.2126, 0.7152, 0.0722];
  const light = rgb => rgb.reduce((sum, v, k) => sum + weights[k] * linear(v / 255), 0);
  const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c.a === 1) return c.rgb; } return [255, 255, 255]; };
  const found = {};
  for (const e of document.querySelectorAll('.nsim *')) {
    const hasText = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!hasText || e.namespaceURI.includes('svg')) continue;
    const style = getComputedStyle(e), x = light(parse(style.color).rgb), y = light(behind(e));
    const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05), name = e.tagName + '.' + e.className;
    found[name] = Math.min(found[name] ?? 99, ratio);
  }
  return found; }"""


@pytest.fixture(scope="module")
def trace() -> ns.Trace:
    return record_dot(2)


@pytest.fixture(scope="module")
def html(trace: ns.Trace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "dot.html"
    return trace.to_html(path, names={"vacc": ("v16",)}, columns={"w": 8}, title="dot & <b>sum</b>")


@pytest.fixture
def page(tab: Any, html: Path) -> Iterator[Any]:
    """The page, opened from disk; afterwards: it had no error and asked nobody for anything."""
    yield tab.open(html)
    assert tab.errors == []
    assert [url for url in tab.requests if not url.startswith("file:")] == []


def at(page: Any) -> int:
    return int(page.locator(".nsim").get_attribute("data-step"))


def cells(page: Any, register: str) -> list[str]:
    """Lanes of a register as shown, lane 0 first."""
    pairs = page.locator(ROW.format(register) + " .nsim-cell").evaluate_all(
        "all => all.map(c => [Number(c.dataset.lane ?? 0), c.textContent])")
    return [text for _, text in sorted(pairs)]


def shown(data: bytes, kind: str) -> list[str]:
    """Lanes as the page shows them: uninitialized data is a dot."""
    return [text.replace("--", "·") for text in lane_values(data, kind)]


def go(page: Any, step: int) -> None:
    page.evaluate("step => window.neonsim.goto(step)", step)


@pytest.mark.slow
def test_every_state_is_the_traces(page: Any, trace: ns.Trace) -> None:
    page.get_by_label("element type of all registers").select_option("s16")
    for step in (0, 3, SMLAL, trace.steps, SMLAL + 1, 1):  # forwards and backwards
        go(page, step)
        state = trace.marked(step)
        for register in ("v0", "v1", "v2", "v16"):
            assert cells(page, register) == shown(state[register], "s16"), (step, register)
        assert cells(page, "x2") == [str(int.from_bytes(state["x2"], "little"))]
        flags = state["nzcv"][0]
        for flag, bit in (("n", 8), ("z", 4), ("c", 2), ("v", 1)):
            said = int(bool(flags & bit)) if all(state["nzcv"].defined) else "·"
            assert page.locator(f'[data-flag="{flag}"]').inner_text() == f"{flag} {said}"


def test_element_types(page: Any, trace: ns.Trace) -> None:
    go(page, trace.steps)
    for kind in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"):
        page.get_by_label("element type of v16").select_option(kind)
        assert cells(page, "v16") == lane_values(trace.state(trace.steps)["v16"], kind), kind


def test_default_type_is_the_one_in_use_and_hex(page: Any, trace: ns.Trace) -> None:
    go(page, 4)  # v1 has just been loaded as bytes
    assert len(cells(page, "v1")) == 16
    go(page, SMLAL)
    assert [len(cells(page, register)) for register in ("v0", "v1", "v16")] == [8, 8, 4]
    page.get_by_label("element type of all registers").select_option("hex")
    raw = trace.state(SMLAL)["v16"]
    assert cells(page, "v16") == [raw[k:k + 4][::-1].hex() for k in range(0, 16, 4)]


def test_controls(page: Any, trace: ns.Trace) -> None:
    n = trace.steps
    for name, want in (("next", 1), ("next", 2), ("back", 1), ("last", n), ("next", n), ("first", 0), ("back", 0)):
        page.locator(f'[data-act="{name}"]').click()
        assert at(page) == want, name
    page.get_by_label("go to step").fill("5")
    page.get_by_label("go to step").press("Enter")
    assert at(page) == 5
    slider = page.get_by_label("step", exact=True)
    slider.focus()
    slider.press("ArrowRight")
    assert at(page) == 6 and slider.get_attribute("aria-valuetext") == f"step 6 of {trace.steps}"
    page.wait_for_url("**#step=6")


def test_switches(page: Any) -> None:
    rows = page.locator(".nsim-vectors [data-register]")
    used = rows.count()
    page.get_by_label("all", exact=True).check()
    assert (used, rows.count()) == (4, 32)
    page.get_by_label("follow").uncheck()
    listing = page.locator(".nsim-listing")
    listing.evaluate("e => { e.style.maxHeight = '60px'; e.style.minHeight = '60px'; e.scrollTop = 0; }")
    go(page, SMLAL)
    drawn(page)
    assert listing.evaluate("e => e.scrollTop") == 0
    page.get_by_label("follow").check()
    page.wait_for_function("() => document.querySelector('.nsim-listing').scrollTop > 0")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable(page: Any, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # else colours change softly
    go(page, SMLAL)
    contrast = page.evaluate(CONTRAST)
    assert len(contrast) > 10
    assert {name: round(ratio, 1) for name, ratio in contrast.items() if ratio < 4.5} == {}


@pytest.mark.slow
def test_keyboard(page: Any, trace: ns.Trace) -> None:
    page.get_by_role("listbox").focus()
    for key, want in (("ArrowRight", 1), ("n", 2), ("ArrowLeft", 1), ("p", 0), ("End", trace.steps), ("Home", 0)):
        page.keyboard.press(key)
        assert at(page) == want, key
    go(page, SMLAL)
    for key, want in (("Shift+ArrowRight", SMLAL + 8), ("Shift+ArrowRight", SMLAL + 8), ("Shift+ArrowLeft", SMLAL)):
        page.keyboard.press(key)
        assert at(page) == want, key
    go(page, 0)
    page.keyboard.press(" ")
    page.wait_for_selector('.nsim:not([data-step="0"])')
    page.keyboard.press(" ")
    stopped = at(page)
    turned(page)
    assert at(page) == stopped


def test_run_to_a_line(page: Any, trace: ns.Trace) -> None:
    steps = [k + 1 for k, pc in enumerate(trace.pc) if "smlal2" in str(trace.program.instructions[pc])]
    line = page.locator(".nsim-line", has_text="smlal2")
    for want in [*steps, steps[0]]:  # each pass of the loop, then from the start again
        line.click()
        assert at(page) == want
    assert "first time" in page.locator(".nsim-message").inner_text()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert at(page) == steps[0] + 1
    assert page.locator(".nsim-current code").inner_text().split() == ["subs", "x2,", "x2,", "#1"]


def test_lanes_read_and_written_are_marked(page: Any) -> None:
    go(page, SMLAL)

    def marked(name: str, register: str) -> list[int]:
        found = page.locator(ROW.format(register) + f" .nsim-{name}")
        return sorted(found.evaluate_all("all => all.map(c => Number(c.dataset.lane))"))

    lanes = {name: [marked(name, register) for register in ("v0", "v1", "v16")] for name in ("read", "write")}
    assert lanes == {"read": [[2], [0, 1, 2, 3], [0, 1, 2, 3]], "write": [[], [], [0, 1, 2, 3]]}
    looks = [page.locator(f".nsim-vectors .nsim-{name}").first.evaluate(
        "c => [getComputedStyle(c).borderTopStyle, getComputedStyle(c).fontWeight]") for name in ("read", "write")]
    assert looks == [["dashed", "400"], ["dashed", "700"]], "not by colour alone"


def test_arithmetic_of_a_lane(page: Any, trace: ns.Trace) -> None:
    go(page, SMLAL)
    before, after = trace.state(SMLAL - 1), trace.state(SMLAL)
    old, new = (lane_values(state["v16"], "s32")[3] for state in (before, after))
    n, m = lane_values(before["v1"], "s16")[3], lane_values(before["v0"], "s16")[2]
    page.locator(".nsim-to").nth(3).click()
    shown = page.locator(".nsim-formula").inner_text()
    assert shown.startswith("v16.s[3] = ")
    for number in (old, n, m):
        assert (f"({number})" if number.startswith("-") else number) in shown
    assert f"= {new}" in shown and shown.endswith(f"was {old}")
    assert page.locator(".nsim-arrow.nsim-on").count() == 3
    results = [text.split(" = ")[-1] for text in page.locator(".nsim-all-lanes li").all_inner_texts()]
    assert results == lane_values(after["v16"], "s32")
    page.get_by_label("lane order").select_option("left")
    page.locator(".nsim-to").first.focus()
    assert page.locator(".nsim-formula").inner_text().startswith("v16.s[0] = ")


def test_memory_cells(page: Any, trace: ns.Trace) -> None:
    go(page, 4)
    loaded = page.locator('[data-buffer="w"] td.nsim-read').all_inner_texts()
    assert loaded == [str(b) for b in next(b for b in trace.buffers if b.name == "w").before[:8]]
    stored = page.locator('[data-buffer="c"] td.nsim-write')
    assert stored.count() == 0
    store = next(k for k, pc in enumerate(trace.pc) if str(trace.program.instructions[pc]).startswith("st1")) + 1
    go(page, store)
    assert stored.all_inner_texts() == lane_values(trace.state(trace.steps)["v16"], "s32")
    go(page, store - 1)
    assert page.locator('[data-buffer="c"] td').all_inner_texts()[-4:] == ["100", "-200", "300", "-400"]


def test_explanation(page: Any, trace: ns.Trace) -> None:
    go(page, SMLAL)
    shown = page.locator(".nsim-explain").inner_text()
    instruction = trace.program.instructions[trace.pc[SMLAL - 1]]
    assert "smlal v16.4s, v1.4h, v0.h[2]" in shown and "vacc" in shown
    assert " ".join(instruction.form.doc.strip().split("\n\n")[0].split()) in shown


def test_untrusted_text_stays_text(page: Any) -> None:
    assert page.locator("img").count() == 0 and page.evaluate("window.stolen") is None
    assert 'onerror="window.stolen = 1"' in page.locator(".nsim-listing").inner_text()
    assert page.title() == "dot & <b>sum</b>" and page.locator("h1 b").count() == 0


def test_labels_and_narrow_screen(page: Any) -> None:
    unnamed = page.evaluate("""() => [...document.querySelectorAll('button, input, select')].filter(e =>
        !(e.getAttribute('aria-label') || e.closest('label') || e.textContent.trim())).length""")
    assert unnamed == 0
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    go(page, SMLAL)
    assert page.locator(".nsim-current").count() == 1


def test_a_long_run_is_small_and_a_step_of_it_changes_no_more(page: Any, tab: Any, tmp_path: Path) -> None:
    trace = record_dot(250)
    path = write_page(trace, tmp_path / "long.html", columns={"w": 8})
    # What a run of this length takes, and with the program of the page, which every page carries once.
    assert trace.steps >= 2000 and len(run_of(path.read_text(encoding="utf-8"))) <= 40_000
    assert path.stat().st_size <= 320_000
    few = page.evaluate(CHANGED, 9)
    page = tab.open(path)
    assert max(page.evaluate(CHANGED, first) for first in (9, 1001, 1993)) <= 1.25 * few


def test_damaged_page_says_so(tab: Any, html: Path, tmp_path: Path) -> None:
    text = html.read_text(encoding="utf-8")
    start = text.index('id="neonsim-run">') + 40
    (tmp_path / "bad.html").write_text(text[:start] + "AAAA" + text[start + 4:], encoding="utf-8")
    tab.page.goto((tmp_path / "bad.html").as_uri())
    tab.page.wait_for_selector("#neonsim >> text=cannot show its run")


def test_a_hundred_thousand_steps(page: Any, tab: Any, tmp_path: Path) -> None:
    """Opens, scrubs, finds and watches: each state is the trace's."""
    trace = record_dot(12499)
    path = write_page(trace, tmp_path / "huge.html", columns={"w": 8}, timing=ns.time(trace, core="cortex-a53"))
    few = page.evaluate(CHANGED, 9)
    page = tab.open(path)
    assert page.evaluate(CHANGED, 80_001) <= 2 * few     # this one has cycles beside
    page.get_by_label("element type of all registers").select_option("s32")
    for step in (trace.steps, 50_000, 50_001, 7, 99_000):
        go(page, step)
        assert cells(page, "v16") == lane_values(trace.state(step)["v16"], "s32"), step
    slider = page.get_by_label("step", exact=True)
    slider.fill("31234")
    assert at(page) == 31234
    page.get_by_label("register or cell to trace back").fill("c[2]")
    page.get_by_label("register or cell to trace back").press("Enter")
    assert at(page) == trace.steps - 1
    page.get_by_role("tab", name="Watch").click()
    page.get_by_label("watch an expression").fill("v16.s[0]")
    page.get_by_label("watch an expression").press("Enter")
    page.wait_for_function("() => document.querySelector('.nsim-spark').hasAttribute('d')")
    assert tab.errors == []


DAMAGE = {
    "cut": lambda text: text[:len(text) // 2],
    "half of the run": lambda text: text.replace(run_of(text), run_of(text)[:len(run_of(text)) // 2 // 4 * 4]),
    "no base64": lambda text: text.replace(run_of(text), "%%%%" + run_of(text)[4:]),
    "no run": lambda text: text.replace(run_of(text), ""),
    "another version": lambda text: text.replace(run_of(text), packed(b"NEON\x63\0\0\0\x02\0\0\0{}")),
    "not a run": lambda text: text.replace(run_of(text), packed(b"hello")),
    "columns missing": lambda text: text.replace(run_of(text), packed(b"NEON\x02\0\0\0\x02\0\0\0{}")),
}


def run_of(text: str) -> str:
    return text.split('id="neonsim-run">')[1].split("<")[0]


def packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data)).decode()


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_of_every_kind_says_so(tab: Any, html: Path, tmp_path: Path, damage: str) -> None:
    (tmp_path / "bad.html").write_text(DAMAGE[damage](html.read_text(encoding="utf-8")), encoding="utf-8")
    page = tab.page
    page.goto((tmp_path / "bad.html").as_uri())
    if damage == "cut":  # the script itself is not there: the page says what must be wrong if nothing follows
        page.get_by_text("truncated").wait_for()
    else:
        page.wait_for_selector("#neonsim >> text=cannot show its run")
        assert "write it again" in page.locator("#neonsim").inner_text()
