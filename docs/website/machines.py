"""The cores: what each is, where its numbers come from, and how far the models are from what others measured."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import neonsim as ns
from neonsim.cli import main

from .text import escaped, fenced, left_out, table

__all__ = ["write"]

MAIN = "cortex-a55"     # whose evidence the main pages have: a tenth of the time of all


def write(sources: Path, *, whole: bool = True) -> None:
    """cores/: an index with the evidence, of all cores or, if not `whole`, of MAIN alone; and a page for each core."""
    folder = sources / "cores"
    folder.mkdir()
    cores = ns.cores()
    for name in cores:
        (folder / f"{name}.md").write_text(f"# {name}\n\n{fenced(_said('cores', name))}", "utf-8")
    _said("cores", "validate", *(() if whole else (MAIN,)), "--plot", str(folder / "evidence.svg"))
    others = () if whole else (f"evidence of other cores than {MAIN}",)
    rows = ((f"[{name}]({name}.md)", escaped(line)) for name, line in cores.items())
    (folder / "index.md").write_text(
        "# Cores\n\nCycles are *modelled* from prices of instructions and rules of pipelines. Each has a source. "
        "`neonsim time KERNEL --core a53` prints them. You can [describe your own core](../howto/own-core.md).\n\n"
        + table(("core", "what"), rows)
        + "\n## Evidence\n\nThe picture compares modelled cycles of loops with published measurements on boards. "
        f"\n\n{left_out(others)}![Error of each model, loop by loop](evidence.svg)\n\n"
        "```{toctree}\n:hidden:\n\n" + "\n".join(cores) + "\n```\n", "utf-8")


def _said(*words: str) -> str:
    """What a command prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = main(list(words))
    if status:
        raise SystemExit(f"neonsim {' '.join(words)}: status {status}")
    return printed.getvalue().rstrip()
