"""What a micro-kernel promises: its arguments in order, and the definition it is judged by.

A contract is a function. Its signature is the order of arguments at the call (ABI), its annotations say what each one
is, its body is the plain numpy definition. Every implementation (assembly on the emulated machine, native C) must give
the bytes that the body gives.

    annotation                                  argument(s) at the call           what the body sees
    Size                                        size_t                            int
    Int32                                       int32_t                           int
    Stride                                      size_t, bytes                     int (needs it seldom: arrays know it)
    PointerStride                               size_t, bytes                     int, counted in pointers
    Annotated[Array, In(dtype, shape, stride=)] const pointer, [size_t stride]    array of that shape
    Annotated[Array, Out(...)]                  pointer, [size_t stride]          array of that shape, to fill
    Annotated[Array, InOut(...)]                pointer, [size_t stride]          array of that shape, to change
    Annotated[Array, Scratch(dtype, shape)]     pointer                           None: nobody reads it afterwards
    Annotated[PointerTable, Indirect(dtype, n)] const pointer to const pointers   PointerTable: rows of n elements
    Annotated[PackedWeights, Packed(...)]       const pointer                     PackedWeights: judge from .unpacked
    Q31Params, AddParams, ...                   const pointer to their block      the same object

A stride follows its array, unless the signature names it elsewhere. An array with ``gap=`` has rows that end that many
bytes before the next one begins: what kernels call an increment. A size "channels:8" is rounded up to a multiple of 8.
An output with ``blocks=`` is written in blocks of as many columns as the packed weights have, that many bytes apart.
A table with ``offset=`` and ``zero=``: so many bytes are added to every pointer but those that equal ``zero``; with
``instead=`` as well, the row of that argument is read in place of those.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Protocol, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.asm.c.prototypes import Parameter, Prototype
from neonsim.arm.asm.program import Program
from neonsim.arm.isa import WORD_BYTES
from neonsim.errors import KernelFileError
from neonsim.quant.params.convert import DequantizeParams, DivideParams, QuantizeParams
from neonsim.quant.params.elementwise import (
    AddParams,
    AveragePoolParams,
    ClampParams,
    Fp32Params,
    PreciseParams,
    RndnuParams,
)
from neonsim.quant.params.float32 import FloatMeanParams, FloatParams, FloatShareParams, FloatSlopeParams
from neonsim.quant.params.gemm import Fp32GemmParams, Qc8wParams, RndnuGemmParams
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.quant.params.qs8_elementwise import ConvertParams, LeakyParams, MeanParams, MultiplyParams, ScaledAddParams
from neonsim.quant.reference.dynamic import Qd8Params
from neonsim.quant.requant.ncnn import NcnnParams

__all__ = ["Argument", "Array", "Contract", "In", "InOut", "Indirect", "Int32", "MulFp32", "MulRndnu", "Out", "Packed",
           "Pointee", "PointerStride", "PointerTable", "Scratch", "Size", "Stride", "contract"]

Array = NDArray[Any]


class PointerTable(Protocol):
    """What a definition sees of a table of pointers: the rows they point at."""

    def __len__(self) -> int:
        """Number of pointers."""
        ...

    def take(self, index: NDArray[np.int64]) -> Array:
        """The rows behind the pointers of these numbers: [*index.shape, elements of a row]."""
        ...


@dataclass(frozen=True)
class _Scalar:
    ctype: str
    kind: str


@dataclass(frozen=True)
class Pointee:
    """An array in memory: dtype, the sizes of its axes by name ("mr kc"), the argument that holds its row stride, or
    the one that holds the bytes between the end of a row and the next; of outputs the one that holds the bytes from one
    block of columns to the next; of tables the ones that are added to pointers, the pointer that is spared, and the
    row that is read in its place."""

    dtype: str
    shape: str
    stride: str | None = None
    gap: str | None = None
    blocks: str | None = None
    offset: str | None = None
    zero: str | None = None
    instead: str | None = None


class In(Pointee):
    """Memory that the kernel reads."""


class Out(Pointee):
    """Memory that the kernel writes, every element of it and nothing else."""


class InOut(Pointee):
    """Memory that the kernel reads and writes."""


class Scratch(Pointee):
    """Memory for the kernel's own use: undefined before and after the call."""


class Indirect(Pointee):
    """Pointers to rows; the shape is that of one row."""


@dataclass(frozen=True)
class Packed(Pointee):
    """Weights in the layout of `packing`; the shape is the one before packing.

    swizzle   int   depths within which the columns of every kernel's weights are rotated; 0: its tile says
    """

    swizzle: int = 0


Size = Annotated[int, _Scalar("size_t", "size")]
Stride = Annotated[int, _Scalar("size_t", "stride")]
PointerStride = Annotated[int, _Scalar("size_t", "pointers")]
Int32 = Annotated[int, _Scalar("int32_t", "int32")]

# A product's block depends on its scheme.
MulFp32 = Annotated[MultiplyParams, "fp32"]
MulRndnu = Annotated[MultiplyParams, "rndnu"]

# Parameter blocks: the Python class and the struct of native/include/neonsim.h.
_STRUCTS: dict[Any, str] = {
    Q31Params: "neonsim_q31_params", AveragePoolParams: "neonsim_avgpool_params", AddParams: "neonsim_add_params",
    ClampParams: "neonsim_clamp_params", PreciseParams: "neonsim_precise_params",
    RndnuParams: "neonsim_rndnu_params", Fp32Params: "neonsim_fp32_params",
    RndnuGemmParams: "neonsim_rndnu_gemm_params", Fp32GemmParams: "neonsim_fp32_gemm_params",
    Qc8wParams: "neonsim_qc8w_params", Qd8Params: "neonsim_qd8_params",
    ScaledAddParams: "neonsim_scaled_add_params", MulFp32: "neonsim_mul_fp32_params",
    MulRndnu: "neonsim_mul_rndnu_params", ConvertParams: "neonsim_convert_params",
    LeakyParams: "neonsim_leaky_params", MeanParams: "neonsim_mean_params", NcnnParams: "neonsim_steps_params",
    FloatParams: "neonsim_f32_params", FloatMeanParams: "neonsim_f32_mean_params",
    FloatSlopeParams: "neonsim_f32_slope_params", FloatShareParams: "neonsim_f32_share_params",
    QuantizeParams: "neonsim_to_bytes_params", DequantizeParams: "neonsim_to_real_params",
    DivideParams: "neonsim_quotient_params",
}


@dataclass(frozen=True)
class Argument:
    """One argument as the machine sees it.

    name     str           as in the signature
    ctype    str           as in the C prototype
    kind     str           size | stride | pointers | int32 | memory | params
    memory   Pointee       what the pointer points at: In, Out, InOut, Scratch, Indirect or Packed, else None
    """

    name: str
    ctype: str
    kind: str
    memory: Pointee | None = None

    @property
    def is_pointer(self) -> bool:
        """True for addresses, false for sizes, strides and other numbers."""
        return self.ctype.endswith("*")


# Registers for the first arguments: AAPCS32 6.5 and AAPCS64 6.8.2, as far as contracts go (integers and pointers of at
# most one register each).
_REGISTERS = {"aarch32": tuple(f"r{i}" for i in range(4)), "aarch64": tuple(f"x{i}" for i in range(8))}


@dataclass(frozen=True)
class Contract:
    """A kernel's promise.

    name        str                   also the first word of every kernel file that keeps it
    arguments   tuple[Argument, ...]  in ABI order
    function    the definition; ``contract(...)`` calls it
    """

    name: str
    arguments: tuple[Argument, ...]
    function: Callable[..., None]

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Compute by the definition; outputs are filled in place."""
        self.function(*args, **kwargs)

    @property
    def swizzle(self) -> int:
        """Depths within which the columns of its packed weights are rotated, 0 if that is each kernel's own choice."""
        return next((a.memory.swizzle for a in self.arguments if isinstance(a.memory, Packed)), 0)

    @property
    def doc(self) -> str:
        """The page of the contract: what, formula, names."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """Its first line."""
        return self.doc.partition("\n")[0]

    def places(self, isa: str) -> dict[str, str]:
        """Where each argument is when the kernel is entered, by the procedure call standard.

        >>> from neonsim.ukernel import contract_named
        >>> contract_named("qu8_sumrows").places("aarch32")["sums"]
        '[sp, #4]'
        """
        if isa not in _REGISTERS:
            raise KernelFileError(f"There is no instruction set {isa!r}: say aarch32 or aarch64.")
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
        kinds = {"size_t": ("whole", WORD_BYTES[program.isa]), "int32_t": ("signed", 4)}
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


def _ctype(dtype: str) -> str:
    return "float" if dtype == "float32" else f"{np.dtype(dtype).name}_t"


def _arguments(function: Callable[..., None]) -> tuple[Argument, ...]:
    hints = get_type_hints(function, include_extras=True)
    names = list(inspect.signature(function).parameters)
    found: list[Argument] = []
    for name in names:
        hint = hints.get(name)
        if hint in _STRUCTS:
            found.append(Argument(name, f"const struct {_STRUCTS[hint]} *", "params"))
            continue
        note = get_args(hint)[1] if get_origin(hint) is Annotated else None
        if isinstance(note, _Scalar):
            found.append(Argument(name, note.ctype, note.kind))
        elif isinstance(note, Packed):
            found.append(Argument(name, "const void *", "memory", note))
        elif isinstance(note, Indirect):
            found.append(Argument(name, f"const {_ctype(note.dtype)} *const *", "memory", note))
        elif isinstance(note, In | Out | InOut | Scratch):
            const = "const " if isinstance(note, In) else ""
            found.append(Argument(name, f"{const}{_ctype(note.dtype)} *", "memory", note))
            found += [Argument(each, "size_t", "stride") for each in (note.stride, note.blocks)
                      if each is not None and each not in names]
        else:
            raise KernelFileError(
                f"Contract {function.__name__}: argument {name} has annotation {hint!r}; contracts take "
                              "Size, Stride, PointerStride, Int32, a class of parameters, and Annotated with In, Out, "
                              "InOut, Scratch, Indirect or Packed.")
    return tuple(found)


def contract(function: Callable[..., None]) -> Contract:
    """Make a contract of its definition (see the page of this module)."""
    if not function.__doc__:
        raise KernelFileError(f"Contract {function.__name__} has no docstring; it is the page that readers see.")
    return Contract(function.__name__, _arguments(function), function)
