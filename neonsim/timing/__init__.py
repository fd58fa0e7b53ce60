"""Cost: what a trace, or a loop of a program, takes on a modelled core.

    time       cycles of a trace or a loop on a core                       counted and modelled
    compare_timings, compare_slots   several timings side by side
    legend                           what the words of their lost slots mean
    mca        what llvm-mca says of the same loop, where it can
    count      instructions by class, products, multiply share             counted
    cores      the modelled cores, one line each
    identity   what MRS reads of a core's identification registers
    load_core  a core by name, or from a TOML file of one's own; chosen_as: also one that another stands for
    Able       which cores can run a program, and in words which cannot

A core is a TOML file in `cores/`: a picture, then numbers, each with its source; `model` says what may stand in it.
What the models are held against: measured tables of single instructions (`microbench`, `tables/`), published speeds of
loops and calls (`anchors`), the memory of boards (`boards`). What they are good for: `studies`.
"""

from __future__ import annotations

from neonsim.kinds import judge_all
from neonsim.timing.able import Able, Needs, needs_of
from neonsim.timing.answers import compare_slots
from neonsim.timing.bounds import Bounds, bounds
from neonsim.timing.core_registers import identity
from neonsim.timing.corefile import chosen_as, core_name, cores, load_core, load_cores
from neonsim.timing.counts import Counts, article_share, compare_counts, count
from neonsim.timing.legend import legend
from neonsim.timing.mca import mca
from neonsim.timing.model import Core
from neonsim.timing.op import Op, Stream, loop_heads
from neonsim.timing.simulate import simulate
from neonsim.timing.steady import Steady, steady
from neonsim.timing.timing import Row, Timing, compare_timings, time

__all__ = ["Able", "Bounds", "Core", "Counts", "Needs", "Op", "Row", "Steady", "Stream", "Timing", "article_share",
           "bounds", "chosen_as", "compare_counts", "compare_slots", "compare_timings", "core_name", "cores", "count",
           "identity", "legend", "load_core", "load_cores", "loop_heads", "mca", "needs_of", "simulate", "steady",
           "time"]

judge_all(globals())
