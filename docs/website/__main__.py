"""`python -m docs.website [FOLDER]`, from the root: what `make site` does."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from sphinx.cmd.build import build_main

from docs.website import benchmarks, commands, course, instructions, kernels, machines, reference, start

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def written(part: str, sources: Path) -> str:
    """A part's sources, by its module's name; returns how long it took."""
    begun = time.perf_counter()
    sys.modules[part].write(sources)
    return f"{part.rpartition('.')[2]}: {time.perf_counter() - begun:.1f} s"


def main() -> int:
    """Sources, then pages; prints where they are and how long each part took."""
    parser = argparse.ArgumentParser(description="Build neonsim's site.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site")
    folder = parser.parse_args().folder.resolve()
    sources, pages = folder / "source", folder / "html"
    for old in (sources, pages):
        shutil.rmtree(old, ignore_errors=True)
    sources.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(HERE / "pages", sources)
    shutil.copytree(HERE / "static", sources / "static")
    shutil.copy(HERE / "conf.py", sources)
    # Those of one process each side by side, the longest first; then those that keep every processor busy themselves.
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for told in [pool.submit(written, part.__name__, sources) for part in (
                machines, instructions, reference, commands, benchmarks, start)]:
            print(told.result(), flush=True)
    for part in (kernels, course):
        print(written(part.__name__, sources), flush=True)
    begun = time.perf_counter()
    # -W: a link that leads nowhere is an error.
    status = build_main(["-q", "-W", "--keep-going", "-j", "auto", "-b", "html", "-d", str(folder / "doctrees"),
                         str(sources), str(pages)])
    print(f"pages: {time.perf_counter() - begun:.1f} s\n{pages / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
