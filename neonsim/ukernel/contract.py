"""What a micro-kernel promises: its arguments in order, and the definition it is judged by.

A `Family` is a list of arguments in the order of the call (ABI), said once; a contract is a row of it: types, block of
parameters, formula, and the plain numpy definition of what stands in the output. Every implementation (assembly on the
emulated machine, native C) must give the bytes that the definition gives. The page that readers see, the C prototype
and the places of arguments are printed from the row.

    Family(..., name=...)                argument(s) at the call           what the definition sees
    Size(says)                           size_t                            int
    Int32(says)                          int32_t                           int
    Stride(says)                         size_t, bytes                     int (needs it seldom: arrays know it)
    PointerStride(says)                  size_t, bytes                     int, counted in pointers
    In(dtype, shape, stride=)            const pointer, [size_t stride]    array of that shape
    Out(...)                             pointer, [size_t stride]          nothing: its value is the result
    InOut(...)                           pointer, [size_t stride]          array of that shape, as it was before
    Scratch(dtype, shape)                pointer                           nothing: it is not read afterwards
    Indirect(dtype, shape of a row)      const pointer to const pointers   PointerTable, or what the family makes of it
    Packed(...)                          const pointer                     weights: judge from .unpacked
    Params()                             const pointer to their block      the same object

A stride follows its array, unless the family names it elsewhere. An array with ``gap=`` has rows that end that many
bytes before the next one begins: what kernels call an increment. A size "channels:8" is rounded up to a multiple of 8.
An output with ``blocks=`` is written in blocks of as many columns as the packed weights have, that many bytes apart.
A table with ``offset=`` and ``zero=``: n bytes are added to every pointer but those that equal ``zero``; with
``fallback=`` as well, the row of that argument is read in place of those.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

import numpy as np

from neonsim.arm.asm.c.prototypes import Parameter, Prototype
from neonsim.arm.asm.program import Program
from neonsim.arm.isa import WORD_BYTES
from neonsim.errors import KernelFileError
from neonsim.ukernel.contracts.arguments import (
    Array,
    In,
    Indirect,
    InOut,
    InSchemes,
    Int32,
    Number,
    Out,
    Packed,
    Params,
    Pointee,
    PointerStride,
    PointerTable,
    Scratch,
    Size,
    Stride,
)

__all__ = ["NUMBERS", "Argument", "Array", "Contract", "Family", "In", "InOut", "InSchemes", "Indirect", "Int32",
           "Number", "Out", "Packed", "Params", "Pointee", "PointerStride", "PointerTable", "Scratch", "Size", "Stride",
           "struct_name"]


def struct_name(kind: type[Any], scheme: str = "") -> str:
    """The struct of native/include/neonsim.h that a class of parameters has its block in.

    scheme   str   where each scheme of a class has a block of its own

    >>> from neonsim.quant.params.gemm import Fp32GemmParams
    >>> struct_name(Fp32GemmParams)
    'neonsim_fp32_gemm_params'
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind.__name__.removesuffix("Params")).lower()
    return f"neonsim_{words}{f'_{scheme}' * bool(scheme)}_params"


@dataclass(frozen=True)
class Argument:
    """One argument as the machine sees it.

    name     str           as in the signature
    ctype    str           as in the C prototype
    kind     str           size | stride | pointers | int32 | number | memory | params
    memory   Pointee       what the pointer points at: In, Out, InOut, Scratch, Indirect or Packed, else None
    description  str           what it is, in the words of its page
    """

    name: str
    ctype: str
    kind: str
    memory: Pointee | None = None
    description: str = ""

    @property
    def is_pointer(self) -> bool:
        """True for addresses, false for sizes, strides and other numbers."""
        return self.ctype.endswith("*")


# Numbers and elements of prototypes, by their C types; "number" is the kind of those that no contract of ours takes.
NUMBERS: Final = {f"{sign}int{bits}_t": f"{sign}int{bits}" for bits in (8, 16, 32, 64) for sign in ("", "u")} | {
    "float": "float32", "double": "float64", "float16_t": "float16", "bool": "uint8"}

# Registers for the first arguments: AAPCS32 6.5 and AAPCS64 6.8.2, as far as contracts go (integers and pointers of at
# most one register each).
_REGISTERS = {"aarch32": tuple(f"r{i}" for i in range(4)), "aarch64": tuple(f"x{i}" for i in range(8))}


@dataclass(frozen=True)
class Contract:
    """A kernel's promise.

    name        str                   also the first word of every kernel file that keeps it
    arguments   tuple[Argument, ...]  in ABI order
    function    the definition, by keywords; fills outputs in place
    doc         str                   the page of the contract: what, formula, arguments
    takes       tuple[str, ...]       arguments that the definition is given
    family      Family | None         its list of arguments; None: it has one of its own, as exercises have
    params      type | None           class of its parameters
    scheme      str                   which of the blocks of that class, where it has several
    guarded     bool                  whether the C library has entry points for it (native/src/contracts/entry.c)
    returns     str                   type of what it returns, "" for none: kernels return nothing
    """

    name: str
    arguments: tuple[Argument, ...]
    function: Callable[..., Any]
    doc: str
    takes: tuple[str, ...]
    family: Family | None = field(default=None, repr=False)
    params: type[Any] | None = None
    scheme: str = ""
    guarded: bool = False
    returns: str = ""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Compute by the definition; outputs are filled in place."""
        return self.function(**dict(zip(self.takes, args, strict=False)), **kwargs)

    @property
    def swizzle(self) -> int:
        """Depths within which the columns of its packed weights are rotated, 0 if that is each kernel's own choice."""
        return next((a.memory.swizzle for a in self.arguments if isinstance(a.memory, Packed)), 0)

    @property
    def signature(self) -> str:
        """What the C library calls its list of arguments; "" if it does not know it."""
        return self.family.signature if self.family is not None else ""

    @property
    def dtype(self) -> str:
        """Type of the elements of its first array."""
        return next(a.memory.dtype for a in self.arguments if a.memory is not None)

    @property
    def summary(self) -> str:
        """The first line of its page."""
        return self.doc.partition("\n")[0]

    def places(self, isa: str) -> dict[str, str]:
        """Where each argument is when the kernel is entered, by the procedure call standard.

        >>> from neonsim.ukernel import contract_named
        >>> contract_named("qu8_sumrows").places("aarch32")["sums"]
        '[sp, #4]'
        """
        if isa not in _REGISTERS:
            raise KernelFileError(f"isa must be aarch32 or aarch64; got {isa!r}.")
        registers, slot = _REGISTERS[isa], WORD_BYTES[isa]
        found = {}
        for i, argument in enumerate(self.arguments):
            if i < len(registers):
                # A 32-bit number arrives in the lower half of an AArch64 register; the upper half is undefined.
                narrow = isa == "aarch64" and argument.ctype == "int32_t"
                found[argument.name] = registers[i].replace("x", "w") if narrow else registers[i]
            else:
                offset = (i - len(registers)) * slot
                found[argument.name] = f"[sp, #{offset}]" if offset else "[sp]"
        return found

    def known_to(self, program: Program, entry: str) -> Program:
        """The program, which knows that its function of this name takes what the contract says."""
        kinds = {ctype: ({"u": "whole", "i": "signed", "f": "float"}[np.dtype(dtype).kind], np.dtype(dtype).itemsize)
                 for ctype, dtype in NUMBERS.items()} | {"size_t": ("whole", WORD_BYTES[program.isa])}
        taken = (Parameter(a.name, a.ctype, *kinds.get(a.ctype, ("address", WORD_BYTES[program.isa])))
                 for a in self.arguments)
        return replace(program, prototypes=(Prototype(entry, tuple(taken)),))

    def prototype(self, name: str | None = None) -> str:
        """The C declaration of a kernel with this contract.

        >>> from neonsim.ukernel import contract_named
        >>> contract_named("qu8_sumrows").prototype().partition("(")[0]
        'void qu8_sumrows'
        """
        def one(argument: Argument) -> str:
            return f"{argument.ctype}{'' if argument.is_pointer else ' '}{argument.name}"

        return f"void {name or self.name}({', '.join(one(a) for a in self.arguments)});"


class Family:
    """Contracts with the same arguments: a list of arguments, and a row for each contract.

    signature   str                    what the C library calls the list
    sees        {argument: function}   what definitions are given in place of an argument, made of those it names
    arguments                          in ABI order; {t} in types, shapes and words stands for what a row says of it
    """

    def __init__(self, signature: str, *, sees: Mapping[str, Callable[..., Any]] | None = None,
                 **arguments: Number | Pointee | Params) -> None:
        self.signature, self.sees, self.arguments = signature, dict(sees or {}), arguments
        self.contracts: list[Contract] = []

    def but(self, signature: str, *, before: str = "", sees: Mapping[str, Callable[..., Any]] | None = None,
            **arguments: Number | Pointee | Params | None) -> Family:
        """A family with other arguments of these names, without those that are None, and with those that are new before
        the argument ``before``."""
        found: dict[str, Number | Pointee | Params] = {}
        new = {name: one for name, one in arguments.items() if name not in self.arguments and one is not None}
        for name, one in self.arguments.items():
            if name == before:
                found |= new
            other = arguments.get(name, one)
            if other is not None:
                found[name] = other
        return Family(signature, sees={**self.sees, **(sees or {})}, **(found if before else found | new))

    def row(self, name: str, define: Callable[..., Any], *, says: str, formula: str = "", params: Any = None,
            block: str = "", notes: str = "", source: str = "", guarded: bool = False, **words: str) -> Contract:
        """Add a contract.

        name      str        as kernels begin
        define    function   of the arguments that it names, to what stands in the output afterwards
        says      str        what it computes, in a sentence
        formula   str        the same as a formula
        params    Any        class of the parameters, or (class, scheme) where a scheme has a block of its own
        block     str        what of them is used, or which they are
        notes     str        what else there is to know: wrapping, order of operations
        source    str        whose kernels have these arguments and this rounding
        guarded   bool       whether the C library checks calls of it and keeps reads inside of buffers
        words     str        what stands for {t} and other words in braces
        """
        try:
            given = {key: _filled(one, words) for key, one in self.arguments.items()}
        except KeyError as missing:
            raise KernelFileError(f"Contract {name} has no {missing}, which its family {self.signature} needs for the "
                                  f"word in braces.") from None
        tail = f"Source: {source}; definition of our own." if source else "Definition of our own."
        arguments, takes = _arguments(given, params)
        output = next(key for key, one in given.items() if isinstance(one, Out | InOut))
        page = _page(given, says, formula, (params, block), " ".join(filter(None, (notes, tail))))
        kind, scheme = params if isinstance(params, tuple) else (params, "")
        contract = Contract(name, arguments, _filler(define, self.sees, output), page, takes, family=self, params=kind,
                            scheme=scheme, guarded=guarded)
        self.contracts.append(contract)
        return contract


def _filled(one: Number | Pointee | Params, words: Mapping[str, str]) -> Number | Pointee | Params:
    if isinstance(one, Params):
        return one
    texts: dict[str, Any] = {each.name: value.format_map(words) for each in fields(one)
             if isinstance(value := getattr(one, each.name), str) and "{" in value}
    return replace(one, **texts) if texts else one


def _arguments(given: Mapping[str, Number | Pointee | Params],
               params: Any) -> tuple[tuple[Argument, ...], tuple[str, ...]]:
    """In ABI order, strides behind their arrays; and those that definitions are given."""
    found: list[Argument] = []
    for name, one in given.items():
        if isinstance(one, Params):
            block = struct_name(*params) if isinstance(params, tuple) else struct_name(params)
            found.append(Argument(name, f"const struct {block} *", "params"))
        elif isinstance(one, Number):
            found.append(Argument(name, one.ctype, one.kind, description=one.description))
        else:
            found.append(Argument(name, one.ctype, "memory", one, one.description))
            found += [Argument(each, "size_t", "stride", description=f"from one {what} of {name} to the next")
                      for each, what in ((one.stride, "row"), (one.blocks, "block of NR columns"))
                      if each is not None and each not in given]
    return tuple(found), tuple(given)


def _filler(define: Callable[..., Any], sees: Mapping[str, Callable[..., Any]], output: str) -> Callable[..., None]:
    """A function that fills the output with what ``define`` makes of the arguments that it names."""
    wanted = [(name, sees.get(name)) for name in _names_of(define)]

    def filled(**values: Any) -> None:
        seen = {name: values[name] if see is None else see(**{one: values[one] for one in _names_of(see)})
                for name, see in wanted}
        values[output][...] = define(**seen)

    return filled


def _names_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The arguments of a function, but for those that may be left out."""
    return tuple(function.__code__.co_varnames[:function.__code__.co_argcount - len(function.__defaults__ or ())])


def _page(given: Mapping[str, Number | Pointee | Params], says: str, formula: str, block: tuple[Any, str],
          notes: str) -> str:
    """What readers see: sentence, formula, table of arguments, notes."""
    table: list[tuple[list[str], str, str]] = []
    for name, one in given.items():
        if isinstance(one, Params):
            kind, scheme = block[0] if isinstance(block[0], tuple) else (block[0], "")
            word, text = kind.__name__ + f" of scheme {scheme!r}" * bool(scheme), block[1]
        else:
            word, text = one.word, one.page if isinstance(one, Pointee) else one.description
        if table and table[-1][1:] == (word, text):
            table[-1][0].append(name)      # two that are alike share a line
        else:
            table.append(([name], word, text))
    rows = [(", ".join(names), word, text) for names, word, text in table]
    wide = max(len(names) for names, _, _ in rows)
    wider = max(len(word) for _, word, text in rows if text)
    lines = [f"{names:<{wide}}   {word:<{wider}}   {text}".rstrip() for names, word, text in rows]
    return "\n\n".join(filter(None, (says, formula, "\n".join(lines), textwrap.fill(notes, 118))))
