"""The kernel, the tile of it and the instruction that write one byte of a layer, found by running that tile alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from neonsim.arm.timing import core_name, time
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Call, CopyRows
from neonsim.nn.backends.emulated import EmulatedBackend, EmulatedJob
from neonsim.nn.ops import Operator, WritingStep
from neonsim.nn.ops.explain.backends import writing_step
from neonsim.nn.ops.explain.element import ElementTrace
from neonsim.nn.ops.explain.rounding_cause import alternatives
from neonsim.quant.requant.lab import SCHEMES

__all__ = ["WritingCall", "find_writer"]


@dataclass(frozen=True, eq=False)
class WritingCall:
    """Who wrote a byte.

    step          WritingStep or None   None: no kernel did
    reason        str                   why there is none, or another than asked for: a sentence; ""
    tiles         int                   that the layer has of this kernel, counted
    tile_size     str                   the size of one
    instructions  int                   of this tile, counted
    core, cycles  str, float            of this tile, modelled, if a core was named
    value         int                   of the layer, as a byte
    side          str                   whose byte it is: name of the arithmetic
    """

    step: WritingStep | None = None
    reason: str = ""
    tiles: int = 0
    tile_size: str = ""
    instructions: int = 0
    core: str = ""
    cycles: float = 0.0
    value: int = 0
    side: str = ""

    @property
    def agrees(self) -> bool:
        """The tile, run alone, gave the byte that the layer has."""
        return self.step is None or self.step.value == self.value

    def lines(self) -> list[str]:
        """As text."""
        if self.step is None:
            return [self.reason]
        first, *rest = str(self.step).splitlines()
        found = [*([self.reason] if self.reason else []), first, *(line[4:] for line in rest),
                 f"    one of {self.tiles} tiles of this layer: {self.tile_size}"]
        cost = f"    {self.instructions:,} instructions (counted)"
        found.append(cost + (f", {self.cycles:,.0f} cycles on {self.core} (modelled)" if self.core else ""))
        if not self.agrees:
            found.append(f"    THE TILE ALONE GIVES {self.step.value}, the layer has {self.value}: please report it")
        return found


def find_writer(operator: Operator, values: Sequence[NDArray[Any]], account: ElementTrace, flat: int, *,
            isa: str = "aarch64",
            core: str | None = None) -> WritingCall:
    """Who writes an element of a result.

    values    of the inputs, whole
    account   how the element came about
    flat      its place in memory

    Where no kernel has the operator's rule of rounding, one that makes the same byte of the same sum is taken, and
    that is said.
    """
    if operator.output_type.itemsize != 1:
        return WritingCall(reason=f"no kernel writes it: results of {operator.kind} are {operator.output_type.dtype}, "
                           "and kernels here write bytes")
    try:
        return _traced(operator, values, account, flat, isa, core)
    except BackendError as problem:
        said = str(problem).removeprefix("The emulated backend does not support this: ").rstrip(".")
    ways = alternatives(account)
    for rule in sorted(ways, key=lambda name: name not in SCHEMES or not SCHEMES[name].twice):
        product: Any = operator
        if operator.requantizes and ways[rule].value == account.value:
            try:
                found = _traced(product.rounded_by(rule), values, account, flat, isa, core)
            except (BackendError, BadArgument):
                continue
            if found.step is not None and found.agrees:
                bits = " with multipliers of 31 bits" if product.finish.wide(product) is not None else ""
                return replace(found, reason=f"no kernel for {operator.output_type.dtype} rounds by "
                                          f"{product.requantization}{bits}; one that rounds by {rule}, "
                                          "which gives the same byte here:")
    return WritingCall(reason=f"no NEON kernel writes it: {said}")


def _traced(operator: Operator, values: Sequence[NDArray[Any]], account: ElementTrace, flat: int, isa: str,
            core: str | None) -> WritingCall:
    plan = operator.plan(*(v.shape for v in values), backend=EmulatedBackend(isa, core))
    for operand, given in zip(plan.inputs, values, strict=True):
        plan.inputs_view(operand.name)[...] = given.reshape(operand.shape)
    contracts = {step.implementation.contract for step in plan.job.steps if isinstance(step, Call)}
    if len(contracts) > 1 or any(isinstance(step, CopyRows) for step in plan.job.steps):
        assert isinstance(plan.loaded, EmulatedJob)
        plan.loaded.run(but=plan.result)    # the tile reads what other steps write
    if not contracts:
        return WritingCall(reason="no kernel writes it: its bytes are copied, and nothing is computed")
    step = writing_step(plan, flat, account.total)
    if step is None:
        return WritingCall(reason="no kernel writes it: a copy behind the kernels does")
    call = plan.job.calls[step.call]
    tiles = sum(one.tiles for one in plan.job.calls if one.implementation.contract == call.implementation.contract)
    core = core_name(core) if core else ""
    cycles = float(time(step.trace, core=core).cycles) if core else 0.0
    return WritingCall(step, "", tiles, call.description, step.trace.steps, core, cycles, int(account.value) & 0xFF)
