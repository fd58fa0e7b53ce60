"""Tables of scales, as the calibration tools of ncnn and Tengine write them.

    ncnn       conv1_param_0 156.64 142.1 ...      of its weights, a number for each channel
               conv1 119.3                         of its input
               The numbers are steps per unit, 127 / largest: the reciprocals of our scales.
    Tengine    conv1 0.0083823 0                   of a tensor: scale and zero point

Source: (F03): ncnn `tools/quantize/ncnn2table.cpp`; (F17): Tengine `tools/quantize/quant_tool_int8.cpp`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument, ModelError
from neonsim.quant.scheme import Scheme

__all__ = ["NcnnTable", "read_ncnn_table", "read_tengine_table", "write_ncnn_table", "write_tengine_table"]

_OF_WEIGHTS = "_param_0"
_MAX_LENGTH = 1 << 26   # Characters of a table; a network of 1000 layers of 1000 channels has 10 MB.


@dataclass(frozen=True, eq=False)
class NcnnTable:
    """Scales of layers by name, as ours: reals per step.

    weights   {layer: float32 [channels]}
    inputs    {layer: float}
    """

    weights: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    inputs: Mapping[str, float] = field(default_factory=dict)


def _lines(text: str) -> list[tuple[int, list[str]]]:
    if len(text) > _MAX_LENGTH:
        raise ModelError(f"a table of scales of {len(text):,} characters; the limit is {_MAX_LENGTH:,}.")
    return [(number, words) for number, line in enumerate(text.splitlines(), 1) if (words := line.split())]


def _number(word: str, line: int, what: str) -> float:
    try:
        found = float(word)
    except ValueError:
        found = math.nan
    if not (math.isfinite(found) and found > 0):
        raise ModelError(f"line {line} of the table: {what} {word[:40]!r} is no positive number.")
    return found


def read_ncnn_table(text: str) -> NcnnTable:
    """From the text of a `.table` file.

    Raises ModelError, with the line, for numbers that are no scale, a layer without any or named twice.

    >>> read_ncnn_table("conv1_param_0 100.0 50.0\\nconv1 4.0\\n").inputs
    {'conv1': 0.25}
    """
    weights: dict[str, NDArray[np.float32]] = {}
    inputs: dict[str, float] = {}
    for line, (name, *words) in _lines(text):
        scales = [1 / _number(word, line, "the factor") for word in words]
        of_weights = name.endswith(_OF_WEIGHTS)
        if not scales or (len(scales) > 1 and not of_weights):
            raise ModelError(f"line {line} of the table: {name[:40]} has {len(scales)} factors; "
                             f"{'one for each channel is' if of_weights else 'one is'} taken.")
        layer = name.removesuffix(_OF_WEIGHTS)
        if layer in (weights if of_weights else inputs):
            raise ModelError(f"line {line} of the table: {name[:40]} is there already.")
        if of_weights:
            weights[layer] = np.array(scales, np.float32)
        else:
            inputs[layer] = scales[0]
    return NcnnTable(weights, inputs)


def write_ncnn_table(table: NcnnTable) -> str:
    """The text of a `.table` file: first all weights, then all inputs; six digits after the point, as ncnn prints them.

    Raises BadArgument for names with spaces in them, which could not be read again.
    """
    found = []
    for name, scales in table.weights.items():
        found.append(" ".join([_one_word(name) + _OF_WEIGHTS, *(f"{1 / float(one):.6f}" for one in scales)]))
    for name, scale in table.inputs.items():
        found.append(f"{_one_word(name)} {1 / scale:.6f}")
    return "".join(f"{line} \n" for line in found)


def read_tengine_table(text: str) -> dict[str, Scheme]:
    """From the text of a `.scale` file: {tensor: int8 scheme, uint8 where a zero point is beyond int8}.

    Raises ModelError, with the line, for what is no name, scale and zero point.

    >>> read_tengine_table("data 0.5 0\\n")
    {'data': Scheme(scale=0.5, zero_point=0, dtype='int8')}
    """
    names: set[str] = set()
    rows: list[tuple[str, float, int]] = []
    for line, words in _lines(text):
        if len(words) != 3:
            raise ModelError(f"line {line} of the table has {len(words)} words; a name, a scale and a zero point are "
                             "taken.")
        name, scale, zero_point = words
        if not zero_point.lstrip("-").isdecimal() or len(zero_point) > 4 or not -128 <= int(zero_point) <= 255:
            raise ModelError(f"line {line} of the table: the zero point {zero_point[:40]!r} is none of -128 to 255.")
        if name in names:
            raise ModelError(f"line {line} of the table: {name[:40]} is there already.")
        rows.append((name, _number(scale, line, "the scale"), int(zero_point)))
        names.add(name)
    # A table is for one type: a single zero point above 127 says which.
    dtype = "uint8" if any(zero_point > 127 for _, _, zero_point in rows) else "int8"
    try:
        return {name: Scheme(scale, zero_point, dtype) for name, scale, zero_point in rows}
    except BadArgument as problem:
        raise ModelError(f"the table of scales: {problem}") from None


def write_tengine_table(schemes: Mapping[str, Scheme]) -> str:
    """The text of a `.scale` file. Raises BadArgument for scales of channels and names with spaces in them."""
    for name, scheme in schemes.items():
        if scheme.axis is not None:
            raise BadArgument(f"{name} has one scale per channel; a table of Tengine's has one for a tensor.")
    return "".join(f"{_one_word(name)} {float(np.asarray(scheme.scale)):.9g} {scheme.zero_point}\n"
                   for name, scheme in schemes.items())


def _one_word(name: str) -> str:
    if not name or name.split() != [name]:
        raise BadArgument(f"a table of scales holds names without spaces; got {name!r}.")
    return name
