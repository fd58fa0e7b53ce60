"""Which way each product of a network is computed: chosen before the first run, by rule, by measuring, by full search.

    policy                which algorithm it takes
    direct                the direct one, for every product
    cost-model            the quickest by rates that were measured once for each family of kernels
                          (`neonsim.nn.graph.select.cost_model`), where it is so by a clear margin: what a native plan
                          does by itself
    mnn                   the one of least multiplications, by MNN's paper
    mnn-2020              MNN's code of 2020: tiles of 4 and 8, with a penalty
    mnn-main              MNN's code of today: tiles of 4, 6 and 8
    autotune              the quickest on this machine: each layer by each algorithm, timed once with caches as the rest
                          of the network leaves them, and remembered; the direct one where no other is 1.02 times as
                          quick
    autotune-exhaustive   the quickest of all combinations, each run as a whole network; where there are more than 4096,
                          layer after layer, the others as they were found: they share nothing but layouts of tensors

    plan = graph.plan("native", strategy="mnn")
    print(plan.explain())               a row for each layer: every candidate, what it costs, why it was refused
    settle(graph, "mnn-2020").rows      the same without a plan, of any graph

Rules count multiplications; of bytes they know how many of them a family of kernels multiplies at once, else nothing
of the machine. Rates are of one machine of the kind that a family is for. The two that measure know this one. What a
rule would take and a network has no layer for is refused in words, and the next best is taken.

Source: (E01, E03, E05, E06, E07, E08): X. Jiang et al., MNN: A Universal and Efficient Inference Engine, 2020.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product as every_pair
from math import prod
from typing import Any, NamedTuple

import numpy as np

from neonsim.common.integers import as_int
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native.library import available
from neonsim.nn.backends.native.network import families
from neonsim.nn.graph.graph import Graph, Node
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.select.algorithms import ALGORITHMS, DIRECT, IM2COL, STRASSEN, Candidate, ProductShape, product_of
from neonsim.nn.graph.select.cost_model import CLEARLY, LEAST_SHARE, RATES, fastest
from neonsim.nn.graph.select.timing_cache import Measurements, global_cache
from neonsim.quant.winograd import POLICIES as COUNTED

__all__ = [
    "AUTOTUNE",
    "COST_MODEL",
    "EXHAUSTIVE",
    "MAX_COMBINATIONS",
    "MNN",
    "POLICIES",
    "Strategy",
    "StrategyRow",
    "choose_algorithms",
    "default_policy",
    "plan_with_strategy",
    "tune_layer_by_layer",
]

MNN, COST_MODEL = "mnn", "cost-model"
AUTOTUNE, EXHAUSTIVE = "autotune", "autotune-exhaustive"
POLICIES = (DIRECT, COST_MODEL, *COUNTED, AUTOTUNE, EXHAUSTIVE)
MAX_COMBINATIONS = 4096
_ROUNDS = 5                     # runs of each combination of full search
_WORTH_LEAVING = 1.02           # how many times quicker than the direct way another has to be, measured


class StrategyRow(NamedTuple):
    """How one product is computed.

    node         str
    product      Product
    candidates   (Candidate, ...)
    best         Candidate    what the policy would take if networks had all layers
    chosen       Candidate    what is taken
    """

    node: str
    product: ProductShape
    candidates: tuple[Candidate, ...]
    best: Candidate
    chosen: Candidate


class Strategy(NamedTuple):
    """The ways of a network's products.

    graph     str            its name
    policy    str            whose choice
    unit      str            of costs: "multiplications", "modelled seconds" or "seconds"
    rows      (Row, ...)     of products, in the order of the graph
    fixed_nodes  int            nodes that can be computed in one way only
    seconds   float          seconds that choosing took, measured
    timed_runs  int            runs of layers or networks that were timed for it; 0: nothing was measured now
    lowerings {node: str}    of operators by themselves: the lowering= of each that does not go directly
    """

    graph: str
    policy: str
    unit: str
    rows: tuple[StrategyRow, ...]
    fixed_nodes: int
    seconds: float
    timed_runs: int
    lowerings: Mapping[str, str] = {}

    @property
    def choices(self) -> dict[str, str]:
        """{node: way}."""
        return {row.node: row.chosen.name for row in self.rows}

    def explain(self) -> str:
        """A row for each layer with every candidate; by rates only for those that have more than one."""
        if self.policy == COST_MODEL:
            return "\n".join(self._rated())
        short = _seconds if self.unit == "seconds" else _count
        lines = [f"strategy {self.policy}: {self.unit}{'' if self.unit == 'seconds' else ' (counted)'}, chosen in "
                 f"{1e3 * self.seconds:.1f} ms" + (f" with {self.timed_runs} timings "
                                                "(measured)" if self.timed_runs else "")]
        alike: dict[tuple[ProductShape, tuple[Candidate, ...]], str] = {}
        for row in self.rows:
            first = alike.setdefault((row.product, row.candidates), row.node)
            lines.append(f"  {row.node}  {row.product}: {row.chosen.name}" + f", as {first}" * (first != row.node))
            if first != row.node:
                continue
            if row.best.name != row.chosen.name:
                lines.append(f"      would be {row.best.name}, {short(row.best.cost)}, {row.best.gain:.2f}x: "
                             f"{row.best.refusal}")
            shown = [f"{one.name} {short(one.cost)}" + (f" {one.gain:.2f}x" if one.name != DIRECT else "") +
                     (f" +{one.scratch:,} bytes" if one.scratch else "") for one in row.candidates if not one.refusal]
            lines.append(f"      can: {'; '.join(shown)}")
            for why, found in _by_reason(row.candidates).items():
                names = [one.name + (f" ({short(one.cost)})" if one.cost is not None else "") for one in found]
                lines.append(f"      cannot: {_list(names)}: {why}")
        if self.fixed_nodes:
            lines.append(f"  {self.fixed_nodes} other nodes: one way each")
        return "\n".join(lines)

    def _rated(self) -> list[str]:
        """The table of rates: what each way is to take, layers alike together."""
        alike: dict[str, list[str]] = {}
        for row in self.rows:
            priced = [one for one in row.candidates if one.cost is not None]
            if len(priced) > 1:
                said = [f"{one.name} {_seconds(one.cost)}" + f" {one.gain:.2f}x" * (one.name != DIRECT)
                        for one in priced]
                # Why not the next larger tiles; nor are those larger still.
                said += [f"not {one.name}: {one.refusal}" for one in row.candidates
                         if one.cost is None and one.name not in (IM2COL, STRASSEN)][:1]
                alike.setdefault(f"{row.product}: {row.chosen.name}, of {'; '.join(said)}", []).append(row.node)
        tiles = sum(row.chosen.name != DIRECT for row in self.rows)
        return [f"products by Winograd's tiles, {tiles} of {len(self.rows)}: where the rates of these kernels say "
                f"{CLEARLY:g} times as quick as directly (modelled); chosen in {1e3 * self.seconds:.1f} ms:",
                *(f"  {', '.join(nodes)}  {said}" for said, nodes in alike.items())]

    def to_dict(self) -> list[dict[str, object]]:
        """Rows as plain values."""
        return [{"node": row.node, "product": str(row.product), "taken": row.chosen.name, "best": row.best.name,
                 "unit": self.unit, "candidates": [one._asdict() for one in row.candidates]} for row in self.rows]


def _list(names: Sequence[str]) -> str:
    """Names with commas; words that all begin with are said once."""
    first = names[0].split(" ")[0]
    rest = [name.removeprefix(first) if number and name.startswith(f"{first} ") else name
            for number, name in enumerate(names)]
    return ", ".join(one.strip() for one in rest)


def _by_reason(candidates: Sequence[Candidate]) -> dict[str, list[Candidate]]:
    found: dict[str, list[Candidate]] = {}
    for one in candidates:
        if one.refusal:
            found.setdefault(one.refusal, []).append(one)
    return found


def _count(cost: float | None) -> str:
    if cost is None:
        return "-"
    return f"{cost / 1e6:.2f} M" if cost >= 1e6 else f"{cost:,.0f}"


def _seconds(cost: float | None) -> str:
    return "-" if cost is None else f"{1e6 * cost:.1f} us"


def choose_algorithms(graph: Graph, policy: str = MNN, threads: int = 1, family: str | None = None,
           measurements: Measurements | None = None, operators: bool = False) -> Strategy:
    """Choose the way of every product.

    policy         one of POLICIES
    threads        for n
    family         of kernels, for what is measured; None: the best here
    measurements   where times are remembered; None: those of this user
    operators      for operators by themselves, on any backend, instead of a network of the C library: rules only

    Raises BadArgument for another policy; BackendError where something is to be measured that networks of the C
    library cannot do.
    """
    if policy not in POLICIES:
        raise BadArgument(f"a strategy must be {', '.join(POLICIES)}; got {policy!r}.")
    workers = as_int(threads, "threads", 1, 1024)
    begin = time.perf_counter()
    products = {node: made for node in graph.nodes if (made := product_of(graph, node)) is not None}
    if operators:
        return _for_operators(graph, products, policy, workers, begin)
    kept = global_cache() if measurements is None else measurements
    rows, tried = {
        AUTOTUNE: lambda: _measured(graph, products, workers, family, kept),
        EXHAUSTIVE: lambda: _exhaustive(graph, products, workers, family),
        COST_MODEL: lambda: _rated(graph, products, _best_here(family)),
    }.get(policy, lambda: (_counted(products, policy, workers, _at_once(family)), 0))()
    unit = {AUTOTUNE: "seconds", EXHAUSTIVE: "seconds", COST_MODEL: "modelled seconds"}.get(policy, "multiplications")
    return Strategy(graph.name, policy, unit, tuple(rows), len(graph.nodes) - len(rows), time.perf_counter() - begin,
                    tried)


# ---- rules -----------------------------------------------------------------------------------------------------------

def _candidates(one: ProductShape, policy: str, threads: int, at_once: int = 0) -> tuple[Candidate, ...]:
    return tuple(way.candidate(one, policy, threads, at_once) for way in ALGORITHMS)


def _for_operators(graph: Graph, products: Mapping[Node, ProductShape], policy: str, threads: int,
                   begin: float) -> Strategy:
    if policy in (COST_MODEL, AUTOTUNE, EXHAUSTIVE):
        raise BadArgument(f"strategy {policy!r} is for networks of the native backend; operators by themselves take "
                          f"{', '.join((DIRECT, *COUNTED))}.")
    rows, lowerings = [], {}
    for node, one in products.items():
        operator: Any = node.operator
        found = []
        made = {way.name: way.lowering(operator, one, graph.tensors[node.inputs[0]].shape) for way in ALGORITHMS}
        for each in _candidates(one, MNN if policy == DIRECT else policy, threads):
            why = made[each.name].refusal or (f"{policy} does not look at it" if each.cost is None else "")
            found.append(each._replace(refusal=why, scratch=0 if why else made[each.name].scratch))
        rows.append(_row(node, one, tuple(found), policy))
        if keyword := made[rows[-1].chosen.name].keyword:
            lowerings[node.name] = keyword
    return Strategy(graph.name, policy, "multiplications", tuple(rows), len(graph.nodes) - len(rows),
                    time.perf_counter() - begin, 0, lowerings)


def _row(node: Node, one: ProductShape, found: tuple[Candidate, ...], policy: str) -> StrategyRow:
    looked = found[:1] if policy == DIRECT else tuple(each for each in found if each.cost is not None)
    return StrategyRow(node.name, one, found, max(looked, key=lambda each: each.gain),
                       max((each for each in looked if not each.refusal), key=lambda each: each.gain))


def _counted(products: Mapping[Node, ProductShape], policy: str, threads: int, at_once: int) -> list[StrategyRow]:
    return [_row(node, one, _candidates(one, MNN if policy == DIRECT else policy, threads, at_once), policy)
            for node, one in products.items()]


_DOT_PRODUCTS = frozenset({"amx", "avx512vnni", "avxvnni", "i8mm", "neondot"})


def _at_once(family: str | None) -> int:
    """Products of bytes that a lane of a family's kernels adds up in one step."""
    return 4 if _best_here(family) in _DOT_PRODUCTS else 2


def _best_here(family: str | None) -> str:
    """A family, or the one that runs if none is asked for."""
    if family is not None:
        return family
    return "scalar" if available() is not None else next(name for name, why in families().items() if why is None)


# ---- rates -----------------------------------------------------------------------------------------------------------

def _rated(graph: Graph, products: Mapping[Node, ProductShape], family: str) -> tuple[list[StrategyRow], int]:
    """Direct and tiles by a family's rates; of a family without any, all directly."""
    return [_by_rates(graph, node, one, family) for node, one in products.items()], 0


def _by_rates(graph: Graph, node: Node, one: ProductShape, family: str) -> StrategyRow:
    found = tuple(each._replace(cost=None, gain=float(each.name == DIRECT)) for each in _candidates(one, MNN, 1))
    if family in RATES:
        found = _priced(found, RATES[family].seconds(one))
        if CLEARLY <= fastest(found).gain < CLEARLY / LEAST_SHARE:
            found = _priced(found, RATES[family].seconds(one, _int16_share(graph, node, family)))
    best = fastest(found)
    return StrategyRow(node.name, one, found, best, best)


def _priced(found: tuple[Candidate, ...], seconds: Mapping[str, float]) -> tuple[Candidate, ...]:
    return tuple(each if each.refusal or each.name not in seconds else
                 each._replace(cost=seconds[each.name], gain=seconds[DIRECT] / seconds[each.name]) for each in found)


def _int16_share(graph: Graph, node: Node, family: str) -> float:
    """What 16-bit sums leave of the time of a product's direct way, which the C library knows; 1: it has none."""
    choice = NativePlan(graph.between([node], node.results), family).network.gemm_choice(0)
    return choice.percent / 100 if choice.int16_accumulation else 1.0


# ---- measuring -------------------------------------------------------------------------------------------------------

def _able(one: ProductShape, threads: int) -> tuple[list[str], dict[str, Candidate]]:
    """Ways that networks have layers for, and all candidates with what the paper counts."""
    found = {each.name: each for each in _candidates(one, MNN, threads)}
    return [name for name, each in found.items() if not each.refusal], found


_MAX_OTHER_BYTES = 1 << 26      # bytes: more than caches hold


def _others(graph: Graph, family: str | None) -> int:
    """Bytes that pass through the caches between two runs of a layer: weights of all, and tensors."""
    plan = NativePlan(graph, family)
    return min(plan.network.packed_bytes + plan.arena.nbytes, _MAX_OTHER_BYTES)


def _timed(graph: Graph, node: Node, names: Sequence[str], threads: int, family: str | None, others: int
           ) -> dict[str, float]:
    """Least seconds of a layer by itself in each way, in turns.

    Before each run as many bytes are read as the rest of its network reads: alone a layer would find its weights in
    caches, where ways that have more of them look quicker than they will be.
    """
    part, rest = graph.between([node], node.results), np.ones(others // 8, np.int64)
    plans = {name: NativePlan(part, family, choices={node.name: name}) for name in names}
    return tune_layer_by_layer({name: partial(plan.network.run, threads) for name, plan in plans.items()}, rest.sum)


_ENOUGH, _FEWEST, _MAX_RUNS = 0.02, 5, 200      # seconds of each way, and runs


def tune_layer_by_layer(calls: Mapping[str, Callable[[], object]], between: Callable[[], object]) -> dict[str, float]:
    """Least seconds of each call, all in turns."""
    for call in calls.values():
        call()                              # the first run makes pages
    least, spent, runs = dict.fromkeys(calls, float("inf")), 0.0, 0
    while runs < _FEWEST or (spent < _ENOUGH * len(calls) and runs < _MAX_RUNS):
        for name, call in calls.items():
            between()
            begin = time.perf_counter()
            call()
            took = time.perf_counter() - begin
            least[name], spent = min(least[name], took), spent + took
        runs += 1
    return least


def _key(node: Node, one: ProductShape, others: int = 0) -> str:
    """What a time depends on, beside the machine; of other layers only how much they read, in powers of two."""
    rounding = getattr(node.operator, "requantization", "")
    padding = getattr(node.operator, "padding", 0)
    return f"{one}|{one.batch}|{one.dtype}|{padding}|{rounding}|{others.bit_length()}"


def _measured(graph: Graph, products: Mapping[Node, ProductShape], threads: int, family: str | None, kept: Measurements
              ) -> tuple[list[StrategyRow], int]:
    rows, tried, others = [], 0, _others(graph, family)
    for node, one in products.items():
        names, found = _able(one, threads)
        key = _key(node, one, others)
        known = {name: kept.get(key, name, threads, family) for name in names}
        if len(names) > 1 and None in known.values():
            new = _timed(graph, node, names, threads, family, others)
            kept.put(key, new, threads, family)
            known, tried = dict(new), tried + len(names)
        rows.append(_fastest(node, one, found, known))
    return rows, tried


def _fastest(node: Node, one: ProductShape, found: Mapping[str, Candidate],
             seconds: Mapping[str, float | None]) -> StrategyRow:
    """The row of times: those that were not measured have none."""
    direct = seconds.get(DIRECT)
    after = tuple(each._replace(cost=seconds.get(name), gain=(direct or 0.0) / (seconds.get(name) or float("inf")))
                  for name, each in found.items())
    best = min((each for each in after if not each.refusal and each.cost is not None),
               key=lambda each: each.cost or 0.0, default=after[0])
    # Less than this is noise: what is simplest is taken then.
    taken = best if best.gain >= _WORTH_LEAVING else next(each for each in after if each.name == DIRECT)
    return StrategyRow(node.name, one, after, taken, taken)


# ---- full search -----------------------------------------------------------------------------------------------------

def _exhaustive(graph: Graph, products: Mapping[Node, ProductShape], threads: int, family: str | None
                ) -> tuple[list[StrategyRow], int]:
    """Layers alike go the same way."""
    groups: dict[str, list[Node]] = {}
    for node, one in products.items():
        groups.setdefault(_key(node, one), []).append(node)
    names = {key: _able(products[nodes[0]], threads)[0] for key, nodes in groups.items()}
    of_way: dict[tuple[str, str], float] = {}
    tried = 0

    def took(chosen: Mapping[str, str], compared: Sequence[str]) -> float:
        nonlocal tried
        tried += _ROUNDS + 1
        plan = NativePlan(graph, family, choices={node.name: way for key, way in chosen.items()
                                                  for node in groups[key]})
        plan.network.rerun(threads)
        found = min(_once(plan, threads) for _ in range(_ROUNDS))
        for key in compared:
            of_way[key, chosen[key]] = min(of_way.get((key, chosen[key]), float("inf")), found)
        return found
    if prod(len(each) for each in names.values()) <= MAX_COMBINATIONS:
        best = min((dict(zip(groups, combination, strict=True)) for combination in every_pair(*names.values())),
                   key=lambda chosen: took(chosen, list(groups)))
    else:
        best = dict.fromkeys(groups, DIRECT)
        for key, ways in names.items():
            seconds = {way: took({**best, key: way}, [key]) for way in ways}
            best[key] = min(ways, key=seconds.__getitem__)
    rows = []
    for node, one in products.items():
        key = _key(node, one)
        _, found = _able(one, threads)
        # The cost of a way is that of the best network which has it.
        row = _fastest(node, one, found, {name: of_way[key, name] for name in names[key]})
        rows.append(row._replace(chosen=next(each for each in row.candidates if each.name == best[key])))
        rows[-1] = rows[-1]._replace(best=rows[-1].chosen)
    return rows, tried


def _once(plan: NativePlan, threads: int) -> float:
    begin = time.perf_counter()
    plan.network.rerun(threads)
    return time.perf_counter() - begin


# ---- plans -----------------------------------------------------------------------------------------------------------

def default_policy(graph: Graph, family: str | None = None, keep: bool = False) -> NativePlan:
    """A native plan by default: by rates where a product has tiles, else directly.

    Raises as NativePlan.
    """
    kind = _best_here(family)
    if kind in RATES and any(_has_tiles(graph, node) for node in graph.nodes):
        return NativePlan(graph, family, keep, strategy=choose_algorithms(graph, COST_MODEL, 1, family))
    return NativePlan(graph, family, keep)


def _has_tiles(graph: Graph, node: Node) -> bool:
    """Whether an operator may have tiles, without a look at its weights."""
    one: Any = node.operator
    if one.product_kind != "windows" or graph.tensors[node.results[0]].scheme is None or one.groups > 1:
        return False
    shape = one.shape(graph.tensors[node.inputs[0]].shape)
    return max(shape.kernel) > 1 and (*shape.stride, *shape.dilation) == (1, 1, 1, 1)


def plan_with_strategy(graph: Graph, policy: str, threads: int = 1, family: str | None = None, keep: bool = False,
                       two_passes: bool = False) -> NativePlan:
    """A native plan by a strategy.

    Raises as `settle`, and BackendError where networks have no layer for an operator.
    """
    if two_passes:
        raise BackendError("two_passes=True fixes the algorithm of every product. Omit strategy.")
    return NativePlan(graph, family, keep, strategy=choose_algorithms(graph, policy, threads, family))
