"""A program of any origin through the sweep of its contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from neonsim.arm.asm import Program
from neonsim.errors import BadArgument
from neonsim.ukernel import Case, Kernel, Tile
from neonsim.ukernel.cases import deep, stream

from .contract_run import CheckResult, ContractRun, Progress
from .target import KernelUnderTest, subject

__all__ = ["check"]


def check(source: str | Path | Program | Kernel | KernelUnderTest, contract: str | None = None, *,
          tile: str | Tile | None = None, isa: str | None = None, entry: str | None = None,
          reads_before: int | None = None, reads_after: int | None = None, include: Sequence[str | Path] = (),
          define: Mapping[str, str | int] | None = None, options: Sequence[str] = ("-O2",), size: str = "full",
          seed: int = 0, progress: Progress | None = None) -> CheckResult:
    """Run a kernel through its contract's sweep.

    source      a .S file, an object file, a kernel of the catalogue (`ns.kernel(...)`), a Program, or what `subject`
                made of one: all else that is known of it is left out then
    contract    its contract; a header line `//! contract: NAME` says it as well, so do `tile` and `isa`
    tile        "4x8": all smaller sizes are tried too
    entry       the function; left out, the one named as the file, or the only one
    options     for the compiler of C: optimisation, -march, -mfpu
    size        "full", or "quick": each edge at least once, and sums beyond 16 bits
    progress    called with (calls made since the last time, what is being done)
    ->          CheckResult; print it

    Raises BadArgument for what is not known of the kernel, AssemblyError for what cannot be read.

    >>> from neonsim.ukernel import kernel
    >>> bool(check(kernel("qu8_sumrows_4x__aarch32_neon"), size="quick"))
    True
    """
    if size not in ("full", "quick"):
        raise BadArgument(f'size must be "full" or "quick"; got {size!r}')
    what = source if isinstance(source, KernelUnderTest) else \
        subject(source, contract, tile=tile, isa=isa, entry=entry, reads_before=reads_before, reads_after=reads_after,
                include=include, define=define, options=options)
    def made(size: str) -> Iterator[Case]:
        few = stream(what.contract, what.tile, seed=seed, size=size)
        return chain(few, deep(what.contract, what.tile, seed=seed)) if size == "quick" else few

    return ContractRun(what, made, progress).run(size == "full")
