"""Pictures and pages of a trace, a timing, a layout: SVG and HTML as text, standard library and numpy only.

| what | gives |
|---|---|
| `page(trace)`, `write_page(trace, path)` | the stepper as one self-contained HTML file |
| `payload(trace)` | the bytes the stepper replays, for a notebook widget |
| `lanes_picture(instruction)`, `step_picture(trace, step)` | one instruction, lane by lane |
| `registers_picture(state, registers)` | a snapshot of registers |
| `packing_picture(layout)` | where packed weights lie |
| `timeline_picture(timing)`, `timing_page(timing)` | when instructions wait and execute, as modelled |

What is drawn is what was recorded: nothing here runs a program.
"""

from __future__ import annotations

from neonsim.render.joined import join_modules, static_text
from neonsim.render.lanes import lanes_picture, step_picture
from neonsim.render.packing import packing_picture
from neonsim.render.page import page, write_page
from neonsim.render.payload import payload, split
from neonsim.render.registers import registers_picture
from neonsim.render.svg import Picture
from neonsim.render.timeline import timeline_picture, timing_page

__all__ = ["Picture", "join_modules", "lanes_picture", "packing_picture", "page", "payload", "registers_picture",
           "split", "static_text", "step_picture", "timeline_picture", "timing_page", "write_page"]
