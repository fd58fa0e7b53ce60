"""Every line there can be of the instructions that exist: enumerated from the forms of neonsim.arm.isa, and too many.

A form says which kinds of operand it takes; here each kind is written in all its ways, fitting or not: eight
arrangements where three would fit, every lane, shifts one too far. What GNU as takes and what our assembler takes must
then be the same set, and all of that set is run.

`@x1` in a shape is a register of kind x at operand position 1, `@v0+2` two registers on; `FLAVORS` choose the numbers:
all different, all the same, the highest, destination equal to the last source, zero register, stack pointer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Final

from neonsim.arm.isa import forms
from neonsim.arm.isa.forms.spec import Form
from neonsim.arm.isa.operands.gpr import WORDS

FLAVORS: Final = ("distinct", "same", "high", "first_is_last", "zero", "stack")

ARRANGEMENTS: Final = ("8b", "16b", "4h", "8h", "2s", "4s", "1d", "2d", "1q", "2h")
LANES: Final = {"b": 16, "h": 8, "s": 4, "d": 2}
DATA_TYPES: Final = [*(f"{k}{b}" for k in ("s", "u", "i", "") for b in (8, 16, 32, 64)), "p8", "p64", "f16", "f32",
                     "f64"]
SHIFTS: Final = (-1, 0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65)
OFFSETS: Final = (-257, -256, -128, -64, -17, -16, -8, -4, -1, 0, 1, 4, 6, 8, 12, 16, 24, 32, 48, 64, 100, 128, 255,
                  256, 1020, 4092, 4096, 16380, 65520)
IMMEDIATES: Final = {
    "arithmetic": (0, 1, 4095, 4096, 4097, 0xFFF000, 0x1000000, -1, -4096, "1, lsl #12", "4095, lsl #12", "1, lsl #1"),
    "cleared": (0, 1, 3, 5, 63, 0xFF, -2, -1, 0xFFFFFFFE, -64, 0xFFFFFFFFFFFFFFC0, 0x5555555555555555),
    "bitmask": (0, 1, 3, 5, 6, 0xFF, 0xF0F0F0F0, 0x55555555, 0x5555555555555555, 0x8000000000000001, -2, -1, 0xFFFFFFFE,
                0x80000001, 0xFFFFFFFFFFFFFFFE, 0x7FFFFFFFFFFFFFFF, 0x00FF00FF00FF00FF),
    "move": (0, 1, 0xFFFF, 0x10000, 0x12345, 0xFFFF0000, 0xABCD00000000, -1, -2, 0xFFFFFFFFFFFF0000, 0x5555555555555555,
             0xFFFFFFFF, 0x80000000, -0x80000000),
    "sixteen": (0, 1, 0xFFFF, 0x10000, "1, lsl #16", "0xabcd, lsl #32", "7, lsl #48", "7, lsl #8", -1),
    "neon": (0, 1, 0x7F, 0xFF, 0x100, 0xFF00, 0x1200, 0xFF0000, 0xAB000000, 0x1FF, 0x12FF, 0x12FFFF, 0xFFFF,
             0xFF00FF00, 0xFF0000FFFF00FF00, 0x0101010101010101, 0x00AB00AB, 0xABABABAB, 0xFFFFFFFF, 0xFFFFFF00, -1,
             0x1234, 0xFFFFFFFFFFFFFFFF, "1, lsl #8", "0xff, lsl #24", "3, msl #8", "3, msl #16", "3, lsl #4"),
    "byte": (0, 1, 0xFF, 0x100, 0xFF00, 0x1200, 0x12FF, 0xFF0000, 0xAB000000, -1, "1, lsl #8", "0xff, lsl #24",
             "3, msl #8", "3, lsl #4"),
    "a32": (0, 1, 255, 256, 0x3FC, 0xFF000000, 257, -1, 0xFFFFFF00, 0xF000000F),
}
REALS: Final = ("1.0", "1", "-0.125", "31.0", "2.125", "0.0", "0", "32.0", "0.1", "1.03125", "0x3f800000", "255", "-31")
OP2: Final = ("@r0", "@r0, lsl #1", "@r0, lsl #31", "@r0, lsl #32", "@r0, lsr #1", "@r0, lsr #32", "@r0, asr #5",
              "@r0, asr #32", "@r0, ror #1", "@r0, ror #31", "@r0, rrx", "@r0, lsl r8", "@r0, lsr r8", "@r0, asr r8",
              "@r0, ror r8", "@r0, lsr #33", "@r0, msl #1")
EXTENDS: Final = ("", ", lsl #0", ", lsl #3", ", lsl #4", ", lsl #5", ", lsr #31", ", asr #63", ", ror #7", ", uxtb",
                  ", uxth #1", ", uxtw #2", ", uxtx #4", ", sxtb #3", ", sxth", ", sxtw #2", ", sxtx #1", ", sxtw #5")
SHIFTS32: Final = ("", ", ror #0", ", ror #8", ", ror #16", ", ror #24", ", ror #4", ", ror #32", ", lsl #0",
                   ", lsl #5", ", lsl #31", ", lsl #32", ", asr #0", ", asr #1", ", asr #17", ", asr #32",
                   ", asr #33", ", lsr #1", ", rrx", ", lsl r8", ", asr r8")
WIDTHS: Final = (-1, 0, 1, 2, 7, 8, 15, 16, 17, 24, 31, 32, 33, 63, 64)
# Numbers that stand beside others, in every combination: few of each.
FEW: Final = {"0-15": (-1, 0, 10, 16), "0-31": (-1, 0, 31, 32), "0-127": (-1, 0, 5, 7, 34, 127, 128),
              "0-65535": (-1, 0, 1, 0xABCD, 65535, 65536)}
SPACED: Final = ((0, 2), (0, 2, 4), (0, 2, 4, 6), (0, 2, 3))  # registers of a list that do not follow each other
CONDITIONS: Final = ("eq", "ne", "hs", "cs", "lo", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le",
                     "al")
CORE_LISTS: Final = ("{r1}", "{r0, r1}", "{r0-r3}", "{r4-r9, lr}", "{r0, r2, r5, lr}", "{r1-r7}", "{r12}")


def mnemonics(form: Form) -> list[str]:
    """Every spelling of a form's mnemonic, without conditions."""
    found = [""]
    for piece in re.findall(r"\{[^}]*\}|[^{]+", form.stem.lower()):
        choices = {"{s|u}": ("s", "u"), "{2}": ("", "2"), "{s}": ("", "s"), "{c}": ("",)}.get(piece, (piece,))
        found = [text + choice for text in found for choice in choices]
    if form.suffix is None:
        return found
    types = DATA_TYPES if form.suffix in ("dt", "dta", "i", "size") else [form.suffix]
    return [f"{text}.{kind}" for text in found for kind in types]


def shapes(form: Form) -> Iterator[str]:
    """Every line of a form as a shape, before registers are chosen. Branches to labels are not among them."""
    patterns = form.patterns
    kinds = [_choices(form, number) for number in range(len(patterns))]
    for mnemonic in mnemonics(form):
        for operands in product(*kinds):
            yield f"{mnemonic} {', '.join(operands)}".strip()


def _choices(form: Form, at: int) -> list[str]:
    pattern = form.patterns[at]
    spec, a64 = pattern.spec, form.isa == "a64"
    match type(pattern).__name__:
        case "Vector":
            return [f"@v{at}.{a}" for a in ARRANGEMENTS]
        case "LaneGroup":
            return [f"@v{at}.{part}[{i}]" for part in ("4b", "2h") for i in range(4)] + [f"@v{at}.b[1]", f"@v{at}.s[1]"]
        case "UpperHalf":
            return [*(f"@v{at}.d[{i}]" for i in range(2)), f"@v{at}.2d[1]"]
        case "Lane":
            return [*(f"@v{at}.{letter}[{i}]" for letter, count in LANES.items() for i in range(count)),
                    *(f"@v{at}.{arrangement}[1]" for arrangement in ARRANGEMENTS)]
        case "Scalar":
            return [f"@{kind}{at}" for kind in "bhsdq"]
        case "Vector32" if "same" in form.options and at == 1:
            kind = "d" if spec == "D" else "s"
            return [f"@{kind}0", f"@{kind}1"]
        case "Vector32" if pattern.role in ("t1", "t2"):  # s registers that follow each other
            return ["@s0", "s3", "s31"] if pattern.role == "t1" else ["@s0+1", "s4", "@d1"]
        case "Vector32":
            return [f"@d{at}", f"@q{at}"] + ([f"@s{at}"] if spec[0] in "SH" else [])
        case "Lane32":
            return [f"@{'s' if spec == 'S' else 'd'}{at}[{i}]" for i in range(2 if spec == "S" else 8)]
        case "RegList":
            return _lists(spec.partition("*")[0], at)
        case "GeneralRegister" if "even" in form.options:  # two registers that follow each other, the first one even
            first = {"d1": 2, "d2": 3, "t1": 4, "t2": 5}[pattern.role]
            return [f"{kind}{number}" for kind in "xw" for number in (first, first + 6)]
        case "GeneralRegister" if a64:
            extra = EXTENDS if "+" in spec else ("",)
            return [f"@{kind}{at}{shift}" for kind in "xw" for shift in extra]
        case "GeneralRegister" if pattern.role in ("t1", "t2"):  # LDRD and STRD want an even register and the next
            return ["@r0", "r2", "r6"] if pattern.role == "t1" else ["@r1", "r3", "r7"]
        case "GeneralRegister":
            return [f"@r{at}{shift}" for shift in (SHIFTS32 if "+" in spec else ("",))]
        case "NamedOperand":
            return [*WORDS[spec][0], "nowhere", "#3"]
        case "Op2":
            return [op.replace("@r0", f"@r{at}") for op in OP2] + [f"#{n}" for n in IMMEDIATES["a32"]]
        case "ImmediatePattern":
            if pattern.role == "rotation":
                return ["#0", "#45", "#90", "#180", "#270"]
            spec = "byte" if spec == "low_byte" else spec
            if spec in IMMEDIATES:
                return [f"#{n}" for n in IMMEDIATES[spec]]
            if spec in FEW:
                return [f"#{n}" for n in FEW[spec]]
            if pattern.role == "width":
                return [f"#{n}" for n in WIDTHS]
            if pattern.role == "index":
                return [f"#{n}" for n in range(-1, 18)]
            return [f"#{n}" for n in SHIFTS]
        case "MemoryOperand" if spec == "block":
            return []  # DC ZVA writes 512 bytes on QEMU's largest core: tests/arm/machine/test_identity.py
        case "MemoryOperand":
            return _addresses(spec, a64)
        case "Cond":
            return list(CONDITIONS)
        case "FpImmediate":
            return [f"#{n}" for n in REALS]
        case "Zero":
            return ["#0", "#0.0", "#1", "#-0.0"]
        case "NamedRegister":
            return ["APSR_nzcv" if spec == "=apsr_nzcv" else spec[1:]]
    return []  # labels: see test_branches


def _lists(spec: str, at: int) -> list[str]:
    def row(one: str, count: int) -> str:
        return "{" + ", ".join(one.format(f"{at}+{i}" if i else at) for i in range(count)) + "}"

    def spaced(steps: tuple[int, ...], lane: str = "") -> str:
        return "{" + ", ".join(f"@d{at}+{k}{lane}" for k in steps) + "}"

    if spec in ("T", "T1"):
        return [row(f"@v{{}}.{a}", n) for a in ARRANGEMENTS[:-2] for n in (1, 2, 3, 4)]
    if spec == "16b":
        return [row("@v{}.16b", n) for n in (1, 2, 3, 4, 5)] + [row("@v{}.8b", 1)]
    if spec == "Ts":
        return [f"{row(f'@v{{}}.{letter}', n)}[{i}]" for letter, c in LANES.items() for i in range(c)
                for n in (1, 2, 3, 4)]
    if spec == "Ds":
        return _lists("D", at) + [spaced(steps) for steps in SPACED]
    if spec == "S":
        return [row("@s{}", n) for n in (1, 2, 3, 4, 9, 16)] + [row("@d{}", 2), spaced((0, 2)).replace("@d", "@s")]
    if spec == "D":
        return [row("@d{}", n) for n in (1, 2, 3, 4, 5, 8, 16)] + [row("@q{}", n) for n in (1, 2, 3)]
    if spec in ("D[index]", "Ds[index]"):
        return [row(f"@d{{}}[{i}]", n) for i in range(8) for n in (1, 2, 3, 4)] + [
            spaced(steps, f"[{i}]") for i in range(8) for steps in SPACED if spec[1] == "s"]
    if spec in ("D[]", "Ds[]"):
        return [row("@d{}[]", n) for n in (1, 2, 3, 4)] + [spaced(steps, "[]") for steps in SPACED if spec[1] == "s"]
    return list(CORE_LISTS)


def _addresses(kind: str, a64: bool) -> list[str]:
    """x9 / r12 and sp point into the window, x12 / r8 is a small signed number, w10 small and unsigned, w13 small."""
    if kind == "atomic" and a64:
        return ["[x9]", "[sp]", "[x9, #0]", "[x9, #8]", "[x9]!", "[x9], #0", "[x9, x12]", "[w9]", "[xzr]"]
    if kind == "ordered":  # at multiples of their size, or there is a fault
        return [*(text.format(k) for k in (-264, -256, -8, 0, 8, 248, 256) for text in ("[x9, #{}]", "[sp, #{}]")),
                "[x9]", "[sp]", "[x9, #8]!", "[x9], #8", "[x9, x12]", "[w9]", "[xzr]"]
    if kind == "atomic":
        return ["[r12]", "[sp]", "[r12, #4]", "[r12]!", "[r12, r8]", "[pc]"]
    if a64:
        found = ["[x9]", "[sp]", "[x9], x12", "[sp], x12", "[x9, x12]", "[x9, w10, uxtw]", "[x9, w13, sxtw]",
                 "[x9, x12, sxtx]", "[x9, w12]", "[x9, x12, lsl #0]", "[x9, x12, lsl x12]", "[x9, x12, uxtw]",
                 "[x9, w10, sxtx]", "[x9, w10, lsl #0]", "[x9, x12, asr #1]", "[x9, x12, lsl #-1]", "[x9], x12, lsl #1",
                 "[x9], w10", "[x9], xzr", "[x9, xzr]", "[x9, wzr, uxtw]", "[x9, sp]", "[x9], sp", "[x9, x12]!"]
        found += [f"[x9, {index} #{s}]" for index in ("x12, lsl", "w10, uxtw", "w13, sxtw") for s in (1, 2, 3, 4)]
        written = ("[x9, #{}]", "[x9, #{}]!", "[x9], #{}", "[sp, #{}]")
        return found + [text.format(k) for k in OFFSETS for text in written]
    if kind.startswith("ldm"):
        return ["r12", "r12!", "sp", "sp!"]
    found = ["[r12]", "[sp]", "[r12]!", "[r12], r8", "[r12, r8]", "[r12, -r8]", "[r12, r8]!", "[r12], -r8"]
    found += ["[r12], sp", "[r12], pc", "[r12], r8, lsl #3", "[r12], r8, lsl r8"]
    found += [f"[r12:{bits}]{tail}" for bits in (16, 32, 64, 128, 256) for tail in ("", "!", ", r8")]
    if kind == "vld":
        return [*found, "[r12, #8]", "[sp]!"]
    found += ["[r12, r8, lsl #2]", "[r12, r8, lsl #1]!", "[r12], r8, lsl #3", "[r12, -r8, asr #1]",
              "[r12, r8, lsr #32]", "[r12, r8, lsl r8]", "[r12, r8, lsl #32]", "[r12, r8, lsl #-1]",
              "[r12, r8, asr #33]", "[r12, r8, ror #32]", "[r12, r8, ror #4]", "[r12, r8, rrx]",
              "[r12, r8, uxtw]", "[r12, r8, msl #1]",
              "[r12, pc]", "[r12, sp]"]
    written = ("[r12, #{}]", "[r12, #{}]!", "[r12], #{}", "[sp, #{}]")
    return found + [text.format(k) for k in OFFSETS for text in written]


_VECTORS: Final = {"distinct": (1, 2, 3, 4), "same": (5, 5, 5, 5), "high": (31, 30, 15, 14),
                   "first_is_last": (6, 7, 6, 7), "zero": (0, 16, 8, 1), "stack": (17, 0, 1, 2)}
_Q: Final = {"distinct": (1, 2, 3, 4), "same": (5, 5, 5, 5), "high": (15, 14, 13, 12), "first_is_last": (6, 7, 6, 7),
             "zero": (0, 1, 0, 2), "stack": (8, 9, 4, 3)}
_D: Final = {"distinct": (2, 5, 7, 9), "same": (6, 6, 6, 6), "high": (31, 30, 7, 15), "first_is_last": (4, 3, 4, 5),
             "zero": (0, 1, 1, 0), "stack": (16, 17, 0, 8)}
_X: Final = {"distinct": ("1", "2", "3", "4"), "same": ("5", "5", "5", "5"), "high": ("30", "26", "0", "14"),
             "first_is_last": ("6", "7", "6", "7"), "zero": ("8", "zr", "2", "zr"),
             "stack": ("sp", "sp", "3", "4")}
_R: Final = {"distinct": (1, 2, 3, 4), "same": (5, 5, 5, 5), "high": (14, 7, 0, 6), "first_is_last": (6, 7, 6, 7),
             "zero": (0, 1, 0, 1), "stack": (13, 13, 3, 4)}


def write(shape: str, flavor: str, a64: bool) -> str:
    """A shape with registers."""

    def name(found: re.Match[str]) -> str:
        kind, at, plus = found[1], int(found[2]), int(found[3] or 0)
        if kind in "xw":
            number = _X[flavor][at]
            if number == "sp":
                return "sp" if kind == "x" else "wsp"
            return kind + number
        if kind == "r":
            return f"r{_R[flavor][at]}"
        if a64:
            return f"{kind}{(_VECTORS[flavor][at] + plus) % 32}"
        table = {"q": _Q, "d": _D, "s": _VECTORS}[kind]
        return f"{kind}{table[flavor][at] + plus}"

    return re.sub(r"@([a-z])(\d)(?:\+(\d+))?", name, shape)


def conditional(form: Form, line: str, condition: str) -> str:
    """The line with an AArch32 condition on its mnemonic."""
    head, _, tail = line.partition(" ")
    base, dot, suffix = head.partition(".")
    return f"{base}{condition}{dot}{suffix} {tail}".strip()


def all_forms(isa: str) -> list[Form]:
    return list(forms(isa))
