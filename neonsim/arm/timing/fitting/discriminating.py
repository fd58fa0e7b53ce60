"""Which short program would tell what is left open: candidates by the kind of number, run by the model at every value.

    stream      independent instructions: how many a cycle
    chain       each reads the one before it
    beside      the instruction and one that runs on one unit only, in turn: do they get into each other's way?
    behind      instructions that wait for a slow one, more and more of them, and others that need not wait
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from neonsim.arm.timing.cores.instruction_classes import CLASSES
from neonsim.arm.timing.cores.model import Core, matches
from neonsim.arm.timing.fitting.parameters import CoreParameter, Place, Value, with_values
from neonsim.arm.timing.simulation import simulate
from neonsim.arm.timing.stream import InstructionStream, StaticInstruction

__all__ = ["DiscriminatingProgram", "deciding"]

APART = 0.03                        # of the cycles: what a board can tell
TURNS = 40
MANY = (4, 6, 8, 10, 12, 16, 24)
FAR = (24, 40, 56, 88, 120, 184)


@dataclass(frozen=True)
class DiscriminatingProgram:
    """A program that tells values of an unknown apart: what it is, and cycles of a turn by value."""

    text: str
    cycles: Mapping[Value, float]

    @property
    def separation(self) -> tuple[int, float]:
        """(how many values are told from those next to them, the least distance of these as a share of the cycles)."""
        steps = [(b - a) / b for a, b in pairwise(sorted(self.cycles.values())) if b - a > APART * b]
        return len(steps), min(steps, default=0.0)

    def __str__(self) -> str:
        """The program, and what a turn of it takes by value."""
        said = ", ".join(f"{cycles:.2f} ({'none' if value is None else value})"
                         for value, cycles in sorted(self.cycles.items(), key=lambda item: item[1]))
        return f"{self.text}: {said} cycles an iteration"


def deciding(core: Core, parameter: CoreParameter, worlds: Mapping[Value, Mapping[Place, Value]],
             parameters: Mapping[Place, CoreParameter]) -> DiscriminatingProgram | None:
    """Return the candidate that tells most values of an unknown from each other, and those best; None where none tells
    any.

    worlds   value -> what all numbers are with it, as far as anything measured depends on them
    parameters  the unknowns
    """
    best: DiscriminatingProgram | None = None
    models = {value: with_values(core, world.items()) for value, world in worlds.items()}
    for text, ops in _candidates(core, parameter, parameters):
        micro = DiscriminatingProgram(text, {value: _turn(ops, model) for value, model in models.items()})
        (steps, far), (most, furthest) = micro.separation, best.separation if best else (0, 0.0)
        if steps > most or (steps == most > 0 and far > furthest + APART):
            best = micro
    return best


def _turn(ops: list[StaticInstruction], core: Core) -> float:
    run = simulate(InstructionStream.of_ops(ops, iterations=TURNS), core)
    n, half = len(ops), TURNS // 2
    return (run.issue[(TURNS - 1) * n] - run.issue[half * n]) / (TURNS - 1 - half)


def _candidates(core: Core, unknown: CoreParameter,
                known: Mapping[Place, CoreParameter]) -> Iterator[tuple[str, list[StaticInstruction]]]:
    kind, *rest = unknown.place
    if kind == "class":
        name, *suffixes = rest[0].split(".")
        yield from _of_class(core, name, suffixes, known)
    elif kind == "forward":
        yield from _of_rule(core, int(rest[0]))
    elif kind == "queue":
        yield from _behind(core, rest)
    else:
        yield from _wide(core, rest[0])


def _op(name: str, target: str, source: str, suffixes: Sequence[str] = (), role: str = "") -> StaticInstruction:
    """An instruction of a class, as exact as a row of it."""
    width = next((s for s in suffixes if s in "dq"), "q") if CLASSES[name].neon else None
    bits = next((int(s) for s in suffixes if s.isdigit()), 32 if CLASSES[name].neon else 0)
    kind, address = CLASSES[name].kind, (("base", "x9"),)
    size = 16 if width == "q" else 8
    if kind == "load":
        return StaticInstruction(name, name, width, bits, reads=(("base", source),), writes=(("t", target),),
                                 nbytes=size)
    if kind == "store":
        return StaticInstruction(name, name, width, bits, reads=(("t", source), *address), nbytes=size)
    return StaticInstruction(name, name, width, bits, "elem" in suffixes, reads=((role or "n", source),),
                             writes=(("d", target),))


def _of_class(core: Core, name: str, suffixes: Sequence[str], known: Mapping[Place, CoreParameter]
              ) -> Iterator[tuple[str, list[StaticInstruction]]]:
    yield f"stream of {name}", [_op(name, f"r{k}", "s", suffixes) for k in range(12)]
    yield f"chain of {name}", [_op(name, "r0", "r0", suffixes)]
    yield f"{name} to asimd_add and back", [_op(name, "r0", "r0", suffixes), _op("asimd_add", "r0", "r0")]
    for other, unit in _alone(core, name, known):
        yield (f"{name} beside {other} ({unit})",
               [_op(*one) for k in range(6) for one in ((name, f"r{k}", "s", suffixes), (other, f"q{k}", "u"))])


def _alone(core: Core, name: str, known: Mapping[Place, CoreParameter]) -> list[tuple[str, str]]:
    """For every unit a class that runs on it alone, one a cycle; one of which a description says so, if there is."""
    found: dict[str, str] = {}

    def untold(other: str) -> bool:
        one = known.get(("class", other, "unit"))
        return one is not None and not one.is_described

    for other in sorted(CLASSES, key=untold):
        if other == name or CLASSES[other].kind in ("store", "branch") or other in core.absent():
            continue
        price = core.price(_op(other, "r0", "s"))
        units = price.unit_choices
        if len(units) == 1 and len(units[0][0]) == 1 and price.busy == 1 and not price.unknown:
            found.setdefault(units[0][0][0], other)
    return [(other, unit) for unit, other in found.items()]


def _of_rule(core: Core, number: int) -> Iterator[tuple[str, list[StaticInstruction]]]:
    """An instruction that a rule speaks of and one that reads it, over and over."""
    rule = core.forwards[number]
    here = [name for name in CLASSES if name not in core.absent()]
    for first in [name for name in here if any(matches(p, name) for p in rule.sources)][:4]:
        for second in [name for name in here if any(matches(p, name) for p in rule.targets)][:4]:
            for role in rule.roles or ("n",):
                yield (f"{first}, then {second} that reads it ({role})",
                       [_op(first, "r0", "r1"), _op(second, "r1", "r0", role=role)])


def _behind(core: Core, pool: Sequence[str]) -> Iterator[tuple[str, list[StaticInstruction]]]:
    """Work for a pool's units that waits for a slow result, and quick work elsewhere."""
    names = [name for name in CLASSES if name not in core.absent() and CLASSES[name].kind not in ("store", "branch")]
    prices = {name: core.price(_op(name, "r0", "s")) for name in names}
    mine = next((n for n, p in prices.items() if p.busy == 1 and set(p.unit_choices[0][0]) <= set(pool)), "")
    slow = max((n for n, p in prices.items() if not p.unknown and p.unit_choices[0][0][0] not in pool),
               key=lambda n: (prices[n].latency - prices[n].busy, n), default="")
    quick = next((n for n, p in prices.items() if p.busy == 1 and p.latency <= 2
                  and not set(p.unit_choices[0][0]) & {*pool, *(prices[slow].unit_choices[0][0] if slow else ())}), "")
    if mine and slow and quick:
        for count in MANY:
            yield (f"{slow} in a chain, {count} {mine} that wait for it, 24 {quick}",
                   [_op(slow, "r0", "r0"), *(_op(mine, f"r{k + 1}", "r0") for k in range(count)),
                    *(_op(quick, f"q{k % 8}", "u") for k in range(24))])


def _wide(core: Core, key: str) -> Iterator[tuple[str, list[StaticInstruction]]]:
    """How many start, or wait to leave, at once."""
    yield "alu, asimd_add, alu, ldr, asimd_add, nop, over and over", [
        _op(name, f"{name}{k}", "u") for k in range(4) for name in ("alu", "asimd_add", "alu", "ldr", "asimd_add")]
    slow = max((name for name in CLASSES if name not in core.absent() and not core.price(_op(name, "r0", "s")).unknown
                and CLASSES[name].kind not in ("store", "branch")),
               key=lambda name: core.price(_op(name, "r0", "s")).latency)
    if key in ("rob", "retire"):
        for count in FAR:
            yield (f"two {slow} that do not depend on each other, {count} alu after each",
                   [_op(slow, "r0", "r0"), *(_op("alu", f"q{k % 8}", "u") for k in range(count))])
