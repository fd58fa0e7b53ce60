"""The rules of the house for a file of `kernels/`: what the catalogue, its pictures and its tests rely on.

    print(lint_kernels("kernels/gemm/mine.S"))      # every broken rule, each in a sentence

Whether the kernel computes the right bytes is another question: `check`.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from neonsim.arm.asm import Program, assemble
from neonsim.arm.timing.cores.model import ARMV8_HAS
from neonsim.errors import AssemblyError, BadArgument, KernelFileError, MachineError, MemoryFault, NeonsimError
from neonsim.nn.backends.native import backend
from neonsim.ukernel import Case, Header, Kernel, cases, contract_named, kernels, kernels_folder, run_alone, run_cases
from neonsim.ukernel.catalog import assembled
from neonsim.ukernel.header import JudgedHeader, judge_header
from neonsim.ukernel.naming import describe_name, split_name

from .mutations import apply_edits, flat, generate_mutations

__all__ = ["NO_INTRINSICS", "RULES", "Broken", "LintReport", "kernel_rules_table", "lint_kernels", "recorded_bugs"]

# Contracts that have no twin in intrinsics, and why.
NO_INTRINSICS = {
    "x8_lut": "bytes are looked up one by one",
    "u8_lut32norm": "words are looked up one by one",
    "qs8_softmax": "exponentials are looked up and added one by one",
    "qu8_softmax": "exponentials are looked up and added one by one",
    "qu8_gemm_s32": "it is there to show sums in memory; whole products are faster otherwise",
    "u8_gemm_packed_s32": "it is there to show the cost of packing both operands",
    "s16_gemm_s32": "whole networks have products of their own for what Winograd's transforms give",
    **dict.fromkeys(("f32_winograd_source", "f32_winograd_destination", "qs8_winograd_source", "qu8_winograd_source",
                     "s16_winograd_source", "s32_winograd_destination"), "its steps come with the call"),
    "qs16_qc8w_gemm_s64": "compilers vectorise the portable C, and networks have layers of their own",
    "s8_gemm_s32": "it is there to show integers kept from end to end",
    "s32_gemm_s64": "it is there to show integers kept from end to end",
    "s64_gemm_s64": "it is there to show integers kept from end to end",
    "f32_softmax": "exponentials are added one by one; whole networks have a layer of their own",
    **dict.fromkeys(("f32_x8_vcvt", "x8_f32_vcvt", "qs16_f32_vcvt", "f32_qs8_quotient", "f32_qs16_quotient",
                     "s32_qs8_quotient", "qs8_vadd_quotient", "qs8_clamp_quotient", "qs8_avgpool_quotient"),
                    "compilers vectorise the portable C, and networks have layers of their own"),
}
COMMENTS = (0.2, 0.8)    # lines with a comment, for each line of code
CAUGHT, TRIED = 3, 24    # mutations that the cases must notice, of n at the most
SPREAD = 16              # of the shortest calls, made with what the header allows
STEPS = 30_000           # of a call with a mutation in it
# What a feature comes with: processors with dot products are of Armv8.
_COMES_WITH = {"dotprod": {"neonv8"}, "i8mm": {"neonv8"}}


@dataclass(frozen=True)
class Broken:
    """One rule that a file breaks.

    rule   str   its name in RULES
    line   int   1-based; 1 where it is about the file as a whole
    message  str   one sentence: what is wrong, and what to do
    """

    rule: str
    line: int
    message: str


@dataclass(frozen=True)
class LintReport:
    """What `lint_kernels` found; true if no rule is broken.

    path     str
    broken   tuple[Broken, ...]         in order of lines
    passed   tuple[str, ...]            rules that are kept
    open     tuple[(str, str), ...]     rules that could not be looked at: name, why
    """

    path: str
    broken: tuple[Broken, ...]
    passed: tuple[str, ...]
    open: tuple[tuple[str, str], ...]

    def __bool__(self) -> bool:
        return not self.broken

    def __str__(self) -> str:
        lines = [f"{self.path}:{one.line}: {one.message}" for one in self.broken]
        for why in dict.fromkeys(why for _, why in self.open):
            lines.append(f"{self.path}: not looked at: {', '.join(n for n, each in self.open if each == why)}: {why}")
        if self.broken:
            broken = {one.rule for one in self.broken}
            lines.append(f"{len(broken)} of {len(RULES)} rules broken ({', '.join(n for n in RULES if n in broken)})")
        else:
            lines.append(f"{self.path} keeps the rules of the catalogue: {', '.join(self.passed)}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """For --json."""
        return {"ok": bool(self), "path": self.path, "broken": [vars(one) for one in self.broken],
                "kept": list(self.passed), "open": [{"rule": name, "why": why} for name, why in self.open]}


class _Unknown(Exception):
    """A rule that cannot be looked at, and why."""


@dataclass
class _File:
    """A kernel file; its parts are read when a rule asks for them."""

    path: Path
    kernel: Kernel = field(init=False)
    source: str = field(init=False)

    def __post_init__(self) -> None:
        self.kernel = Kernel(self.path.stem, self.path)
        try:
            self.source = self.kernel.source
        except BadArgument as error:
            raise BadArgument(f"{self.path} cannot be read as text: {error}") from error

    @property
    def name(self) -> str:
        return self.path.stem

    @cached_property
    def judged(self) -> JudgedHeader:
        return judge_header(self.source, self.name)

    @property
    def header(self) -> Header:
        """Raises _Unknown if contract, tile or isa cannot be told: the rule `header` says so."""
        if self.judged.header is None:
            raise _Unknown("first correct name, contract, tile and isa")
        return self.judged.header

    def need(self, *keys: str) -> None:
        """Raises _Unknown if a line of the header is wrong that a rule goes by."""
        for key in keys:
            if key in self.judged.wrong:
                raise _Unknown(f"first correct the line `//! {key}: ...`")

    @cached_property
    def program(self) -> Program:
        """Raises _Unknown if it cannot be assembled: the rule `program` says so."""
        try:
            program = assembled(self.source, self.path, self.header.isa)
        except NeonsimError as error:
            raise _Unknown("first add a program") from error
        if self.name not in program.symbols:
            raise _Unknown("first add the kernel's label")
        return program

    @property
    def contract(self) -> str:
        return self.header.contract

    @property
    def limits(self) -> dict[str, int]:
        return {"reads_before": self.header.reads_before, "reads_after": self.header.reads_after}

    def siblings(self) -> list[Kernel]:
        """Return the other kernels of its contract, those of its instruction set first."""
        try:
            mine = [k for k in kernels(self.contract) if k.name != self.name]
        except KernelFileError as error:
            raise _Unknown(f"first correct the catalogue: {error}") from error
        return sorted(mine, key=lambda k: split_name(k.name)[2] != self.header.isa)


Found = Iterator[tuple[int, str]]


@dataclass(frozen=True)
class LintRule:
    """what   str    in a few words; find   (line, sentence) of everything that breaks it."""

    description: str
    find: Callable[[_File], Found]


RULES: dict[str, LintRule] = {}


def _rule(name: str, what: str) -> Callable[[Callable[[_File], Found]], Callable[[_File], Found]]:
    def keep(find: Callable[[_File], Found]) -> Callable[[_File], Found]:
        RULES[name] = LintRule(what, find)
        return find
    return keep


@_rule("header", "a header that agrees with the file name, the contract and the procedure call standard")
def _header(file: _File) -> Found:
    yield from file.judged.problems


@_rule("place", "a place among the kernels of its contract")
def _place(file: _File) -> Found:
    if file.kernel.is_generated:
        return
    folder, here = kernels_folder(), file.path.resolve()
    twins = [path for path in folder.rglob(f"{file.name}.S") if path.resolve() != here]
    for other in twins:
        yield 1, f"{other} has the same name: kernels are called by their names, so each has its own."
    if twins:
        return      # the catalogue cannot be read
    rooms = sorted({k.path.parent.name for k in file.siblings()})
    there = f"{folder.name}/{rooms[0]}" if rooms else f"a folder of {folder.name}/"
    if folder.resolve() not in here.parents:
        yield 1, f"the file is not where the catalogue looks: move it to {there}."
    elif here.parent == folder.resolve() or (rooms and here.parent.name not in rooms):
        yield 1, f"the other kernels of {file.contract} are in {there}: move it there."


@_rule("words", "every word of the name explained")
def _words(file: _File) -> Found:
    try:
        parts = split_name(file.name)
    except KernelFileError:
        raise _Unknown("first correct the file name") from None
    for word in dict.fromkeys(word for part in parts for word in part.split("_")):
        if not describe_name(word):
            yield 1, (f"{word!r} in the name is unknown: use a word of WORDS in "
                      "neonsim/ukernel/naming.py, or add it there.")


@_rule("registers", "names for the registers")
def _registers(file: _File) -> Found:
    if not file.header.registers:
        yield 1, "no register has a name: write `//! reg  va0..va3  q0-q3  what they hold` for those of the tile."


@_rule("picture", "a picture of the register tile")
def _picture(file: _File) -> Found:
    if not file.header.picture:
        yield 1, ("the header has no picture: draw below the reg lines, in `//!` lines, which register holds which "
                  "part of the tile.")


@_rule("comments", "comments, neither few nor everywhere")
def _comments(file: _File) -> Found:
    body = [line for line in file.source.splitlines() if line.strip() and not line.startswith("//!")]
    commented = sum("//" in line for line in body)
    code = sum(bool(line.split("//")[0].strip()) for line in body)
    low, high = COMMENTS
    if not code:
        yield 1, "there is no line of code."
    elif not low <= commented / code <= high:
        few = commented / code < low
        yield 1, (f"{commented} lines of {code} with code have a comment: {'at least' if few else 'at most'} "
                  f"{(low if few else high) * code:.0f} should. "
                  + ("Say what registers now hold." if few else "Leave out those that repeat the instruction."))


@_rule("program", "a program that begins with the kernel's label")
def _program(file: _File) -> Found:
    try:
        program = assembled(file.source, file.path, file.header.isa)
    except AssemblyError as error:
        for one in error.errors:
            yield one.line or 1, f"it cannot be assembled: {one.message}"
        return
    except NeonsimError as error:
        yield 1, f"it cannot be assembled: {error}"
        return
    if program.symbols.get(file.name, 0) != 0:
        yield 1, f"the label `{file.name}:` stands behind other instructions: a kernel begins with its label."


@_rule("feature", "the feature that its instructions need")
def _feature(file: _File) -> Found:
    file.need("feature")
    said = file.header.feature
    has = {said, "neon", "", *_COMES_WITH.get(said, ())}
    found: set[str] = set()
    for each in file.program.instructions:
        text = str(each)
        needs = "neonv8" if each.feature in ARMV8_HAS else each.feature       # a header names no part of it
        if needs not in has and needs not in found:
            line = each.position.line if each.position is not None and Path(each.position.path) == file.path else 1
            yield line, f"`{text}` needs {needs}; the header says `feature: {said}`."
        found.add(needs)
    if said not in ("neon", *found):
        yield 1, f"the header says `feature: {said}`, but no instruction needs it."


@_rule("reads", "reads before and behind a row as the header says")
def _reads(file: _File) -> Found:
    file.need("reads-before", "reads-after")
    header, program, few = file.header, file.program, _smallest(file)
    try:
        for case in few[::max(len(few) // SPREAD, 1)]:
            run_alone(program, file.name, case, sanitize=False, max_steps=STEPS, **file.limits)
    except MemoryFault as error:
        yield 1, f"a call fails with reads-before: {header.reads_before}, reads-after: {header.reads_after}: {error}"
        return
    except MachineError as error:
        raise _Unknown(f"a call fails: {error}; `neonsim check {file.path}` must pass first") from error
    for key, said in file.limits.items():
        less = {**file.limits, key: said - 1}
        if said and not any(_faults(program, file.name, case, less) for case in few):
            yield 1, f"the header says `{key.replace('_', '-')}: {said}`, but no call reads so far: say less."


@_rule("twin", "native twins: in the C library, portable C, intrinsics")
def _twin(file: _File) -> Found:
    if (why := backend.available()) is not None:
        raise _Unknown(why)
    header, contract = file.header, file.contract
    listed = backend.variants()
    if file.name not in {v.name for v in listed} and not file.kernel.is_generated:
        yield 1, "the C library was built before it came: run `make native`, which reads its header."
    for row in listed:
        said, here = (row.contract, row.mr, row.nr, row.kr or 1, row.sr or 1), (contract, *_packing(header))
        if row.name == file.name and said != here:
            yield 1, (f"its row in the C library says contract, mr, nr, kr, sr = {said}, its header {here}: run "
                      "`make native`, which reads the header.")
    mine = [v for v in listed if v.contract == contract]
    # How many elements a kernel takes at a time is its own business; tiles with two sizes are part of the promise.
    tile = (header.tile.mr, header.tile.nr)
    if not any(v.isa == "scalar" and (header.tile.nr is None or (v.mr, v.nr) == tile) for v in mine):
        yield 1, (f"{contract} has no portable C{f' for tiles of {tile[0]}x{tile[1]}' if tile[1] else ''}: write it in "
                  "native/src/contracts/scalar beside those of its kind.")
    if contract not in NO_INTRINSICS and not any(v.isa == "neon" for v in mine):
        yield 1, (f"{contract} has no twin in intrinsics: write it in native/src/contracts/neon, or say in "
                  "NO_INTRINSICS of neonsim/verify/checking/kernel_lint.py why it needs none.")


@_rule("bugs", "bugs planted into it that its cases notice")
def _bugs(file: _File) -> Found:
    recorded = recorded_bugs().get(file.name)
    program = file.program
    if recorded is None:
        caught, tried = _caught(file, program)
        if caught < CAUGHT:
            yield 1, (f"of {tried} mutations the cases of {file.contract} notice {caught}, not {CAUGHT}: "
                      "add cases in neonsim/ukernel/cases that tell a wrong kernel from a right one.")
        return
    lines, names = flat(file.kernel), [bug["name"] for bug in recorded]
    again = f"run `python tests/ukernel/record_bugs.py {file.path.parent.name} --new` after deleting its list."
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield 1, f"two of its planted bugs are called {name}: {again}"
    for bug in recorded:
        if not bug.get("imitates"):
            yield 1, f"the planted bug {bug['name']} does not say which mutation it imitates."
        try:
            apply_edits(lines, bug["edits"], f"the planted bug {bug['name']}")
        except KernelFileError as error:
            yield 1, f"{str(error).rstrip('.')}: {again}"


def recorded_bugs() -> dict[str, list[dict[str, Any]]]:
    """Kernel -> the bugs that the tests plant into it, as tests/ukernel/bugs lists them; none outside a checkout."""
    folder = kernels_folder().parent / "tests" / "ukernel" / "bugs"
    return _recorded(tuple(sorted((path, path.stat().st_mtime_ns) for path in folder.glob("*.toml"))))


@lru_cache(maxsize=4)
def _recorded(files: tuple[tuple[Path, int], ...]) -> dict[str, list[dict[str, Any]]]:
    return {name: entry["bugs"] for path, _ in files for name, entry in tomllib.loads(path.read_text("utf-8")).items()}


@lru_cache(maxsize=8)
def _made(contract: str, tile: str) -> tuple[Case, ...]:
    return cases(contract, tile)


def _smallest(file: _File) -> list[Case]:
    """Calls with a size of 1: a kernel that reads before a row does so in the shortest."""
    return [case for case in _made(file.contract, str(file.header.tile)) if min(case.sizes) == 1]


def _faults(program: Program, entry: str, case: Case, limits: dict[str, int]) -> bool:
    try:
        run_alone(program, entry, case, sanitize=False, max_steps=STEPS, **limits)
    except MemoryFault:
        return True
    except MachineError:
        pass
    return False


def _caught(file: _File, program: Program) -> tuple[int, int]:
    """(mutations that the cases notice, mutations that were tried), until enough are noticed."""
    queue = list(generate_mutations(file.kernel))
    random.Random(file.name).shuffle(queue)
    chosen = _made(file.contract, str(file.header.tile))
    caught = tried = 0
    for mutation in queue:
        try:
            wrong = assemble(mutation.text, isa=program.isa)
        except NeonsimError:
            continue
        tried += 1
        try:
            caught += bool(run_cases(wrong, file.name, chosen, max_failures=1, max_steps=STEPS,
                                     reads_before=file.header.reads_before, reads_after=file.header.reads_after))
        except (NeonsimError, OverflowError):
            caught += 1
        if caught == CAUGHT or tried == TRIED:
            break
    return caught, tried


def _packing(header: Header) -> tuple[int, int, int, int]:
    """mr, nr, kr, sr, as the backends have them."""
    tile = header.tile
    return tile.mr, tile.nr or 0, tile.kr, contract_named(header.contract).swizzle or tile.sr


def kernel_rules_table() -> str:
    """Return the rules as text."""
    width = max(map(len, RULES))
    return "\n".join(f"{name:<{width}}  {rule.description}" for name, rule in RULES.items())


def lint_kernels(path: str | Path | Kernel, rules: Iterable[str] | None = None) -> LintReport:
    """Hold a kernel file to the rules of the catalogue.

    path    a .S file, or a kernel of the catalogue
    rules   names of RULES; all of them if left out
    ->      HouseRules; print it

    Raises BadArgument for a file that cannot be read or is no assembly text, and for unknown rules.

    >>> bool(lint_kernels(kernels("qu8_sumrows")[0], ["header", "words", "registers", "picture", "comments"]))
    True
    """
    where = path.path if isinstance(path, Kernel) else Path(path)
    if where.suffix != ".S":
        raise BadArgument(f"kernels of the catalogue are .S files with a header, unlike {where}")
    if not where.is_file() and not (isinstance(path, Kernel) and path.is_generated):
        raise BadArgument(f"there is no file {where}")
    names = list(RULES) if rules is None else list(rules)
    if unknown := [name for name in names if name not in RULES]:
        raise BadArgument(f"unknown rule {unknown[0]!r}; use {', '.join(RULES)}")
    file, broken, kept, unseen = _File(where), list[Broken](), list[str](), list[tuple[str, str]]()
    for name in names:
        try:
            found = [Broken(name, line, says) for line, says in RULES[name].find(file)]
        except _Unknown as why:
            unseen.append((name, str(why)))
            continue
        broken += found
        kept += [] if found else [name]
    return LintReport(str(where), tuple(sorted(broken, key=lambda one: one.line)), tuple(kept), tuple(unseen))
