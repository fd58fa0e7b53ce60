"""The big and the LITTLE cores of the articles' phones: a network on either cluster, and split over both.

    big, LITTLE     all cores of one cluster share every layer
    even shares     all cores of both: as many threads as cores, each with as much of a layer; the slowest ends it
    one share       the big cluster takes the same part of every layer, the part that is best for the whole network
    share a layer   ... the part that is best for the layer, so that both clusters end together

A layer ends when its last thread does. Work can be cut anywhere, and threads cost nothing: real splits are slower.
Cycles are those of `neonsim.nn.graph.plan.cycles`, L1-warm, so what clusters share, memory first of all, is left out;
clocks are the highest of each core, which phones do not hold for long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neonsim.arm.timing import load_core
from neonsim.common.study_report import Bars, Report
from neonsim.nn.graph.plan.cycles import NetworkCycles
from neonsim.studies.networks.networks import WAYS, cycles_of

__all__ = ["PHONES", "Cluster", "ClusterSplit", "Phone", "phone_times", "phones_report"]

NETWORKS = ("mobilenet_v1", "mobilenet_v2")
WITHOUT, WITH_DOT = WAYS[-2:]       # int8 with a scale for each channel, AArch64


@dataclass(frozen=True)
class Cluster:
    """Cores of one kind.

    core     str            whose model prices them
    clocks   tuple[float]   GHz, of each core
    """

    core: str
    clocks: tuple[float, ...]

    def __str__(self) -> str:
        kinds = dict.fromkeys(self.clocks)
        return " + ".join(f"{self.clocks.count(clock)} x {clock}" for clock in kinds) + f" GHz {self.core}"


@dataclass(frozen=True)
class Phone:
    """Two clusters. `dot`: whether its cores have the dot product, which their models may have where they do not."""

    name: str
    chip: str
    big: Cluster
    little: Cluster
    dot: bool


# Source: (E25) and (D05) name the phones, (H08) tells what is in them.
PHONES = (
    Phone("Xiaomi Mi 6", "Snapdragon 835", Cluster("cortex-a73", (2.45,) * 4), Cluster("cortex-a53", (1.9,) * 4),
          False),
    Phone("Huawei Mate 20", "Kirin 980", Cluster("cortex-a76", (2.6, 2.6, 1.92, 1.92)),
          Cluster("cortex-a55", (1.8,) * 4), True),
    Phone("Pixel 3a", "Snapdragon 670", Cluster("cortex-a75", (2.0,) * 2), Cluster("cortex-a55", (1.7,) * 6), False),
    Phone("Pixel 4a", "Snapdragon 730G", Cluster("cortex-a76", (2.2,) * 2), Cluster("cortex-a55", (1.8,) * 6), True),
)


@dataclass(frozen=True)
class ClusterSplit:
    """A network on a phone: cycles of its layers on one core of either kind.

    cycles   tuple of (big, LITTLE), a pair a layer that kernels do
    """

    phone: Phone
    network: str
    cycles: tuple[tuple[float, float], ...]

    def _layers(self) -> list[tuple[float, float]]:
        """Milliseconds of each layer on all cores of a cluster."""
        big, little = (1e6 * sum(cluster.clocks) for cluster in (self.phone.big, self.phone.little))
        return [(a / big, b / little) for a, b in self.cycles]

    @property
    def big(self) -> float:
        """Milliseconds on the big cluster."""
        return sum(a for a, _ in self._layers())

    @property
    def little(self) -> float:
        """Milliseconds on the LITTLE cluster."""
        return sum(b for _, b in self._layers())

    @property
    def even(self) -> float:
        """Milliseconds if all cores of both clusters get equal shares."""
        clusters = (self.phone.big, self.phone.little)
        cores = sum(len(cluster.clocks) for cluster in clusters)
        slowest = [1e6 * min(cluster.clocks) for cluster in clusters]
        return sum(max(a / slowest[0], b / slowest[1]) for a, b in self.cycles) / cores

    def static(self, share: float) -> float:
        """Milliseconds if the big cluster takes this share of every layer, 0 to 1."""
        return sum(max(share * a, (1 - share) * b) for a, b in self._layers())

    @property
    def best_share(self) -> float:
        """The share with which `static` is least: one with which some layer ends on both clusters at once.

        Between two such shares the time is a straight line, so no other is better.
        """
        return min((b / (a + b) for a, b in self._layers()), key=self.static)

    @property
    def per_layer_split(self) -> float:
        """Milliseconds if every layer is cut so that both clusters end together."""
        return sum(a * b / (a + b) for a, b in self._layers())

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: milliseconds, and the big cluster's share."""
        phone = self.phone
        return {"phone": phone.name, "chip": phone.chip, "network": self.network, "dot_product": phone.dot,
                "big_core": phone.big.core, "big_clocks": list(phone.big.clocks), "little_core": phone.little.core,
                "little_clocks": list(phone.little.clocks), "big": self.big, "little": self.little, "even": self.even,
                "share": self.best_share, "one_share": self.static(self.best_share),
                "per_layer_split": self.per_layer_split}


def phone_times(core: str | None = None) -> tuple[ClusterSplit, ...]:
    """MobileNetV1 and V2, int8 with a scale for each channel, on all phones, or on those with a core of this kind.

    core   name or the end of one

    Raises UnknownCore for a name that is none.
    """
    wanted = None if core is None else load_core(core).name
    known: dict[tuple[str, str, bool], NetworkCycles] = {}
    found = []
    for phone in PHONES:
        if wanted not in (None, phone.big.core, phone.little.core):
            continue
        for network in NETWORKS:
            for cluster in (phone.big, phone.little):
                what = network, cluster.core, phone.dot
                if what not in known:
                    known[what] = cycles_of(network, cluster.core, WITH_DOT if phone.dot else WITHOUT)
            on_big, on_little = (known[network, cluster.core, phone.dot] for cluster in (phone.big, phone.little))
            pairs = tuple((a.cycles, b.cycles) for a, b in zip(on_big.layers, on_little.layers, strict=True)
                          if a.cycles and b.cycles)
            found.append(ClusterSplit(phone, network, pairs))
    return tuple(found)


def phones_report(splits: tuple[ClusterSplit, ...]) -> Report:
    """Milliseconds of each network on the clusters of each phone, as a table and bars."""
    phones = [f"{phone.name} ({phone.chip}): {phone.big}, {phone.little}; {'with' if phone.dot else 'without'} the dot "
              "product." for phone in dict.fromkeys(split.phone for split in splits)]
    table = (["phone", "network", "big", "LITTLE", "even", "one share", "a layer"],
             [[split.phone.name, split.network, f"{split.big:.2f}", f"{split.little:.2f}", f"{split.even:.2f}",
               f"{split.static(split.best_share):.2f} ({100 * split.best_share:.0f} % big)",
               f"{split.per_layer_split:.2f}"] for split in splits])
    bars = Bars("milliseconds", ("big", "LITTLE", "even", "one share", "a layer"),
                tuple((f"{split.phone.name}, {split.network}", (split.big, split.little, split.even,
                                                                split.static(split.best_share),
                                                                split.per_layer_split)) for split in splits))
    notes = "\n".join([
        *phones, "Modelled milliseconds, int8 with a scale for each channel, all cores of a cluster or of both.",
        "even: every core takes an equal share of each layer. one share: the big cluster takes the same part of every "
        "layer, the best one. a layer: the best part of each.",
        "Left out: memory, which the clusters share, the cost of threads, clocks that fall when a phone grows warm."])
    return Report("MobileNets on the big and the LITTLE cores of phones, and split over both (modelled)", notes, table,
                  bars, details={"splits": [split.to_dict() for split in splits]}, data=splits)
