"""The call that a check has found wrong, as a page: what `check` and `course check` have in common."""

from __future__ import annotations

import argparse
import sys

from neonsim.errors import BadArgument
from neonsim.verify.checking import FailingCase

from .options import add_live, add_output, check_live, wrote

__all__ = ["add_failing", "check_failing", "show_failing"]

HOW = "--html FILE writes a page that replays this call, opened where it went wrong"


def add_failing(parser: argparse.ArgumentParser, prefix: str = "") -> None:
    """--html, --step and --live."""
    add_output(parser, "--html", help=f"{prefix}write the failing call as a page that replays it")
    parser.add_argument("--step", type=int, metavar="N", help="with --html: open the page at step N, not where the "
                        "call went wrong")
    add_live(parser)


def check_failing(options: argparse.Namespace) -> None:
    """Raises BadArgument if there is no page to open at a step, or to compute."""
    check_live(options)
    if options.step is not None and not options.html:
        raise BadArgument("--step belongs to a page: add --html FILE")


def show_failing(trouble: FailingCase | None, name: str, options: argparse.Namespace, more: str = "") -> None:
    """Write the page that is asked for, or say behind a failing call that there can be one.

    trouble   None: no call failed, or none was made
    more      what else helps, for the sentence
    """
    if trouble is None or trouble.trace is None:
        if options.html:
            print(f"There is no failing call to step through: {options.html} is not written.", file=sys.stderr)
    elif options.html:
        path = trouble.to_html(options.html, name, step=options.step, live=options.live)
        wrote(path, options, f": it opens at step {trouble.done if options.step is None else options.step}, "
              f"{trouble.what.partition('   (')[0]}")
    elif not options.json:
        print(f"\n{HOW}{more}")
