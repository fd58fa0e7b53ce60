"""Runtimes by the rules of their arithmetic (M02, M03)."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["ARITHMETICS", "RuntimeArithmetic"]


@dataclass(frozen=True)
class RuntimeArithmetic:
    """The rules of a runtime: arguments of our operators.

    name           str
    types          (str, ...)      of the quantised tensors that it takes
    products       str             requantization of convolutions ...
    depthwise      {type: str}     ... of depthwise ones ...
    connected      str             ... and of fully connected layers
    wide           bool            their scales are in double precision
    sums           str             rounding of additions and subtractions
    pairs          str or None     requantization of element-wise products; None: it has none
    bytes          str or None     requantization of changes of scale; None: by factors of 1/256 (`rescaling`)
    leaky          str or None     requantization of leaky ReLU; None: the operator's own
    means          str or None     requantization of means; None: the operator's own ...
    kept_means     str or None     ... and of those whose axes are kept
    ties           str             of floats that are quantised
    curves         str or None     steps of functions of one byte in single precision
                   (`neonsim.quant.reference.lut_functions`);
                                   None: in double
    softmax        str             "single" precision, in "fixed" point, or "argmax": the older library's
    integer_pools  bool            average pooling is that of the integers as they are
    grouped        str or None     requantization of convolutions of several groups; None: that of all
    eights         bool            its vectors do otherwise than its plain C, which ends rows
                                   (`neonsim.quant.reference.litert_vectors`)
    int16x8        bool            convolutions of int16 by int8 (`neonsim.quant.requant.int16x8`)
    single         bool            what is no product goes through floats in single precision
                                   (`neonsim.nn.ops.arithmetics.onnxruntime`)
    formats        (str, ...)      of the files that the runtime reads
    transposed     {type: str}     requantization of transposed convolutions; types that are not here: as of others
    totals         str or None     rule of sums along axes; None: it has none
    resizing       {type: str}     rule of resizing between pixels; types that are not here: it has none
    fallback       str or None     whose rules nodes get that the runtime's delegate does not take; None: it has none
    """

    name: str
    types: tuple[str, ...]
    products: str
    depthwise: dict[str, str]
    connected: str
    wide: bool
    sums: str
    pairs: str | None
    bytes: str | None
    leaky: str | None
    means: str | None
    kept_means: str | None
    ties: str
    curves: str | None
    softmax: str
    integer_pools: bool
    grouped: str | None = None
    eights: bool = False
    int16x8: bool = False
    single: bool = False
    formats: tuple[str, ...] = ("tflite",)
    transposed: dict[str, str] = field(default_factory=dict)
    totals: str | None = None
    resizing: dict[str, str] = field(default_factory=dict)
    fallback: str | None = None

    def rescaling(self, *types: str) -> str | None:
        """Requantization of a change of scale between these types; LiteRT's reference kernels do those of int16."""
        return ARITHMETICS["tflite"].bytes if "int16" in types else self.bytes


_BOTH = ("uint8", "int8")


def _both(requantization: str) -> dict[str, str]:
    return dict.fromkeys(_BOTH, requantization)


ARITHMETICS = {one.name: one for one in (
    # LiteRT with its XNNPACK delegate, on x86, and what that leaves by its own kernels (`lowering.delegate`).
    RuntimeArithmetic("xnnpack", _BOTH, "fp32", _both("fp32"), "fp32", False, "up", "fp32", None, "q8", None, None,
                      "even", "even", "single", True, int16x8=True, totals="even", resizing=_both("q11"),
                      fallback="ruy"),
    # Its reference kernels.
    RuntimeArithmetic("tflite", _BOTH, "gemmlowp", _both("gemmlowp"), "fp64", True, "twice", "gemmlowp", "gemmlowp",
                      "gemmlowp", "gemmlowp", "gemmlowp", "away", "away", "fixed", True, int16x8=True,
                      totals="gemmlowp", resizing={"uint8": "float", "int8": "q10"}),
    # Its optimised kernels, whose products ruy does, on x86.
    RuntimeArithmetic("ruy", _BOTH, "ruy", {"uint8": "gemmlowp", "int8": "ruy8"}, "ruy", True, "twice", "gemmlowp",
                      "ruy16", "gemmlowp", "gemmlowp", "ruy16", "eights", "away", "single", True,
                      grouped="gemmlowp", eights=True, int16x8=True, transposed={"uint8": "flat16", "int8": "ruy8"},
                      totals="away", resizing={"uint8": "weights", "int8": "q10"}),
    RuntimeArithmetic("qnnpack", ("uint8",), "q31", _both("q31"), "q31", False, "away", None, None, None, None, None,
                      "even", None, "argmax", False),
    RuntimeArithmetic("onnxruntime", _BOTH, "fp32", _both("fp32"), "fp32", False, "up", "fp32", None, None, None, None,
                      "even", None, "single", True, single=True, formats=("onnx",)),
)}
