"""`neonsim explain pressure | sets | compare`: the views of a notebook, as text, SVG and pages."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from neonsim.errors import BadArgument

from .options import add_output, answer, command, wrote

if TYPE_CHECKING:
    from neonsim.render.view import View

__all__ = ["add_subjects"]


def add_subjects(subjects: Any) -> None:
    """Add these subjects to `neonsim explain`."""
    alive = _subject(subjects, "pressure", "how many registers of a kernel's main loop are alive, and what they hold",
                     "neonsim explain pressure qu8_gemm_q31_8x8__aarch64_neon_mlal_lane --svg alive.svg", _pressure)
    alive.add_argument("name", metavar="KERNEL")

    sets = _subject(subjects, "sets", "which sets of the first-level cache the rows of a panel fall into",
                    "neonsim explain sets --rows 8 --length 1024 --pitch 8192 --core cortex-a53", _sets)
    for name, value, text in (("rows", 8, "rows of the panel"), ("length", 1024, "bytes of a row")):
        sets.add_argument(f"--{name}", type=int, default=value, metavar="N", help=f"{text} ({value})")
    sets.add_argument("--pitch", type=int, metavar="N", help="bytes from one row to the next (the length)")
    sets.add_argument("--core", default="cortex-a53")

    beside = _subject(subjects, "compare", "kernels side by side: cycles (modelled), instructions (counted)",
                      "neonsim explain compare KERNEL KERNEL --core cortex-a75 --html side.html", _compare)
    beside.add_argument("names", nargs="+", metavar="KERNEL")
    beside.add_argument("--core", default="cortex-a53")


def _subject(subjects: Any, name: str, text: str, example: str, run: Any) -> argparse.ArgumentParser:
    parser = command(subjects, name, text, example)
    add_output(parser, "--svg", help="write the picture")
    add_output(parser, "--html", help="write a page with picture and numbers")
    parser.set_defaults(run=lambda options: _show(run(options), options))
    return parser


def _show(view: View, options: argparse.Namespace) -> int:
    answer(view, {"title": view.title, "text": view.text.splitlines()}, options)
    if options.svg:
        wrote(view.to_svg(options.svg), options)
    if options.html:
        wrote(view.to_html(options.html), options)
    return 0


# The views are those of notebooks, whose packages take a moment to load: only when one is asked for.
def _pressure(options: argparse.Namespace) -> View:
    from neonsim.learn.notebook.views import registers

    return registers(options.name)


def _sets(options: argparse.Namespace) -> View:
    from neonsim.learn.notebook.views import cache_sets

    return cache_sets(options.rows, options.length, options.pitch, core=options.core)


def _compare(options: argparse.Namespace) -> View:
    from neonsim.learn.notebook.views import compare

    if len(options.names) < 2:
        raise BadArgument("compare takes at least two kernels; `neonsim kernels` lists them")
    return compare(*options.names, core=options.core)
