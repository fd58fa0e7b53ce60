"""The `//!` header of a kernel file: read, and checked against everything it speaks of.

    //! one sentence                        shown when kernels are listed
    //! contract: qu8_gemm_q31              exists; the file name agrees
    //! tile: 4x8                           the file name agrees
    //! isa: aarch32                        the file name agrees
    //! feature: neon                       what the core must have
    //! reads-before: 7                     bytes that may be read before an input row
    //! reads-after: 15                     and behind it; 0 if the line is left out
    //! source: own work
    //!
    //! in   mr      r0     what it is      order and place as the contract and the AAPCS say
    //! reg  va0..va3 q0-q3 what it holds   real registers, none twice
    //!      a picture                      anything else

Below it, every stage of the program opens with a `// ----` line: one sentence of what the stage is for. A program that
is shared with other kernels is read where the file includes it: see `neonsim.ukernel.bodies`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from neonsim.arm.isa import WORD_BYTES
from neonsim.errors import KernelFileError
from neonsim.ukernel.contract import Contract
from neonsim.ukernel.contracts import contract_named
from neonsim.ukernel.naming import Tile, split_name

__all__ = ["Header", "InLine", "RegLine", "in_lines", "judge_header", "read_header"]

ISAS = tuple(WORD_BYTES)
FEATURES = ("neon", "neonv8", "dotprod", "i8mm", "fp16")
_KEYS = ("contract", "tile", "isa", "feature", "reads-before", "source")
_OPTIONAL = ("reads-after",)
_KEY_LINE = re.compile(r" ([a-z-]+): +(.*)")
_MAX_NAMES = 64    # of a line; no instruction set has more registers to name


@dataclass(frozen=True)
class InLine:
    """`//! in name place text`: one argument, where it is when the kernel is entered."""

    name: str
    place: str
    text: str

    def __str__(self) -> str:
        return f"//! in   {self.name:<11} {self.place:<11} {self.text}"


@dataclass(frozen=True)
class RegLine:
    """`//! reg names registers text`: names for registers, each of as many registers in a row.

    values   dict[str, tuple[str, ...]]   name -> its registers
    """

    values: dict[str, tuple[str, ...]]
    text: str


@dataclass(frozen=True)
class Header:
    """What a kernel file says about itself, checked.

    summary        str
    contract       str               name of the contract
    tile           Tile
    isa            str               aarch32 | aarch64
    feature        str               neon | dotprod | ...
    reads_before   int               bytes
    reads_after    int               bytes
    source         str
    inputs         tuple[InLine]     in ABI order
    registers      tuple[RegLine]
    picture        tuple[str]        lines
    stages         tuple[(int, str)] line number (1-based) and sentence of each stage
    """

    summary: str
    contract: str
    tile: Tile
    isa: str
    feature: str
    reads_before: int
    reads_after: int
    source: str
    inputs: tuple[InLine, ...]
    registers: tuple[RegLine, ...]
    picture: tuple[str, ...]
    stages: tuple[tuple[int, str], ...]

    def register_names(self) -> dict[str, tuple[str, ...]]:
        """Every name given to registers: {"va0": ("q0",), "vacc[0]": ("q8", "q9"), ...}."""
        return {name: registers for line in self.registers for name, registers in line.values.items()}


class JudgedHeader(NamedTuple):
    """A header as far as it can be read.

    header     Header | None             None if contract, tile or isa cannot be told
    problems   tuple[(int, str), ...]    line and sentence of all that is wrong
    wrong      frozenset[str]            keys whose lines are wrong, "in" and "reg"
    """

    header: Header | None
    problems: tuple[tuple[int, str], ...]
    wrong: frozenset[str]


# Each register as the set of 32-bit pieces that it lies on, so that overlap of views is overlap of sets.
@lru_cache(maxsize=1024)
def _pieces(isa: str, register: str) -> frozenset[str] | None:
    match = re.fullmatch(r"([a-z])(\d{1,2})", register)
    if match is None:
        return None
    kind, number = match[1], int(match[2])
    if isa == "aarch32":
        if kind == "r" and number < 15:
            return frozenset({f"r{number}"})
        width, count = {"q": (4, 16), "d": (2, 32), "s": (1, 32)}.get(kind, (0, 0))
        if number < count:
            return frozenset(f"s{number * width + i}" for i in range(width))
        return None
    if kind in "xw" and number < 31:
        return frozenset({f"x{number}"})
    return frozenset({f"v{number}"}) if kind == "v" and number < 32 else None


def _expand_registers(text: str) -> list[str] | None:
    """`q0-q3, q8` -> [q0, q1, q2, q3, q8]; None if it cannot be read."""
    found: list[str] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*([a-z])(\d{1,2})(?:-([a-z])(\d{1,2}))?\s*", part)
        if match is None or (match[3] and (match[3] != match[1] or int(match[4]) <= int(match[2]))):
            return None
        last = int(match[4]) if match[4] else int(match[2])
        found += [f"{match[1]}{i}" for i in range(int(match[2]), last + 1)]
    return found


def _expand_names(text: str) -> list[str] | None:
    """`va0..va3` -> [va0, ...]; `vacc[0..3]` -> [vacc[0], ...]; None if it cannot be read, or names too many."""
    if match := re.fullmatch(r"([a-z_]\w*)\[(\d{1,4})\.\.(\d{1,4})\]", text):
        stem, first, last, close = f"{match[1]}[", int(match[2]), int(match[3]), "]"
    elif match := re.fullmatch(r"([a-z_]+)(\d{1,4})\.\.([a-z_]+)(\d{1,4})", text):
        if match[1] != match[3]:
            return None
        stem, first, last, close = match[1], int(match[2]), int(match[4]), ""
    else:
        return [text] if re.fullmatch(r"[a-z_]\w*", text) else None
    return [f"{stem}{i}{close}" for i in range(first, last + 1)] if first < last < first + _MAX_NAMES else None


class _Reader:
    """Reads one file and collects every complaint with its line, but none that only follows from another."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.problems: list[tuple[int, str]] = []
        self.keys: dict[str, tuple[int, str]] = {}
        self.inputs: list[tuple[int, InLine]] = []
        self.registers: list[tuple[int, RegLine]] = []
        self.picture: list[str] = []
        self.summary = ""
        self.wrong: set[str] = set()    # keys, "in", "reg": what is built on them is not judged

    def complain(self, number: int, message: str, about: str = "") -> None:
        self.problems.append((number, message))
        self.wrong.add(about)

    def read(self, name: str) -> Header | None:
        self.header_lines()
        for key in _KEYS:
            if key not in self.keys:
                self.complain(1, f"the header has no line `//! {key}: ...`.", key)
        contract, tile, isa = self.facts(name)
        stages = self.stages(name)
        if not {"contract", "isa", "in"} & self.wrong:
            self.check_inputs()
        if not {"isa", "reg"} & self.wrong:
            self.check_overlap()
        if not contract or tile is None or not isa:
            return None
        # Where a line is wrong: the kernel that promises least.
        feature = "neon" if "feature" in self.wrong else self.value("feature")
        before, after = (int(self.keys[key][1]) if key in self.keys and key not in self.wrong else 0
                         for key in ("reads-before", "reads-after"))
        return Header(self.summary, contract, tile, isa, feature, before, after, self.keys.get("source", (1, ""))[1],
                      tuple(line for _, line in self.inputs), tuple(line for _, line in self.registers),
                      tuple(self.picture), stages)

    def value(self, key: str) -> str:
        return self.keys[key][1]

    def header_lines(self) -> None:
        if not self.lines or not self.lines[0].startswith("//!"):
            self.complain(1, "a kernel file starts with a header of `//!` lines.")
        for number, line in enumerate(self.lines, start=1):
            if not line.startswith("//!"):
                break
            body = line[3:].rstrip()
            if number == 1:
                self.summary = body.strip()
                if not self.summary.endswith("."):
                    self.complain(1, "the first line is one sentence and ends with a full stop.")
            elif body.startswith(" in "):
                self.in_line(number, body[4:].strip())
            elif body.startswith(" reg "):
                self.reg_line(number, body[5:].strip())
            elif match := _KEY_LINE.fullmatch(body):
                if match[1] not in (*_KEYS, *_OPTIONAL):
                    known = ", ".join((*_KEYS, *_OPTIONAL))
                    self.complain(number, f"there is no key {match[1]!r}; keys are {known}.")
                elif match[1] in self.keys:
                    self.complain(number, f"{match[1]} is said twice.")
                self.keys[match[1]] = (number, match[2])
            elif body.strip():
                self.picture.append(body[1:])

    def in_line(self, number: int, body: str) -> None:
        match = re.fullmatch(r"(\w+)\s+(\[sp(?:, #\d+)?\]|\w+)\s+(\S.*)", body)
        if match is None:
            self.complain(number, "write `//! in  name  place  what it is`, place a register or [sp, #n].", "in")
        else:
            self.inputs.append((number, InLine(match[1], match[2], match[3])))

    def reg_line(self, number: int, body: str) -> None:
        match = re.fullmatch(r"(\S+)\s+([a-z]\d+(?:-[a-z]\d+)?(?:, ?[a-z]\d+(?:-[a-z]\d+)?)*)\s+(\S.*)", body)
        if match is None:
            self.complain(number, "write `//! reg  names  registers  what they hold`, as va0..va3  q0-q3  ...", "reg")
            return
        names, registers = _expand_names(match[1]), _expand_registers(match[2])
        if names is None or registers is None:
            self.complain(number, f"cannot read {match[1] if names is None else match[2]!r}; "
                                  "names are va0..va3 or vacc[0..3] or one word, registers q0-q3 or r4, r6.", "reg")
        elif len(registers) % len(names):
            self.complain(number, f"{len(registers)} registers cannot be shared evenly by {len(names)} names.", "reg")
        else:
            each = len(registers) // len(names)
            values = {n: tuple(registers[i * each:(i + 1) * each]) for i, n in enumerate(names)}
            self.registers.append((number, RegLine(values, match[3])))

    def facts(self, name: str) -> tuple[str, Tile | None, str]:
        """Check the keys against the name of the file and against what there is.

        -> contract, tile, isa; what the name says wins. "" and None for what there is not
        """
        named: dict[str, str] = {}
        try:
            contract, tile_text, isa, _ = split_name(name)
            named = {"contract": contract, "tile": tile_text, "isa": isa}
        except KernelFileError as error:
            self.complain(1, str(error))
        for key, expected in named.items():
            if key in self.keys and self.value(key) != expected:
                self.complain(self.keys[key][0], f"the header says {key} {self.value(key)}, the file name says "
                                                 f"{expected}.", key)
        found = {key: named.get(key) or self.keys.get(key, (1, ""))[1] for key in ("contract", "tile", "isa")}
        tile = Tile.parse(found["tile"])
        if tile is None and found["tile"]:
            number = self.keys.get("tile", (1, ""))[0]
            self.complain(number, f"{found['tile']!r} is not a tile; write 4x8, 4x8c2 or 4x.", "tile")
        if found["contract"]:
            try:
                contract_named(found["contract"])
            except KernelFileError as error:
                self.complain(self.keys.get("contract", (1, ""))[0], str(error), "contract")
                found["contract"] = ""
        for key, known in (("isa", ISAS), ("feature", FEATURES)):
            if key in self.keys and self.value(key) not in known:
                self.complain(self.keys[key][0], f"{key} is one of {', '.join(known)}.", key)
        for key in ("reads-before", "reads-after"):
            if key in self.keys and not re.fullmatch(r"[0-9]{1,4}", self.value(key)):
                self.complain(self.keys[key][0], f"{key} is a number of bytes.", key)
        return found["contract"], tile, found["isa"] if found["isa"] in ISAS else ""

    def stages(self, name: str) -> tuple[tuple[int, str], ...]:
        """The `// ----` lines; the entry label and its .global line must be there too."""
        found = []
        text = [line.strip() for line in self.lines]
        if f"{name}:" not in text:
            self.complain(1, f"there is no label `{name}:` to call.")
        elif f".global {name}" not in [" ".join(line.split()) for line in text]:
            self.complain(1, f"the label is not visible outside: write `.global {name}`.")
        for number, line in enumerate(text, start=1):
            if line.startswith("// ----"):
                sentence = line.lstrip("/- ")
                found.append((number, sentence))
                if not re.fullmatch(r"[A-Z].*\.", sentence):
                    self.complain(number, "a stage opens with one sentence: capital letter, full stop.")
        if not found:
            self.complain(1, "no stage is marked; open each with `// ---- One sentence of what it is for.`")
        elif f"{name}:" in text:
            after = [t for t in text[text.index(f"{name}:") + 1:] if t]
            if not after or not after[0].startswith("// ----"):
                self.complain(text.index(f"{name}:") + 1, "the first stage opens right below the label.")
        return tuple(found)

    def check_inputs(self) -> None:
        places = contract_named(self.value("contract")).places(self.value("isa"))
        said = [line.name for _, line in self.inputs]
        if said != list(places):
            self.complain(self.inputs[0][0] if self.inputs else 1,
                          f"the contract takes {', '.join(places)}; the in lines say {', '.join(said) or 'nothing'}.")
            return
        for number, line in self.inputs:
            if line.place != places[line.name]:
                self.complain(number, f"by the procedure call standard {line.name} comes in {places[line.name]}, "
                                      f"not in {line.place}.")

    def check_overlap(self) -> None:
        isa = self.value("isa")
        owner: dict[str, str] = {}
        names: set[str] = set()
        for number, line in self.registers:
            for name, registers in line.values.items():
                if name in names:
                    self.complain(number, f"the name {name} is given twice.")
                names.add(name)
                for register in registers:
                    pieces = _pieces(isa, register)
                    if pieces is None:
                        self.complain(number, f"{isa} has no register {register} to name.")
                        continue
                    taken = {owner[p] for p in pieces if p in owner}
                    if taken:
                        self.complain(number, f"{register} of {name} lies on {', '.join(sorted(taken))}.")
                    owner.update(dict.fromkeys(pieces, name))


def in_lines(contract: Contract, isa: str, tile: Tile | None = None) -> tuple[InLine, ...]:
    """What a kernel's header says of its arguments: names, places and words of the contract.

    A kernel may say more of its own, as how the weights of its tile lie; without a tile its sizes are MR and NR.

    >>> print(in_lines(contract_named("qs8_vadd"), "aarch64")[3])
    //! in   y           x3          int8 [n], may be a, b or both
    """
    # A reader of headers needs no layouts.
    from neonsim.ukernel.packing.param_blocks import block_bytes

    places = contract.places(isa)
    found = []
    for argument in contract.arguments:
        words = [argument.description]
        if argument.kind == "params":
            name = argument.ctype.split()[-2]
            words = [name, f"{block_bytes(name)} bytes"]
        elif argument.kind in ("stride", "pointers"):
            words = [f"bytes {argument.description}".rstrip()]
        elif argument.memory is not None:
            words = [argument.memory.word, argument.memory.overlap, argument.description]
        text = ", ".join(filter(None, words)).replace("`", "") or argument.kind
        for word, size in (("NR", tile.nr if tile else None), ("MR", tile.mr if tile else None)):
            text = re.sub(rf"\b{word}\b", str(size), text) if size else text
        found.append(InLine(argument.name, places[argument.name], text))
    return tuple(found)


def read_header(text: str, name: str, path: str = "<text>") -> Header:
    """Read and check the header of a kernel file.

    text   str   the whole file
    name   str   the kernel's name: the file name without .S
    path   str   for messages

    Raises KernelFileError with one line "path:line: what is wrong" for everything that is.
    """
    judged = judge_header(text, name)
    if judged.header is None or judged.problems:
        raise KernelFileError("\n".join(f"{path}:{line}: {what}" for line, what in judged.problems))
    return judged.header


def judge_header(text: str, name: str) -> JudgedHeader:
    """The header of a kernel file as far as it can be read, and all that is wrong with it."""
    reader = _Reader(text)
    header = reader.read(name)
    return JudgedHeader(header, tuple(reader.problems), frozenset(reader.wrong - {""}))
