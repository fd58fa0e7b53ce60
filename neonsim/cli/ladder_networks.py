"""The networks of `neonsim study networks`: every way on every core."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tqdm import tqdm  # type: ignore[import-untyped]

from neonsim.errors import BadArgument
from neonsim.graph import MODELS, model
from neonsim.graph.cycles import NetworkCycles, network_cycles
from neonsim.graph.execute import OperatorPlan
from neonsim.graph.family_study import FamilyStudy
from neonsim.graph.network_study import WAYS, NetworkRung, NetworkStudy, Way
from neonsim.timing import load_core

from .networks import kernel_names

__all__ = ["CORES", "CORES_OF_FAMILIES", "FAMILIES", "NETWORKS_SHOWN", "check_networks", "make_families",
           "make_networks"]

CORES = ("cortex-a53", "cortex-a72", "cortex-a76")      # the boards', and one with the dot product
CORES_OF_FAMILIES = ("cortex-a53", "cortex-a55", "cortex-a72", "cortex-a76", "neoverse-n1")
FAMILIES = (*WAYS[:-1], Way("qc8w A32 dot product", "qc8w", "aarch32", dot=True), WAYS[-1],
            Way("qc8w matrix product", "qc8w", "aarch64", dot=True, matrix=True))
NETWORKS_SHOWN = ("mobilenet_v1", "mobilenet_v2")


def check_networks(given: str | None) -> list[str]:
    """Names with commas. Raises BadArgument for one that is none."""
    networks = given.split(",") if given else []
    unknown = [name for name in networks if name not in MODELS]
    if unknown:
        raise BadArgument(f"there is no network {unknown[0]!r}; there are {', '.join(MODELS)}.")
    return networks


def make_networks(names: Sequence[str], options: argparse.Namespace) -> NetworkStudy:
    """The study; without --core on a few cores, without --network of the MobileNets."""
    chosen = names if options.core else [name for name in names if name in CORES]
    return NetworkStudy(*_rungs(chosen, WAYS, options))


def make_families(names: Sequence[str], options: argparse.Namespace) -> FamilyStudy:
    """All families of Arm kernels; without --core on the boards' cores and three with the dot product."""
    chosen = tuple(names if options.core else (name for name in CORES_OF_FAMILIES if name in names))
    rungs, skipped = _rungs(chosen, FAMILIES, options)
    return FamilyStudy(rungs, chosen, skipped)


def _rungs(cores: Sequence[str], ways: Sequence[Way],
           options: argparse.Namespace) -> tuple[tuple[NetworkRung, ...], tuple[str, ...]]:
    """Every network by every way that a core can go; and a sentence for each that it cannot."""
    networks = check_networks(options.network) or list(NETWORKS_SHOWN)
    skipped = []
    wanted: list[tuple[str, str, Way]] = []
    for way in ways:
        for name in cores:
            core = load_core(name)
            lacks = way.isa if way.isa not in core.isas else way.lacks(core.features)
            if lacks:
                skipped.append(f"{way.name} is left out on {name}: it has no {lacks}.")
            else:
                wanted += [(network, name, way) for network in networks]
    order = sorted(wanted, key=lambda one: (networks.index(one[0]), cores.index(one[1])))
    rungs = [_rung(*one) for one in tqdm(order, desc="networks", disable=True if options.json else None, leave=False)]
    return tuple(rungs), tuple(skipped)


def _rung(network: str, core: str, way: Way) -> NetworkRung:
    # Kernels without the dot product, on a core that has it: those of any core.
    chosen_for = core if way.dot or "dotprod" not in load_core(core).features else None
    plan = model(network, quantization=way.quantization).plan("emulated", isa=way.isa, core=chosen_for)
    assert isinstance(plan, OperatorPlan)
    found = network_cycles(plan, core)
    return NetworkRung(way.name, _main_kernel(found), found)


def _main_kernel(found: NetworkCycles) -> str:
    """The kernel of most cycles, layers with several counted for the last, which multiplies."""
    cycles: dict[str, float] = {}
    for layer in found.layers:
        if layer.cycles is not None:
            cycles[layer.kernels[-1]] = cycles.get(layer.kernels[-1], 0.0) + layer.cycles
    return kernel_names((max(cycles, key=lambda name: cycles[name]),))
