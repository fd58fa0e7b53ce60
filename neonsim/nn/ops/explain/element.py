"""How one element of a result came about: the numbers it was made of, the sum, and the way from the sum to the byte.

    account(operator, values, index)     an Account of one element, from the operator's inputs

Everything is worked out here for one element, beside the definition; `ElementTrace.checked` says that both agree. What
two accounts of one element differ in: `neonsim.nn.ops.explain.rounding_cause`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.nn.ops.explain.requant_steps import RequantTrace, trace_double_scale, trace_scheme, trace_shift
from neonsim.nn.ops.operator import Operator
from neonsim.nn.ops.quantize import Dequantize, Quantize
from neonsim.nn.ops.quantized.channels import ChannelShuffle, Softmax
from neonsim.nn.ops.quantized.elementwise import Clamp, Convert, Elementwise
from neonsim.nn.ops.quantized.pad_copy import Pad
from neonsim.nn.ops.quantized.pair import Pair
from neonsim.nn.ops.quantized.pooling import AvgPool2d, GlobalAvgPool, MaxPool2d
from neonsim.nn.ops.quantized.weighted import WeightedOperator
from neonsim.quant.fixedpoint import decompose, wrap
from neonsim.quant.params.elementwise import AddParams, MultiplyParams, ScaledAddParams
from neonsim.quant.reference import operators
from neonsim.quant.requant.double_scale import DoubleAddParams, DoubleMultiplyParams
from neonsim.quant.requant.lab import SCHEMES
from neonsim.quant.rounding import scheme_name
from neonsim.ukernel.packing import OUTSIDE, Taps, conv_taps

__all__ = ["ElementTrace", "ProductTerms", "account", "place"]

Index = tuple[int, ...]
Axes = tuple[int, ...] | None
_Account = TypeVar("_Account", bound="Callable[..., ElementTrace]")
SHOWN = 8               # products that are listed, the largest ones; the others are added up
FEW = 12                # up to this number all are listed
MAX_TAPS = 25          # of a window whose taps are listed with the sum of each


@dataclass(frozen=True, eq=False)
class ProductTerms:
    """Products that are added up: (x - x_zero_point) * (w - w_zero_point), one a row.

    x, w             int64 [n]         as stored; of padding x is its zero point
    x_zero_point     int64 [] or [n]
    w_zero_point     int64 []
    x_places         int64 [n, rank]   where in the input each x lies; -1: in the padding
    w_places         int64 [n, rank]   the same of weights, [n, 0] where there are none
    taps             int64 [n]         which tap of a window each belongs to
    operand_names    (str, str)        what x and w are called
    letters          (str, ...)        what each x is called, where they differ
    """

    x: NDArray[np.int64]
    w: NDArray[np.int64]
    x_zero_point: Any
    w_zero_point: Any
    x_places: NDArray[np.int64]
    w_places: NDArray[np.int64]
    taps: NDArray[np.int64]
    operand_names: tuple[str, str] = ("x", "w")
    letters: tuple[str, ...] = ()

    @property
    def products(self) -> NDArray[np.int64]:
        """Every one."""
        return np.asarray((self.x - self.x_zero_point) * (self.w - self.w_zero_point), np.int64)

    @property
    def padding(self) -> int:
        """How many lie outside the image."""
        return int((self.x_places == OUTSIDE).any(axis=1).sum()) if self.x_places.size else 0

    def _said(self, i: int) -> str:
        x, w, x_zero = int(self.x[i]), int(self.w[i]), int(np.broadcast_to(self.x_zero_point, self.x.shape)[i])
        outside = self.x_places.size and (self.x_places[i] == OUTSIDE).any()
        letter = self.letters[i] if self.letters else self.operand_names[0]
        where = "padding" if outside else f"{letter}{place(self.x_places[i])}"
        if not self.operand_names[1]:
            return f"{where} = {x}: {x - x_zero}"
        weight = f"{self.operand_names[1]}{place(self.w_places[i])}"
        return f"{where} = {x}, {weight} = {w}: {x - x_zero} * {w - int(self.w_zero_point)} = {int(self.products[i])}"

    def lines(self) -> Iterator[str]:
        """The products, a bounded number of them: the largest, and what the others make together."""
        products, count = self.products, len(self.x)
        factor = f" * ({self.operand_names[1]} - {int(self.w_zero_point)})" if self.operand_names[1] else ""
        zero = np.unique(self.x_zero_point)
        x = f"({self.operand_names[0]} - {int(zero[0])})" if zero.size == 1 else (f"({self.operand_names[0]} - its "
                                                                                  "zero point)")
        inside = f", {self.padding} of them in the padding, where x is the zero point" if self.padding else ""
        yield f"{count} term{'s' * (count != 1)} {x}{factor}{inside}"
        taps = np.unique(self.taps)
        if 1 < taps.size <= MAX_TAPS and taps.size < count:
            sums = [f"{int(tap)}: {int(products[self.taps == tap].sum())}" for tap in taps]
            yield f"by taps of the window  {', '.join(sums)}"
        order = range(count) if count <= FEW else np.argsort(-np.abs(products), kind="stable")[:SHOWN].tolist()
        for i in order:
            yield f"    {self._said(i)}"
        if count > FEW:
            rest = int(products.sum() - products[list(order)].sum())
            yield f"    {count - SHOWN} smaller ones: {rest}"


class Told(tuple[int, ...]):
    """An index that text says in another order of axes, a file's."""

    axes: Axes = None

    @classmethod
    def from_index(cls, index: Sequence[Any], axes: Axes) -> Told:
        """axes: which of it text says first, second ...; None, and for another number of axes: as it is."""
        made = cls(int(i) for i in index)
        made.axes = axes if axes is not None and len(axes) == len(made) else None
        return made


def place(index: Sequence[Any]) -> str:
    """An index in brackets; nothing where there is none."""
    axes = getattr(index, "axes", None)
    said = index if axes is None else [index[axis] for axis in axes]
    return f"[{','.join(str(int(i)) for i in said)}]" if len(index) else ""


@dataclass(frozen=True, eq=False)
class ElementTrace:
    """One element of a result.

    kind         str                    of the operator
    index        (int, ...)             in the result
    value        int or float           what the definition gives
    terms        Terms or None          of operators that add up
    bias         int
    total        int or None            bias and terms, as 32 bits hold them
    requantised  Requantised or None    the way from there
    explanation  (str, ...)             of operators without sums: what is done, a line each
    moved        (int, index) or None   the element is that of an input, by its number: nothing is computed
    checked      bool                   the value follows from the numbers given
    """

    kind: str
    index: Index
    value: int | float
    terms: ProductTerms | None = None
    bias: int = 0
    total: int | None = None
    requantized: RequantTrace | None = None
    explanation: tuple[str, ...] = ()
    moved: tuple[int, Index] | None = None
    checked: bool = field(default=True)

    def lines(self) -> Iterator[str]:
        """As text."""
        if self.moved is not None:
            yield f"moved: element {list(self.moved[1])} of input {self.moved[0]}, {self.value}"
        if self.terms is not None:
            yield from self.terms.lines()
            yield f"bias {self.bias}, sum {self.total}"
        yield from self.explanation
        if self.requantized is not None:
            yield from self.requantized.lines()

    def __str__(self) -> str:
        return "\n".join([f"{self.kind}{place(self.index)} = {self.value}", *(f"    {x}" for x in self.lines())])


def account(operator: Operator, values: Sequence[NDArray[Any]], index: Sequence[int],
            value: int | float | None = None, axes: Axes = None, w_axes: Axes = None) -> ElementTrace:
    """How an operator makes one element.

    values   arrays of its inputs, whole
    index    of the element in the result
    value    what it is, if that is known; None: the definition is asked, for the whole result
    axes     in which order text names the axes of what it reads; None: in theirs. For tensors of n axes
    w_axes   the same of its weights

    Raises BadArgument for an index outside the result.
    """
    shape = operator.output_shape(*(v.shape for v in values))
    at = Told.from_index(index, axes)
    if len(at) != len(shape) or any(not 0 <= i < size for i, size in zip(at, shape, strict=True)):
        raise BadArgument(f"element {list(at)} is outside the result of {operator.kind}, which has shape "
                          f"{list(shape)}. Indices begin at 0.")
    known = operator.reference(*values)[at].item() if value is None else value
    found = replace(_ACCOUNTS[operator.account](operator, values, at), kind=operator.kind, index=at, value=known)
    if found.terms is not None:
        found = replace(found, terms=replace(found.terms, x_places=_turned(found.terms.x_places, axes),
                                             w_places=_turned(found.terms.w_places, w_axes)))
    if found.requantized is None or found.requantized.value == known:
        return found
    # Rules that are not known here: the definition's word stands, and the steps are not shown as if they were right.
    return replace(found, requantized=None, checked=False, explanation=(
        *found.explanation, f"the definition makes {known} of it, by a rule whose steps are not known here"))


def _turned(places: NDArray[np.int64], axes: Axes) -> NDArray[np.int64]:
    return places if axes is None or places.shape[1] != len(axes) else places[:, axes]


def _by_definition(operator: Operator, values: Sequence[NDArray[Any]], index: Index) -> ElementTrace:
    """By its definition alone."""
    axes = getattr(index, "axes", None)
    shapes = ", ".join(f"{name} {[v.shape[i] for i in axes] if axes and v.ndim == len(axes) else list(v.shape)}"
                       for name, v in zip(operator.names, values, strict=True))
    return ElementTrace(operator.kind, index, 0,
                        explanation=(f"{operator.kind} of {shapes}, by its definition", *operator.details()))


_ACCOUNTS: dict[str, Callable[..., ElementTrace]] = {"": _by_definition}      # by `Operator.account`


def _explains(word: str) -> Callable[[_Account], _Account]:
    def explains(account: _Account) -> _Account:
        _ACCOUNTS[word] = account
        return account
    return explains


# ---- products

def _product(operator: WeightedOperator, index: Index, terms: ProductTerms, shape: tuple[int, ...]) -> ElementTrace:
    """shape: of the result."""
    channel = index[-1]
    total = int(wrap(np.int64(terms.products.sum() + int(operator.bias[channel]))))
    scale, weights = operator.single_scale, np.asarray(operator.w.scale, np.float32)
    single, one = (float(a if a.ndim == 0 else a.reshape(-1)[channel]) for a in (scale, weights))
    said = (f"scales: input {operator.schemes[0].scale:.9g} * weights {one:.9g} / output {operator.out.scale:.9g}",)
    way = None
    wide = operator.finish.wide(operator)
    if wide is not None:
        usable = single if 2.0**-32 <= single < 256 else None
        place_of = channel, len(operator.bias)
        if wide.scheme == "flat16":     # an element's place in all of the result counts
            place_of = int(np.ravel_multi_index(index, shape)), math.prod(shape)
        way = trace_double_scale(total, wide, place_of, operator.params, usable)
    elif scheme_name(operator.requantization) in SCHEMES:
        way = trace_scheme(total, single, operator.requantization, operator.out.zero_point, operator.output_min,
                           operator.output_max)
    return ElementTrace("", index, 0, terms, int(operator.bias[channel]), total, way, said)


def _window(x: NDArray[Any], taps: Taps, index: Index, channels: range, zero_point: int
            ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """(x, places in the image, number of the tap) of every tap and channel of a window; padding is the zero point."""
    batch, oy, ox = index[:3]
    rows, columns = taps.rows[oy], taps.columns[ox]
    grid = np.meshgrid(rows, columns, np.arange(channels.start, channels.stop), indexing="ij")
    places = np.stack([np.full(grid[0].size, batch), *(one.reshape(-1) for one in grid)], axis=1).astype(np.int64)
    outside = (places[:, 1] == OUTSIDE) | (places[:, 2] == OUTSIDE)
    seen = np.where(outside, zero_point, x[tuple(np.where(outside[:, None], 0, places).T)].astype(np.int64))
    return seen, np.where(outside[:, None], OUTSIDE, places), np.repeat(np.arange(taps.count), len(channels))


@_explains("product")
def _weighted(operator: WeightedOperator, values: Sequence[NDArray[Any]], index: Index) -> ElementTrace:
    x, taps, zero = values[0], operator.taps(values[0].shape), operator.schemes[0].zero_point
    image, out = operator.as_images(x), operator.output_shape(x.shape)
    pixel = np.unravel_index(int(np.ravel_multi_index(index[:-1], out[:-1])), (len(image), *taps.output))
    group, own = divmod(index[-1], len(operator.bias) // operator.groups)
    numbers = np.arange(operator.weights.size).reshape(operator.weights.shape)
    w = operator.by_group(numbers)[group, own]
    channels = range(group * w.shape[-1], (group + 1) * w.shape[-1])
    seen, places, tap = _window(image, taps, tuple(map(int, pixel)), channels, zero)
    inside = places[:, :1] != OUTSIDE
    flat = np.ravel_multi_index(tuple(np.where(inside, places, 0).T), image.shape)
    return _product(operator, index, ProductTerms(
        seen, operator.weights.reshape(-1)[w.reshape(-1)].astype(np.int64), zero, operator.w.zero_point,
        np.where(inside, np.stack(np.unravel_index(flat, x.shape), axis=1), OUTSIDE),
        np.stack(np.unravel_index(w.reshape(-1), operator.weights.shape), axis=1), tap), out)


# ---- two operands

def _pair(values: Sequence[NDArray[Any]], index: Index) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(values, places) of both operands, broadcast; axes that one lacks count as 0."""
    places = [tuple(0 if n == 1 else i for i, n in zip(index, (1,) * (len(index) - v.ndim) + v.shape, strict=True))
              for v in values]
    found = [int(v[at[len(index) - v.ndim:]]) for v, at in zip(values, places, strict=True)]
    return np.array(found), np.array(places, np.int64).reshape(2, -1)


def _add(operator: Pair, pair: NDArray[np.int64], places: NDArray[np.int64], index: Index) -> ElementTrace:
    params = operator.params
    terms = ProductTerms(pair, np.array([params.a_multiplier, params.b_multiplier]),
                         np.array([params.a_zero_point, params.b_zero_point]), 0, places, np.zeros((2, 0), np.int64),
                         np.array([0, 1]), ("x", "factor"), ("a", "b"))
    total = int(terms.products.sum())
    ties = "away from zero" if operator.rule_name == "away" else "up"
    said = (f"scales: a {operator.schemes[0].scale:.9g}, b {operator.schemes[1].scale:.9g}, output "
            f"{operator.out.scale:.9g}; factors are their ratios times 2**{params.shift}, rounded",)
    return ElementTrace("", index, 0, terms, 0, total, trace_shift(total, 1, params.shift, ties, operator.out,
                                                                   operator.output_min, operator.output_max), said)


def _add_twice(operator: Pair, pair: NDArray[np.int64], places: NDArray[np.int64], index: Index) -> ElementTrace:
    """Both operands rounded to a common scale first."""
    params, said, parts = operator.params, [], []
    for name, x, at, wide, zero in (("a", int(pair[0]), places[0], params.a, params.a_zero_point),
                                    ("b", int(pair[1]), places[1], params.b, params.b_zero_point)):
        parts.append(int(wide.round(np.array([x - zero << params.LEFT]))[0]))
        said.append(f"{name}{place(at)} = {x}: ({x} - {zero}) * 2**{params.LEFT} * {float(wide.scale):.9g}, rounded = "
                    f"{parts[-1]}")
    total = parts[0] - parts[1] if params.subtracts else parts[0] + parts[1]
    said.append(f"{'difference' if params.subtracts else 'sum'} {total}")
    return ElementTrace("", index, 0, total=total, requantized=trace_double_scale(total, params.out, (0, 1), params),
                        explanation=tuple(said))


def _multiply(operator: Pair, pair: NDArray[np.int64], places: NDArray[np.int64], index: Index) -> ElementTrace:
    a, b = operator.schemes
    terms = ProductTerms(pair[:1], pair[1:], a.zero_point, b.zero_point, places[:1], places[1:], np.array([0]),
                         ("a", "b"))
    total = int(terms.products.sum())
    said = (f"scales: a {a.scale:.9g} * b {b.scale:.9g} / output {operator.out.scale:.9g}",)
    params = operator.params
    way = trace_double_scale(total, params.scale, (0, 1), params) if operator.rule.narrows else trace_scheme(
        total, params.scale, params.scheme, operator.out.zero_point, operator.output_min, operator.output_max)
    return ElementTrace("", index, 0, terms, 0, total, way, said)


# By the parameters that combine two bytes; of others there is the definition.
_PAIRS = {AddParams: _add, ScaledAddParams: _add, DoubleAddParams: _add_twice, MultiplyParams: _multiply,
          DoubleMultiplyParams: _multiply}


@_explains("pair")
def _combined(operator: Pair, values: Sequence[NDArray[Any]], index: Index) -> ElementTrace:
    trace = _PAIRS.get(type(operator.params))
    return _by_definition(operator, values, index) if trace is None else trace(operator, *_pair(values, index), index)


# ---- means and largest

def _mean(operator: AvgPool2d | GlobalAvgPool, index: Index, terms: ProductTerms, count: int) -> ElementTrace:
    total = int(terms.products.sum())
    common = operator.out, operator.output_min, operator.output_max
    if getattr(operator, "integer", False):
        inside = len(terms.x) - terms.padding
        rounded = (2 * abs(total) + inside) // (2 * inside) * (-1 if total < 0 else 1)
        way = RequantTrace("one rounding, ties away from zero", None, Fraction(total, inside),
                           (f"{total} / {inside}, rounded = {rounded}",), rounded, 0, *common[1:])
        return ElementTrace("", index, 0, terms, 0, total, way, (f"mean of {inside} integers as they are",))
    scale = operators.average_scale(operator.schemes[0].scale, operator.out.scale, count)
    multiplier, shift = (int(part) for part in decompose(scale))
    ties = "up" if operator.out.dtype == "int8" else "away from zero"
    said = (f"mean of {count}: input {operator.schemes[0].scale:.9g} / (output {operator.out.scale:.9g} * {count}) = "
            f"{scale:.9g} = {multiplier} / 2**{31 + shift}",)
    return ElementTrace("", index, 0, terms, 0, total, trace_shift(total, multiplier, 31 + shift, ties, *common), said)


def _plain(seen: NDArray[np.int64], zero: int, places: NDArray[np.int64], taps: NDArray[np.int64]) -> ProductTerms:
    """Terms that are multiplied with nothing."""
    return ProductTerms(seen, np.ones_like(seen), zero, 0, places, np.zeros((len(seen), 0), np.int64), taps, ("x", ""))


@_explains("average")
def _average(operator: AvgPool2d, values: Sequence[NDArray[Any]], index: Index) -> ElementTrace:
    x, zero = values[0], 0 if operator.integer else operator.schemes[0].zero_point
    taps = conv_taps(operator.shape(x.shape))
    seen, places, numbers = _window(x, taps, index, range(index[3], index[3] + 1), zero)
    return _mean(operator, index, _plain(seen, zero, places, numbers), taps.count)


@_explains("integer average")
def _global_average(operator: GlobalAvgPool, values: Sequence[NDArray[Any]], index: Index) -> ElementTrace:
    x, (batch, channel) = values[0], index
    inner = np.indices(x.shape[1:-1]).reshape(x.ndim - 2, -1).T
    count = len(inner)
    places = np.concatenate([np.full((count, 1), batch), inner, np.full((count, 1), channel)], axis=1)
    seen, none = x[tuple(places.T)].astype(np.int64), np.zeros(count, np.int64)
    if operator.requantization is None:
        return _mean(operator, index, _plain(seen, operator.schemes[0].zero_point, places, none), count)
    params = operator.wide(count)
    terms = _plain(seen, params.input_zero_point, places, none)
    total = int(wrap(terms.products.sum()))
    way = trace_double_scale(total, params.scale, (channel, x.shape[-1]), params)
    return ElementTrace("", index, 0, terms, 0, total, way, (f"mean of {count}, which its multiplier is divided by",))


@_explains("largest")
def _largest(operator: MaxPool2d, values: Sequence[NDArray[Any]], index: Index) -> ElementTrace:
    taps = conv_taps(operator.shape(values[0].shape), clamp=True)
    seen, places, _ = _window(values[0], taps, index, range(index[3], index[3] + 1), 0)
    best = int(np.argmax(seen))
    best_at = Told.from_index(places[best], getattr(index, "axes", None))
    shown = ", ".join(map(str, seen[:MAX_TAPS].tolist())) + (" ..." if len(seen) > MAX_TAPS else "")
    return ElementTrace("", index, 0, explanation=(f"largest of {shown}: x{place(best_at)} = {int(seen[best])}",
                                                   f"held to {operator.output_min}..{operator.output_max}"))


# ---- element by element, and whole rows

@_explains("table")
def _one(operator: Elementwise, values: Sequence[NDArray[Any]], index: Index) -> ElementTrace:
    x, scheme = int(values[0][index]), operator.schemes[0]
    real = scheme.scale * (x - scheme.zero_point)
    return ElementTrace("", index, 0, explanation=(
        f"x{place(index)} = {x}, which is {scheme.scale:.9g} * ({x} - {scheme.zero_point}) = {real:.9g}",
        f"{operator.kind} of it, in steps of {operator.out.scale:.9g} from {operator.out.zero_point}: entry "
        f"{x & 0xFF} of a table of 256 bytes"))


@_explains("limits")
def _clamp(operator: Clamp, values: Sequence[NDArray[Any]], index: Index) -> ElementTrace:
    return ElementTrace("", index, 0,
                        explanation=(f"x{place(index)} = {int(values[0][index])}, held to {operator.output_min}.."
                                     f"{operator.output_max}",))


@_explains("change of scale")
def _convert(operator: Convert, values: Sequence[NDArray[Any]], index: Index) -> ElementTrace:
    scheme = operator.schemes[0]
    if operator.wide is not None:
        wide, centered = operator.wide, int(values[0][index]) - scheme.zero_point
        flat = int(np.ravel_multi_index(index, values[0].shape))
        way = trace_double_scale(centered, wide.positive if centered >= 0 else wide.negative, (flat, values[0].size),
                                 wide)
        return ElementTrace("", index, 0, requantized=way, explanation=(
            f"x{place(index)} = {int(values[0][index])}: {int(values[0][index])} - {scheme.zero_point} = {centered}",))
    params = operator.params
    total = (int(values[0][index]) - scheme.zero_point) * params.multiplier
    info = np.iinfo(operator.out.dtype)
    said = (f"x{place(index)} = {int(values[0][index])}: ({int(values[0][index])} - {scheme.zero_point}) * "
            f"{params.multiplier}, which is 256 * {scheme.scale:.9g} / {operator.out.scale:.9g} rounded, = {total}",)
    return ElementTrace("", index, 0, requantized=trace_shift(total, 1, 8, "up", operator.out, info.min, info.max),
                        explanation=said)


@_explains("shares")
def _softmax(operator: Softmax, values: Sequence[NDArray[Any]], index: Index) -> ElementTrace:
    row = values[0][index[:-1]].astype(np.int64)
    x, largest = int(row[index[-1]]), int(row.max())
    # In fixed point exponentials have 31 bits behind the point.
    table = np.asarray(operator.table, np.float64) / 2.0**31 if operator.fixed else operator.table
    whole = np.add.accumulate(table[largest - row], dtype=np.float32)[-1]
    share, steps = np.float32(table[largest - x]), 1 / float(operator.out.scale)
    return ElementTrace("", index, 0, explanation=(
        f"x{place(index)} = {x}, the largest of {len(row)} channels is {largest}: {largest - x} steps below",
        f"exp(-{operator.schemes[0].scale:.9g} * {largest - x}) = {float(share):.9g}, of {float(whole):.9g} in all",
        f"{steps:.9g} * {float(share / whole):.9g} = {float(steps * share / whole):.9g}, rounded, from "
        f"{operator.out.zero_point}"))


@_explains("quantization")
def _quantize(operator: Quantize, values: Sequence[NDArray[Any]], index: Index) -> ElementTrace:
    x, out = float(values[0][index]), operator.out
    eighth = operator.ties == "eights" and np.ravel_multi_index(index, values[0].shape) < values[0].size // 8 * 8
    ties = "to even" if operator.ties == "even" or eighth else "away from zero"
    return ElementTrace("", index, 0,
                        explanation=(f"x{place(index)} = {x:.9g}: {x:.9g} / {out.scale:.9g}, to the nearest, ties "
                                     f"{ties}, + {out.zero_point}, held to what {out.dtype} can show",))


@_explains("dequantization")
def _dequantize(operator: Dequantize, values: Sequence[NDArray[Any]], index: Index) -> ElementTrace:
    x = int(values[0][index])
    if operator.x is None:
        return ElementTrace("", index, 0, explanation=(f"x{place(index)} = {x}, times its scale",))
    return ElementTrace("", index, 0, explanation=(f"x{place(index)} = {x}: {operator.x.scale:.9g} * ({x} - "
                                                   f"{operator.x.zero_point})",))


# ---- moved

@_explains("padding")
def _pad(operator: Pad, values: Sequence[NDArray[Any]], index: Index) -> ElementTrace:
    before = [first for first, _ in operator._pairs(values[0].ndim)]
    source = tuple(i - first for i, first in zip(index, before, strict=True))
    if all(0 <= i < size for i, size in zip(source, values[0].shape, strict=True)):
        return ElementTrace("", index, 0, moved=(0, source))
    return ElementTrace("", index, 0, explanation=(f"padding: {operator.value}",))


@_explains("shuffle")
def _shuffle(operator: ChannelShuffle, values: Sequence[NDArray[Any]], index: Index) -> ElementTrace:
    source = int(operators.channel_shuffle(np.arange(values[0].shape[-1]), operator.groups)[index[-1]])
    return ElementTrace("", index, 0, moved=(0, (*index[:-1], source)))
