"""From words to instructions: find the form that fits, or say best what does not."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from functools import cache

from neonsim.arm.isa.operands.ast import Address, CoreRegister, Operand, RegisterList, Shift, VectorRegister
from neonsim.arm.isa.operands.gpr import ALIASES64, CONDITION_ALIASES, GeneralRegister
from neonsim.arm.isa.operands.pattern import Match, OperandMismatch, arrangement
from neonsim.arm.isa.operands.simd_a32 import Vector32
from neonsim.arm.semantics import CONDITIONS
from neonsim.errors import AssemblyError

from .instruction import Instruction, SourcePosition, operand_text
from .pre_ual import complemented, respell, today, type_is_said, unshifted, vfp_to_ual
from .spec import SHORT, TABLE, Form, MnemonicVariant
from .suggestions import suggest
from .unsupported import unsupported_mnemonic

__all__ = ["other_set_hint", "select_form"]


_MAX_TYPES = 12  # of a mnemonic, in one sentence


def select_form(isa: str, mnemonic: str, operands: list[Operand], *, position: SourcePosition) -> Instruction:
    """Return the instruction that these words mean, or AssemblyError with the caret on what does not fit.

    isa        "aarch64" or "aarch32"
    mnemonic   as written, with suffixes (".s16", ".ne")
    """
    try:
        found = _decoded(isa, mnemonic, operands, position)
    except OperandMismatch as refusal:
        raise position.error(_sentence(refusal.message), refusal.span) from None
    if isinstance(found, Instruction):
        return found
    short = SHORT[isa]
    missing = unsupported_mnemonic(short, mnemonic, operands, True) if found is not None else None
    if missing is not None:
        raise position.error(_sentence(missing))
    if sentence := _unconditional(isa, mnemonic, operands, position):
        raise position.error(sentence)
    if (error := _instead(isa, mnemonic, operands, position)) is not None:
        raise error
    if found is None:
        raise position.error(_unknown(short, mnemonic, operands, position))
    raise position.error(_sentence(found.message), found.span)


def _decoded(isa: str, mnemonic: str, operands: list[Operand],
             where: SourcePosition) -> Instruction | OperandMismatch | None:
    """The instruction, or the refusal of the form that looks most like it; None if there is no such mnemonic.

    Raises Refusal if what an older spelling stands for has no such constant.
    """
    short = SHORT[isa]
    if short == "a32":
        low = mnemonic.lower()
        mnemonic, operands = (complemented(low, operands) or unshifted(low, operands)
                              or vfp_to_ual(low, operands, (*CONDITIONS, *CONDITION_ALIASES)) or (mnemonic, operands))
    candidates, data_type = _lookup(short, mnemonic.lower())
    if not candidates or _meant_for_vectors(short, mnemonic.lower(), candidates, operands):
        return None
    if short == "a32" and data_type is None and mnemonic.lower().startswith("vmov") and any(
            isinstance(o, VectorRegister) and o.index is not None for o in operands):
        data_type = "32"  # VMOV d0[1], r0
    if data_type == "f64" and mnemonic.lower().startswith("vmov"):  # VFP's own, before those of any type
        candidates = sorted(candidates, key=lambda variant: variant.form.suffix != data_type)
    best: OperandMismatch | None = None
    for variant in candidates:
        for words in _spellings(variant, operands):
            try:
                return _fit(isa, variant, data_type, words, where)
            except OperandMismatch as refusal:
                if best is None or refusal.depth > best.depth:
                    best = refusal
    assert best is not None
    if data_type and best.depth < 1:  # no form takes this data type: those of all forms are told
        allowed = list(dict.fromkeys(text for variant in candidates if variant.form.suffix
                                     for text in _suffix_texts(variant.form)))
        if len(allowed) > _MAX_TYPES:  # of conversions: those to this type
            allowed = [text for text in allowed if text.startswith(f".{data_type.partition('.')[0]}")] or allowed
        if allowed:
            best.message = (f".{data_type} is no data type of {mnemonic.partition('.')[0].upper()}: "
                            f"{', '.join(allowed[:_MAX_TYPES])}{' ...' if len(allowed) > _MAX_TYPES else ''}")
    return best


def _accepted(isa: str, mnemonic: str, operands: list[Operand], where: SourcePosition) -> Instruction | None:
    try:
        found = _decoded(isa, mnemonic, list(operands), where)
    except OperandMismatch:
        return None
    return found if isinstance(found, Instruction) else None


def _instead(isa: str, mnemonic: str, operands: list[Operand], where: SourcePosition) -> AssemblyError | None:
    """The error with the line that was meant, at the first operand that is another there; None if none is found."""
    for why, lines in suggest(SHORT[isa], mnemonic.lower(), operands):
        if all(_accepted(isa, word, found, where) for word, found in lines):
            written = " or ".join(f"`{word} {', '.join(map(operand_text, found))}`" for word, found in lines)
            spans = [old.span for old, new in zip(operands, lines[0][1], strict=False) if old != new]
            return where.error(_sentence(f"{why}: write {written}"), next(iter(spans), (0, 0)))
    return None


def _unconditional(isa: str, mnemonic: str, operands: list[Operand], where: SourcePosition) -> str:
    """A sentence where the same words without their condition are an instruction; else nothing."""
    base, dot, suffix = mnemonic.lower().partition(".")
    if isa != "aarch32" or base in TABLE["a32"] or CONDITION_ALIASES.get(base[-2:], base[-2:]) not in CONDITIONS:
        return ""
    try:
        plain = select_form(isa, base[:-2] + dot + suffix, operands, position=where)
    except AssemblyError:
        return ""
    return f"{plain.mnemonic} takes no condition with these operands: remove {base[-2:].upper()} and branch around it."


def _sentence(message: str) -> str:
    """A refusal as a sentence; what stands in the reader's text keeps its lower case."""
    first = message.partition(" ")[0]
    head = message[:1].upper() if first.isalpha() and first not in _WORDS_OF_TEXT else message[:1]
    return head + message[1:] + ("" if message.endswith((".", "?")) else ".")


_WORDS_OF_TEXT = frozenset(("sp", "wsp", "lr", "pc", "xzr", "wzr", "lsl", "lsr", "asr", "ror", "rrx", "msl", "uxtb",
                            "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"))


def _lookup(isa: str, mnemonic: str) -> tuple[list[MnemonicVariant], str | None]:
    table = TABLE[isa]
    if isa == "a64":
        conditional = re.fullmatch(r"b\.?([a-z]{2})", mnemonic)
        name = conditional and ALIASES64.get(conditional[1], conditional[1])
        if name in CONDITIONS:
            return _conditional(isa, "b.", name), None
        return table.get(mnemonic, []), None
    base, dot, data_type = mnemonic.partition(".")
    suffix = data_type if dot else None
    if base in table:
        return table[base], suffix
    condition = CONDITION_ALIASES.get(base[-2:], base[-2:])
    if condition in CONDITIONS:
        found = _conditional(isa, base[:-2], condition) if base[:-2] in table else []
        if found:
            return found, suffix
    respelled_ = today(base, table, {*CONDITIONS, *CONDITION_ALIASES})
    if respelled_ is None:
        return [], suffix
    return _lookup(isa, respelled_ if suffix is None or "." in respelled_ else f"{respelled_}.{suffix}")


@cache
def _conditional(isa: str, mnemonic: str, condition: str) -> list[MnemonicVariant]:
    """The ways to write a mnemonic of the table with this condition."""
    return [replace(v, condition=condition) for v in TABLE[isa][mnemonic] if v.form.conditional or mnemonic == "b."]


def _meant_for_vectors(isa: str, mnemonic: str, candidates: list[MnemonicVariant], operands: list[Operand]) -> bool:
    """Whether SIMD registers stand where this set's instruction takes general ones, and the other set's takes them."""
    if not operands or not isinstance(operands[0], VectorRegister):
        return False
    others = _lookup("a32" if isa == "a64" else "a64", mnemonic)[0]
    return (all(v.form.patterns and isinstance(v.form.patterns[0], GeneralRegister) for v in candidates)
            and any(v.form.patterns and not isinstance(v.form.patterns[0], GeneralRegister) for v in others))


def _unknown(isa: str, mnemonic: str, operands: list[Operand], where: SourcePosition) -> str:
    if isa == "a64" and mnemonic.lower().startswith("b."):
        return f'"{mnemonic[2:]}" is no condition: {" ".join(CONDITIONS)}.'
    missing = unsupported_mnemonic(isa, mnemonic, operands, False)
    if missing is not None:
        return _sentence(missing)
    other, mine = ("a32", "AArch64") if isa == "a64" else ("a64", "AArch32")
    word = mnemonic.lower().partition(".")[0]
    near = difflib.get_close_matches(word, TABLE[isa], 3, 0.6)
    # UMULL of general registers is not UMULL of SIMD registers: the other set's instruction must take such operands.
    core = bool(operands) and all(isinstance(o, CoreRegister) for o in operands)
    there = [(v, kind) for v, kind in _typed(other, mnemonic.lower())
             if not core or isinstance(next(iter(v.form.patterns), None), GeneralRegister)]
    if there:
        whole = _accepted("aarch32" if other == "a32" else "aarch64", mnemonic, operands, where)
        return _elsewhere(isa, mnemonic, [(v, kind) for v, kind in there if whole is None or v.form is whole.form],
                          operands)
    text = f"{mine} has no instruction {mnemonic.upper()} here"
    return text + (f". Did you mean {' or '.join(n.upper() for n in near)}?" if near else
                   ". `neonsim isa` lists what there is.")


def other_set_hint(isa: str, mnemonic: str) -> str:
    """Return a sentence about a mnemonic that the other instruction set has, and this one has not; else nothing."""
    short, word = SHORT[isa], mnemonic.lower()
    other = "a32" if short == "a64" else "a64"
    if _lookup(short, word)[0] or unsupported_mnemonic(short, word, [], False) or not (there := _typed(other, word)):
        return ""
    return _elsewhere(short, mnemonic, there, [])


def _elsewhere(isa: str, mnemonic: str, there: list[tuple[MnemonicVariant, str | None]],
               operands: list[Operand]) -> str:
    hints = _counterparts(isa, there, operands)
    same = mnemonic.upper().partition(".")[0][1:]
    if "." in mnemonic and same in hints:  # of VDUP.32: DUP, not MOV, which is it for some registers
        hints = [same]
    names, mine = ("AArch32", "AArch64") if isa == "a64" else ("AArch64", "AArch32")
    return f"{mnemonic.upper()} is an {names} instruction, and this text is {mine}" + (
        f": here it is {' or '.join(hints[:3])}." if hints else ".")


def _typed(isa: str, mnemonic: str) -> list[tuple[MnemonicVariant, str | None]]:
    """The ways to write a mnemonic that take its data type, each with the kind of element that they then are of."""
    variants, data_type = _lookup(isa, mnemonic)
    found = []
    for variant in variants:
        m = Match(isa, kind=variant.kind)
        try:
            if data_type is not None or isa == "a64":
                _match_data_type(variant.form, data_type, m)
        except OperandMismatch:
            continue
        found.append((variant, m.kind))
    return found


def _counterparts(isa: str, there: list[tuple[MnemonicVariant, str | None]], operands: list[Operand]) -> list[str]:
    """What instructions of the other set are called in this one: those that mean the same, of such registers."""
    found: dict[str, None] = {}
    for variant, kind in there:
        kinds = {kind} if kind else {t.kind for t in variant.form.types}
        for name, here in TABLE[isa].items():
            for own in here:
                if own.form.semantics is variant.form.semantics and own.upper == variant.upper and _same_kind(
                        own, kinds) and _same_shape(own.form, variant.form, operands):
                    found.update(dict.fromkeys(_with_type(name.upper(), own, operands)))
    return list(found)


def _same_kind(own: MnemonicVariant, kinds: set[str]) -> bool:
    """Whether a way to write a mnemonic is of one of these kinds of elements."""
    if own.kind:
        return own.kind in kinds or not kinds & {"s", "u"}
    mine = {t.kind for t in own.form.types}
    return not mine or not kinds or bool(mine & kinds) or "x" in mine | kinds


def _same_shape(own: Form, other: Form, operands: list[Operand]) -> bool:
    """Whether a form begins with a register such as is written, and has its sources in the order of the other form."""
    first, pattern = next(iter(operands), None), next(iter(own.patterns), None)
    if isinstance(first, VectorRegister) and isinstance(pattern, GeneralRegister):
        return False
    if isinstance(pattern, Vector32) and isinstance(first, VectorRegister) and (
            first.kind not in pattern.spec.lower().replace("h", "s") + "v"):
        return False
    roles = [[p.role for p in form.patterns if p.role in ("n", "m")] for form in (own, other)]
    return len(roles[0]) != len(roles[1]) or roles[0] == roles[1]


def _with_type(name: str, own: MnemonicVariant, operands: list[Operand]) -> list[str]:
    """AArch32's mnemonics with the type of real numbers, which is not that of the integers of the same name."""
    bits = {int(text) for text in re.findall(r"f(16|32|64)", own.form.suffix or "")} or {
        t.bits for t in own.form.types if t.kind == "f"}
    if own.form.isa == "a64" or not bits or own.form.suffix is None or len(own.form.suffix.split(".")) > 1:
        return [name]
    double = bool(operands) and isinstance(operands[0], VectorRegister) and operands[0].kind == "d"
    return [f"{name}.F{n}" for n in (32, 64) if n in bits and (n == 32 or double)]


def _spellings(variant: MnemonicVariant, operands: list[Operand]) -> list[list[Operand]]:
    """The operands as written, and with the destination doubled where A32 lets it be left out (VADD.I32 q0, q1)."""
    patterns = variant.form.patterns
    if variant.form.isa == "a32":
        operands = respell(patterns, operands)
    found = [operands]
    if variant.form.isa == "a32" and len(patterns) >= 3 and operands and patterns[0].role == "d" \
            and "distinct" not in variant.form.options \
            and patterns[1].role in ("n", "m") and isinstance(patterns[0], (Vector32, GeneralRegister)) \
            and type(patterns[1]) is type(patterns[0]) and (isinstance(patterns[0], Vector32) or len(patterns) == 3) \
            and (len(operands) < len(patterns) or isinstance(operands[-1], Shift)):
        found.append([operands[0], *operands])
    return found


def _fit(isa: str, variant: MnemonicVariant, data_type: str | None, operands: list[Operand],
         where: SourcePosition) -> Instruction:
    form = variant.form
    sets_flags = variant.sets_flags or "flags" in form.options
    m = Match(form.isa, variant.mnemonic.upper(), form.types, variant.upper, variant.kind, sets_flags)
    if form.isa == "a32":
        if data_type and re.search(r"f(?!\d)", data_type):  # VMUL.F s0, s1, s2
            data_type = re.sub(r"f(?!\d)", "f32", data_type)
        if form.suffix is None and data_type and type_is_said(form.stem, form.patterns, data_type):
            data_type = None
        _match_data_type(form, data_type, m)
    at = 0
    for number, pattern in enumerate(form.patterns):
        try:
            at += pattern.match(operands, at, m)
        except OperandMismatch as refusal:
            if at >= len(operands):
                refusal.message = f"{refusal.message}. The form is {form.readable}"
            near = at < len(operands) and pattern.resembles(operands[at])
            refusal.depth = number + 1 + (0.5 if m.bits is not None else 0) + (0.7 if near else 0)
            raise
    if at < len(operands):
        raise OperandMismatch(f"this operand is one too many: {form.readable}", operands[at].span, len(form.patterns)
                              + 0.2)
    if "base" in form.options:
        stack = CoreRegister("r", 13)
        m.address = Address(stack, writeback="pre")
    if "bytes" in form.options:
        m.transfer = int(form.options["bytes"])
    if "not" in form.options and m.bits and m.total and arrangement(m.bits, m.total) == form.options["not"]:
        raise OperandMismatch(f"there is no form for {form.options['not']}", operands[-1].span, len(form.patterns))
    if "behind" in form.options and isinstance(operands[-1], RegisterList) and any(
            r.kind != "d" or r.number > 15 for r in operands[-1].registers):
        raise OperandMismatch("only d0 to d15 are allowed here: use VLDM or VSTM", operands[-1].span,
                              len(form.patterns))
    if "replicate" in form.options:
        m.transfer = (m.bits or 8) // 8 * int(form.options["replicate"])
    if "distinct" in form.options:
        first, second = (m.roles[role] for role in (("d1", "d2") if "d1" in m.roles else ("d", "n")))
        if getattr(first, "number", None) == getattr(second, "number", -1):
            raise OperandMismatch("the two destination registers must be different", second.span, len(form.patterns)
                                  + 0.7)
    if "same" in form.options and m.roles["d"] != m.roles["n"]:
        raise OperandMismatch("both registers must be the same here", operands[1].span, len(form.patterns) + 0.7)
    for role in form.options.get("even", ""):  # CASP
        first, second = m.roles[role + "1"], m.roles[role + "2"]
        if getattr(first, "number", 1) % 2 or getattr(second, "number", -1) != getattr(first, "number", -1) + 1:
            raise OperandMismatch("this instruction takes an even register and the next one: x0, x1 or x2, x3 ...",
                                  second.span,
                                  len(form.patterns) + 0.7)
    if "consecutive" in form.options:
        first, second = m.roles["t1"], m.roles["t2"]
        if getattr(second, "number", None) != getattr(first, "number", -1) + 1:
            raise OperandMismatch("the s registers must be consecutive: s0, s1 or s1, s2 ...", second.span,
                                  len(form.patterns) + 0.7)
    try:
        for role, make in m.deferred:
            made = make()
            if made is not None:
                m.places[role] = made if isinstance(made, tuple) else (made,)
    except OperandMismatch as refusal:
        refusal.depth = len(form.patterns) + 0.7
        raise
    for role in form.options.get("float", ""):
        m.places[role] = tuple(replace(p, type=p.type.with_("f")) for p in m.places[role])
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
            raise OperandMismatch(f"this instruction takes no data type: remove .{written}", depth=0.1)
        return
    if not written:
        raise OperandMismatch(f"a data type is missing after the mnemonic: {form.readable}", depth=0.1)
    found = re.fullmatch(r"([isupf]?)(8|16|32|64)", written)
    allowed = ", ".join(_suffix_texts(form))
    if not found:
        if written == want:  # "s32.f32", "s16.f32", "f16.f32": the form says how wide its elements are
            m.bits = form.types[0].bits if form.types else min(
                (int(n) for n in re.findall(r"\d+", written)), default=None)
            return
        raise OperandMismatch(f".{written} is not a data type here: {allowed}", depth=0.1)
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
        raise OperandMismatch(f".{written} is not a data type of this form: {allowed}", depth=0.2)
    m.bits, m.kind = bits, fits[0].kind


def _suffix_texts(form: Form) -> list[str]:
    letter = {"dt": None, "dta": None, "i": "i", "size": ""}
    if form.suffix not in letter:
        return [f".{form.suffix}"]
    times = 2 if form.suffix == "dta" else 1
    return [f".{letter[form.suffix] if letter[form.suffix] is not None else 'i' if t.kind == 'x' else t.kind}"
            f"{t.bits * times}" for t in form.types]
