"""The site as a reader meets it, from its folder, in Chromium: searched, clicked, held to axe."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.test_axe import axe

pytestmark = [pytest.mark.browser, pytest.mark.nightly]

ROOT = Path(__file__).parents[2]
SHOTS = os.environ.get("NEONSIM_SCREENSHOTS")  # a folder: pictures for a person to look at
SMALL = {"width": 1366, "height": 768}  # the screen of many a class room
PARTLY = "left-out"     # beside pages that are the main ones only, as docs/website/__main__.py has it
# One of every kind of page.
PAGES = ("index.html", "course/06_the_default_kernel.html", "howto/own-kernel.html", "instructions/simd-multiply.html",
         "kernels/qu8_gemm_q31.html", "cores/index.html", "api/neonsim.html", "search.html", "benchmarks.html",
         "slides/02_one_instruction.html", "card.html", "commands.html")


def built(tmp: pytest.TempPathFactory, *, whole: bool) -> Path:
    """What `make site` has built, if there is enough of it; what is asked for, built now."""
    pytest.importorskip("myst_nb", reason="needs Sphinx with myst-nb and furo: make site")
    folder = ROOT / "build" / "site"
    if not (folder / "html" / "index.html").is_file() or (whole and (folder / PARTLY).exists()):
        folder = tmp.mktemp("site")
        words = [] if whole else ["--main"]
        subprocess.run([sys.executable, "-m", "docs.website", *words, str(folder)], cwd=ROOT, check=True, timeout=3600)
    return folder / "html"


@pytest.fixture(scope="session")
def some(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The main pages at least: what `make site SITE=main` builds."""
    return built(tmp_path_factory, whole=False)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pages."""
    return built(tmp_path_factory, whole=True)


@pytest.fixture(scope="session")
def page(chromium: Any) -> Iterator[Any]:
    one = chromium.new_page(viewport={"width": 1280, "height": 900})
    yield one
    one.close()


@pytest.fixture
def told(page: Any) -> Iterator[list[str]]:
    """Requests that leave the folder, and errors of scripts."""
    found: list[str] = []

    def asked(request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:", "about:")):
            found.append(request.url)

    def failed(error: Any) -> None:
        found.append(str(error))

    page.on("request", asked)
    page.on("pageerror", failed)
    yield found
    page.remove_listener("request", asked)
    page.remove_listener("pageerror", failed)


@pytest.mark.parametrize(("words", "target", "shown"), [
    ("SQRDMULH", "instructions/simd-multiply.html#index-", "SQRDMULH"),
    ("qu8_gemm_q31_8x8__aarch64_neon_mlal_lane", "kernels/qu8_gemm_q31.html", "8x8 uint8 GEMM tile"),
    ("own kernel in pytest", "howto/own-kernel.html", "pytest -q test_rmax.py"),
    ("zero point", "course/04_quantized_numbers.html", "How can a byte stand for a real number?"),
    ("A55", "cores/cortex-a55.html", "Cortex-A55"),
    ("neonsim.assemble", "api/neonsim.html#neonsim.assemble", "Assemble text for one instruction set"),
])
def test_search_finds(site: Path, page: Any, told: list[str], words: str, target: str, shown: str) -> None:
    page.goto((site / "index.html").as_uri())
    page.fill("input[name=q]", words)
    page.press("input[name=q]", "Enter")
    page.wait_for_selector("#search-results li a")
    page.wait_for_function("() => /Search finished|found/.test(document.querySelector('#search-results').innerText)")
    links = [link.get_attribute("href") for link in page.query_selector_all("#search-results li a")]
    assert any(link.startswith(target) for link in links), links[:10]
    page.click(f"#search-results li a[href^='{target}']")
    page.wait_for_selector("article")
    assert shown in page.inner_text("article")
    assert told == []


@pytest.fixture
def small(page: Any) -> Iterator[Any]:
    before = page.viewport_size
    page.set_viewport_size(SMALL)
    yield page
    page.set_viewport_size(before)


def picture(page: Any, name: str) -> None:
    """At least drawn; kept where somebody looks at it."""
    drawn = page.screenshot()
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        (Path(SHOTS) / f"{name}.png").write_bytes(drawn)


@pytest.mark.parametrize(("words", "first", "excerpt", "then"), [
    ("dual issue", "09 The dual-issue kernel: when are more instructions faster?", "a second kernel", ["lesson"] * 4),
    ("VMLAL", "02 One instruction: what does one SMLAL do, lane by lane?", "AArch32 says VMLAL",
     ["lesson", "lesson", "instructions", "lesson"]),
    ("requantization", "07 Requantisation and its ties: how does a sum become a byte, and what happens to halves?",
     "At the end of every layer", ["lesson", "lesson"]),
])
def test_search_finds_the_lesson_first(some: Path, small: Any, told: list[str], words: str, first: str, excerpt: str,
                                       then: list[str]) -> None:
    """In the main pages and in all: listings come behind lessons, and each result shows where its words stand."""
    small.goto((some / "search.html").as_uri() + f"?q={words}")
    results = small.locator("#search-results li")
    results.first.locator(".context").wait_for()
    small.wait_for_function("() => [...document.querySelectorAll('#search-results li')].every(one => "
                            "one.getBoundingClientRect().top > innerHeight || one.querySelector('.context'))")
    assert results.first.locator("a").inner_text() == first
    assert excerpt in results.first.locator(".context").inner_text()
    kinds = results.locator(".kind").all_inner_texts()
    assert kinds[:1 + len(then)] == ["lesson", *then] and kinds[-1] not in ("lesson", "how-to")
    shown = [one for one in results.all() if one.bounding_box()["y"] < SMALL["height"]]
    assert len(shown) >= 4 and all(len(one.locator(".context").inner_text()) > 40 for one in shown)
    picture(small, f"site-search-{words.replace(' ', '-')}")
    assert told == []


@pytest.mark.parametrize("folder", ["course", "kernels"])
def test_rows_are_whole_at_1366_pixels(some: Path, small: Any, folder: str) -> None:
    """Output scrolls sideways, its rows are not broken; tables of kernels fit, the page itself does not scroll."""
    for path in sorted((some / folder).glob("*.html")):
        if re.search(r"-\d+$", path.stem):
            continue  # a page that replays a run
        small.goto(path.as_uri(), wait_until="domcontentloaded")
        broken, cut, wide = small.evaluate("""() => {
            const all = where => [...document.querySelectorAll(where)];
            const scrolls = one => one.scrollWidth > one.clientWidth + 1, begun = one => one.innerText.slice(0, 80);
            const kept = one => getComputedStyle(one).whiteSpace === 'pre' && (!scrolls(one) || one.tabIndex === 0);
            return [all('article pre').filter(one => !kept(one)).map(begun),
                    all('article .table-wrapper').filter(scrolls).map(begun),
                    document.documentElement.scrollWidth - innerWidth]; }""")
        assert not broken and wide <= 0 and not cut, f"{path.name}: {broken} {cut} {wide}"
    small.goto((some / "course/09_the_dual_issue_kernel.html").as_uri())
    assert small.inner_text("h1").rstrip("#") == "09 The dual-issue kernel: when are more instructions faster?"
    picture(small, "site-lesson-9")


@pytest.mark.slow
def test_the_start_page_steps(some: Path, page: Any, told: list[str]) -> None:
    page.goto((some / "index.html").as_uri())
    inside = page.frame_locator("iframe.neonsim-replay")
    stepper = inside.locator(".nsim[data-step]")
    stepper.wait_for()
    before = int(stepper.get_attribute("data-step"))
    inside.locator("h1").click()
    page.keyboard.press("ArrowRight")
    inside.locator(f".nsim[data-step='{before + 1}']").wait_for()
    assert told == []


def test_the_start_page_computes(site: Path, page: Any, told: list[str]) -> None:
    """Another zero point, another n: the result is what numpy says of the bytes that the page shows."""
    page.goto((site / "index.html").as_uri())
    inside = page.frame_locator("iframe.neonsim-replay")
    inside.locator(".nsim[data-step]").wait_for()
    held = page.frames[-1].evaluate("""() => { const { replay } = window.neonsim;
      return replay.buffers.slice(0, 2).map(b => [...replay.memory.slice(b.at, b.at + b.nbytes)]); }""")
    inputs, weights = (np.array(one, np.int64) for one in held)
    for register, value, n, zero in (("x3", 121, 16, 121), ("x0", 8, 8, 121), ("x3", 3, 8, 3)):
        box = inside.locator(f'[data-input="{register}"]')
        box.fill(str(value))
        box.press("Enter")
        want = ((inputs[:n] - zero) * weights[:n]).sum()
        inside.locator(".nsim-result", has_text=f"w0 at the end: {want}").wait_for()
    assert told == []


@pytest.mark.slow
def test_a_notebook_replays_its_run(some: Path, page: Any, told: list[str]) -> None:
    page.goto((some / "course/06_the_default_kernel.html").as_uri())
    frame = page.locator("iframe.neonsim-replay").first
    frame.scroll_into_view_if_needed()
    page.frame_locator("iframe.neonsim-replay").first.locator(".nsim[data-step]").wait_for()
    assert "5864" in page.frame_locator("iframe.neonsim-replay").first.locator("body").inner_text()
    assert told == []


def test_a_notebook_computes(site: Path, page: Any, told: list[str]) -> None:
    """A lane of the multiplier and a depth are changed in the course's pages: what numpy, and a count, say of them."""
    path = site / "course/02_one_instruction-1.html"
    assert path.stat().st_size < 400_000
    page.goto((site / "course/02_one_instruction.html").as_uri())
    frame = page.locator("iframe.neonsim-replay").first
    frame.scroll_into_view_if_needed()
    inside = page.frame_locator("iframe.neonsim-replay").first
    inside.locator(".nsim[data-step]").wait_for()
    run = next(one for one in page.frames if path.name in one.url)
    run.evaluate("() => { window.neonsim.goto(3); window.neonsim.change.open('v0.s16[2]'); }")
    inside.get_by_label("new value").fill("-7")
    inside.get_by_label("new value").press("Enter")
    inside.locator(".nsim", has_text="changed by hand at step 3").wait_for()
    held = run.evaluate("""() => { const { replay } = window.neonsim;
      replay.goto(replay.steps);
      return replay.buffers.slice(0, 3).map(b => [...replay.memory.slice(b.at, b.at + b.nbytes)]); }""")
    n, _, left = (np.array(one, np.uint8) for one in held)
    d = np.array([1000, 2000, 3000, 4000], np.int32)  # as the notebook has it
    lanes = n.view(np.int16).astype(np.int32)
    assert left.view(np.int32).tolist() == (d - 7 * lanes[:4] - 7 * lanes[4:]).tolist()

    page.goto((site / "course/06_the_default_kernel-1.html").as_uri())
    page.wait_for_selector(".nsim[data-step]")
    assert [one.get_attribute("data-input") for one in page.locator("[data-input]").all()] == ["r0", "r1", "r2"]
    steps = int(page.locator("input[type=range]").first.get_attribute("max"))
    page.locator('[data-input="r2"]').fill("504")
    page.locator('[data-input="r2"]').press("Enter")
    page.wait_for_function("steps => window.neonsim.replay.steps < steps", arg=steps)
    # Eight depths less are a pass of the loop less, which has a counted number of lines.
    passes = page.evaluate("""() => { const { replay } = window.neonsim, { pc } = replay.columns, counts = {};
      for (const one of pc) counts[one] = (counts[one] ?? 0) + 1;
      return Object.values(counts).filter(one => one === 63).length; }""")
    assert steps - page.evaluate("() => window.neonsim.replay.steps") == passes > 50
    assert told == []


@pytest.mark.parametrize("name", [pytest.param(PAGES[0], marks=pytest.mark.slow), *PAGES[1:]])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(request: pytest.FixtureRequest, page: Any, name: str, theme: str) -> None:
    site = request.getfixturevalue("some" if name == PAGES[0] else "site")
    page.emulate_media(color_scheme=theme)
    page.goto((site / name).as_uri())
    page.evaluate(axe())
    found = page.evaluate("""async () =>
        (await axe.run(document, { resultTypes: ['violations'], iframes: false })).violations
        .filter(v => ['serious', 'critical'].includes(v.impact))
        .map(v => [v.id, v.impact, v.nodes.length,
                   ...v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + n.failureSummary)])""")
    assert found == []


@pytest.mark.parametrize("pages", [pytest.param("some", marks=pytest.mark.slow), "site"])
def test_no_link_leads_nowhere(request: pytest.FixtureRequest, pages: str) -> None:
    """Files beside the pages too, which Sphinx does not check; and nothing is loaded from elsewhere."""
    site = request.getfixturevalue(pages)
    missing, outside = set(), set()
    for path in site.rglob("*.html"):
        if path.name[0].isdigit() and path.parent.name == "course" and re.search(r"-\d+\.html$", path.name):
            continue  # a page that replays a run: checked with the stepper's
        text = path.read_text("utf-8")
        base = re.search(r'<base href="([^"]+)">', text)
        folder = path.parent / base[1] if base else path.parent
        for attribute, link in re.findall(r'\b(href|src)="([^"#?]+)', text):
            if link.startswith("data:"):
                continue
            if re.match(r"(https?|mailto):", link):
                outside |= {f"{path.name}: {link}"} if attribute == "src" else set()
            elif not (folder / link).exists():
                missing.add(f"{path.relative_to(site)}: {link}")
    assert not missing and not outside, (sorted(missing)[:20], sorted(outside)[:20])


def test_slides_stop_at_predictions(site: Path, page: Any, told: list[str]) -> None:
    page.goto((site / "slides" / "02_one_instruction.html").as_uri())
    assert page.inner_text("h1:visible") == "02 One instruction: what does one SMLAL do, lane by lane?"
    last = int(page.inner_text("#where").removeprefix("1 of "))
    assert last > 8
    for _ in range(last):  # as far as the first prediction
        page.keyboard.press("ArrowRight")
        if "Predict:" in page.inner_text("main"):
            break
    assert page.locator("main section:visible .code_cell").count() == 0
    page.keyboard.press("ArrowRight")
    assert page.locator("main section:visible .code_cell").first.is_visible()
    page.keyboard.press("End")
    assert page.inner_text("#where") == f"{last} of {last}"
    assert page.is_disabled("#on")
    page.keyboard.press("Home")
    page.click("a[href='01_lanes_and_views.html']")
    page.wait_for_selector("article")
    assert "/course/01_lanes_and_views.html" in page.url
    assert told == []
