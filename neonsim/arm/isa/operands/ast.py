"""Operands as they are written: what the parser makes and the instruction templates match.

One frozen class per kind of operand. They carry no meaning: `spec` decides whether an operand fits a template, the
binder what it reads and writes. `span` is (column, width) in the source line, 1-based, for carets; it takes no part
in comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["ALL_LANES", "WORD_BYTES", "Address", "CoreRegister", "Immediate", "Operand", "RegisterList", "Shift",
           "Span", "Symbol", "VectorRegister"]

Span = tuple[int, int]
# Of a general register, of an address and of a slot of the stack: AAPCS32 6.5, AAPCS64 6.8.2.
WORD_BYTES = {"aarch32": 4, "aarch64": 8}
ALL_LANES = -1  # the index of d0[] (AArch32: load one element to all lanes)


@dataclass(frozen=True, slots=True)
class CoreRegister:
    """A general register: `x3 w3 xzr wzr sp wsp` (A64), `r3` with sp, lr, pc as r13, r14, r15 (A32).

    kind        "x" "w" (A64) or "r" (A32)
    number      0..30, 31 for sp and zr (A64); 0..15 (A32)
    is_sp       A64 only: number 31 means sp, else xzr/wzr
    writeback   `r0!` as in LDM
    """

    kind: str
    number: int
    is_sp: bool = False
    writeback: bool = False
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class VectorRegister:
    """A SIMD register, or a lane of it.

    kind         A64 "v" with an arrangement, or the scalar views "q d s h b"; A32 "q" "d" "s"
    number       as written (A32 d31, s31)
    arrangement  A64 "8b" "4s" ..., or the element letter alone ("s") in v0.s[1]; None elsewhere
    index        lane, ALL_LANES for A32 d0[], None for the whole register
    """

    kind: str
    number: int
    arrangement: str | None = None
    index: int | None = None
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class RegisterList:
    """`{v0.8b-v3.8b}`, `{v0.s}[1]`, `{d0[], d1[]}`, `{r4-r11, lr}`: ranges are already spelled out.

    index   the lane after the closing brace (A64) or inside (A32: each register carries it too); None if none
    """

    registers: tuple[VectorRegister | CoreRegister, ...]
    index: int | None = None
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Immediate:
    """A constant expression, folded. `value` is an int, or a float for FMOV and friends.

    symbol   ":lo12:table+4": a part of an address; `value` is then 0 until the program is placed in memory
    """

    value: int | float
    span: Span = field(default=(0, 0), compare=False)
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Shift:
    """`lsl #3`, `asr r2`, `uxtw #2`, `msl #8`, `rrx`: always its own operand, also after a register.

    kind     lower case name
    amount   Immediate, CoreRegister (A32 register shifts), or None (rrx, a bare extend)
    """

    kind: str
    amount: Immediate | CoreRegister | None = None
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Address:
    """`[x0]`, `[x0, #16]`, `[x0, #16]!`, `[x0, x1, lsl #3]`, `[r0:64]!`, `[r0, -r1]`.

    writeback   "" none, "pre" for `]!`, "post" when the following operand is the increment (set by the parser, which
                takes that operand in: `offset` is then the increment)
    offset      Immediate, CoreRegister or None; for A32 `[r0]!` of VLD1 the increment is the transfer size: offset
                None with writeback "pre"
    subtract    A32 `[r0, -r1]`
    align       alignment hint in bits (`[r0:64]`, `[r0 :128]`, `[r0@64]`), or None
    """

    base: CoreRegister
    offset: Immediate | CoreRegister | None = None
    shift: Shift | None = None
    writeback: str = ""
    subtract: bool = False
    align: int | None = None
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A bare word that is no register: a label, `1b`/`2f`, or a condition; the template says which.

    A label may carry a distance (`table+8`, `.-4`); `=value` is a place in the literal pool.
    """

    name: str
    span: Span = field(default=(0, 0), compare=False)


Operand = CoreRegister | VectorRegister | RegisterList | Immediate | Shift | Address | Symbol
