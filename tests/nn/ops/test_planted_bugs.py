"""The grid is tested: mistakes planted into how operators are lowered, each noticed by a named case.

Kernels have bugs of their own (tests/ukernel); these are the ones that right kernels do not help against: a wrong
pointer, a wrong constant, a plan that keeps what it should not. Every case runs twice in one plan, on other data first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError, NeonsimError
from neonsim.nn.backends import Backend, Pointer, get
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.backends.native.backend import NativeBackend
from neonsim.nn.ops import product
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering import gemm_calls, gemm_conv, kernel_families
from neonsim.nn.ops.operator import Plan
from neonsim.nn.ops.quantized import conv, elementwise, pooling
from neonsim.quant import Quantized
from neonsim.quant.params.requant import AveragePoolParams
from neonsim.ukernel.packing.taps import OUTSIDE, Taps
from tests.nn.operator_cases import OPERATORS, operator_cases
from tests.nn.operator_cases.each import operator_files
from tests.nn.operator_cases.listed import BY_DEFINITION, functions, left_out

Patch = pytest.MonkeyPatch
Bug = Callable[[Patch], None]


# What only kernels of several passes read: the portable C sums row after row.
ON_KERNELS = ("zero_point_in_place_of_zeros",)


def backend() -> Backend:
    """The fastest that lowers: what is planted here is the same for all of them."""
    try:
        get("native")
        return NativeBackend(layers=False)
    except BackendError as problem:
        pytest.skip(f"{problem} On the emulated machine this takes many minutes.")


def wrapped(module: Any, name: str, change: Callable[..., Any]) -> Bug:
    """A function of a module, replaced by change(it, *its arguments)."""
    def plant(patch: Patch) -> None:
        right = getattr(module, name)
        patch.setattr(module, name, lambda *given, **named: change(right, *given, **named))
    return plant


def geometry(name: str, module: Any, **changes: Callable[[Any], Any]) -> Bug:
    """Taps of a shape with some of its fields changed."""
    def change(right: Any, shape: Any, **named: Any) -> Taps:
        taps: Taps = right(replace(shape, **{field: how(getattr(shape, field)) for field, how in changes.items()}),
                           **named)
        return taps
    return wrapped(module, name, change)


def argument(contract: str, **changes: Callable[[Any], Any]) -> Bug:
    """Arguments of the calls of a contract, changed."""
    def change(right: Any, build: Builder, implementation: Any, *given: Any, **arguments: Any) -> None:
        if implementation.contract == contract:
            arguments |= {name: how(arguments[name]) for name, how in changes.items() if name in arguments}
        right(build, implementation, *given, **arguments)
    return wrapped(Builder, "call", change)


def block(contract_part: str, **changes: int) -> Bug:
    """Fields of the parameter block of the products or averages, changed where the operator asks for it."""
    cls: Any = conv.Conv2d if contract_part == "q31" else AveragePoolParams

    def plant(patch: Patch) -> None:
        if contract_part == "q31":
            right = cls.gemm_layer._method
            patch.setattr(cls, "gemm_layer", property(lambda self: replace(right(self), params=replace(
                right(self).params, **changes))))
        else:
            make = AveragePoolParams.from_scale.__func__   # type: ignore[attr-defined]  # a classmethod
            patch.setattr(cls, "from_scale", classmethod(
                lambda kind, *given, **named: make(kind, *given, **named | changes)))
    return plant


def table(name: str, module: Any, how: Callable[[Any], Any], **named: Any) -> Bug:
    """Entries of an indirection buffer, changed."""
    def change(right: Any, *given: Any, **arguments: Any) -> Any:
        found = right(*given, **arguments | named)
        return replace(found, offsets=how(found.offsets))
    return wrapped(module, name, change)


def other_side(padding: Any) -> Any:
    return tuple((after, before) for before, after in padding)


def swapped(pair: Any) -> Any:
    return pair[::-1]


def roots(data: Any) -> Any:
    """Square roots of 32-bit entries; none is 0, or kernels would divide by it."""
    return (np.sqrt(np.asarray(data).view(np.uint32)) + 1).astype(np.uint32).view(np.uint8)


def first_group(place: Pointer) -> Pointer:
    """The same place for all rows of the grid: what is different for groups or images is lost."""
    offset = np.asarray(place.offset)
    return Pointer(place.region, offset[:1] + np.zeros_like(offset) if offset.ndim else place.offset)


def between(right: Any, shape: Any) -> Taps:
    """Deconvolution that forgets the zeros between the pixels of its input."""
    tables = []
    for axis in (0, 1):
        places = (np.arange(shape.output[axis])[:, None] + shape.padding[axis][0]
                  - np.arange(shape.kernel[axis]) * shape.dilation[axis]) // shape.stride[axis]
        tables.append(np.where((places < 0) | (places >= shape.input[axis]), OUTSIDE, places))
    return Taps(shape.input, tables[0], tables[1])


def stale(right: Any, plan: Plan, inputs: tuple[Quantized, ...], *rest: Any) -> Quantized:
    """A plan that takes its input once and never again."""
    first = plan.__dict__.setdefault("taken", inputs) is inputs
    return right(plan, inputs if first else (), *rest)     # what it wraps


def kept(right: Any, job: Any, *given: Any, **named: Any) -> None:
    """A backend that keeps the result of the first run."""
    if not job.__dict__.setdefault("done", False):
        right(job, *given, **named)
    job.__dict__["done"] = True


def plant_kept(patch: Patch) -> None:
    wrapped(type(some_plan().loaded), "run", kept)(patch)


def some_plan() -> Plan:
    """Any plan of the backend."""
    with Plan.watching() as made:
        case = next(iter(operator_cases("clamp")))
        OPERATORS["clamp"](*case.inputs, backend=backend(), **case.options)
    return made[0]


BUGS: dict[str, dict[str, Bug]] = {
    "conv2d": {
        "padding_on_the_other_side": geometry("conv_taps", gemm_conv, padding=other_side),
        "padding_of_the_other_axis": geometry("conv_taps", gemm_conv, padding=swapped),
        "stride_of_the_other_axis": geometry("conv_taps", gemm_conv, stride=swapped),
        "dilation_ignored": geometry("conv_taps", gemm_conv, dilation=lambda d: (1, 1)),
        "dilation_of_the_other_axis": geometry("conv_taps", gemm_conv, dilation=swapped),
        "zero_row_not_the_zero_point": wrapped(gemm_calls, "zero_buffer", lambda right, n, value: right(n, 0)),
        "indirection_a_row_off": table("tile_indirection", gemm_calls, lambda o: np.roll(o, 1, axis=4)),
        "taps_column_by_column": table("tile_indirection", gemm_calls, lambda o: o[:, :, :, ::-1]),
        "every_image_the_first": table("tile_indirection", gemm_calls, lambda o: np.repeat(o[:, :1], o.shape[1], 1)),
        "group_offset_ignored": table("tile_indirection", gemm_calls, lambda o: np.repeat(o[:1], o.shape[0], 0)),
        "weights_of_the_first_group": argument("qu8_conv_q31", w=first_group),
        "results_of_the_groups_in_one_place": argument("qu8_conv_q31", c=first_group),
        "biases_of_other_groups": wrapped(gemm_conv, "pack_rows", lambda right, layer, one, weights: right(
            replace(layer, bias=np.concatenate(np.split(layer.bias, len(weights))[::-1])), one, weights)),
        "pixel_stride_ignored": wrapped(gemm_calls, "tile_indirection", lambda right, *given, pixel_stride, groups,
                                        group_channels, **named: right(
            *given, pixel_stride=groups * group_channels, groups=groups, group_channels=group_channels, **named)),
        "upper_limit_forgotten": block("q31", output_max=255),
        "lower_limit_forgotten": block("q31", output_min=0),
        "zero_point_of_the_result_forgotten": block("q31", output_zero_point=0),
        "input_zero_point_not_folded": wrapped(kernel_families, "pack_qu8", lambda right, *given, **named:
                                               right(*given, **named | {"a_zero_point": 0})),
        "depthwise_rows_before_columns": wrapped(gemm_conv, "pack_channels", lambda right, layer, one: right(
            replace(layer, w=layer.w.swapaxes(2, 3)), one)),
        "depthwise_shares_columns_though_dilated": wrapped(
            gemm_conv, "call_channelwise", lambda right, *given, step, **named: right(*given, **named, step=1)),
        "depthwise_zero_row": wrapped(gemm_calls, "zero_buffer", lambda right, n, value: right(n, value ^ 1)),
    },
    "deconv2d": {
        "padding_on_the_other_side": geometry("deconv_taps", product, padding=other_side),
        "zeros_between_pixels_forgotten": wrapped(product, "deconv_taps", between),
        "dilation_ignored": geometry("deconv_taps", product, dilation=lambda d: (1, 1)),
        "stride_of_the_other_axis": geometry("deconv_taps", product, stride=swapped),
        "adjustment_at_the_top": geometry("deconv_taps", product, padding=lambda p: tuple(
            (before - 1, after) for before, after in p)),
        "group_offset_ignored": table("tile_indirection", gemm_calls, lambda o: np.repeat(o[:1], o.shape[0], 0)),
    },
    "fully_connected": {
        "weights_of_the_first_columns": argument("qu8_gemm_q31", w=lambda place: Pointer(place.region)),
        "rows_of_the_first_tile": argument("qu8_gemm_q31", a=first_group),
    },
    "global_avg_pool": {
        "rows_short_of_one": wrapped(AveragePoolParams, "from_scale", lambda right, *given, rows, **named: right(
            *given, rows=rows - 1, **named)),
        "zero_point_in_place_of_zeros": wrapped(pooling, "zero_buffer", lambda right, n, value: right(n, 128)),
        "every_image_the_first": argument("qu8_gavgpool_mp", x=first_group),
    },
    "avg_pool2d": {
        "padding_on_the_other_side": geometry("conv_taps", pooling, padding=other_side),
        "zeros_in_place_of_the_zero_point": wrapped(pooling, "zero_buffer", lambda right, n, value: right(n, 0)),
        "rows_that_fill_up_not_in_the_bias": wrapped(AveragePoolParams, "from_scale", lambda right, *given, rows,
                                                     **named: right(*given, rows=rows - (rows % 8 == 1), **named)),
        "upper_limit_forgotten": block("average", output_max=255),
    },
    "max_pool2d": {
        "padding_is_the_first_pixel": wrapped(pooling, "conv_taps", lambda right, shape, clamp: right(shape)),
        "dilation_ignored": geometry("conv_taps", pooling, dilation=lambda d: (1, 1)),
        "stride_of_the_other_axis": geometry("conv_taps", pooling, stride=swapped),
    },
    "add": {
        "operands_exchanged": wrapped(Builder, "call", lambda right, build, *given, **a: right(
            build, *given, **a | {"a": a["b"], "b": a["a"]})),
    },
    **{name: {"operands_exchanged": wrapped(Builder, "call", lambda right, build, *given, **a: right(
        build, *given, **a | {"a": a["b"], "b": a["a"]}))} for name in ("subtract", "multiply")},
    **{name: {"table_a_byte_off": wrapped(each, "table", lambda right, self: np.roll(right(self), 1))}
       for name, each in (("sigmoid", elementwise.Sigmoid), ("tanh", elementwise.Tanh),
                          ("convert", elementwise.Convert), ("leaky_relu", elementwise.LeakyRelu))},
    "softargmax": {
        "table_of_other_shares": wrapped(Builder, "constant", lambda right, build, name, data, *rest: right(
            build, name, roots(data) if name == "table" else data, *rest)),
    },
    "clamp": {
        "plan_takes_its_input_once": wrapped(Plan, "_run", stale),
        "plan_keeps_its_first_result": plant_kept,
    },
    **{name: dict(each.bugs) for name, each in operator_files().items()},
}
PLANTED = [(name, bug) for name, bugs in BUGS.items() for bug in bugs]


def noticed(name: str, chosen: Backend) -> str:
    """The first case whose bytes are not those of the definition, or whose plan cannot be made; "" if all are right."""
    for case in operator_cases(name):
        with Plan.watching() as made:
            try:
                found = OPERATORS[name](*case.inputs, backend=chosen, **case.options).values.copy()
            except (ValueError, IndexError, NeonsimError):
                return case.name
        plan = made[0]
        flipped = [replace(x, values=255 - x.values) for x in case.inputs[:len(plan.inputs)]]
        for inputs, got in ((case.inputs[:len(plan.inputs)], found), (flipped, None)):
            got = plan.run(*inputs).values if got is None else got
            expected = plan.operator.reference(*(x.values for x in inputs)) if got.size else got
            if not np.array_equal(got, expected):
                return case.name
    return ""


@pytest.mark.parametrize(("name", "bug"), PLANTED, ids=lambda word: word)
def test_planted_bug_is_noticed(name: str, bug: str, monkeypatch: Patch) -> None:
    BUGS[name][bug](monkeypatch)
    chosen = EmulatedBackend("aarch64") if bug in ON_KERNELS else backend()
    assert noticed(name, chosen), f"{name}: {bug} gets through"


@pytest.mark.nightly
@pytest.mark.parametrize("name", OPERATORS)
def test_without_a_bug_nothing_is_noticed(name: str) -> None:
    assert noticed(name, backend()) == ""


def test_every_operator_has_planted_mistakes() -> None:
    assert len(PLANTED) >= 40
    lost = left_out(BUGS, "planted mistakes (BUGS of tests/nn/ops/test_planted_bugs.py)", functions(), {
        **BY_DEFINITION,
        **dict.fromkeys(("pad", "copy"), "they move bytes: no kernel is called"),
        **dict.fromkeys(("dynamic_fully_connected", "dynamic_conv2d"), "float rows have no prepared cases")})
    assert not lost, lost
