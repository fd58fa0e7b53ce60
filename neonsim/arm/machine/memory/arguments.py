"""Arguments of a call as words: numbers, and regions of memory with their element type. One grammar, for the command
line, for `%%neon --args` and for `machine.memory.declare`:

    12  -3  0x10  1.5    a number; one with a point is a double, or what the function takes where C says it
    u32:8  f32:1.5       a number of this type: of a register that is wider, the rest is junk
    u8:1,2,3             a region of these elements; its address is passed. Also u8:[1,2,3], u8:[1]
    s32*16               a region of 16 elements, random (seeded); s32*4x8 has 4 rows of 8
    s32*16:7             a region of 16 elements, all 7
    out:s32*4            a region of 4 elements that are uninitialized, for results
    out:64               one of 64 bytes; their type is that of what is stored there
    @FILE  s32@FILE      a region with the bytes of a file, without and with a type
    NAME=...             gives a region a name, as in c=out:s32*4
    NAME  NAME+4         the address of a region, and one n bytes behind it; unnamed ones are arg0, arg1 ...

Types are u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 f64.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from neonsim.common.fileio import read_file
from neonsim.common.pcg64 import Pcg64
from neonsim.errors import BadArgument

if TYPE_CHECKING:
    import numpy as np

__all__ = ["DTYPES", "GRAMMAR", "ArgumentSpec", "declared", "is_place", "nbytes_of", "with_size"]

DTYPES = {"u8": "uint8", "s8": "int8", "u16": "uint16", "s16": "int16", "u32": "uint32", "s32": "int32",
          "u64": "uint64", "s64": "int64", "f16": "float16", "f32": "float32", "f64": "float64"}
MAX_ELEMENTS = 1 << 26  # elements of a region made from a word
GRAMMAR = "\n".join(line[2:] for line in (__doc__ or "").split("\n\n")[1].splitlines()).rstrip() + "\n"
_WHOLE = re.compile(r"[-+]?(\d{1,20}|0[xX][0-9a-fA-F]{1,20}|0[bB][01]{1,70})")
_REAL = re.compile(r"[-+]?((\d{1,20}(\.\d{0,20})?|\.\d{1,20})([eE][-+]?\d{1,3})?|inf|nan)")
_PLACE = re.compile(r"([A-Za-z_]\w*)([-+](?:\d{1,10}|0[xX][0-9a-fA-F]{1,8}))?")
_FORMS = "a number, u32:8, u8:1,2,3, s32*16, s32*16:7, out:s32*4, out:64, @FILE or NAME+4"
_REALS = {"f16": ("e", "65504"), "f32": ("f", "3.40282e+38"), "f64": ("d", "1.79769e+308")}  # for struct; the largest


@dataclass(frozen=True)
class ArgumentSpec:
    """What a word says: a number, an address, or a region.

    name     of the region, "" if it gives none
    value    a number, None for a region and an address
    kind     the element type, of a number too; "" where the word names none: then a region has bytes
    place    (name of a region, bytes behind its start) of an address
    shape    of a region, in elements           data     what it holds, little-endian; None of one for results
    """

    name: str = ""
    value: int | float | None = None
    kind: str = ""
    place: tuple[str, int] | None = None
    shape: tuple[int, ...] = ()
    data: bytes | None = None

    @property
    def array(self) -> np.ndarray[Any, Any]:
        """What a region holds, as numpy."""
        import numpy as np

        return np.frombuffer(self.data or b"", DTYPES[self.kind or "u8"]).reshape(self.shape)

    @property
    def number(self) -> Any:
        """The number: a scalar of numpy where the word says its type."""
        import numpy as np

        return np.dtype(DTYPES[self.kind]).type(self.value) if self.kind else self.value


def declared(text: str, random: Pcg64 | None = None) -> ArgumentSpec:
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
        value = _values([number], type_, text)[0]
        return ArgumentSpec(name, value=_rounded(value, type_) if type_ in _REALS else int(value), kind=type_)
    if (found := _PLACE.fullmatch(word)) and word not in DTYPES:
        return ArgumentSpec(name, place=(found[1], int(found[2] or "0", 0)))
    if word.startswith("out:"):
        kind, shape = with_size(word[4:], text)
        return ArgumentSpec(name, kind=kind, shape=shape)
    head, at, path = word.partition("@")
    if at and (not head or re.fullmatch(r"\w+", head)):
        kind = _kind(head, text) if head else ""
        data = _file(path, kind, text)
        return ArgumentSpec(name, kind=kind, shape=(len(data) // nbytes_of(kind),), data=data)
    kind, shape, data = _elements(word, text, random or Pcg64())
    return ArgumentSpec(name, kind=kind, shape=shape, data=data)


def is_place(text: str) -> bool:
    """Return whether a word is the address of a region that another word makes."""
    found = _PLACE.fullmatch(text.rpartition("=")[2])
    return found is not None and found[0] not in DTYPES and not _REAL.fullmatch(found[0])


def nbytes_of(kind: str) -> int:
    """Bytes of an element; those of "", no type, are bytes."""
    return int(kind[1:]) // 8 if kind else 1


def with_size(size: str, text: str | None = None) -> tuple[str, tuple[int, ...]]:
    """(element type, shape) of "s32*4" or "s32*4x8"; ("", (bytes,)) of a number of bytes.

    text   the whole word, for messages

    Raises BadArgument.
    """
    whole = repr(size if text is None else text)
    kind, star, count = size.partition("*")
    if not star:
        if kind in DTYPES:
            raise BadArgument(f"{whole} needs a number of elements: write {kind}*4 for four.")
        if re.match(r"[A-Za-z_]", kind):
            raise BadArgument(f"{whole}: {kind!r} is not a size. Write an element type and a number, as s32*4, or a "
                              f"number of bytes. Element types are {_types()}.")
        return "", (_count(kind, whole),)
    return _kind(kind, size if text is None else text), _shape(count, whole)


def _types() -> str:
    return " ".join(DTYPES)


def _kind(kind: str, text: str) -> str:
    if kind not in DTYPES:
        raise BadArgument(f"{text!r}: {kind!r} is not an element type: use {_types()}.")
    return kind


def _shape(count: str, whole: str) -> tuple[int, ...]:
    shape = tuple(_count(part, whole) for part in count.split("x")) if not count.startswith("0x") else (
        _count(count, whole),)
    if prod(shape) > MAX_ELEMENTS:
        raise BadArgument(f"{whole}: a region on the command line has at most {MAX_ELEMENTS} elements.")
    return shape


def _count(text: str, whole: str) -> int:
    if not re.fullmatch(r"0[xX][0-9a-fA-F]{1,20}|\d{1,20}", text.strip()):
        raise BadArgument(f"{whole}: {text!r} is not an integer number of elements.")
    count = int(text, 0)
    if count > MAX_ELEMENTS:
        raise BadArgument(f"{whole}: a region on the command line has at most {MAX_ELEMENTS} elements.")
    return count


def _file(path: str, kind: str, text: str) -> bytes:
    try:
        data = read_file(path, MAX_ELEMENTS)
    except BadArgument as problem:
        raise BadArgument(f"{text!r}: {problem}") from None
    if len(data) % nbytes_of(kind):
        raise BadArgument(f"{text!r}: the file has {len(data)} bytes, which is not a multiple of {nbytes_of(kind)} "
                          f"bytes an element.")
    return data


def _elements(word: str, text: str, random: Pcg64) -> tuple[str, tuple[int, ...], bytes]:
    found = re.fullmatch(r"(\w+?)(?:\*([^:]*))?(?::(.*))?", word)
    if found and found[1] not in DTYPES and (found[2] is not None or found[3] is not None):
        raise BadArgument(f"{text!r}: {found[1]!r} is not an element type: use {_types()}.")
    if not found or (found[2] is None and found[3] is None):
        raise BadArgument(f"{text!r} is not an argument: write {_FORMS}.")
    kind = _kind(found[1], text)
    if found[2] is None:
        inside = re.fullmatch(r"\[(.*)\]", found[3])
        values = _values((inside[1] if inside else found[3]).split(","), kind, text)
        return kind, (len(values),), _packed(values, kind)
    shape = _shape(found[2], repr(text))
    if found[3] is not None:
        return kind, shape, _packed(_values([found[3]], kind, text), kind) * prod(shape)
    return kind, shape, _drawn(kind, prod(shape), random)


def _drawn(kind: str, count: int, random: Pcg64) -> bytes:
    """Random elements: integers of all sizes, real ones from -1 to 1."""
    if kind in _REALS:
        return _packed(random.uniform(-1, 1, count), kind)
    size = nbytes_of(kind)
    drawn = random.full_range(size, count)
    if kind[0] == "u":
        return drawn
    # What is drawn counts from the smallest number on: the sign is the other way round.
    turned = bytearray(drawn)
    turned[size - 1::size] = bytes(byte ^ 128 for byte in drawn[size - 1::size])
    return bytes(turned)


def _packed(values: Sequence[float], kind: str) -> bytes:
    if kind in _REALS:
        return struct.pack(f"<{len(values)}{_REALS[kind][0]}", *values)
    size = nbytes_of(kind)
    return b"".join(int(value).to_bytes(size, "little", signed=kind[0] == "s") for value in values)


def _rounded(value: float, kind: str) -> float:
    """The number of an element type that is nearest."""
    rounded: float = struct.unpack(f"<{_REALS[kind][0]}", _packed([value], kind))[0]
    return rounded


def _values(words: Sequence[str], kind: str, text: str) -> list[float]:
    words = [word.strip() for word in words]
    values: list[float] = []
    if kind in _REALS:
        for word in words:
            if not _REAL.fullmatch(word):
                raise BadArgument(f"{text!r}: {word!r} is not a number.")
            values.append(float(word))
        for word, real in zip(words, values, strict=True):
            try:
                _packed([real], kind)
            except OverflowError:
                raise BadArgument(f"{text!r}: {word} does not fit {kind}, at most {_REALS[kind][1]}.") from None
        return values
    low, high = (0, (1 << 8 * nbytes_of(kind)) - 1) if kind[0] == "u" else (
        -(1 << 8 * nbytes_of(kind) - 1), (1 << 8 * nbytes_of(kind) - 1) - 1)
    for word in words:
        if not _WHOLE.fullmatch(word):
            raise BadArgument(f"{text!r}: {word!r} is not an integer.")
        value = int(word, 0)
        if not low <= value <= high:
            raise BadArgument(f"{text!r}: {value} does not fit {kind}, {low} to {high}.")
        values.append(value)
    return values
