"""Questions asked of all kernels, cores and shapes at once: many small jobs, on many machines, into one set of data.

    rows = ns.sweep("qs8_gemm_rndnu", cores="a53,a76", shapes="8x8x16..64/16")
    print(rows)               # how many rows, and what became of them
    rows.table()              # all of it, as a pyarrow Table
    rows.best()               # the kernel with the fewest cycles for each shape and core

`plan` says what the jobs are, without ever listing them; `own` are kernels of your own; `jobs` does one; `pool` has
them done by processes here or by Dask's workers; `dataset` keeps what comes, in Parquet; `winners` asks which kernel
is best.
"""

from __future__ import annotations

from neonsim.common.argument_types import check_arguments

from .best_kernel import Crossover, Winners
from .layer_shapes import layer_lines, layer_shapes
from .plan import MEASURES, SweepJob, SweepPlan
from .rows import Rows, sweep

__all__ = ["MEASURES", "Crossover", "Rows", "SweepJob", "SweepPlan", "Winners", "layer_lines", "layer_shapes", "sweep"]

check_arguments(globals())
