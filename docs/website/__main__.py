"""`python -m docs.website [--main] [FOLDER]`, from the root: what `make site` does.

With `--main` there is a page of every kind, and what takes long is left out: most families of instructions, most
contracts, most replayed runs. An index names what it has no pages for. The build server builds that.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from sphinx.cmd.build import build_main

from docs.website import benchmarks, commands, course, instructions, kernels, machines, reference, start
from docs.website.play import build as playground

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PARTLY = "left-out"     # this file lies beside the pages of a build that is not whole
NOTE = "\nThis build has the main pages only. `make site` builds the pages of all instructions and kernels.\n"


def written(name: str, write: Callable[[Path], None], sources: Path) -> str:
    """A part's sources; returns how long it took."""
    begun = time.perf_counter()
    write(sources)
    return f"{name}: {time.perf_counter() - begun:.1f} s"


def main() -> int:
    """Sources, then pages; prints where they are and how long each part took."""
    parser = argparse.ArgumentParser(description="Build neonsim's site.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site")
    parser.add_argument("--main", action="store_true", help="the main pages only; the others are named, not built")
    options = parser.parse_args()
    folder, whole = options.folder.resolve(), not options.main
    sources, pages = folder / "source", folder / "html"
    for old in (sources, pages):
        shutil.rmtree(old, ignore_errors=True)
    sources.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(HERE / "pages", sources)
    shutil.copytree(HERE / "static", sources / "static")
    shutil.copy(HERE / "conf.py", sources)
    (folder / PARTLY).unlink(missing_ok=True)
    if not whole:
        (folder / PARTLY).touch()
        with (sources / "index.md").open("a", encoding="utf-8") as index:
            index.write(NOTE)
    # Those of one process each side by side, the longest first; then those that keep every processor busy themselves.
    alone: list[tuple[str, Callable[[Path], None]]] = [
        ("machines", partial(machines.write, whole=whole)), ("instructions", partial(instructions.write, whole=whole)),
        ("reference", reference.write), ("commands", commands.write), ("benchmarks", benchmarks.write),
        ("start", start.write)]
    busy = [("kernels", partial(kernels.write, whole=whole)), ("course", partial(course.write, whole=whole))]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for told in [pool.submit(written, name, write, sources) for name, write in alone]:
            print(told.result(), flush=True)
    for name, write in busy:
        print(written(name, write, sources), flush=True)
    begun = time.perf_counter()
    # Sphinx makes millions of nodes that stay: to look for garbage among them takes a seventh of its time.
    gc.disable()
    # -W: a link that leads nowhere is an error.
    status = build_main(["-q", "-W", "--keep-going", "-j", "auto", "-b", "html", "-d", str(folder / "doctrees"),
                         str(sources), str(pages)])
    print(f"pages: {time.perf_counter() - begun:.1f} s")
    begun = time.perf_counter()
    try:
        print(f"playground: {playground.write(pages / 'play', kernels=whole)}, {time.perf_counter() - begun:.1f} s")
    except playground.MissingTools as problem:
        playground.write_missing(pages / "play", problem)
        print(f"playground: left out, for {problem}")
    print(pages / "index.html")
    return status


if __name__ == "__main__":
    sys.exit(main())
