"""What a micro-kernel promises: its arguments in order, and the definition it is judged by.

A contract is a function. Its signature is the order of arguments at the call (ABI), its annotations say what each one
is, its body is the plain numpy definition. Every implementation (assembly on the emulated machine, native C) must give
the bytes that the body gives.

    annotation                                  argument(s) at the call           what the body sees
    Size                                        size_t                            int
    Int32                                       int32_t                           int
    Stride                                      size_t, bytes                     int (needs it seldom: arrays know it)
    Annotated[Array, In(dtype, shape, stride=)] const pointer, [size_t stride]    array of that shape
    Annotated[Array, Out(...)]                  pointer, [size_t stride]          array of that shape, to fill
    Annotated[PackedWeights, Packed(...)]       const pointer                     PackedWeights: judge from .unpacked
    Q31Params                                   const pointer to 16 bytes         Q31Params

A stride follows its array, unless the signature names it elsewhere.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import KernelError
from neonsim.quant.requant import Q31Params

__all__ = ["Argument", "Array", "Contract", "In", "Int32", "Out", "Packed", "Size", "Stride", "contract"]

Array = NDArray[Any]


@dataclass(frozen=True)
class _Scalar:
    ctype: str


@dataclass(frozen=True)
class _Memory:
    """An array in memory: dtype, the sizes of its axes by name ("mr kc"), the argument that holds its row stride."""

    dtype: str
    shape: str
    stride: str | None = None


class In(_Memory):
    """Memory that the kernel reads."""


class Out(_Memory):
    """Memory that the kernel writes, every element of it and nothing else."""


class Packed(_Memory):
    """Weights in the layout of `packing`; the shape is the one before packing."""


Size = Annotated[int, _Scalar("size_t")]
Stride = Annotated[int, _Scalar("size_t")]
Int32 = Annotated[int, _Scalar("int32_t")]


@dataclass(frozen=True)
class Argument:
    """One argument as the machine sees it.

    name     str           as in the signature
    ctype    str           as in the C prototype
    memory   In | Out | Packed | None   what the pointer points at, if it is one
    """

    name: str
    ctype: str
    memory: _Memory | None = None

    @property
    def is_pointer(self) -> bool:
        """True for addresses, false for sizes, strides and other numbers."""
        return self.ctype.endswith("*")


# Registers for the first arguments and bytes of one slot on the stack: AAPCS32 6.5 and AAPCS64 6.8.2, as far as
# contracts go (integers and pointers of at most one register each).
_REGISTERS = {"aarch32": tuple(f"r{i}" for i in range(4)), "aarch64": tuple(f"x{i}" for i in range(8))}
_SLOT = {"aarch32": 4, "aarch64": 8}


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
            raise KernelError(f"There is no instruction set {isa!r}: say aarch32 or aarch64.")
        registers, slot = _REGISTERS[isa], _SLOT[isa]
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
    return f"{np.dtype(dtype).name}_t"


def _arguments(function: Callable[..., None]) -> tuple[Argument, ...]:
    hints = get_type_hints(function, include_extras=True)
    names = list(inspect.signature(function).parameters)
    found: list[Argument] = []
    for name in names:
        hint = hints.get(name)
        if hint is Q31Params:
            found.append(Argument(name, "const struct neonsim_q31_params *"))
            continue
        note = get_args(hint)[1] if get_origin(hint) is Annotated else None
        if isinstance(note, _Scalar):
            found.append(Argument(name, note.ctype))
        elif isinstance(note, Packed):
            found.append(Argument(name, "const void *", note))
        elif isinstance(note, In | Out):
            const = "const " if isinstance(note, In) else ""
            found.append(Argument(name, f"{const}{_ctype(note.dtype)} *", note))
            if note.stride is not None and note.stride not in names:
                found.append(Argument(note.stride, "size_t"))
        else:
            raise KernelError(f"Contract {function.__name__}: argument {name} has annotation {hint!r}; contracts take "
                              "Size, Stride, Int32, Q31Params, and Annotated with In, Out or Packed.")
    return tuple(found)


def contract(function: Callable[..., None]) -> Contract:
    """Make a contract of its definition (see the page of this module)."""
    if not function.__doc__:
        raise KernelError(f"Contract {function.__name__} has no docstring; it is the page that readers see.")
    return Contract(function.__name__, _arguments(function), function)
