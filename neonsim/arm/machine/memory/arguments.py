"""Arguments of a call as words: numbers, and regions of memory with their element type. One grammar, for the command
line, for `%%neon --args` and for `machine.memory.declare`:

    12  -3  0x10  1.5    a number; one with a point is a double, or what the function takes where C says it
    u32:8  f32:1.5       a number of this type: of a register that is wider, the rest is junk
    u8:1,2,3             a region of these elements; its address is passed. Also u8:[1,2,3], u8:[1]
    s32*16               a region of 16 elements, random (seeded); s32*4x8 has 4 rows of 8
    s32*16:7             a region of 16 elements, all 7
    out:s32*4            a region of 4 elements that nobody has written, for results
    out:64               one of 64 bytes; their type is that of what is stored there
    @FILE  s32@FILE      a region with the bytes of a file, without and with a type
    NAME=...             gives a region a name, as in c=out:s32*4
    NAME  NAME+4         the address of a region, and one so many bytes behind it; unnamed ones are arg0, arg1 ...

Types are u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 f64.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from neonsim.common.fileio import read_file
from neonsim.errors import BadArgument

__all__ = ["DTYPES", "GRAMMAR", "ArgumentSpec", "declared", "is_place", "sized"]

DTYPES = {"u8": "uint8", "s8": "int8", "u16": "uint16", "s16": "int16", "u32": "uint32", "s32": "int32",
          "u64": "uint64", "s64": "int64", "f16": "float16", "f32": "float32", "f64": "float64"}
LARGEST = 1 << 26  # elements of a region made from a word
GRAMMAR = "\n".join(line[2:] for line in (__doc__ or "").split("\n\n")[1].splitlines()).rstrip() + "\n"
_WHOLE = re.compile(r"[-+]?(\d{1,20}|0[xX][0-9a-fA-F]{1,20}|0[bB][01]{1,70})")
_REAL = re.compile(r"[-+]?((\d{1,20}(\.\d{0,20})?|\.\d{1,20})([eE][-+]?\d{1,3})?|inf|nan)")
_PLACE = re.compile(r"([A-Za-z_]\w*)([-+](?:\d{1,10}|0[xX][0-9a-fA-F]{1,8}))?")
_FORMS = "a number, u32:8, u8:1,2,3, s32*16, s32*16:7, out:s32*4, out:64, @FILE or NAME+4"

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class ArgumentSpec:
    """What a word says.

    name     of the region, "" if it gives none       value   a number that is passed as it is, None for a region
    place    (name of a region, bytes behind its start) of an address
    array    what the region holds                    out     (element type or None for bytes, shape) of one for results
    typed    whether the word names an element type
    """

    name: str = ""
    value: Any = None
    place: tuple[str, int] | None = None
    array: Array | None = None
    out: tuple[np.dtype[Any] | None, tuple[int, ...]] | None = None
    typed: bool = True


def declared(text: str, random: np.random.Generator | None = None) -> ArgumentSpec:
    """Read one word of the grammar above.

    random   for the elements of TYPE*COUNT; left out, the same each time

    Raises BadArgument: what is wrong with the word, and what it may be.
    """
    label, equals, rest = text.partition("=")
    name, word = (label, rest) if equals and re.fullmatch(r"[A-Za-z_]\w*", label) else ("", text)
    if _WHOLE.fullmatch(word):
        return ArgumentSpec(name, value=int(word, 0))
    if _REAL.fullmatch(word):
        return ArgumentSpec(name, value=float(word))
    type_, colon, number = word.partition(":")
    if colon and type_ in DTYPES and not re.search(r"[\[,]", number):
        return ArgumentSpec(name, value=_array([number], _dtype(type_, text), type_, text)[0])
    if (found := _PLACE.fullmatch(word)) and word not in DTYPES:
        return ArgumentSpec(name, place=(found[1], int(found[2] or "0", 0)))
    if word.startswith("out:"):
        kind, shape = sized(word[4:], text)
        return ArgumentSpec(name, out=(kind, shape), typed=kind is not None)
    head, at, path = word.partition("@")
    if at and (not head or re.fullmatch(r"\w+", head)):
        return ArgumentSpec(name, array=_file(path, _dtype(head, text) if head else None, text), typed=bool(head))
    return ArgumentSpec(name, array=_elements(word, text, random or np.random.default_rng(0)))


def is_place(text: str) -> bool:
    """Whether a word is the address of a region that another word makes."""
    found = _PLACE.fullmatch(text.rpartition("=")[2])
    return found is not None and found[0] not in DTYPES and not _REAL.fullmatch(found[0])


def sized(size: str, text: str | None = None) -> tuple[np.dtype[Any] | None, tuple[int, ...]]:
    """(element type, shape) of "s32*4" or "s32*4x8"; (None, (bytes,)) of a number of bytes.

    text   the whole word, for messages

    Raises BadArgument.
    """
    whole = repr(size if text is None else text)
    kind, star, count = size.partition("*")
    if not star:
        if kind in DTYPES:
            raise BadArgument(f"{whole} does not say how many elements: write {kind}*4 for four.")
        if re.match(r"[A-Za-z_]", kind):
            raise BadArgument(f"{whole}: {kind!r} is no size: write s32*4, an element type (one of {_types()}) and how "
                              "many, or a number of bytes.")
        return None, (_count(kind, whole),)
    dtype = _dtype(kind, size if text is None else text)
    return dtype, _shape(count, whole)


def _types() -> str:
    return " ".join(DTYPES)


def _dtype(kind: str, text: str) -> np.dtype[Any]:
    if kind not in DTYPES:
        raise BadArgument(f"{text!r}: {kind!r} is no element type: there are {_types()}.")
    return np.dtype(DTYPES[kind])


def _shape(count: str, whole: str) -> tuple[int, ...]:
    shape = tuple(_count(part, whole) for part in count.split("x")) if not count.startswith("0x") else (
        _count(count, whole),)
    if prod(shape) > LARGEST:
        raise BadArgument(f"{whole}: a region made from a word has at most {LARGEST} elements.")
    return shape


def _count(text: str, whole: str) -> int:
    if not re.fullmatch(r"0[xX][0-9a-fA-F]{1,20}|\d{1,20}", text.strip()):
        raise BadArgument(f"{whole}: {text!r} is no whole number of elements.")
    count = int(text, 0)
    if count > LARGEST:
        raise BadArgument(f"{whole}: a region made from a word has at most {LARGEST} elements.")
    return count


def _file(path: str, dtype: np.dtype[Any] | None, text: str) -> Array:
    try:
        data = read_file(path, LARGEST)
    except BadArgument as problem:
        raise BadArgument(f"{text!r}: {problem}") from None
    if dtype is not None and len(data) % dtype.itemsize:
        raise BadArgument(f"{text!r}: the file has {len(data)} bytes, no whole number of elements of {dtype.itemsize} "
                          "bytes.")
    return np.frombuffer(data, dtype or np.uint8)


def _elements(word: str, text: str, random: np.random.Generator) -> Array:
    found = re.fullmatch(r"(\w+?)(?:\*([^:]*))?(?::(.*))?", word)
    if found and found[1] not in DTYPES and (found[2] is not None or found[3] is not None):
        raise BadArgument(f"{text!r}: {found[1]!r} is no element type: there are {_types()}.")
    if not found or (found[2] is None and found[3] is None):
        raise BadArgument(f"{text!r} is no argument: write {_FORMS}.")
    dtype = _dtype(found[1], text)
    if found[2] is None:
        inside = re.fullmatch(r"\[(.*)\]", found[3])
        return _array((inside[1] if inside else found[3]).split(","), dtype, found[1], text)
    shape = _shape(found[2], repr(text))
    if found[3] is not None:
        return np.full(shape, _array([found[3]], dtype, found[1], text)[0], dtype)
    if dtype.kind == "f":
        return random.uniform(-1, 1, shape).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def _array(words: Sequence[str], dtype: np.dtype[Any], kind: str, text: str) -> Array:
    words = [word.strip() for word in words]
    if dtype.kind == "f":
        for word in words:
            if not _REAL.fullmatch(word):
                raise BadArgument(f"{text!r}: {word!r} is no number.")
        wide = np.array([float(word) for word in words])
        with np.errstate(over="ignore"):
            narrow = wide.astype(dtype)
        for word, before, after in zip(words, wide, narrow, strict=True):
            if np.isinf(after) and not np.isinf(before):
                raise BadArgument(f"{text!r}: {word} does not fit {kind}, at most {np.finfo(dtype).max:g}.")
        return narrow
    limits = np.iinfo(dtype)
    values = []
    for word in words:
        if not _WHOLE.fullmatch(word):
            raise BadArgument(f"{text!r}: {word!r} is no whole number.")
        value = int(word, 0)
        if not limits.min <= value <= limits.max:
            raise BadArgument(f"{text!r}: {value} does not fit {kind}, {limits.min} to {limits.max}.")
        values.append(value)
    return np.array(values, dtype)
