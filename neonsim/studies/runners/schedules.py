"""The loops of `neonsim study schedules`: every kernel ordered for a core, its plain version; depthwise and bounds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import cache

from tqdm import tqdm  # type: ignore[import-untyped]

from neonsim.arm.timing import CoreFilter, Requirements, Timing, cores, requirements_of, time
from neonsim.arm.timing.stream import longest_loop, stream_of
from neonsim.studies.kernels import Report, SchedulePair, schedules
from neonsim.ukernel import kernel, kernels

__all__ = ["depthwise_pairs", "make_schedules", "pairs_of", "product_pairs"]

# One contract of each kind: the others have the same loops, and another end.
PRODUCTS, DEPTHWISE = "qs8_gemm_rndnu", "qs8_dwconv_rndnu"
# Dot product kernels have no plain one: they are named by how much they load at once. This is the default.
_DEFAULT = "neondot_ld64"


@cache
def _loop(name: str, core: str) -> Timing:
    program = kernel(name).program()
    return time(stream_of(program, entry=longest_loop(program)), core=core)


def pairs_of() -> dict[str, tuple[str, str]]:
    """Kernel -> (the plain kernel of its tile, the core it is made for or nothing)."""
    names = {k.name for k in kernels(PRODUCTS)}
    ends = {f"_{core.replace('-', '_')}": core for core in cores()}
    found = {}
    for name in sorted(names):
        end = next((end for end in ends if name.endswith(end)), "")
        plain = name.removesuffix(end or "_prfm")
        if plain.endswith("__aarch64_neondot"):
            plain = plain.replace("neondot", _DEFAULT)
        if plain != name and plain in names:
            found[name] = (plain, ends.get(end, ""))
    return found


def product_pairs(names: Sequence[str], cores: CoreFilter | None = None) -> list[SchedulePair]:
    """Return the scheduled product kernels over their plain ones, on those of these cores that can run them."""
    cores = cores or CoreFilter()
    return [SchedulePair(name, plain, home, {core: _each(name, core) / _each(plain, core)
                                             for core in cores.cores(names, _needs(name))})
            for name, (plain, home) in tqdm(pairs_of().items(), desc="products", disable=None, leave=False)]


def depthwise_pairs(names: Sequence[str], cores: CoreFilter | None = None) -> list[SchedulePair]:
    """Return the depthwise kernels of int8 over their bound."""
    cores = cores or CoreFilter()
    return [SchedulePair(k.name, "bound", "",
                         {core: _over_bound(k.name, core) for core in cores.cores(names, _needs(k.name))})
            for k in tqdm(kernels(DEPTHWISE), desc="depthwise", disable=None, leave=False)]


def make_schedules(names: Sequence[str], options: argparse.Namespace) -> Report:
    """Return the study on these cores; cores that cannot run a kernel are left out of its row, and said."""
    able = CoreFilter()
    return schedules([*product_pairs(names, able), *depthwise_pairs(names, able)], names, able.sentences())


def _needs(name: str) -> Requirements:
    one = kernel(name)
    return requirements_of(one.program(), name, [one.feature])


def _each(name: str, core: str) -> float:
    """Modelled cycles a product."""
    return 1 / float(_loop(name, core).macs_per_cycle)


def _over_bound(name: str, core: str) -> float:
    loop = _loop(name, core)
    return float(loop.cycles_per_iteration) / (loop.bounds.highest / loop.bounds.per)
