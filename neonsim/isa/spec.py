"""Instructions: the one place of metaprogramming.

`@insn` ties a pure function (the meaning) to its syntax in both instruction sets. The function's parameter names say
what it reads, ``writes=`` what becomes of its results; templates say where those lanes stand in the text. Everything
else, from the parser to the tooltips, is derived from that.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from neonsim.errors import AssemblyError
from neonsim.lanes import CONDITIONS, ElementType, element_named

from .operands import Address, CoreRegister, Immediate, Operand, RegisterList, Shift, Span, Symbol, VectorRegister
from .places import Constant, Place, RegisterUse
from .template import CONDITION_ALIASES, Core, Match, Pattern, Refusal, Vector32, arrangement, compile_operands, register_text

__all__ = ["FORMS", "Form", "Instruction", "Meaning", "Where", "decode", "forms", "insn", "meanings"]

# The closed vocabulary of parameter names: they are the dataflow. `like` carries no data, only the destination's type.
PARAMETERS = frozenset(("d", "n", "m", "a", "t", "table", "mem", "nzcv", "qc", "carry", "cond", "imm", "shift", "index",
                        "pc", "label", "like"))
RESULTS = frozenset(("d", "n", "t", "mem", "nzcv", "qc", "pc", "link"))


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a source text, for carets: 1-based line and column."""

    path: str = "<text>"
    line: int = 0
    column: int = 0
    width: int = 1
    text: str = ""

    def error(self, message: str, span: Span = (0, 0)) -> AssemblyError:
        column, width = span if span[0] else (self.column, self.width)
        return AssemblyError(message, path=self.path, line=self.line, column=column, text=self.text, width=width)


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


@dataclass(frozen=True)
class Form:
    """One line of syntax of one meaning.

    isa        "a64" or "a32"
    template   as written
    types      element types allowed
    options    facts that the syntax cannot say: `bytes` moved, `base` of PUSH and POP
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

    @property
    def name(self) -> str:
        return self.meaning.name

    @property
    def function(self) -> Callable[..., Any]:
        return self.meaning.function

    @property
    def doc(self) -> str:
        return self.meaning.doc

    def __reduce__(self) -> tuple[Any, ...]:
        return _form_at, (self.isa, FORMS.index(self), self.template)


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
_TABLE: dict[str, dict[str, list[Variant]]] = {"a64": {}, "a32": {}}
_ISA = {"aarch64": "a64", "aarch32": "a32"}

F = TypeVar("F", bound=Callable[..., Any])


def insn(*, a64: str = "", a32: str = "", types: str = "", writes: str, timing: str,
         feature: str = "") -> Callable[[F], F]:
    """Register a meaning with its syntax; see the module docstring and `template`.

    writes   names of the results in order: d, t, mem, nzcv, qc (sticky), pc, link; "nzcv?" only if the form sets flags
    timing   the class that core files price; "{count}" is the number of registers of a list
    """

    def register(function: F) -> F:
        meaning = Meaning(function.__name__.rstrip("_"), function, tuple(inspect.signature(function).parameters),
                          tuple(writes.split()), timing, feature, function.__module__.rpartition(".")[2])
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


def _add_form(meaning: Meaning, isa: str, line: str, types: str) -> None:
    syntax, _, extra = line.partition(" | ")
    own = [w for w in extra.split() if "=" not in w]
    options = dict(w.split("=") for w in extra.split() if "=" in w)
    head, _, tail = syntax.strip().partition(" ")
    stem, _, suffix = (head, "", "") if head.startswith("B.") else head.partition(".")
    form = Form(meaning, isa, line, stem, suffix.strip("<>") or None, compile_operands(tail, isa),
                tuple(element_named(t) for t in (own or types.split())), "{c}" in stem, options)
    FORMS.append(form)
    for mnemonic, kind, upper, flags in _variants(stem.replace("{c}", "").replace("<cond>", "")):
        _TABLE[isa].setdefault(mnemonic, []).append(Variant(form, mnemonic, kind, upper, flags))


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


def meanings() -> dict[str, Meaning]:
    """All meanings by name."""
    return dict(_MEANINGS)


def forms(isa: str) -> list[Form]:
    """All forms of "aarch64" or "aarch32", in the order of the family files."""
    return [f for f in FORMS if f.isa == _ISA[isa]]


@dataclass(frozen=True)
class Instruction:
    """One decoded line: a form with its operands.

    roles      role -> operand as written          places   role -> where its lanes live
    numbers    role -> plain integers (shift, index, imm)
    condition  of an A32 conditional instruction; `select_condition` is the operand of CSEL and B.cond
    label      branch target by name, target its instruction index once resolved
    """

    form: Form
    isa: str
    mnemonic: str
    operands: tuple[Operand, ...]
    roles: dict[str, Operand]
    places: dict[str, tuple[Place | Constant, ...]]
    numbers: dict[str, int]
    type: ElementType | None
    sets_flags: bool
    condition: str | None
    select_condition: str | None
    address: Address | None
    shift: Shift | None
    label: str | None
    transfer_bytes: int
    list_count: int
    by_element: bool
    where: Where
    target: int | None = None

    def resolve(self, target: int) -> Instruction:
        """The same instruction with its label's place."""
        return replace(self, target=target)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instruction) and (self.isa, str(self)) == (other.isa, str(other))

    def __hash__(self) -> int:
        return hash((self.isa, str(self)))

    @property
    def element(self) -> str | None:
        return self.type.name if self.type else None

    @property
    def timing(self) -> str:
        return self.form.meaning.timing.format(count=self.list_count)

    @property
    def writes_names(self) -> tuple[str, ...]:
        """The results of the function, in order, with "nzcv?" decided."""
        return tuple(w.rstrip("?") if w[-1] != "?" or self.sets_flags else "" for w in self.form.meaning.writes)

    @property
    def memory(self) -> str | None:
        """ "load", "store" or None."""
        if "mem" in self.form.meaning.parameters:
            return "load"
        return "store" if "mem" in self.form.meaning.writes else None

    def places_of(self, role: str) -> tuple[Place | Constant, ...]:
        """Where a parameter or result lives: `a` is the destination read as accumulator, `t` all of t, t1, t2."""
        if role in self.places:
            return self.places[role]
        if role == "a" or role == "d":
            return self.places.get("d", ())
        if role in self.form.options:
            return (Place("x", int(self.form.options[role][1:]), 0, 8, element_named("x64")),)
        if role in ("t", "table"):
            return sum((self.places[r] for r in sorted(self.places) if re.fullmatch(role + r"\d", r)), ())
        return ()

    @cached_property
    def is_branch(self) -> bool:
        return "pc" in self.form.meaning.writes or any(u.register == "r15" for u in self.writes)

    @cached_property
    def width(self) -> str | None:
        """ "q" if any SIMD operand fills 128 bits, "d" if there is one at all."""
        sizes = [p.nbytes for ps in self.places.values() for p in ps if isinstance(p, Place) and p.bank in "vq"]
        return None if not sizes else "q" if max(sizes) == 16 else "d"

    @cached_property
    def reads(self) -> tuple[RegisterUse, ...]:
        found: list[RegisterUse] = []
        meaning = self.form.meaning
        for role in meaning.parameters:
            if role in ("nzcv", "qc"):
                found.append(RegisterUse(role, role))
            elif role not in ("mem", "cond", "imm", "shift", "index", "pc", "label", "carry", "like"):
                found += self._uses(role, self.places_of(role))
        if self.condition and not any(u.register == "nzcv" for u in found):
            found.append(RegisterUse("nzcv", "nzcv"))
        if self.address is not None:
            found += self._uses("base", (self._register_place(self.address.base),))
            if isinstance(self.address.offset, CoreRegister):
                found += self._uses("offset", (self._register_place(self.address.offset),))
        if self.shift is not None and isinstance(self.shift.amount, CoreRegister):
            found += self._uses("shift", (self._register_place(self.shift.amount),))
        # What a partial write leaves alone is read as well, as far as timing is concerned.
        partial = [p for w in self.writes_names if w in ("d", "t") for p in self.places_of(w)
                   if isinstance(p, Place) and p.bank == "v" and not p.clears]
        if partial and "d" not in meaning.parameters:
            found += self._uses("d", tuple(partial))
        return tuple(found)

    @cached_property
    def writes(self) -> tuple[RegisterUse, ...]:
        found: list[RegisterUse] = []
        for name in self.writes_names:
            if name in ("nzcv", "qc"):
                found.append(RegisterUse(name, name))
            elif name == "link":
                found.append(RegisterUse("d", "x30" if self.isa == "aarch64" else "r14"))
            elif name in ("d", "n", "t"):
                found += self._uses(name, self.places_of(name))
        if self.address is not None and self.address.writeback:
            found += self._uses("base", (self._register_place(self.address.base),))
        return tuple(found)

    @staticmethod
    def _register_place(register: CoreRegister) -> Place:
        from .template import core_place

        return core_place(register)

    @staticmethod
    def _uses(role: str, places: tuple[Place | Constant, ...]) -> list[RegisterUse]:
        return [RegisterUse(role, register, (p.type.name, p.start // p.type.bytes, p.count))
                for p in places if isinstance(p, Place) for register in p.registers]

    def __str__(self) -> str:
        text = ", ".join(operand_text(o) for o in self.operands)
        return f"{self.mnemonic.lower()} {text}" if text else self.mnemonic.lower()


def operand_text(operand: Operand) -> str:
    """An operand as it is printed, so that it parses again to the same operand."""
    from .address import shift_text

    match operand:
        case CoreRegister() | VectorRegister():
            return register_text(operand)
        case RegisterList(registers, index):
            return "{" + ", ".join(register_text(r) for r in registers) + "}" + (f"[{index}]" if index is not None and (
                isinstance(registers[0], VectorRegister) and registers[0].kind == "v") else "")
        case Immediate(value):
            return f"#{value}"
        case Shift():
            return shift_text(operand)
        case Symbol(name):
            return name
        case Address(base, offset, shift, writeback, subtract, align):
            inside = register_text(base) + (f":{align}" if align else "")
            step = "" if offset is None else (
                f"#{offset.value}" if isinstance(offset, Immediate) else ("-" if subtract else "") + register_text(offset))
            if shift is not None:
                step += ", " + shift_text(shift)
            if writeback == "post":
                return f"[{inside}], {step}"
            return f"[{inside}{', ' + step if step else ''}]" + ("!" if writeback else "")


# ---- from words to instructions -------------------------------------------------------------------------------------

def decode(isa: str, mnemonic: str, operands: list[Operand], *, where: Where) -> Instruction:
    """The instruction that these words mean, or AssemblyError with the caret on what does not fit.

    isa        "aarch64" or "aarch32"
    mnemonic   as written, with suffixes (".s16", ".ne")
    """
    short = _ISA[isa]
    candidates, data_type = _lookup(short, mnemonic.lower())
    if not candidates:
        raise where.error(_unknown(short, mnemonic))
    best: Refusal | None = None
    for variant in candidates:
        for words in _spellings(variant, operands):
            try:
                return _fit(isa, variant, data_type, words, where)
            except Refusal as refusal:
                if best is None or refusal.depth > best.depth:
                    best = refusal
    assert best is not None
    raise where.error(best.message, best.span)


def _lookup(isa: str, mnemonic: str) -> tuple[list[Variant], str | None]:
    table = _TABLE[isa]
    if isa == "a64":
        conditional = re.fullmatch(r"b\.?([a-z]{2})", mnemonic)
        name = conditional and CONDITION_ALIASES.get(conditional[1], conditional[1])
        if name in CONDITIONS:
            return [replace(v, condition=name) for v in table["b."]], None
        return table.get(mnemonic, []), None
    base, dot, data_type = mnemonic.partition(".")
    suffix = data_type if dot else None
    if base in table:
        return table[base], suffix
    condition = CONDITION_ALIASES.get(base[-2:], base[-2:])
    if condition in CONDITIONS:
        return [replace(v, condition=condition) for v in table.get(base[:-2], []) if v.form.conditional], suffix
    return [], suffix


def _unknown(isa: str, mnemonic: str) -> str:
    other, names = ("a32", "AArch32") if isa == "a64" else ("a64", "AArch64")
    mine = "AArch64" if isa == "a64" else "AArch32"
    word = mnemonic.lower().partition(".")[0]
    near = difflib.get_close_matches(word, _TABLE[isa], 3, 0.6)
    if _lookup(other, mnemonic.lower())[0]:
        swap = word[1:] if isa == "a64" and word.startswith("v") else f"v{word[1:] if word[:1] in 'su' else word}"
        hints = [m for m in _TABLE[isa] if m == swap or (isa == "a64" and m in (f"s{swap}", f"u{swap}"))]
        text = f"{mnemonic.upper()} is an {names} instruction, and this text is {mine}"
        return text + (f": here it is {' or '.join(h.upper() for h in hints)}." if hints else ".")
    text = f"{mine} has no instruction {mnemonic.upper()} here"
    return text + (f". Did you mean {' or '.join(n.upper() for n in near)}?" if near else
                   ". `neonsim isa` lists what there is.")


def _spellings(variant: Variant, operands: list[Operand]) -> list[list[Operand]]:
    """The operands as written, and with the destination doubled where A32 lets it be left out (VADD.I32 q0, q1)."""
    patterns = variant.form.patterns
    found = [operands]
    if variant.form.isa == "a32" and len(patterns) >= 3 and operands and patterns[0].role == "d" \
            and patterns[1].role in ("n", "m") and isinstance(patterns[0], (Vector32, Core)) \
            and type(patterns[1]) is type(patterns[0]) and len(operands) < len(patterns) + 1:
        found.append([operands[0], *operands])
    return found


def _fit(isa: str, variant: Variant, data_type: str | None, operands: list[Operand], where: Where) -> Instruction:
    form = variant.form
    sets_flags = variant.sets_flags or "flags" in form.options
    m = Match(form.isa, form.types, variant.upper, variant.kind, sets_flags)
    if form.isa == "a32":
        _match_data_type(form, data_type, m)
    at = 0
    for number, pattern in enumerate(form.patterns):
        try:
            at += pattern.match(operands, at, m)
        except Refusal as refusal:
            if at >= len(operands):
                refusal.message = f"{refusal.message}. The form is {_readable(form)}"
            refusal.depth = number + 1 + (0.5 if m.bits is not None else 0)
            raise
    if at < len(operands):
        raise Refusal(f"this operand is one too many: {_readable(form)}", operands[at].span, len(form.patterns) + 0.2)
    if "base" in form.options:
        stack = CoreRegister("r", 13)
        m.address = Address(stack, writeback="pre")
    if "bytes" in form.options:
        m.transfer = int(form.options["bytes"])
    if "not" in form.options and m.bits and m.total and arrangement(m.bits, m.total) == form.options["not"]:
        raise Refusal(f"there is no form for {form.options['not']}", operands[-1].span, len(form.patterns))
    if "replicate" in form.options:
        m.transfer = (m.bits or 8) // 8
    try:
        for role, make in m.deferred:
            made = make()
            if made is not None:
                m.places[role] = made if isinstance(made, tuple) else (made,)
    except Refusal as refusal:
        refusal.depth = len(form.patterns) + 0.7
        raise
    type_ = m.element() if m.bits is not None else None
    mnemonic = form.stem if form.isa == "a64" else variant.mnemonic
    if form.isa == "a64":
        mnemonic = f"B.{variant.condition}" if variant.mnemonic == "b." else variant.mnemonic
    else:
        mnemonic = variant.mnemonic + (variant.condition or "") + (f".{data_type}" if data_type else "")
    indices = [r.index for r in m.roles.values() if isinstance(r, VectorRegister) and r.index is not None]
    if indices:
        m.numbers.setdefault("index", indices[-1])
    return Instruction(
        form, isa, mnemonic.upper(), tuple(operands), m.roles, m.places, m.numbers, type_, sets_flags,
        variant.condition if form.isa == "a32" and variant.condition != "al" else None,
        variant.condition if form.isa == "a64" and variant.condition else m.condition, m.address, m.shift, m.label,
        m.transfer, m.list_count, m.by_element, where)


def _match_data_type(form: Form, written: str | None, m: Match) -> None:
    want = form.suffix
    if want is None:
        if written:
            raise Refusal(f"this instruction takes no data type: remove .{written}", depth=0.1)
        return
    if not written:
        raise Refusal(f"a data type is missing behind the mnemonic: {_readable(form)}", depth=0.1)
    found = re.fullmatch(r"([isupf]?)(8|16|32|64)", written)
    allowed = ", ".join(_suffix_texts(form))
    if not found:
        if written == want:
            return
        raise Refusal(f".{written} is no data type here: {allowed}", depth=0.1)
    kind, bits = found[1], int(found[2])
    if want == "dta":
        bits //= 2
    fits = [t for t in form.types if t.bits == bits]
    if want in ("dt", "dta"):
        fits = [t for t in fits if t.kind == kind or (t.kind == "x" and kind in ("i", "s", "u"))]
    elif want == "i":
        fits = fits if kind in ("i", "s", "u") else []
    elif want != "size":
        fits = []
        if written == want:
            m.bits = bits
            return
    if not fits:
        raise Refusal(f".{written} is no data type of this form: {allowed}", depth=0.2)
    m.bits, m.kind = bits, fits[0].kind


def _suffix_texts(form: Form) -> list[str]:
    letter = {"dt": None, "dta": None, "i": "i", "size": ""}
    if form.suffix not in letter:
        return [f".{form.suffix}"]
    times = 2 if form.suffix == "dta" else 1
    return [f".{letter[form.suffix] if letter[form.suffix] is not None else 'i' if t.kind == 'x' else t.kind}"
            f"{t.bits * times}" for t in form.types]


def _readable(form: Form) -> str:
    """A template without the marks that only the parser needs."""
    text = form.template.partition(" | ")[0]
    text = re.sub(r"<(\w+):[^>\[]*(\[\w*\])?>", lambda x: f"<{x[1]}>{x[2] or ''}", text)
    return re.sub(r"\*[\d-]+", "", text)
