"""Instructions: the one place of metaprogramming.

`@insn` ties a pure function (the meaning) to its syntax in both instruction sets. The function's parameter names say
what it reads, ``writes=`` what becomes of its results; templates say where those lanes stand in the text. Everything
else, from the parser to the tooltips, is derived from that.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, TypeVar

from neonsim.arm.isa.operands.locations import FLAG_BITS, NUMBERS
from neonsim.arm.isa.operands.pattern import Pattern
from neonsim.arm.isa.operands.simd_a32 import Lane32, Vector32
from neonsim.arm.semantics import ElementType, element_named
from neonsim.arm.semantics.float_formats import AHP, FZ16, STANDARD
from neonsim.errors import BadArgument

from .manual_syntax import as_arm
from .template import compile_operands

__all__ = [
    "SHORT",
    "TABLE",
    "TIMING",
    "Form",
    "MnemonicVariant",
    "Mnemonics",
    "Semantics",
    "all_semantics",
    "family_name",
    "forms",
    "insn",
    "mnemonics",
    "timing_class",
]

# The closed vocabulary of parameter names: they are the dataflow. `like` carries no data, only the destination's type;
# `fpcr` the rules of floating point that the form computes by (`neonsim.arm.semantics.float_formats`), `control` the
# register that says them.
PARAMETERS = frozenset(("d", "n", "m", "a", "t", "table", "mem", "carry", "cond", "imm", "pc", "stop", "label",
                        "like", "control", *NUMBERS, *FLAG_BITS))
RESULTS = frozenset(("d", "n", "t", "mem", "pc", "link", *FLAG_BITS))


@dataclass(frozen=True)
class Semantics:
    """One instruction function and what is said about it."""

    name: str
    function: Callable[..., Any]
    parameters: tuple[str, ...]
    writes: tuple[str, ...]
    timing: str
    feature: str
    family: str

    @property
    def doc(self) -> str:
        return inspect.getdoc(self.function) or ""


# A32 and T32 instructions that came after Armv7 with Advanced SIMD: conversions with a rounding of their own, VRINT,
# VMAXNM, VSEL, acquire and release with Armv8; fused multiply-adds with VFPv4; division as an extension of Armv7.
_NEWER = (("neonv8", re.compile(r"VCVT[ANPM]\b|VRINT|V(MAX|MIN)NM|VSEL|LDA|STL")),
          ("vfpv4", re.compile(r"VFN?M[AS]\b")),
          ("idiv", re.compile(r"\{S\|U\}DIV")))


@dataclass(frozen=True, repr=False)
class Form:
    """One line of syntax of one meaning.

    isa        "a64" or "a32"
    template   as written
    types      element types allowed
    options    facts that the syntax cannot say: `bytes` moved, `base` of PUSH and POP, bits of n that have to
               be `zero`, flags that it `replaces` where others are added
    number     its place among the lines of all families
    """

    semantics: Semantics
    isa: str
    template: str
    stem: str
    suffix: str | None
    patterns: tuple[Pattern, ...]
    types: tuple[ElementType, ...]
    conditional: bool
    options: dict[str, str] = field(default_factory=dict)
    number: int = -1

    @property
    def name(self) -> str:
        return self.semantics.name

    @property
    def function(self) -> Callable[..., Any]:
        return self.semantics.function

    @property
    def doc(self) -> str:
        return self.semantics.doc

    def __repr__(self) -> str:
        return f"<Form {self.isa}: {self.template}>"

    @property
    def arm_syntax(self) -> tuple[str, ...]:
        """The syntax as Arm prints it: a line for each width of its registers."""
        return as_arm(self.template.partition(" | ")[0].partition(" ")[0], self.patterns, self.isa)

    @property
    def readable(self) -> str:
        """The same in a sentence."""
        return " or ".join(self.arm_syntax)

    @property
    def timing(self) -> str:
        """The class that core files price, of this form or of the meaning."""
        return self.options.get("timing", self.semantics.timing)

    @property
    def newer(self) -> str:
        """What an Armv7 core with Advanced SIMD need not have, and every Armv8 core has; "" of AArch64."""
        if self.isa != "a32":
            return ""
        return next((word for word, stem in _NEWER if stem.match(self.stem)), "")

    @property
    def standard(self) -> bool:
        """Whether it computes floating point by rules of its own, whatever FPSCR says: AArch32 Advanced SIMD does."""
        vectors = [p for p in self.patterns if isinstance(p, (Vector32, Lane32))]
        scalar = any(p.spec[0] in "SH" for p in vectors) or any(
            t.bits == 64 and (t.kind == "f" or "float" in self.options) for t in self.types)
        return bool(vectors) and (not scalar or "simd" in self.options)

    def rules(self, fpcr: Any = 0) -> Any:
        """Return the rules it computes floating point by, when FPCR or FPSCR says ``fpcr`` (bits 26 to 19 of it)."""
        if not self.standard:
            return fpcr
        # Only of half precision FPSCR has a say.
        half = any(t.bits == 16 for t in self.types)
        return fpcr & (FZ16 | AHP) | STANDARD if half else STANDARD

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every mnemonic it can be written with, lower case, without conditions and data types."""
        return tuple(text.rstrip(".") for text, *_ in _variants(self.stem))

    def __reduce__(self) -> tuple[Any, ...]:
        return _form_at, (self.isa, self.number, self.template)


def _form_at(isa: str, at: int, template: str) -> Form:
    """Unpickle a form: the same template of today's lines."""
    same = [(line.isa, line.text) == (isa, template) for line in _LINES[at:at + 1]]
    return _form(at if all(same) and same else
                 next(n for n, line in enumerate(_LINES) if (line.isa, line.text) == (isa, template)))


@dataclass(frozen=True, slots=True)
class MnemonicVariant:
    """A mnemonic as it can be written: the stem with its choices made."""

    form: Form
    mnemonic: str
    kind: str | None
    upper: bool
    sets_flags: bool
    condition: str | None = None


_Spelling = tuple[str, str | None, bool, bool]      # mnemonic, kind, upper, sets flags


class _Line(NamedTuple):
    """A line of syntax as its family has it. Its form is made at the first use of one of its mnemonics."""

    semantics: Semantics
    isa: str
    text: str
    types: str

    @property
    def head(self) -> tuple[str, str]:
        """The mnemonic's stem, and what stands behind the point."""
        head = self.text.partition(" | ")[0].strip().partition(" ")[0]
        return (head, "") if head.startswith("B.") else head.partition(".")[::2]


class Mnemonics(Mapping[str, list[MnemonicVariant]]):
    """What can be written in one instruction set: the variants of a mnemonic, made when it is first asked for."""

    def __init__(self, isa: str) -> None:
        self._isa = isa
        self._known: tuple[int, dict[str, list[tuple[int, _Spelling]]]] = 0, {}     # lines read, what they give
        self._made: dict[str, list[MnemonicVariant]] = {}

    @property
    def places(self) -> dict[str, list[tuple[int, _Spelling]]]:
        """Mnemonic -> where its lines are, and which of their choices it makes."""
        read, places = self._known      # replaced whole: threads that ask first at once may all make it
        if read < len(_LINES):
            places = {}
            for at, line in enumerate(_LINES):
                for spelling in _variants(line.head[0]) if line.isa == self._isa else ():
                    places.setdefault(spelling[0], []).append((at, spelling))
            self._known = len(_LINES), places
        return places

    def __getitem__(self, mnemonic: str) -> list[MnemonicVariant]:
        if mnemonic not in self._made:
            self._made[mnemonic] = [MnemonicVariant(_form(at), *spelling) for at, spelling in self.places[mnemonic]]
        return self._made[mnemonic]

    def __contains__(self, mnemonic: object) -> bool:
        return mnemonic in self.places

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


_LINES: list[_Line] = []
_FORMS: dict[int, Form] = {}        # by the number of their line; those in use
_MEANINGS: dict[str, Semantics] = {}
TABLE = {isa: Mnemonics(isa) for isa in ("a64", "a32")}
# Timing classes that a family brings along: name -> (the class it is like, one line of what is in it).
TIMING: dict[str, tuple[str, str]] = {}
SHORT = {"aarch64": "a64", "aarch32": "a32"}

F = TypeVar("F", bound=Callable[..., Any])


def insn(*, a64: str = "", a32: str = "", types: str = "", writes: str, timing: str,
         feature: str = "") -> Callable[[F], F]:
    """Register a meaning with its syntax; see the module docstring and `template`.

    writes   names of the results in order: d, t, mem, nzcv, qc (sticky), pc, link; "nzcv?" only if the form sets flags
    timing   the class that core files price; "{count}" is the number of registers of a list
    """

    def register(function: F) -> F:
        code = function.__code__    # of hundreds of functions: inspect.signature takes its time
        meaning = Semantics(function.__name__.rstrip("_"), function, code.co_varnames[:code.co_argcount],
                            tuple(writes.split()), timing, feature, family_name(function.__module__))
        unknown = set(meaning.parameters) - PARAMETERS
        assert not unknown, f"{meaning.name}: parameter names {unknown} are not in the vocabulary"
        assert {w.rstrip("?") for w in meaning.writes} <= RESULTS, meaning.name
        assert meaning.name not in _MEANINGS, f"{meaning.name} exists already"
        _MEANINGS[meaning.name] = meaning
        _LINES.extend(_Line(meaning, isa, line, types) for isa, text in (("a64", a64), ("a32", a32))
                      for line in map(str.strip, text.splitlines()) if line)
        return function

    return register


def timing_class(name: str, *, like: str, text: str) -> None:
    """A timing class of a family's own, for instructions of which optimisation guides speak apart.

    like   the class whose kind it has, and whose price until a core file names its own: that is a guess, and is
           reported as one ("unknown")
    """
    TIMING[name] = like, text


def _form(number: int) -> Form:
    """The form of a line: one object, also where threads ask for it first at once."""
    found = _FORMS.get(number)
    return _FORMS.setdefault(number, _made(number)) if found is None else found


def _made(number: int) -> Form:
    line = _LINES[number]
    syntax, _, extra = line.text.partition(" | ")
    own = [w for w in extra.split() if "=" not in w]
    options = dict(w.split("=") for w in extra.split() if "=" in w)
    stem, suffix = line.head
    return Form(line.semantics, line.isa, line.text, stem, suffix.strip("<>") or None,
                compile_operands(syntax.strip().partition(" ")[2], line.isa),
                tuple(element_named(t) for t in (own or line.types.split())), "{c}" in stem, options, number)


@cache
def _variants(stem: str) -> tuple[_Spelling, ...]:
    """Every spelling of "{S|U}MLAL{2}" or "ADD{S}": (mnemonic, kind, upper, sets flags)."""
    stem = stem.replace("{c}", "").replace("<cond>", "")
    found: list[_Spelling] = [("", None, False, False)]
    for piece in re.findall(r"\{[^}]*\}|[^{]+", stem.lower()):
        if piece == "{s|u}":
            found = [(text + letter, letter, up, fl) for text, _, up, fl in found for letter in "su"]
        elif piece == "{2}":
            found = [(text + two, kind, bool(two), fl) for text, kind, _, fl in found for two in ("", "2")]
        elif piece == "{s}":
            found = [(text + s, kind, up, bool(s)) for text, kind, up, _ in found for s in ("", "s")]
        else:
            # ADDS and SUBS written out: their immediate form takes other registers than ADD's and SUB's.
            found = [(text + piece, kind, up, fl or piece in ("adds", "subs")) for text, kind, up, fl in found]
    return tuple(found)


def family_name(module: str) -> str:
    """Return what the family of a module is called: its room and its file, such as "simd/multiply"."""
    return "/".join(module.split(".")[-2:])


def all_semantics() -> dict[str, Semantics]:
    """All meanings by name."""
    return dict(_MEANINGS)


def mnemonics(isa: str) -> dict[str, list[Semantics]]:
    """Every mnemonic of "aarch64" or "aarch32" and what it may mean; no form is made for that."""
    return {word: list({_LINES[at].semantics.name: _LINES[at].semantics for at, *_ in places}.values())
            for word, places in TABLE[_short(isa)].places.items()}


def _short(isa: str) -> str:
    if isa not in SHORT:
        raise BadArgument(f'isa must be "aarch64" or "aarch32"; got {isa!r}')
    return SHORT[isa]


def forms(isa: str, semantics: Semantics | None = None) -> list[Form]:
    """All forms of "aarch64" or "aarch32", in the order of the family files; or those of one meaning."""
    short = _short(isa)
    return [_form(n) for n, line in enumerate(_LINES)
            if line.isa == short and (semantics is None or line.semantics is semantics)]
