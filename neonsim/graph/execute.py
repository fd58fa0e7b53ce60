"""Running a graph: operator after operator on any backend, or as one call of the C library.

    reference   every operator by its definition, in numpy
    emulated    every operator's kernels on the emulated machine
    native      the whole network in C: packed once, then one call and no allocation   (neonsim.graph.native)

`operators=True` runs the native backend operator by operator instead, through the kernels of the contracts: slower,
and the judge of the fast path.
"""

from __future__ import annotations

import warnings
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from neonsim.backends import candidates
from neonsim.errors import BackendError, BadArgument, OutOfMemory, UnsupportedHardware
from neonsim.graph.graph import Concat, Graph
from neonsim.integers import as_int
from neonsim.ops import Operator, Plan
from neonsim.quant.scheme import Quantized
from neonsim.turns import OneAtATime, in_turn

__all__ = ["OperatorPlan", "Runnable", "check_network_input", "plan", "random_input"]


class Runnable(Protocol):
    """A graph that is ready to run."""

    @property
    def graph(self) -> Graph:
        """What it computes."""
        ...

    @property
    def backend(self) -> str:
        """The backend that computes it."""
        ...

    @property
    def refusals(self) -> tuple[str, ...]:
        """What quicker ways said that were asked first."""
        ...

    def run(self, x: Quantized | None = None, threads: int = 1) -> Quantized:
        """The result for an input; None: what was there before."""
        ...

    def tensor(self, name: str) -> Quantized:
        """What a tensor held after the last run. Raises BadArgument for one whose place was used again."""
        ...


def check_network_input(graph: Graph, x: Any) -> Quantized:
    """The input of a graph, if it fits. Raises BadArgument otherwise."""
    tensor = graph.tensors["input"]
    if not isinstance(x, Quantized):
        raise BadArgument(f"the input of {graph.name} must be a Quantized; got {type(x).__name__}.")
    if x.axis is not None or x.scheme != tensor.scheme or x.shape != tensor.shape:
        raise BadArgument(f"{graph.name} takes {list(tensor.shape)} of {tensor.scheme}; got {list(x.shape)} of "
                          f"{x.scheme}.")
    return x


def random_input(graph: Graph, seed: int = 0) -> Quantized:
    """A seeded random input: smooth shapes and noise, over the whole range of the type.

    ->   Quantized of the input's shape and scheme

    Raises BadArgument for a seed that is no number from 0 on.
    """
    tensor = graph.tensors["input"]
    rng = np.random.default_rng(as_int(seed, "seed", 0, 2**64 - 1))
    info = np.iinfo(tensor.scheme.dtype)
    image: NDArray[np.float64] = rng.uniform(-0.3, 0.3, tensor.shape)
    if len(tensor.shape) == 4:
        n, h, w, c = tensor.shape
        y, x = np.linspace(0, 1, h)[:, None, None], np.linspace(0, 1, w)[None, :, None]
        for _ in range(4):
            fy, fx, phase = rng.uniform(1, 12, (3, n, 1, 1, c))
            image = image + 0.25 * np.sin(2 * np.pi * (fy * y + fx * x) + phase)
    values = np.clip(np.rint((image + 1) / 2 * 255), 0, 255) + info.min
    return Quantized(values.astype(tensor.scheme.dtype), tensor.scheme.scale, tensor.scheme.zero_point)


class OperatorPlan(OneAtATime):
    """A graph, operator by operator on one backend; every tensor is kept. Any thread may use it, one at a time.

    refusals   (str, ...)   what quicker ways said that were asked first
    """

    def __init__(self, graph: Graph, backend: str, refusals: tuple[str, ...] = ()) -> None:
        self.graph, self.backend, self.refusals = graph, backend, refusals
        self._plans: dict[str, Plan] = {}
        for node in graph.nodes:
            if isinstance(node.operator, Operator):
                shapes = [graph.tensors[name].shape for name in node.inputs]
                self._plans[node.name] = node.operator.plan(*shapes, backend=backend)
        self._tensors: dict[str, Quantized] = {}

    def __repr__(self) -> str:
        first = "".join(f"; refused: {problem}" for problem in self.refusals)
        return f"<OperatorPlan of {self.graph.name}: {len(self.graph.nodes)} operators, {self.backend}{first}>"

    @in_turn
    def run(self, x: Quantized | None = None, threads: int = 1) -> Quantized:
        """Compute every node in order."""
        workers = as_int(threads, "threads", 1, 1024)
        if x is not None:
            self._tensors["input"] = check_network_input(self.graph, x)
        elif "input" not in self._tensors:
            raise BadArgument(f"{self.graph.name} has no input yet: run(x).")
        for node in self.graph.nodes:
            self._step(node.name, workers)
        return self._tensors[self.graph.output]

    @in_turn
    def step(self, name: str, threads: int = 1) -> Quantized:
        """Compute one node from the tensors as they are."""
        return self._step(name, threads)

    def _step(self, name: str, threads: int) -> Quantized:
        node = self.graph.node(name)
        inputs = [self._tensors[i] for i in node.inputs]
        if isinstance(node.operator, Concat):
            values = np.concatenate([i.values for i in inputs], axis=-1)
            result = Quantized(values, node.operator.scheme.scale, node.operator.scheme.zero_point,
                               backend=self.backend)
        else:
            result = self._plans[name].run(*inputs, threads=threads)
        self._tensors[name] = result
        return result

    def tensor(self, name: str) -> Quantized:
        """A tensor of the last run."""
        if name not in self._tensors:
            raise BadArgument(f"{self.graph.name} has no tensor {name!r}, or was not run yet.")
        return self._tensors[name]


def plan(graph: Graph, backend: str | None = None, *, operators: bool = False, **options: Any) -> Runnable:
    """Prepare a graph.

    backend     "reference", "emulated", "native"; None: the first that can, of the native backend's networks, its
                operators, and reference. A way that refuses the graph is named in a RuntimeWarning and in the plan's
                `refusals`
    operators   bool   on the native backend: operator by operator through the contracts' kernels
    options     of the native plan: family= (kernels by name), keep= (all tensors can be looked at afterwards),
                two_passes= (the old way, to measure against)

    Raises BackendError for a backend that is missing or has no kernel for an operator, naming layer, quantity and limit
    where networks refuse what operators compute, BadArgument for a wrong name.
    """
    there = [name for name, found in candidates() if not isinstance(found, str)] if backend is None else [backend]
    if there[0] != "native" or operators:
        if options:
            raise BadArgument(f"{', '.join(options)}: only whole networks on the native backend take that.")
        return _by_operators(graph, there, [])
    unknown = set(options) - {"family", "keep", "two_passes"}
    if unknown:
        raise BadArgument(f"{', '.join(sorted(unknown))}: not an option of native plans, which are family, keep, "
                          "two_passes.")
    from neonsim.graph.native import NativePlan
    try:
        return NativePlan(graph, **options)
    except (OutOfMemory, UnsupportedHardware):
        raise
    except BackendError as problem:
        if backend is not None or options:      # this way was asked for
            raise
        return _by_operators(graph, there, [str(problem)])


def _by_operators(graph: Graph, there: list[str], refusals: list[str]) -> OperatorPlan:
    """By the first of these backends that can; `refusals`: what was asked before them."""
    for name in there:
        try:
            made = OperatorPlan(graph, name, tuple(refusals))
        except OutOfMemory:
            raise
        except BackendError as problem:
            if len(there) == 1:
                raise
            refusals.append(f"{name}: {problem}")
            continue
        if refusals:
            warnings.warn(f"{graph.name} runs operator by operator, {name}: " + "\n  ".join(refusals), RuntimeWarning,
                          stacklevel=4)
        return made
    raise BackendError("No backend can do this.\n  " + "\n  ".join(refusals))
