"""Winograd's transforms as NEON kernels: a vector of neighbouring elements at a time, then the rest one by one.

    for every 4 (8) elements    load one vector of each input row     x, x + x_stride, ...
                                the steps of the program              an instruction each
                                store one vector a result row         y, y + y_stride, ...

Values are given registers in the order of the steps; a register is free again after the last step that reads it. A
result is stored as soon as those before it are.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from neonsim.errors import KernelFileError
from neonsim.quant.winograd.straightline import StraightLineProgram, StraightLineStep, transform_program

__all__ = ["TRANSFORMS", "is_transform", "transform", "transform_summary"]


class _Kind(NamedTuple):
    """What the transforms of a contract work on: type of its inputs, of its values and results, which side it is."""

    source: str
    element: str
    side: str


_KINDS = {
    "f32_winograd_source": _Kind("float32", "float32", "source"),
    "f32_winograd_destination": _Kind("float32", "float32", "destination"),
    "qs8_winograd_source": _Kind("int8", "int16", "source"),
    "qu8_winograd_source": _Kind("uint8", "int16", "source"),
    "s16_winograd_source": _Kind("int16", "int16", "source"),
    "s32_winograd_destination": _Kind("int32", "int32", "destination"),
}
_SIZES = {"f32": ((2, 3), (4, 3), (6, 3)), "qs8": ((2, 3),), "qu8": ((2, 3),), "s16": ((2, 3),), "s32": ((2, 3),)}
_NAME = re.compile(r"([a-z0-9_]+)_([1-9]\d?)x([1-9]\d?)__(aarch32|aarch64)_neon_generated")

TRANSFORMS = tuple(f"{contract}_{n}x{k}__{isa}_neon_generated" for contract in _KINDS
                 for n, k in _SIZES[contract.partition("_")[0]] for isa in ("aarch32", "aarch64"))


def is_transform(name: str) -> bool:
    """Whether that is the name of a transform."""
    match = _NAME.fullmatch(name)
    return match is not None and match[1] in _KINDS


@lru_cache(maxsize=256)
def transform(name: str) -> str:
    """The text of a kernel.

    name   str   contract_NxK__isa_neon_generated; N results of a window of K taps

    Raises KernelFileError for a name of another form, and for transforms with more values than there are registers.
    """
    contract, n, k, isa = _taken_apart(name)
    return _Writer(name, contract, _KINDS[contract], n, k, isa, _program(contract, n, k)).text()


def transform_summary(name: str) -> str:
    """What a kernel does, in a sentence. Raises KernelFileError for a name of another form."""
    contract, n, k, _ = _taken_apart(name)
    side, program = _KINDS[contract].side, _program(contract, n, k)
    return (f"{side.capitalize()} transform of F({n}, {k}) along one axis: {'B^T' if side == 'source' else 'A^T'}, "
            f"{program.additions} additions and {program.multiplications} multiplications a lane.")


def _taken_apart(name: str) -> tuple[str, int, int, str]:
    """Contract, results, taps and instruction set."""
    match = _NAME.fullmatch(name)
    if match is None or match[1] not in _KINDS:
        raise KernelFileError(f"{name!r} is not a generated kernel. Names look like {TRANSFORMS[0]}, of "
                              f"{', '.join(_KINDS)}.")
    return match[1], int(match[2]), int(match[3]), match[4]


def _program(contract: str, n: int, k: int) -> StraightLineProgram:
    return transform_program(_KINDS[contract].side, n, k, integer=_KINDS[contract].element != "float32")


@dataclass(frozen=True)
class _Plan:
    """Registers of values: of each at its time; in which order steps and stores come.

    order      ("load" | "step" | "store", number)
    register   {value: number}
    used       set of numbers
    """

    order: tuple[tuple[str, int], ...]
    register: dict[int, int]
    used: frozenset[int]


def _registers(program: StraightLineProgram, free: list[int], name: str) -> _Plan:
    """Inputs are loaded in their order, since addresses walk; results are stored in theirs."""
    last = {value: value - program.inputs for value in program.outputs}     # as long as only a store reads them
    for at, step in enumerate(program.steps):
        for value in (step.a, step.b) if step.word in ("add", "sub") else (step.a,):
            last[value] = max(last.get(value, -1), at)
    order: list[tuple[str, int]] = [("load", i) for i in range(program.inputs)]
    register: dict[int, int] = {}
    left, used = list(free), set()

    def take(value: int) -> None:
        if not left:
            raise KernelFileError(
                f"{name} needs more than {32 if '__aarch64_' in name else 16} vector registers for values and "
                f"constants. Use a smaller tile.")
        register[value] = left.pop(0)
        used.add(register[value])

    for value in range(program.inputs):
        take(value)
    stored = 0
    freed: set[int] = set()

    def release(now: int) -> None:
        for value, at in last.items():
            waiting = value in program.outputs[stored:]
            if value in register and value not in freed and at <= now and not waiting:
                freed.add(value)
                left.insert(0, register[value])
        left.sort(key=free.index)

    for at in range(len(program.steps)):
        release(at)     # What is read here for the last time may be written over.
        take(program.inputs + at)
        order.append(("step", at))
        while stored < len(program.outputs) and program.outputs[stored] in register:
            order.append(("store", stored))
            stored += 1
    while stored < len(program.outputs):
        order.append(("store", stored))
        stored += 1
    return _Plan(tuple(order), register, frozenset(used))


_WIDTH = {"float32": 4, "int32": 4, "int16": 2, "int8": 1, "uint8": 1}


class _Writer:
    def __init__(self, name: str, contract: str, kind: _Kind, n: int, k: int, isa: str,
                 program: StraightLineProgram) -> None:
        self.name, self.contract, self.kind, self.n, self.k = name, contract, kind, n, k
        self.isa, self.program = isa, program
        self.bytes_in = kind.source in ("int8", "uint8")
        self.lanes = 16 // _WIDTH[kind.element]
        constants = dict.fromkeys(s.constant for s in program.steps if s.word == "mul")
        self.constants = {one: i for i, one in enumerate(constants)}
        self.held = -(-len(self.constants) * _WIDTH[kind.element] // 16)
        every = [*range(8), *range(16, 32), *range(8, 16)] if isa == "aarch64" else [*range(4), *range(8, 16),
                                                                                     *range(4, 8)]
        # 16-bit factors are elements of the first four registers in AArch32, of 16 in AArch64; 32-bit ones of eight.
        few = {("aarch32", 2): 4, ("aarch32", 4): 8, ("aarch64", 2): 16}.get((isa, _WIDTH[kind.element]), 32)
        free = [one for one in every if one >= self.held] if self.held <= few else []
        last = 31 if isa == "aarch64" else 15
        self.shifts = kind.element == "int32"
        own = [free.pop(free.index(one)) for one in ([last, last - 1] if self.shifts else [last] * self.bytes_in)
               if one in free]
        self.zero = last if self.bytes_in else None             # the zero point
        self.shift, self.shifted = last, last - 1
        self.plan = _registers(program, free, name)
        self.preserved = sorted((self.plan.used | set(own))
                                & set(range(8, 16) if isa == "aarch64" else range(4, 8)))

    # ---- text
    def text(self) -> str:
        return "\n".join([*self.header(), "", *self.directives(), f"{self.name}:", *self.body(), ""])

    def places(self) -> dict[str, str]:
        names = ["count", "x", "x_stride", "y", "y_stride", *(["zero_point"] if self.bytes_in else []),
                 *(["shift"] if self.shifts else []), "inputs",
                 "outputs", "steps", "program"]
        many, letter, slot = (8, "x", 8) if self.isa == "aarch64" else (4, "r", 4)
        found = {}
        for i, name in enumerate(names):
            narrow = name in ("zero_point", "shift") and self.isa == "aarch64"
            offset = (i - many) * slot
            found[name] = f"{'w' if narrow else letter}{i}" if i < many else f"[sp, #{offset}]" if offset else "[sp]"
        return found

    def header(self) -> Iterator[str]:
        p, kind = self.program, self.kind
        yield f"//! {transform_summary(self.name)}"
        for key, value in (("contract", self.contract), ("tile", f"{self.n}x{self.k}"), ("isa", self.isa),
                           ("feature", "neon"), ("reads-before", "0"), ("source", "made by rule")):
            yield f"//! {key}: {value}"
        yield "//!"
        texts = {
            "count": "elements of a row, 0 or more", "x": f"{kind.source} [{p.inputs}, count]",
            "x_stride": "bytes from one row of x to the next", "y": f"{kind.element} [{len(p.outputs)}, count]",
            "y_stride": "bytes from one row of y to the next", "zero_point": "taken away from every input",
            "shift": "bits that results are shifted to the right",
            "inputs": f"{p.inputs}; not read", "outputs": f"{len(p.outputs)}; not read",
            "steps": f"{len(p.steps) + len(p.outputs)}; not read",
            "program": "what the instructions below do; not read"}
        for name, place in self.places().items():
            yield f"//! in   {name:<11} {place:<11} {texts[name]}"
        yield "//!"
        letter = "v" if self.isa == "aarch64" else "q"
        rows = [self.plan.register[i] for i in range(p.inputs)]
        named = ", ".join(f"{letter}{one}" for one in rows)
        names = "vx0" if p.inputs == 1 else f"vx0..vx{p.inputs - 1}"
        yield (f"//! reg  {names} {named}  rows of x until their last use; then what the comments "
               "say")
        if self.held:
            names = ", ".join(f"{letter}{i}" for i in range(self.held))
            yield f"//! reg  vconstants  {names:<11} factors, one a lane: {', '.join(map(str, self.constants))}"
        if self.zero is not None:
            yield f"//! reg  vzero       {letter + str(self.zero):<11} the zero point in every byte"
        if self.shifts:
            yield f"//! reg  vshift      {letter + str(self.shift):<11} the shift in every lane, negative: to the right"
            yield f"//! reg  vshifted    {letter + str(self.shifted):<11} a result on its way to memory"
        yield "//!"
        for line in str(p).splitlines():
            yield f"//!   {line}"

    def directives(self) -> Iterator[str]:
        if self.isa == "aarch32":
            yield from ("    .syntax unified", "    .arch   armv7-a", "    .fpu    neon", "    .arm")
        yield from ("    .text", "    .p2align 4", f"    .global {self.name}")
        yield f"    .type   {self.name}, %function"

    def line(self, word: str, operands: str, says: str = "") -> str:
        made = f"    {word:<11} {operands}"
        return f"{made:<47} // {says}" if says else made

    def body(self) -> Iterator[str]:
        yield from self.enter()
        say = self.line
        count, x, y = ("x0", "x1", "x3") if self.isa == "aarch64" else ("r0", "r1", "r3")
        read, write = self.lanes * _WIDTH[self.kind.source], self.lanes * _WIDTH[self.kind.element]
        low, high, equal, other = ("b.lo", "b.hs", "b.eq", "b.ne") if self.isa == "aarch64" else (
            "blo", "bhs", "beq", "bne")
        yield ""
        yield f"    // ---- {'Four' if self.lanes == 4 else 'Eight'} elements at a time, as long as that many are left."
        yield say("subs", f"{count}, {count}, #{self.lanes}")
        yield say(low, "1f")
        yield "0:"
        yield from self.pass_over(whole=True)
        yield say("add", f"{x}, {x}, #{read}")
        yield say("add", f"{y}, {y}, #{write}")
        yield say("subs", f"{count}, {count}, #{self.lanes}")
        yield say(high, "0b")
        yield ""
        yield "    // ---- What is left, an element at a time: every lane of a register is that one."
        yield "1:"
        yield say("adds", f"{count}, {count}, #{self.lanes}")
        yield say(equal, "3f")
        yield "2:"
        yield from self.pass_over(whole=False)
        yield say("add", f"{x}, {x}, #{_WIDTH[self.kind.source]}")
        yield say("add", f"{y}, {y}, #{_WIDTH[self.kind.element]}")
        yield say("subs", f"{count}, {count}, #1")
        yield say(other, "2b")
        yield ""
        yield from self.leave()
        yield f"    .size   {self.name}, . - {self.name}"

    # ---- the parts that differ between instruction sets
    def bits(self, constant: Fraction) -> int:
        if self.kind.element == "float32":
            return int.from_bytes(struct.pack("<f", float(constant)), "little")
        return int(constant) % (1 << 8 * _WIDTH[self.kind.element])

    def enter(self) -> Iterator[str]:
        say, a64, width = self.line, self.isa == "aarch64", 8 * _WIDTH[self.kind.element]
        yield "    // ---- Constants, and what has to be kept for the caller."
        if a64:
            if self.preserved:
                yield say("sub", "sp, sp, #64")
            for i in range(0, len(self.preserved), 2):
                pair = (self.preserved[i:i + 2] * 2)[:2]
                yield say("stp", f"d{pair[0]}, d{pair[1]}, [sp, #{8 * i}]") if pair[0] != pair[1] else \
                    say("str", f"d{pair[0]}, [sp, #{8 * i}]")
        else:
            yield say("ldr", "r12, [sp]", "y_stride")
            yield say("push", "{r4, r5}")
            if self.bytes_in or self.shifts:
                yield say("ldr", "r4, [sp, #12]", "zero_point" if self.bytes_in else "shift")
            if self.preserved:
                yield say("vpush", f"{{d{2 * self.preserved[0]}-d{2 * self.preserved[-1] + 1}}}")
        if self.zero is not None:
            yield say("dup", f"v{self.zero}.8b, w5", "the zero point") if a64 else \
                say("vdup.8", f"d{2 * self.zero}, r4", "the zero point")
        scratch = "w9" if a64 else "r4"
        if self.shifts:
            yield say("neg", "w9, w5", "shifted to the left by less than nothing") if a64 else \
                say("rsb", "r4, r4, #0", "shifted to the left by less than nothing")
            yield say("dup", f"v{self.shift}.4s, w9") if a64 else say("vdup.32", f"q{self.shift}, r4")
        for constant, at in self.constants.items():
            bits = self.bits(constant)
            yield say("movz" if a64 else "movw", f"{scratch}, #{bits & 0xFFFF}")
            if bits >> 16:
                yield say("movk", f"{scratch}, #{bits >> 16}, lsl #16") if a64 else \
                    say("movt", f"{scratch}, #{bits >> 16}")
            per_d = 64 // width
            yield say("mov", f"v{at * width // 128}.{'s' if width == 32 else 'h'}[{at % (128 // width)}], {scratch}",
                      f"{constant}") if a64 else \
                say(f"vmov.{width}", f"d{at // per_d}[{at % per_d}], {scratch}", f"{constant}")

    def leave(self) -> Iterator[str]:
        say = self.line
        yield "    // ---- Back to the caller."
        yield "3:"
        if self.isa == "aarch64":
            for i in range(0, len(self.preserved), 2):
                pair = (self.preserved[i:i + 2] * 2)[:2]
                yield say("ldp", f"d{pair[0]}, d{pair[1]}, [sp, #{8 * i}]") if pair[0] != pair[1] else \
                    say("ldr", f"d{pair[0]}, [sp, #{8 * i}]")
            if self.preserved:
                yield say("add", "sp, sp, #64")
            yield "    ret"
            return
        if self.preserved:
            yield say("vpop", f"{{d{2 * self.preserved[0]}-d{2 * self.preserved[-1] + 1}}}")
        yield say("pop", "{r4, r5}")
        yield say("bx", "lr")

    def pass_over(self, whole: bool) -> Iterator[str]:
        """All rows of some elements: addresses walk from row to row."""
        a64 = self.isa == "aarch64"
        yield self.line("mov", "x9, x1" if a64 else "r4, r1", "walks over the rows of x")
        yield self.line("mov", "x10, x3" if a64 else "r5, r3", "over those of y")
        for what, number in self.plan.order:
            if what == "load":
                yield from self.load(self.plan.register[number], number, whole)
            elif what == "store":
                yield from self.store(self.plan.register[self.program.outputs[number]], number, whole)
            else:
                yield self.step(self.program.steps[number], self.program.inputs + number)

    def load(self, register: int, row: int, whole: bool) -> Iterator[str]:
        a64, says = self.isa == "aarch64", f"v{row}: row {row} of x"
        size, d = 8 * _WIDTH[self.kind.source], 2 * register
        if a64:
            shape = f"{64 // size if self.bytes_in else 128 // size}{ {8: 'b', 16: 'h', 32: 's'}[size]}"
            yield self.line("ld1" if whole else "ld1r", f"{{v{register}.{shape}}}, [x9], x2", says)
        else:
            lanes = "" if whole else "[]"
            names = [f"d{d}{lanes}"] + ([] if self.bytes_in else [f"d{d + 1}{lanes}"])
            yield self.line(f"vld1.{size}", f"{{{', '.join(names)}}}, [r4], r2", says)
        if self.zero is not None:
            signed = "s" if self.kind.source == "int8" else "u"
            yield self.line(f"{signed}subl", f"v{register}.8h, v{register}.8b, v{self.zero}.8b",
                            "less the zero point, as int16") if a64 else \
                self.line(f"vsubl.{signed}8", f"q{register}, d{d}, d{2 * self.zero}", "less the zero point, as int16")

    def store(self, register: int, row: int, whole: bool) -> Iterator[str]:
        size, says = 8 * _WIDTH[self.kind.element], f"row {row} of y"
        letter = "s" if size == 32 else "h"
        if self.shifts:
            yield self.line("sshl", f"v{self.shifted}.4s, v{register}.4s, v{self.shift}.4s") if self.isa == "aarch64" \
                else self.line("vshl.s32", f"q{self.shifted}, q{register}, q{self.shift}")
            register = self.shifted
        if self.isa == "aarch64":
            vector = f"{{v{register}.{128 // size}{letter}}}" if whole else f"{{v{register}.{letter}}}[0]"
            yield self.line("st1", f"{vector}, [x10], x4", says)
            return
        vector = f"{{d{2 * register}, d{2 * register + 1}}}" if whole else f"{{d{2 * register}[0]}}"
        yield self.line(f"vst1.{size}", f"{vector}, [r5], r12", says)

    def step(self, step: StraightLineStep, value: int) -> str:
        d, a = self.plan.register[value], self.plan.register[step.a]
        real, width, says = self.kind.element == "float32", 8 * _WIDTH[self.kind.element], ""
        lane = "s" if width == 32 else "h"
        if self.isa == "aarch64":
            shape = f"{128 // width}{lane}"
            operands = f"v{d}.{shape}, v{a}.{shape}"
            if step.word in ("add", "sub"):
                word, operands = ("f" if real else "") + step.word, f"{operands}, v{self.plan.register[step.b]}.{shape}"
            else:
                at = self.constants[step.constant]
                word = "fmul" if real else "mul"
                operands += f", v{at * width // 128}.{lane}[{at % (128 // width)}]"
        else:
            kind, operands = f"f{width}" if real else f"i{width}", f"q{d}, q{a}"
            if step.word in ("add", "sub"):
                word, operands = f"v{step.word}.{kind}", f"{operands}, q{self.plan.register[step.b]}"
            else:
                at, per = self.constants[step.constant], 64 // width
                word, operands = f"vmul.{kind}", f"{operands}, d{at // per}[{at % per}]"
        says = {"add": f"v{step.a} + v{step.b}", "sub": f"v{step.a} - v{step.b}",
                "mul": f"v{step.a} * {step.constant}"}[step.word]
        return self.line(word, operands, f"v{value} = {says}")
