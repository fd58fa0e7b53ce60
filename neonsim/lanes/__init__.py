"""The vocabulary of meanings, and its readings.

`words` says which words an instruction body may use; each reading is one file: `numeric` (numpy arrays, one tile or a
lock-step grid), `symbolic` (expressions per lane), `shadow` (which bits were ever written).
"""

from .numeric import NumpyLanes, condition_bits
from .shadow import ShadowLanes
from .symbolic import Expression, SymbolicLanes
from .types import ElementType, element, element_named
from .words import *  # noqa: F403 - the vocabulary is this room's public face
from .words import Result

s8, s16, s32, s64 = (element("s", bits_) for bits_ in (8, 16, 32, 64))
u8, u16, u32, u64 = (element("u", bits_) for bits_ in (8, 16, 32, 64))
x8, x16, x32, x64 = (element("x", bits_) for bits_ in (8, 16, 32, 64))
p8, p64 = element("p", 8), element("p", 64)
