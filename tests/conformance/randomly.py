"""Random programs: 5 to 60 instructions with loops, branches and saved registers, the same again from the same seed.

    program = write("aarch64", seed=7)
    program.text("f")                       for our assembler; program.text("f", judge=True) for GNU as
    before = start("aarch64", seed=7)       TILES states

A program is a function of two arguments, a state and its window of memory: it loads its registers and flags, runs, and
stores them. Its lines are recorded ones with other registers, few in each program, so that results are used. Some
general registers hold addresses and counters; these are not compared.

From the seed FLOATS on, programs compute in floating point: most lines are of these families, numbers are those of
every format, their edges and halfway cases, and now and then the rules in FPCR or FPSCR are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Final

import numpy as np
import recordings
from cases import CONDITIONS, decoder
from corpus import conditional
from numpy.typing import NDArray
from oracle import DTYPE
from states import WINDOW, states

from neonsim.arm.isa import Instruction

TILES: Final = 4
MAX_LENGTH: Final = 60
FLOATS: Final = 1 << 32
# In x28 and r11 is the state's address, in x25 and r10 the window's, in x9 and r12 that of an access; the others count.
GENERAL: Final = {"aarch64": (*range(9), *range(10, 25), 29, 30), "aarch32": tuple(range(9))}
COUNTERS: Final = {"aarch64": ("x26", "x27"), "aarch32": ("r9", "lr")}
CENTER: Final = 224  # of the window; an access may be 64 bytes higher, and what its line adds

_EVERY: Final = " ".join(f"v{n} x{n}" for n in range(32))


# ---- a program ------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Loop:
    """`head`, then `body` until `tail` does not branch back."""

    head: str
    body: tuple[Node, ...]
    tail: tuple[str, ...]


@dataclass(frozen=True)
class Around:
    """A branch forward over `body`; or lines before and behind it that belong together."""

    before: str
    body: tuple[Node, ...]
    behind: str


Node = tuple[str, ...] | Loop | Around  # a tuple of lines: an access with those that make its address


@dataclass(frozen=True)
class Written:
    """A random program of one instruction set."""

    isa: str
    seed: int
    nodes: tuple[Node, ...]

    def text(self, name: str, judge: bool = False) -> str:
        """As a function; for the judge with the two instructions on Q that programs of users have not."""
        body = list(_lines(self.nodes, f".L{name}"))
        named = _EVERY if self.seed % 9 == 0 else "\n".join(body)  # now and then registers that it leaves alone
        if any("fpcr" in line for line in body):
            named += " fpcr"
        head, tail = _frame(self.isa, judge, named)
        return "\n".join([f".global {name}", f"{name}:", *head, *body, *tail]) + "\n"

    def lines(self) -> list[str]:
        """What is between the loads and the stores, without labels."""
        return [line for line in _lines(self.nodes, "L") if not line.endswith(":")]

    def plain(self) -> set[str]:
        """The lines with no labels, without those of loops and branches."""
        return set(_plain(self.nodes))

    def without(self, refused: set[str]) -> Written:
        """This without some of its plain lines."""
        return replace(self, nodes=_without(self.nodes, refused))

    def smaller(self) -> Iterator[Written]:
        """This without one of its parts, or with what stands inside of that part alone."""
        return (replace(self, nodes=nodes) for nodes in _smaller(self.nodes))


def _lines(nodes: tuple[Node, ...], label: str) -> Iterator[str]:
    for number, node in enumerate(nodes):
        own = f"{label}_{number}"
        if isinstance(node, Loop):
            yield from (node.head, f"{own}:", *_lines(node.body, own), *(line.replace("@", own) for line in node.tail))
        elif isinstance(node, Around):
            yield node.before.replace("@", own)
            yield from _lines(node.body, own)
            yield node.behind.replace("@", own)
        else:
            yield from node


def _plain(nodes: tuple[Node, ...]) -> Iterator[str]:
    for node in nodes:
        yield from node if isinstance(node, tuple) else _plain(node.body)


def _without(nodes: tuple[Node, ...], refused: set[str]) -> tuple[Node, ...]:
    return tuple(node if isinstance(node, tuple) else replace(node, body=_without(node.body, refused))
                 for node in nodes if not isinstance(node, tuple) or refused.isdisjoint(node))


def _smaller(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    for size in (len(nodes) // 2, len(nodes) // 4, 1):
        for at in range(0, len(nodes), size) if size else ():
            yield nodes[:at] + nodes[at + size:]
    for at, node in enumerate(nodes):
        if isinstance(node, (Loop, Around)):
            yield nodes[:at] + node.body + nodes[at + 1:]
            for body in _smaller(node.body):
                yield (*nodes[:at], replace(node, body=body), *nodes[at + 1:])


def _frame(isa: str, judge: bool, body: str) -> tuple[list[str], list[str]]:
    """What loads a state and what stores it; of AArch64's registers those that the body names."""
    if isa == "aarch64":
        vectors = sorted({int(n) for n in re.findall(r"\b[vqdshb](\d+)\b", body)})
        general = [n for n in GENERAL[isa] if re.search(rf"\b[xw]{n}\b", body)]
        saved = [f"p d{n}, d{n + 1}, [sp, #{8 * n - 64}]" for n in range(8, 16, 2) if {n, n + 1} & set(vectors)]
        saved += [f"p x{n}, x{n + 1}, [sp, #{8 * n - 88}]" for n in range(19, 31, 2)
                  if n >= 25 or {n, n + 1} & set(general)]
        held = [f"r q{n}, [x28, #{16 * n}]" for n in vectors] + [f"r x{n}, [x28, #{512 + 8 * n}]" for n in general]
        flags = zip(("nzcv", "fpsr"), (768, 776), strict=True)
        into = ["sub sp, sp, #160", *("st" + line for line in saved), "mov x28, x0", f"add x25, x1, #{CENTER}"]
        out = ["st" + line for line in held]
        for name, at in flags:
            into += [f"ldr x2, [x28, #{at}]", f"msr {name}, x2"]
            out += [f"mrs x2, {name}", f"str x2, [x28, #{at}]"]
        out += ["msr fpcr, xzr"] * ("fpcr" in body)
        return ([*into, *("ld" + line for line in held)],
                [*out, *("ld" + line for line in saved), "add sp, sp, #160", "ret"])
    clear = ["mov r12, #0", "msr APSR_nzcvqg, r12"] if judge else []
    into = ["push {r4-r11, lr}", "vpush {d8-d15}", *clear, "vldmia r0!, {d0-d15}", "vldmia r0!, {d16-d31}",
            "mov r11, r0", f"add r10, r1, #{CENTER}",
            "ldr r12, [r11, #64]", "vmsr fpscr, r12", "vmrs APSR_nzcv, fpscr", "ldr r12, [r11, #68]", "vmsr fpscr, r12",
            "ldr r12, [r11, #60]", "ldr lr, [r11, #36]", "uadd8 lr, r12, lr",  # GE: bytes 0 or 255, and ones
            "ldr r12, [r11, #52]", "qadd r12, r12, r12",  # Q, if it is to be set: 0x7fffffff
            "ldmia r11, {r0-r8}"]
    q = ["mrs r0, apsr", "and r0, r0, #0x08000000", "str r0, [r11, #52]"] if judge else []
    out = ["stmia r11, {r0-r8}", "mov r0, #0", "orrmi r0, r0, #0x80000000", "orreq r0, r0, #0x40000000",
           "orrcs r0, r0, #0x20000000", "orrvs r0, r0, #0x10000000", "str r0, [r11, #64]", "vmrs r0, fpscr",
           "str r0, [r11, #68]", "mov r0, #0", "vmsr fpscr, r0", "mvn r0, #0", "mov r1, #0",
           "sel r0, r0, r1", "str r0, [r11, #60]", *q,
           "sub r12, r11, #256", "vstmia r12!, {d0-d15}", "vstmia r12!, {d16-d31}", "vpop {d8-d15}",
           "pop {r4-r11, pc}"]
    return into, out


# ---- how one is made ------------------------------------------------------------------------------------------------

_NAME: Final = {"aarch64": re.compile(r"\b([vqdshbxw])(\d+)\b"), "aarch32": re.compile(r"\b([qdsr])(\d+)\b")}
_STATUS: Final = {"zero", "replaces"}  # a status register is written, of which the machine has a part
_ALIGNED: Final = {"memory/atomic", "memory/exclusive"}  # addresses of programs are any
_CONDITION: Final = re.compile(f"({'|'.join(CONDITIONS)})$")
_ADDRESS: Final = re.compile(r"\[(?:x9|r12)\b")
_WORDS: Final = re.compile(r"\bw?sp\b|\blr\b|\bpc\b")


@lru_cache
def _recorded(isa: str, floats: bool) -> tuple[Callable[[str], Instruction | None], list[list[list[str]]]]:
    """The decoder, and the recorded lines by family and mnemonic, but for those that compute with the stack pointer;
    of floating point alone or of everything.
    """
    families = []
    for family in recordings.families(isa):
        if family in _ALIGNED or (floats and not family.startswith("fp/")):
            continue
        kinds: dict[str, list[str]] = {}
        for line in recordings.load(isa, family)["lines"].tobytes().decode().split("\n"):
            line = re.sub(r"\[sp\b", "[x9" if isa == "aarch64" else "[r12", line)
            line = re.sub(r"^([a-z]*(?:ldm|stm)\w*) sp\b", r"\1 r12", line)
            mnemonic, _, operands = line.partition(" ")
            if not re.match("v?(push|pop)", mnemonic) and ("{" in operands or not _WORDS.search(operands)):
                kinds.setdefault(_CONDITION.sub("", mnemonic.partition(".")[0]), []).append(line)
        families.append(list(kinds.values()))
    return decoder(isa), families


class _Writer:
    """Writes one program."""

    def __init__(self, isa: str, seed: int) -> None:
        self.isa, self.random, self.floats = isa, Random(f"{isa} {seed}"), seed >= FLOATS
        self.decoded, self.recorded = _recorded(isa, floats=False)
        pick, general = self.random.sample, list(GENERAL[isa])
        self.left = self.random.randint(5, MAX_LENGTH)
        self.general = pick(general, self.random.randint(4, 8))
        if isa == "aarch64":
            self.vectors = pick(range(16), self.random.randint(2, 5)) + pick(range(32), self.random.randint(1, 4))
        else:
            self.vectors = [self.random.randrange(4), *pick(range(8), 2), *pick(range(16), self.random.randint(1, 4))]

    def nodes(self, depth: int, loops: int, most: int) -> tuple[Node, ...]:
        """Some parts; `loops` is how many loops may be inside each other."""
        found: list[Node] = []
        count = self.random.randint(1, most)
        while self.left > 0 and len(found) < count:
            chance = self.random.random()
            if depth < 4 and loops and chance < 0.08 and self.left > 6:
                found.append(self.loop(depth, loops))
            elif depth < 4 and chance < 0.16 and self.left > 4:
                found.append(self.around(depth, loops))
            elif self.floats and chance > 0.94:
                found.append(line := self.rules())
                self.left -= len(line)
            else:
                found.append(line := self.line())
                self.left -= len(line)
        return tuple(found)

    def loop(self, depth: int, loops: int) -> Loop:
        self.left -= 4
        counter, times = COUNTERS[self.isa][loops - 1], self.random.randint(1, 5)
        tails: list[tuple[str, ...]] = [(f"subs {counter}, {counter}, #1", f"{branch} @") for branch in ("bne", "bgt")]
        head = f"mov {counter}, #{times}"
        if self.isa == "aarch64":
            tails += [(f"sub {counter}, {counter}, #1", f"cbnz {counter}, @")]
        else:
            tails += [(f"sub {counter}, {counter}, #1", f"cmp {counter}, #0", "bne @")]
        if self.random.random() < 0.3:
            head, tails = f"mov {counter}, #0", [(f"add {counter}, {counter}, #1", f"cmp {counter}, #{times}", "blt @")]
        return Loop(head, self.nodes(depth + 1, loops - 1, 12), self.random.choice(tails))

    def around(self, depth: int, loops: int) -> Around:
        random, one = self.random, self.random.choice(self.general)
        self.left -= 2
        if random.random() < 0.3:  # saved on the stack, loaded into the same or others
            one, two, three, four = (random.choice(self.general) for _ in range(4))
            if self.isa == "aarch64" and one != two and three != four:
                before, behind = f"stp x{one}, x{two}, [sp, #-16]!", f"ldp x{three}, x{four}, [sp], #16"
            elif self.isa == "aarch64":
                vectors = random.choice("qd")
                before = f"str {vectors}{random.choice(self.vectors)}, [sp, #-16]!"
                behind = f"ldr {vectors}{random.choice(self.vectors)}, [sp], #16"
            else:
                count = random.randint(1, 5)
                before, behind = (f"{name} {self.list(count)}" for name in ("push", "pop"))
        elif self.isa == "aarch64" and random.random() < 0.6:
            width, bits = random.choice([("w", 32), ("x", 64)])
            test = random.choice(["cbz {}{}", "cbnz {}{}", "tbz {}{}, #{}", "tbnz {}{}, #{}"])
            before, behind = test.format(width, one, random.randrange(bits)) + ", @", "@:"
        else:
            before, behind = f"b{'.' if self.isa == 'aarch64' else ''}{random.choice(CONDITIONS)} @", "@:"
        return Around(before, self.nodes(depth + 1, loops, 8), behind)

    def list(self, count: int) -> str:
        """So many general registers of AArch32."""
        return "{" + ", ".join(f"r{n}" for n in sorted(self.random.sample(GENERAL[self.isa], count))) + "}"

    def rules(self) -> tuple[str, ...]:
        """Other rules of floating point: each rounding as often as the others, FZ, DN, AHP and FZ16 now and then."""
        one, random = self.random.choice(self.general), self.random
        upper = random.randrange(4) | sum(bit for bit in (4, 8, 16) if random.random() < 0.3)
        lower = random.random() < 0.3
        if self.isa == "aarch64":
            return f"mov x{one}, #{upper << 22}", f"orr x{one}, x{one}, #{lower << 19}" if lower else "nop", (
                f"msr fpcr, x{one}")
        return (f"vmrs r{one}, fpscr", f"bic r{one}, r{one}, #0x07c00000", f"bic r{one}, r{one}, #0x00080000",
                f"orr r{one}, r{one}, #{upper << 22}", f"orr r{one}, r{one}, #{lower << 19}", f"vmsr fpscr, r{one}")

    def line(self) -> tuple[str, ...]:
        """One instruction, with those before it that make its address."""
        recorded = _recorded(self.isa, floats=True)[1] if self.floats and self.random.random() < 0.8 else self.recorded
        while True:
            line = self.random.choice(self.random.choice(self.random.choice(recorded)))
            for attempt in range(6):
                text = self.renamed(line, together=attempt > 3)
                instruction = text and self.decoded(text)
                if instruction and not instruction.is_branch and _STATUS.isdisjoint(instruction.form.options):
                    break
            else:
                continue
            if instruction.form.conditional and self.random.random() < 0.15 and instruction.condition is None:
                other = conditional(instruction.form, text, self.random.choice(CONDITIONS))
                text = other if self.decoded(other) else text
            return (text,) if instruction.address is None else (*self.address(text), text)

    def renamed(self, line: str, together: bool) -> str:
        """With other registers: each its own, or all of a kind as far apart as they were."""
        mnemonic, _, operands = line.partition(" ")
        if re.match(r"r12\b", operands):  # several registers; the address stands first
            base, _, listed = operands.partition(", ")
            listed = self.list(self.random.randint(1, 6)) if "{r" in listed else self._pieces(listed, together)
            return f"{mnemonic} {base}, {listed}"
        at = _ADDRESS.search(operands)
        value, address = (operands[:at.start()], operands[at.start():]) if at else (operands, "")
        return "" if _WORDS.search(value) else f"{mnemonic} {self._pieces(value, together)}{address}"

    def _pieces(self, value: str, together: bool) -> str:
        """Registers in braces stay next to each other."""
        return "".join(self._shifted(piece) if piece.startswith("{") or together else
                       _NAME[self.isa].sub(self._one, piece) for piece in re.split(r"(\{[^}]*\})", value))

    def _one(self, found: re.Match[str]) -> str:
        kind = found[1]
        if kind in "xwr":
            zero = kind != "r" and self.random.random() < 0.04
            return f"{kind}zr" if zero else f"{kind}{self.random.choice(self.general)}"
        if self.isa == "aarch64":
            return f"{kind}{self.random.choice(self.vectors)}"
        parts = {"q": 1, "d": 2, "s": 4}[kind]
        number = self.random.choice([n for n in self.vectors if kind != "s" or n < 8])
        return f"{kind}{number * parts + self.random.randrange(parts)}"

    def _shifted(self, piece: str) -> str:
        steps: dict[str, int] = {}

        def one(found: re.Match[str]) -> str:
            kind, number = found[1], int(found[2])
            if kind not in steps:
                first = self.random.choice(self.general) if kind in "xwr" else int(self._one(found)[1:])
                steps[kind] = first - number
            number += steps[kind]
            if kind in "xwr":
                return f"{kind}{number}" if number in GENERAL[self.isa] else f"{kind}99"
            return f"{kind}{number % 32 if self.isa == 'aarch64' else number}"

        return _NAME[self.isa].sub(one, piece)

    def address(self, text: str) -> Iterator[str]:
        """Lines that make the address registers of an access point into the window."""
        a, b = (self.random.choice(self.general) for _ in range(2))
        if self.isa == "aarch64":
            yield f"and x9, x{a}, #0x3f"
            yield "add x9, x25, x9"
            if re.search(r"\bx12\b", text):
                yield f"sbfx x12, x{b}, #{self.random.randrange(60)}, #4"
            if re.search(r"\bw10\b", text):
                yield f"and w10, w{b}, #7"
            if re.search(r"\bw13\b", text):
                yield f"sbfx w13, w{b}, #{self.random.randrange(28)}, #4"
        else:
            yield f"and r12, r{a}, #{'0x20' if ':' in text else '0x3c'}"
            yield "add r12, r10, r12"
            if re.search(r"\br8\b", text.partition("[")[2]):
                yield f"and r8, r{b}, #0xc"


def write(isa: str, seed: int) -> Written:
    """The program of this seed."""
    writer, nodes = _Writer(isa, seed), tuple[Node, ...]()
    while writer.left > 0:
        nodes += writer.nodes(0, 2, MAX_LENGTH)
    return Written(isa, seed, nodes)


# ---- states ---------------------------------------------------------------------------------------------------------

def size(isa: str) -> int:
    """Bytes of a state without its memory."""
    return int(DTYPE[isa].fields["own_sp"][1])


def start(isa: str, seed: int) -> NDArray[np.void]:
    """TILES states as a program loads them: what it does not load is zero."""
    pool = _pool(isa, seed >= FLOATS)
    return pool[Random(seed).sample(range(len(pool)), TILES)]


@lru_cache
def _pool(isa: str, floats: bool) -> NDArray[np.void]:
    found = states(isa, DTYPE[isa], 1024, 5, formats=floats, edged=floats)
    dead = sorted(set(range(found["x"].shape[1])) - set(GENERAL[isa]))
    q, ge = found["nzcv"] >> 27 & 1, found["nzcv"] >> 16
    found["nzcv"] &= found["nzcv"].dtype.type(0xF0000000)
    found["x"][:, dead] = 0
    if isa == "aarch64":
        found["sp"] = 0
    else:
        found["x"][:, 9], found["x"][:, 13] = 0x01010101, q * np.uint32(0x7FFFFFFF)
        found["x"][:, 15] = sum((ge >> i & 1) * np.uint32(255 << 8 * i) for i in range(4))
    return found


def named(isa: str, state: bytes) -> dict[str, bytes]:
    """Registers, flags and memory of a state and its window, by name; what is not compared is left out."""
    record = np.frombuffer(state[:size(isa)].ljust(DTYPE[isa].itemsize, b"\0"), DTYPE[isa])[0]
    vector, general = ("v", "x") if isa == "aarch64" else ("q", "r")
    found = {f"{vector}{n}": value.tobytes() for n, value in enumerate(record["v"])}
    found |= {f"{general}{n}": record["x"][n].tobytes() for n in GENERAL[isa]}
    found |= {"nzcv": record["nzcv"].tobytes(), "fpsr": record["fpsr"].tobytes()}
    if isa == "aarch32":
        found |= {"ge": record["x"][15].tobytes(), "q flag": (int(record["x"][13]) >> 27 & 1).to_bytes(1, "little")}
    return found | {f"memory {at}..{at + 7}": state[size(isa) + at:size(isa) + at + 8] for at in range(0, WINDOW, 8)}


def difference(isa: str, expected: bytes, found: bytes) -> str:
    """The first place that is not the same, in words; "" if none is."""
    want, have = named(isa, expected), named(isa, found)
    return next((f"{name}: expected {want[name][::-1].hex()}, found {have[name][::-1].hex()}" for name in want
                 if want[name] != have[name]), "")
