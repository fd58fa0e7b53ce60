"""PyTorch's quantised operators by each of its engines, QNNPACK among them: a traced module, channels last.

fbgemm, which the engine x86 takes for some layers, adds pairs of products of depthwise layers in 16 bits: with weights
of 8 bits they overflow. It is as fast with them as with the 7 bits it asks for.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from neonsim.common.class_table import ClassTable
from neonsim.errors import BackendError
from neonsim.nn.graph import Graph
from neonsim.nn.graph.graph import Node
from neonsim.nn.ops import Add, Conv2d, FullyConnected, GlobalAvgPool
from neonsim.quant.scheme import Quantized

from .base import PreparedNetwork, as_type, centered, check_limits

__all__ = ["TorchFbgemm", "TorchOnednn", "TorchQnnpack", "TorchX86"]


class _Torch:
    """One engine. Activations are uint8; weights int8, per channel where their scales differ."""

    engine: ClassVar[str]

    def __init__(self) -> None:
        self._torch: Any = importlib.import_module("torch")
        self.name = f"torch-{self.engine} {self._torch.__version__}"

    def prepare(self, graph: Graph, x: Quantized, threads: int) -> PreparedNetwork:
        """Pack every layer for the engine and trace the whole."""
        torch = self._torch
        supported = getattr(torch.backends.quantized, "supported_engines", [])
        if self.engine not in supported:
            raise BackendError(f"this PyTorch has no engine {self.engine}; it has {', '.join(supported) or 'none'}")
        for node in graph.nodes:
            if _CALLS.find(node.operator) is None:
                raise BackendError(f"neonsim does not run {node.kind} with it")
            check_limits(graph, node)
        self._engine()
        torch.set_num_threads(threads)
        try:
            with warnings.catch_warnings(), torch.no_grad():
                warnings.simplefilter("ignore")     # that this whole part of PyTorch is to go one day
                given = self._input(graph, x)
                module = self._module(graph).eval()
                traced = torch.jit.freeze(torch.jit.trace(module, given, check_trace=False))
                for _ in range(3):      # the first runs optimise
                    traced(given)
        except BackendError:
            raise
        except Exception as problem:  # whatever that library raises
            raise BackendError(f"torch cannot run it: {str(problem).splitlines()[0][:160]}") from None
        last: list[Any] = [None]

        def run() -> None:
            self._engine()      # one of its operators asks for it at each run
            with torch.no_grad():
                last[0] = traced(given)

        return PreparedNetwork(run, lambda: _nhwc(last[0].int_repr().numpy()))

    def _engine(self) -> None:
        self._torch.backends.quantized.engine = self.engine

    def _input(self, graph: Graph, x: Quantized) -> Any:
        torch = self._torch
        scheme = as_type(graph.scheme("input"), "uint8")
        values = np.ascontiguousarray(x.values)
        raw = values.view(np.uint8) ^ np.uint8(0x80) if values.dtype == np.int8 else values
        real = torch.from_numpy((raw.astype(np.float32) - scheme.zero_point) * np.float32(scheme.scale))
        if real.dim() == 4:
            real = real.permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)
        return torch.quantize_per_tensor(real, float(scheme.scale), scheme.zero_point, torch.quint8)

    def _pack(self, graph: Graph, node: Node) -> Any:
        torch = self._torch
        operator: Any = node.operator
        values, scales = centered(operator)
        real_bias = operator.bias.astype(np.float64) * float(graph.scheme(node.inputs[0]).scale) * scales
        bias = torch.from_numpy(real_bias.astype(np.float32))
        whole = torch.from_numpy(np.ascontiguousarray(values if values.ndim == 2 else values.transpose(0, 3, 1, 2)))
        if np.ptp(scales) == 0:
            w = torch._make_per_tensor_quantized_tensor(whole, float(scales[0]), 0)
        else:
            zeros = torch.zeros(scales.size, dtype=torch.int64)
            w = torch._make_per_channel_quantized_tensor(whole, torch.from_numpy(scales.astype(np.float64)), zeros, 0)
        if operator.product_kind == "rows":
            return torch.ops.quantized.linear_prepack(w, bias)
        shape = operator.shape(graph.tensors[node.inputs[0]].shape)
        if any(before != after for before, after in shape.padding):
            raise BackendError(f"it pads both sides equally, but {node.name} pads one side more. Use --padding even")
        if operator.groups == 1 and max(shape.kernel) > 1:
            w = w.contiguous(memory_format=torch.channels_last)
        pads = [before for before, _ in shape.padding]
        return torch.ops.quantized.conv2d_prepack(w, bias, list(shape.stride), pads, list(shape.dilation),
                                                  operator.groups)

    def _module(self, graph: Graph) -> Any:
        torch = self._torch
        packed = {n.name: self._pack(graph, n) for n in graph.nodes if n.operator.product_kind}
        schemes = {n.name: as_type(graph.scheme(n.name), "uint8") for n in graph.nodes}

        class Net(torch.nn.Module):  # type: ignore[misc, name-defined]  # torch is known when this runs
            """The graph; weights are attributes, which is what tracing keeps."""

            def __init__(self) -> None:
                super().__init__()
                for name, weights in packed.items():
                    setattr(self, f"w_{name}", weights)

            def forward(self, x: Any) -> Any:
                done = {"input": x}
                for node in graph.nodes:
                    inputs = [done[i] for i in node.inputs]
                    to = float(schemes[node.name].scale), int(schemes[node.name].zero_point)
                    make = _CALLS.find(node.operator)
                    assert make is not None     # `prepare` refuses others
                    done[node.name] = make(torch, inputs, getattr(self, f"w_{node.name}", None), to)
                return done[graph.output]

        return Net()


# What it is given: of (torch, inputs, packed weights, scale and zero point of the result).
_CALLS = ClassTable[Callable[[Any, list[Any], Any, tuple[float, int]], Any]]({
    Conv2d: lambda torch, inputs, w, to: torch.ops.quantized.conv2d(inputs[0], w, *to),
    FullyConnected: lambda torch, inputs, w, to: torch.ops.quantized.linear(inputs[0], w, *to),
    Add: lambda torch, inputs, w, to: torch.ops.quantized.add(*inputs, *to),
    # Its result keeps the scale of the input; the next layer reads it from the tensor.
    GlobalAvgPool: lambda torch, inputs, w, to: torch.flatten(
        torch.nn.functional.adaptive_avg_pool2d(inputs[0], (1, 1)), 1),
})


def _nhwc(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return values.transpose(0, 2, 3, 1) if values.ndim == 4 else values


class TorchOnednn(_Torch):
    """oneDNN."""

    engine = "onednn"


class TorchX86(_Torch):
    """fbgemm or oneDNN, by layer."""

    engine = "x86"


class TorchFbgemm(_Torch):
    """fbgemm."""

    engine = "fbgemm"


class TorchQnnpack(_Torch):
    """QNNPACK itself; on x86 with SSE2 kernels."""

    engine = "qnnpack"
