"""The vocabulary of meanings, and its readings.

`words` and `float_words` say which words an instruction body may use, `floating` what a floating one gives; each
reading is one file: `numeric` (numpy arrays, one tile or a lock-step grid; `numeric_float`), `symbolic` (expressions
per lane), `terms` (polynomials per lane, equal ones one object), `smt` (formulas over bits, as solvers take them),
`shadow` (which bits were ever written), `source` (text: Python by `source_python`, C by `source_c`,
JavaScript by `source_js`).
"""

from typing import TYPE_CHECKING

from neonsim.common.argument_types import later

from . import float_vocabulary
from .float_vocabulary import (
    float_abs,
    float_add,
    float_compare,
    float_compare_zero,
    float_convert,
    float_div,
    float_extreme,
    float_fma,
    float_from_int,
    float_javascript,
    float_javascript_exact,
    float_max,
    float_maxnm,
    float_min,
    float_minnm,
    float_mul,
    float_mulx,
    float_neg,
    float_nzcv,
    float_nzcv_zero,
    float_recpe,
    float_recps,
    float_recpx,
    float_round,
    float_round_within,
    float_rsqrte,
    float_rsqrts,
    float_sqrt,
    float_sub,
    float_to_bf16,
    float_to_int,
    float_turn,
    float_widen,
    products_of_bf16,
    to_nearest,
    to_odd,
)
from .types import ElementType, element, element_named
from .vocabulary import (
    CONDITIONS,
    Lanes,
    Result,
    add_flags,
    bits,
    byte_flags,
    byte_mask,
    carryless,
    choose,
    compare,
    condition_bits,
    constants,
    count,
    double,
    extend,
    half,
    holds,
    interleave,
    join,
    largest,
    leading_zeros,
    logic_flags,
    lookup,
    mirror,
    narrow,
    ones,
    pairs,
    quotient,
    reciprocal,
    reciprocal_root,
    repeat,
    reverse,
    rotate,
    sat,
    select,
    shift_by,
    signed,
    smallest,
    total,
    unsigned,
    view,
    wide,
)

if TYPE_CHECKING:
    from .codegen.dag import DagNode, SourceLanes
    from .codegen.to_c import CWriter
    from .codegen.to_javascript import JAVASCRIPT_HELPERS, SOFT_WORD, JavaScriptWriter, NoJavaScript, javascript_values
    from .codegen.to_python import PythonWriter
    from .interp.expressions import Expression, SymbolicLanes
    from .interp.numpy_lanes import NumpyLanes
    from .interp.polynomials import PolynomialLanes, Term, TermPool
    from .interp.shadow import ShadowLanes

s8, s16, s32, s64 = (element("s", width) for width in (8, 16, 32, 64))
u8, u16, u32, u64 = (element("u", width) for width in (8, 16, 32, 64))
x8, x16, x32, x64 = (element("x", width) for width in (8, 16, 32, 64))
p8, p64 = element("p", 8), element("p", 64)
f16, f32, f64 = element("f", 16), element("f", 32), element("f", 64)

# What an instruction body may say; a test holds the bodies to it.
VOCABULARY = frozenset((
    "Lanes", "Result", "add_flags", "bits", "byte_flags", "byte_mask", "carryless", "choose", "compare", "constants",
    "count",
    "double", "extend", "half", "holds", "interleave", "join", "largest", "leading_zeros", "logic_flags", "lookup",
    "mirror", "narrow", "ones", "pairs", "quotient", "reciprocal", "reciprocal_root", "repeat", "reverse", "rotate",
    "sat", "select", "shift_by", "signed", "smallest", "total", "unsigned", "view", "wide", "x8", "x16", "x32",
    "x64", *float_vocabulary.__all__))

__all__ = ["CONDITIONS", "JAVASCRIPT_HELPERS", "SOFT_WORD", "VOCABULARY", "CWriter", "DagNode", "ElementType",
           "Expression", "JavaScriptWriter", "Lanes", "NoJavaScript", "NumpyLanes", "PolynomialLanes", "PythonWriter",
           "Result", "ShadowLanes", "SourceLanes", "SymbolicLanes", "Term", "TermPool", "add_flags", "bits",
           "byte_flags", "byte_mask", "carryless", "choose", "compare", "condition_bits", "constants", "count",
           "double", "element", "element_named", "extend", "f16", "f32", "f64", "float_abs", "float_add",
           "float_compare", "float_compare_zero", "float_convert", "float_div", "float_extreme", "float_fma",
           "float_from_int", "float_javascript", "float_javascript_exact", "float_max", "float_maxnm", "float_min",
           "float_minnm", "float_mul", "float_mulx", "float_neg", "float_nzcv", "float_nzcv_zero", "float_recpe",
           "float_recps", "float_recpx", "float_round", "float_round_within", "float_rsqrte", "float_rsqrts",
           "float_sqrt", "float_sub", "float_to_bf16", "float_to_int", "float_turn", "float_widen", "half", "holds",
           "interleave", "javascript_values", "join", "largest", "leading_zeros", "logic_flags", "lookup", "mirror",
           "narrow", "ones", "p8", "p64", "pairs", "products_of_bf16", "quotient", "reciprocal", "reciprocal_root",
           "repeat", "reverse", "rotate", "s8", "s16", "s32", "s64", "sat", "select", "shift_by", "signed", "smallest",
           "to_nearest", "to_odd", "total", "u8", "u16", "u32", "u64", "unsigned", "view", "wide", "x8", "x16", "x32",
           "x64"]

# A body needs the vocabulary alone; each reading is loaded by those who read.
__getattr__ = later(globals(), judge=False)
