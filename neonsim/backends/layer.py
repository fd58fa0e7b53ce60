"""What an operator is to a network of the C library, before anything is known of the network around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["NativeLayer"]


@dataclass(frozen=True)
class NativeLayer:
    """A kind of layer, and the fields that are the operator's own.

    kind     str             a name of `neonsim.backends.network.kinds`
    fields   {name: value}   of `neonsim.backends.network.Layer.of`: windows, rounding, weights. output_min and
                             output_max count in the type of the result, as int8; sizes that are given here come before
                             those of the tensors

    Places, sizes and zero points of the tensors are filled in by whoever has them (`neonsim.graph.native`).
    """

    kind: str
    fields: Mapping[str, Any] = field(default_factory=dict)
