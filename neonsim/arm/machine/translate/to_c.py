"""Program to C: one function that runs a call from any block to its return, one tile or many.

Registers are local variables, branches gotos, every access is checked against the buffers. Whatever the text cannot do
(a fault, a branch to where no block is, the step limit) leaves the function before that instruction, with all registers
as they are: the caller goes on with the interpreter, which then says what is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from neonsim.arm.asm import Program
from neonsim.arm.machine.arch.abi import RETURN
from neonsim.arm.machine.arch.binder import BOUND, BoundInstruction
from neonsim.arm.machine.arch.registers import Slots, VectorValue
from neonsim.arm.semantics import CWriter, DagNode, ElementType, Lanes, SourceLanes, u8
from neonsim.arm.semantics.codegen.dag import pick
from neonsim.arm.semantics.codegen.to_c import c_scalar

from .blocks import BasicBlock, BranchTarget, SourceMemory, SourceState, blocks, emit, slots_of, targets
from .listing import readable

__all__ = ["STATUS", "CProgram", "translate_c"]

STATUS = {"returned": 0, "limit": 1, "fault": 2, "elsewhere": 3, "overlap": 4, "watch": 5, "kept": 6}
COMMENT = 92  # column of the assembly line
_TAG = re.compile(r"[^A-Za-z0-9_]")

PRELUDE = """\
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "vectors are registers only on a little-endian host"
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"        /* wide vectors are handed on inside this file only */
#endif

enum { RETURNED, LIMIT, FAULT, ELSEWHERE, OVERLAP, WATCH, KEPT };

/* One buffer: the addresses that may be read, those that may be written, and where they are on this host. */
struct range {
    uint64_t first, size;           /* may be read */
    uint64_t start, room;           /* may be written */
    uint8_t *host;                  /* of `first` */
    int32_t *owner, *reader;        /* of each byte: the tile that wrote it, the tile that read it (-1: several) */
    uint64_t loaded, stored, private_;
};

struct memory {
    struct range *ranges;
    uint64_t count;
    struct range nowhere;
    uint64_t tile;                  /* number of the running tile, above `base`; 0: there is only one */
    uint64_t status;
    uint64_t stack_low;             /* lowest byte of the private stack that was written */
    uint64_t address, bytes, store; /* of the access that was refused */
    uint64_t base;                  /* owners up to this number are those of earlier calls: none */
    uint64_t claims, steps;         /* bytes that got an owner, steps of all tiles */
    uint32_t *log, *log_end;        /* gets the first instruction of every block that runs, while there is room */
};

#define INLINE static inline __attribute__((always_inline))
#define RARE static __attribute__((noinline, cold))

RARE uint8_t *find(struct memory *m, struct range **near, uint64_t address, uint64_t n, int store) {
    m->status = FAULT;
    m->address = address;
    m->bytes = n;
    m->store = (uint64_t)store;
    for (uint64_t i = 0; i < m->count; i++) {
        struct range *r = m->ranges + i;
        const uint64_t first = store ? r->start : r->first, size = store ? r->room : r->size;
        if (address - first > size || n > size - (address - first))
            continue;
        if (m->tile && !r->private_ && !r->reader && (store ? r->loaded : r->stored)) {
            m->status = WATCH;      /* read and written: the caller must ask for a watch on it */
            return NULL;
        }
        if (store)
            r->stored = 1;
        else
            r->loaded = 1;
        *near = r;
        return r->host + (address - r->first);
    }
    return NULL;
}

/* Bytes that two tiles write, or one writes and another reads, have no order. */
INLINE int claimed(struct memory *m, const struct range *r, uint64_t address, uint64_t n) {
    const int32_t me = (int32_t)m->tile, base = (int32_t)m->base;
    if (r->private_) {
        if (address < m->stack_low)
            m->stack_low = address;
        return 1;
    }
    int32_t *owner = r->owner + (address - r->first);
    int32_t others = 0, fresh = 0;
    for (uint64_t i = 0; i < n; i++) {
        others |= (owner[i] > base) & (owner[i] != me);
        fresh += owner[i] != me;
    }
    for (uint64_t i = 0; i < n; i++)
        owner[i] = me;
    if (r->reader) {
        const int32_t *reader = r->reader + (address - r->first);
        for (uint64_t i = 0; i < n; i++)
            others |= reader[i] != 0 && reader[i] != me;
    }
    m->claims += (uint64_t)fresh;
    if (others)
        m->status = OVERLAP;
    return !others;
}

RARE int noted(struct memory *m, const struct range *r, uint64_t address, uint64_t n) {
    const int32_t me = (int32_t)m->tile, base = (int32_t)m->base;
    for (uint64_t i = 0, at = address - r->first; i < n; i++, at++) {
        if (r->owner[at] > base && r->owner[at] != me) {
            m->status = OVERLAP;
            return 0;
        }
        r->reader[at] = r->reader[at] == 0 || r->reader[at] == me ? me : -1;
    }
    return 1;
}

INLINE uint8_t *to_read(struct memory *m, struct range **near, uint64_t address, uint64_t n) {
    const uint64_t at = address - (*near)->first;
    uint8_t *p = at <= (*near)->size && n <= (*near)->size - at ? (*near)->host + at : find(m, near, address, n, 0);
    return p && (*near)->reader && m->tile && !noted(m, *near, address, n) ? NULL : p;
}

INLINE uint8_t *to_write(struct memory *m, struct range **near, uint64_t address, uint64_t n) {
    const uint64_t at = address - (*near)->start;
    uint8_t *p = at <= (*near)->room && n <= (*near)->room - at ? (*near)->host + (address - (*near)->first)
                                                                : find(m, near, address, n, 1);
    return p && m->tile && !claimed(m, *near, address, n) ? NULL : p;
}
"""

CALLS = """
/* Calls from `count` records, one after the other; returns how many returned. The status of the next is in memory. */
uint64_t neonsim_calls(struct state *states, uint64_t count, struct memory *m, uint64_t limit) {
    m->status = RETURNED;
    for (uint64_t i = 0; i < count; i++) {
        m->status = (uint64_t)RUN(states + i, m, limit);
        if (m->status != RETURNED)
            return i;
    }
    return count;
}

/* What is the same for all tiles of a grid, and the arguments that are not. */
struct grid {
    uint64_t limit, tiles;
    uint64_t stack_first, stack_size;                                       /* of a tile's own stack */
    const uint8_t *arguments;       /* on the stack: of every tile, one after the other */
    uint64_t argument_first, argument_size;
    const struct state *start;
    const uint64_t *columns, *offsets;                                      /* registers that differ: [column][tile] */
    uint64_t column_count;
    const uint64_t *kept;           /* (offset, bytes) of what must be as at the start again */
    uint64_t kept_count;
};

/* Tiles from `first` to before `end`, one after the other, in records that are `apart` (0: all in one). Returns the
   tile that did not return, else `end`; its status is in memory. */
uint64_t neonsim_tiles(const struct grid *g, struct state *states, uint64_t apart, uint64_t first, uint64_t end,
                       struct memory *m, uint8_t *stack) {
    m->status = RETURNED;
    for (uint64_t i = first; i < end; i++) {
        struct state *s = states + apart * (i - first);
        for (uint64_t a = m->stack_low; a < g->stack_first + g->stack_size; a++)
            stack[a - g->stack_first] = (uint8_t)(a * 73 + 29);
        m->stack_low = g->stack_first + g->stack_size;
        memcpy(stack + (g->argument_first - g->stack_first), g->arguments + i * g->argument_size, g->argument_size);
        m->tile = m->base + i + 1;
        *s = *g->start;
        for (uint64_t k = 0; k < g->column_count; k++)
            memcpy((uint8_t *)s + g->offsets[k], g->columns + k * g->tiles + i, 8);
        int status = RUN(s, m, g->limit);
        m->steps += s->steps;
        for (uint64_t k = 0; k < 2 * g->kept_count && status == RETURNED; k += 2)
            if (memcmp((uint8_t *)s + g->kept[k], (const uint8_t *)g->start + g->kept[k], g->kept[k + 1]))
                status = KEPT;
        if (status != RETURNED) {
            m->status = (uint64_t)status;
            return i;
        }
    }
    return end;
}
"""


@dataclass(frozen=True)
class CProgram:
    """A translation: ``text`` is the whole C file, ``function`` the name of the function in it.

    readable        what each instruction does, without what only a run needs (`translate_text`)
    vectors, core   numbers of the registers that struct state holds, in its order
    leaders         instructions at which the function can begin
    """

    text: str
    readable: str
    function: str
    vectors: tuple[int, ...]
    core: tuple[int, ...]
    leaders: frozenset[int]


class _Memory(SourceMemory):
    """Loads and stores as checked C; one remembered buffer for each base register and direction."""

    def __init__(self, program: _Translator) -> None:
        self.program = program
        self.pieces: list[str] = []

    def _reach(self, address: Lanes, nbytes: int, store: bool) -> None:
        translator = self.program
        near = f"near_{'store' if store else 'load'}_{translator.base}"
        translator.near.add(near)
        text = translator.writer.scalar(address.node, 0)  # type: ignore[attr-defined]
        kind = "uint8_t *to" if store else "const uint8_t *p"
        translator.writer.lines.append(f"{kind} = {'to_write' if store else 'to_read'}(m, &{near}, {text}, {nbytes});")
        translator.writer.lines.append(f"if (!{'to' if store else 'p'}) {translator.leave('m->status')}")

    def load(self, address: Lanes, nbytes: int, type_: ElementType) -> SourceLanes:
        self._reach(address, nbytes, store=False)
        count, writer = nbytes // type_.bytes, self.program.writer
        one = c_scalar(type_.bits)
        if count == 1:
            writer.lines.append(f"{one} mem; memcpy(&mem, p, {nbytes});")
        elif writer.vectorable(type_.bits, count) and nbytes <= 16:
            writer.lines.append(f"{writer.vector_type(type_.bits, count)} mem; memcpy(&mem, p, {nbytes});")
        else:
            writer.lines.append(f"{one} mem[{count}]; memcpy(mem, p, {nbytes});")
            return SourceLanes(DagNode("array", ("mem",), type_, count))
        return SourceLanes.named("mem", type_, count)

    def store(self, address: Lanes, lanes: Lanes, undo: list[Any]) -> None:
        writer, node = self.program.writer, lanes.node  # type: ignore[attr-defined]
        self._reach(address, lanes.count * lanes.type.bytes, store=True)
        parts, at = (list(node.args) if node.op == "join" else [node]), 0
        copies = []
        for number, part in enumerate(parts):
            nbytes = part.count * part.type.bytes
            name = f"part{number}"
            if part.count == 1:
                writer.lines.append(f"const {c_scalar(part.type.bits)} {name} = {writer.scalar(part, 0)};")
            elif writer.vectorable(part.type.bits, part.count):
                writer.lines.append(f"const {writer.vector_type(part.type.bits, part.count)} {name} = "
                                    f"{writer.vector(part)};")
            else:
                elements = ", ".join(writer.scalar(part, i) for i in range(part.count))
                writer.lines.append(f"const {c_scalar(part.type.bits)} {name}[{part.count}] = {{{elements}}};")
            copies.append(f"memcpy(to{f' + {at}' if at else ''}, &{name}, {nbytes});")
            at += nbytes
        self.pieces += copies

    def demand(self, address: Lanes, multiple: int) -> None:
        text = self.program.writer.scalar(address.node, 0)  # type: ignore[attr-defined]
        self.program.writer.lines.append(f"if ({text} & {multiple - 1}) {self.program.leave('FAULT')}")


@dataclass(frozen=True)
class _OnHost:
    """An instruction that is nothing but one floating word of a whole register.

    lines      what the operands need          result   the host's, as an expression
    register   that it is written to
    """

    lines: list[str]
    result: str
    register: str
    rules: str


class _HostRun:
    """Instructions one after another that the host may compute: checked together, at the end.

    Where an inexact result is nothing new and the rules are those of a reset, all results being usual says that the
    host's are right (`neonsim.arm.semantics.codegen.to_c_float`). Registers are written only then; else each goes its
    own way.

    first   the line of the text where they begin
    """

    # this many old and new registers stay in the host's own beside a kernel's; more wait on the stack
    MAX_HOST_REGISTERS = 8

    def __init__(self, first: int) -> None:
        self.first = first
        self.all: list[_OnHost] = []

    def text(self, label: str) -> tuple[list[str], list[str]]:
        """(what stands before the instructions, what stands behind them)."""
        written: dict[str, None] = {}
        steps = []
        last = len(self.all) - 1
        for i, one in enumerate(self.all):
            names = re.compile(rf"\b({'|'.join(written)})\b") if written else None
            lines = [*one.lines, f"host{i} = {one.result};"]
            lines = [names.sub(r"on_host_\1", line) for line in lines] if names else lines
            steps.append(f"        {{ {' '.join(lines)} on_host_{one.register} = (u8x16)host{i}; }}")
            if i % 2 or i == last:  # two by two, noted in two places: neither waits for the other
                steps.append(f"        NOTE32(noted{i // 2 % 2}, host{i - i % 2}, host{i});")
            written[one.register] = None
        return ["#ifdef HOST_VECTORS",
                f"    if (fpsr & IXC && !({self.all[0].rules} & (ROUNDING | ODD | FZ))) {{",
                f"        u8x16 {', '.join(f'on_host_{r} = {r}' for r in written)};",
                f"        f32x4 {', '.join(f'host{i}' for i in range(last + 1))};",
                "        noted32 noted0 = NOTED32, noted1 = NOTED32;", *steps,
                "        if (ALL_NOTED32(noted0, noted1)) {",
                *(f"            {register} = on_host_{register};" for register in written),
                f"            goto {label};", "        }", "    }", "#endif"], [
                "#ifdef HOST_VECTORS", f"{label}:;", "#endif"]


class _Translator:
    def __init__(self, program: Program, entry: int, name: str) -> None:
        self.program, self.entry, self.name = program, entry, name
        self.slots: Slots = slots_of(program.isa)
        self.helpers: dict[str, str] = {}
        self.writer = CWriter(self.helpers)
        self.near: set[str] = set()
        self.used: set[int] = set()
        self.base = ""
        self.at, self.block = 0, BasicBlock(0, 0)
        self.body: list[str] = []
        self.run: _HostRun | None = None
        self.labels = {index: name for name, index in reversed(program.labels)}

    # -- names
    def register(self, slot: int) -> str:
        return self.slots.names[slot]

    def label(self, index: int) -> str:
        named = self.labels.get(index, "")
        return f"at_{index}" + (f"_{_TAG.sub('_', named)}" if named and not named.isdigit() else "")

    def leave(self, status: str) -> str:
        """Statements that stop before this instruction."""
        behind = self.block.last - self.at + 1
        return f"{{ steps -= {behind}; next = {self.at}; status = (int){status}; goto out; }}"

    def values(self) -> list[Any]:
        made: list[Any] = []
        for slot, name in enumerate(self.slots.names):
            if slot < self.slots.vectors:
                made.append(VectorValue(((0, SourceLanes.named(name, u8, 16)),)))
            else:
                made.append(SourceLanes.named(name, u8 if slot >= self.slots.nzcv else self.slots.word, 1))
        return made

    # -- text
    def translate(self) -> CProgram:
        found = blocks(self.program, self.entry)
        leaders = {b.first for b in found}
        for block in found:
            self.block = block
            size = block.last - block.first + 1
            self.body.append(f"{self.label(block.first)}:")
            self.body.append(f"    if (limit - steps < {size}) {{ next = {block.first}; status = LIMIT; goto out; }}")
            self.body.append(f"    steps += {size};")
            self.body.append(f"    if (log != log_end) *log++ = {block.first};")
            branched = False
            for at in range(block.first, block.last + 1):
                self.at = at
                branched = self._instruction(BOUND.get(self.program)[at], leaders)
            self._end_run()
            following = block.last + 1
            if not branched and following not in leaders:
                self.body.append(f"    next = {following}; status = ELSEWHERE; goto out;")
        return self._whole(leaders)

    def _instruction(self, bound: BoundInstruction, leaders: set[int]) -> bool:
        """Write one instruction; returns whether nothing follows it."""
        instruction = bound.instruction
        self.writer = CWriter(self.helpers)
        self.writer.raised_before = "fpsr"
        memory = _Memory(self)
        values = self.values()
        state = SourceState(self.slots, memory, list(values))
        if instruction.address is not None:
            uses = [u.register for u in instruction.reads if u.role == "base"]
            self.base = uses[0] if uses else "none"
        head: list[str] = []
        truth = emit(bound, state)
        condition = ""
        if truth is not None:
            test = CWriter(self.helpers)
            condition = test.scalar(truth.node, 0)
            head = test.lines
        changed: dict[int, Any] = {slot: new for slot, _, new in state.writes}
        assigned = [(self.register(slot), self._value(slot, values[slot], changed[slot])) for slot in sorted(changed)]
        statements = self._in_parallel(assigned)
        jump = self._jump(state, leaders)
        lines = [*self.writer.lines, *memory.pieces, *statements, *jump]
        self.used |= {self.slots.index[w] for w in re.findall(r"\b[a-z]+\d*\b", "\n".join([*lines, *head, condition]))
                      if w in self.slots.index}
        if condition:
            lines = [*head, f"if ({condition}) {{", *("    " + line for line in lines), "}"]
        if not lines:
            lines = [";"]
        scoped = len(lines) > 1
        plain = not (condition or jump or memory.pieces or instruction.memory)
        self._keep_run(self._on_host(assigned) if plain else None)
        self._emit(lines, str(instruction), scoped)
        return bool(jump) and not condition and jump[-1].startswith(("goto", "{"))

    def _on_host(self, assigned: list[tuple[str, str]]) -> _OnHost | None:
        """The instruction in hand as one that the host may compute, if it is such a one and does nothing else."""
        writer = self.writer
        if len(writer.hosted) != 1 or len(assigned) != 2:
            return None
        [hosted], [(register, value), (flag, exceptions)] = writer.hosted, assigned
        names: set[str] = set()
        for line in writer.lines[hosted.lines_before + 1:]:
            named = re.fullmatch(r"const \w+ (\w+) = (.*);", line)
            if named is None or not (named[2] in names or (not names and f"&{hosted.raised})" in named[2])):
                return None
            names.add(named[1])
        if value not in {f"(u8x16){name}" for name in names} or flag != "fpsr" \
                or exceptions != f"(uint8_t)((uint32_t)fpsr | (uint32_t){hosted.raised})":
            return None
        return _OnHost(writer.lines[:hosted.lines_before], hosted.result, register, hosted.rules)

    def _keep_run(self, one: _OnHost | None) -> None:
        """The instruction in hand, whose text comes next, goes on with the run, or ends it."""
        if one is None or (self.run is not None and (len(self.run.all) >= _HostRun.MAX_HOST_REGISTERS
                                                     or self.run.all[0].rules != one.rules)):
            self._end_run()
        if one is not None:
            self.run = self.run or _HostRun(len(self.body))
            self.run.all.append(one)

    def _end_run(self) -> None:
        """The run, if there is one, ends here; one or two instructions have nothing to share."""
        if self.run is not None and len(self.run.all) > 2:
            before, behind = self.run.text(f"usual_{self.run.first}")
            self.body[self.run.first:self.run.first] = before
            self.body += behind
        self.run = None

    def _value(self, slot: int, old: Any, new: Any) -> str:
        writer = self.writer
        if slot >= self.slots.nzcv:
            return writer.scalar(new.node, 0)
        if slot >= self.slots.vectors:
            return writer.scalar(new.node, 0)
        replaced = self._replaced_lane(old, new)
        if replaced is not None:
            return replaced
        parts = new.parts
        if len(parts) == 1 and parts[0][1].count > 1:
            lanes = new.read(0, 16, parts[0][1].type)
            text = writer.vector(lanes.node)
            return text if lanes.type.bits == 8 else f"({writer.vector_type(8, 16)}){text}"
        if len(parts) == 2 and parts[1][0] == 8:
            low, high = (self._word(lanes) for _, lanes in parts)
            return f"({writer.vector_type(8, 16)})({writer.vector_type(64, 2)}){{{low}, {high}}}"
        if len(parts) == 2 and parts[0][1].count == 1 and parts[1][1].node.op == "const":
            one = parts[0][1]
            bits = one.type.bits
            return (f"({writer.vector_type(8, 16)})({writer.vector_type(bits, 128 // bits)})"
                    f"{{{writer.scalar(one.node, 0)}}}")
        return writer.vector(new.read(0, 16, u8).node)

    def _word(self, lanes: Any) -> str:
        """Eight bytes as one 64-bit integer."""
        node = lanes.node
        if node.op == "const" and not any(node.args):
            return "0"
        if node.count == 1:
            return self.writer.scalar(node, 0)
        return f"(uint64_t){self.writer.vector(node)}"

    def _replaced_lane(self, old: Any, new: Any) -> str | None:
        """A register that is the old one but for 1, 2, 4 or 8 bytes: one element assigned."""
        name = old.parts[0][1].node
        fresh = [(at, lanes) for at, lanes in new.parts if not self._kept(lanes.node, name, at)]
        if len(fresh) != 1 or len(new.parts) == 1:
            return None
        at, lanes = fresh[0]
        nbytes = lanes.count * lanes.type.bytes
        if nbytes not in (1, 2, 4, 8) or at % nbytes:
            return None
        writer, bits = self.writer, 8 * nbytes
        one = writer.scalar(lanes.node, 0) if lanes.count == 1 else f"({c_scalar(bits)}){writer.vector(lanes.node)}"
        type_ = writer.vector_type(bits, 16 // nbytes)
        register = f"({type_}){name.args[0]}" if bits > 8 else str(name.args[0])
        replaced = f"{name.args[0]}_with{at}"
        writer.lines.append(f"{type_} {replaced} = {register};")
        writer.lines.append(f"{replaced}[{at // nbytes}] = {one};")
        return f"({writer.vector_type(8, 16)}){replaced}"

    @staticmethod
    def _kept(node: Any, name: Any, at: int) -> bool:
        return bool(node.type.bits == 8) and all(pick(node, i) == (name, at + i) for i in range(node.count))

    def _in_parallel(self, assigned: list[tuple[str, str]]) -> list[str]:
        """All values are those before the instruction: what a later one still needs is kept first."""
        found: list[str] = []
        late: list[str] = []
        for i, (name, text) in enumerate(assigned):
            if any(re.search(rf"\b{name}\b", other) for _, other in assigned[i + 1:]):
                kind = "u8x16" if self.slots.index[name] < self.slots.vectors else "__auto_type"
                found.append(f"const {kind} new_{name} = {text};")
                late.append(f"{name} = new_{name};")
            else:
                found.append(f"{name} = {text};")
        return found + late

    def _jump(self, state: SourceState, leaders: set[int]) -> list[str]:
        if state.target is None:
            return []
        truth, yes, no = targets(state.target, self.program)
        first = self._goto(yes, leaders)
        if truth is None or no is None:
            return [first]
        writer = CWriter(self.helpers)
        test = writer.scalar(truth, 0)
        tail = [] if no.index == self.at + 1 else [self._goto(no, leaders)]
        return [*writer.lines, f"if ({test}) {first}", *tail]

    def _goto(self, target: BranchTarget, leaders: set[int]) -> str:
        if target.returns:
            return f"{{ next = {self.at}; status = RETURNED; goto out; }}"
        if target.index is not None:
            if target.index in leaders:
                return f"goto {self.label(target.index)};"
            return f"{{ next = {target.index}; status = ELSEWHERE; goto out; }}"
        assert target.address is not None
        writer = CWriter(self.helpers)
        address = writer.scalar(target.address, 0)
        # Before the instruction, if the address is no block's: `leave` counts it as not done.
        text = " ".join([*writer.lines, f"target = {address};"])
        return f"{{ {text} before = {self.at}; back = {self.block.last - self.at + 1}; goto branch; }}"

    def _emit(self, lines: list[str], assembly: str, scoped: bool) -> None:
        if scoped:
            lines = ["{", *("    " + line for line in lines), "}"]
        assembly = assembly.replace("\\", "/")
        for number, line in enumerate(lines):
            text = "    " + line
            self.body.append(f"{text:<{COMMENT}}// {assembly}" if number == (1 if scoped else 0) else text)

    def _whole(self, leaders: set[int]) -> CProgram:
        slots = self.slots
        self.writer.vector_type(8, 16)
        vectors = tuple(s for s in sorted(self.used) if s < slots.vectors)
        core = tuple(s for s in sorted(self.used) if slots.vectors <= s < slots.nzcv)
        word, flags = c_scalar(slots.word.bits), slots.flags
        fields = [f"    uint64_t steps, next, {', '.join(flags)};"]
        if core:
            fields.append(f"    uint64_t {', '.join(self.register(s) for s in core)};")
        fields += [f"    uint8_t {self.register(s)}[16];" for s in vectors]
        path = re.sub(r"[^\w./+-]", "_", self.program.path)
        title = f"{self.name} ({self.program.isa}), translated by neonsim"
        text = [*self.helpers.values(), "",
                "/* Registers before and after a call. */", "struct state {", *fields, "};", "",
                f"int {self.name}(struct state *s, struct memory *m, const uint64_t limit) {{",
                "    uint64_t steps = 0, next = s->next, target = 0, before = 0, back = 0;",
                "    uint32_t *log = m->log, *const log_end = m->log_end;",
                "    int status = ELSEWHERE;"]
        text += [f"    u8x16 {self.register(s)}; memcpy(&{self.register(s)}, s->{self.register(s)}, 16);"
                 for s in vectors]
        text += [f"    {word} {self.register(s)} = ({word})s->{self.register(s)};" for s in core]
        text += [f"    uint8_t {f} = (uint8_t)s->{f};" for f in flags]
        text += [f"    struct range *{near} = &m->nowhere;" for near in sorted(self.near)]
        text += ["    (void)target; (void)before; (void)back;", "dispatch:", "    switch (next) {"]
        text += [f"    case {index}: goto {self.label(index)};" for index in sorted(leaders)]
        text += ["    default: goto out;", "    }"]
        text += self.body
        if any("goto branch;" in line for line in self.body):
            text += ["branch:", f"    if (target == {RETURN:#x}) {{ next = before; status = RETURNED; goto out; }}",
                     "    switch (target) {",
                     *(f"    case {self.program.address(index):#x}: next = {index}; goto dispatch;"
                       for index in sorted(leaders)), "    }",
                     "    next = before; steps -= back; status = ELSEWHERE;"]
        text += ["out:", "    m->log = log;", "    s->steps += steps;", "    s->next = next;"]
        text += [f"    memcpy(s->{self.register(s)}, &{self.register(s)}, 16);" for s in vectors]
        text += [f"    s->{self.register(s)} = {self.register(s)};" for s in core]
        text += [f"    s->{f} = {f};" for f in flags]
        text += ["    return status;", "}"]
        kinds = {**{self.register(s): "u8x16" for s in vectors}, **{self.register(s): word for s in core}}
        start = [f"    goto {self.label(self.entry)};"] if self.entry != min(leaders) else []
        part = readable(f"{title} from {path}", self.name, self.helpers.values(), kinds, [*start, *self.body], COMMENT)
        # The library is found by its text: of a file elsewhere with the same instructions it is the same.
        whole = "\n".join([f"/* {title} */", PRELUDE, *text, CALLS.replace("RUN(", f"{self.name}(")])
        return CProgram(whole, part, self.name, vectors, core, frozenset(leaders))


def translate_c(program: Program, entry: str | None = None) -> CProgram:
    """Return a program, from one entry on, as a C file.

    program   with data: as it is in a memory, see `loader.load`
    entry     label; as in `Machine.call`

    Raises AssemblyError for an unknown entry.
    """
    index = program.entry(entry)
    names = {i: n for n, i in reversed(program.labels) if not n.isdigit()}
    name = _TAG.sub("_", entry or names.get(index, "program"))
    return _Translator(program, index, f"neon_{name}").translate()
