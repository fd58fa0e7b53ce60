"""The playground: its links, its Python as it is sent, and a newcomer's walk through the page."""

from __future__ import annotations

import base64
import hashlib
import importlib
import json
import random
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import neonsim as ns
from docs.website.play import build
from docs.website.play.examples import DRAWN, INCLUDE, link_to, make_examples
from docs.website.play.instruction import link_of
from docs.website.play.server import server
from neonsim.arm.isa import all_semantics
from neonsim.learn.course.classroom.gradebook import regrade
from neonsim.learn.course.tasks import task_named, tasks
from neonsim.render.manual.pages import example_of
from neonsim.render.play import answer, open_text
from tests.browser.firefox import firefox
from tests.browser.test_axe import axe

HERE = Path(__file__).parent
LINK = Path(ns.__file__).parent / "render" / "static" / "playlink.js"
EMPTY: dict[str, Any] = {"isa": "aarch64", "text": "ret\n", "words": [], "expected": [], "core": "", "step": 0,
                         "title": ""}
PER_FORM, BATCH = 14, 40  # lines of a form; lines that are taken in one text
needs_node = pytest.mark.skipif(shutil.which("node") is None,
                                reason="needs Node.js: on Debian and Ubuntu, apt-get install nodejs npm")


def node(script: str, *arguments: object, lines: list[str]) -> list[str]:
    done = subprocess.run(["node", str(HERE / script), *map(str, arguments)], input="\n".join(lines), text=True,
                          capture_output=True, check=False)
    assert not done.returncode, done.stderr[-2000:]
    return done.stdout.splitlines()


def links(*given: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in node("links.mjs", LINK, lines=[json.dumps(one) for one in given])]


@needs_node
def test_a_link_is_the_experiment() -> None:
    long = {**EMPTY, "isa": "aarch32", "text": ns.kernel("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane").source,
            "words": ["a=u8:1,2", "é+</script>"], "expected": ["a=u8:1"], "core": "cortex-a53", "step": 7, "title": "t"}
    plain, other = links(EMPTY, long)
    assert plain["held"] == EMPTY and other["held"] == long
    assert len(other["link"]) < 0.45 * len(long["text"])
    made = link_to(long["text"], "aarch32", long["words"])
    assert links(made)[0]["held"] == {**EMPTY, **{key: long[key] for key in ("isa", "text", "words")}}


@needs_node
def test_any_other_link_is_refused_in_a_sentence() -> None:
    good = link_to("ret\n", "aarch64", ["1"])
    rng = random.Random(1)
    wrong = ["", "step=3", "p2." + good[3:], "p1.", "p1.!!!", good[:-3], "p1." + "A" * 70_000,
             link_to("x" * 300_000, "aarch64", []), link_to("ret", "mips", []), link_to("ret", "aarch64", ["1"] * 65)]
    wrong += ["p1." + "".join(rng.choice("ABCabc012-_") for _ in range(rng.randrange(1, 60))) for _ in range(60)]
    for link, found in zip(wrong, links(*wrong), strict=True):
        said = found["held"].get("refused", "")
        assert said.endswith(".") and len(said.split()) <= 25, (link[:40], said)


@pytest.mark.parametrize("name", ["vadd", "sqrdmulh", "ld1", "smmulr", "fccmp", "blr", "sel"])
def test_a_page_of_the_manual_opens_its_instruction(name: str) -> None:
    example = example_of(all_semantics()[name])
    assert example is not None
    link = link_of(example, "What it does.")
    data = base64.urlsafe_b64decode(link.removeprefix("p1.") + "=" * (-len(link.removeprefix("p1.")) % 4))
    said = json.loads(zlib.decompress(data, -15))
    opened = open_text(said["t"], said["i"], said["w"])
    assert str(example) in [one["text"] for one in opened.header["instructions"]] and len(link) < 600


@pytest.mark.slow
def test_every_page_of_the_manual_opens_its_instruction() -> None:
    missing = [name for name, meaning in all_semantics().items()
               if (example := example_of(meaning)) is None or not link_of(example, "What it does.")]
    assert missing == ["brk"]  # the machine stops at it


@pytest.mark.nightly
def test_each_example_is_done_by_the_machine() -> None:
    # `make_examples` runs each on the machine in Python, and leaves out what is not as the definition says.
    names = {one["name"] for one in make_examples()}
    assert len(names) >= 45 and {"dot-product.aarch64", "grey.aarch32"} <= names


def test_what_a_browser_has_is_not_sent_again(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>" + "a" * 5000, "utf-8")
    with server(tmp_path) as serving:
        Thread(target=serving.serve_forever, daemon=True).start()
        asked = HTTPConnection("127.0.0.1", serving.server_port)
        asked.request("GET", "/", headers={"Accept-Encoding": "gzip"})
        first = asked.getresponse()
        size = len(first.read())
        # Of HTTP/1.0 browsers do not use the tag.
        assert (first.status, first.version, size < 200, serving.sent) == (200, 11, True, size)
        asked.request("GET", "/", headers={"Accept-Encoding": "gzip", "If-None-Match": first.getheader("ETag")})
        assert asked.getresponse().status == 304 and serving.sent == size
        asked.close()
        serving.shutdown()


def test_a_site_without_nodejs_says_why_there_is_no_playground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch
                                                               ) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(build.MissingTools) as problem:
        build.write(tmp_path / "play")
    build.write_missing(tmp_path / "play", problem.value)
    page = (tmp_path / "play" / "index.html").read_text("utf-8")
    assert "apt-get install nodejs npm" in page and "make playground" in page and "../index.html" in page


# ---- as it is built --------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("playground") / "play"
    try:
        build.write(folder, kernels=False)
    except build.MissingTools as problem:
        pytest.skip(str(problem))
    return folder


def questions() -> list[str]:
    asked = [{"ask": "open", "text": kernel.source, "isa": kernel.isa, "words": ["a=s32*8", "c=out:s16*2x4", "1.5"]}
             for kernel in ns.kernels()]
    asked += [{"ask": "open", "isa": "aarch64", "text": text} for text in (
        "add v0.4s, v1.4h, v2.4s\nfoo\nret", "smlal v0.4s, v1.8h, v2.h[9]", "ldr q0, [x0\n", ".macro a\n", "#if 1\n",
        "\0", "ldr x0, =label\nret", ".word 1, 2\nret", "b nowhere", "mov x0, #0x123456789", "vadd.i8 q0, q1, q2")]
    return [json.dumps({"words": [], **one}) for one in asked] + [json.dumps({"ask": "cores", "isa": "aarch32"})]


@pytest.mark.nightly
def test_its_python_answers_as_ours(built: Path) -> None:
    # Where macros lie is no part of an answer about a kernel that is right.
    alike(built, questions())


def alike(built: Path, asked: list[str]) -> None:
    """Every question has the same answer from the Python that is sent as from ours."""
    mine = [hashlib.sha256(answer(one, INCLUDE).encode()).hexdigest() for one in asked]
    theirs = node("archive.mjs", built, lines=asked)
    wrong = [(one[:200], b) for one, a, b in zip(asked, mine, theirs, strict=True) if a != b]
    assert not wrong, wrong[:20]


def corpus(isa: str) -> list[str]:
    """Lines of every form, fitting or not, of the conformance tests' corpus: `PER_FORM` of each."""
    sys.path.insert(0, str(HERE.parent / "conformance"))
    try:
        made = importlib.import_module("corpus")
    finally:
        sys.path.pop(0)
    lines: dict[str, None] = {}
    for form in made.all_forms(isa):
        shapes = list(made.shapes(form))
        for shape in shapes[::max(1, -(-len(shapes) // PER_FORM))]:
            lines[made.write(shape, "distinct", isa == "aarch64")] = None
    return list(lines)


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_lines_mean_the_same_and_are_refused_in_the_same_words(isa: str, built: Path) -> None:
    taken: list[str] = []
    asked: list[str] = []
    for line in corpus(isa):
        try:
            ns.assemble(line, isa=isa)
            taken.append(line)
        except ns.NeonsimError:
            asked.append(line)
    assert len(taken) > 1000 and len(asked) > 1000
    asked += ["\n".join(taken[at:at + BATCH]) for at in range(0, len(taken), BATCH)]
    alike(built, [json.dumps({"ask": "open", "text": text, "isa": isa, "words": []}) for text in asked])


@pytest.fixture(scope="module")
def address(built: Path) -> Iterator[str]:
    with server(built) as serving:
        Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_port}/"
        serving.shutdown()


READY = "() => window.neonsimPlay?.asker.ready"
VERDICT, PROBLEM = ".nsim-play-verdict", ".nsim-play > .nsim-problem"


def run(page: Any) -> None:
    page.evaluate("() => { window.before = window.neonsimPlay.stepper; }")
    page.locator("[data-act=play-run]").click()


def ran(page: Any) -> None:
    page.wait_for_function("() => window.neonsimPlay.stepper !== window.before")


@pytest.mark.browser
@pytest.mark.nightly
def test_a_newcomer_walks_through(address: str, chromium: Any) -> None:
    context = chromium.new_context(viewport={"width": 1366, "height": 768})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    asked: list[str] = []
    problems: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda problem: problems.append(str(problem)))
    page.goto(address)
    # The example steps before there is a Python.
    page.wait_for_function("() => window.neonsimPlay?.stepper?.replay.steps === 15")
    page.evaluate("() => window.neonsimPlay.stepper.goto(9)")
    assert page.locator(VERDICT).inner_text().startswith("15 steps (counted)")
    page.wait_for_function(READY)
    page.wait_for_function(f"() => document.querySelector('{VERDICT}').textContent.includes('cycles on cortex-a53')")
    cycles = page.evaluate("() => window.neonsimPlay.stepper.header.timing.cycles")
    first = make_examples()[0]
    machine = ns.Machine()
    values = [machine.memory.declare(word) for word in first["words"]]
    trace = machine.call(ns.assemble(first["text"], isa="aarch64"), *values, trace=True).trace
    assert trace is not None and cycles == ns.time(trace, core="cortex-a53").cycles
    # A change, and what is expected no longer comes out.
    area = page.locator(".nsim-play textarea")
    area.fill(first["text"].replace("#3", "#5", 1))
    run(page)
    ran(page)
    assert "out[0] is 105, expected 103: 8 of 8 elements differ" in page.locator(VERDICT).inner_text()
    # A mistake, and how it is mended.
    area.fill(first["text"].replace("mla     v1.4s, v0.4s", "mla     v1.4s, v0.4h"))
    run(page)
    page.wait_for_function(f"() => document.querySelector('{PROBLEM}').textContent.startsWith('1 mistake')")
    assert "v0.4h" in page.locator(".nsim-play-text .nsim-mistakes").inner_text()
    area.fill(first["text"])
    area.press("Control+Enter")
    page.wait_for_function(f"() => document.querySelector('{VERDICT}').textContent.includes('out is as expected')")
    # Back and on, with the keys alone.
    page.evaluate("() => { const { stepper } = window.neonsimPlay; stepper.el.tabIndex = -1; stepper.el.focus();"
                  " stepper.goto(5); }")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("() => window.neonsimPlay.stepper.replay.step") == 4
    page.keyboard.press("End")
    # All registers and all bytes are those that the machine in Python leaves.
    left = page.evaluate("() => { const { replay } = window.neonsimPlay.stepper; return [[...replay.now],"
                         " replay.buffers.map(({ name, at, nbytes }) => [name,"
                         " [...replay.memory.slice(at, at + nbytes)]])]; }")
    state = trace.state(trace.steps)
    assert bytes(left[0]) == b"".join(state[name] for name in trace.locations)
    for name, data in left[1]:
        assert machine.memory.fetch(name).tobytes().endswith(bytes(data)), name
    # The link is the experiment; nothing of it is run before somebody asks.
    link = page.evaluate("() => window.neonsimPlay.pack()")
    assert "#p1." in link and len(link) < 700
    page.close()
    other = context.new_page()
    other.goto(link)
    other.wait_for_function(READY)
    assert other.locator(".nsim-play textarea").input_value() == first["text"]
    assert other.evaluate("() => window.neonsimPlay.stepper") is None
    run(other)
    ran(other)
    assert other.evaluate("() => window.neonsimPlay.stepper.replay.step") == 15
    # A loop that does not end is stopped, and shown as far as it went.
    other.locator(".nsim-play select[aria-label=example]").select_option(label="a loop that does not end")
    other.wait_for_function(f"() => document.querySelector('{PROBLEM}').textContent.includes('does not end?')")
    assert not problems and all(url.startswith((address, "data:")) for url in asked)
    context.close()


FLOATS = {
    "aarch64": ("// What JavaScript has no exact words for, and a NaN.\nldr q0, [x0]\nfadd v1.8h, v0.8h, v0.8h\n"
                "frecpe v2.4s, v0.4s\nfcvt d3, h0\nfsqrt d3, d3\nfdiv v4.4s, v0.4s, v2.4s\nstp q1, q4, [x1]\n"
                "stp q2, q3, [x1, #32]\nret\n", ["a=f16:1,2,3,nan,5e-7,-2,inf,0.1", "out=out:u8*64"]),
    "aarch32": ("vld1.16 {q0}, [r0]\nvadd.f16 q1, q0, q0\nvcvtb.f32.f16 s12, s0\nvcvt.f64.f32 d7, s12\n"
                "vsqrt.f64 d7, d7\nvrecpe.f32 q2, q0\nvst1.8 {q1}, [r1]!\nvst1.8 {d7}, [r1]!\nvst1.8 {q2}, [r1]\n"
                "bx lr\n",
                ["a=f16:1,2,3,nan,5e-7,-2,inf,0.1", "out=out:u8*40"]),
}


@pytest.mark.browser
@pytest.mark.nightly
@pytest.mark.parametrize("isa", FLOATS)
def test_floating_point_runs_in_the_worker_to_the_bit(isa: str, address: str, chromium: Any) -> None:
    text, words = FLOATS[isa]
    page = chromium.new_page()
    page.goto(f"{address}#{link_to(text, isa, words)}")
    page.wait_for_function(READY)
    run(page)
    ran(page)
    machine = ns.Machine(isa)
    machine.call(ns.assemble(text, isa=isa), *map(machine.memory.declare, words))
    left = page.evaluate("() => { const { replay } = window.neonsimPlay.stepper; replay.goto(replay.steps);"
                         " const out = replay.buffers.find(({ name }) => name === 'out');"
                         " return [...replay.memory.slice(out.at, out.at + out.nbytes)]; }")
    assert bytes(left) == machine.memory.fetch("out").tobytes()
    # Another value by hand is computed there too.
    page.evaluate("() => window.neonsimPlay.ask({ change: { step: 2, name: 'q0.u16[0]', value: '0x4200' } })")
    page.wait_for_function("() => { const { live } = window.neonsimPlay;"
                           " return live.changes.length === 1 && live.problem === ''; }")
    page.close()


@pytest.mark.browser
@pytest.mark.nightly
def test_an_exercise_is_checked_in_the_page(address: str, chromium: Any, tmp_path: Path) -> None:
    page = chromium.new_page()
    page.goto(address)
    page.wait_for_function(READY)
    page.locator(".nsim-play select[aria-label=example]").select_option(value=str(page.evaluate(
        "() => window.neonsimPlay.examples.findIndex(one => one.name === 'dot-product.aarch64.exercise')")))
    check, area = page.locator("[data-act=play-check]"), page.locator(".nsim-play textarea")
    check.wait_for()
    page.wait_for_function("() => !window.neonsimPlay.running")
    solution = task_named("dot-product").solution("aarch64")
    idle = solution.replace("dot_product:", "dot_product:\n" + "        movi v31.4s, #1\n" * 2000, 1)
    clobbers = re.sub(r"(?m)^(\s*)ret\b", r"\1mov x19, #0\n\1ret", solution)
    for text, words in ((solution, "NEON that the result depends on (counted); at least"),
                        (solution.replace("smlal2", "smlsl2"), "The first that is wrong"),
                        (idle, "but too many instructions"), (clobbers, "a function must keep"),
                        (solution, "NEON that the result depends on (counted); at least")):
        area.fill(text)
        check.click()
        page.wait_for_function("words => !window.neonsimPlay.running && document.querySelector"
                               f"('{VERDICT}').textContent.includes(words)", arg=words)
        right, of = re.findall(r"(\d+) of (\d+) calls", page.locator(VERDICT).inner_text())[0]
        assert int(of) >= 21 and (int(right) == int(of)) == (text in (solution, idle))
    with page.expect_download() as saved:
        page.locator("[data-act=play-save]").click()
    assert saved.value.suggested_filename == "dot-product.aarch64.json"
    saved.value.save_as(tmp_path / saved.value.suggested_filename)
    graded = regrade(tmp_path / "dot-product.aarch64.json")
    assert graded["passed"] == 1 and graded["who"] == "dot-product.aarch64"
    assert graded["results"][0]["answer"] == solution
    page.close()


@pytest.mark.nightly
def test_every_exercise_has_calls_or_says_that_the_page_cannot_check_it(built: Path) -> None:
    rows = [one for one in json.loads((built / "examples.json").read_text("utf-8")) if one["group"] == "exercises"]
    assert {one["name"] for one in rows} == {f"{task.name}.{isa}.exercise" for task in tasks() for isa in task.isas
                                             if task.solved(isa)}
    for row in rows:
        found = json.loads((built / row["file"]).read_text("utf-8"))["exercise"]
        assert found["rest"].endswith(".") if not found["calls"] else (
            len(found["calls"]) > DRAWN >= 20 and not found["rest"])


@pytest.mark.browser
@pytest.mark.nightly
def test_a_second_visit_needs_no_network(address: str, chromium: Any) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(address)
    page.evaluate("() => navigator.serviceWorker.ready")
    context.set_offline(True)
    page.reload()
    page.wait_for_function(READY)
    page.wait_for_function("() => window.neonsimPlay?.stepper?.header.timing")
    context.close()


@pytest.mark.browser
@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1366, 390])
def test_everybody_can_use_it(address: str, chromium: Any, scheme: str, width: int) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 768}, color_scheme=scheme)
    page.goto(address)
    page.wait_for_function(READY)
    page.wait_for_function("() => window.neonsimPlay?.stepper?.header.timing")
    page.evaluate(axe())
    found = page.evaluate("async () => (await axe.run(document, { resultTypes: ['violations'] })).violations"
                          ".filter(v => ['serious', 'critical'].includes(v.impact))"
                          ".map(v => [v.id, ...v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))])")
    assert not found, found
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.close()


@pytest.mark.browser
@pytest.mark.nightly
def test_a_walk_in_firefox(address: str, tmp_path: Path) -> None:
    first = make_examples()[0]
    changed, wrong = first["text"].replace("#3", "#5", 1), first["text"].replace("v0.4s, v2", "v0.4h, v2")
    with firefox(tmp_path) as tab:
        tab.open(address)
        tab.wait("window.neonsimPlay?.stepper?.replay.steps === 15")
        tab.wait("neonsimPlay.asker.ready && neonsimPlay.stepper.header.timing")

        def typed(text: str) -> None:
            tab.ask(f"(async () => {{ neonsimPlay.editor.value = {json.dumps(text)}; await neonsimPlay.run(); }})()")

        typed(changed)
        assert "out[0] is 105, expected 103" in tab.ask(f"document.querySelector('{VERDICT}').textContent")
        typed(wrong)
        assert tab.ask(f"document.querySelector('{PROBLEM}').textContent").startswith("1 mistake")
        typed(first["text"])
        assert "out is as expected" in tab.ask(f"document.querySelector('{VERDICT}').textContent")
        tab.ask("(neonsimPlay.stepper.goto(5), neonsimPlay.stepper.goto(4), 0)")
        assert tab.ask("neonsimPlay.stepper.replay.step") == 4
        link = tab.ask("neonsimPlay.pack()")
        text, words = FLOATS["aarch64"]
        for place, shown in ((link, first["text"]), (f"{address}#{link_to(text, 'aarch64', words)}", text)):
            tab.open("about:blank")
            tab.open(place)
            tab.wait("window.neonsimPlay?.asker.ready")
            assert tab.ask("neonsimPlay.editor.value") == shown and tab.ask("String(neonsimPlay.stepper)") == "null"
            tab.ask("neonsimPlay.run()")
            assert tab.ask("neonsimPlay.live.problem") == ""
