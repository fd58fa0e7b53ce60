"""The words of `.onnx`: a row for each, registered next to the function that reads it.

A row says the inputs by their names in ONNX, the attributes by the kind of their values, and who reads the node:
between pairs or with scales of its own, of floats, or while the file is read. A node that has anything else is
refused, as ONNX Runtime refuses it. So an attribute is taken as it is wherever it is read, and none goes unread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["ALL", "POOL", "WINDOW", "WORDS", "OnnxWord", "misfit", "reads", "row"]

WINDOW = "auto_pad:s dilations:ii kernel_shape:ii pads:ii strides:ii"
POOL = f"{WINDOW} ceil_mode:i"
ALL = 1 << 10       # operands of a word that has any number of them
_KINDS: dict[str, tuple[type[Any], type[Any] | None, str]] = {
    "i": (int, None, "an integer"), "f": (float, None, "a float"), "s": (str, None, "a word"),
    "t": (np.ndarray, None, "a tensor"), "ii": (list, int, "integers"), "ff": (list, float, "floats"),
}


@dataclass(frozen=True, eq=False)
class OnnxWord:
    """A word of the file.

    inputs       names, ? behind those that may be left out, * behind any number
    attributes   {name: kind}
    results      how many at most
    integers     handler     reads it between pairs, or with scales of its own; None: nothing does
    real         handler     reads it without a pair around it; None: of floats there is none
    fold         function    from the node and its constants to the constant it makes; None: it is not folded
    operands     int         n inputs stand between pairs; 0: it has no form between them
    keeps        bool        what it reads and writes is of one scheme
    """

    inputs: tuple[str, ...]
    attributes: Mapping[str, str]
    results: int = 1
    integers: Callable[..., None] | None = None
    real: Callable[..., None] | None = None
    fold: Callable[[Any, list[Any]], Any] | None = None
    operands: int = 0
    keeps: bool = False

    @property
    def moves(self) -> bool:
        """It moves the integers of one operand as they are."""
        return self.keeps and self.operands == 1


WORDS: dict[str, OnnxWord] = {}


def row(word: str, inputs: str, attributes: str = "", **more: Any) -> None:
    """Add a word: its inputs, its attributes as "name:kind", and the other fields of its row."""
    WORDS[word] = OnnxWord(tuple(inputs.split()), dict(one.split(":", 1) for one in attributes.split()), **more)


def reads(word: str, inputs: str, attributes: str = "", **more: Any) -> Callable[[Any], Any]:
    """Add a word that the decorated handler reads: also without a pair around it, unless `real` is another or None."""
    def add(handler: Any) -> Any:
        row(word, inputs, attributes, integers=handler, **{"real": handler, **more})
        return handler
    return add


def misfit(word: str, inputs: Sequence[str], outputs: Sequence[str], attributes: Mapping[str, Any]) -> str:
    """Return why a node does not fit its word, in a sentence; "" if it fits, or if the word is unknown here."""
    signature = WORDS.get(word)
    if signature is None:
        return ""
    many = bool(signature.inputs) and signature.inputs[-1].endswith("*")
    names = signature.inputs[:-1] if many else signature.inputs
    for which, name in enumerate(names):
        if not name.endswith("?") and (which >= len(inputs) or not inputs[which]):
            return f"its input {name} is missing."
    if many and not all(inputs[len(names):]):
        return "one of its inputs is missing."
    if (len(inputs) > len(names) and not many) or (many and len(inputs) == len(names)):
        return f"it has {len(inputs)} inputs; {', '.join(one.rstrip('?*') for one in signature.inputs)} are supported."
    if not outputs or not outputs[0] or len(outputs) > signature.results:
        return f"it has {len(outputs)} results, or the first is missing; the limit is {signature.results}."
    for name, value in attributes.items():
        if name not in signature.attributes:
            known = ", ".join(sorted(signature.attributes)) or "no attributes"
            return f"its attribute {name!r:.60} is not known: such a node has {known}."
        kind, of, said = _KINDS[signature.attributes[name]]
        if not isinstance(value, kind) or (of is not None and not all(isinstance(one, of) for one in list(value))):
            return f"its attribute {name!r} is {value!r:.60}; it must be {said}."
    return ""
