"""The source-text reading as C: registers are vectors of GCC and Clang (vector_size), single lanes integers.

Everything is held and computed unsigned, so nothing overflows in the sense of C; what depends on the sign says so in a
cast. Only little-endian hosts are meant: a vector's bytes are the register's.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from neonsim.arm.semantics.float_formats import LiveRules

from .c_helpers import Helpers, c_scalar, c_vector
from .dag import DEEP, DagNode, pick, resting
from .to_c_float import FLOAT_C, by_the_host, call, on_the_host

__all__ = ["CWriter", "Hosted", "c_scalar", "c_vector"]

MAX_LENGTH = 160  # characters of one expression, before a part of it gets a name
_CAST = re.compile(r"\(\w+\)\w+")
_RELATION_NAMES = str.maketrans({"=": "e", ">": "g", "<": "l"})
_TESTS = {"eq": "{z}", "ne": "!{z}", "hs": "{c}", "lo": "!{c}", "mi": "{n}", "pl": "!{n}", "vs": "{v}", "vc": "!{v}",
          "hi": "{c} > {z}", "ls": "{c} <= {z}", "ge": "{n} == {v}", "lt": "{n} != {v}",
          "gt": "!{z} && {n} == {v}", "le": "{z} || {n} != {v}"}


def _number(value: int, bits: int) -> str:
    value &= (1 << bits) - 1
    if bits == 128:
        return f"((unsigned __int128){value >> 64:#x}u << 64 | {value & (1 << 64) - 1:#x}u)"
    digits = str(value) if value < 1024 else f"{value:#x}"
    return f"(uint{bits}_t){digits}" if bits < 32 else f"{digits}{'u' if bits == 32 else 'ull'}"


# Words that C has no vectors for.
_BY_LANES = ("carryless", "quotient", "array", "ones", "leading_zeros", "mirror", "lookup")


class Hosted(NamedTuple):
    """A floating word on four floats that the host's own vectors may compute.

    lines_before  lines that stand before its own two, which find the exceptions and then the result
    result   the host's, as an expression          rules, raised   expressions of the rules, the name of the exceptions
    """

    lines_before: int
    result: str
    rules: str
    raised: str


class CWriter(Helpers):
    """Writes nodes as C expressions and statements.

    lines     statements so far (names for what is used twice)
    helpers   static functions and types that the text needs, by name, in order
    inside    it writes such a function
    hosted    floating words in these lines that the host may compute
    raised_before   what exceptions of floating point are added to in the end: those in it need not be found again
    """

    def __init__(self, helpers: dict[str, str] | None = None, inside: bool = False) -> None:
        super().__init__(helpers)
        self.inside = inside
        self.raised_before = "0"
        self.hosted: list[Hosted] = []
        self.lines: list[str] = []
        self._memo: dict[tuple[int, int], str] = {}
        self._tables: dict[int, str] = {}
        self._outcomes: dict[int, tuple[str, str]] = {}
        self._keep: list[DagNode] = []
        self._next = 0

    @staticmethod
    def vectorable(bits: int, count: int) -> bool:
        """Return whether these lanes make one vector."""
        return count > 1 and bits <= 64 and count & count - 1 == 0 and bits * count <= 512

    def _whole(self, node: DagNode) -> bool:
        """Whether a node is computed as one vector, and not lane by lane."""
        if node.op in _BY_LANES or not self.vectorable(node.type.bits, node.count):
            return False
        source = node.args[0]
        return node.op not in ("wide", "narrow", "sat") or self.vectorable(source.type.bits, source.count)

    def _rest(self, node: DagNode) -> None:
        if self._apart(node):
            return
        for one in resting(node):
            if self._whole(one):
                self.vector(one)
            else:
                for lane in range(one.count):
                    self.scalar(one, lane)

    def _apart(self, node: DagNode) -> bool:
        """Compute a long value in a function of its own, which every instruction of its kind calls: compilers take very
        long for straight lines of what loops make. False for what cannot be (it has effects, or is no C value)."""
        if self.inside or not self._is_value(node):
            return False
        leaves: list[DagNode] = []
        depths: dict[DagNode, int] = {}
        stack = [node]
        while stack:
            one = stack.pop()
            if one in depths:
                continue
            depths[one] = one.depth
            if one.op == "name" or any((id(one), lane) in self._memo for lane in (-1, 0)):
                if not self._is_value(one):
                    return False
                leaves.append(one)
            elif one.op in ("array", "float", "exceptions"):
                return False
            else:
                stack += [a for a in one.args if isinstance(a, DagNode)]
        inner = CWriter(self.helpers, inside=True)
        for number, leaf in enumerate(leaves):
            inner._memo[id(leaf), self._lane_key(leaf)] = f"p{number}"
        text = inner._value(node)
        parameters = ", ".join(f"{self._value_type(leaf)} p{number}" for number, leaf in enumerate(leaves))
        body = "\n".join(f"    {line}" for line in [*inner.lines, f"return {text};"])
        type_ = self._value_type(node)
        name = f"long_{zlib.crc32(f'{type_} {parameters} {body}'.encode()):08x}"
        self.helper(name, f"static __attribute__((noinline)) {type_} {name}({parameters}) {{\n{body}\n}}")
        for one, depth in depths.items():  # the other writer's values are not here
            one.depth = depth
        self._memo[id(node), self._lane_key(node)] = self.named(
            type_, f"{name}({', '.join(self._value(leaf) for leaf in leaves)})")
        self._keep.append(node)
        node.depth = 0
        return True

    def _is_value(self, node: DagNode) -> bool:
        """Whether it has one C type, and not one for each lane."""
        return node.count == 1 or self._whole(node)

    @staticmethod
    def _lane_key(node: DagNode) -> int:
        return 0 if node.count == 1 else -1

    def _value(self, node: DagNode) -> str:
        return self.scalar(node, 0) if node.count == 1 else self.vector(node)

    def _value_type(self, node: DagNode) -> str:
        return c_scalar(node.type.bits) if node.count == 1 else self.vector_type(node.type.bits, node.count)

    def named(self, type_: str, text: str) -> str:
        self._next += 1
        self.lines.append(f"const {type_} t{self._next} = {text};")
        return f"t{self._next}"

    # -- whole vectors
    def vector(self, node: DagNode, count: int | None = None) -> str:
        """All lanes as one vector; one lane is repeated ``count`` times."""
        bits = node.type.bits
        if count is not None and node.count != count:
            spread = self._spread_wide(node, count)
            if spread is not None:
                return spread
            return f"{self.repeat(self.vector_type(bits, count), bits, count)}({self.scalar(node, 0)})"
        assert self.vectorable(bits, node.count), node
        if node.depth > DEEP:
            self._rest(node)
        key = id(node), -1
        found = self._memo.get(key)
        if found is None:
            found = self._vector(node)
            if node.op not in ("name", "kind") and (node.uses > 1 or len(found) > MAX_LENGTH) and (
                    not _CAST.fullmatch(found)):
                found = self.named(self.vector_type(bits, node.count), found)
            self._keep.append(node)
            self._memo[key] = found
        return found

    def _vector(self, node: DagNode) -> str:
        op, a, bits, count = node.op, node.args, node.type.bits, node.count
        type_ = self.vector_type(bits, count)
        if op == "name":
            return str(a[0])
        if op == "const":
            return self._built(node, type_)
        if op in ("+", "-", "*", "&", "|", "^"):
            return f"({self.vector(a[0], count)} {op} {self.vector(a[1], count)})"
        if op in ("~", "neg"):
            return f"({'~' if op == '~' else '-'}{self.vector(a[0])})"
        if op == "kind":
            return self.vector(a[0])
        if op == "<<":
            return f"({self.vector(a[0])} << {a[1]})"
        if op == ">>":
            if node.type.kind == "s":
                return f"({type_})(({self.vector_type(bits, count, True)}){self.vector(a[0])} >> {a[1]})"
            return f"({self.vector(a[0])} >> {a[1]})"
        if op == "compare":
            n, m = self.vector(a[1], count), self.vector(a[2], count)
            if a[1].type.kind == "s":
                signed = self.vector_type(bits, count, True)
                n, m = f"({signed}){n}", f"({signed}){m}"
            return f"({type_})({n} {a[0]} {m})"
        if op == "float":
            return self._outcome(node)[0]
        if op == "choose":
            return f"({self.scalar(a[0], 0)} ? {self.vector(a[1], count)} : {self.vector(a[2], count)})"
        if op == "select":
            mask = self.vector(a[0], count)
            if not mask.isidentifier():
                mask = self.named(type_, mask)
            return f"(({self.vector(a[1], count)} & {mask}) | ({self.vector(a[2], count)} & ~{mask}))"
        if op == "view":
            return self._view_vector(a[0], type_)
        source = a[0] if isinstance(a[0], DagNode) else None
        if op in ("wide", "narrow", "sat") and source is not None and self.vectorable(source.type.bits, source.count):
            return self._converted(node, source, type_)
        if op == "shift_by" and self.vectorable(bits, count):
            return self._shifted(node, type_)
        return self._built(node, type_)

    def _built(self, node: DagNode, type_: str) -> str:
        """Lane by lane: slices, joins, and what C has no vectors for."""
        picked = [pick(node, i) for i in range(node.count)]
        source, first = picked[0]
        bits, count = node.type.bits, node.count
        straight = picked == [(source, first + i) for i in range(count)]
        if node.op in ("lanes", "join", "array") and source.count > 1 and straight:
            if source.op == "array":
                name = self.named(type_, "")
                self.lines[-1] = f"{type_} {name}; memcpy(&{name}, {source.args[0]} + {first}, {bits * count // 8});"
                return name
            if first == 0 and source.count == count:
                return self.vector(source)
            if self.vectorable(bits, source.count) and first % count == 0:
                whole = self.vector_type(bits, source.count)
                name = self.part(type_, count, whole, source.count, first)
                return f"{name}({self.vector(source)})"
        if (node.op == "join" and len(node.args) == 2 and node.args[0].count == node.args[1].count
                and self.vectorable(bits, count // 2) and bits * count <= 128):
            part = self.vector_type(bits, count // 2)
            name = self.joined(type_, part, count // 2)
            return f"{name}({self.vector(node.args[0])}, {self.vector(node.args[1])})"
        lanes = [self.scalar(node, i) for i in range(count)]
        if len(set(lanes)) == 1:
            return f"{self.repeat(type_, bits, count)}({lanes[0]})"
        return f"({type_}){{{', '.join(lanes)}}}"

    def _view_vector(self, source: DagNode, type_: str) -> str:
        bits, count = source.type.bits, source.count
        if self.vectorable(bits, count):
            return f"({type_}){self.vector(source)}"
        if bits == 128 and count == 1:
            whole = self.named(c_scalar(128), self.scalar(source, 0))
            return f"({type_})({self.vector_type(64, 2)}){{(uint64_t){whole}, (uint64_t)({whole} >> 64)}}"
        if count == 1:
            return f"({type_}){self.scalar(source, 0)}"
        # An odd number of lanes: through memory.
        name = self.named(type_, "")
        self.lines.pop()
        lanes = ", ".join(self.scalar(source, i) for i in range(count))
        self.lines.append(f"const {c_scalar(bits)} {name}_lanes[{count}] = {{{lanes}}};")
        self.lines.append(f"{type_} {name};")
        self.lines.append(f"memcpy(&{name}, {name}_lanes, sizeof {name});")
        return name

    def _converted(self, node: DagNode, source: DagNode, type_: str) -> str:
        bits, count = source.type.bits, source.count
        if node.op == "wide" and bits * count == 64:
            whole = self._whole_register(source, 2 * count)
            if whole is not None:
                return self._lanes_of_wide(whole, range(whole[1], whole[1] + count), source.type.kind == "s", type_)
        text = self.vector(source)
        if node.op == "sat":
            text = self._clamp(node, source, text)
            if node.type.bits == bits:
                return text
        signed = source.type.kind == "s" and node.type.bits > bits
        if signed:
            wide = self.vector_type(node.type.bits, count, True)
            return f"({type_})__builtin_convertvector(({self.vector_type(bits, count, True)}){text}, {wide})"
        return f"__builtin_convertvector({text}, {type_})"

    def _spread_wide(self, node: DagNode, count: int) -> str | None:
        """One widened lane of a register in all lanes: a permutation of the widened register."""
        if node.op != "wide" or node.type.bits > 64 or node.type.bits * count != 128:
            return None
        whole = self._whole_register(node.args[0], 2 * count)
        if whole is None:
            return None
        return self._lanes_of_wide(whole, [whole[1]] * count, node.args[0].type.kind == "s",
                                   self.vector_type(node.type.bits, count))

    def _whole_register(self, source: DagNode, count: int) -> tuple[DagNode, int] | None:
        """(register of ``count`` lanes, first lane) that consecutive lanes come from."""
        first, lane = pick(source, 0)
        straight = all(pick(source, i) == (first, lane + i) for i in range(source.count))
        return (first, lane) if first.count == count and straight and (
            first.op == "name" or self._whole(first)) else None

    def _lanes_of_wide(self, whole: tuple[DagNode, int], lanes: Sequence[int], signed: bool, type_: str) -> str:
        register = whole[0]
        name = self.widened(type_, register.type.bits, register.count, lanes, signed)
        return f"{name}({self.vector(register)})"

    def _clamp(self, node: DagNode, source: DagNode, text: str) -> str:
        """Lanes of ``source`` held between the ends of the type; for one lane or for a vector."""
        type_, signed, bits = node.type, source.type.kind == "s", source.type.bits
        low, high = max(type_.low, source.type.low), min(type_.high, source.type.high)
        if (low, high) == (source.type.low, source.type.high):
            return text
        name = (self.clamp_all(bits, source.count, signed) if self.vectorable(bits, source.count)
                else self.clamp(bits, signed))
        return f"{name}({text}, {_number(low, bits)}, {_number(high, bits)})"

    def _shifted(self, node: DagNode, type_: str) -> str:
        x, by, rounding = node.args
        one = self.shift(node.type.bits, node.type.kind == "s", rounding)
        name = self.shift_all(one, type_, self.vector_type(by.type.bits, node.count), node.count, by.type.bits)
        return f"{name}({self.vector(x, node.count)}, {self.vector(by, node.count)})"

    # -- single lanes
    def scalar(self, node: DagNode, lane: int) -> str:
        """One lane as an integer of its unsigned C type."""
        node, lane = pick(node, lane if node.count > 1 else 0)
        if node.depth > DEEP:
            self._rest(node)
        key = id(node), lane
        found = self._memo.get(key)
        if found is None:
            found = self._scalar(node, lane)
            if node.op not in ("name", "const", "kind") and (
                    node.uses > 1 or len(found) > MAX_LENGTH or node.type.bits == 128) and not found.endswith("]"):
                found = self.named(c_scalar(node.type.bits), found)
            self._keep.append(node)
            self._memo[key] = found
        return found

    def _scalar(self, node: DagNode, lane: int) -> str:
        op, a, bits = node.op, node.args, node.type.bits
        u = c_scalar(bits)
        if op == "const":
            return _number(a[lane], bits)
        if node.count > 1 and (op in ("name", "array") or self._whole(node)):
            text = self._memo.get((id(node), -1), a[0]) if op in ("name", "array") else self.vector(node)
            if _CAST.fullmatch(str(text)):
                text = f"({text})"
            elif not str(text).isidentifier():
                text = self.named(self.vector_type(bits, node.count), str(text))
            return f"{text}[{lane}]"
        if op == "name":
            return str(a[0])
        if op in ("+", "-", "*", "&", "|", "^"):
            x, y = self.scalar(a[0], lane), self.scalar(a[1], lane)
            return f"({u})((uint32_t){x} {op} (uint32_t){y})" if bits < 32 else f"({x} {op} {y})"
        if op in ("~", "neg"):
            return f"({u}){'~' if op == '~' else '-'}" + ("(uint32_t)" if bits < 32 else "") + self.scalar(a[0], lane)
        if op == "kind":
            return self.scalar(a[0], lane)
        if op == "<<":
            return f"({u})({'(uint32_t)' if bits < 32 else ''}{self.scalar(a[0], lane)} << {a[1]})"
        if op == ">>":
            sign = f"({c_scalar(bits, True)})" if node.type.kind == "s" else ""
            return f"({u})({sign}{self.scalar(a[0], lane)} >> {a[1]})"
        if op == "wide":
            if a[0].type.kind == "s":
                return f"({u})({c_scalar(bits, True)})({c_scalar(a[0].type.bits, True)}){self.scalar(a[0], lane)}"
            return f"({u}){self.scalar(a[0], lane)}"
        if op == "narrow":
            return f"({u}){self.scalar(a[0], lane)}"
        return getattr(self, "_" + op)(node, lane, *a)  # type: ignore[no-any-return]

    def _view(self, node: DagNode, lane: int, x: DagNode) -> str:
        have, want, u = x.type.bits, node.type.bits, c_scalar(node.type.bits)
        if have > want:
            parts = have // want
            return f"({u})({self.scalar(x, lane // parts)} >> {lane % parts * want})"
        if want <= 64 and self.vectorable(have, x.count) and have * x.count == want:
            return f"({u}){self.vector(x)}"
        parts = want // have
        return "(" + " | ".join(f"({u}){self.scalar(x, lane * parts + i)}" + (f" << {i * have}" if i else "")
                                for i in range(parts)) + ")"

    def _sat(self, node: DagNode, lane: int, x: DagNode) -> str:
        one = DagNode("sat", (DagNode("const", (0,), x.type, 1),), node.type, 1)
        text = self._clamp(one, one.args[0], self.scalar(x, lane))
        if x.type.kind == "s" and node.type.bits > x.type.bits:
            text = f"({c_scalar(node.type.bits, True)})({c_scalar(x.type.bits, True)}){text}"
        return f"({c_scalar(node.type.bits)}){text}"

    def _clamped(self, node: DagNode, lane: int, x: DagNode, type_: Any) -> str:
        if self.vectorable(x.type.bits, x.count):
            v = self.vector_type(x.type.bits, x.count)
            text = self.vector(x)
            clamped = self._clamp(DagNode("sat", (), type_, x.count), x, text)
            if clamped == text:
                return "(uint8_t)0"
            name = self.differ(v, x.count)
            return f"{name}({text}, {clamped})"
        tests = []
        for i in range(x.count):
            text = self.scalar(x, i)
            one = DagNode("const", (0,), x.type, 1)
            clamped = self._clamp(DagNode("sat", (), type_, 1), one, text)
            if clamped != text:
                tests.append(f"{text} != {clamped}")
        return f"(uint8_t)({' || '.join(tests)})" if tests else "(uint8_t)0"

    def _compare(self, node: DagNode, lane: int, relation: str, n: DagNode, m: DagNode) -> str:
        sign = f"({c_scalar(n.type.bits, True)})" if n.type.kind == "s" else ""
        u = c_scalar(node.type.bits)
        return f"({u})-({u})({sign}{self.scalar(n, lane)} {relation} {sign}{self.scalar(m, lane)})"

    def _select(self, node: DagNode, lane: int, mask: DagNode, n: DagNode, m: DagNode) -> str:
        k = self.scalar(mask, lane)
        u = c_scalar(node.type.bits)
        return f"({u})(({self.scalar(n, lane)} & {k}) | ({self.scalar(m, lane)} & ({u})~{k}))"

    def _shift_by(self, node: DagNode, lane: int, x: DagNode, by: DagNode, rounding: bool) -> str:
        name = self.shift(node.type.bits, node.type.kind == "s", rounding)
        return f"{name}({self.scalar(x, lane)}, (uint8_t){self.scalar(by, lane)})"

    def _total(self, node: DagNode, lane: int, x: DagNode) -> str:
        if self.vectorable(x.type.bits, x.count):
            name = self.total(self.vector_type(x.type.bits, x.count), x.type.bits, x.count)
            return f"{name}({self.vector(x)})"
        return f"({c_scalar(x.type.bits)})(" + " + ".join(self.scalar(x, i) for i in range(x.count)) + ")"

    def _float(self, node: DagNode, lane: int, *_: Any) -> str:
        return self._outcome(node)[0]

    def _exceptions(self, node: DagNode, lane: int, value: DagNode) -> str:
        return self._outcome(value)[1]

    def _outcome(self, node: DagNode) -> tuple[str, str]:
        """Names of the result of a floating word and of the exceptions that its lanes raise together."""
        found = self._outcomes.get(id(node))
        if found is not None:
            return found
        word, operands, count = node.args[0], node.args[1:], node.count
        self.helper("float", FLOAT_C)
        rules = str(word.rules)
        live = isinstance(word.rules, LiveRules)
        if live:
            rules, operands = word.rules.text(self.scalar(operands[-1], 0)), operands[:-1]
        if count == 1:
            texts = [self.scalar(x, 0) for x in operands]
            type_ = c_scalar(node.type.bits)
            text = call(word, texts, rules, "{raised}")
        else:
            types = [self.vector_type(x.type.bits, count) for x in operands]
            texts = [self.vector(x, count) for x in operands]
            type_ = self.vector_type(node.type.bits, count)
            name = f"each_{count}_{str(word).translate(_RELATION_NAMES)}_of_{len(operands)}{'_ruled' * live}"
            self._each(word, name, types, node, None if live else rules)
            text = f"{name}({', '.join([*texts, *([rules] * live)])}, &{{raised}})"
        self._next += 1
        raised = f"raised{self._next}"
        if count == 4 and (host := on_the_host(word, texts)):
            self.hosted.append(Hosted(len(self.lines), host, rules, raised))
        self.lines.append(f"uint8_t {raised} = {self.raised_before};")
        self._keep.append(node)
        self._outcomes[id(node)] = self.named(type_, text.replace("{raised}", raised)), raised
        return self._outcomes[id(node)]

    def _each(self, word: Any, name: str, types: list[str], node: DagNode, rules: str | None) -> None:
        """The function of a word on n lanes: the host's own result where it will do, else another function."""
        count, type_ = node.count, self.vector_type(node.type.bits, node.count)
        parameters = ", ".join([*(f"{t} p{i}" for i, t in enumerate(types)), *(["const int s"] * (rules is None))])
        arguments = ", ".join([*(f"p{i}" for i in range(len(types))), *(["s"] * (rules is None))])
        fixed = "" if rules is None else f"    enum {{ s = {rules} }};\n"
        one = call(word, [f"p{i}[i]" for i in range(len(types))], "s", "*x").replace("&*x", "x")
        short, careful = by_the_host(word, count, len(types), type_)
        lanes = (f"    {type_} r;\n    for (int i = 0; i < {count}; i++)\n"
                 f"        r[i] = ({c_scalar(node.type.bits)}){one};\n    return r;\n}}")
        if not short:
            self.helper(name, f"static inline {type_} {name}({parameters}, uint8_t *x) {{\n{fixed}{lanes}")
            return
        self.helper(name, (
            f"static __attribute__((noinline, cold)) {type_} {name}_with_care({parameters}, uint8_t *x) {{\n"
            f"{fixed}{careful}{lanes}\n"
            f"static inline {type_} {name}({parameters}, uint8_t *x) {{\n{fixed}{short}    uint8_t raised = *x;\n"
            f"    const {type_} r = {name}_with_care({arguments}, &raised);\n    *x = raised;\n    return r;\n}}"))

    def _carryless(self, node: DagNode, lane: int, n: DagNode, m: DagNode) -> str:
        u, name = c_scalar(node.type.bits), self.carryless()
        return f"({u}){name}({self.scalar(n, lane)}, {self.scalar(m, lane)})"

    def _quotient(self, node: DagNode, lane: int, n: DagNode, m: DagNode) -> str:
        name = self.quotient(node.type.bits, node.type.kind == "s")
        return f"{name}({self.scalar(n, lane)}, {self.scalar(m, lane)})"

    def _ones(self, node: DagNode, lane: int, x: DagNode) -> str:
        return f"({c_scalar(node.type.bits)})__builtin_popcountll({self.scalar(x, lane)})"

    def _leading_zeros(self, node: DagNode, lane: int, x: DagNode) -> str:
        return f"{self.leading_zeros(node.type.bits)}({self.scalar(x, lane)})"

    def _mirror(self, node: DagNode, lane: int, x: DagNode) -> str:
        return f"{self.mirror(node.type.bits)}({self.scalar(x, lane)})"

    def _lookup(self, node: DagNode, lane: int, index: DagNode, table: DagNode, otherwise: DagNode) -> str:
        name, one = self._tables.get(id(table)), c_scalar(node.type.bits)
        if name is None:
            lanes = ", ".join(self.scalar(table, i) for i in range(table.count))
            if table.op == "const":  # one for the whole text
                name = f"table{table.count}_{one}_{zlib.crc32(lanes.encode()):08x}"
                self.helper(name, f"static const {one} {name}[{table.count}] = {{{lanes}}};")
            else:
                self._next += 1
                name = f"t{self._next}"
                self.lines.append(f"const {one} {name}[{table.count}] = {{{lanes}}};")
            self._tables[id(table)] = name
            self._keep.append(table)
        at = self.scalar(index, lane)
        if index.type.mask < table.count:
            return f"{name}[{at}]"
        return f"({at} < {table.count} ? {name}[{at}] : {self.scalar(otherwise, lane)})"

    def _sum(self, node: DagNode, lane: int, n: DagNode, m: DagNode, c: DagNode) -> str:
        u = c_scalar(node.type.bits)
        return f"({u})({self.scalar(n, 0)} + {self.scalar(m, 0)} + {self.scalar(c, 0)})"

    def _sum_flags(self, node: DagNode, lane: int, n: DagNode, m: DagNode, c: DagNode, value: DagNode) -> str:
        name = self.flags_of_sum(n.type.bits)
        return f"{name}({self.scalar(n, 0)}, {self.scalar(m, 0)}, {self.scalar(c, 0)})"

    def _logic_flags(self, node: DagNode, lane: int, value: DagNode, carry: DagNode, nzcv: DagNode) -> str:
        name = self.flags_of_logic(value.type.bits)
        return f"{name}({self.scalar(value, 0)}, {self.scalar(carry, 0)}, {self.scalar(nzcv, 0)})"

    def _holds(self, node: DagNode, lane: int, condition: str, flags: DagNode) -> str:
        f = self.scalar(flags, 0)
        if not f.isidentifier():
            f = self.named("uint8_t", f)
        text = _TESTS[condition].format(n=f"({f} >> 3 & 1)", z=f"({f} >> 2 & 1)", c=f"({f} >> 1 & 1)", v=f"({f} & 1)")
        return f"(uint8_t)({text})"

    def _choose(self, node: DagNode, lane: int, truth: DagNode, n: DagNode, m: DagNode) -> str:
        return f"({self.scalar(truth, 0)} ? {self.scalar(n, lane)} : {self.scalar(m, lane)})"
