"""The sums that a kernel requantises, and the call in which they may be anything: packed biases, all products being 0;
or what the kernel is given, if requantising is all it does.
"""

from __future__ import annotations

from neonsim.errors import BadArgument
from neonsim.ukernel import Case
from neonsim.ukernel.cases import cases
from neonsim.verify.checking import KernelUnderTest

from .symbolic_call import KernelCall, call_of, read_value, with_values
from .symbolic_inputs import Name, UnknownValue, values_of

__all__ = ["accumulator_call", "emptied", "requantized_accumulators", "steps_between", "unsupported_contract"]

SEEDS = 100     # of products: some indirect one has a row of data for each row


def accumulator_call(kernel: KernelUnderTest) -> KernelCall:
    """Return a call of the whole tile, as shallow as can be, in which every row can be given sums of its own.

    Raises BadArgument for a kernel that requantises no sums.
    """
    if _is_product(kernel.contract):
        sizes = {"mr": kernel.tile.mr, "nr": kernel.tile.nr or 1,
                 "kc": 1} | ({"ks": 1} if "igemm" in kernel.contract else {})
        calls = (call_of(kernel, sizes, (-127, 127), seed=seed) for seed in range(SEEDS))
        return next(call for call in calls if len({v.name[-2] for v in call.values if v.name[0] == "a"}) == sizes["mr"])
    if not _taken(kernel.contract):
        raise unsupported_contract(kernel.contract)
    found = (KernelCall(kernel, case, tuple(values_of(case, (-127, 127)))) for case in sorted(
        cases(kernel.contract, kernel.tile), key=_size) if "channels" not in case.values or
        case.number("channels") == kernel.tile.mr)
    call = next((call for call in found if "channels" not in call.case.values or _tap(call) is not None), None)
    if call is None:
        raise BadArgument(f"no case of {kernel.contract} is a full tile of {kernel.name}, so there is no claim to "
                          f"prove")
    return call


def _is_product(contract: str) -> bool:
    return "_gemm_" in contract or "_igemm_" in contract


def _taken(contract: str) -> bool:
    return "dwconv" in contract or contract.startswith("qu8_requantize")


def unsupported_contract(contract: str) -> BadArgument:
    """Return what is raised for a contract that requantises in no way that can be asked for."""
    return BadArgument(f"{contract} has no multiplier and shift, nor a scale: claims about requantisation are of q31, "
                       "rndnu, gemmlowp and fp32 in products, depthwise convolutions and vectors")


def _size(case: Case) -> tuple[int, str]:
    return sum(region.data.size for region in case.memory.values()), case.name


def emptied(call: KernelCall) -> KernelCall:
    """Inputs, weights and sums of rows 0: nothing is added to the sums."""
    given = {v.name: read_value(call.case, v) if v.name[0] in ("params", "bias", "tail") else 0 for v in call.values}
    return with_values(call, given)


def requantized_accumulators(call: KernelCall) -> list[UnknownValue]:
    """Return where the sums lie, column by column: of a product the packed biases."""
    kind = "x" if call.kernel.contract.startswith("qu8_requantize") else "bias"
    found = [v for v in call.values if v.name[0] == kind]
    first = min(v.name[1] for v in found) if kind == "bias" else 0  # the first of several rows of words
    return sorted((v for v in found if kind == "x" or v.name[1] == first), key=lambda v: int(v.name[-1]))


def steps_between(call: KernelCall) -> dict[Name, int]:
    """{value: number} of inputs and weights by which row i (of a depthwise one: pixel) adds i times the number of
    columns to the sums."""
    columns, found = len(requantized_accumulators(call)), {}
    if _is_product(call.kernel.contract):
        for value in call.values:
            kind, *index = value.name
            if kind == "w":
                found[value.name] = 1
            elif kind == "a":  # ("a", row, depth), or of an indirect product ("a", tap, row, depth)
                found[value.name] = index[-2] * columns
    elif "channels" in call.case.values:
        tap, step = _tap(call), call.case.number("input_stride")
        for value in call.values:
            kind, *index = value.name
            if kind == "w":
                found[value.name] = int(index[-1] == tap)
            elif kind == "input" and index[0] >= (tap or 0) and (index[0] - (tap or 0)) % step == 0:
                found[value.name] = (index[0] - (tap or 0)) // step * columns
    return found


def _tap(call: KernelCall) -> int | None:
    """Of a depthwise call, a tap at which each pixel reads a row of its own."""
    case = call.case
    step, width = case.number("input_stride"), case.number("output_width")
    taps = 1 + max(int(v.name[-1]) for v in call.values if v.name[0] == "w")
    rows = {v.name[1] for v in call.values if v.name[0] == "input"}
    return next((tap for tap in range(taps) if all(pixel * step + tap in rows for pixel in range(width))), None)
