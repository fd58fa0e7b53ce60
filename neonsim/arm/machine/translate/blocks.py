"""Translation: what a program does, read as source text, block by block.

The same bound instructions that run on numpy run here on `SourceLanes`: registers are names, loads and stores are
recorded by a writer, branches become targets. `translate_c` writes C of it, `translate_python` Python.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

from neonsim.arm.asm import Program
from neonsim.arm.machine.arch.abi import RETURN, is_return
from neonsim.arm.machine.arch.binder import BoundInstruction
from neonsim.arm.machine.arch.registers import AARCH32, AARCH64, Slots
from neonsim.arm.machine.arch.state import State
from neonsim.arm.semantics import DagNode, ElementType, Lanes, SourceLanes, holds
from neonsim.arm.semantics.float_formats import LiveRules

__all__ = ["BasicBlock", "BranchTarget", "SourceMemory", "SourceState", "blocks", "emit", "slots_of", "targets"]


class SourceMemory(ABC):
    """Memory accesses as source text, in the place of `Memory`."""

    @abstractmethod
    def load(self, address: Lanes, nbytes: int, type_: ElementType) -> SourceLanes: ...

    @abstractmethod
    def store(self, address: Lanes, lanes: Lanes, undo: list[Any]) -> None: ...

    @abstractmethod
    def demand(self, address: Lanes, multiple: int) -> None:
        """Leave the text's function unless the address is a multiple of this power of two."""


class AnalysisMemory(SourceMemory):
    """Memory for a first look at a block: remembers what addresses and values are made of."""

    def __init__(self) -> None:
        self.nodes: list[DagNode] = []

    def load(self, address: Lanes, nbytes: int, type_: ElementType) -> SourceLanes:
        self.nodes.append(address.node)  # type: ignore[attr-defined]
        return SourceLanes.named("loaded", type_, nbytes // type_.bytes)

    def store(self, address: Lanes, lanes: Lanes, undo: list[Any]) -> None:
        self.nodes += [address.node, lanes.node]  # type: ignore[attr-defined]

    def demand(self, address: Lanes, multiple: int) -> None:
        self.nodes.append(address.node)  # type: ignore[attr-defined]


class SourceState(State):
    """Registers as names, for one instruction or for a block of them. ``target``: where a branch goes, if one did."""

    __slots__ = ("target",)

    def __init__(self, slots: Slots, memory: SourceMemory, values: list[Any]) -> None:
        super().__init__(slots, memory, values, tracing=False)  # type: ignore[arg-type]
        self.target: DagNode | None = None

    def lanes(self, values: list[int], type_: ElementType) -> Lanes:
        return SourceLanes.constants(tuple(values), type_)

    def rules(self) -> LiveRules:
        return LiveRules(0xF9, 0, self.slots[self.registers.fpcr])

    def branch(self, value: Any) -> None:
        self.target = value.node

    def above_sp(self, place: Lanes, after: Lanes | None, way: str) -> None:
        """What the memory allows is above sp already."""

    def require_alignment(self, address: Lanes, multiple: int, rule: str, complaint: str) -> None:
        self.memory.demand(address, multiple)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class BranchTarget:
    """Where a branch can go: to an instruction, to the caller (RETURN), or to an address known only when it runs."""

    index: int | None = None
    returns: bool = False
    address: DagNode | None = None


@dataclass(frozen=True)
class BasicBlock:
    """Instructions first..last that always run one after the other (a conditional one stands alone)."""

    first: int
    last: int


def slots_of(isa: str) -> Slots:
    return AARCH64 if isa == "aarch64" else AARCH32


def emit(bound: BoundInstruction, s: SourceState) -> SourceLanes | None:
    """Run one instruction on names; returns the truth of its condition (AArch32), None if it has none.

    What it writes is in ``s.writes``, where it branches in ``s.target``; both count only if the truth is 1.
    """
    condition = bound.instruction.condition
    s.writes, s.target = [], None
    truth: Any = None if condition in (None, "al") else holds(str(condition), s.slots[s.registers.nzcv])
    if condition is not None:
        bound = replace(bound, instruction=replace(bound.instruction, condition=None))
    bound(s)
    return truth  # type: ignore[no-any-return]


def targets(node: DagNode, program: Program) -> tuple[DagNode | None, BranchTarget, BranchTarget | None]:
    """(truth or None, where to if it holds, where to if not) of a branch."""
    if node.op == "choose":
        truth, yes, no = node.args
        return truth, _target(yes, program), _target(no, program)
    return None, _target(node, program), None


def _target(node: DagNode, program: Program) -> BranchTarget:
    while node.op == "kind":
        node = node.args[0]
    if node.op != "const":
        return BranchTarget(address=node)
    address = node.args[0]
    if address == RETURN:
        return BranchTarget(returns=True)
    index = program.index_at(address)
    return BranchTarget(index) if index is not None else BranchTarget(address=node)


def blocks(program: Program, entry: int) -> list[BasicBlock]:
    """Return the blocks that can be reached from an instruction, in program order.

    What follows a call is reached too; branches to registers may go to any block, and every label begins one if there
    are such branches (jumps by a table).
    """
    instructions, count = program.instructions, len(program.instructions)
    leaders: set[int] = {entry}
    seen: set[int] = set()
    waiting = [entry]
    while waiting:
        at = waiting.pop()
        while at < count and at not in seen:
            seen.add(at)
            instruction = instructions[at]
            alone = instruction.condition not in (None, "al")
            if alone:
                leaders |= {at, at + 1}
            if instruction.is_branch:
                leaders.add(at + 1)
                if instruction.label is None and not is_return(instruction):
                    named = {index for _, index in program.labels if index < count}
                    waiting += named - seen
                    leaders |= named
                if instruction.target is not None:
                    leaders.add(instruction.target)
                    waiting.append(instruction.target)
                if not alone and (instruction.form.name in ("b", "br", "ret", "brk")
                                  or any(u.register == "r15" for u in instruction.writes)):
                    break
            at += 1
    found: list[BasicBlock] = []
    for at in sorted(seen):
        if found and found[-1].last == at - 1 and at not in leaders:
            found[-1] = BasicBlock(found[-1].first, at)
        else:
            found.append(BasicBlock(at, at))
    return found
