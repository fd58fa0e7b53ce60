"""The structs that Python and the C library hand to each other, and what the library says of its own.

They are written down twice, in native/include and here; `layout_mismatch` compares them when the library is loaded,
field by field, so that a library built from other headers is refused. Numbers of enumerations are written in C only:
see `enumerators`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any, ClassVar

__all__ = ["RECORDS", "GemmChoiceRecord", "LayerRecord", "NativeRefusal", "TransferRecord", "VariantInfo",
           "enumerators", "layout_mismatch", "register_struct"]

_U32, _I32, _U64, _PTR = ctypes.c_uint32, ctypes.c_int32, ctypes.c_uint64, ctypes.c_void_p
_TEXT, _SIZE, _REAL = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_double


class VariantInfo(ctypes.Structure):
    """struct neonsim_variant_info."""

    _fields_ = (
        ("name", _TEXT), ("isa", _TEXT), ("missing", _TEXT), ("contract", _I32), ("mr", _U32), ("nr", _U32),
        ("kr", _U32), ("sr", _U32), ("reads_before", _U32), ("contract_name", _TEXT),
    )


class NativeRefusal(ctypes.Structure):
    """struct neonsim_refusal: prints as the sentence it stands for."""

    _fields_ = (("layer", _SIZE), ("quantity", _TEXT), ("value", _REAL), ("least", _REAL), ("most", _REAL))

    def __str__(self) -> str:
        quantity = self.quantity.decode()
        if self.least > self.most:
            return f"what does not suit is {quantity}."
        value, least, most = (f"{number:.15g}" for number in (self.value, self.least, self.most))
        return f"{quantity} is {value}; it must be {least if least == most else f'{least} to {most}'}."


class LayerRecord(ctypes.Structure):
    """struct neonsim_layer: see native/include/neonsim_network.h for every field."""

    _fields_: ClassVar = [
        ("kind", _I32), ("batch", _U32),
        ("input_height", _U32), ("input_width", _U32), ("input_channels", _U32),
        ("output_height", _U32), ("output_width", _U32), ("output_channels", _U32),
        ("kernel_height", _U32), ("kernel_width", _U32), ("stride_height", _U32), ("stride_width", _U32),
        ("dilation_height", _U32), ("dilation_width", _U32), ("pad_top", _U32), ("pad_left", _U32), ("groups", _U32),
        ("input_stride", _U32), ("second_stride", _U32), ("output_stride", _U32),
        ("input", _U64), ("second", _U64), ("output", _U64),
        ("input_zero_point", _I32), ("second_zero_point", _I32), ("output_zero_point", _I32),
        ("output_min", _I32), ("output_max", _I32), ("rounding", _I32), ("weights_signed", _I32),
        ("weight_zero_point", _I32), ("multiplier", _I32), ("second_multiplier", _I32), ("shift", _I32),
        ("scales", _U32), ("scale", _PTR), ("weights", _PTR), ("bias", _PTR), ("fuse_with_previous", _I32),
        ("double_scale", _PTR), ("algorithm", _I32),
    ]


class TransferRecord(ctypes.Structure):
    """struct neonsim_transfer: a tensor of the caller's, and where it lies in an arena."""

    _fields_ = (("offset", _U64), ("rows", _U64), ("row_bytes", _U64), ("stride", _U64), ("flips", _U32),
                ("memory", _PTR))


class GemmChoiceRecord(ctypes.Structure):
    """struct neonsim_gemm_choice: by which kernels a layer is multiplied."""

    _fields_ = (("family", _TEXT), ("int16_accumulation", _I32), ("percent", _U32), ("groups", _U64),
                ("quad_runs", _U64), ("pair_runs", _U64), ("split_groups", _U64), ("strassen", _I32))


# By their names in C.
RECORDS: dict[str, type[ctypes.Structure]] = {
    "neonsim_variant_info": VariantInfo, "neonsim_refusal": NativeRefusal, "neonsim_layer": LayerRecord,
    "neonsim_transfer": TransferRecord, "neonsim_gemm_choice": GemmChoiceRecord}

_TYPES: dict[Any, str] = {_I32: "signed", _U32: "unsigned", _U64: "unsigned", _SIZE: "unsigned", _REAL: "real",
                          _TEXT: "pointer", _PTR: "pointer"}
# A type, a first byte and how many; a struct as a whole is the field "".
Field = tuple[str, int, int]


def register_struct(library: ctypes.CDLL) -> None:
    """Types of the two functions below. Raises AttributeError for a library that lacks them."""
    text, size = ctypes.POINTER(_TEXT), ctypes.POINTER(_SIZE)
    for function, arguments in ((library.neonsim_field_info, (_SIZE, text, text, text, size, size)),
                                (library.neonsim_enumerator_info, (_SIZE, text, text, ctypes.POINTER(_I32)))):
        function.restype, function.argtypes = _I32, arguments


def _text(value: bytes | None) -> str:
    return (value or b"").decode("ascii", "replace")


def _there(library: ctypes.CDLL) -> Iterator[tuple[str, str, Field]]:
    """Struct, field, and how it lies, as the library was built."""
    record, name, type_, offset, nbytes = _TEXT(), _TEXT(), _TEXT(), _SIZE(), _SIZE()
    index = 0
    while library.neonsim_field_info(index, *map(ctypes.byref, (record, name, type_, offset, nbytes))) == 0:
        yield _text(record.value), _text(name.value), (_text(type_.value), offset.value, nbytes.value)
        index += 1


def _here(record: type[ctypes.Structure]) -> dict[str, Field]:
    """The same as Python has it."""
    found: dict[str, Field] = {"": ("", 0, ctypes.sizeof(record))}
    for name, type_ in record._fields_:  # type: ignore[misc]  # none of these is a bit field
        place = getattr(record, name)
        found[name] = _TYPES[type_], place.offset, place.size
    return found


def _said(field: Field | None) -> str:
    if field is None:
        return "missing"
    kind, offset, nbytes = field
    return f"{nbytes} bytes" if not kind else f"{kind}, {nbytes} bytes from byte {offset} on"


def layout_mismatch(library: ctypes.CDLL) -> str | None:
    """The first struct and field that differ between a library and this Python code, as a sentence; None if none do."""
    there: dict[str, dict[str, Field]] = {}
    for record, name, field in _there(library):
        there.setdefault(record, {})[name] = field
    for record, made in RECORDS.items():
        here, built = _here(made), there.get(record, {})
        for name in sorted({*here, *built}):
            if here.get(name) != built.get(name):
                what = f"field {name!r} of struct {record}" if name else f"struct {record}"
                return f"{what} is {_said(built.get(name))} in the library and {_said(here.get(name))} in Python."
    return None


def enumerators(library: ctypes.CDLL) -> dict[str, dict[str, int]]:
    """Numbers of statuses, kinds of layers and roundings: {enumeration: {name in lower case: number}}."""
    enumeration, name, value = _TEXT(), _TEXT(), _I32()
    found: dict[str, dict[str, int]] = {}
    index = 0
    while library.neonsim_enumerator_info(index, *map(ctypes.byref, (enumeration, name, value))) == 0:
        found.setdefault(_text(enumeration.value), {})[_text(name.value).lower()] = value.value
        index += 1
    return found
