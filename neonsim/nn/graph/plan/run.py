"""Running a graph: operator after operator on any backend, or as one call of the C library.

    reference   every operator by its definition, in numpy
    emulated    every operator's kernels on the emulated machine
    native      the whole network in C: packed once, then one call and no allocation   (neonsim.nn.graph.plan.native)

`operators=True` runs the native backend operator by operator instead, through the kernels of the contracts: slower,
and the judge of the fast path. Several backends, as ("native", "reference"), share the operators: each is done by the
first that can.

    plan.run(x)                     the only input
    plan.run({"a": x, "b": y})      by name, or run((x, y)) in the order of the graph's inputs
    plan.run(x)                     gives one result, or a tuple of them in the order of the graph's outputs

What flows are `Quantized` and, of tensors without a scheme, numpy arrays.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.common.locking import Serialized, serialized
from neonsim.common.memory_limit import judge, within
from neonsim.common.terminal import short_repr
from neonsim.errors import BackendError, BadArgument, OutOfMemory, UnsupportedHardware
from neonsim.nn.backends import Backend, candidates, get
from neonsim.nn.backends.emulated import Compilation, EmulatedBackend, EmulatedJob, compile_all, share_engine
from neonsim.nn.backends.native.backend import NativeBackend
from neonsim.nn.graph.graph import Graph, Node, Tensor
from neonsim.nn.ops import Operator, Plan
from neonsim.quant.scheme import Quantized
from neonsim.quant.tensor_type import Value, elements

if TYPE_CHECKING:
    from neonsim.nn.graph.select.strategy import Strategy

__all__ = ["Inputs", "OperatorPlan", "Runnable", "arrays_of", "by_name", "one_or_all", "plan", "random_input",
           "random_inputs", "refuse_to_bind"]

# One, several by name, or several in order.
Inputs = Value | Mapping[str, Value] | tuple[Value, ...]


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

    def run(self, x: Inputs | None = None, threads: int = 1) -> Any:
        """The results for inputs: one value, or a tuple of them; None: for what was there before."""
        ...

    def tensor(self, name: str) -> Any:
        """What a tensor held after the last run. Raises BadArgument for one whose place was used again."""
        ...

    def bind(self, inputs: Any, outputs: Any = None) -> Any:
        """Between arrays of the caller's: see `nn.graph.plan.bound`. Raises BackendError for all but whole networks."""
        ...

    def explain(self) -> str:
        """Who computes what, and why not another."""
        ...


def by_name(graph: Graph, x: Any) -> dict[str, Any]:
    """Inputs of a graph by their names, none missing and none too many."""
    names = graph.inputs
    if isinstance(x, Quantized) and len(names) == 1:
        return {names[0]: x}
    if isinstance(x, Mapping):
        if set(x) != set(names):
            raise BadArgument(f"{graph.name} takes {', '.join(names) or 'no inputs'}; got "
                              f"{', '.join(map(str, x)) or 'none'}.")
        return {name: x[name] for name in names}
    given = x if isinstance(x, tuple) else (x,)
    if len(given) != len(names):
        raise BadArgument(f"{graph.name} takes {len(names)} inputs, {', '.join(names)}: a dict of them, or a tuple in "
                          f"this order; got {len(given)}.")
    return dict(zip(names, given, strict=True))


def arrays_of(graph: Graph, x: Inputs) -> dict[str, NDArray[Any]]:
    """Elements of a graph's inputs by name, if they fit. Raises BadArgument otherwise."""
    found = {}
    for name, value in by_name(graph, x).items():
        tensor = graph.tensors[name]
        if isinstance(value, Quantized):
            fits = tensor.scheme is not None and value.follows(tensor.scheme)
        else:
            fits = isinstance(value, np.ndarray) and tensor.scheme is None and value.dtype == tensor.dtype
        if not fits or value.shape != tensor.shape:
            raise BadArgument(_unfit(graph, tensor, value))
        found[name] = elements(value)
    return found


def _unfit(graph: Graph, tensor: Tensor, value: Any) -> str:
    """What is wrong with a value as an input."""
    only = len(graph.inputs) == 1
    wanted = Quantized if tensor.scheme is not None else np.ndarray
    if not isinstance(value, wanted):
        what = f"the input of {graph.name}" if only else f"{tensor.name} of {graph.name}"
        kind = "a Quantized" if tensor.scheme is not None else f"a numpy array of {tensor.dtype}"
        return f"{what} must be {kind}; got {type(value).__name__}."
    given = value.scheme if isinstance(value, Quantized) else value.dtype
    what = graph.name if only else f"{tensor.name} of {graph.name}"
    return f"{what} takes {tensor}; got {list(value.shape)} of {given}."


def refuse_to_bind(plan: Runnable) -> NoReturn:
    """Raises BackendError: arrays are bound to whole networks of the C library only."""
    raise BackendError(f"{plan.graph.name} is no single network of the native backend, and only those are bound to "
                       f"arrays. It runs so:\n{plan.explain()}")


def one_or_all(values: Sequence[Value]) -> Any:
    """The only one, or a tuple."""
    return values[0] if len(values) == 1 else tuple(values)


_RANDOM = 40        # bytes that an element of a random image takes while it is made


def random_input(graph: Graph, seed: int = 0) -> Quantized:
    """A seeded random input of a graph that has one: see `random_inputs`.

    ->   Quantized of the input's shape and scheme

    Raises BadArgument for a seed that is no number from 0 on, and for a graph with several inputs, or one without a
    scheme.
    """
    if len(graph.inputs) != 1 or graph.tensors[graph.inputs[0]].scheme is None:
        raise BadArgument(f"{graph.name} takes {'; '.join(str(graph.tensors[name]) for name in graph.inputs)}: "
                          "see random_inputs.")
    found: Quantized = random_inputs(graph, seed)[graph.inputs[0]]
    return found


def random_inputs(graph: Graph, seed: int = 0) -> dict[str, Any]:
    """Seeded random inputs: smooth shapes and noise, over the whole range of 8-bit types, about -1.3 to 1.3 in float32.

    int16, int32, int64   numbers of the whole range
    ->             {name: Quantized, or array where there is no scheme}

    Raises BadArgument for a seed that is no number from 0 on.
    """
    start = as_int(seed, "seed", 0, 2**64 - 1)
    found: dict[str, Any] = {}
    for number, name in enumerate(graph.inputs):
        rng = np.random.default_rng([start, number] if number else start)
        what = f"a random {name} of {graph.name}"
        judge(_RANDOM * graph.tensors[name].size, what)
        with within(what):
            found[name] = graph.tensors[name].type.value(_random(graph.tensors[name], rng))
    return found


def _random(tensor: Tensor, rng: np.random.Generator) -> NDArray[Any]:
    if tensor.dtype in ("int16", "int32", "int64"):
        info = np.iinfo(tensor.dtype)
        return rng.integers(info.min, info.max, tensor.shape, endpoint=True).astype(tensor.dtype)
    image: NDArray[np.float64] = rng.uniform(-0.3, 0.3, tensor.shape)
    if len(tensor.shape) == 4:
        n, h, w, c = tensor.shape
        y, x = np.linspace(0, 1, h)[:, None, None], np.linspace(0, 1, w)[None, :, None]
        for _ in range(4):
            fy, fx, phase = rng.uniform(1, 12, (3, n, 1, 1, c))
            image = image + 0.25 * np.sin(2 * np.pi * (fy * y + fx * x) + phase)
    if tensor.dtype == "float32":
        return image.astype(np.float32)
    values = np.clip(np.rint((image + 1) / 2 * 255), 0, 255) + np.iinfo(tensor.dtype).min
    return values.astype(tensor.dtype)


class OperatorPlan(Serialized):
    """A graph, operator by operator; every tensor is kept. Any thread may use it, one at a time.

    backend    str               who computes it; of several all that do, in the order of their rank; {node: backend}
                                 names who computes each operator, and none else may
    backends   {node: str}       who computes each operator; data movement has none
    refusals   (str, ...)        what quicker ways said that were asked first
    compilation   Compilation    what translating kernels for the compiled engine took

    layers     bool   False: the native backend calls the contracts' kernels, always
    strategy   Strategy   which way each product goes, by its lowerings
    emulated   the emulated backend that is meant by its name; None: the one that operators have

    Raises BackendError for an operator that none of the backends can do.
    """

    def __init__(self, graph: Graph, backend: str | Sequence[str] | Mapping[str, str], refusals: Sequence[str] = (),
                 layers: bool = True, emulated: EmulatedBackend | None = None, strategy: Strategy | None = None
                 ) -> None:
        self.graph, self._layers, self._emulated, self.strategy = graph, layers, emulated, strategy
        self._plans: dict[str, Plan] = {}
        self.backends: dict[str, str] = {}
        given, said = _ranked(graph, backend), list(refusals)
        ranked = tuple(dict.fromkeys(name for one in given.values() for name in one))
        for node in graph.nodes:
            operator: Any = node.operator
            if not operator.moves:
                self.backends[node.name] = self._planned(node, operator, given[node.name], said)
        used = set(self.backends.values())
        self.backend = ", ".join(name for name in ranked if name in used)
        self.refusals = tuple(said)
        self._tensors: dict[str, Value] = {}
        jobs = list(self.jobs.values())
        if emulated is None or emulated.engine is None:
            self.compilation = share_engine(jobs)
        else:
            self.compilation = compile_all(jobs) if emulated.engine == "compiled" else Compilation()

    @property
    def jobs(self) -> dict[str, EmulatedJob]:
        """The jobs of nodes on the emulated backend, by the node's name."""
        return {name: plan.loaded for name, plan in self._plans.items() if isinstance(plan.loaded, EmulatedJob)}

    @property
    def engine(self) -> str:
        """What runs the tiles of the emulated backend, and why; "" where nothing is emulated."""
        job = next(iter(self.jobs.values()), None)
        if job is None:
            return ""
        engine = "interpreter" if job.engine == "interpreter" else "compiled engine"
        return engine + f" ({job.reason})" * bool(job.reason)

    def plan_of(self, name: str) -> Plan:
        """The plan of a node; BadArgument for one that has none: a move, or no node."""
        if name not in self._plans:
            raise BadArgument(f"{self.graph.name} has no operator {name!r}.")
        return self._plans[name]

    def _planned(self, node: Node, operator: Operator, ranked: Sequence[str], said: list[str]) -> str:
        """Who plans a node: the first that can; what the others say is added to `said`."""
        shapes = [self.graph.tensors[name].shape for name in node.inputs]
        lowering = None if self.strategy is None else self.strategy.lowerings.get(node.name)
        options: dict[str, Any] = {} if lowering is None else {"lowering": lowering}
        for name in ranked:
            try:
                self._plans[node.name] = operator.plan(*shapes, backend=self._named(name), **options)
            except OutOfMemory:
                raise
            except BackendError as problem:
                if len(ranked) == 1:
                    if type(problem) is BackendError:
                        raise BackendError(f"{node.name} of {self.graph.name}: {problem}") from None
                    raise
                said.append(f"{name}: {node.name}: {problem}")
            else:
                return name
        raise BackendError("No backend can do this.\n  " + "\n  ".join(said))

    def _named(self, name: str) -> Backend:
        if name == "emulated":
            # Which engine is worth it is a matter of the whole network.
            given = self._emulated or EmulatedBackend()
            return EmulatedBackend(given.isa, given.core, "interpreter")
        found = get(name)
        return found if self._layers or name != "native" else NativeBackend(layers=False)

    def __repr__(self) -> str:
        first = "".join(f"; refused: {problem}" for problem in self.refusals)
        engine = f", {self.engine}" if self.engine else ""
        return f"<OperatorPlan of {self.graph.name}: {len(self.graph.nodes)} operators, {self.backend}{engine}{first}>"

    @serialized
    def run(self, x: Inputs | None = None, threads: int = 1) -> Any:
        """Compute every node in order; one result, or a tuple in the order of the graph's outputs."""
        workers = as_int(threads, "threads", 1, 1024)
        outputs = self.graph.outputs
        if x is not None:
            arrays_of(self.graph, x)
            self._tensors |= by_name(self.graph, x)
        elif any(name not in self._tensors for name in self.graph.inputs):
            raise BadArgument(f"{self.graph.name} has no input yet. Call run(x).")
        for node in self.graph.nodes:
            self._step(node.name, workers)
        return one_or_all([self._tensors[name] for name in outputs])

    @serialized
    def step(self, name: str, threads: int = 1) -> Any:
        """Compute one node from the tensors as they are."""
        return self._step(name, threads)

    @serialized
    def compute(self, name: str, *inputs: Value, threads: int = 1) -> tuple[Value, ...]:
        """What one node makes of these inputs; the tensors of the last run stay as they are."""
        return self._compute(self.graph.node(name), inputs, threads)

    def _compute(self, node: Node, inputs: Sequence[Value], threads: int) -> tuple[Value, ...]:
        move: Any = node.operator
        if move.moves:
            what = f"{node.name} of {self.graph.name}"
            judge(move.max_bytes(*(self.graph.tensors[name].shape for name in node.inputs)), what)
            with within(what):
                made = move.reference(*map(elements, inputs))
            return tuple(move.type.value(one, self.backend) for one in made)
        return (self._plans[node.name].run(*inputs, threads=threads),)

    def _step(self, name: str, threads: int) -> Any:
        node = self.graph.node(name)
        results = self._compute(node, [self._tensors[i] for i in node.inputs], threads)
        self._tensors |= dict(zip(node.results, results, strict=True))
        return one_or_all(results)

    def explain(self) -> str:
        """Who computes the operators, and what others said."""
        kinds: dict[str, int] = {}
        for who in self.backends.values():
            kinds[who] = kinds.get(who, 0) + 1
        return "\n".join([f"{self.graph.name}: {len(self.graph.nodes)} nodes, operator by operator: "
                          f"{', '.join(f'{count} by {who}' for who, count in kinds.items()) or 'moves only'}",
                          *(f"  - {problem}" for problem in self.refusals),
                          *([] if self.strategy is None else [self.strategy.explain()])])

    def bind(self, inputs: Any, outputs: Any = None) -> Any:
        """Only whole networks are bound: raises BackendError, which says what is none."""
        refuse_to_bind(self)

    def tensor(self, name: str) -> Any:
        """A tensor of the last run."""
        if name not in self._tensors:
            raise BadArgument(f"{self.graph.name} has no tensor {name!r}, or was not run yet.")
        return self._tensors[name]


def _ranked(graph: Graph, backend: str | Sequence[str] | Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """For every operator the backends that may compute it."""
    operators = [node.name for node in graph.nodes if not node.operator.moves]
    if not isinstance(backend, Mapping):
        return dict.fromkeys(operators, (backend,) if isinstance(backend, str) else tuple(backend))
    check_named(graph, backend)
    return {name: (backend[name],) for name in operators}


def check_named(graph: Graph, backends: Mapping[str, str]) -> None:
    """Raises BadArgument unless a backend is named for every operator, and for nothing else."""
    wrong = sorted(set(backends) ^ {node.name for node in graph.nodes if not node.operator.moves})
    if wrong:
        raise BadArgument(f"backends must have one entry for each operator of {graph.name}, and no other: "
                          f"{', '.join(wrong[:5])}{' ...' * (len(wrong) > 5)}.")


def plan(graph: Graph, backend: str | Sequence[str] | None = None, *, operators: bool = False,
         segments: bool = False, engine: str | None = None, isa: str | None = None, core: str | None = None,
         **options: Any) -> Runnable:
    """Prepare a graph.

    backend     "reference", "emulated", "native"; None: the first that can, of one network of the native backend,
                segments (networks, and between them operators by the first backend that can), and operator by operator.
                What is refused on the way is named in a RuntimeWarning, in the plan's `refusals` and by
                `plan.explain()`. Several, as ("native", "reference"): for every operator the first that can
    operators   bool   on the native backend: operator by operator through the contracts' kernels
    engine      str    of the emulated backend: "compiled", "interpreter"; None: compiled for a network that is
                worth it, where there is a C compiler, else the interpreter: `plan.engine` says which, and why
    isa, core   str    of the emulated backend: whose kernels, and for which core they are chosen (see EmulatedBackend)
    segments    bool   on the native backend: operators that are no layers of networks may be done by others
    options     of the native plan: family= (kernels by name), keep= (all tensors can be looked at afterwards),
                two_passes= (the old way, to measure against)
    strategy    str    "mnn", "autotune" ...: the way of every product is chosen, see
                       `neonsim.nn.graph.select.strategy`, on other
                backends by rules only; threads= is for how many, by itself 1

    Raises BackendError for a backend that is missing or has no kernel for an operator, naming layer, quantity and limit
    where networks refuse what operators compute, BadArgument for a wrong name.
    """
    if backend is None:
        there = [name for name, found in candidates() if not isinstance(found, str)]
    else:
        there = [backend] if isinstance(backend, str) else list(backend)
    if not there:
        raise BadArgument("backend must name at least one backend; got none.")
    emulated = None
    if (engine, isa, core) != (None, None, None):
        if "emulated" not in there:
            raise BadArgument("engine, isa and core apply only to the emulated backend: plan(\"emulated\", ...).")
        emulated = EmulatedBackend(isa, core, engine)
    if there[0] != "native" or operators or not (backend is None or isinstance(backend, str)):
        chosen = _for_operators(graph, options)
        if options or segments:
            raise BadArgument(f"{', '.join([*options, *['segments'] * segments])}: only complete networks on the "
                              f"native backend accept that.")
        return _by_operators(graph, there, [], backend is None, not operators, emulated, chosen)
    unknown = set(options) - _NATIVE
    if unknown:
        raise BadArgument(f"{', '.join(sorted(unknown))}: not an option of native plans, which are "
                          f"{', '.join(sorted(_NATIVE))}.")
    if not isinstance(options.get("family"), str | None):
        raise BadArgument(f"family must be the name of a family of kernels, or None; got "
                          f"{short_repr(options['family'])}.")
    try:
        return _native(graph, options)
    except (OutOfMemory, UnsupportedHardware):
        raise
    except BackendError as problem:
        if (backend is not None and not segments) or set(options) - {"keep"}:      # this way was asked for
            raise BackendError(f"{problem} Omit the backend, or use segments=True: other backends then run it between "
                               f"networks. operators=True runs every operator alone.") from None
        said = str(problem)
    rest = [name for name, found in candidates() if not isinstance(found, str)]
    made = _in_segments(graph, rest, bool(options.get("keep")))
    if made is None:
        return _by_operators(graph, rest, [said], backend is None, True)
    if backend is None:
        warnings.warn(f"{graph.name} runs in segments, {made.backend}: " + "\n  ".join(made.refusals), RuntimeWarning,
                      stacklevel=4)
    return made


_NATIVE = {"family", "keep", "strategy", "threads", "two_passes"}


def _native(graph: Graph, options: dict[str, Any]) -> Runnable:
    """One network, by a strategy or as it is by itself."""
    from neonsim.nn.graph.plan.native import NativePlan
    from neonsim.nn.graph.select.strategy import default_policy, plan_with_strategy
    given = dict(options)
    policy, threads = given.pop("strategy", None), given.pop("threads", None)
    if policy is not None:
        return plan_with_strategy(graph, policy, 1 if threads is None else threads, **given)
    if threads is not None:
        raise BadArgument("threads= of a plan needs a strategy (strategy=\"mnn\"). Otherwise pass threads to run().")
    if given.get("two_passes"):
        return NativePlan(graph, **given)
    given.pop("two_passes", None)
    return default_policy(graph, **given)


def _for_operators(graph: Graph, options: dict[str, Any]) -> Strategy | None:
    """The strategy that options ask for, which are taken out of them."""
    from neonsim.nn.graph.select.strategy import choose_algorithms
    policy = options.pop("strategy", None)
    return None if policy is None else choose_algorithms(graph, policy, options.pop("threads", 1), operators=True)


def _in_segments(graph: Graph, there: list[str], keep: bool) -> Runnable | None:
    """Networks and operators between them; None where no operator is a layer, or where it is not for an operator."""
    from neonsim.nn.graph.plan.partition import SegmentPlan, unsupported_nodes
    whys = unsupported_nodes(graph)
    if not whys or all(node.operator.moves or node.name in whys for node in graph.nodes):
        return None
    return SegmentPlan(graph, there, whys, keep)


def _by_operators(graph: Graph, there: list[str], refusals: list[str], warns: bool,
                  layers: bool, emulated: EmulatedBackend | None = None, strategy: Strategy | None = None
                  ) -> OperatorPlan:
    """Operator by operator; `refusals`: what was asked before."""
    made = OperatorPlan(graph, there, refusals, layers, emulated, strategy)
    if made.refusals and warns:
        warnings.warn(f"{graph.name} runs operator by operator, {made.backend}: " + "\n  ".join(made.refusals),
                      RuntimeWarning, stacklevel=5)
    return made
