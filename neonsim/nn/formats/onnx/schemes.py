"""Which integers stand for which floats: nodes say so, here it becomes a property of the values between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.formats.onnx.read import TYPES, File, OnnxNode
from neonsim.nn.formats.onnx.words import WORDS

__all__ = ["QuantizationRule", "SchemePlace", "places_of", "schemes_of"]


@dataclass(frozen=True, eq=False)
class QuantizationRule:
    """real = scale * (q - zero_point)

    scale        float32 [n]   one, or one per index of an axis
    zero_point   int
    dtype        str           of the integers
    """

    scale: NDArray[np.float32]
    zero_point: int
    dtype: str

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QuantizationRule):
            return NotImplemented
        return (self.zero_point, self.dtype) == (other.zero_point, other.dtype) and \
            np.array_equal(self.scale, other.scale)

    def __hash__(self) -> int:
        return hash((self.scale.tobytes(), self.zero_point, self.dtype))

    def zero_points(self) -> NDArray[np.int64]:
        """One for every scale."""
        return np.full(self.scale.size, self.zero_point, np.int64)

    def __str__(self) -> str:
        return f"{self.dtype}, scale {float(self.scale[0]):.9g}, zero point {self.zero_point}"


class SchemePlace(NamedTuple):
    """Of an operand or a result: which it is, and the inputs of the node that give its scale and zero point."""

    which: int
    scale: int
    zero: int
    writes: bool = False

    def get_rule(self, constants: Mapping[str, NDArray[Any]], node: OnnxNode,
                 many: bool = False) -> QuantizationRule | None:
        """The rule, if its parts are constants. many: one scale per channel is taken too."""
        found = self.read(constants, node, many)
        return None if isinstance(found, str) else found

    def read(self, constants: Mapping[str, NDArray[Any]], node: OnnxNode, many: bool = False) -> QuantizationRule | str:
        """The same, or why there is none: a sentence."""
        names = [node.inputs[which] if which < len(node.inputs) else "" for which in (self.scale, self.zero)]
        for name, what in zip(names, ("scale", "zero point"), strict=True):
            if not name and what == "scale":
                return "its scale is missing."
            if name and name not in constants:
                return f"its {what}, {name!r}, is computed; it must be constant."
        scale = constants[names[0]]
        said = node.attributes.get("output_dtype", 0) if self.writes else 0
        left_out = TYPES.get(said, "uint8")
        if not self.writes and node.inputs[self.which] in constants:
            left_out = constants[node.inputs[self.which]].dtype.name
        zero = constants[names[1]] if names[1] else np.zeros(scale.size, left_out)
        if scale.dtype != np.float32 or zero.dtype not in (np.uint8, np.int8):
            return f"its scale is {scale.dtype}, its zero point {zero.dtype}; supported: float32, and uint8 or int8."
        if said and TYPES.get(said) != zero.dtype:
            return f"its output_dtype is {TYPES.get(said, said)}, its zero point {zero.dtype}."
        if not scale.size or zero.size != scale.size or scale.ndim > 1:
            channels = ", or one for each channel" if many else ""
            return (f"its scale has shape {list(scale.shape)}, its zero point {list(zero.shape)}; each "
                    f"must be one number{channels}.")
        if scale.size > 1 and not many:
            return f"it has {scale.size} scales; only weights may have several."
        if not many and not (np.isfinite(scale) & (scale >= np.finfo(np.float32).tiny)).all():
            return f"its scale is {float(scale.reshape(-1)[0]):g}; it must be a positive, normal float32."
        if (zero != zero.reshape(-1)[0]).any():
            return "its zero points differ between channels; supported: one for all."
        return QuantizationRule(scale.reshape(-1), int(zero.reshape(-1)[0]), zero.dtype.name)


def places_of(word: str) -> tuple[SchemePlace, ...]:
    """Whose scales and zero points a word takes, by the names of its inputs: those of x are x_scale and x_zero_point,
    a result's are those of no input; of any number of tensors each is followed by its own."""
    return _places_of(WORDS[word].inputs) if word in WORDS else ()


@cache
def _places_of(inputs: tuple[str, ...]) -> tuple[SchemePlace, ...]:
    at = {name.rstrip("?*"): which for which, name in enumerate(inputs)}
    scaled = [name.removesuffix("_scale") for name in at if name.endswith("_scale")]
    found = [SchemePlace(at.get(name, 0), at[f"{name}_scale"], at[f"{name}_zero_point"], name not in at)
             for name in scaled]
    if found and inputs[-1].endswith("*"):
        found += [SchemePlace(i, i + 1, i + 2) for i in range(len(inputs) - 1, 3 * 1024, 3)]
    return tuple(found)


_PASSES = 8     # there and back along chains of moves; one is enough where joins are not nested


def _both_ways(node: OnnxNode, say: Callable[[str, QuantizationRule | None], bool],
               found: Mapping[str, QuantizationRule]) -> int:
    """From what a move reads to what it writes, and back; how many rules are new."""
    inputs = node.inputs if node.word == "Concat" else node.inputs[:1]
    new = sum(say(node.outputs[0], found.get(name)) for name in inputs)
    return new + sum(say(name, found.get(node.outputs[0])) for name in inputs)


def schemes_of(file: File) -> tuple[dict[str, QuantizationRule], dict[str, QuantizationRule]]:
    """{value: rule}, and the rules of those that do not agree."""
    constants, found = file.constants, dict[str, QuantizationRule]()
    clashes: dict[str, QuantizationRule] = {}

    def say(name: str, rule: QuantizationRule | None) -> bool:
        if rule is None or not name:
            return False
        if name in found:
            if found[name] != rule:
                clashes[name] = rule
            return False
        found[name] = rule
        return True

    for node in file.nodes:
        for where in places_of(node.word):
            names = node.outputs if where.writes else node.inputs
            if where.which < len(names):
                say(names[where.which], where.get_rule(constants, node))
    moving = [node for node in file.nodes
              if node.word in WORDS and WORDS[node.word].keeps and node.inputs and node.outputs]
    for _ in range(_PASSES):
        if not sum(_both_ways(node, say, found) for node in (*moving, *reversed(moving))):
            break
    return found, clashes
