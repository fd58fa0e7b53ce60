"""The source-text reading: what a body does, as a graph that is written out as Python or as C.

Every value is a `DagNode`: an operation on other nodes, of one element type and lane count. The reading itself only
builds the graph; `source_python` writes it over integers, lane by lane, `source_c` over vectors of whole registers.
A name that the writer knows (`SourceLanes.named`) stands where a register, a loaded value or an earlier result is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from neonsim.arm.semantics.float_formats import LiveRules
from neonsim.arm.semantics.softfloat import FloatWord
from neonsim.arm.semantics.types import ElementType, element
from neonsim.arm.semantics.vocabulary import Lanes

__all__ = ["DEEP", "DagNode", "SourceLanes", "pick", "resting"]

_U8 = element("u", 8)
DEEP = 100  # operations behind each other that a writer follows at once; a body with a loop has more


class DagNode:
    """One operation.

    op      "name" (text), "array" (the same, but in C an array and no vector), "const" (integers), an operator, or a
            word of the vocabulary
    args    nodes, and plain values where the op takes them
    uses    how many other operations take it: what is used twice is worth a variable
    depth   how many operations lie behind it, at most, that its writer has not computed yet: a node belongs to one
            writer
    """

    __slots__ = ("args", "count", "depth", "op", "type", "uses")

    def __init__(self, op: str, args: tuple[Any, ...], type_: ElementType, count: int) -> None:
        self.op, self.args, self.type, self.count = op, args, type_, count
        self.uses = self.depth = 0
        for arg in args:
            if isinstance(arg, DagNode):
                arg.uses += 1
                self.depth = max(self.depth, arg.depth + 1)

    def __repr__(self) -> str:
        return f"<{self.op} {self.type}x{self.count}>"


def pick(node: DagNode, lane: int) -> tuple[DagNode, int]:
    """Return where a lane really comes from, through slices and joins."""
    while True:
        if node.op == "lanes":
            node, lane = node.args[0], node.args[1][lane]
        elif node.op == "join":
            for part in node.args:
                if lane < part.count:
                    node = part
                    break
                lane -= part.count
        else:
            return node, lane


def resting(node: DagNode) -> list[DagNode]:
    """Return what a writer computes before it comes to a node, lowest first, so that it never has more than half of
    `DEEP` operations ahead of it. Their depths begin anew."""
    found: list[DagNode] = []
    seen: set[int] = set()
    stack = [(node, False)]
    while stack:
        one, ready = stack.pop()
        inner = [a for a in one.args if isinstance(a, DagNode)]
        if not ready:
            if id(one) not in seen:
                seen.add(id(one))
                stack.append((one, True))
                stack += [(a, False) for a in inner if a.depth > DEEP // 2]
            continue
        one.depth = 1 + max((a.depth for a in inner), default=-1)
        if one.depth >= DEEP // 2 and one is not node:
            found.append(one)
            one.depth = 0
    return found


class SourceLanes(Lanes):
    """Lanes that will be text: ``node`` says how they are made."""

    __slots__ = ("node", "type")

    def __init__(self, node: DagNode) -> None:
        self.node, self.type = node, node.type

    @classmethod
    def named(cls, name: str, type_: ElementType, count: int) -> SourceLanes:
        """Return a value that the writer has under this name."""
        return cls(DagNode("name", (name,), type_, count))

    @classmethod
    def constants(cls, values: tuple[int, ...], type_: ElementType) -> SourceLanes:
        return cls(DagNode("const", tuple(type_.wrap(int(v)) for v in values), type_, len(values)))

    @property
    def count(self) -> int:
        return self.node.count

    def __repr__(self) -> str:
        return f"{self.node!r}"

    # -- helpers
    def _other(self, other: Any) -> DagNode:
        if not isinstance(other, SourceLanes):
            return SourceLanes.constants((int(other),), self.type).node
        if other.type.bits != self.type.bits:
            raise TypeError(f"lanes of {self.type} do not match lanes of {other.type}: use wide() or narrow() first")
        return other._as_kind(self.type).node

    def _made(self, op: str, *args: Any, type_: ElementType | None = None, count: int | None = None) -> SourceLanes:
        return SourceLanes(DagNode(op, (self.node, *args), type_ or self.type, count or self.count))

    def _binary(self, op: str, other: Any) -> SourceLanes:
        node = self._other(other)
        if op in "+-|^" and node.op == "const" and not any(node.args) and node.count == 1:
            return self
        return self._made(op, node, count=max(self.count, node.count))

    # -- operators
    def __add__(self, other: Any) -> SourceLanes:
        return self._binary("+", other)

    def __sub__(self, other: Any) -> SourceLanes:
        return self._binary("-", other)

    def __mul__(self, other: Any) -> SourceLanes:
        return self._binary("*", other)

    def __and__(self, other: Any) -> SourceLanes:
        return self._binary("&", other)

    def __or__(self, other: Any) -> SourceLanes:
        return self._binary("|", other)

    def __xor__(self, other: Any) -> SourceLanes:
        return self._binary("^", other)

    def __invert__(self) -> SourceLanes:
        return self._made("~")

    def __neg__(self) -> SourceLanes:
        return self._made("neg")

    def __lshift__(self, by: int) -> SourceLanes:
        if by == 0:
            return self
        if by >= self.type.bits:
            return SourceLanes.constants((0,) * self.count, self.type)
        return self._made("<<", by)

    def __rshift__(self, by: int) -> SourceLanes:
        if by == 0:
            return self
        if by >= self.type.bits:  # every bit is gone; a sign stays
            if self.type.kind != "s":
                return SourceLanes.constants((0,) * self.count, self.type)
            by = self.type.bits - 1
        return self._made(">>", by)

    def __getitem__(self, lanes: int | slice) -> SourceLanes:
        if isinstance(lanes, int):
            lanes = slice(lanes, lanes + 1 or None)
        return self._lanes(tuple(range(self.count)[lanes]))

    def _lanes(self, indices: tuple[int, ...]) -> SourceLanes:
        if indices == tuple(range(self.count)):
            return self
        picked = [pick(self.node, i) for i in indices]
        source = picked[0][0]
        if all(node is source for node, _ in picked):
            return SourceLanes(DagNode("lanes", (source, tuple(i for _, i in picked)), self.type, len(indices)))
        return self._made("lanes", indices, count=len(indices))

    # -- words
    def _constants(self, values: tuple[int, ...]) -> SourceLanes:
        return SourceLanes.constants(values, self.type)

    def _as_kind(self, type_: ElementType) -> SourceLanes:
        if type_ is self.type:
            return self
        if self.node.op == "const":
            return SourceLanes.constants(self.node.args, type_)
        # The text of a name is its lanes: reading them with another sign is an operation only for Python.
        return self._made("kind", type_=type_)

    def _view(self, type_: ElementType) -> SourceLanes:
        have, want = self.type.bits, type_.bits
        if have == want:
            return self._as_kind(type_)
        count = self.count * have // want
        if self.node.op == "const":
            data = b"".join((value & self.type.mask).to_bytes(have // 8, "little") for value in self.node.args)
            size = want // 8
            return SourceLanes.constants(tuple(int.from_bytes(data[i:i + size], "little")
                                               for i in range(0, len(data), size)), type_)
        if self.node.op == "view" and self.node.args[0].type.bits == want:
            return SourceLanes(self.node.args[0])._as_kind(type_)
        return self._made("view", type_=type_, count=count)

    def _wide(self) -> SourceLanes:
        return self._made("wide", type_=self.type.with_(bits=self.type.bits * 2))

    def _narrow(self) -> SourceLanes:
        return self._made("narrow", type_=self.type.with_(bits=self.type.bits // 2))

    def _sat(self, type_: ElementType) -> tuple[SourceLanes, SourceLanes]:
        # Not narrower than the range that the lanes already have.
        return self._made("sat", type_=type_), self._made("clamped", type_, type_=_U8, count=1)

    def _join(self, others: tuple[Any, ...]) -> SourceLanes:
        parts = (self.node, *(o._as_kind(self.type).node for o in others))
        return SourceLanes(DagNode("join", parts, self.type, sum(p.count for p in parts))) if others else self

    def _compare(self, relation: str, other: Any) -> SourceLanes:
        node = self._other(other)
        return SourceLanes(DagNode("compare", (relation, self.node, node), self.type.with_("u"),
                                   max(self.count, node.count)))

    def _select(self, n: Any, m: Any) -> SourceLanes:
        other = n._other(m)
        return SourceLanes(DagNode("select", (self._as_kind(n.type).node, n.node, other), n.type,
                                   max(self.count, n.count, other.count)))

    def _shift_by(self, by: Any, rounding: bool) -> SourceLanes:
        amount = by._as_kind(by.type.with_("s")).node
        return self._made("shift_by", amount, rounding, count=max(self.count, by.count))

    def _total(self) -> SourceLanes:
        return self._made("total", count=1) if self.count > 1 else self

    def _carryless(self, other: Any) -> SourceLanes:
        n, m = (x._as_kind(x.type.with_("u")).node for x in (self, other))
        type_ = self.type.with_("u", self.type.bits * 2)
        made = SourceLanes(DagNode("carryless", (n, m), type_, max(n.count, m.count)))
        return made._as_kind(self.type.with_(bits=self.type.bits * 2))

    def _quotient(self, other: Any) -> SourceLanes:
        return self._made("quotient", self._other(other), count=max(self.count, other.count))

    def _of_bits(self, word: str) -> SourceLanes:
        unsigned = self._as_kind(self.type.with_("u"))
        return unsigned._made(word)._as_kind(self.type)

    def _lookup(self, index: Any, otherwise: Any) -> SourceLanes:
        if index.node.op == "const" and max(index.node.args) < self.count:
            return self._lanes(index.node.args)
        return SourceLanes(DagNode("lookup", (index.node, self.node, self._other(otherwise)), self.type, index.count))

    def _add_flags(self, other: Any, carry: Any) -> tuple[SourceLanes, SourceLanes]:
        u = self.type.with_("u")
        n, inverted = self._as_kind(u).node, other.node.op == "~"
        if inverted:  # the usual subtraction n + ~m + 1: keep m in sight
            inner = SourceLanes(other.node.args[0])._as_kind(u).node
            m = DagNode("~", (inner,), u, 1)
        else:
            m = other._as_kind(u).node
        c = carry.node if isinstance(carry, SourceLanes) else SourceLanes.constants((carry,), _U8).node
        if isinstance(carry, int) and carry == 0:
            value = DagNode("+", (n, m), u, 1)
        elif inverted and c.op == "const" and c.args == (1,):
            value = DagNode("-", (n, inner), u, 1)
        else:
            value = DagNode("sum", (n, m, c), u, 1)
        return SourceLanes(value)._as_kind(self.type), SourceLanes(DagNode("sum_flags", (n, m, c, value), _U8, 1))

    def _logic_flags(self, carry: Any, nzcv: Any) -> SourceLanes:
        zero = SourceLanes.constants((0,), _U8).node
        value = self._as_kind(self.type.with_("u")).node
        return SourceLanes(DagNode("logic_flags", (value, zero if carry is None else carry.node,
                                                   zero if nzcv is None else nzcv.node), _U8, 1))

    def _holds(self, condition: str) -> SourceLanes:
        if condition == "al":
            return SourceLanes.constants((1,), _U8)
        return SourceLanes(DagNode("holds", (condition, self.node), _U8, 1))

    def _choose(self, n: Any, m: Any) -> SourceLanes:
        other = n._other(m)
        return SourceLanes(DagNode("choose", (self.node, n.node, other), n.type, max(n.count, other.count)))

    def _float(self, word: FloatWord, others: tuple[Any, ...], type_: ElementType) -> tuple[SourceLanes, SourceLanes]:
        nodes = tuple(lanes._as_kind(lanes.type.with_("u")).node for lanes in (self, *others))
        count, rules = max(n.count for n in nodes), word.rules
        if isinstance(rules, LiveRules):  # the register that says them comes last
            word, nodes = replace(word, rules=LiveRules(rules.keep, rules.set)), (*nodes, rules.register.node)
        value = DagNode("float", (word, *nodes), type_.with_("u"), count)
        return SourceLanes(value)._as_kind(type_), SourceLanes(DagNode("exceptions", (value,), _U8, 1))
