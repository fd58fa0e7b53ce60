"""What the functions of a program take, as C has it: from the debug information (DWARF) of an object made with -g.

Only functions that other files may call are in it: a compiler may pass the arguments of its own ones as it likes.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["Parameter", "Prototype", "prototypes_of"]

_MAX_DEPTH: Final = 32  # steps through the names of a type (typedef, const), and through pointers to pointers
_THROUGH: Final = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type",
                   "DW_TAG_atomic_type")
_POINTERS: Final = ("DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type")
# Base types by their encoding (DW_ATE_); the others are made of two numbers, or not of C.
_KINDS: Final = {1: "address", 2: "truth", 4: "float", 5: "signed", 6: "signed", 7: "whole", 8: "whole", 16: "whole"}


@dataclass(frozen=True)
class Parameter:
    """One parameter.

    name     str   "" if it has none
    ctype    str   how C calls its type
    kind     str   "float"; "whole" for numbers, "signed" for those with a sign, "truth"; "address"; "other" for what
                   takes several registers, or memory
    nbytes   int   its size
    """

    name: str
    ctype: str
    kind: str
    nbytes: int


@dataclass(frozen=True)
class Prototype:
    """A function's name, and what it takes. More may follow where it takes any number (printf).

    returns   str   how C calls the type of what it returns; "" for nothing
    """

    name: str
    parameters: tuple[Parameter, ...]
    returns: str = ""


def prototypes_of(data: bytes) -> tuple[Prototype, ...]:
    """Those of the functions that an object defines for others; none if it does not say."""
    found: list[Prototype] = []
    if b".debug_info" in data:
        # As with lines: pyelftools meets damage, and what it does not know, in many ways.
        with contextlib.suppress(Exception):
            found += _read(data)
    return tuple({one.name: one for one in reversed(found)}.values())


def _read(data: bytes) -> Iterator[Prototype]:
    from elftools.elf.elffile import ELFFile

    elf = ELFFile(io.BytesIO(data))
    if not elf.has_dwarf_info():
        return
    for unit in elf.get_dwarf_info().iter_CUs():
        for die in unit.iter_DIEs():
            if die.tag != "DW_TAG_subprogram" or not {"DW_AT_low_pc", "DW_AT_ranges"} & die.attributes.keys():
                continue
            said = _origin(die)
            name = said.attributes.get("DW_AT_linkage_name") or said.attributes.get("DW_AT_name")
            if name is None or "DW_AT_external" not in said.attributes or not (
                    "DW_AT_prototyped" in said.attributes or any(_parameters(said))):
                continue
            yield Prototype(os.fsdecode(name.value), tuple(
                _parameter(one, elf.elfclass // 8) for one in _parameters(said)),
                _type(said, elf.elfclass // 8)[0] if "DW_AT_type" in said.attributes else "")


def _origin(die: Any) -> Any:
    """Where a function that has been inlined elsewhere says what it is."""
    return die.get_DIE_from_attribute("DW_AT_abstract_origin") if "DW_AT_abstract_origin" in die.attributes else die


def _parameters(die: Any) -> Iterator[Any]:
    return (child for child in die.iter_children() if child.tag == "DW_TAG_formal_parameter")


def _parameter(die: Any, word: int) -> Parameter:
    name = die.attributes.get("DW_AT_name")
    ctype, kind, nbytes = _type(die, word)
    return Parameter("" if name is None else os.fsdecode(name.value), ctype, kind, nbytes)


def _is_const(pointer: Any) -> bool:
    """Whether what a pointer points at may not be written through it."""
    return "DW_AT_type" in pointer.attributes and (
        pointer.get_DIE_from_attribute("DW_AT_type").tag == "DW_TAG_const_type")


def _type(die: Any, word: int, depth: int = 0) -> tuple[str, str, int]:
    """(name, kind, bytes) of what a DIE has as its type."""
    name = ""
    for _ in range(depth, _MAX_DEPTH):
        if "DW_AT_type" not in die.attributes:
            break
        die = die.get_DIE_from_attribute("DW_AT_type")
        said = die.attributes.get("DW_AT_name")
        name = name or ("" if said is None else os.fsdecode(said.value))
        if die.tag in _THROUGH:
            continue
        size = die.attributes.get("DW_AT_byte_size")
        nbytes = word if size is None else int(size.value)
        if die.tag in _POINTERS:
            read = "const " if _is_const(die) else ""
            return name or f"{read}{_type(die, word, depth + 1)[0] or 'void'} *".replace("* *", "**"), "address", nbytes
        if die.tag == "DW_TAG_enumeration_type":
            return f"enum {name}".rstrip(), "whole", nbytes
        if die.tag == "DW_TAG_base_type":
            kind = _KINDS.get(die.attributes["DW_AT_encoding"].value, "other")
            simple = nbytes in ((2, 4, 8) if kind == "float" else (1, 2, 4, 8)) and name != "__bf16"
            return name, kind if simple else "other", nbytes
        break
    return name, "other", 0
