"""Small studies on the cost models, for lessons: each is a function that returns a `Report`.

    dual_issue      default against dual-issue GEMM kernel by depth, row sums included, on several cores
    neon_rates      NEON instructions a cycle of loops: one on in-order cores
    simple_rates    simple NEON operations a cycle in D and Q form: three in two cycles on the Cortex-A72
    orders          the same instructions as written plainly, by hand, by list scheduling
    anomaly         a longer latency that makes a program faster
    cliff           rows a power of two apart in memory, and 64 bytes of padding
    schedules       kernels in the order that one core likes, beside the plain ones, on every core
    ladder          products per vector instruction of every matrix product kernel, and what cores make of it
    FIGURES         what articles say: how many times as fast as what, quoted

Kernels are given as programs: this room does not know the catalogue. `neonsim study NAME` makes them with ours.
"""

from __future__ import annotations

from neonsim.common.study_report import Bars, Heat, Lines, Quoted, Report, Series
from neonsim.studies.kernels.cache_associativity import Geometry, Side, cliff, cliff_traces
from neonsim.studies.kernels.core_schedules import SchedulePair, schedules
from neonsim.studies.kernels.dual_issue import DepthPoint, DualIssue, dual_issue, kernel_traces, qnnpack_switch
from neonsim.studies.kernels.instruction_order import orders, reorder
from neonsim.studies.kernels.latency_anomaly import anomaly, with_latency
from neonsim.studies.kernels.macs_per_instruction import STEPS, IsaComparison, IsaPoint, MeasuredFamily, compare_isas
from neonsim.studies.kernels.neon_rates import neon_rate, neon_rates, simple_rate, simple_rates
from neonsim.studies.kernels.quoted import FIGURES, QuotedFigure

__all__ = [
           "FIGURES",
           "STEPS",
           "Bars",
           "DepthPoint",
           "DualIssue",
           "Geometry",
           "Heat",
           "IsaComparison",
           "IsaPoint",
           "Lines",
           "MeasuredFamily",
           "Quoted",
           "QuotedFigure",
           "Report",
           "SchedulePair",
           "Series",
           "Side",
           "anomaly",
           "cliff",
           "cliff_traces",
           "compare_isas",
           "dual_issue",
           "kernel_traces",
           "neon_rate",
           "neon_rates",
           "orders",
           "qnnpack_switch",
           "reorder",
           "schedules",
           "simple_rate",
           "simple_rates",
           "with_latency",
]
