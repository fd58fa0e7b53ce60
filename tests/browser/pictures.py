"""Take the stepper's pictures anew: `python tests/browser/pictures.py [FOLDER]` (default: notebooks/pictures).

stepper.png (the README's), stepper-dark.png, stepper-390.png (a telephone), stepper-projector.png, compare.png (two
runs side by side). Needs Chromium, Playwright and Pillow; look at what it has made.
"""

from __future__ import annotations

import runpy
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from neonsim.cli import main as command

HERE = Path(__file__).parent
DEFAULT, DUAL = "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal"
COLOURS = 48  # of the palette: text and a few fills
SHOTS: dict[str, dict[str, Any]] = {
    "stepper": {"width": 1280, "height": 800, "scheme": "light"},
    "stepper-dark": {"width": 1280, "height": 800, "scheme": "dark"},
    "stepper-390": {"width": 390, "height": 844, "scheme": "light"},
    "stepper-projector": {"width": 1920, "height": 1080, "scheme": "light", "view": "&size=1.6"},
    "compare": {"width": 1400, "height": 900, "scheme": "light", "pair": True},
}


def main(folder: Path) -> None:
    chromium = runpy.run_path(str(HERE / "conftest.py"))["chromium_path"]()
    pages = {False: folder / "one.html", True: folder / "two.html"}
    for pair, path in pages.items():
        command(["trace", DEFAULT, "--core", "cortex-a53", "--html", str(path), *(["--beside", DUAL] if pair else [])])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, shot in SHOTS.items():
            page = browser.new_page(viewport={"width": shot["width"], "height": shot["height"]},
                                    color_scheme=shot["scheme"], reduced_motion="reduce")
            page.goto(f"{pages[shot.get('pair', False)].as_uri()}#step=64{shot.get('view', '')}")
            page.wait_for_selector(".nsim[data-step]")
            page.wait_for_timeout(300)
            whole = Image.open(BytesIO(page.screenshot(full_page=True))).convert("RGB")
            picture = whole.quantize(COLOURS, dither=Image.Dither.NONE)
            picture.save(folder / f"{name}.png", optimize=True)
            print(f"{name}.png: {(folder / f'{name}.png').stat().st_size // 1000} kB")
            page.close()
        browser.close()
    for path in pages.values():
        path.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / "notebooks" / "pictures")
