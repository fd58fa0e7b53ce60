"""How one element of a network came about, by one arithmetic or two: text, picture, page, stepper."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.timing import core_name
from neonsim.errors import BadArgument
from neonsim.nn.formats import Model
from neonsim.nn.graph import Graph
from neonsim.nn.ops.explain.element import ElementTrace
from neonsim.nn.ops.explain.rounding_cause import line_of
from neonsim.render.pictures.requant import rounding_picture
from neonsim.render.svg import Picture
from neonsim.ukernel import kernel
from neonsim.verify.debugger.graph_tensors import network_of
from neonsim.verify.debugger.locations import TensorElement, place_at
from neonsim.verify.debugger.provenance import ElementOrigin, origin
from neonsim.verify.debugger.runtimes import Rules, checked_arithmetic
from neonsim.verify.debugger.writer import WritingCall, find_writer

__all__ = ["Explanation", "SideExplanation", "explain_byte", "explained"]

ROOM = 15       # characters of a name in the picture


@dataclass(frozen=True, eq=False)
class SideExplanation:
    """One side's way to an element.

    name      str                of the arithmetic, the file or the dump
    value     int or float       what it has there
    origin    ValueOrigin or None     where it comes from; None for a dump, of which the value is all there is
    """

    name: str
    value: int | float
    origin: ElementOrigin | None = None

    @property
    def account(self) -> ElementTrace | None:
        """The numbers."""
        return None if self.origin is None else self.origin.account


@dataclass(frozen=True, eq=False)
class Explanation:
    """One element of one layer. Prints as text; in a notebook with a picture.

    model     str
    place     Place
    sides     (Way, ...)         one, or two that are compared
    cause     str                what their difference comes from; ""
    writer    Written            kernel, tile, instruction, of the first way that has them
    accounts  {name: Account}    what the picture shows
    """

    model: str
    place: TensorElement
    sides: tuple[SideExplanation, ...]
    writer: WritingCall
    cause: str = ""
    accounts: dict[str, ElementTrace] | None = None

    @property
    def values(self) -> tuple[int | float, ...]:
        """Of the ways."""
        return tuple(way.value for way in self.sides)

    @property
    def step(self) -> Any:
        """The WritingStep: kernel, tile, instruction, trace; None where no kernel writes the element."""
        return self.writer.step

    # ---- as text
    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<Explanation of {self.place}: {', '.join(f'{way.name} {way.value}' for way in self.sides)}>"

    def lines(self) -> Iterator[str]:
        """All of it."""
        yield f"{self.model}, {self.place}"
        yield "    " + ", ".join(f"{way.name} {way.value}" for way in self.sides)
        accounts = [way.account for way in self.sides]
        first = accounts[0]
        shared = len(accounts) > 1 and first is not None and accounts[1] is not None and _alike(first, accounts[1])
        for number, way in enumerate(self.sides):
            yield from self._way(way, number > 0 and shared)
        if self.cause:
            yield "why"
            yield f"    {self.cause}"
        yield "who writes it" + (f" ({self.writer.side})" if len(self.sides) > 1 else "")
        yield from (f"    {line}" for line in self.writer.lines())

    @staticmethod
    def _way(way: SideExplanation, same: bool) -> Iterator[str]:
        if way.origin is None:
            return
        yield f"{way.name}: {way.value}"
        yield from (f"    {line}" for line in way.origin.trail)
        found = way.account
        if found is None:
            yield f"    {way.origin.description}: nothing is computed"
        elif same:
            yield f"    the same terms, the same sum {found.total}"
            if found.requantized is not None:
                yield from (f"    {line}" for line in found.requantized.lines())
        else:
            yield f"    {found.kind}"
            yield from (f"    {line}" for line in found.lines())

    # ---- as pictures and pages
    @property
    def picture(self) -> Picture | None:
        """The roundings on a line of numbers; None where no sum is rounded, or two sums are."""
        named = self.accounts or {way.name: way.account for way in self.sides if way.account is not None}
        found = {name if len(name) < ROOM else f"{name[:ROOM - 2]}…": one for name, one in named.items()}
        line = line_of(found)
        if line is None:
            return None
        return rounding_picture(line, {name: one.requantized.rounding_input for name, one in found.items()
                                       if one.requantized is not None and one.requantized.rounding_input is not None})

    def _repr_html_(self) -> str:
        found = self.picture
        return (f'<div>{found.image if found is not None else ""}'
                f'<pre style="white-space:pre-wrap">{html.escape(str(self))}</pre></div>')

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def to_html(self, path: str | Path, core: str | None = None, *, live: bool = False) -> Path:
        """Write a page with the tile, step by step, at that step. Returns the path; raises BadArgument where no
        kernel writes the element.

        live   the page computes: see `neonsim.render.stepper.page`
        """
        from neonsim.arm.timing import time

        trace, options = self.stepper_run(core)
        step = options.pop("step")
        timing = time(trace, core=core) if core else None
        found: Path = trace.to_html(path, timing=timing, view=f"step={step}", live=live, **options)
        return found

    def stepper_run(self, core: str | None = None) -> tuple[Any, dict[str, Any]]:
        """Return the tile's Trace, and what `ns.Stepper` takes with it: names, a title, the step that wrote the byte.

        Raises BadArgument where no kernel writes the element.
        """
        step = self.step
        if step is None:
            raise BadArgument(f"{self.place} has no steps to show: "
                              f"{self.writer.reason.rstrip('.')}.")
        if core is not None:
            core_name(core)
        return step.trace, {"names": kernel(step.kernel).header.register_names(),
                            "title": f"{self.place} of {self.model}",
                            "step": 0 if step.step is None else step.step + 1}

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        step = self.step
        return {"model": self.model, "tensor": self.place.name, "index": list(self.place.index),
                "node": None if self.place.entry is None else self.place.entry.place, "why": self.cause,
                "ways": [_way_dict(way) for way in self.sides],
                "written": {"why": self.writer.reason} if step is None else {
                    "kernel": step.kernel, "call": step.call, "tile": list(step.tile), "tiles": self.writer.tiles,
                    "step": step.step, "instruction": step.instruction, "path": step.path, "line": step.line,
                    "instructions": self.writer.instructions, "agrees": self.writer.agrees,
                    "core": self.writer.core, "cycles_modeled": self.writer.cycles}}


def _way_dict(way: SideExplanation) -> dict[str, Any]:
    found = way.account
    way_there = None if found is None or found.requantized is None else found.requantized
    return {"name": way.name, "value": way.value, "terms": None if found is None or found.terms is None
            else len(found.terms.x), "bias": None if found is None else found.bias,
            "sum": None if found is None else found.total, "rule": None if way_there is None else way_there.rule,
            "exact": None if way_there is None else float(way_there.exact),
            "rounded": None if way_there is None else way_there.rounded,
            "lines": [] if found is None else list(found.lines())}


def _alike(first: ElementTrace, second: ElementTrace) -> bool:
    """Are the terms and the sum of both the same?"""
    one, other = first.terms, second.terms
    return (one is not None and other is not None and first.total == second.total and first.bias == second.bias
            and np.array_equal(one.products, other.products) and np.array_equal(one.x, other.x))


def explained(place: TensorElement, sides: list[tuple[Rules | str, Any]], *, isa: str, core: str | None,
              cause: Any = None,
              accounts: Any = None) -> Explanation:
    """Return an explanation from sides: (rules, tensors that the layer reads), or (name of a dump, value).

    cause   function of the ways, to a sentence
    accounts   function of the ways, to {name: Account} for the picture
    """
    ways, done, model = [], None, ""
    for side, given in sides:
        if isinstance(side, str):
            ways.append(SideExplanation(side, given))
            continue
        model = model or side.model.record.name
        found = origin(side, given, place)
        ways.append(SideExplanation(side.name, found.value, found))
        if done is None or done.step is None:
            another = replace(_written(found, isa, core), side=side.name)
            done = another if done is None or another.step is not None else done
    assert done is not None
    made = tuple(ways)
    return Explanation(model, place, made, done, cause(made) if cause else "",
                       accounts(made) if accounts else None)


def _written(found: ElementOrigin, isa: str, core: str | None) -> WritingCall:
    if found.operator is None or found.account is None:
        return WritingCall(reason=f"no kernel writes it: it is {found.description}")
    return find_writer(found.operator, found.inputs, found.account, found.flat, isa=isa, core=core)


def explain_byte(model: Model | Graph, x: Any, at: str, *, arithmetic: str | None = None, backend: str | None = None,
                 isa: str = "aarch64", core: str | None = None) -> Explanation:
    """Explain one byte of one layer: terms, sum, rounding, tile, instruction.

    model        of a file; or a Graph, which has its own arithmetic
    x            as `model.run` takes it
    at           "layer:y,x,c": a tensor's name or a node's number, and an index of it, counted from 0
    arithmetic   by whose rules; None: those of the file's own runtime
    backend      who computes the layers before: "native", "reference"; None: the fastest here
    isa          of the kernel that writes it
    core         that the kernel is chosen for and its tile is priced on, as "cortex-a53"; None: no cycles
    ->           Explanation: prints; .value .ways .step .picture .to_html(path); `ns.Stepper` shows it

    Raises BadArgument for a place that is not there, ModelError for one that is not computed here.
    """
    network: Model = network_of(model)
    place = place_at(network, at)
    rules = Rules(network, checked_arithmetic(network.rules(arithmetic), network), backend)
    check_computed(rules, place)
    values: dict[int, NDArray[Any]] = rules.free(rules.inputs(x), place.number)
    return explained(place, [(rules, values)], isa=isa, core=core)


def check_computed(rules: Rules, place: TensorElement) -> None:
    """Raises BadArgument, with the reason, for a place that is not computed."""
    if not rules.computes(place.number):
        entry = place.entry
        refusal = None if entry is None else rules.lowered.refusals.get(entry.place)
        raise BadArgument(f"{place.name!r} is not computed: {refusal.reason if refusal else 'nothing makes it'}")
