"""The networks of `neonsim study networks`: every way on every core."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tqdm import tqdm  # type: ignore[import-untyped]

from neonsim.errors import BadArgument
from neonsim.graph import MODELS, model
from neonsim.graph.cycles import NetworkCycles, network_cycles
from neonsim.graph.execute import OperatorPlan
from neonsim.graph.network_study import WAYS, NetworkRung, NetworkStudy, Way
from neonsim.timing import load_core

from .networks import kernel_names

__all__ = ["CORES", "NETWORKS_SHOWN", "check_networks", "make_networks"]

CORES = ("cortex-a53", "cortex-a72", "cortex-a76")      # the boards', and one with the dot product
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
    networks = check_networks(options.network) or list(NETWORKS_SHOWN)
    skipped = []
    wanted: list[tuple[str, str, Way]] = []
    for name in chosen:
        core = load_core(name)
        for way in WAYS:
            if way.isa not in core.isas or (way.dot and "dotprod" not in core.features):
                skipped.append(f"{way.name} is left out on {name}: it has no "
                               f"{'dot product' if way.isa in core.isas else way.isa}.")
            else:
                wanted += [(network, name, way) for network in networks]
    order = sorted(wanted, key=lambda one: networks.index(one[0]))
    rungs = [_rung(*one) for one in tqdm(order, desc="networks", disable=True if options.json else None, leave=False)]
    return NetworkStudy(tuple(rungs), tuple(skipped))


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
