"""Two runs of a network, layer by layer: what differs, where first, and which rule of rounding explains it.

Every layer is compared twice. From equal inputs: both sides are given the same tensors, those of the second side, so
that what differs is this layer's own. Free running: each side goes on with its own tensors, as a runtime does, so that
differences of earlier layers are carried on. The first layer that differs is the same in both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from neonsim.errors import BadArgument
from neonsim.verify.debugger.causes import FEW, Cause
from neonsim.verify.debugger.explain import Explanation
from neonsim.verify.debugger.locations import short_name

__all__ = ["SHOWN_CAUSES", "Differences", "LayerDifference"]

SHOWN_CAUSES = 6
SHOWN = 3       # columns of a histogram on either side of 0; what lies beyond is one column


@dataclass
class LayerDifference:
    """One tensor that both sides have.

    place      int             of the node that makes it
    operator   str             the file's word
    tensor     str
    shape      (int, ...)
    compared   int             elements, of all inputs together
    equal      {int: int}      from equal inputs: difference b - a -> elements; without 0
    free       {int: int}      free running, likewise
    rules      {str: int}      rule -> elements of b that it gives from equal inputs ...
    trials     {str: int}      ... of n: rules of rounding are tried on inputs for which the layer differs
    """

    place: int
    operator: str
    tensor: str
    shape: tuple[int, ...]
    compared: int = 0
    equal: Counter[int] = field(default_factory=Counter)
    free: Counter[int] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    trials: Counter[str] = field(default_factory=Counter)

    def count(self, rule: str, right: int, total: int) -> None:
        """A rule gave n elements of n."""
        self.rules[rule] += right
        self.trials[rule] += total

    @property
    def differing(self) -> int:
        """Elements that differ from equal inputs."""
        return self.equal.total()

    @property
    def shares(self) -> dict[str, float]:
        """Rule -> share of the elements of b that it gives, the best first."""
        found = {name: count / self.trials[name] for name, count in self.rules.items()}
        return dict(sorted(found.items(), key=lambda one: -one[1]))

    @property
    def explains(self) -> tuple[str, ...]:
        """Rules that give every element."""
        return tuple(name for name, count in self.rules.items() if count == self.trials[name])


@dataclass(frozen=True, eq=False)
class Differences:
    """What was found. True if all bytes are equal. Prints as text; in a notebook with a picture.

    model        str
    names        (str, str)                 of both sides
    inputs       int                        how many were compared
    layers       (LayerDifference, ...)     every tensor that both have
    first        Explanation or None        the first element that differs, of the first layer that does; or the one
                                            asked for
    verdict      str                        which rules explain all of b
    fitting      (Cause, ...)               of a dump: what makes all bytes of the first layer that differs, `causes`
                                            where more than a value or two differ
    unmatched    (str, ...)                 names of a dump that no tensor of the network has
    missing      (str, ...)                 tensors of the network that a dump does not have
    input_note   str                        what is known of the input
    searched     bool or None               known causes were tried; False: the layer is too large; None: b is no dump
    """

    model: str
    names: tuple[str, str]
    inputs: int
    layers: tuple[LayerDifference, ...]
    first: Explanation | None
    verdict: str
    unmatched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    input_note: str = ""
    fitting: tuple[Cause, ...] = ()
    searched: bool | None = None

    @property
    def causes(self) -> tuple[Cause, ...]:
        """What was done wrongly: each of these makes all values; () where too few differ to tell."""
        return tuple(cause for cause in self.fitting if cause.explained > FEW)

    @property
    def equal(self) -> bool:
        """Nothing differs, free running or from equal inputs."""
        return not any(layer.equal or layer.free for layer in self.layers) and not self.input_note

    def __bool__(self) -> bool:
        return self.equal

    @property
    def differing(self) -> tuple[LayerDifference, ...]:
        """Layers that differ from equal inputs: by their own doing."""
        return tuple(layer for layer in self.layers if layer.equal)

    def __repr__(self) -> str:
        return f"<Differences of {self.model}, {' and '.join(self.names)}: {len(self.differing)} layers>"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """Yield the sentence, the table, and the explanation of the first."""
        one, other = self.names
        many = f", {self.inputs} inputs" if self.inputs > 1 else ""
        if self.input_note:
            yield self.input_note
        if not any(layer.equal or layer.free for layer in self.layers):
            yield (f"{self.model}{many}: {one} and {other} have the same bytes in all {len(self.layers)} tensors "
                   "compared")
        else:
            differing = self.differing
            free = sum(1 for layer in self.layers if layer.free)
            yield (f"{self.model}{many}: {one} and {other} differ in {len(differing)} of {len(self.layers)} layers "
                   f"from equal inputs, in {free} free running")
            yield from self.table()
        if self.unmatched:
            yield f"not compared, no tensor has such a name: {_some(self.unmatched)}"
        if self.missing:
            yield f"not in {other}: {_some(self.missing)}"
        if self.verdict:
            yield self.verdict
        yield from self.cause_lines()
        if self.first is not None:
            yield ""
            yield "the first element that differs, from equal inputs as free running:" if len(
                set(self.first.values)) > 1 else "the element asked for:"
            yield from self.first.lines()

    def cause_lines(self) -> Iterator[str]:
        """What was done wrongly in the first layer that differs, with its numbers; or that it is unknown."""
        layer = None if self.first is None else next(
            (one for one in self.layers if one.tensor == self.first.place.name and one.equal), None)
        if layer is None or self.first is None or len(set(self.first.values)) == 1 or self.searched is None:
            return
        name, count = short_name(layer.tensor), layer.equal.total()
        if not self.searched:
            yield f"Causes were not tried: {name!r} is too large."
        elif self.fitting:
            several = ": their bytes are the same, so each of these may be it" if len(self.fitting) > 1 else ""
            yield f"what makes all {count} values that differ of {name!r}, from equal inputs{several}" if count > FEW \
                else f"too few values of {name!r} differ, {count}, to tell a cause; what would make them:"
            for cause in self.fitting[:SHOWN_CAUSES]:
                yield f"    {cause}; the first that differs: {cause.numbers}"
            if len(self.fitting) > SHOWN_CAUSES:
                yield f"    and {len(self.fitting) - SHOWN_CAUSES} more (found.fitting has all)"
        elif not layer.explains:
            yield f"None of the causes known here makes all values of {name!r} that differ."

    def table(self) -> Iterator[str]:
        """Yield a row for every layer that differs: a histogram of b - a, and the rules that explain it."""
        columns = [n for n in range(-SHOWN, SHOWN + 1) if n]
        heads = [f"{n:+}" if abs(n) < SHOWN else f"{'<=' if n < 0 else '>='}{n:+}" for n in columns]
        yield (f"{'node':>5} {'operator':<18}{'elements':>9}" + "".join(f"{head:>7}" for head in heads)
               + "   rules that give all of " + self.names[1])
        for layer in self.layers:
            for counts, what in ((layer.equal, ""), (layer.free, "free")):
                if not counts or (what and counts == layer.equal):
                    continue
                cells = [_within(counts, n) for n in columns]
                start = f"{layer.place:>5} {layer.operator[:17]:<18}{layer.compared:>9}" if not what or not \
                    layer.equal else f"{'':>5} {'':<18}{'':>9}"
                said = what or ", ".join(layer.explains) or _nearest(layer)
                yield start + "".join(f"{cell or '.':>7}" for cell in cells) + f"   {said}"
        yield "counted: elements by b - a, from equal inputs; free: free running, where that differs"

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {"model": self.model, "sides": list(self.names), "inputs": self.inputs, "equal": self.equal,
                "verdict": self.verdict, "unmatched": list(self.unmatched), "missing": list(self.missing),
                "causes": [{**asdict(cause), "words": str(cause)} for cause in self.causes],
                "given": self.input_note, "first": None if self.first is None else self.first.to_dict(),
                "layers": [{**asdict(layer), "equal": _plain(layer.equal), "free": _plain(layer.free),
                            "rules": dict(layer.rules), "trials": dict(layer.trials)} for layer in self.layers]}

    # ---- the first element's
    @property
    def picture(self) -> Any:
        """Of the first element: both roundings on a line of numbers."""
        return None if self.first is None else self.first.picture

    def stepper_run(self, core: str | None = None) -> tuple[Any, dict[str, Any]]:
        """Of the first element: see `Explanation.stepper_run`."""
        return self._first().stepper_run(core)

    def to_html(self, path: str | Path, core: str | None = None, *, live: bool = False) -> Path:
        """Of the first element: see `Explanation.to_html`."""
        return self._first().to_html(path, core, live=live)

    def _first(self) -> Explanation:
        if self.first is None:
            raise BadArgument(f"{' and '.join(self.names)} do not differ, so there is no step to show.")
        return self.first

    def _repr_html_(self) -> str:
        found = self.picture
        return (f'<div>{found.image if found is not None else ""}'
                f'<pre style="white-space:pre">{escape(str(self))}</pre></div>')

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


def _some(names: Sequence[str]) -> str:
    names = [short_name(name) for name in names]
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(map(repr, names[:4])) + more


def _plain(counts: Counter[int]) -> dict[str, int]:
    return {str(step): counts[step] for step in sorted(counts)}


def _within(counts: Counter[int], n: int) -> int:
    """Elements of one column; those at the ends hold what lies beyond, too."""
    if abs(n) < SHOWN:
        return counts[n]
    return sum(count for step, count in counts.items() if step * n > 0 and abs(step) >= SHOWN)


def _nearest(layer: LayerDifference) -> str:
    best = next(iter(layer.shares.items()), None)
    return "none" if best is None else f"none ({best[0]}: {100 * best[1]:.4g} %)"
