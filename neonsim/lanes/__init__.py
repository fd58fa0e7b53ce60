"""The vocabulary of meanings, and its readings.

`words` says which words an instruction body may use; each reading is one file: `numeric` (numpy arrays, one tile or a
lock-step grid), `symbolic` (expressions per lane), `shadow` (which bits were ever written), `source` (text: Python by
`source_python`, C by `source_c`).
"""

from .numeric import NumpyLanes, condition_bits
from .shadow import ShadowLanes
from .source import Node, SourceLanes
from .source_c import CWriter
from .source_python import PythonWriter
from .symbolic import Expression, SymbolicLanes
from .types import ElementType, element, element_named
from .words import (
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

s8, s16, s32, s64 = (element("s", width) for width in (8, 16, 32, 64))
u8, u16, u32, u64 = (element("u", width) for width in (8, 16, 32, 64))
x8, x16, x32, x64 = (element("x", width) for width in (8, 16, 32, 64))
p8, p64 = element("p", 8), element("p", 64)

# What an instruction body may say; a test holds the bodies to it.
VOCABULARY = frozenset((
    "Lanes", "Result", "add_flags", "bits", "byte_flags", "byte_mask", "carryless", "choose", "compare", "count",
    "double", "extend", "half", "holds", "interleave", "join", "largest", "leading_zeros", "logic_flags", "lookup",
    "mirror", "narrow", "ones", "pairs", "quotient", "repeat", "reverse", "rotate", "sat", "select", "shift_by",
    "signed", "smallest", "total", "unsigned", "view", "wide", "x8", "x16", "x32", "x64"))

__all__ = [
    "CONDITIONS",
    "VOCABULARY",
    "CWriter",
    "ElementType",
    "Expression",
    "Lanes",
    "Node",
    "NumpyLanes",
    "PythonWriter",
    "Result",
    "ShadowLanes",
    "SourceLanes",
    "SymbolicLanes",
    "add_flags",
    "bits",
    "byte_flags",
    "byte_mask",
    "carryless",
    "choose",
    "compare",
    "condition_bits",
    "count",
    "double",
    "element",
    "element_named",
    "extend",
    "half",
    "holds",
    "interleave",
    "join",
    "largest",
    "leading_zeros",
    "logic_flags",
    "lookup",
    "mirror",
    "narrow",
    "ones",
    "p8",
    "p64",
    "pairs",
    "quotient",
    "repeat",
    "reverse",
    "rotate",
    "s8",
    "s16",
    "s32",
    "s64",
    "sat",
    "select",
    "shift_by",
    "signed",
    "smallest",
    "total",
    "u8",
    "u16",
    "u32",
    "u64",
    "unsigned",
    "view",
    "wide",
    "x8",
    "x16",
    "x32",
    "x64",
]
