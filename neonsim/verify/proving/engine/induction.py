"""Memory safety for every size: a loop by induction over its rounds, all else by walking every path.

At the head of a loop that depends on the unknown size, registers that a round moves by a fixed number are that many
rounds further on, what else a round changes is anything, and facts hold: those that are given, or those that are tried
(a counter is not below 0, or not below 1) and kept as long as they hold. Base: they hold where the loop is reached
first. Step: if they hold at the head in round i, they hold in round i + 1 wherever the head is reached again. Every
access on the way, in the round and behind the loop lies inside its buffer. Rounds are counted below a bound, which is
part of what is proved, so the loop also comes to its end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from neonsim.arm.asm import Program
from neonsim.arm.machine.arch.registers import AARCH32, AARCH64
from neonsim.arm.machine.symbolic.paths import Access, Branch, Path, split
from neonsim.arm.semantics import PolynomialLanes, Term, TermPool, element
from neonsim.arm.semantics.interp.bitvectors import Bits, FormulaBuilder, TermFormulas
from neonsim.arm.semantics.interp.polynomials import Polynomial
from neonsim.errors import BadArgument

from .invariants import Clause
from .solver import SolverAnswer, ask

__all__ = ["Failed", "SymbolicBuffer", "Walker"]

MAX_ROUNDS = {"aarch64": 1 << 26, "aarch32": 1 << 21}  # times what a round moves by, that fits a register
MAX_PATHS = 4_000
MAX_STEPS = 20_000
_ORDER = {"<=": (False, 0), "<": (False, 1), ">=": (True, 0), ">": (True, 1)}


@dataclass(frozen=True)
class SymbolicBuffer:
    """What a pointer leads to.

    size           bytes, of the unknown sizes      writable   may be stored to
    before, after  bytes outside that may be read
    """

    size: Polynomial
    writable: bool
    before: int = 0
    after: int = 0


class Failed(Exception):
    """A claim that was not proved: ``answer`` has the data for which it does not hold, or says why the answer is
    unknown."""

    def __init__(self, what: str, answer: SolverAnswer | None = None) -> None:
        super().__init__(what)
        self.answer = answer


class _Found(Exception):
    """A branch back to a head, on an unknown condition."""

    def __init__(self, arrival: int, path: Path) -> None:
        self.arrival, self.path = arrival, path


class _Drop(Exception):
    """A guess that does not hold in the next round: of a register (a slot), or a fact (its number)."""

    def __init__(self, head: int, slot: int | None = None, fact: int | None = None) -> None:
        self.head, self.slot, self.fact = head, slot, fact


@dataclass(frozen=True)
class _Fact:
    """Terms that are 0 if it holds in this round, and in the next one; whether it is given; how to say it."""

    now: Term
    then: Term
    given: bool
    text: str


@dataclass
class _Loop:
    """What is said of the head of a loop in round i.

    rounds      the number of the variable that counts them
    now, then   {slot: its term} in this round and in the next one
    same        {slot: its term} of those that a round leaves alone      stack   likewise of the stack
    facts       the last one bounds the rounds
    """

    stack: dict[int, tuple[Term, int]]
    rounds: int
    now: dict[int, Term] = field(default_factory=dict)
    then: dict[int, Term] = field(default_factory=dict)
    same: dict[int, Term] = field(default_factory=dict)
    facts: list[_Fact] = field(default_factory=list)


class Walker:
    """All paths through a program.

    buffers    {name of a pointer: what it leads to}
    names      {argument: its polynomial}: what invariants may name
    invariants  clauses of invariants
    ends       when to give up, by time.monotonic
    """

    def __init__(self, pool: TermPool, program: Program, buffers: dict[str, SymbolicBuffer],
                 names: dict[str, Polynomial],
                 invariants: list[Clause], ends: float, solver: str | None) -> None:
        self.pool, self.program, self.buffers, self.names = pool, program, buffers, names
        self.given, self.ends, self.solver = invariants, ends, solver
        self.slots = AARCH64 if program.isa == "aarch64" else AARCH32
        self.most = MAX_ROUNDS[program.isa]
        self.heads = {i.target for at, i in enumerate(program.instructions) if i.is_branch and i.target is not None
                      and i.target <= at}
        self.loops: dict[int, _Loop] = {}
        self.arrived: dict[int, tuple[int, Path]] = {}
        self.said: dict[int, str] = {}       # line of a loop -> its invariant
        self.solvers: set[str] = set()
        self.count = self.paths = self.questions = self.accesses = self.used = 0

    # -- walking
    def walk(self, path: Path) -> None:
        """From here to every return. Raises Failed."""
        for _ in range(MAX_STEPS):
            if path.pc in self.heads:
                if path.pc in self.loops:
                    self._again(path)
                else:
                    self._at_head(path)
                return
            fork = self._step(path)
            if path.is_finished:
                self._accesses(path)
                return
            if fork is not None:
                self._accesses(path)
                self._both(path, fork)
                return
        raise Failed(f"a path has more than {MAX_STEPS} instructions")

    def _step(self, path: Path) -> Branch | None:
        before = len(path.stack.accesses)
        fork = path.step()
        self.accesses += len(path.stack.accesses) - before
        return fork

    def _both(self, path: Path, fork: Branch) -> None:
        self.paths += 1
        if self.paths > MAX_PATHS:
            raise Failed(f"there are more than {MAX_PATHS} decisions, so there are too many paths to follow")
        back = fork.yes is not None and fork.yes <= path.pc
        for side in (True, False):
            made = path.take_branch(fork, side)
            if side and back and fork.yes not in self.loops and fork.yes in self.arrived:
                raise _Found(self.arrived[fork.yes or 0][0], made)
            self._go(made)

    def _go(self, path: Path) -> None:
        """On, behind a decision; the conditional instruction that was done may have been a return."""
        if path.is_finished:
            self._accesses(path)
        else:
            self.walk(path)

    def _at_head(self, path: Path) -> None:
        """The first arrival at what may be the head of a loop."""
        head, before = path.pc, self.arrived.get(path.pc)
        self.count += 1
        number = self.count
        self.arrived[head] = number, path.copy()
        try:
            on = path.copy()
            fork = self._step(on)
            if fork is None:
                self._go(on)
            else:
                self._accesses(on)
                self._both(on, fork)
        except _Found as found:
            if found.arrival != number:
                raise
            self._induction(path, found.path)
        finally:
            if before is None:
                self.arrived.pop(head, None)
            else:
                self.arrived[head] = before

    # -- induction
    def _induction(self, first: Path, second: Path) -> None:
        """Everything from the head of a loop on: ``first`` where it is reached first, ``second`` a round later."""
        self._accesses(first)
        head = first.pc
        kept: set[int] = set()       # slots of which nothing is said
        dropped: set[int] = set()    # facts that do not hold
        while True:
            loop, changed = self._guess(first, second, kept)
            for number, fact in enumerate(loop.facts):
                if number not in dropped and not self._base(first, fact):
                    dropped.add(number)
            loop.facts = [fact for number, fact in enumerate(loop.facts) if number not in dropped]
            numbers = [n for n in range(len(loop.facts) + len(dropped)) if n not in dropped]
            path = self._in_round(first, loop, changed)
            self.loops[head] = loop
            try:
                fork = self._step(path)
                if fork is None:
                    self._go(path)
                else:
                    self._accesses(path)
                    self._both(path, fork)
            except _Drop as drop:
                if drop.head != head:
                    raise
                if drop.slot is not None:
                    kept.add(drop.slot)
                    dropped = set()
                elif drop.fact is not None:
                    dropped.add(numbers[drop.fact])
                continue
            finally:
                del self.loops[head]
            self.said[self._line(head)] = self._text(loop, head)
            return

    def _line(self, head: int) -> int:
        return self.program.instructions[head].position.line

    def _guess(self, first: Path, second: Path, kept: set[int]) -> tuple[_Loop, list[int]]:
        """(what is said of a round, the slots that a round changes and of which nothing is said)."""
        pool, slots = self.pool, self.slots
        word = slots.word
        self.count += 1
        rounds = pool.variable(("rounds", self.count), element("u", word.bits), (0, self.most))
        i = rounds.polynomial
        self.names[f"iterations_{self._line(first.pc)}"] = i
        loop, changed = _Loop(dict(first.stack.cells), next(iter(i))[0]), []
        one, other = first.state.slots, second.state.slots
        given = self._given(first.pc)
        defined = {clause.defines: clause for clause in given if clause.defines in slots.index}
        for slot in range(slots.vectors, slots.vectors + slots.core):
            clause = defined.get(slots.names[slot])
            before, after = one[slot].lanes[0], other[slot].lanes[0]
            if clause is not None:
                now, then = (self._worth(clause, p) for p in (i, pool.sum(i, {(): 1})))
                self._demand(first, _differ(pool, before, self._worth(clause, {})),
                             f"the invariant '{clause.text}' does not hold at the start of the loop")
            elif before is after and slot not in kept:
                loop.same[slot] = before
                continue
            else:
                step = pool.plus(after, before, -1).constant
                if not step or slot in kept:
                    changed.append(slot)
                    continue
                step -= (step >> word.bits - 1) << word.bits
                now, then = (pool.make(word.bits, pool.sum(before.polynomial, pool.product(p, {(): step})))
                             for p in (i, pool.sum(i, {(): 1})))
                if step < 0 and split(pool, before)[0] is None and not given:
                    loop.facts += [_Fact(self._below(now, n), self._below(then, n), False,
                                         f"{slots.names[slot]} >= {n}") for n in (1, 0)]
            loop.now[slot], loop.then[slot] = now, then
        for clause in given:
            if clause.defines not in slots.index:
                both = (self._broken(clause, p, known, first) for p, known in (
                    (i, loop.now), (pool.sum(i, {(): 1}), loop.then)))
                loop.facts.append(_Fact(next(both), next(both), True, clause.text))
        beyond = pool.make(8, pool.less_than({(): self.most}, pool.sum(i, {(): 1})))
        loop.facts.append(_Fact(pool.number(0, 8), beyond, True, ""))
        return loop, changed

    def _is_rounds(self, number: int) -> bool:
        v = self.pool.variable_numbered(number)
        return v.op == "input" and v.args[0] == "rounds"

    def _below(self, term: Term, n: int) -> Term:
        return self.pool.make(8, self.pool.less_than(self.pool.value(term, "s"), {(): n}))

    def _in_round(self, first: Path, loop: _Loop, changed: list[int]) -> Path:
        """The head in any round."""
        path, slots = first.copy(), self.slots
        path.stack.accesses.clear()
        for slot, term in loop.now.items():
            path.state.slots[slot] = PolynomialLanes(self.pool, (term,), slots.word)
        for slot in changed:
            path.state.slots[slot] = path.havoc(slots.word)
        path.state.slots[slots.nzcv] = path.havoc(element("u", 8)) & 15
        path.conditions += [(fact.now, False) for fact in loop.facts if fact.now.constant is None]
        return path

    def _base(self, first: Path, fact: _Fact) -> bool:
        """Whether a fact holds where the loop is reached first, in round 0."""
        counts = {n for n in self.pool.variables_of([fact.now]) if self._is_rounds(n)}
        zero = [(self.pool.make(64, {(n,): 1}), False) for n in counts if n == max(counts)]
        answer = self._ask([*first.conditions, *zero], [fact.now])
        if answer.satisfiable is False:
            return True
        if fact.given:
            raise Failed(f"the invariant of line {self._line(first.pc)} does not hold at the start of the loop",
                         answer)
        return False

    def _again(self, path: Path) -> None:
        """The head is reached again: what was said of round i must hold in round i + 1."""
        self._accesses(path)
        head = path.pc
        loop, line = self.loops[head], self._line(head)
        for slot, then in loop.then.items():
            now = path.state.slots[slot].lanes[0]
            if now is not then:
                answer = self._ask(path.conditions, [_differ(self.pool, now, then)])
                if answer.satisfiable is not False:
                    if self._given(head):
                        raise Failed(f"{self.slots.names[slot]} does not satisfy the invariant of line {line} in the "
                                     f"next iteration", answer)
                    raise _Drop(head, slot=slot)
        for number, fact in enumerate(loop.facts):
            answer = self._ask(path.conditions, [fact.then])
            if answer.satisfiable is not False:
                if fact.given:
                    what = ("its iterations are not bounded by what is known" if number == len(loop.facts) - 1 else
                            "an invariant is not kept from one iteration to the next")
                    raise Failed(f"line {line}: {what}", answer)
                raise _Drop(head, fact=number)
        for slot, term in loop.same.items():
            if path.state.slots[slot].lanes[0] is not term:
                raise _Drop(head, slot=slot)
        if any(path.stack.cells.get(at) != cell for at, cell in loop.stack.items()):
            raise Failed(f"line {line}: an iteration changes data on the stack")

    # -- invariants that are given
    def _given(self, head: int) -> list[Clause]:
        line = self._line(head)
        lines = sorted({self._line(h) for h in self.heads})
        known = [clause for clause in self.given if clause.line == line or (clause.line is None and (
            len(lines) == 1 or line == lines[0]))]
        # A loop may be reached past another one: what counts that one's rounds says nothing here.
        absent = {f"iterations_{n}" for n in lines} - self.names.keys()
        return [] if any(absent & clause.names for clause in known) else known

    def _worth(self, clause: Clause, i: Polynomial) -> Term:
        """What a clause says that a register holds."""
        return self.pool.make(self.slots.word.bits, clause.right.value(self.pool, self._names(i, {}, None)))

    def _names(self, i: Polynomial, known: dict[int, Term], first: Path | None) -> Callable[[str], Polynomial]:
        def of(name: str) -> Polynomial:
            if name == "i":
                return i
            slot = self.slots.index.get(name, -1)
            if slot in known:
                return self.pool.value(known[slot], "s")
            if first is not None and self.slots.vectors <= slot < self.slots.vectors + self.slots.core:
                return self.pool.value(first.state.slots[slot].lanes[0], "s")
            if name in self.names:
                return self.names[name]
            raise BadArgument(f"the invariant names {name}, which is not a register with a value here, an argument "
                              f"({', '.join(self.names)}) or i")
        return of

    def _broken(self, clause: Clause, i: Polynomial, known: dict[int, Term], first: Path) -> Term:
        """0 if a comparison holds."""
        pool, of = self.pool, self._names(i, known, first)
        left, right = (side.value(pool, of) for side in (clause.left, clause.right))
        if clause.relation == "==":
            return pool.plus(pool.make(8, pool.less_than(left, right)), pool.make(8, pool.less_than(right, left)))
        swapped, strict = _ORDER[clause.relation]
        less, more = (right, left) if swapped else (left, right)
        return pool.make(8, pool.less_than(more, pool.sum(less, {(): strict})))

    # -- questions
    def _accesses(self, path: Path) -> None:
        """All that has been touched since the last decision lies inside its buffer."""
        waiting, path.stack.accesses = path.stack.accesses, []
        bad: dict[Term, Access] = {}
        for access in waiting:
            for truth in self._outside(path, access):
                if truth.constant is None or truth.constant:
                    bad.setdefault(truth, access)
        if not bad:
            return
        answer = self._ask(path.conditions, list(bad))
        if answer.satisfiable is False:
            return
        access = next(iter(bad.values()))
        if answer.satisfiable:
            values = _Zero(answer.values)
            access = next((a for t, a in bad.items() if self.pool.evaluate([t], values)[0]), access)
        where = access.instruction.position
        raise Failed(f"{where.path}:{where.line}: {access.instruction} may access bytes outside its buffer", answer)

    def _outside(self, path: Path, access: Access) -> list[Term]:
        """Truths: an access lies before its buffer, or behind it."""
        pool, where = self.pool, access.instruction.position
        base, offset = split(pool, access.address)
        buffer = self.buffers.get(base or "")
        if buffer is None or offset is None or (access.store and not buffer.writable):
            if self._ask(path.conditions, []).satisfiable is False:
                return []  # no data leads here
            what = (f"writes to {base}, which is only read" if buffer is not None and offset is not None else
                    "is at an address of which no buffer is known")
            raise Failed(f"{where.path}:{where.line}: {access.instruction} {what}")
        before, after = (0, 0) if access.store else (buffer.before, buffer.after)
        at = pool.value(offset, "s")
        return [pool.make(8, pool.less_than(at, {(): -before} if before else {})),
                pool.make(8, pool.less_than(pool.sum(buffer.size, {(): after} if after else {}),
                                       pool.sum(at, {(): access.nbytes})))]

    def _demand(self, path: Path, broken: Term, what: str) -> None:
        if broken.constant == 0:
            return
        answer = self._ask(path.conditions, [broken])
        if answer.satisfiable is not False:
            raise Failed(what, answer)

    def _ask(self, conditions: list[tuple[Term, bool]], bad: list[Term]) -> SolverAnswer:
        """Whether there is data on these conditions for which any of these is other than 0; none named: any data."""
        if bad and all(t.constant == 0 for t in bad):
            return SolverAnswer(False, {}, "no solver was needed")
        left = self.ends - time.monotonic()
        if left <= 0:
            raise Failed("the time limit is reached")
        f = FormulaBuilder()
        read = TermFormulas(self.pool, f)

        def truth(term: Term, wanted: bool) -> Bits:
            value, = read.get([term])
            zero = f.make("=", value, f.number(0, term.bits))
            return f.negated(zero) if wanted else zero
        truths = [truth(term, wanted) for term, wanted in conditions]
        if bad:
            some = f.number(0, 1)
            for term in bad:
                some = f.make("bvor", some, truth(term, True))
            truths.append(some)
        self.questions += 1
        answer = ask(f, [*truths, *read.bounds], seconds=left, solver=self.solver)
        if answer.satisfiable is False and answer.solver in ("z3", "cvc5"):
            self.solvers.add(answer.solver)
        return answer

    # -- words
    def _text(self, loop: _Loop, head: int) -> str:
        """The invariant, in the language of invariants as far as that can say it."""
        rows = []
        for slot, term in loop.now.items():
            said = self._said(term, loop)
            rows.append(f"{self.slots.names[slot]} == {said}" if said else
                        f"({self.slots.names[slot]} moves by a fixed number an iteration)")
        facts = [fact.text for fact in loop.facts if fact.text]
        # What is at least 1 is at least 0.
        return "; ".join([*rows, *(text for text in facts if text.removesuffix("0") + "1" not in facts)])

    def _said(self, term: Term, loop: _Loop) -> str:
        parts: list[str] = []
        for monomial, c in sorted(term.polynomial.items(), key=lambda one: (len(one[0]) == 0, str(one[0]))):
            names = []
            for number in monomial:
                v = self.pool.variable_numbered(number)
                if v.op != "input" or v.args[0] not in ("base", "size", "rounds"):
                    return ""
                names.append("i" if number == loop.rounds else self._rounds_of(number) if v.args[0] == "rounds" else
                             str(v.args[1]))
            text = "*".join([*([str(abs(c))] if abs(c) != 1 or not names else []), *names])
            parts.append(f"{'- ' if c < 0 else '+ ' if parts else ''}{text}")
        return " ".join(parts) or "0"

    def _rounds_of(self, number: int) -> str:
        """The name of the iterations that a loop further up has made."""
        return next((name for name, n in self.names.items() if n == {(number,): 1}), "iterations")


class _Zero(dict[tuple[Any, ...], int]):
    def __missing__(self, name: tuple[Any, ...]) -> int:
        return 0


def _differ(pool: TermPool, n: Term, m: Term) -> Term:
    """0 if both are the same."""
    return pool.make(8, pool.sum({(): 1}, pool.product(pool.equal(n, m), {(): -1})))
