"""The axes of the libraries' operator tests, by their names, in the cases of every operator (T09, T14)."""

from __future__ import annotations

import re

import pytest

from tests.nn.operator_cases import operator_cases
from tests.nn.operator_cases.each import operator_files
from tests.nn.operator_cases.int8 import KINDS
from tests.nn.operator_cases.listed import BY_DEFINITION, functions, left_out

DYNAMIC = dict.fromkeys(("dynamic_fully_connected", "dynamic_conv2d"),
                        "float rows: their cases are in tests/nn/ops/test_symmetric.py")
COMMON = {"pixel_stride": "pixel_stride", "zero_batch": "zero_batch"}
LIMITS = {"qmin": "qmin", "qmax": "qmax"}
# Operator -> axis: pattern in the names of its cases. Layers have every axis for every kind of operands.
AXES: dict[str, dict[str, str]] = {
    "fully_connected": {"k": r"_k\d", "n": r"_n\d", "m": r"_m\d", "ends": "_ends", **LIMITS},
    "conv2d": {"1x1": "_1x1$", "1x3": "_1x3$", "3x1": "_3x1$", "top": "padding_top", "bottom": "padding_bottom",
               "left": "padding_left", "right": "padding_right", "stride": "_s2", "dilation": "_d2",
               "grouped": "_grouped_",
               "batch": "_batch$", "azp": r"_azp-?\d", "channels": r"_c\d", "depthwise 3x3": "_depthwise_3x3$",
               "depthwise 5x5": "_depthwise_5x5", "depthwise stride": "_depthwise_3x3_s2",
               "depthwise dilation": "_depthwise_3x3_d2", **LIMITS},
    "deconv2d": {"stride 1": "_s1$", "stride 2": "_s2_", "stride 3": "_s3_", "uneven strides": r"_s\(1, 2\)",
                 "sub-convolutions": "_phases", "zero pointers": "_indirect", "window below the stride": "_window_1x3",
                 "dilation": "_dilated", "adjustment": "_adjusted", "batch": "_batch$", "azp": r"_azp-?\d", **LIMITS},
    **{name: {"n": r"_n\d", "constant": "_constant", "reversed constant": "_reversed_constant", "six axes": "_six",
              "a scale": "_a_scale", "b scale": "_b_scale", "zero points": r"_zp-?\d", "rows": "_row",
              "outer": "_outer",
              **LIMITS} for name in ("add", "subtract", "multiply")},
    "sigmoid": {"all bytes": "all_bytes", "scales": r"^scale\d", "n": r"^n\d"},
    "tanh": {"all bytes": "all_bytes", "scales": r"^scale\d", "n": r"^n\d"},
    "clamp": {"all bytes": "all_bytes", "n": r"^n\d"},
    "leaky_relu": {"all bytes": "all_bytes", "slopes": r"^slope\d", "negative slopes": r"^slope-", "n": r"^n\d"},
    "convert": {"int8": r"^int8_int8_", "up": r"^uint8_int8_", "down": r"^int8_uint8_", "uint8": r"^uint8_uint8_"},
    "max_pool2d": {"channels": r"^c\d", "many taps": "many_taps", "dilation": r"^d2", "limits": "clamped"},
    "avg_pool2d": {"channels": r"^c\d", "many taps": "many_taps", "ties": "ties", **LIMITS},
    "global_avg_pool": {"channels": r"^c\d", "pixels": r"^pixels\d", "scales": r"^scale", "zero points": r"^zp-?\d",
                        **LIMITS},
    "softargmax": {"channels": r"^c\d"}, "pad": {"channels": "^channels", "all": "^all", "none": "^none"},
    "copy": {"channels": r"^c\d"},
    **{name: dict(each.axes) for name, each in operator_files().items()},
}
# The same of the uint8 operators: words in the names of their cases.
WORDS: dict[str, str] = {
    "conv2d": "1x1 1x3 3x1 3x3 top bottom left right s2 d2 group depthwise batch qmin qmax",
    "deconv2d": "s2 d2 group batch qmin qmax", "fully_connected": "k1 n1 m1 qmin qmax",
    **dict.fromkeys(("add", "subtract", "multiply"), "n1 task a_scale b_scale a_zp b_zp out_zp qmin qmax"),
    **dict.fromkeys(("sigmoid", "tanh"), "n1 task all_bytes scale qmin qmax"),
    "clamp": "n1 task all_bytes 0_to_255 77_to_77", "convert": "n1 task all_bytes ratio zp0 zp255",
    "leaky_relu": "n1 task all_bytes slope ratio qmin", "softargmax": "c1 c1000 scale largest",
    "global_avg_pool": "c8_m7 ratio zp qmin qmax", "avg_pool2d": "3x3 top bottom left right taps ratio batch qmin qmax",
    "max_pool2d": "3x3 top bottom left right d2 batch qmin qmax",
    "pad": "channels batch all none value200", "copy": "c1",
    **{name: each.words for name, each in operator_files().items()},
}


def test_every_operator_has_axes() -> None:
    for listed, where in ((AXES, "axes of its int8 cases (AXES of tests/nn/ops/test_operator_axes.py)"),
                          (WORDS, "axes of its uint8 cases (WORDS of tests/nn/ops/test_operator_axes.py)")):
        lost = left_out(listed, where, functions(), {**BY_DEFINITION, **DYNAMIC})
        assert not lost, lost


@pytest.mark.parametrize("operator", AXES)
def test_every_axis_is_met(operator: str) -> None:
    names = [case.name for case in operator_cases(operator, "int8")]
    groups = {""}
    if operator in ("fully_connected", "conv2d", "deconv2d"):
        groups = {f"{kind}_{scheme}_" for kind, scheme in KINDS}
    elif operator in ("add", "subtract", "multiply"):
        groups = {f"{dtype}_" for dtype in ("int8", "uint8")}
    for group in groups:
        mine = [name for name in names if group in name]
        for axis, pattern in {**AXES[operator], **COMMON}.items():
            assert any(re.search(pattern, name) for name in mine), f"{operator} {group}: no case for {axis}"


@pytest.mark.parametrize("operator", WORDS)
def test_the_older_operators_have_theirs(operator: str) -> None:
    names = " ".join(case.name for case in operator_cases(operator))
    lost = [word for word in [*WORDS[operator].split(), *COMMON] if word not in names]
    assert not lost, names
