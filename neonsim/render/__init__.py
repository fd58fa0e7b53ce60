"""Pictures and pages: the stepper, manual pages, charts.

| what | gives |
|---|---|
| `page(trace)`, `write_page(trace, path)` | the stepper as one self-contained HTML file; `compare_with=` another |
| `differences.differences(first, second)` | where the data of two runs begin to differ |
| `payload(trace)` | the bytes the stepper replays, for a notebook widget |
| `lanes_picture(instruction)`, `step_picture(trace, step)` | one instruction, lane by lane |
| `registers_picture(state, registers)` | a snapshot of registers |
| `still_picture(trace, step)` | a place in a run: the program at its line, and the registers that it uses |
| `packing_picture(layout)` | where packed weights lie |
| `nc4hw4_picture(height, width, channels)` | four channels of a pixel in NHWC, NCHW, NC4HW4 |
| `indirection_picture(table)` | which pixel every pointer stands for |
| `register_map(names, isa)`, `register_map_picture(names, isa)` | what a kernel keeps where |
| `mix_table(loops)`, `mix_picture(loops)` | what loops are made of |
| `pressure_picture(timing)` | how many registers are alive, instruction by instruction |
| `cache_sets_picture(rows, length, pitch, ...)` | which sets of a cache the rows of a panel fall into |
| `answer_picture(pixels, rows)`, `image_row(images, captions)` | what a network was shown, and what it said |
| `distribution_picture(values, ranges, title)` | what a tensor holds, and how far ranges reach |
| `timeline_picture(timing)`, `timing_page(timing)` | when instructions wait and execute, as modelled |

A `View` is a picture with its numbers as text; `below` puts pictures one below the other.

What is drawn is what was recorded: nothing here runs a program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neonsim.common.argument_types import check_arguments, later
from neonsim.render.pictures.lanes import lanes_picture, step_picture
from neonsim.render.pictures.registers import registers_picture
from neonsim.render.stepper.bundle import join_modules, static_text, stepper_styles
from neonsim.render.stepper.page import page, write_page
from neonsim.render.stepper.payload import Run, payload, split
from neonsim.render.stepper.still import still_picture
from neonsim.render.svg import Picture, shown
from neonsim.render.view import View, below

if TYPE_CHECKING:
    from neonsim.render.pictures.histogram import distribution_picture
    from neonsim.render.pictures.instruction_mix import mix_picture, mix_table
    from neonsim.render.pictures.layout.cache_sets import cache_sets_picture, cache_sets_text
    from neonsim.render.pictures.layout.indirection import indirection_picture
    from neonsim.render.pictures.layout.nc4hw4 import nc4hw4_picture
    from neonsim.render.pictures.layout.packing import packing_picture
    from neonsim.render.pictures.networks.classification import answer_picture, image_row
    from neonsim.render.pictures.pipeline import timeline_picture, timing_page
    from neonsim.render.pictures.register_map import register_map, register_map_picture
    from neonsim.render.pictures.register_pressure import pressure_picture, pressure_text

__all__ = [
    "Picture",
    "Run",
    "View",
    "answer_picture",
    "below",
    "cache_sets_picture",
    "cache_sets_text",
    "distribution_picture",
    "image_row",
    "indirection_picture",
    "join_modules",
    "lanes_picture",
    "mix_picture",
    "mix_table",
    "nc4hw4_picture",
    "packing_picture",
    "page",
    "payload",
    "pressure_picture",
    "pressure_text",
    "register_map",
    "register_map_picture",
    "registers_picture",
    "shown",
    "split",
    "static_text",
    "step_picture",
    "stepper_styles",
    "still_picture",
    "timeline_picture",
    "timing_page",
    "write_page",
]

check_arguments(globals())
# A stepper needs no layouts, cores or machines to be drawn.
__getattr__ = later(globals())
