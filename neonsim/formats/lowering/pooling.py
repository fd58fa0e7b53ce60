"""Pooling and means."""

from __future__ import annotations

from neonsim import ops
from neonsim.formats.lowering.base import Cannot, Kind, Lowering, image_of, padding_of, pair
from neonsim.formats.record import Entry
from neonsim.graph import Reshape

__all__ = ["KINDS"]


def _average_pool(of: Lowering, entry: Entry) -> None:
    x, pool, stride = of.stored(entry, 0), pair(entry, "pool"), pair(entry, "stride")
    operator = ops.AvgPool2d(of.scheme(x), pool=pool, out=of.scheme(of.result(entry)), stride=stride,
                             integer=of.rules.integer_pools,
                             padding=padding_of(entry, image_of(x), pool, stride, (1, 1)), **of.limits(entry))
    of.add(entry, operator, of.name(entry, 0))


def _max_pool(of: Lowering, entry: Entry) -> None:
    x, pool, stride = of.stored(entry, 0), pair(entry, "pool"), pair(entry, "stride")
    operator = ops.MaxPool2d(of.scheme(x), pool=pool, stride=stride,
                             padding=padding_of(entry, image_of(x), pool, stride, (1, 1)), **of.limits(entry))
    of.add(entry, operator, of.name(entry, 0))


def _mean(of: Lowering, entry: Entry) -> None:
    image = image_of(of.stored(entry, 0))
    axes = sorted(axis % 4 for axis in of.whole_numbers(entry, 1, "axes"))
    if axes != [1, 2]:
        raise Cannot(f"it takes the mean over axes {axes} of {list(image)}; over height and width is taken.")
    kept = bool(entry.attributes["keep_dims"])
    operator = ops.GlobalAvgPool(of.scheme(of.stored(entry, 0)), out=of.scheme(of.result(entry)),
                                 requantization=of.rules.kept_means if kept else of.rules.means)
    if kept:
        made = of.between(entry, "mean", operator, of.name(entry, 0))
        of.add(entry, Reshape(operator.gives, of.result(entry).shape), made)
    else:
        of.add(entry, operator, of.name(entry, 0))


KINDS: dict[str, Kind] = {
    "average_pool": _average_pool, "max_pool": _max_pool, "mean": _mean,
}
