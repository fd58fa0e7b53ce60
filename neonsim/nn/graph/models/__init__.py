"""Networks by name; the shapes are the published ones, weights seeded random, and one network with trained weights.

    name            what                             operators   MACs          facts
    mobilenet_v1    MobileNetV1 1.0, 224x224         29          568 741 376   (W01)
    mobilenet_v2    MobileNetV2 1.0, 224x224         64          300 775 552   (W02)
    squeezenet      SqueezeNet 1.1, 224x224                                    (H03)
    resnet18        ResNet-18, 224x224                                         (H03)
    shufflenet_v1   ShuffleNetV1 1.0, 3 groups                                 (H03)
    inception_v3    Inception-v3, 299x299            120         5 713 216 096 (W28)
    digits          handwritten digits, 28x28        7               129 752   (M23)

The weights of digits are trained, and it takes `quantization` alone. Every other takes `size` (height and width of the
image), `quantization` and `seed`; the MobileNets and Inception-v3 `width` as well.

    quantization   activations            weights                          requantisation
    qu8            uint8, per tensor      uint8, one scale, zero point     q31    (QNNPACK)
    qs8            int8, per tensor       int8, one scale, zero point 0    fp32   (XNNPACK)
    qc8w           int8, per tensor       int8, one scale per channel      fp32   (XNNPACK)
    f32            float32                float32                          none: `neonsim.nn.graph.quantize` starts here
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any

from neonsim.errors import BadArgument
from neonsim.nn.graph.graph import Graph
from neonsim.nn.graph.models.mobilenet import mobilenet_v1, mobilenet_v2
from neonsim.nn.graph.models.resnet_squeezenet import resnet18, shufflenet_v1, squeezenet

__all__ = ["MODELS", "PUBLISHED", "mobilenet_v1", "mobilenet_v2", "model", "options_of", "resnet18", "shufflenet_v1",
           "squeezenet"]

# A function in a file's ``NETWORKS`` is found because it is there.
MODELS: dict[str, Callable[..., Graph]] = {
    function.__name__: function for module in pkgutil.iter_modules(__path__)
    for function in getattr(importlib.import_module(f"{__name__}.{module.name}"), "NETWORKS", ())}


def options_of(name: str) -> tuple[str, ...]:
    """What a network takes: see `model`."""
    return tuple(inspect.signature(MODELS[name]).parameters)


# Those of published shapes, with weights by chance.
PUBLISHED = tuple(name for name in MODELS if "size" in options_of(name))


def model(name: str, **options: Any) -> Graph:
    """The network of that name. Raises BadArgument naming those there are, and for options that it does not take.

    >>> model("mobilenet_v1", width=0.25, size=32)
    <Graph mobilenet_v1: 29 nodes, 1088384 MACs>
    """
    if name not in MODELS:
        raise BadArgument(f"Unknown network {name!r}. Use {', '.join(MODELS)}.")
    for option in options:
        if option not in options_of(name):
            raise BadArgument(f"{name} takes {', '.join(options_of(name))}; no {option}.")
    return MODELS[name](**options)
