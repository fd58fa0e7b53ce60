"""DequantizeLinear before, QuantizeLinear behind: operators that are written in floats and run in integers.

ONNX Runtime takes an operator between such pairs for its integer form where all its operands come from DequantizeLinear
and its result goes to one QuantizeLinear and nowhere else (M34). A ReLU or a clip in between does nothing where the
integers end there anyway, and is left out. What is not between such pairs means what it says: floats.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from neonsim.nn.formats.onnx.read import File, OnnxNode, consumers
from neonsim.nn.formats.onnx.schemes import places_of
from neonsim.nn.formats.onnx.words import WORDS

__all__ = ["Group", "QdqGroup", "groups"]

_CUTS = ("Relu", "Clip")


@dataclass(frozen=True, eq=False)
class QdqGroup:
    """An operator and the pairs around it.

    before    {input: DequantizeLinear}
    behind    QuantizeLinear
    between   (Node, ...)   left out
    """

    before: Mapping[int, OnnxNode]
    behind: OnnxNode
    between: tuple[OnnxNode, ...] = ()


Group = QdqGroup | None


def groups(file: File) -> tuple[dict[int, QdqGroup], set[int]]:
    """{place: Group} of operators, and the places of all nodes that have become part of one."""
    makers = {name: node for node in file.nodes for name in node.outputs if name}
    readers, found = consumers(file.nodes), {}
    for node in file.nodes:
        if node.word in WORDS and WORDS[node.word].operands and not node.refused:
            made = _group(file, node, makers, readers)
            if made is not None:
                found[node.place] = made
    inside = {one.place for group in found.values() for one in (group.behind, *group.between)}
    grouped: dict[str, int] = {}
    for place, group in found.items():
        node = file.nodes[place]
        for which in group.before:
            grouped[node.inputs[which]] = grouped.get(node.inputs[which], 0) + 1
    for name, count in grouped.items():
        if count == len(readers[name]) and name not in file.outputs:
            inside.add(makers[name].place)
    return found, inside


def _group(file: File, node: OnnxNode, makers: Mapping[str, OnnxNode],
           readers: Mapping[str, list[OnnxNode]]) -> QdqGroup | None:
    before = {}
    for which, name in enumerate(node.inputs[:WORDS[node.word].operands]):
        if not name:
            continue
        maker = makers.get(name)
        if maker is None or maker.word != "DequantizeLinear" or maker.refused:
            return None
        before[which] = maker
    between: list[OnnxNode] = []
    last = node
    while True:
        if len(last.outputs) != 1 or last.outputs[0] in file.outputs:
            return None
        reading = readers.get(last.outputs[0], [])
        if len(reading) != 1 or reading[0].refused or reading[0].inputs[0] != last.outputs[0]:
            return None
        if reading[0].word == "QuantizeLinear":
            behind = reading[0]
            break
        if reading[0].word not in _CUTS or len(between) > 2:
            return None
        last = reading[0]
        between.append(last)
    if not all(_needless(file, cut, behind) for cut in between):
        return None
    if WORDS[node.word].moves:     # of one scheme they move integers; else they are between floats
        rules = [places_of(one.word)[0].get_rule(file.constants, one) for one in (before.get(0, behind), behind)]
        if rules[0] is None or rules[0] != rules[1]:
            return None
    return QdqGroup(before, behind, tuple(between)) if before else None


def _needless(file: File, cut: OnnxNode, behind: OnnxNode) -> bool:
    """Do the integers end where the operator cuts, or before?"""
    scale = file.constants.get(behind.inputs[1]) if len(behind.inputs) > 1 else None
    if scale is None or scale.size != 1:
        return False
    zero = file.constants.get(behind.inputs[2]) if len(behind.inputs) > 2 else np.zeros((), np.uint8)
    if zero is None or zero.size != 1 or zero.dtype not in (np.uint8, np.int8):
        return False
    info, middle, step = np.iinfo(zero.dtype), int(zero.reshape(-1)[0]), float(scale.reshape(-1)[0])
    low, high = (info.min - middle) * step, (info.max - middle) * step
    bounds = (0.0, float("inf")) if cut.word == "Relu" else clip_bounds(file, cut)
    return not isinstance(bounds, str) and bounds[0] <= low and bounds[1] >= high


def clip_bounds(file: File, cut: OnnxNode) -> tuple[float, float] | str:
    """(lowest, highest) of a Clip; or why there are none, a sentence."""
    found: list[float] = [cut.attributes.get("min", -np.inf), cut.attributes.get("max", np.inf)]
    for which in (1, 2):
        name = cut.inputs[which] if which < len(cut.inputs) else ""
        if name:
            given = file.constants.get(name)
            if given is None:
                return f"its limit {name!r} is computed; it must be constant."
            if given.size != 1 or given.dtype != np.float32:
                return f"its limit {name!r} is {given.dtype} {list(given.shape)}; supported: one float32."
            found[which - 1] = float(given.reshape(-1)[0])
    return "a limit is NaN; supported: numbers." if np.isnan(found).any() else (found[0], found[1])
