"""What fused requantisation saves: results that leave the kernel as bytes, against sums that leave it as int32.

    fused      the whole depth in one call, requantised in registers, written as bytes: 1 byte a result
    two-pass   sums of a block of the depth are written as int32; every further block reads and writes them again; in
               the end a second pass reads them and writes bytes

Libraries that cut the depth into blocks work in two passes; QNNPACK takes the whole depth, which fits the cache in the
networks it is made for.

Source: (A13, A14, A15, A16).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.machine import Machine, Trace
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument, KernelFileError
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.ukernel import Kernel, kernels
from neonsim.ukernel.packing import pack_gemm
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["KernelTraffic", "fused_against_two_passes", "result_traffic", "traffic_table"]



@dataclass(frozen=True)
class KernelTraffic:
    """Bytes of results and sums that move between a kernel and memory.

    way            str     "fused" or "two-pass"
    blocks         int     of the depth
    bytes_read, bytes_written  int     bytes of results and sums
    instructions   int     of all calls          counted
    loaded         int     bytes of everything   counted
    """

    way: str
    blocks: int
    bytes_read: int
    bytes_written: int
    instructions: int
    loaded: int


def result_traffic(m: int, n: int, k: int, block: int | None = None) -> tuple[int, int]:
    """(bytes read, bytes written) of sums and results by formula: for a product of m x n, depth k in blocks.

    block   None: fused; else depths a call, in two passes

    Every block writes 4 * m * n and all but the first read as much; the second pass reads 4 * m * n and writes m * n.

    >>> result_traffic(4, 8, 1024), result_traffic(4, 8, 1024, 256)
    ((0, 32), (512, 544))
    """
    if block is None:
        return 0, m * n
    blocks = -(-k // as_int(block, "block", 1, 1 << 31))
    return 4 * m * n * blocks, 4 * m * n * blocks + m * n


def _only(contract: str, isa: str, tile: tuple[int, int] | None = None) -> Kernel:
    found = [k for k in kernels(contract, isa) if tile in (None, (k.tile.mr, k.tile.nr))]
    if not found:
        raise KernelFileError(f"There is no kernel of contract {contract} for {isa}.")
    return found[0]


class _Tile:
    """One tile of a product in a machine's memory, and what moved in and out of some of its buffers."""

    def __init__(self, isa: str) -> None:
        self.machine = Machine(isa=isa)
        self.instructions = self.loaded = 0
        self.moved = {False: 0, True: 0}

    def call(self, kernel: Kernel, *arguments: int, watched: tuple[str, ...]) -> None:
        trace = self.machine.call(kernel.program(), *arguments, entry=kernel.name, trace=True).trace
        assert isinstance(trace, Trace)
        self.instructions += trace.steps
        address, size = np.asarray(trace.access_address), np.asarray(trace.access_bytes, np.int64)
        stores = np.asarray(trace.access_store, bool)
        self.loaded += int(size[~stores].sum())
        for name in watched:
            buffer = self.machine.memory.buffer(name)
            inside = (address >= buffer.address) & (address < buffer.end)
            for store in (False, True):
                self.moved[store] += int(size[inside & (stores == store)].sum())

    def place(self, name: str, data: NDArray[np.uint8] | bytes) -> int:
        array = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
        return self.machine.memory.place(array, name, reads_before=8, readonly=True)


def fused_against_two_passes(k: int = 512, block: int = 128, isa: str = "aarch64",
                             seed: int = 0) -> tuple[KernelTraffic, KernelTraffic]:
    """Run one tile both ways on the emulated machine and count; both must give the same bytes.

    k, block   int   depth, and depths of a block in the second way
    isa        str   aarch64 (8x8 tiles) or aarch32 (4x8)
    ->         (Traffic fused, Traffic two-pass)

    Raises BadArgument for sizes below 1, KernelFileError where the kernels are not there.

    >>> fused, split = fused_against_two_passes(32, 16)
    >>> (fused.bytes_read, fused.bytes_written), (split.bytes_read, split.bytes_written) == result_traffic(8, 8, 32, 16)
    ((0, 64), True)
    """
    depth, step = as_int(k, "k", 1, 1 << 16), as_int(block, "block", 1, 1 << 16)
    if isa not in ("aarch32", "aarch64"):
        raise BadArgument(f"isa is aarch32 or aarch64, not {isa!r}.")
    mr, nr = (8, 8) if isa == "aarch64" else (4, 8)
    rng = np.random.default_rng(seed)
    a, w = rng.integers(0, 256, (mr, depth), np.uint8), rng.integers(0, 256, (nr, depth), np.uint8)
    bias = rng.integers(-1000, 1000, nr).astype(np.int32)
    params = Q31Params.from_scale(0.02 / np.sqrt(depth), a_zero_point=120, w_zero_point=131, output_zero_point=128)
    points = {"a_zero_point": 120, "w_zero_point": 131}

    one = _Tile(isa)
    c = one.machine.memory.alloc(mr * nr, "c")
    one.call(_only("qu8_gemm_q31", isa, (mr, nr)), mr, nr, depth, one.place("a", a), depth,
             one.place("w", pack_gemm(w, bias, nr=nr, **points).data), c, nr, one.place("params", block_of(params)),
             watched=("c",))

    two = _Tile(isa)
    memory = two.machine.memory
    sums, c, block_params = memory.alloc(4 * mr * nr, "sums"), memory.alloc(mr * nr, "c"), two.place("params",
                                                                                                     block_of(params))
    address = two.place("a", a)
    for first in range(0, depth, step):
        part = slice(first, min(first + step, depth))
        packed = pack_gemm(w[:, part], bias if first == 0 else np.zeros(nr, np.int32), nr=nr, **points)
        two.call(_only("qu8_gemm_s32", isa, (mr, nr)), mr, nr, part.stop - part.start, address + first, depth,
                 two.place(f"w{first}", packed.data), sums, 4 * nr, int(first > 0), block_params, watched=("sums",))
    two.call(_only("qu8_requantize_q31", isa), mr * nr, sums, c, block_params, watched=("sums", "c"))
    if not np.array_equal(one.machine.memory.fetch("c"), memory.fetch("c")):
        raise KernelFileError("the two methods give different bytes, so a kernel is wrong.")
    return (KernelTraffic("fused", 1, one.moved[False], one.moved[True], one.instructions, one.loaded),
            KernelTraffic("two-pass", -(-depth // step), two.moved[False], two.moved[True], two.instructions,
                          two.loaded))


def traffic_table(rows: tuple[KernelTraffic, ...]) -> str:
    """Side by side, as text."""
    lines = [f"{'':<10}{'blocks':>8}{'sums and results read':>24}{'written':>10}{'instructions':>14}"
             f"{'loaded in all':>15}"]
    lines += [f"{t.way:<10}{t.blocks:>8}{t.bytes_read:>24}{t.bytes_written:>10}{t.instructions:>14}{t.loaded:>15}"
              for t in rows]
    return "\n".join([*lines, "one tile; everything is counted, in bytes"])
