"""The walk over all layers of two runs: what differs is counted, the first element that does is explained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.nn.formats import Model
from neonsim.nn.formats.ir import IRNode
from neonsim.nn.graph import Graph
from neonsim.nn.ops.explain.rounding_cause import by_rules
from neonsim.verify.debugger.cause import explain_match, match_causes
from neonsim.verify.debugger.causes import FEW, Cause
from neonsim.verify.debugger.causes.earlier_layers import causes_before
from neonsim.verify.debugger.diff_report import SHOWN_CAUSES, Differences, LayerDifference
from neonsim.verify.debugger.dump import Dump, is_dump, read_dump
from neonsim.verify.debugger.explain import Explanation, check_computed
from neonsim.verify.debugger.graph_tensors import network_of
from neonsim.verify.debugger.locations import TensorElement, index_of, place_at
from neonsim.verify.debugger.pairs import MatchedElement, RuntimePair, pair_of
from neonsim.verify.debugger.provenance import main_operator
from neonsim.verify.debugger.runtimes import Values

__all__ = ["count_differences", "explain_difference"]

MAX_SEARCHED_INPUTS = 8       # inputs that causes are tried on
_FIRST = {"tflite": "tflite"}       # of what is compared by default; else the file's own runtime


def explain_difference(model: Model | Graph, x: Any = None, a: str | None = None, b: Any = None, *,
                       at: str | None = None, backend: str | None = None, isa: str = "aarch64",
                       core: str | None = None) -> Differences:
    """Find the first difference of two runs of a network, and its cause: the sum, both roundings, the instruction.

    model     of a file; or a Graph, which has its own arithmetic
    x         as `model.run` takes it; None: the input that the dump holds
    a         arithmetic: "xnnpack", "tflite", ...; None: "tflite" of .tflite, "onnxruntime" of .onnx
    b         arithmetic; or tensors of your own: {name: array}, a folder with a .npy a tensor, an .npz; or another
              Model whose tensors have the same names. None: "xnnpack" of .tflite, "onnxruntime" of .onnx, which has no
              other
    at        "layer:y,x,c", of .onnx "layer:c,y,x": explain this element in place of the first that differs
    backend   who computes the layers: "native", "reference"; None: the fastest here
    isa       of the kernel whose tile is traced
    core      that its tile is priced on, as "cortex-a53"
    ->        Differences: true if all is equal; prints; .first .layers .verdict .picture .to_html(path);
              `ns.Stepper` shows it

    A dump may lack tensors: what lies between two that it has is computed by a's rules. Of its first layer that differs
    known causes are tried, each of which is one thing done wrongly (`found.causes`): named is what makes all values.

    Raises BadArgument for names, shapes and types that do not fit.
    Source: what the rules of runtimes are (M02).
    """
    return _compare(network_of(model), [x], a, [network_of(b)], at, backend, isa, core)


def count_differences(model: Model | Graph, inputs: Iterable[Any], a: str | None = None, b: Any = None, *,
                      backend: str | None = None, isa: str = "aarch64", core: str | None = None) -> Differences:
    """Count differences over many inputs: a histogram for each layer, and the rule that explains them.

    inputs   of one run each, as `model.run` takes them
    a, b     as of `explain_difference`; b may be a list of dumps, one for each input

    Raises BadArgument as `explain_difference`, and for no inputs.
    """
    given = list(inputs)
    if not given:
        raise BadArgument("there are no inputs to compare.")
    others = list(b) if isinstance(b, list | tuple) else [b] * len(given)
    if len(others) != len(given):
        raise BadArgument(f"inputs and dumps must have the same length; got {len(given)} inputs and {len(others)} "
                          f"dumps.")
    return _compare(network_of(model), given, a, [network_of(one) for one in others], None, backend, isa, core)


def _compare(model: Model, inputs: Sequence[Any], a: str | None, others: Sequence[Any], at: str | None,
             backend: str | None, isa: str, core: str | None) -> Differences:
    a = a or _FIRST.get(model.record.format) or model.rules()
    others = [model.rules() if other is None else other for other in others]
    pair = pair_of(model, a, others[0], backend)
    asked = None if at is None else place_at(model, at)
    if asked is not None:
        check_computed(pair.a, asked)
    layers: dict[int, LayerDifference] = {}
    totals: Counter[str] = Counter()
    every: list[MatchedElement] = []
    given, dump = "", None
    for x, other in zip(inputs, others, strict=True):
        dump = read_dump(other, model) if is_dump(other) else None
        if dump is not None:
            pair.b_name = dump.name
        start, said = _start(pair, x, dump)
        given = given or said
        found = _walk(pair, start, dump, layers, totals, asked)
        every += [] if found is None else [found]
    first = every[0] if every else None
    explanation = None if first is None else explain_match(pair, first, isa, core)
    shared = _shared_causes(pair, every)
    causes = shared or ()
    if shared == () and first is not None and dump is not None and len(inputs) == 1:
        causes = causes_before(pair, first, frozenset({*model.record.inputs, *dump.arrays}))
    if explanation is not None and first is not None:
        explanation = _told(explanation, causes, pair.b is None and shared is not None,
                            layers.get(first.place.number))
    missing = () if dump is None else _missing(pair, dump)
    return Differences(model.record.name, (pair.a.name, pair.b_name), len(inputs), tuple(layers.values()), explanation,
                       _verdict(pair, tuple(layers.values()), totals), () if dump is None else dump.unmatched, missing,
                       given, causes, None if pair.b is not None else shared is not None)


def _told(explanation: Explanation, causes: tuple[Cause, ...], searched: bool, layer: LayerDifference | None
          ) -> Explanation:
    """With why the layer differs in place of what one element alone would tell."""
    explains = layer is not None and bool(layer.explains)
    if causes and causes[0].explained > FEW and not explains:
        return replace(explanation, cause=" or ".join(f"{cause}: {cause.numbers}" for cause in causes[:SHOWN_CAUSES]))
    if searched and layer is not None and layer.equal and not explains and not causes:
        said = f"{explanation.cause}; " if explanation.cause else ""
        return replace(explanation, cause=f"{said}no rule and no cause known here makes all values of this layer")
    return explanation


def _shared_causes(pair: RuntimePair, every: Sequence[MatchedElement]) -> tuple[Cause, ...] | None:
    """Those that make a layer's bytes of all inputs, of the first layer that differs; None: not tried."""
    if not every:
        return ()
    found = match_causes(pair, every[0])
    for other in every[1:MAX_SEARCHED_INPUTS] if found else ():
        if other.place.number == every[0].place.number:
            there = {str(cause) for cause in match_causes(pair, other) or ()}
            found = tuple(cause for cause in found or () if str(cause) in there)
    return found


def _start(pair: RuntimePair, x: Any, dump: Dump | None) -> tuple[Values, str]:
    """(inputs of the network, what there is to say of them)."""
    wanted = pair.model.record.inputs
    there = {} if dump is None else {number: dump.arrays[number] for number in wanted if number in dump.arrays}
    if x is None:
        if len(there) != len(wanted):
            raise BadArgument("x is missing" + (", and the dump does not have it." if dump is not None else "."))
        return there, ""
    start = pair.a.inputs(x)
    for number, array in there.items():
        if not np.array_equal(array.reshape(-1), start[number].reshape(-1)):
            flat = int(np.flatnonzero(array.reshape(-1) != start[number].reshape(-1))[0])
            name = pair.model.record.tensors[number].name
            return start, (f"the input itself differs: {name!r} at {list(index_of(flat, start[number].shape))} is "
                           f"{start[number].reshape(-1)[flat]} here and {array.reshape(-1)[flat]} in the dump")
    return start, ""


def _missing(pair: RuntimePair, dump: Dump) -> tuple[str, ...]:
    record = pair.model.record
    return tuple(record.tensors[n].name for entry in record.nodes for n in entry.outputs if n not in dump.arrays)


def _walk(pair: RuntimePair, start: Values, dump: Dump | None, layers: dict[int, LayerDifference],
          totals: Counter[str], asked: TensorElement | None) -> MatchedElement | None:
    """Every layer of one input, added to what is counted; the first element that differs, or the one asked for."""
    record = pair.model.record
    free_a, state = dict(start), dict(start)    # state: what b has, which both sides are given
    if dump is not None:
        state |= {number: array for number, array in dump.arrays.items() if number in record.inputs}
    first: MatchedElement | None = None
    for entry in record.nodes:
        free_a |= pair.a.layer(entry.place, free_a)
        mine = pair.a.layer(entry.place, state)
        theirs = dict(mine) if dump is not None else pair.layer_of_b(entry, state)
        seen = {n: dump.arrays[n].reshape(mine[n].shape) for n in mine if n in dump.arrays} if dump is not None \
            else theirs
        before = dict(state)
        state |= {**mine, **theirs, **seen}
        for number in entry.outputs:
            if number not in mine or number not in seen:
                continue
            unequal = _count(pair, layers, entry, number, mine[number], seen[number], free_a[number])
            if asked is None and first is None and unequal.size:
                place = TensorElement(number, record.tensors[number].name,
                                      index_of(int(unequal[0]), mine[number].shape), entry)
                first = MatchedElement(place, before, seen[number][place.index].item(), state)
            _rules(pair, layers[number], entry, number, before, mine[number], seen[number],
                   bool(unequal.size) or dump is not None, totals)
        if asked is not None and asked.entry is entry:
            value = (seen.get(asked.number, theirs.get(asked.number)))
            if value is None:
                raise BadArgument(f"{asked.name!r} is not computed by {pair.b_name}.")
            first = MatchedElement(asked, before, value[asked.index].item(), state)
    if asked is not None and first is None:
        first = MatchedElement(asked, start, state[asked.number][asked.index].item(), state)
    return first


def _count(pair: RuntimePair, layers: dict[int, LayerDifference], entry: IRNode, number: int, mine: NDArray[Any],
           theirs: NDArray[Any], free: NDArray[Any]) -> NDArray[np.intp]:
    """Count one layer of one input; places of what differs from equal inputs."""
    tensor = pair.model.record.tensors[number]
    layer = layers.setdefault(number, LayerDifference(entry.place, entry.word, tensor.name, tensor.shape))
    layer.compared += mine.size
    for counts, array in ((layer.equal, mine), (layer.free, free)):
        counts.update(_steps(array, theirs))
    return np.flatnonzero(_differ(mine, theirs))


def _differ(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    if a.dtype.kind != "f":
        return np.asarray(a.reshape(-1) != b.reshape(-1))
    return np.asarray(a.reshape(-1).view(f"u{a.itemsize}") != b.reshape(-1).view(f"u{b.itemsize}"))


def _steps(a: NDArray[Any], b: NDArray[Any]) -> dict[int, int]:
    """{b - a: elements}; of floats in steps of the last bit of a."""
    unequal = _differ(a, b)
    if not unequal.any():
        return {}
    one, other = a.reshape(-1)[unequal], b.reshape(-1)[unequal]
    if a.dtype.kind == "f":
        with np.errstate(all="ignore"):
            steps = (other.astype(np.float64) - one) / np.spacing(np.abs(one)).astype(np.float64)
            steps = np.nan_to_num(steps, nan=1e9, posinf=1e9, neginf=-1e9)
        delta = np.clip(np.rint(steps), -1e9, 1e9).astype(np.int64)
        delta[delta == 0] = 1       # zeros of two signs
    else:
        delta = other.astype(np.int64) - one.astype(np.int64)
    return {int(step): int(count) for step, count in zip(*np.unique(delta, return_counts=True), strict=True)}


def _rules(pair: RuntimePair, layer: LayerDifference, entry: IRNode, number: int, before: Values, mine: NDArray[Any],
           theirs: NDArray[Any], wanted: bool, totals: Counter[str]) -> None:
    """How much of b's layer every known arithmetic gives, and every rule of rounding."""
    for known in pair.candidates:
        if known is pair.b:
            continue    # its own bytes
        made = mine if known is pair.a else known.layer(entry.place, before).get(number)
        right = 0 if made is None else int(made.size - _differ(made, theirs).sum())
        layer.count(known.name, right, theirs.size)
        totals[known.name] += theirs.size - right
    if not wanted or number not in pair.a.lowered.tensors:
        return
    found = main_operator(pair.a, number, before)
    if found is not None:
        here = pair.model.record.tensors[number].from_file(theirs)
        for name, every in by_rules(*found).items():
            layer.count(name, int((every.reshape(-1) == here.reshape(-1)).sum()), theirs.size)


def _verdict(pair: RuntimePair, layers: tuple[LayerDifference, ...], totals: Counter[str]) -> str:
    """Which arithmetic gives all of b."""
    if not layers:
        return "nothing was compared."
    if pair.a.name == pair.b_name:
        return f"{pair.a.name} was compared with itself: give b, tensors of a run of your own, or another file"
    right = [known.name for known in pair.candidates if not totals[known.name] and known is not pair.b]
    differing = [layer for layer in layers if layer.equal]
    if right and (differing or pair.b is None):
        return f"from equal inputs every layer of {pair.b_name} has the bytes of {' and of '.join(right)}"
    if not differing:
        return ""
    shared = set(differing[0].explains).intersection(*(layer.explains for layer in differing))
    if shared:
        return (f"{', '.join(sorted(shared))} explain{'s' * (len(shared) == 1)} every layer of {pair.b_name} that "
                "differs")
    some = sum(1 for layer in differing if layer.explains)
    return (f"{some} of the {len(differing)} layers that differ are explained by a rule of rounding each, see the "
            "table") if some else ""
