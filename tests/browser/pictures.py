"""Take the stepper's pictures anew: `python tests/browser/pictures.py [FOLDER]` (default: notebooks/pictures).

stepper.png (the README's), stepper-dark.png, stepper-390.png (a telephone), stepper-projector.png, compare.png (two
runs side by side); network.png and network-dark.png (the README's first: a digit, its answer, an instruction of it).
Needs Chromium, Playwright and Pillow; look at what it has made.
"""

from __future__ import annotations

import runpy
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

from neonsim.cli import main as command
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.graph import model
from neonsim.nn.graph.models import digits
from neonsim.nn.ops import Operator
from neonsim.render import answer_picture, step_picture
from neonsim.ukernel import kernel

HERE = Path(__file__).parent
DEFAULT, DUAL = "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal"
COLORS, GREYS = 48, 160  # of the palette: text and a few fills; with a picture of many greys in it
SHOTS: dict[str, dict[str, Any]] = {
    "stepper": {"width": 1280, "height": 800, "scheme": "light"},
    "stepper-dark": {"width": 1280, "height": 800, "scheme": "dark"},
    "stepper-390": {"width": 390, "height": 844, "scheme": "light"},
    "stepper-projector": {"width": 1920, "height": 1080, "scheme": "light", "view": "&size=1.6"},
    "compare": {"width": 1400, "height": 900, "scheme": "light", "pair": True},
}


WHICH = 7   # of the sample of digits


def network_page() -> str:
    """A digit with the scores of the trained network, and one instruction of its last layer, as recorded."""
    graph, (images, _) = model("digits"), digits.sample()
    scores = graph.plan("reference")
    answer = scores.run(digits.input_of(graph, images[WHICH:WHICH + 1])).dequantize()[0]
    best = np.argsort(-answer, kind="stable")[:5]
    seen = answer_picture(images[WHICH], [(str(one), float(answer[one])) for one in best], "digits, int8")
    layer = graph.nodes[-1]
    assert isinstance(layer.operator, Operator)
    plan = layer.operator.plan((1, 1568), backend=EmulatedBackend("aarch64"))
    plan.run(scores.tensor(layer.inputs[0]))
    tile = plan.trace()
    step = next(k for k in range(tile.trace.steps // 4, tile.trace.steps)
                if tile.trace.instruction(k).form.name == "mlal")
    lanes = step_picture(tile.trace, step, names=kernel(tile.kernel).header.register_names(), select=7)
    return ("<!doctype html><meta charset=utf-8><style>:root{color-scheme:light dark} body{margin:0} "
            "main{display:inline-flex;flex-direction:column;gap:10px;padding:2px;align-items:flex-start} "
            f"svg{{display:block}}</style><main>{seen}{lanes}</main>")


def shoot(page: Any, whole: bytes, path: Path, colors: int = COLORS) -> None:
    """Save a picture of a page with few colours."""
    picture = Image.open(BytesIO(whole)).convert("RGB").quantize(colors, dither=Image.Dither.NONE)
    picture.save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size // 1000} kB")
    page.close()


def main(folder: Path) -> None:
    chromium = runpy.run_path(str(HERE / "conftest.py"))["chromium_path"]()
    pages = {False: folder / "one.html", True: folder / "two.html"}
    for pair, path in pages.items():
        command(["trace", DEFAULT, "--core", "cortex-a53", "--html", str(path), *(["--compare", DUAL] if pair else [])])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, shot in SHOTS.items():
            page = browser.new_page(viewport={"width": shot["width"], "height": shot["height"]},
                                    color_scheme=shot["scheme"], reduced_motion="reduce")
            page.goto(f"{pages[shot.get('pair', False)].as_uri()}#step=64{shot.get('view', '')}")
            page.wait_for_selector(".nsim[data-step]")
            page.wait_for_timeout(300)
            shoot(page, page.screenshot(full_page=True), folder / f"{name}.png")
        for name in ("network", "network-dark"):
            page = browser.new_page(viewport={"width": 1000, "height": 800},
                                    color_scheme="dark" if name.endswith("dark") else "light")
            page.set_content(network_page())
            page.wait_for_timeout(200)
            shoot(page, page.locator("main").screenshot(), folder / f"{name}.png", GREYS)
        browser.close()
    for path in pages.values():
        path.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / "notebooks" / "pictures")
