"""A fit as text and as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from neonsim.arm.timing.fitting.fit import DETERMINED, OPEN, PREFERRED, SAID, UNTOUCHED, Fit, FittedNumber
from neonsim.arm.timing.fitting.parameters import Value

__all__ = ["as_json", "as_text"]

STATES = {DETERMINED: "every other value contradicts a figure more", PREFERRED: "other values fit worse",
          SAID: "other values fit as well; a description says which", OPEN: "other values fit as well",
          UNTOUCHED: "no figure depends on it"}
NAME = 44                           # letters of a loop's name


def as_text(fit: Fit) -> str:
    """Return what was found of a core, in lines."""
    if not fit.tests:
        return (f"{fit.core}: nothing that is measured on it is here: no table of single instructions, no sequence, "
                f"no loop. Which of its numbers are guesses: `neonsim cores validate {fit.core}`.")
    return "\n".join([*_states(fit), *_crossed(fit), *_loops(fit), *_other(fit), *_open(fit)])


def _states(found: Fit) -> Iterator[str]:
    yield (f"{found.core}: {found.figures} measured or published figures, {len(found.remaining)} numbers of the model "
           "that "
           "they could depend on")
    for state, text in STATES.items():
        yield f"  {len(found.in_state(state)):4d}  {state:<11} {text}"


def _crossed(found: Fit) -> Iterator[str]:
    yield "\nfigures that were not used: a fifth at a time, from a fit to the others (error: a share of the cycles)"
    yield f"  {'':<10}{'figures':>8}{'judged':>8}{'mean off':>10}{'worst':>9}{'outside':>9}{'the file':>10}"
    for j in found.judged:
        yield (f"  {j.kind:<10}{j.figures:8d}{j.judged:8d}{100 * j.mean:8.2f} %{100 * j.worst:7.1f} %"
               f"{j.contradicted:9d}{100 * j.file_mean:8.2f} %")
    yield "  judged: those whose numbers other figures tell; outside: further off than half a cycle, or 5 % of a rate"


def _loops(found: Fit) -> Iterator[str]:
    if found.loops:
        yield "\nloops and calls, each from fits to everything else: from the least to the most that equals of them say"
        yield f"  {'':<{NAME}}{'measured':>9}{'file':>9}{'off':>8}{'unseen':>17}{'off':>16}"
    for loop in found.loops:
        file, least, most = loop.errors()
        held = f"; {loop.fixed} number{'s' * (loop.fixed > 1)} held" if loop.fixed else ""
        span, off = f"{loop.lowest:.1f} - {loop.highest:.1f}", f"{100 * least:+.1f} to {100 * most:+.1f} %"
        if loop.highest - loop.lowest < 0.05:
            span, off = f"{loop.lowest:.1f}", f"{100 * least:+.1f} %"
        name = loop.name if len(loop.name) < NAME else loop.name[:NAME - 4] + "..."
        yield f"  {name:<{NAME}}{loop.measured:9.1f}{loop.file:9.1f}{100 * file:+6.1f} %{span:>17}{off:>16}{held}"


def _other(found: Fit) -> Iterator[str]:
    other = [one for one in found.remaining if one.best != one.parameter.value]
    if other:
        yield "\nfits better otherwise than the file has it"
    for one in other:
        yield f"  {one.parameter.name} = {_said(one.parameter.value)}: {_said(one.best)} ({one.state})"
        if one.rests:
            yield "      rests on " + "; ".join(f"{name}: measured {measured:.1f}, otherwise at best {cycles:.1f}"
                                                for name, measured, cycles in one.rests)
        if one.micro:
            yield f"      would decide: {one.micro}"
    if found.contradicted:
        yield "\ncontradicted even so"
    for name, measured, modeled in found.contradicted:
        yield f"  {name}: measured {measured:.2f} cycles, modelled {modeled:.2f}"


def _open(found: Fit) -> Iterator[str]:
    for state, head in ((OPEN, "not determined"), (SAID, "told by a description, not by what was measured")):
        mine = _without_twins(found.in_state(state))
        if mine:
            yield f"\n{head}; the program that would decide, in cycles an iteration by value"
        for one in mine:
            equal = ", ".join(map(_said, one.equal))
            yield f"  {one.parameter.name} = {_said(one.best)}, or {equal}; {' '.join(one.parameter.sources)}"
            yield f"      {one.micro or 'none of the programs tried tells them apart'}"


def _without_twins(found: list[FittedNumber]) -> list[FittedNumber]:
    """Which unit, and how long it is taken, are one question: more units for longer is as many a cycle."""
    units = {one.parameter.place[1] for one in found if one.parameter.place[-1] == "unit"}
    return [one for one in found if one.parameter.place[-1] != "busy" or one.parameter.place[1] not in units]


def _said(value: Value) -> str:
    return "no such rule" if value is None else str(value)


def as_json(fit: Fit) -> dict[str, Any]:
    """Everything as plain values."""
    return {"core": fit.core, "figures": fit.figures,
            "numbers": [{"name": one.parameter.name, "file": one.parameter.value, "state": one.state, "best": one.best,
                         "equal": list(one.equal), "sources": list(one.parameter.sources),
                         "decided_by": {"program": one.micro.text, "cycles": [[value, cycles] for value, cycles
                                                                              in one.micro.cycles.items()]}
                         if one.micro else None,
                         "rests_on": [list(row) for row in one.rests]} for one in fit.remaining],
            "judged": [{"kind": j.kind, "figures": j.figures, "judged": j.judged, "mean": j.mean, "worst": j.worst,
                        "contradicted": j.contradicted, "file": j.file_mean} for j in fit.judged],
            "loops": [{"name": loop.name, "measured": loop.measured, "file": loop.file, "least": loop.lowest,
                       "most": loop.highest, "held": loop.fixed} for loop in fit.loops],
            "contradicted": [list(row) for row in fit.contradicted]}
