"""Templates for readers: operands as Arm's manual prints them, `<Wd>`, `<Xn|SP>`, `<Vd>.<T>`, `<Dm>[<index>]`.

A form of registers of either width is printed once for each, as there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from neonsim.arm.isa.operands.pattern import Pattern

__all__ = ["as_arm"]

# What may stand behind a register: `<m:R+shift>`.
_BEHIND = {"shift": "{, <shift> #<amount>}", "rotate": "{, <shift> #<amount>}", "extend": "{, <extend> {#<amount>}}",
           "ror": "{, ror #<amount>}", "lsl": "{, lsl #<amount>}", "asr": "{, asr #<amount>}",
           "sat": "{, <shift> #<amount>}"}
_NUMBERS = {"arithmetic": "#<imm>{, lsl #12}", "sixteen": "#<imm>{, lsl #<shift>}"}
_ROLES = {"d1": "dLo", "d2": "dHi", "t1": "t", "table": "n"}


def as_arm(head: str, patterns: Sequence[Pattern], isa: str) -> tuple[str, ...]:
    """Return the lines of syntax of a form: ``head`` is the mnemonic with its choices."""
    found: dict[str, None] = {}
    for width in ("wx" if isa == "a64" else "dq"):
        operands = [_operand(p, isa, width, patterns) for p in patterns]
        found[f"{head} {', '.join(operands)}".strip()] = None
    return tuple(found)


def _operand(pattern: Pattern, isa: str, width: str, patterns: Sequence[Pattern]) -> str:
    role, spec = pattern.role, pattern.spec
    name = _ROLES.get(role, role)
    match type(pattern).__name__:
        case "GeneralRegister":
            paired = any(p.role == "d2" for p in patterns)
            return _general(spec, name if paired or not role.startswith("d") else "d", isa, width)
        case "Op2":
            return "<Operand2>"
        case "Zero":
            return "#0.0"
        case "ImmediatePattern" if spec.isdigit():
            return f"#{spec}"
        case "ImmediatePattern":
            return _NUMBERS.get(spec, f"#<{'imm' if role == 'm' else role}>")
        case "Identity":
            return "<register>"
        case "NamedRegister":
            name, line, fields = spec[1:].partition("_")
            return name.upper() + line + fields
        case "RegList":
            return _list(pattern.text, spec, name, isa)
        case "Vector":
            return f"<V{name}>.{spec if spec[0].isdigit() else f'<{spec}>'}"
        case "Lane":
            return f"<V{name}>.<Ts>[<index>]"
        case "LaneGroup":
            return f"<V{name}>.4b[<index>]"
        case "UpperHalf":
            return f"<V{name}>.d[1]"
        case "Scalar":
            return {"V": f"<V><{name}>", "V2": f"<Va><{name}>"}.get(spec, f"<{spec}{name}>")
        case "Lane32":
            return f"<{'S' if spec == 'S' else 'D'}{name}>[<index>]"
        case "Vector32":
            letter = spec.rstrip("24").replace("H", "S")
            return f"<{width.upper() if letter == 'DQ' else letter}{name}>"
    return re.sub(r"<(\w+):[^>]*>", r"<\1>", pattern.text)


def _general(spec: str, name: str, isa: str, width: str) -> str:
    register, _, extra = spec.partition("+")
    behind = _BEHIND.get(extra, "")
    if isa == "a32":
        return f"<R{name}>{behind}"
    letter = {"W": "W", "X": "X", "WSP": "W", "XSP": "X"}.get(register, width.upper())
    if register == "Re" or (extra == "extend" and letter == "X"):
        return f"<R><{name}>{behind}"
    stack = {"W": "|WSP", "X": "|SP"}[letter] if register.endswith("SP") else ""
    return f"<{letter}{name}{stack}>{behind}"


def _list(text: str, spec: str, name: str, isa: str) -> str:
    """Registers of a list: three of them one by one, one to four with dots."""
    kind, _, counts = spec.partition("*")
    low, _, more = counts.partition("-")
    behind = text.rpartition("*")[0].rpartition("}")[2]
    if isa == "a64":
        one = "<V{}>." + (kind if kind[0].isdigit() else f"<{kind.rstrip('1')}>")
    else:
        letter, lane, _ = kind.partition("[")
        one = f"<{letter[0]}{{}}>" + ("[<index>]" if "index" in kind else "[]" if lane else "")
    if more:
        return f"{{{one.format(name)}, ...}}{behind}"
    names = [name, *(f"{name}{i}" for i in range(2, int(low) + 1))]
    return f"{{{', '.join(one.format(n) for n in names)}}}{behind}"
