"""Cost: what a trace, or a loop of a program, takes on a modelled core.

    time       cycles of a trace or a loop on a core                       counted and modelled
    compare_timings, compare_slots   several timings side by side
    legend                           what the words of their lost slots mean
    mca        what llvm-mca says of the same loop, where it can
    count      instructions by class, products, multiply share             counted
    cores      the modelled cores, one line each
    identity   what MRS reads of a core's identification registers
    load_core  a core by name, or from a TOML file of your own; chosen_as: also one that another stands for
    Able       which cores can run a program, and in words which cannot

A core is a TOML file in `cores/`: a picture, then numbers, each with its source; `model` says what may stand in it.
What the models are held against: measured tables of single instructions (`microbench`, `tables/`), published speeds of
loops and calls (`anchors`), the memory of boards (`boards`). What they are good for: `studies`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neonsim.arm.timing.cores.id_registers import identity
from neonsim.arm.timing.cores.loader import chosen_as, core_name, cores, load_core, load_cores
from neonsim.arm.timing.cores.model import Core
from neonsim.common.argument_types import check_arguments, later

if TYPE_CHECKING:
    from neonsim.arm.timing.cores.capability import CoreFilter, Requirements, requirements_of
    from neonsim.arm.timing.counts import Counts, article_share, count
    from neonsim.arm.timing.loop_bounds import Bounds, bounds
    from neonsim.arm.timing.report.analysis import compare_slots
    from neonsim.arm.timing.report.legend import legend
    from neonsim.arm.timing.report.llvm_mca import mca
    from neonsim.arm.timing.simulation import simulate
    from neonsim.arm.timing.steady_state import Steady, steady
    from neonsim.arm.timing.stream import InstructionStream, StaticInstruction, loop_heads
    from neonsim.arm.timing.timing import Timing, TimingRow, compare_timings, time

__all__ = [
           "Bounds",
           "Core",
           "CoreFilter",
           "Counts",
           "InstructionStream",
           "Requirements",
           "StaticInstruction",
           "Steady",
           "Timing",
           "TimingRow",
           "article_share",
           "bounds",
           "chosen_as",
           "compare_slots",
           "compare_timings",
           "core_name",
           "cores",
           "count",
           "identity",
           "legend",
           "load_core",
           "load_cores",
           "loop_heads",
           "mca",
           "requirements_of",
           "simulate",
           "steady",
           "time",
]

check_arguments(globals())
# A list of cores needs no arrays.
__getattr__ = later(globals())
