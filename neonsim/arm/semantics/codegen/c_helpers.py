"""Types and static functions that generated C needs, made when a text first uses them.

Each method returns the name of a function (or type) and sees to it that its text is among the `helpers`.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Helpers", "c_scalar", "c_vector"]


def c_scalar(bits: int, signed: bool = False) -> str:
    """Return the C type of one lane."""
    if bits == 128:
        return "__int128" if signed else "unsigned __int128"
    return f"{'' if signed else 'u'}int{bits}_t"


def c_vector(bits: int, count: int, signed: bool = False) -> str:
    """Return the C type of several lanes."""
    return f"{'s' if signed else 'u'}{bits}x{count}"


class Helpers:
    """The text that stands before the functions, by name, in order."""

    def __init__(self, helpers: dict[str, str] | None = None) -> None:
        self.helpers: dict[str, str] = {} if helpers is None else helpers

    def helper(self, name: str, text: str) -> str:
        self.helpers.setdefault(name, text)
        return name

    def vector_type(self, bits: int, count: int, signed: bool = False) -> str:
        name = c_vector(bits, count, signed)
        return self.helper(name, f"typedef {c_scalar(bits, signed)} {name} "
                                 f"__attribute__((vector_size({bits * count // 8})));")

    # -- of vectors
    def repeat(self, type_: str, bits: int, count: int) -> str:
        """One value in every lane."""
        return self.helper(f"all_{type_}", f"static inline {type_} all_{type_}({c_scalar(bits)} x) {{\n    return "
                                           f"({type_}){{{', '.join(['x'] * count)}}};\n}}")

    def part(self, type_: str, count: int, whole: str, vector: int, first: int) -> str:
        """Lanes ``first`` on of a longer vector."""
        name = f"{ {0: 'low', vector - count: 'high'}.get(first, f'from{first}')}_{whole}_{type_}"
        return self.helper(name, f"static inline {type_} {name}({whole} x) {{\n    return ({type_}){{"
                                 f"{', '.join(f'x[{first + i}]' for i in range(count))}}};\n}}")

    def joined(self, type_: str, part: str, count: int) -> str:
        """Two vectors behind each other; ``count`` lanes of each."""
        lows, highs = (", ".join(f"{x}[{i}]" for i in range(count)) for x in "nm")
        return self.helper(f"join_{part}", f"static inline {type_} join_{part}({part} n, {part} m) {{\n    return "
                                           f"({type_}){{{lows}, {highs}}};\n}}")

    def widened(self, type_: str, bits: int, count: int, lanes: Sequence[int], signed: bool) -> str:
        """Some lanes of a register widened: each twice, side by side, then shifted down by their width; only registers
        of one size are needed for that, which suits every host."""
        narrow, wide = self.vector_type(bits, count), self.vector_type(2 * bits, count // 2, signed)
        part = f"lane{lanes[0]}" if lanes[0] == lanes[-1] else "high" if lanes[0] else "low"
        name = f"{part}_of_{'s' if signed else 'u'}{bits}x{count}_wide"
        twice = ", ".join(f"x[{i}]" for lane in lanes for i in (lane, lane))
        return self.helper(name, f"static inline {type_} {name}({narrow} x) {{\n"
                                 f"    return ({type_})(({wide})({narrow}){{{twice}}} >> {bits});\n}}")

    def clamp_all(self, bits: int, count: int, signed: bool) -> str:
        """Every lane of a vector between two bounds."""
        one, v = c_scalar(bits), self.vector_type(bits, count)
        s = self.vector_type(bits, count, True) if signed else v
        name = f"clamp_{s}"
        everywhere = ", ".join(["{0}"] * count)
        return self.helper(name, (
            f"static inline {v} {name}({v} x, {one} low, {one} high) {{\n"
            f"    const {v} l = {{{everywhere.format('low')}}}, h = {{{everywhere.format('high')}}};\n"
            f"    const {v} under = ({v})(({s})x < ({s})l), over = ({v})(({s})x > ({s})h);\n"
            f"    return (x & ~under & ~over) | (l & under) | (h & over);\n}}"))

    def shift_all(self, one: str, type_: str, amounts: str, count: int, amount_bits: int) -> str:
        """Each lane shifted by its own amount, with the function ``one``."""
        name = f"{one}x{count}_by{amount_bits}"
        return self.helper(name, (
            f"static inline {type_} {name}({type_} x, {amounts} by) {{\n"
            f"    for (int i = 0; i < {count}; i++)\n        x[i] = {one}(x[i], (uint8_t)by[i]);\n    return x;\n}}"))

    def differ(self, v: str, count: int) -> str:
        """Return whether any lane of two vectors differs."""
        return self.helper(f"differ_{v}", (
            f"static inline uint8_t differ_{v}({v} n, {v} m) {{\n    uint8_t found = 0;\n"
            f"    for (int i = 0; i < {count}; i++)\n        found |= n[i] != m[i];\n    return found;\n}}"))

    def total(self, v: str, bits: int, count: int) -> str:
        """Return the sum of all lanes."""
        u = c_scalar(bits)
        return self.helper(f"sum_{v}", (
            f"static inline {u} sum_{v}({v} x) {{\n    {u} sum = 0;\n    for (int i = 0; i < {count}; i++)\n"
            f"        sum = ({u})(sum + x[i]);\n    return sum;\n}}"))

    # -- of single lanes
    def clamp(self, bits: int, signed: bool) -> str:
        one, real, name = c_scalar(bits), c_scalar(bits, signed), f"clamp_{'s' if signed else 'u'}{bits}"
        return self.helper(name, f"static inline {one} {name}({one} x, {one} low, {one} high) {{\n    return ({real})x "
                                 f"< ({real})low ? low : ({real})x > ({real})high ? high : x;\n}}")

    def shift(self, bits: int, signed: bool, rounding: bool) -> str:
        """Left by the low byte of an amount, right where it is negative."""
        name = f"{'round_' if rounding else ''}shift_{'s' if signed else 'u'}{bits}"
        u, s = c_scalar(bits), c_scalar(bits, signed)
        room = "uint32_t" if bits < 32 else u
        last = "-1" if signed else "0"
        right = f"({u})(({s})x >> r)"
        if rounding:
            right = (f"({u})({right} + (({s})x >> (r - 1) & 1))")
            beyond = f"r > {bits} ? 0 : r == {bits} ? ({u})(" + (
                "0" if signed else f"x >> {bits - 1}") + ") : "
        else:
            beyond = f"r >= {bits} ? ({u})(({s})x < 0 ? {last} : 0) : " if signed else f"r >= {bits} ? 0 : "
        return self.helper(name, (
            f"static inline {u} {name}({u} x, uint8_t amount) {{\n"
            f"    const int by = (int8_t)amount, r = -by;\n"
            f"    if (by >= 0)\n        return by >= {bits} ? 0 : ({u})(({room})x << by);\n"
            f"    return {beyond}{right};\n}}"))

    def carryless(self) -> str:
        return self.helper("carryless", (
            "static inline unsigned __int128 carryless(uint64_t n, uint64_t m) {\n"
            "    unsigned __int128 product = 0;\n    for (int i = 0; i < 64; i++)\n"
            "        if (m >> i & 1)\n            product ^= (unsigned __int128)n << i;\n    return product;\n}"))

    def quotient(self, bits: int, signed: bool) -> str:
        u, s = c_scalar(bits), c_scalar(bits, True)
        name = f"quotient_{'s' if signed else 'u'}{bits}"
        if not signed:
            return self.helper(name, f"static inline {u} {name}({u} n, {u} m) {{\n    return ({u})(m ? n / m : 0);\n}}")
        # The lowest number by -1 has no place in its type: modulo the width it is the number itself.
        return self.helper(name, (
            f"static inline {u} {name}({u} n, {u} m) {{\n    if (m == 0)\n        return 0;\n"
            f"    return ({u})m == ({u})-1 ? ({u})(0 - {'(uint32_t)' if bits < 32 else ''}n) : "
            f"({u})(({s})n / ({s})m);\n}}"))

    def leading_zeros(self, bits: int) -> str:
        u = c_scalar(bits)
        return self.helper(f"leading_zeros{bits}", (
            f"static inline {u} leading_zeros{bits}({u} x) {{\n"
            f"    return ({u})(x ? __builtin_clzll(x) - {64 - bits} : {bits});\n}}"))

    def mirror(self, bits: int) -> str:
        u = c_scalar(bits)
        return self.helper(f"mirror{bits}", (
            f"static inline {u} mirror{bits}({u} x) {{\n    uint64_t y = 0;\n"
            f"    for (int i = 0; i < {bits}; i++)\n        y = y << 1 | (uint64_t)(x >> i & 1);\n"
            f"    return ({u})y;\n}}"))

    def flags_of_sum(self, bits: int) -> str:
        u = c_scalar(bits)
        return self.helper(f"flags_of_sum{bits}", (
            f"static inline uint8_t flags_of_sum{bits}({u} n, {u} m, uint8_t carry) {{\n"
            f"    const {u} half = ({u})(n + m), sum = ({u})(half + carry);\n"
            f"    const {u} overflow = ({u})((n ^ sum) & (m ^ sum));\n"
            f"    return (uint8_t)((sum >> {bits - 1}) << 3 | (sum == 0) << 2 | (half < n || sum < half) << 1 | "
            f"overflow >> {bits - 1});\n}}"))

    def flags_of_logic(self, bits: int) -> str:
        return self.helper(f"flags_of_logic{bits}", (
            f"static inline uint8_t flags_of_logic{bits}({c_scalar(bits)} x, uint8_t carry, uint8_t nzcv) {{\n"
            f"    return (uint8_t)((x >> {bits - 1}) << 3 | (x == 0) << 2 | carry << 1 | (nzcv & 1));\n}}"))
