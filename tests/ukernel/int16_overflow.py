"""Where two products of bytes did not add up in 16 bits: looked for in a recorded run.

SMLAL into lanes of 16 bits adds a product to another one. The sum fits as long as one factor of each product is
-127..127, since 2 * 128 * 127 = 32512 <= 32767; -128 * -128 twice is 32768, one too much (D12, Z17). Hardware does not
say so: the lane wraps, and the result is 65536 too small.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["PairOverflow", "pair_overflows"]

_A64 = re.compile(r"([su])mlal(2?)\s+v(\d+)\.8h, v(\d+)\.(?:8|16)b, v(\d+)\.(?:8|16)b")
_A32 = re.compile(r"vmlal\.([su])8\s+q(\d+), d(\d+), d(\d+)")


@dataclass(frozen=True)
class PairOverflow:
    """A lane that wrapped.

    step         int   of the trace
    lane         int   0..7 of the destination
    before       int   what the lane held: the first product, or the sum so far
    n, m         int   the factors of the product that was one too much
    """

    step: int
    lane: int
    before: int
    n: int
    m: int

    def __str__(self) -> str:
        return (f"step {self.step}, lane {self.lane}: {self.before} + {self.n} * {self.m} = "
                f"{self.before + self.n * self.m} is no 16-bit number")


def pair_overflows(trace: Any) -> tuple[PairOverflow, ...]:
    """Every multiplication of bytes that was added to a lane of 16 bits and did not fit, in the order of the run.

    trace   Trace   of one call, recorded (``trace=True``), of either instruction set

    >>> import neonsim as ns
    >>> program = ns.assemble("f: smull v0.8h, v1.8b, v2.8b\\n smlal v0.8h, v1.8b, v2.8b\\n ret", isa="aarch64")
    >>> machine = ns.Machine(isa="aarch64")
    >>> machine.start(program)
    >>> machine.registers["v1"] = machine.registers["v2"] = bytes([128, 127, 129] + [0] * 13)
    >>> machine.run()
    >>> [str(found) for found in pair_overflows(machine.trace())]
    ['step 1, lane 0: 16384 + -128 * -128 = 32768 is no 16-bit number']
    """
    found = []
    for step in range(len(trace)):
        operands = _operands(trace, step)
        if operands is None:
            continue
        before, n, m = operands
        info = np.iinfo(before.dtype)
        total = before.astype(np.int64) + n.astype(np.int64) * m.astype(np.int64)
        for lane in np.flatnonzero((total < info.min) | (total > info.max)):
            found.append(PairOverflow(step, int(lane), int(before[lane]), int(n[lane]), int(m[lane])))
    return tuple(found)


def _operands(trace: Any, step: int) -> tuple[Any, Any, Any] | None:
    """(destination before, factors, factors) as numbers, if the step is such a multiplication."""
    text = str(trace.instruction(step))
    if match := _A64.search(text):
        sign, upper, d, n, m = match.groups()
        state = trace.state(step)
        half = slice(8, 16) if upper else slice(0, 8)
        places = (state[f"v{d}"], state[f"v{n}"][half], state[f"v{m}"][half])
    elif match := _A32.search(text):
        sign, d, n, m = match.groups()
        state = trace.state(step)
        halves = [state[f"q{int(x) // 2}"][8 * (int(x) % 2):8 * (int(x) % 2) + 8] for x in (n, m)]
        places = (state[f"q{d}"], *halves)
    else:
        return None
    letter = "i" if sign == "s" else "u"
    first, second = (np.frombuffer(p, f"{letter}1") for p in places[1:])
    return np.frombuffer(places[0], f"<{letter}2"), first, second
