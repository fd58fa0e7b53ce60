"""Names of registers, both instruction sets: one table each, and what is wrong with a name that is not in it.

| AArch64                         | AArch32                                             |
|---------------------------------|-----------------------------------------------------|
| x0..x30 w0..w30 xzr wzr sp wsp  | r0..r15, a1..a4 = r0..r3, v1..v8 = r4..r11          |
| fp = x29, lr = x30, ip0, ip1    | sb = r9 sl = r10 fp = r11 ip = r12 sp lr pc         |
| v0..v31, with an arrangement    | q0..q15 d0..d31 s0..s31                             |
| q d s h b 0..31                 |                                                     |
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ARRANGEMENTS", "ELEMENTS", "REGISTERS", "complaint"]

# (is vector, kind, number, arrangement, is_sp)
Name = tuple[bool, str, int, str | None, bool]

# 1q is PMULL's; 4b and 2h are the groups of four and two that dot products index.
ARRANGEMENTS: Final = ("8b", "16b", "4h", "8h", "2s", "4s", "1d", "2d", "1q", "4b", "2h")
ELEMENTS: Final = {"b": 1, "h": 2, "s": 4, "d": 8}  # bytes


def _aarch64() -> dict[str, Name]:
    names: dict[str, Name] = {}
    for n in range(31):
        names[f"x{n}"] = (False, "x", n, None, False)
        names[f"w{n}"] = (False, "w", n, None, False)
    names |= {"xzr": (False, "x", 31, None, False), "wzr": (False, "w", 31, None, False),
              "sp": (False, "x", 31, None, True), "wsp": (False, "w", 31, None, True),
              "fp": names["x29"], "lr": names["x30"], "ip0": names["x16"], "ip1": names["x17"]}
    for n in range(32):
        names[f"v{n}"] = (True, "v", n, None, False)
        for arrangement in (*ARRANGEMENTS, *ELEMENTS):
            names[f"v{n}.{arrangement}"] = (True, "v", n, arrangement, False)
        for kind in "qdshb":
            names[f"{kind}{n}"] = (True, kind, n, None, False)
    return names


def _aarch32() -> dict[str, Name]:
    names: dict[str, Name] = {f"r{n}": (False, "r", n, None, False) for n in range(16)}
    aliases = {"sb": 9, "sl": 10, "fp": 11, "ip": 12, "sp": 13, "lr": 14, "pc": 15}
    aliases |= {f"a{n + 1}": n for n in range(4)} | {f"v{n + 1}": n + 4 for n in range(8)}
    names |= {alias: (False, "r", n, None, False) for alias, n in aliases.items()}
    for n in range(32):
        names[f"d{n}"] = (True, "d", n, None, False)
        names[f"s{n}"] = (True, "s", n, None, False)
    for n in range(16):
        names[f"q{n}"] = (True, "q", n, None, False)
    return names


REGISTERS: Final[dict[str, dict[str, Name]]] = {"aarch64": _aarch64(), "aarch32": _aarch32()}

_SHAPE = re.compile(r"([a-z])(\d+)(?:\.(\w*))?\Z", re.ASCII)
_HIGHEST = {
    "aarch64": {"x": 30, "w": 30, "v": 31, "q": 31, "d": 31, "s": 31, "h": 31, "b": 31},
    "aarch32": {"r": 15, "q": 15, "d": 31, "s": 31},
}


def complaint(isa: str, word: str) -> str | None:
    """Return what is wrong with `word`, if it is shaped like a register and is none; None if it is not even shaped
    so."""
    low = word.lower()
    shape = _SHAPE.match(low)
    other = "aarch32" if isa == "aarch64" else "aarch64"
    if shape is None:
        if low in REGISTERS[other] and low not in REGISTERS[isa] and low not in ("sb", "sl"):
            return f"`{word}` is a register of {other}, and this text is assembled for {isa}."
        return None
    letter, digits, arrangement = shape.groups()
    number = int(digits)
    highest = _HIGHEST[isa].get(letter)
    if isa == "aarch32" and letter == "v" and arrangement is None and not 0 < number <= 8:
        highest = None
    if highest is None:
        if letter in _HIGHEST[other] and (low in REGISTERS[other] or arrangement is not None):
            instead = f"x{number} or w{number}" if letter == "r" and number < 31 else None
            if letter == "v":
                instead = _without_arrangement(number, arrangement) if number < 16 else None
            elif letter in "xw":
                instead = f"r{number}" if number < 16 else None
            return (f"`{word}` is a register of {other}, and this text is assembled for {isa}"
                    f"{f': write {instead}' if instead else ''}.")
        return None
    if number > highest:
        if letter in "xw" and number == 31:
            return (f"`{word}` does not exist: {letter} registers go from {letter}0 to {letter}30; number 31 is "
                    f"written {letter}zr (zero) or {'w' * (letter == 'w')}sp.")
        return f"`{word}` does not exist: {letter} registers go from {letter}0 to {letter}{highest}."
    if str(number) != digits:
        return f"`{word}` does not exist: write {letter}{number}."
    if arrangement is None:
        return None
    if isa == "aarch32":
        return (f"`{word}`: AArch32 writes no arrangement on a register; the type goes behind the mnemonic, "
                f"as in VADD.I32 {letter}{number}.")
    if letter != "v":
        return f"`{word}`: an arrangement goes with a v register: v{number}.{arrangement or '4s'}."
    return (f"`.{arrangement}` is no arrangement: there are v{number}.8b .16b .4h .8h .2s .4s .1d .2d for a register, "
            f"v{number}.b[i] .h[i] .s[i] .d[i] for a lane.")


def _without_arrangement(number: int, arrangement: str | None) -> str:
    """What v3.4s is in AArch32: a register of the same size; where nothing says the size, either."""
    if arrangement in ELEMENTS:
        return f"a lane of d{2 * number} or d{2 * number + 1}"
    if arrangement not in ARRANGEMENTS[:8]:
        return f"q{number} or d{number}"
    return f"{'q' if int(arrangement[:-1]) * ELEMENTS[arrangement[-1]] == 16 else 'd'}{number}"
