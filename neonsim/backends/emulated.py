"""The emulated backend: kernel files run on the emulated machine, every tile of a product in lock-step.

A product of m x n is cut into tiles of the kernel's mr x nr. Tiles of one size run together, so there are at most four
runs: the full tiles, the last rows, the last columns, the corner.

                nr   nr   nr  rest
              +----+----+----+--+
          mr  | 1  | 1  | 1  |2 |      1  full tiles           grid (m / mr) x (n / nr)
          mr  | 1  | 1  | 1  |2 |      2  fewer columns        grid (m / mr) x 1
              +----+----+----+--+
        rest  | 3  | 3  | 3  |4 |      3  fewer rows           grid 1 x (n / nr)
              +----+----+----+--+      4  both                 grid 1 x 1

Every tile gets the arguments that the contract names, at addresses that step evenly over the grid. The kernel that
multiplies raw bytes needs row sums first: the row-sum kernel of the same instruction set makes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.backends import GemmResult, NamedKernel, TileTrace
from neonsim.errors import BackendError, BadArgument
from neonsim.machine import Grid, Machine
from neonsim.packing import PackedWeights, pack_gemm, pack_gemm_xzp
from neonsim.quant.fixedpoint import as_int
from neonsim.quant.requant import GemmParams, Q31Params
from neonsim.ukernel import Kernel, kernels

__all__ = ["EmulatedBackend"]

_DEFAULT = "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"
_SWIZZLED = "qu8_gemm_xzp_q31"
_SUMS = "qu8_sumrows"
_SWIZZLE_DEPTH = 8  # depths within which the weights of the swizzled kernels are turned (P04)


@dataclass(frozen=True)
class _Part:
    """Tiles of one size: where the first one is, how many there are, how large each is."""

    row: int
    column: int
    rows: int
    columns: int
    mr: int
    nr: int


def _parts(m: int, n: int, mr: int, nr: int) -> Iterator[_Part]:
    for row, rows, height in ((0, m // mr, mr), (m - m % mr, 1, m % mr)):
        for column, columns, width in ((0, n // nr, nr), (n - n % nr, 1, n % nr)):
            if rows and height and columns and width:
                yield _Part(row, column, rows, columns, height, width)


class _Job:
    """One product in the memory of one machine: operands placed, any part of it can be run."""

    def __init__(self, kernel: Kernel, lhs: NDArray[np.uint8], packed: PackedWeights, params: Q31Params) -> None:
        self.kernel, self.packed = kernel, packed
        self.m, self.k = lhs.shape
        self.n = packed.n
        self.machine = Machine(isa=kernel.isa)
        memory = self.machine.memory
        # A kernel reads before a row only for its last depths; one allowance serves both kernels of the product.
        sums = _row_sums_kernel(kernel)
        before = max(k.header.reads_before for k in (kernel, sums) if k is not None)
        self.a = memory.place(np.ascontiguousarray(lhs), name="a", reads_before=before, readonly=True)
        self.w = memory.place(packed.data, name="w", readonly=True)
        self.params = memory.place(np.frombuffer(params.block(), np.uint8), name="params", readonly=True)
        self.c = memory.alloc(self.m * self.n, name="c")
        self.a_sum = 0
        if sums is not None:
            self.a_sum = memory.alloc(4 * self.m, name="a_sum")
            self.add_rows(sums, -params.w_zero_point)

    def add_rows(self, sums: Kernel, multiplier: int) -> None:
        """Run the row-sum kernel over all rows."""
        for part in _parts(self.m, 1, sums.tile.mr, 1):
            first = part.row + np.arange(part.rows)[:, np.newaxis] * sums.tile.mr
            self.call(sums, Grid(part.rows, 1), {
                "a": self.a + first * self.k, "m": part.mr, "k": self.k, "stride": self.k,
                "multiplier": multiplier & 0xFFFFFFFF, "sums": self.a_sum + 4 * first})

    def arguments(self, part: _Part) -> dict[str, Any]:
        """What the contract names, for every tile of a part: numbers, and addresses [rows, columns]."""
        rows = part.row + np.arange(part.rows)[:, np.newaxis] * self.kernel.tile.mr
        columns = part.column + np.arange(part.columns)[np.newaxis, :] * self.packed.nr
        blocks = columns // self.packed.nr * self.packed.layout.block_bytes
        return {"mr": part.mr, "nr": part.nr, "kc": self.k, "a": self.a + rows * self.k, "a_stride": self.k,
                "a_sum": self.a_sum + 4 * rows, "w": self.w + blocks, "c": self.c + rows * self.n + columns,
                "c_stride": self.n, "params": self.params}

    def call(self, kernel: Kernel, grid: Grid | None, values: dict[str, Any], trace: bool = False) -> Any:
        """Call a kernel with its contract's arguments in order, taken by name."""
        names = [argument.name for argument in kernel.contract.arguments]
        found = [values[name] for name in names]
        if grid is None:
            found = [int(np.asarray(value).reshape(())) for value in found]
            return self.machine.call(kernel.program(), *found, entry=kernel.name, trace=trace)
        shape = (grid.rows, grid.cols)
        found = [np.broadcast_to(v, shape) if isinstance(v, np.ndarray) else v for v in found]
        return self.machine.call(kernel.program(), *found, entry=kernel.name, tiles=grid, trace=trace)

    def result(self) -> NDArray[np.uint8]:
        """The product as it stands in memory."""
        return self.machine.memory.fetch("c", dtype="uint8", shape=(self.m, self.n))


def _row_sums_kernel(kernel: Kernel) -> Kernel | None:
    """The kernel that makes the row sums which this one takes, None if it takes none."""
    if kernel.contract.name != _SWIZZLED:
        return None
    found = kernels(contract=_SUMS, isa=kernel.isa)
    if not found:
        raise BackendError(f"{kernel.name} needs row sums, and there is no {_SUMS} kernel for {kernel.isa}.")
    return found[0]


class EmulatedBackend:
    """Kernels/*.S on the emulated machine, whole products in lock-step; single tiles with a trace."""

    name = "emulated"

    def available(self) -> str | None:
        """Always: the machine is numpy."""
        return None

    def kernels(self) -> tuple[str, ...]:
        """Every kernel of the catalogue that is a matrix product, the default first."""
        found = [k.name for k in kernels() if k.tile.nr is not None]
        return tuple(sorted(found, key=lambda name: (name != _DEFAULT, name)))

    def refuses(self, params: GemmParams, kernel: str | NamedKernel | None = None) -> str | None:
        """Other schemes than Q31 on uint8, and kernels that are no matrix product."""
        if _kernel(kernel) is None:
            name = kernel if isinstance(kernel, str) else getattr(kernel, "name", kernel)
            return f"it has no kernel {name!r} for matrix products; it has {', '.join(self.kernels())}."
        if not isinstance(params, Q31Params):
            return ("its kernels take uint8 operands, one scale below 1 and Q31 requantisation only; "
                    "backend='reference' takes everything.")
        return None

    def pack(self, weights: NDArray[Any], bias: NDArray[np.int32], params: GemmParams,
             kernel: str | NamedKernel | None = None) -> PackedWeights:
        """Weights [n, k] and bias [n] in the layout of the kernel."""
        chosen = self._require(params, kernel)
        zero_points = {"a_zero_point": params.a_zero_point, "w_zero_point": params.w_zero_point}
        nr, kr = chosen.tile.nr, chosen.tile.kr
        assert nr is not None
        if chosen.contract.name == _SWIZZLED:
            return pack_gemm_xzp(weights, bias, nr=nr, kr=kr, sr=_SWIZZLE_DEPTH, **zero_points)
        return pack_gemm(weights, bias, nr=nr, kr=kr, **zero_points)

    def gemm(self, lhs: NDArray[Any], packed: PackedWeights, params: GemmParams, *, threads: int = 1,
             kernel: str | NamedKernel | None = None) -> GemmResult:
        """Compute every tile of the product by the kernel, in lock-step."""
        chosen = self._require(params, kernel)
        job = self._job(chosen, lhs, packed, params)
        assert chosen.tile.nr is not None
        for part in _parts(job.m, job.n, chosen.tile.mr, chosen.tile.nr):
            job.call(chosen, Grid(part.rows, part.columns), job.arguments(part))
        return GemmResult(job.result(), chosen.name)

    def trace_tile(self, lhs: NDArray[Any], packed: PackedWeights, params: GemmParams, *, row: int = 0,
                   column: int = 0, kernel: str | NamedKernel | None = None) -> TileTrace:
        """Run the tile that holds element (row, column) of the product, alone, with a full trace."""
        chosen = self._require(params, kernel)
        job = self._job(chosen, lhs, packed, params)
        mr, nr = chosen.tile.mr, chosen.tile.nr
        assert nr is not None
        first_row = as_int(row, "row", 0, job.m - 1) // mr * mr
        first_column = as_int(column, "column", 0, job.n - 1) // nr * nr
        part = _Part(first_row, first_column, 1, 1, min(mr, job.m - first_row), min(nr, job.n - first_column))
        arguments = job.arguments(part)
        done = job.call(chosen, None, arguments, trace=True)
        values = job.result()[first_row:first_row + part.mr, first_column:first_column + part.nr]
        return TileTrace(chosen.name, done.trace, first_row, first_column, part.mr, part.nr, values.copy(),
                         int(arguments["c"].reshape(())), job.n)

    def _require(self, params: GemmParams, kernel: str | NamedKernel | None) -> Kernel:
        reason = self.refuses(params, kernel)
        chosen = _kernel(kernel)
        if reason is not None or chosen is None:
            raise BackendError(f"The emulated backend cannot do this: {reason}")
        return chosen

    def _job(self, kernel: Kernel, lhs: NDArray[Any], packed: PackedWeights, params: GemmParams) -> _Job:
        if lhs.dtype != np.uint8 or lhs.ndim != 2 or 0 in lhs.shape or lhs.shape[1] != packed.k:
            raise BadArgument(f"lhs must be uint8 [m, {packed.k}], m at least 1; got {lhs.dtype} {list(lhs.shape)}.")
        expected = (kernel.tile.nr, kernel.tile.kr, _SWIZZLE_DEPTH if kernel.contract.name == _SWIZZLED else 1)
        if (packed.nr, packed.kr, packed.sr) != expected:
            raise BackendError(f"These weights are packed for nr {packed.nr}, kr {packed.kr}, sr {packed.sr}; "
                               f"{kernel.name} reads nr, kr, sr = {expected}. Pack them with this backend and kernel.")
        assert isinstance(params, Q31Params)
        zero_points = (params.a_zero_point, params.w_zero_point)
        if (packed.a_zero_point, packed.w_zero_point) != zero_points:
            raise BackendError(f"These weights are packed for zero points {packed.a_zero_point} and "
                               f"{packed.w_zero_point}, the parameters say {zero_points[0]} and {zero_points[1]}.")
        return _Job(kernel, lhs, packed, params)


def _kernel(kernel: str | NamedKernel | None) -> Kernel | None:
    """The kernel that is meant, None if it is none that multiplies matrices.

    A Kernel object is taken as it is, also when its file is not the catalogue's: a student's copy, a planted bug.
    """
    if not isinstance(kernel, Kernel):
        name = _DEFAULT if kernel is None else kernel if isinstance(kernel, str) else kernel.name
        found = {k.name: k for k in kernels()}.get(name)
    else:
        found = kernel
    return found if found is not None and found.tile.nr is not None else None
