"""Instructions: the one place of metaprogramming.

`@insn` ties a pure function (the meaning) to its syntax in both instruction sets. The function's parameter names say
what it reads, ``writes=`` what becomes of its results; templates say where those lanes stand in the text. Everything
else, from the parser to the tooltips, is derived from that.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from neonsim.errors import BadArgument
from neonsim.lanes import ElementType, element_named
from neonsim.lanes.float_formats import AHP, FZ16, STANDARD

from .match import Pattern
from .operands32 import Lane32, Vector32
from .places import FLAG_BITS, NUMBERS
from .printed import as_arm
from .template import compile_operands

__all__ = ["FORMS", "SHORT", "TABLE", "TIMING", "Form", "Meaning", "Variant", "family_name", "forms", "insn",
           "meanings", "timing_class"]

# The closed vocabulary of parameter names: they are the dataflow. `like` carries no data, only the destination's type;
# `fpcr` the rules of floating point that the form computes by (`neonsim.lanes.float_formats`), `control` the register
# that says them.
PARAMETERS = frozenset(("d", "n", "m", "a", "t", "table", "mem", "carry", "cond", "imm", "pc", "stop", "label",
                        "like", "control", *NUMBERS, *FLAG_BITS))
RESULTS = frozenset(("d", "n", "t", "mem", "pc", "link", *FLAG_BITS))


@dataclass(frozen=True)
class Meaning:
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
    number     its place in FORMS
    """

    meaning: Meaning
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
        return self.meaning.name

    @property
    def function(self) -> Callable[..., Any]:
        return self.meaning.function

    @property
    def doc(self) -> str:
        return self.meaning.doc

    def __repr__(self) -> str:
        return f"<Form {self.isa}: {self.template}>"

    @property
    def written(self) -> tuple[str, ...]:
        """The syntax as Arm prints it: a line for each width of its registers."""
        return as_arm(self.template.partition(" | ")[0].partition(" ")[0], self.patterns, self.isa)

    @property
    def readable(self) -> str:
        """The same in a sentence."""
        return " or ".join(self.written)

    @property
    def timing(self) -> str:
        """The class that core files price, of this form or of the meaning."""
        return self.options.get("timing", self.meaning.timing)

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
        """The rules it computes floating point by, when FPCR or FPSCR says ``fpcr`` (bits 26 to 19 of it)."""
        if not self.standard:
            return fpcr
        # Only of half precision FPSCR has a say.
        half = any(t.bits == 16 for t in self.types)
        return fpcr & (FZ16 | AHP) | STANDARD if half else STANDARD

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every mnemonic it can be written with, lower case, without conditions and data types."""
        return tuple(text.rstrip(".") for text, *_ in _variants(self.stem.replace("{c}", "").replace("<cond>", "")))

    def __reduce__(self) -> tuple[Any, ...]:
        return _form_at, (self.isa, self.number, self.template)


def _form_at(isa: str, at: int, template: str) -> Form:
    """Unpickle a form: the same template of today's table."""
    if at < len(FORMS) and (FORMS[at].isa, FORMS[at].template) == (isa, template):
        return FORMS[at]
    return next(f for f in FORMS if (f.isa, f.template) == (isa, template))


@dataclass(frozen=True, slots=True)
class Variant:
    """A mnemonic as it can be written: the stem with its choices made."""

    form: Form
    mnemonic: str
    kind: str | None
    upper: bool
    sets_flags: bool
    condition: str | None = None


FORMS: list[Form] = []
_MEANINGS: dict[str, Meaning] = {}
TABLE: dict[str, dict[str, list[Variant]]] = {"a64": {}, "a32": {}}
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
        meaning = Meaning(function.__name__.rstrip("_"), function, tuple(inspect.signature(function).parameters),
                          tuple(writes.split()), timing, feature, family_name(function.__module__))
        unknown = set(meaning.parameters) - PARAMETERS
        assert not unknown, f"{meaning.name}: parameter names {unknown} are not in the vocabulary"
        assert {w.rstrip("?") for w in meaning.writes} <= RESULTS, meaning.name
        assert meaning.name not in _MEANINGS, f"{meaning.name} exists already"
        _MEANINGS[meaning.name] = meaning
        for isa, text in (("a64", a64), ("a32", a32)):
            for line in filter(None, (x.strip() for x in text.splitlines())):
                _add_form(meaning, isa, line, types)
        return function

    return register


def timing_class(name: str, *, like: str, text: str) -> None:
    """A timing class of a family's own, for instructions of which optimisation guides speak apart.

    like   the class whose kind it has, and whose price until a core file names its own: that is a guess, and is
           reported as one ("unknown")
    """
    TIMING[name] = like, text


def _add_form(meaning: Meaning, isa: str, line: str, types: str) -> None:
    syntax, _, extra = line.partition(" | ")
    own = [w for w in extra.split() if "=" not in w]
    options = dict(w.split("=") for w in extra.split() if "=" in w)
    head, _, tail = syntax.strip().partition(" ")
    stem, _, suffix = (head, "", "") if head.startswith("B.") else head.partition(".")
    form = Form(meaning, isa, line, stem, suffix.strip("<>") or None, compile_operands(tail, isa),
                tuple(element_named(t) for t in (own or types.split())), "{c}" in stem, options, len(FORMS))
    FORMS.append(form)
    for mnemonic, kind, upper, flags in _variants(stem.replace("{c}", "").replace("<cond>", "")):
        TABLE[isa].setdefault(mnemonic, []).append(Variant(form, mnemonic, kind, upper, flags))


def _variants(stem: str) -> list[tuple[str, str | None, bool, bool]]:
    """Every spelling of "{S|U}MLAL{2}" or "ADD{S}": (mnemonic, kind, upper, sets flags)."""
    found: list[tuple[str, str | None, bool, bool]] = [("", None, False, False)]
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
    return found


def family_name(module: str) -> str:
    """What the family of a module is called: its room and its file, such as "simd/multiply"."""
    return "/".join(module.split(".")[-2:])


def meanings() -> dict[str, Meaning]:
    """All meanings by name."""
    return dict(_MEANINGS)


def forms(isa: str) -> list[Form]:
    """All forms of "aarch64" or "aarch32", in the order of the family files."""
    if isa not in SHORT:
        raise BadArgument(f'there is no instruction set {isa!r}: write "aarch64" or "aarch32"')
    return [f for f in FORMS if f.isa == SHORT[isa]]
