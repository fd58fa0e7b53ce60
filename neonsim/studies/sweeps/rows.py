"""`sweep`: a definition, a folder, and workers."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.studies.kernels import Report

from .best_kernel import crossover, winners
from .dataset import COLUMNS, Dataset, import_extra
from .job import DONE, Row
from .plan import SweepPlan, make_plan
from .user_kernels import read_user_kernels
from .worker_pool import do_missing

__all__ = ["Rows", "sweep"]

Progress = Callable[[int, str], None]


class Rows(Dataset):
    """The rows of a sweep, as they lie in its folder: `path / "parts"`, which anything that reads Parquet reads.

    path   the folder        plan   the definition

    len(rows) is how many there are, iterating gives each as a dict (part by part: never all in memory), in order of
    their jobs. `Rows.open` takes those of a folder, as they are.
    """

    _keep: Any = None       # a temporary folder lives as long as this

    @property
    def complete(self) -> bool:
        """Whether every row is there."""
        return len(self.numbers()) == self.plan.chunks

    def __iter__(self) -> Iterator[Row]:
        for table in self.tables():
            yield from table.to_pylist()

    def table(self) -> Any:
        """All of them as one pyarrow Table (`.to_pandas()`, `.to_pydict()`); words are dictionaries."""
        arrow = import_extra("pyarrow")
        tables = list(self.tables())
        return arrow.concat_tables(tables).unify_dictionaries() if tables else arrow.table({n: [] for n in COLUMNS})

    def best(self, contract: str | None = None, caches: str | None = None,
             weights: Mapping[tuple[int, int, int, int], int] | None = None) -> Report:
        """Return the kernel with the fewest cycles for each shape and core: prints, draws a heat map (`.picture()`).

        contract   whose kernels are compared; not needed where the sweep has those of one
        caches     of which state; None: the first of the sweep
        weights    {(m, n, k, taps): how often that shape is there} for the sums

        `data` is a `Winners`. Raises BadArgument for several contracts, or rows without cycles.
        """
        return winners(self, contract, caches, weights)

    def crossover(self, core: str | None = None, contract: str | None = None, caches: str | None = None) -> Report:
        """Products a cycle of each kernel as one size grows, and where another one becomes the best.

        Of m, n and k it takes the one with the most values while the others stay. Arguments and errors as of `best`;
        core: None is the sweep's first. `data` is a `Crossover`.
        """
        return crossover(self, core, contract, caches)

    def counts(self) -> dict[str, dict[str, int]]:
        """Measure -> status -> rows."""
        found: Counter[tuple[str, str]] = Counter()
        for table in self.tables():
            # One column pair at a time: a sweep may have more rows than memory has room for.
            pairs = table.select(["measure", "status"]).to_pydict()
            found.update(zip(pairs["measure"], pairs["status"], strict=True))
        return {measure: {status: n for (one, status), n in sorted(found.items()) if one == measure}
                for measure in self.plan.measures}

    @property
    def failures(self) -> int:
        """Rows that found something wrong, could not be done or were not done in time; "cannot" is none."""
        return sum(n for some in self.counts().values() for status, n in some.items()
                   if status not in (*DONE, "cannot"))

    def troubles(self, max_rows: int) -> list[Row]:
        """Return the first rows in which something is wrong."""
        good = {*DONE, "cannot"}
        return list(islice((row for table in self.tables()
                            if not good.issuperset(table["status"].unique().to_pylist())
                            for row in table.to_pylist() if row["status"] not in good), max_rows))

    def __str__(self) -> str:
        there, all_ = len(self), len(self.plan)
        lines = [f"{there:,} of {all_:,} rows in {self.path}" if there < all_ else f"{all_:,} rows in {self.path}"]
        for measure, some in self.counts().items():
            said = ", ".join(f"{n:,} {status}" for status, n in some.items())
            lines.append(f"  {measure:<9} {said or 'none yet'}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Rows: {len(self):,} of {len(self.plan):,} in {self.path}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: what there is, not the rows."""
        return {"folder": str(self.path), "rows": len(self), "of": len(self.plan), "complete": self.complete,
                "parts": len(self.numbers()), "counts": self.counts(), "definition": self.plan.to_dict()}


def sweep(kernels: Any = None, *, measures: Any = ("cycles",), cores: Any = "all", shapes: Any = (),
          caches: Any = ("l1",), data: Any = ("uniform",), seeds: Any = "0", bugs: int = 8, size: str = "quick",
          contract: str | None = None, tile: str | None = None, isa: str | None = None, entry: str | None = None,
          reads_before: int | None = None, reads_after: int | None = None,
          define: Mapping[str, str | int] | None = None,
          output_dir: str | Path | None = None, workers: int | None = None, timeout: float = 60.0,
          chunk: int | None = None, scheduler: Any = None, progress: Progress | None = None) -> Rows:
    """Measure kernels x cores x shapes x caches x data: each combination is a row, computed by many processes.

    kernels    names, contracts, patterns ("qs8_gemm*"), "all", files of your own ("mine.S"); left out: the sweep that
               `output_dir` holds goes on
    measures   of cycles, counts, calls, contract, bugs, proofs
    cores      names, "all"                             of cycles
    shapes     "8x8x64", with ranges "1..8x8x16..64/16", a fourth number for taps; or (m, n, k) of products, in elements
    caches     "l1" (every access hits), "cold", "warm" of cycles: the state before each call
    data       kinds of data: "uniform", "ends", ...    of calls
    seeds      "0..9"                                   of calls and contract
    bugs       bugs planted into each kernel           size   "quick" or "full" cases, of contract
    contract, tile, isa, entry, reads_before, reads_after, define
               of files of your own, as of `ns.check`, where their headers do not say it. Their texts travel to other
               machines and are part of the definition
    output_dir folder to fill or to go on with; left out: one that is removed with what is returned
    workers    processes here; None: as many as there are cores
    timeout    seconds that one row may take before it is given up
    chunk      rows that are given out at a time; None: what takes about half a minute
    scheduler  the address of a Dask scheduler, or a `distributed.Client`; None: processes here
    progress   called with (rows done since the last time, what is being done)
    ->         Rows

    A row that cannot be done says why. Whatever ends the sweep, parts that are whole are kept, and the same call goes
    on after them.

    Raises BadArgument for what is no sweep, a folder of another one, a folder that cannot be written or is full, and a
    scheduler that does not answer; KernelFileError, TimingError for names; MissingPackage without the extra.
    """
    import_extra("pyarrow")
    if kernels is None:
        if output_dir is None:
            raise BadArgument("name kernels to sweep, or the folder of a sweep to continue (output_dir=).")
        plan = Rows.open(output_dir).plan
    else:
        chosen = read_user_kernels(kernels, contract=contract, tile=tile, isa=isa, entry=entry,
                                   reads_before=reads_before,
                           reads_after=reads_after, define=define)
        plan = make_plan(chosen, measures=measures, cores=cores, shapes=shapes, caches=caches, data=data, seeds=seeds,
                         bugs=bugs, size=size, chunk=chunk)
    return fill(plan, output_dir, workers=workers, timeout=timeout, scheduler=scheduler, progress=progress)


def fill(plan: SweepPlan, output_dir: str | Path | None = None, *, workers: int | None = None, timeout: float = 60.0,
         scheduler: Any = None, progress: Progress | None = None) -> Rows:
    """Do what is missing of a definition. Arguments and errors as of `sweep`."""
    if not isinstance(timeout, int | float) or not 0 < timeout <= 1e6:
        raise BadArgument(f"timeout must be more than 0 seconds a row; got {timeout!r}.")
    count = None if workers is None else as_int(workers, "workers", 1, 4096)
    told = progress or (lambda done, doing: None)
    keep = tempfile.TemporaryDirectory(prefix="neonsim-sweep-") if output_dir is None else None
    rows = Rows.create(keep.name if keep else str(output_dir), plan)
    rows._keep = keep
    try:
        told(len(rows), "")
        if not rows.complete:
            do_missing(rows, count, float(timeout), scheduler, told)
    finally:
        rows.close()
    return rows
