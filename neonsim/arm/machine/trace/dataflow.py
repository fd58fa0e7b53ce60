"""Dataflow of one instruction: which lanes go where, with the arithmetic in between.

The symbolic reading of the meaning, with the real registers' names: what the lane pictures draw.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from neonsim.arm.isa import ImmediateLane, Instruction, Location
from neonsim.arm.isa.forms.resolve import Result, Source
from neonsim.arm.isa.operands.locations import shares
from neonsim.arm.machine.arch.binder import address_of, shifter
from neonsim.arm.semantics import Expression, Lanes, SymbolicLanes, element, holds, u8

__all__ = ["LaneEdge", "dataflow"]

LaneName = tuple[str, str, int]


@dataclass(frozen=True)
class LaneEdge:
    """One destination lane.

    destination  (register, element type, lane), e.g. ("v8", "s32", 0)
    expression   its value as text, over names like "v8.s[0]" (A64) or "q8.s32[0]" (A32); where that would not end
                 (a loop), the instruction's name and what it depends on
    sources      the lanes it depends on, each as (register, element type, lane)
    """

    destination: LaneName
    expression: str
    sources: tuple[LaneName, ...]


def dataflow(instruction: Instruction) -> list[LaneEdge]:
    """Every lane that the instruction writes, and what it is made of. Memory appears as "mem", flags as "nzcv"."""
    names: dict[str, tuple[str, str]] = {}
    result = instruction.form.function(*arguments(instruction, names))
    results = result if isinstance(result, tuple) else (result,)
    edges: list[LaneEdge] = []
    for goes, value in zip(instruction.resolved.results, results, strict=True):
        edges += _edges(goes, value, instruction, names)
    return edges + _base(instruction, names)


def arguments(instruction: Instruction, names: dict[str, tuple[str, str]]) -> list[object]:
    """Return what the meaning is called with, in the symbolic reading; ``names`` collects leaf -> (register,
    element)."""
    return [_argument(source, instruction, names) for source in instruction.resolved.sources]


def _argument(source: Source, instruction: Instruction, names: dict[str, tuple[str, str]]) -> object:
    role, kind, type_ = source.role, source.kind, source.type
    if kind == "value":
        return source.value
    if kind == "flag":
        return _flags(role, names)
    if kind in ("shifted", "carry"):
        return shifter(instruction, lambda p: _leaf(p, instruction, names), _flags("nzcv", names))[kind == "carry"]
    if kind in ("pc", "label", "stop"):
        label = instruction.label if kind == "label" else "next" if kind == "pc" else kind
        names[str(label)] = (str(label), "x64")
        return SymbolicLanes.leaves(str(label), element("x", 64), 1)
    assert type_ is not None
    if kind == "zero":
        return SymbolicLanes.constants((0,), type_)
    if kind == "memory":
        names["mem"] = ("mem", type_.name)
        return SymbolicLanes.leaves("mem", type_, max(instruction.transfer_bytes // type_.bytes, 1))
    parts = [_leaf(place, instruction, names) for place in source.places]
    return parts[0]._join(tuple(parts[1:])) if len(parts) > 1 else parts[0]


def _flags(name: str, names: dict[str, tuple[str, str]]) -> SymbolicLanes:
    names[name] = (name, "u8")
    return SymbolicLanes.leaves(name, u8, 1)


def _leaf(place: Location | ImmediateLane, instruction: Instruction,
          names: dict[str, tuple[str, str]]) -> SymbolicLanes:
    if isinstance(place, ImmediateLane):
        return SymbolicLanes.constants((place.value,), place.type)
    if place.number < 0:
        return SymbolicLanes.constants((0,), place.type)
    register, type_ = _register(place), place.type.name
    key = f"{register}.{_suffix(place, instruction.isa)}"
    names[key] = (register, type_)
    return SymbolicLanes.leaves(key, place.type, place.count, _first(place))


def _register(place: Location) -> str:
    """The register a lane is named by: v8, x0 (A64); q8, or the d half it lies in (A32)."""
    if place.bank == "q" and place.nbytes < 16:
        return f"d{2 * place.number + place.start // 8}"
    return "sp" if place.is_sp else f"{place.bank}{place.number}"


def _first(place: Location) -> int:
    start = place.start % 8 if place.bank == "q" and place.nbytes < 16 else place.start
    return start // place.type.bytes


def _suffix(place: Location, isa: str) -> str:
    if isa == "aarch64" and place.bank == "v":
        return {8: "b", 16: "h", 32: "s", 64: "d", 128: "q"}[place.type.bits]
    return place.type.name


def _edges(goes: Result, value: Lanes, instruction: Instruction, names: dict[str, tuple[str, str]]) -> list[LaneEdge]:
    name, kind = goes.role, goes.kind
    if kind == "none":
        return []
    assert isinstance(value, SymbolicLanes)
    if kind == "sticky":
        value = _flags(name, names) | value
    if kind == "memory":
        return [_edge((name, value.type.name, i), e, names, instruction) for i, e in enumerate(value.lanes)]
    if kind != "lanes":
        return [_edge((name, value.type.name, i), _if_executed(e, name, name, i, instruction, names), names,
                      instruction) for i, e in enumerate(value.lanes)]
    found: list[LaneEdge] = []
    places = goes.places
    counts = tuple(max(p.nbytes // value.type.bytes, 1) for p in places)  # a narrow register keeps a part of the value
    for place, count, share in zip(places, counts, shares(value.count, counts), strict=True):
        if place.number < 0:
            continue
        lanes = value.lanes[share]
        if len(lanes) == 1:
            lanes *= count
        if place.zeros_behind:
            lanes += type(value).constants((0,) * count, value.type).lanes
        first = _first(place) * place.type.bytes // value.type.bytes
        register = _register(place)
        key = f"{register}.{_suffix(replace(place, type=value.type), instruction.isa)}"
        found += [_edge((register, value.type.name, first + i),
                        _if_executed(e, key, register, first + i, instruction, names), names, instruction)
                  for i, e in enumerate(lanes)]
    return found


def _if_executed(e: Expression, key: str, register: str, lane: int, instruction: Instruction,
                 names: dict[str, tuple[str, str]]) -> Expression:
    """A conditional AArch32 instruction keeps what was there if its condition fails."""
    if instruction.condition is None:
        return e
    names[key] = (register, e.type.name)
    truth = holds(instruction.condition, _flags("nzcv", names)).lanes[0]
    return Expression("choose", (truth, e, Expression("leaf", (key, lane), e.type)), e.type)


def _base(instruction: Instruction, names: dict[str, tuple[str, str]]) -> list[LaneEdge]:
    """The base register of an address that is written back."""
    place = instruction.resolved.base
    if place is None or instruction.address is None or not instruction.address.writeback:
        return []
    after = address_of(instruction, lambda place: _leaf(place, instruction, names), _flags("nzcv", names))[1]
    assert isinstance(after, SymbolicLanes)
    key = f"{_register(place)}.{_suffix(place, instruction.isa)}"
    e = _if_executed(after.lanes[0], key, _register(place), 0, instruction, names)
    return [_edge((_register(place), after.type.name, 0), e, names, instruction)]


def _edge(destination: LaneName, expression: Expression, names: dict[str, tuple[str, str]],
          instruction: Instruction) -> LaneEdge:
    sources = tuple((*names[name], lane) for name, lane in expression.leaves())
    return LaneEdge(destination, expression.text(instruction.form.name), sources)
