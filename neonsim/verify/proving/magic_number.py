"""The magic number of rounding in floating point, asked of a solver for all floats of a range."""

from __future__ import annotations

import struct
import time
from typing import Any

from neonsim.arm.asm import assemble
from neonsim.arm.machine import Machine
from neonsim.common.integers import as_int
from neonsim.quant.rounding import MAGIC_BITS

from .engine.solver import ask_text, limit_of
from .proof import CounterExample, Proof

__all__ = ["magic_number"]

# What vectors without a rounding conversion do, beside the instruction that has it.
PROGRAM = """f:  fadd   s2, s0, s1
    fmov   w0, s2
    sub    w0, w0, w1
    fcvtns w1, s0
    ret"""


# x are the bits of a float v, r those of the sum.
QUESTION = """(set-logic QF_BVFP)
(declare-const x (_ BitVec 32))
(declare-const r (_ BitVec 32))
(define-fun v () (_ FloatingPoint 8 24) ((_ to_fp 8 24) x))
(assert (fp.leq (fp.abs v) ((_ to_fp 8 24) (_ bv{end} 32))))
(assert (= ((_ to_fp 8 24) r) (fp.add RNE v ((_ to_fp 8 24) (_ bv{magic} 32)))))
(assert (not (= (bvsub r (_ bv{magic} 32)) ((_ fp.to_sbv 32) RNE v))))
(check-sat)
"""


def magic_number(limit: int = 1 << 22, *, seconds: float = 60.0, solver: str | None = None) -> Proof:
    """Return whether adding 12582912.0 and subtracting its bits rounds every float32 from -limit to limit, halves to
    even.

    bits(x + 12582912.0) - 0x4B400000 = round(x), for all float32 of -limit <= x <= limit

    limit     1 to 2**31
    seconds, solver   how long a solver is asked, and which; as in `equal`
    ->        Proof; a counter-example was run in the machine: the sum's low bits beside FCVTNS

    Raises MissingPackage without a solver: this is a question of its theory of floating point.
    Source: (R03).
    """
    began = time.monotonic()
    as_int(limit, "limit of the range", 1, 1 << 31)
    claim = f"bits(x + 12582912.0) - {MAGIC_BITS:#x} is x rounded, halves to even, for x from {-limit} to {limit}"
    assumed = ("every float32 of the range; sums are rounded to nearest, halves to even",
               "trusted: the solver, and its floating point")

    def proof(verdict: str, **more: Any) -> Proof:
        return Proof(claim, verdict, assumed, time.monotonic() - began, **more)
    end, = struct.unpack("<I", struct.pack("<f", limit))
    answer = ask_text(QUESTION.format(end=end, magic=MAGIC_BITS), seconds=limit_of(seconds, solver), solver=solver)
    if answer.satisfiable is False:
        return proof("proved")
    if answer.satisfiable is None:
        return proof("unknown", reason=f"{answer.solver}: {answer.reason}")
    bits = answer.values[("x",)]
    found = _run(bits)
    if found is None:
        return proof("unknown", reason=f"what {answer.solver} found makes no difference in the machine")
    return proof("refuted", counterexample=found)


def _run(bits: int) -> CounterExample | None:
    """The sum's low bits and FCVTNS of one number, in the machine; None if they agree."""
    machine = Machine(isa="aarch64")
    machine.start(assemble(PROGRAM, isa="aarch64"), 0, MAGIC_BITS)
    machine.registers["s0"], machine.registers["s1"] = bits, MAGIC_BITS
    machine.run()
    first, second = (machine.registers[name] & 0xFFFFFFFF for name in ("x0", "x1"))
    if first == second:
        return None
    value, = struct.unpack("<f", struct.pack("<I", bits))
    first, second = (n - (n >> 31 << 32) for n in (first, second))
    return CounterExample(f"x = {value!r}", first, second, {"x": bits}, (machine.trace(),),
                          "run with {where}, the low bits are {first}, and it rounds to {second}")
