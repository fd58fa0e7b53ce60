"""The vocabulary of meanings: the words an instruction body may use.

A body is written once with these words (the floating ones are in `float_words`), operators and slices, and read in
several ways (`numeric`, `symbolic`, `shadow`): each reading is a subclass of `Lanes` that says what every word does to
its values. A body never asks which reading it is in, never branches on data and keeps no state. It may repeat itself:
``for i in range(...)`` of plain numbers is read turn by turn, and tables are tuples of integers (`constants`).

Lanes of one register are in memory order: lane 0 is the least significant. A value of one lane stands for all lanes
when it meets a longer one (that is what "by element" and "immediate" mean).

Arithmetic is modulo the lane width, so a body that needs more room says `wide` first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self, TypeVar

from .softfloat import FloatWord, recip_estimate, rsqrt_estimate
from .types import ElementType, element

__all__ = ["CONDITIONS", "Lanes", "add_flags", "bits", "byte_flags", "byte_mask", "carryless", "choose", "compare",
           "condition_bits", "constants", "count", "double", "extend", "half", "holds", "interleave", "join", "largest",
           "leading_zeros", "logic_flags", "lookup", "mirror", "narrow", "ones", "pairs", "quotient", "reciprocal",
           "reciprocal_root", "repeat", "reverse", "rotate", "sat", "select", "shift_by", "signed", "smallest", "total",
           "unsigned", "view", "wide"]

L = TypeVar("L", bound="Lanes")

CONDITIONS = ("eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al")


def condition_bits(condition: str) -> int:
    """Bit f is set when the condition holds for NZCV == f: sixteen flag states as one integer."""
    return _CONDITION_BITS[condition]


def _condition_table() -> dict[str, int]:
    tests: dict[str, Callable[[int, int, int, int], bool]] = {
        "eq": lambda n, z, c, v: z == 1, "ne": lambda n, z, c, v: z == 0, "hs": lambda n, z, c, v: c == 1,
        "lo": lambda n, z, c, v: c == 0, "mi": lambda n, z, c, v: n == 1, "pl": lambda n, z, c, v: n == 0,
        "vs": lambda n, z, c, v: v == 1, "vc": lambda n, z, c, v: v == 0, "hi": lambda n, z, c, v: c > z,
        "ls": lambda n, z, c, v: c <= z, "ge": lambda n, z, c, v: n == v, "lt": lambda n, z, c, v: n != v,
        "gt": lambda n, z, c, v: z == 0 and n == v, "le": lambda n, z, c, v: z == 1 or n != v,
        "al": lambda n, z, c, v: True,
    }
    return {name: sum(1 << f for f in range(16) if test(f >> 3 & 1, f >> 2 & 1, f >> 1 & 1, f & 1))
            for name, test in tests.items()}


_CONDITION_BITS = _condition_table()


class Lanes(ABC):
    """Values of one element type, side by side: what every body takes and returns.

    type   ElementType of each lane
    """

    __slots__ = ()
    type: ElementType

    @property
    @abstractmethod
    def count(self) -> int: ...

    # -- operators: both sides of one width; an int is taken modulo that width
    @abstractmethod
    def __add__(self, other: Self | int) -> Self: ...
    @abstractmethod
    def __sub__(self, other: Self | int) -> Self: ...
    @abstractmethod
    def __mul__(self, other: Self | int) -> Self: ...
    @abstractmethod
    def __and__(self, other: Self | int) -> Self: ...
    @abstractmethod
    def __or__(self, other: Self | int) -> Self: ...
    @abstractmethod
    def __xor__(self, other: Self | int) -> Self: ...
    @abstractmethod
    def __invert__(self) -> Self: ...
    @abstractmethod
    def __neg__(self) -> Self: ...
    @abstractmethod
    def __lshift__(self, by: int) -> Self: ...
    @abstractmethod
    def __rshift__(self, by: int) -> Self: ...
    @abstractmethod
    def __getitem__(self, lanes: int | slice) -> Self: ...

    # -- words
    @abstractmethod
    def _constants(self, values: tuple[int, ...]) -> Self: ...
    @abstractmethod
    def _as_kind(self, type_: ElementType) -> Self: ...
    @abstractmethod
    def _view(self, type_: ElementType) -> Self: ...
    @abstractmethod
    def _wide(self) -> Self: ...
    @abstractmethod
    def _narrow(self) -> Self: ...
    @abstractmethod
    def _sat(self, type_: ElementType) -> tuple[Self, Self]: ...
    @abstractmethod
    def _join(self, others: tuple[Self, ...]) -> Self: ...
    @abstractmethod
    def _compare(self, relation: str, other: Self | int) -> Self: ...
    @abstractmethod
    def _select(self, n: Self, m: Self) -> Self: ...
    @abstractmethod
    def _shift_by(self, by: Self, rounding: bool) -> Self: ...
    @abstractmethod
    def _total(self) -> Self: ...
    @abstractmethod
    def _carryless(self, other: Self) -> Self: ...
    @abstractmethod
    def _quotient(self, other: Self) -> Self: ...
    @abstractmethod
    def _of_bits(self, word: str) -> Self: ...
    @abstractmethod
    def _lookup(self, index: Self, otherwise: Self) -> Self: ...
    @abstractmethod
    def _add_flags(self, other: Self, carry: Self | int) -> tuple[Self, Self]: ...
    @abstractmethod
    def _logic_flags(self, carry: Self | None, nzcv: Self | None) -> Self: ...
    @abstractmethod
    def _holds(self, condition: str) -> Self: ...
    @abstractmethod
    def _choose(self, n: Self, m: Self) -> Self: ...
    @abstractmethod
    def _float(self, word: FloatWord, others: tuple[Self, ...], type_: ElementType) -> tuple[Self, Self]: ...


    def _derived(self, word: str, made_of: Callable[[Self], Self]) -> Self:
        """A word that is made of other words: a reading that writes formulas may keep its name instead."""
        return made_of(self)


# The words, as bodies write them. mypy cannot tie the readings together, so they are plain functions on Lanes.


def bits(n: Lanes) -> int:
    """Lane width in bits."""
    return n.type.bits


def count(n: Lanes) -> int:
    """Return how many lanes."""
    return n.count


def constants(n: L, values: tuple[int, ...]) -> L:
    """Numbers that the architecture fixes, one a lane, of n's type (modulo its width): a table for `lookup`, where each
    lane comes from, what each round adds."""
    return n._constants(values)


def half(n: Lanes) -> ElementType:
    """Return the element type half as wide."""
    return n.type.with_(bits=n.type.bits // 2)


def double(n: Lanes) -> ElementType:
    """Return the element type twice as wide."""
    return n.type.with_(bits=n.type.bits * 2)


def signed(n: L) -> L:
    """Return the same bits read as signed lanes."""
    return n._as_kind(n.type.with_("s"))


def unsigned(n: L) -> L:
    """Return the same bits read as unsigned lanes."""
    return n._as_kind(n.type.with_("u"))


def view(n: L, type_: ElementType) -> L:
    """Return the same bytes cut into lanes of another type."""
    return n._view(type_)


def wide(n: L) -> L:
    """Each lane twice as wide, its value kept (sign-extended if signed, else zero-extended)."""
    return n._wide()


def extend(n: L, like: ElementType) -> L:
    """Each lane widened, its value kept, to the width of ``like`` (and read as that type)."""
    while n.type.bits < like.bits:
        n = n._wide()
    return n._as_kind(like)


def narrow(n: L) -> L:
    """Return the low half of each lane."""
    return n._narrow()


def sat(n: L, like: Lanes | ElementType) -> tuple[L, L]:
    """(each lane clamped to the range of ``like``, QC: one lane, 1 if any lane was clamped)."""
    return n._sat(like if isinstance(like, ElementType) else like.type)


def pairs(n: L) -> tuple[L, L]:
    """(even lanes, odd lanes): neighbours side by side."""
    return n[0::2], n[1::2]


def join(n: L, *others: L) -> L:
    """All lanes of n, then those of the others."""
    return n._join(others)


def interleave(n: L, *others: L) -> L:
    """Lane 0 of n, lane 0 of each other, lane 1 of n, and so on."""
    return n[0]._join(tuple(x[i] for i in range(n.count) for x in (n, *others))[1:])


def compare(n: L, relation: str, m: L | int) -> L:
    """All ones where ``n relation m`` holds ("==" ">=" ">" "<=" "<" "!="), else zero; unsigned lanes of n's width."""
    return n._compare(relation, m)


def select(mask: L, n: L, m: L) -> L:
    """Bit by bit: n where the mask is one, else m."""
    return mask._select(n, m)


def shift_by(n: L, by: L, rounding: bool = False) -> L:
    """Each lane shifted by the signed low byte of ``by``'s lane: left if positive, right (rounding: to nearest, ties
    up) if negative; bits shifted out to the left are lost."""
    return n._shift_by(by, rounding)


def rotate(n: L, by: int) -> L:
    """Each lane rotated right by ``by`` bits, 0 < by < width."""
    u = unsigned(n)
    return (u >> by | u << bits(n) - by)._as_kind(n.type)


def total(n: L) -> L:
    """Return the sum of all lanes, modulo the lane width: one lane."""
    return n._total()


def carryless(n: L, m: L) -> L:
    """Product of polynomials over {0, 1}, twice as wide as the lanes."""
    return n._carryless(m)


def quotient(n: L, m: L) -> L:
    """n / m toward zero, modulo the lane width; 0 where m is 0."""
    return n._quotient(m)


def reciprocal(n: L) -> L:
    """Return the architecture's estimate of 2**17 / n, 256 to 511, for 256 <= n < 512: RecipEstimate of the manual. Of
    32-bit unsigned lanes; other values of n mean nothing."""
    return n._derived("reciprocal", lambda n: recip_estimate(n, quotient))


def reciprocal_root(n: L) -> L:
    """Return the architecture's estimate of 2**8 / sqrt(n / 2**9), 256 to 511, for 128 <= n < 512: RecipSqrtEstimate
    of the manual. Of 32-bit unsigned lanes; other values of n mean nothing."""
    return n._derived("reciprocal_root", lambda n: rsqrt_estimate(n, lambda n, m: compare(n, "<", m), select))


def byte_flags(mask: L) -> L:
    """Bit i says whether byte i of the mask (four bytes, each all ones or zero) is all ones: one lane of 8 bits."""
    word = view(mask, element("u", 32))
    return narrow(narrow(word & 1 | word >> 7 & 2 | word >> 14 & 4 | word >> 21 & 8))


def byte_mask(flags: L) -> L:
    """Return the opposite: byte i of a 32-bit lane all ones where bit i of the flags is one."""
    word = extend(flags, element("u", 32))
    return (word & 1 | (word & 2) << 7 | (word & 4) << 14 | (word & 8) << 21) * 255


def ones(n: L) -> L:
    """Return how many bits of each lane are one."""
    return n._of_bits("ones")


def leading_zeros(n: L) -> L:
    """Return how many zeros each lane has above its highest one; the width if it has no one."""
    return n._of_bits("leading_zeros")


def mirror(n: L) -> L:
    """Return the bits of each lane in the opposite order."""
    return n._of_bits("mirror")


def reverse(n: L, group: int) -> L:
    """Return the lanes in the opposite order within every ``group`` bits."""
    size = group // n.type.bits
    lanes = [n[start + size - 1 - i] for start in range(0, n.count, size) for i in range(size)]
    return lanes[0]._join(tuple(lanes[1:]))


def repeat(n: L, lanes: int) -> L:
    """All lanes again and again, ``lanes`` in total."""
    return n._join((n,) * (lanes // n.count - 1))


def largest(n: L) -> L:
    """Return the largest lane: one lane."""
    while n.count > 1:
        low, high = n[:n.count // 2], n[n.count // 2:]
        n = select(compare(low, ">", high), low, high)
    return n


def smallest(n: L) -> L:
    """Return the smallest lane: one lane."""
    while n.count > 1:
        low, high = n[:n.count // 2], n[n.count // 2:]
        n = select(compare(low, "<", high), low, high)
    return n


def lookup(table: L, index: L, otherwise: L) -> L:
    """For each lane of ``index``, read as unsigned, that lane of the table; behind its end the lane of ``otherwise``.
    All three of one width."""
    return table._lookup(unsigned(index), otherwise)


def add_flags(n: L, m: L, carry: L | int) -> tuple[L, L]:
    """(n + m + carry, NZCV): the manual's AddWithCarry. NZCV is one lane, n<<3 | z<<2 | c<<1 | v."""
    return n._add_flags(m, carry)


def logic_flags(result: L, carry: L | None = None, nzcv: L | None = None) -> L:
    """NZCV of a logical result: N and Z from it; C from ``carry`` (one lane, 0 or 1) and V from ``nzcv``, else 0."""
    return result._logic_flags(carry, nzcv)


def holds(condition: str, nzcv: L) -> L:
    """Return whether the condition ("eq" ... "al") holds: one lane, 0 or 1."""
    return nzcv._holds(condition)


def choose(truth: L, n: L, m: L) -> L:
    """n if the truth (one lane, see `holds`) is not 0, else m."""
    return truth._choose(n, m)


Result = Any  # a Lanes, or a tuple of them in the order of writes=
