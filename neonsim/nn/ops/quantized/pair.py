"""A function of two arrays, broadcast as numpy does, up to six dimensions, by a rule.

Axes that both operands walk over alike are merged first, so most shapes come down to one or two axes. Along the last
one either both operands move (a kernel of two vectors), or one stands still: a kernel with a constant, with operands
and factors exchanged if it is the first that stands still (X45).

    a [2, 3, 4, 5]   b [      4, 5]  ->  [6 | 20]     b goes back to its beginning for each of 6 rows
    a [2, 3, 4, 5]   b [   3, 1, 1]  ->  [2, 3 | 20]  one value of b for each row of 20: a constant

All may write their result over an operand of its shape: `out_array=a.values`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import CopyRows, Pointer
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.job_builder import Builder, parts
from neonsim.nn.ops.lowering.elementwise import call_elements
from neonsim.nn.ops.operand import check_scheme, with_channels
from neonsim.nn.ops.operator import Operator, kernels_refuse
from neonsim.quant.reference.litert_vectors import Narrowing
from neonsim.quant.reference.single_precision import every_byte
from neonsim.quant.requant.double_scale import DoubleAddParams, DoubleMultiplyParams
from neonsim.quant.rounding import limits
from neonsim.quant.scheme import Scheme
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["Axes", "Pair", "PairRule", "check_alike", "merged"]

MAX_RANK = 6        # dimensions, as the libraries' own operators (D08)
TASK = 4096             # elements of a call (P10)
_DTYPES = ("uint8", "int8")


class Axes(NamedTuple):
    """A shape, and bytes from one element to the next along each axis for both operands and the result.

    A step of 0: the operand stands still, it is broadcast along that axis.
    """

    shape: tuple[int, ...]
    a: tuple[int, ...]
    b: tuple[int, ...]
    y: tuple[int, ...]


def merged(axes: Axes) -> Axes:
    """The same walk with as few axes as possible: axes of size 1 dropped, neighbours merged where all three allow.

    >>> merged(Axes((2, 3, 4), (12, 4, 1), (0, 4, 1), (12, 4, 1)))
    Axes(shape=(2, 12), a=(12, 1), b=(0, 1), y=(12, 1))
    """
    kept = [(n, steps) for n, *steps in zip(*axes, strict=True) if n != 1] or [(1, [1, 1, 1])]
    found = [kept[-1]]
    for size, steps in reversed(kept[:-1]):
        inner_size, inner_steps = found[0]
        if all(step == inner * inner_size for step, inner in zip(steps, inner_steps, strict=True)):
            found[0] = (size * inner_size, inner_steps)
        else:
            found.insert(0, (size, steps))
    a, b, y = zip(*(steps for _, steps in found), strict=True)
    return Axes(tuple(size for size, _ in found), a, b, y)


class PairRule(NamedTuple):
    """How bytes of two operands become a third.

    params      (a, b, out, output_min=, output_max=) -> what `combine`s them; with contracts it is the kernels' block
    contracts   {type: (of two vectors, of a vector and one value)}; "" where there is none
    layer       a network's layer, of operator and params; None: by a table of all pairs
    twins       rules whose kernels do it, where all pairs of bytes have the same results
    quotient    contract that does it without a twin
    no_kernels  what kernels have not, where there are none
    title       in a list of rules; "": it is not listed
    narrows     results leave 16 bits in vectors (`Narrowing`)
    least       the lower limit, where none is given
    """

    params: Callable[..., Any]
    contracts: Mapping[str, tuple[str, str]] = {}
    layer: Callable[[Pair, Any], NativeLayer] | None = None
    twins: tuple[str, ...] = ()
    quotient: str = ""
    no_kernels: str = ""
    title: str = ""
    narrows: bool = False
    least: int | None = None


class Pair(Operator):
    """One result per element of the broadcast shape, by a rule.

    a, b, out   Scheme   of one type
    rule        str      a name of `rules`; None: the first of the type
    narrowing            what becomes of results that leave 16 bits, by rules that narrow
                         (`neonsim.quant.reference.litert_vectors`)
    """

    names, account = ("a", "b"), "pair"
    may_overwrite = True
    rules: ClassVar[Mapping[str, PairRule]]
    argument: ClassVar[str] = ""        # what `rule` is called where one can be chosen

    def __init__(self, a: Scheme, b: Scheme, *, out: Scheme, rule: str | None = None, output_min: int | None = None,
                 output_max: int | None = None, narrowing: Narrowing | None = None) -> None:
        self.schemes = (check_scheme(a, "a", _DTYPES), check_scheme(b, "b", _DTYPES))
        self.out = check_scheme(out, "out", _DTYPES)
        types = {"a": a.dtype, "b": b.dtype, "out": out.dtype}
        if len(set(types.values())) > 1:
            given = ", ".join(f"{name} is {kind}" for name, kind in types.items())
            raise BadArgument(f"{given}: operands and result of {self.kind} are all uint8 or all int8.")
        known = [name for name, row in self.rules.items() if not row.contracts or out.dtype in row.contracts]
        if rule is not None and rule not in known:
            raise BadArgument(f"{self.argument} of {self.kind} of {out.dtype} must be "
                              f"{', '.join(map(repr, known[:-1]))} or {known[-1]!r}; got {rule!r}.")
        self.rule_name = rule or known[0]
        self.narrowing = narrowing
        self.output_min, self.output_max = limits(out.dtype, self.rule.least if output_min is None else output_min,
                                                  output_max)
        if self.output_min >= self.output_max:
            raise BadArgument(f"output_min {self.output_min} must be less than output_max {self.output_max}.")
        self.params = self.rule.params(a, b, out, output_min=self.output_min, output_max=self.output_max)
        if self.rule.narrows and narrowing is not None and _leaves_16_bits(self.params):
            self.params = replace(self.params, narrowing=narrowing)
        self.prefers_network_layer = bool(self.rule.quotient)
        self.twin: Pair | None = None
        if self.rule.twins:
            self._find_twin()

    @property
    def rule(self) -> PairRule:
        """The row of its rule."""
        return self.rules[self.rule_name]

    def _find_twin(self) -> None:
        every = every_byte(self.schemes[0])[:, np.newaxis], every_byte(self.schemes[1])[np.newaxis, :]
        wanted = self.reference(*every)
        self.differing = wanted.size
        for name in self.rule.twins:
            try:
                twin = self.by_rule(name)
            except BadArgument:     # its scales are out of the kernels' range
                continue
            self.differing = min(self.differing, int((twin.reference(*every) != wanted).sum()))
            if self.differing == 0:
                self.twin = twin
                return

    def by_rule(self, rule: str) -> Self:
        """The same by another rule. Raises BadArgument for schemes that it does not take."""
        a, b = self.schemes
        return self.of_schemes(a, b, self.out, self.output_min, self.output_max, rule)

    def of_schemes(self, a: Scheme, b: Scheme, out: Scheme, output_min: int | None, output_max: int | None,
                   rule: str = "") -> Self:
        """The same function of other schemes, with other limits; rule: "" is its own."""
        arguments: dict[str, Any] = {self.argument: rule or self.rule_name, "narrowing": self.narrowing}
        return type(self)(a, b, out=out, output_min=output_min, output_max=output_max, **arguments)

    def by_other_rules(self, *values: NDArray[Any]) -> dict[str, NDArray[Any]]:
        found = {}
        for name, row in self.rules.items():
            if row.title and self.rule.title:
                try:
                    found[row.title] = self.by_rule(name).reference(*values)
                except BadArgument:
                    continue
        return found

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.params.combine(values[0], values[1]))

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """Of tensors of one shape."""
        check_alike(shapes)
        if self.twin is not None:
            return self.twin.network_layer(*shapes)
        if self.rule.twins and not self.rule.quotient:
            raise BackendError(str(self.unsupported_reason()))
        return self._by_table() if self.rule.layer is None else self.rule.layer(self, self.params)

    def _by_table(self) -> NativeLayer:
        """A layer by a table of the results for all pairs of bytes, as networks keep them: int8 with 128 added."""
        kept = 0x80 if self.out.dtype == "int8" else 0
        every = (np.arange(256, dtype=np.uint8) ^ kept).view(self.out.dtype)
        if getattr(self.params, "narrowing", None) is not None:
            raise BackendError("its results exceed 16 bits and wrap by the position of an element; use "
                               "backend='reference'")
        made = self.reference(every[:, np.newaxis], every[np.newaxis, :]).view(np.uint8) ^ np.uint8(kept)
        return NativeLayer("lut_pair", {"weights": np.ascontiguousarray(made)})

    def unsupported_reason(self) -> str | None:
        """Not every rule has kernels."""
        if self.rule.contracts or self.twin is not None:
            return None
        if self.rule.quotient:
            return kernels_refuse(lambda: self.params.quotient)
        if self.rule.twins:
            return (f"in single precision {self.differing} of the 65 536 pairs of bytes have another result than "
                    "kernels give; backend='reference' has it.")
        return (f"there are no kernels for {self.kind}{self.rule.no_kernels}; backend='reference' takes it, and "
                "networks do.")

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        for name, shape in zip(self.names, shapes, strict=True):
            if len(with_channels(shape, name)) > MAX_RANK:
                raise BadArgument(f"{name} has {len(shape)} dimensions; at most {MAX_RANK} are broadcast.")
        a, b = ((1,) * (max(map(len, shapes)) - len(s)) + s for s in shapes)
        for axis, (m, n) in enumerate(zip(a, b, strict=True)):
            if m != n and 1 not in (m, n):
                raise BadArgument(f"a {list(shapes[0])} and b {list(shapes[1])} must have one shape or broadcast: "
                                  f"counted from the end, axis {axis - len(a)} has {m} and {n}, and neither is 1.")
        return tuple(n if m == 1 else m for m, n in zip(a, b, strict=True))

    def axes(self, build: Builder) -> Axes:
        """How operands and result lie in memory, merged."""
        rank = len(build.output.shape)

        def steps(shape: tuple[int, ...], pixel: int) -> tuple[int, ...]:
            found = [1]
            step = pixel
            for size in reversed(shape[:-1]):
                found.insert(0, step)
                step *= size
            found = [0 if n == 1 else s for n, s in zip(shape, found, strict=True)]
            return (*(0,) * (rank - len(shape)), *found)

        a, b = (steps(o.shape, o.stride) for o in build.inputs)
        shape, result = build.output.shape, steps(build.output.shape, build.output.stride)
        return merged(Axes(shape, a, b, result))

    def lower(self, build: Builder, **options: Any) -> None:
        """One call for every row of the merged shape, or for a task of it."""
        if self.rule.quotient and (self.twin is None or build.kernel is not None):
            check_alike(tuple(one.shape for one in build.inputs))       # it does not broadcast
            call_elements(build, self.rule.quotient, "as real numbers, divided by the scale of the result",
                          self.params.quotient)
            return
        if self.twin is not None:
            self.twin.lower(build, **options)
            return
        axes = self.axes(build)
        a, b = (Pointer(o.name) for o in build.inputs)
        *outer, length = axes.shape
        rows = np.indices(outer, np.int64).reshape(len(outer), -1) if outer else np.zeros((0, 1), np.int64)
        starts = [(rows * np.array(steps[:-1], np.int64).reshape(-1, 1)).sum(axis=0)[:, np.newaxis]
                  for steps in (axes.a, axes.b, axes.y)]
        last = axes.a[-1], axes.b[-1]
        vector, constant = self.rule.contracts[self.out.dtype]
        params, contract, reason = self.params, vector, "both operands move along the last axis"
        if length > 1 and 0 in last:
            if constant and (build.kernel is None or build.find(constant)):
                contract = constant
                reason = f"{'a' if last[0] == 0 else 'b'} stands still along the last axis: a constant"
                if last[0] == 0:
                    params, a, b, starts = params.swapped(), b, a, [starts[1], starts[0], starts[2]]
                    reason += ", operands and factors exchanged"
            else:
                # No kernel with a constant: the operand that stands still is written out along the row.
                which = 0 if last[0] == 0 else 1
                operand, start = build.inputs[which], starts[which]
                spread = build.scratch(f"{operand.name}, written out", start.size * length, operand=True)
                build.gather(CopyRows(Pointer(operand.name), spread, np.repeat(start.reshape(-1), length), 1, 0,
                                    f"{operand.name}, one byte for each of {length} elements of a row"))
                starts[which] = np.arange(start.size, dtype=np.int64)[:, np.newaxis] * length
                a, b = (spread, b) if which == 0 else (a, spread)
        one = build.choose(contract, f"{reason}; {len(outer) + 1} axes after merging")
        block = build.constant("params", block_of(params))
        moves_b = contract == vector
        for part in parts(length, TASK):
            begin = part.columns
            build.call(one, len(starts[0]), part.tiles, f"{part.size} elements", n=part.size,
                       a=Pointer(a.region, starts[0] + begin), b=Pointer(b.region, starts[1] + begin * moves_b),
                       y=Pointer(build.result, starts[2] + begin), params=block)


def check_alike(shapes: tuple[tuple[int, ...], ...]) -> None:
    """Layers of networks broadcast nothing."""
    if shapes[0] != shapes[1]:
        raise BackendError(f"the shapes of its operands are {list(shapes[0])} and {list(shapes[1])}; they must be "
                           "equal.")


def _leaves_16_bits(params: DoubleAddParams | DoubleMultiplyParams) -> bool:
    """Whether any result leaves 16 bits: those of the ends of both operands are the ends of all."""
    ends = np.array([*limits(params.dtype)], np.int64)
    return bool((np.abs(params.rounded(ends[:, np.newaxis], ends)) >= (1 << 15) - 256).any())
