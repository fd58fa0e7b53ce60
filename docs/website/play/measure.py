"""`python -m docs.website.play.measure [FOLDER] [--runs N]`: how fast the playground is in Chromium, best of some runs.

FOLDER was made by `make playground`. Measured over loopback; needs Playwright and Chromium (`make nightly` has both).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import neonsim as ns
from neonsim.common.study_report import text_table

from .build import ROOT
from .examples import kernel_example, link_to
from .server import server

KERNEL = "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"  # 313 instructions
TURNS = 733
# 5 866 steps: eight in a turn, one before the loop, one behind it.
LOOP = f"""\
        mov     x3, #{TURNS}
1:      ldr     q1, [x0]
        ldr     q2, [x1]
        smlal   v0.4s, v1.4h, v2.4h
        smlal2  v0.4s, v1.8h, v2.8h
        add     v3.4s, v0.4s, v0.4s
        str     q3, [x2]
        subs    x3, x3, #1
        b.ne    1b
        ret
"""
LOOP_WORDS = ["a=s16*8", "b=s16*8", "out=out:s32*4"]
PATIENCE = 180_000  # milliseconds
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
READY = "() => window.neonsimPlay?.asker.ready"
RUN = """async () => {
  const page = window.neonsimPlay;
  const begun = performance.now();
  const { isa, text, words } = page.experiment;
  const opened = await page.asker.ask({ ask: "open", isa, text, words, expected: [], title: "" });
  const there = performance.now();
  await page.show(opened);
  const shown = performance.now();
  return [there - begun, shown - begun];
}"""
LIVE = """() => {
  const { made } = window.neonsimPlay, begun = performance.now();
  new made.constructor(made.begun, made.script, made.asker);
  return [performance.now() - begun, made.live.now.header.steps];
}"""
PRICE = """async () => {
  const page = window.neonsimPlay, begun = performance.now();
  page.core.value = "cortex-a53";
  await page.price();
  return [performance.now() - begun, page.stepper.header.timing.cycles];
}"""


def measure(folder: Path, runs: int) -> list[list[str]]:
    """(what, bar, the best of some runs)."""
    from playwright.sync_api import sync_playwright

    best: dict[str, float] = {}

    def noted(name: str, value: float) -> None:
        best[name] = min(value, best.get(name, value))

    with server(folder) as serving, sync_playwright() as playwright:
        Thread(target=serving.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{serving.server_port}/"
        browser = playwright.chromium.launch(channel=None, executable_path=_chromium(), args=FLAGS)
        for _ in range(runs):
            context = browser.new_context()
            serving.sent = 0
            _visit(context, address, noted, "cold", lambda: serving.sent)
            _visit(context, address, noted, "again", lambda: 0)
            _kernel(context, address, noted)
            _loop(context, address, noted)
            context.close()
        browser.close()
        serving.shutdown()
    kernel = ns.kernel(KERNEL)
    link = len(link_to(kernel.source, kernel.isa, []))
    seconds, milliseconds = (lambda name: f"{best[name] / 1000:.1f} s"), (lambda name: f"{best[name]:.0f} ms")
    return [["prepared example steps", "300 ms", milliseconds("steps cold")],
            ["transfer, cold", "6.6 MB", f"{best['sent'] / 1e6:.2f} MB"],
            ["worker ready, cold; again", "6.0 s; 4.5 s", f"{seconds('ready cold')}; {seconds('ready again')}"],
            ["313 instructions assembled and started, first; warm", "500 ms; 250 ms",
             f"{milliseconds('first')}; {milliseconds('warm')}"],
            [f"{best['loop steps']:,.0f} steps with record", "60 ms", milliseconds("loop")],
            ["their cycles on the Cortex-A53", "600 ms", milliseconds("priced")],
            [f"link of {len(kernel.source):,} characters", "5,200", f"{link:,}"]]


def _chromium() -> str | None:
    from shutil import which

    return which("chromium") or which("chromium-browser") or which("google-chrome")


def _visit(context: Any, address: str, noted: Callable[[str, float], None], name: str, sent: Callable[[], int]) -> None:
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    begun = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_function("() => window.neonsimPlay?.stepper?.replay.steps === 15", polling=5)
    noted(f"steps {name}", 1000 * (time.perf_counter() - begun))
    page.wait_for_function(READY, polling=20)
    noted(f"ready {name}", 1000 * (time.perf_counter() - begun))
    if name == "cold":
        page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
        noted("sent", sent())
    page.close()


def _opened(context: Any, address: str) -> Any:
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.wait_for_function(READY)
    page.wait_for_timeout(500)
    return page


def _kernel(context: Any, address: str, noted: Callable[[str, float], None]) -> None:
    example = kernel_example(ns.kernel(KERNEL))
    assert example is not None
    page = _opened(context, f"{address}#{link_to(example['text'], example['isa'], example['words'])}")
    for name in ("first", "warm", "warm", "warm"):
        noted(name, page.evaluate(RUN)[0])
    page.close()


def _loop(context: Any, address: str, noted: Callable[[str, float], None]) -> None:
    page = _opened(context, f"{address}#{link_to(LOOP, 'aarch64', LOOP_WORDS)}")
    page.evaluate(RUN)
    for _ in range(4):
        taken, steps = page.evaluate(LIVE)
        noted("loop", taken)
        noted("loop steps", steps)
    for _ in range(2):
        noted("priced", page.evaluate(PRICE)[0])
    page.close()


def main() -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description="Measure the playground in Chromium.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "playground")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    if not (options.folder / "index.html").is_file():
        parser.error(f"{options.folder} has no playground. Run `make playground` first.")
    print(text_table(["", "bar", f"best of {options.runs}"], measure(options.folder, options.runs)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
