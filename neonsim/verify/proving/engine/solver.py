"""Asking solvers: is there data for which formulas hold? z3 and cvc5 are imported here, and nowhere else."""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from neonsim.arm.semantics import Term, TermPool
from neonsim.arm.semantics.interp.bitvectors import Bits, FormulaBuilder, TermFormulas, different
from neonsim.common.extras import install
from neonsim.common.integers import is_int
from neonsim.errors import BadArgument, MissingPackage

__all__ = ["NEEDED", "SolverAnswer", "ask", "ask_each", "ask_text", "available", "limit_of"]

SOLVERS = {"z3": "z3-solver", "cvc5": "cvc5"}  # module -> package
NEEDED = "neonsim[prove]"
MAX_SECONDS = 86_400
FLOATING = ("simplify", "fpa2bv", "simplify", "ackermannize_bv", "bit-blast", "sat")  # z3's, of floating point


@dataclass(frozen=True)
class SolverAnswer:
    """What a solver says.

    satisfiable  True: there is such data; False: there is none; None: it does not know
    values   {name of a variable: unsigned value}, if there is such data
    solver   which one        seconds   how long it took
    reason   why it does not know
    """

    satisfiable: bool | None
    values: dict[tuple[Any, ...], int]
    solver: str
    seconds: float = 0.0
    reason: str = ""


def available() -> list[str]:
    """Return the solvers that can be imported, in the order in which they are asked."""
    return [name for name in SOLVERS if _module(name) is not None]


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def limit_of(seconds: float, solver: str | None) -> float:
    """Return a time limit that is one, for a solver that is one."""
    if solver is not None and solver not in SOLVERS:
        raise BadArgument(f"unknown solver {solver!r}; use {', '.join(SOLVERS)}")
    if not (is_int(seconds) or isinstance(seconds, float)) or not 0 < seconds <= MAX_SECONDS:
        raise BadArgument(f"seconds must be more than 0 and at most {MAX_SECONDS}; got {seconds!r}")
    return float(seconds)


def ask_each(pool: TermPool, pairs: Sequence[tuple[Term, Term]], *, zero: Sequence[Term] = (), seconds: float,
             solver: str | None = None) -> SolverAnswer:
    """Return whether any pair of terms may differ: pairs of the same inputs are one question, the small ones first.

    zero      terms that are 0 in all data that counts
    seconds   of all questions together

    Raises as `ask`, and NoFormula for words that have none.
    """
    ends = time.monotonic() + seconds
    groups: dict[frozenset[Any], list[tuple[Term, Term]]] = {}
    for pair in pairs:
        groups.setdefault(frozenset(pool.inputs(pair[0]) | pool.inputs(pair[1])), []).append(pair)
    solvers: dict[str, float] = {}
    unsure: SolverAnswer | None = None
    for names in sorted(groups, key=len):
        for opaque in (True, False):
            formulas = FormulaBuilder()
            read = TermFormulas(pool, formulas, opaque)
            kept = [formulas.make("=", n, formulas.number(0, n.bits)) for n in read.get(list(zero))]
            truths = [*different(read, groups[names]), *kept]
            if opaque and not read.products:
                continue
            left = ends - time.monotonic()
            answer = ask(formulas, truths, seconds=max(0.001, left / 2 if opaque else left), solver=solver)
            if answer.satisfiable is False:
                break  # without products it holds for what they may be, and for what they are
        if answer.satisfiable:
            return answer
        unsure = answer if answer.satisfiable is None else unsure
        solvers[answer.solver] = solvers.get(answer.solver, 0) + answer.seconds
    if unsure:
        return unsure
    return SolverAnswer(False, {}, " and ".join(sorted(solvers)), sum(solvers.values()))


def ask(formulas: FormulaBuilder, truths: list[Bits], *, seconds: float, solver: str | None = None) -> SolverAnswer:
    """Return whether there is data for which all of these, of one bit each, are 1.

    seconds   of each solver
    solver    "z3" or "cvc5"; left out: z3, and cvc5 if it does not know and cvc5 is there

    Raises MissingPackage if it is not installed.
    """
    if any(t.constant == 0 for t in truths):
        return SolverAnswer(False, {}, "no solver was needed")
    text, variables = formulas.problem(truths), formulas.variables(truths)
    answer = ask_text(text, seconds=seconds, solver=solver)
    return replace(answer, values={n.args[0]: answer.values[(short,)] for short, n in variables.items()}
                   if answer.satisfiable else {})


def ask_text(text: str, *, seconds: float, solver: str | None = None) -> SolverAnswer:
    """Return the same of SMT-LIB text, which ends in (check-sat); its variables are vectors of bits: {(name,):
    value}."""
    names = [solver] if solver else available()
    if not names or _module(names[0]) is None:
        package = SOLVERS[solver or "z3"]
        raise MissingPackage(f"this claim needs a solver: {install('cvc5' if package == 'cvc5' else NEEDED)}.")
    answer = SolverAnswer(None, {}, "")
    for name in names:
        began = time.monotonic()
        found, values, reason = (_z3 if name == "z3" else _cvc5)(text, seconds)
        answer = SolverAnswer(found, _Named(values), name, time.monotonic() - began, reason)
        if found is not None:
            break
    return answer


Said = tuple[bool | None, dict[str, int], str]


def _z3(text: str, seconds: float) -> Said:
    z3 = _module("z3")
    context = z3.Context()  # its own, so that any thread may ask
    if "FloatingPoint" in text:     # half the time that z3's own way takes
        one = z3.Then(*(z3.Tactic(step, ctx=context) for step in FLOATING), ctx=context).solver()
    else:
        one = z3.SolverFor("QF_BV", ctx=context)
    one.set("timeout", max(1, int(seconds * 1000)))
    one.from_string(text)
    said = one.check()
    if said == z3.sat:
        model = one.model()
        values = {str(place.name()): model[place].as_long() for place in model
                  if isinstance(model[place], z3.BitVecNumRef)}
        return True, values, ""
    return (False, {}, "") if said == z3.unsat else (None, {}, one.reason_unknown())


def _cvc5(text: str, seconds: float) -> Said:
    cvc5 = _module("cvc5")
    one = cvc5.Solver(cvc5.TermManager())
    one.setOption("produce-models", "true")
    one.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
    parser = cvc5.InputParser(one)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text.replace("(check-sat)", ""), "question")
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        command.invoke(one, symbols)
    said = one.checkSat()
    if said.isSat():
        return True, {term.getSymbol(): int(one.getValue(term).getBitVectorValue(10))
                      for term in symbols.getDeclaredTerms()}, ""
    return (False, {}, "") if said.isUnsat() else (None, {}, str(said.getUnknownExplanation()))


class _Named(dict[tuple[Any, ...], int]):
    """Values by (name,); what a model does not mention may be anything, so 0."""

    def __init__(self, values: dict[str, int]) -> None:
        super().__init__({(name,): value for name, value in values.items()})

    def __missing__(self, name: tuple[Any, ...]) -> int:
        return 0
