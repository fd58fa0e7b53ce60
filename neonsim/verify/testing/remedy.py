"""What to do about a call that fails: the sanitizer's remedy, or what the wrong value and its run hint at."""

from __future__ import annotations

import numpy as np

from neonsim.arm.machine.memory.violations import get_rule
from neonsim.arm.machine.trace.overflow import Wrap
from neonsim.ukernel import Case
from neonsim.verify.checking import FailingCase
from neonsim.verify.checking.element_flow import ByteOrigin

__all__ = ["remedy_of"]

SATURATE = "Saturate: the result wrapped where it should stop at its limit (SQADD, UQADD, SQXTN, UQXTN)."


def remedy_of(failing: FailingCase, case: Case, dtype: str) -> tuple[str, str]:
    """(cause, remedy): what went wrong on the way to the element, "" where the run does not say; what to do.

    dtype   of the wrong element, "" where there is none
    """
    if failing.rule:
        return "", get_rule(failing.rule).remedy
    if failing.report:
        return "", "Step through the last instructions of the call: the report above names them."
    if failing.index is None:
        return "", "Store elements of the output alone: what lies between its rows must stay."
    if failing.step is None:
        return "", "Store this element: the loop ends before it, or its tail is missing."
    wrap = _wrap(failing, case)
    if wrap is not None:
        cause = f"{_place(wrap, failing)}: {wrap.value} where {wrap.exact} belongs, as {wrap.type}"
        if wrap.effect == "lost bits":
            return cause, "Narrow with saturation (SQXTN, UQXTN, SQXTUN), or shift less."
        if _is_limit(failing.expected, dtype) and int(wrap.type[1:]) == 8 * np.dtype(dtype).itemsize:
            return cause, SATURATE
        return cause, (f"Add up in wider lanes: more than {wrap.type[1:]} bits are needed (UADALP, SADALP, UADDW, "
                       "SMLAL), or add partial sums earlier.")
    assert failing.expected is not None and failing.got is not None
    return "", _by_value(failing.expected, failing.got, dtype)


def _place(wrap: Wrap, failing: FailingCase) -> str:
    """Where an instruction stands, and in C."""
    text = f"line {wrap.line}, {wrap.instruction}"
    assert failing.trace is not None
    program = failing.trace.program
    for pc, (number, line) in enumerate(program.origins):
        if number and program.instructions[pc].position.line == wrap.line:
            return f"{text} (C line {number}: {' '.join(line.split())})"
    return text


def _wrap(failing: FailingCase, case: Case) -> Wrap | None:
    """The first sum or narrowing on the element's way that did not hold its value."""
    trace, place = failing.trace, failing.place
    if trace is None or place is None:
        return None
    on_the_way = {trace.instruction(step - 1).position.line for step in ByteOrigin(trace, case, place).makers()}
    found = [one for one in trace.wraps().rows if one.line in on_the_way and one.exact is not None]
    return min(found, key=lambda one: one.first, default=None)


def _is_limit(value: float | None, dtype: str) -> bool:
    kind = np.dtype(dtype)
    return kind.kind in "iu" and value in (np.iinfo(kind).min, np.iinfo(kind).max)


def _by_value(expected: float, got: float, dtype: str) -> str:
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        limits, bits = np.iinfo(kind), 8 * kind.itemsize
        if expected in (limits.min, limits.max) and got not in (limits.min, limits.max):
            return SATURATE
        if got in (limits.min, limits.max) and limits.min < expected < limits.max:
            return "Do not saturate here, or saturate later: an intermediate value stopped at its limit."
        if abs(expected - got) == 1:
            return "Look at the rounding: ties, shifts without rounding (SHRN, RSHRN), doubling high halves."
        if (expected - got) % (1 << bits // 2) == 0:
            return f"Look at sums and products of {bits // 2} bits: it is wrong by a multiple of 2**{bits // 2}."
        if expected == -got:
            return "Look at the sign: operands of a subtraction, signed and unsigned forms (SMULL, UMULL)."
    elif expected == got:
        return "Zero has the wrong sign: keep the order of operands, or use FNMUL, FNEG where the definition does."
    elif np.isnan(expected) or np.isnan(got):
        return "Look at NaN: FMAX and FMIN return it, FMAXNM and FMINNM do not; comparisons with it are false."
    elif np.isclose(expected, got, rtol=8 * float(np.finfo(kind).eps)):
        return "Look at the order of sums, and at FMLA, which rounds once: the reference must do as the function does."
    return "Step through the page from the step above, and compare each lane with the definition."
