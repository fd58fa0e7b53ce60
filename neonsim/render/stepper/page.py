"""A recorded run as one self-contained HTML file: opens from disk, asks for nothing over the network."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from neonsim.arm.machine.arch.register_names import Names
from neonsim.common.fileio import write_file
from neonsim.render.stepper.bundle import join_modules, stepper_styles
from neonsim.render.stepper.payload import Run, computing, packed

if TYPE_CHECKING:
    from neonsim.arm.machine.trace.trace import Trace
    from neonsim.arm.timing import Timing

__all__ = ["page", "write_page"]

# The policy lets the page run its own script and nothing else: a third-party run cannot call home.
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; \
style-src 'unsafe-inline'; img-src data:">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 0; padding: 12px; background: light-dark(#eef1f4, #0d1014); }}
main {{ max-width: 2000px; margin: auto; --outside: 60px; }}
h1 {{ font: 600 16px/1.4 system-ui, "DejaVu Sans", sans-serif; margin: 0 2px 8px; overflow-wrap: anywhere; }}
h1 {{ color: light-dark(#1c2128, #e3e8ee); }}
{css}
</style>
</head>
<body>
<main>
<h1>{heading}</h1>
<div id="neonsim"><p>Opening the recorded run. If nothing follows, the file is damaged or truncated. Write it again.</p>
<noscript>This page replays a recorded run and needs JavaScript.</noscript></div>
</main>
<script type="text/plain" id="neonsim-run">{run}</script>{beside}{view}{program}
<script type="module">
{script}
</script>
</body>
</html>
"""


def page(trace: Trace, *, title: str = "", names: Names | None = None, timing: Timing | None = None,
         columns: Mapping[str, int] | None = None, compare_with: Trace | Run | None = None, view: str = "",
         live: bool = False) -> str:
    """Return the stepper over a trace as the text of an HTML file. Arguments as in `payload`, and

    compare_with   another trace (or a `Run` of it, with its own names, timing and title): both on one page,
              stepped together
    view      how the page is set up when it is opened: what stands behind # in its address, `view` of a `Stepper`
    live      the page holds the program too, as JavaScript: values can be changed at any step, and the run goes on
              with them, in the page itself; integers, and ordinary float32. The run beside stays as it was recorded

    Raises BadArgument for a run that such a page cannot do.
    """
    heading = title or "neonsim: a recorded run"
    first, script = computing(trace, names=names, timing=timing, title=heading, columns=columns, live=live)
    second = ""
    if compare_with is not None:
        run = Run.from_trace(compare_with, columns)
        second = f'\n<script type="text/plain" id="neonsim-beside">{_packed(run.pack(trace))}</script>'
        heading += f" beside {run.title}" if run.title else ""
    entry = "livepage.js" if live else "page.js"
    title = html.escape(heading)  # names of kernels are long: they may break behind a part of theirs
    return PAGE.format(title=title, heading=title.replace("_", "_<wbr>"), css=stepper_styles(), run=_packed(first),
                       beside=second, view=_script(view), program=_program(script), script=join_modules(entry))


def _script(view: str) -> str:
    return f'\n<script type="text/plain" id="neonsim-view">{quote(view, safe="=&%+")}</script>' if view else ""


def _program(script: str) -> str:
    """The program, packed; the page makes a script of it, which its policy permits."""
    return f'\n<script type="text/plain" id="neonsim-program">{_packed(script.encode())}</script>' if script else ""


def _packed(data: bytes) -> str:
    return base64.b64encode(packed(data)).decode("ascii")


def write_page(trace: Trace, path: str | Path, **options: Any) -> Path:
    """Write `page(trace, **options)` to a file and return its path, as `write_file` does. `Trace.to_html` is this."""
    return write_file(path, page(trace, **options))
