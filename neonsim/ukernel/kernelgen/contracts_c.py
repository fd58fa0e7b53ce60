"""What the C library knows of contracts, written from their rows by `make headers`.

    native/include/neonsim.h             enum neonsim_contract; numbers stay, contracts that are new come last
    native/src/contracts/contracts.h     a line for each contract, and what may lie over what
    native/src/contracts/signatures.h    how kernels are called: a signature for each list of arguments

An array whose type each row says is void in a signature, for all rows are called by it.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from neonsim.common.fileio import read_text, write_file
from neonsim.ukernel.contract import Argument, Contract, In, Indirect, Out, Packed, Pointee
from neonsim.ukernel.contracts import contracts, families

__all__ = ["HEADERS", "written"]

HEADERS = ("native/include/neonsim.h", "native/src/contracts/contracts.h", "native/src/contracts/signatures.h")
_ENUM = re.compile(r"(enum neonsim_contract \{\n)(.*?)(  NEONSIM_CONTRACTS\n)", re.S)
_CONTRACTS = """\
/* The contracts, in the order of enum neonsim_contract: X(constant, name, signature, swizzle, guarded).
 * `make headers` writes this file from neonsim/ukernel/contracts.
 *
 *   signature   how its kernels are called (signatures.h)
 *   swizzle     sr of packed weights where the tile of a kernel does not say it (4x8c2s4 does); 0: weights are not
 *               packed by groups
 *   guarded     1: entry points of its own keep what a kernel reads in front of a row inside the buffer (entry.c). The
 *               files of kernels/, most of which read there, are the default only of these: a tensor of a user need not
 *               have readable bytes before it
 *
 * native/cmake/variants.cmake reads these lines too. */
#ifndef NEONSIM_CONTRACTS_CONTRACTS_H
#define NEONSIM_CONTRACTS_CONTRACTS_H

/* clang-format off */
#define NEONSIM_EVERY_CONTRACT(X) \\
{contracts}

/* Contracts whose results may lie exactly where an operand lies, arguments by their number:
 * OVER(constant, result, operand, bytes of an element, elements of the operand). */
#define NEONSIM_EVERY_OVERLAP(OVER) \\
{overlaps}
/* clang-format on */

#endif
"""
_SIGNATURES = """\
/* How kernels are called: one signature for all contracts that take the same arguments (contracts.h says which takes
 * which), in the order of the contract and of the assembly files. `make headers` writes this file from
 * neonsim/ukernel/contracts.
 *
 * NEONSIM_SIGNATURE_x(name) declares a function `name`, or with (*name) a pointer to one. */
#ifndef NEONSIM_CONTRACTS_SIGNATURES_H
#define NEONSIM_CONTRACTS_SIGNATURES_H

#include "neonsim.h"

/* clang-format off */
{signatures}

/* X(signature, how many arguments, which): N a size or stride, P an address, I an int32; each by its number. */
#define NEONSIM_EVERY_CALL(X) \\
{calls}
/* clang-format on */

#define NEONSIM_MEMBER(signature, count, arguments) NEONSIM_SIGNATURE_##signature((*signature));
union neonsim_kernel {{
  NEONSIM_EVERY_CALL(NEONSIM_MEMBER)
}};
#undef NEONSIM_MEMBER

#endif
"""


def written(root: Path) -> dict[str, str]:
    """Path of each of `HEADERS`, below the root of a checkout, -> what stands in it."""
    public = (root / HEADERS[0]).read_text("utf-8")
    found = _ENUM.search(public)
    assert found is not None
    names = {each.name: each for each in contracts() if each.signature}
    before = [name.lower() for name in re.findall(r"NEONSIM_(\w+)", found[2])]
    order = [name for name in before if name in names] + [name for name in names if name not in before]
    lines = "".join(f"  NEONSIM_{name.upper()}{' = 0' * (not i)},\n" for i, name in enumerate(order))
    by_signature: dict[str, list[Contract]] = {}
    for name in order:
        by_signature.setdefault(names[name].signature, []).append(names[name])
    return {
        HEADERS[0]: public[:found.start(2)] + lines + public[found.end(2):],
        HEADERS[1]: _CONTRACTS.format(contracts=_listed(_line(names[name]) for name in order),
                                      overlaps=_listed(line for name in order for line in _overlaps(names[name]))),
        HEADERS[2]: _SIGNATURES.format(
            signatures="\n".join(_signature(name, members) for name, members in by_signature.items()),
            calls=_listed(_call(name, members[0].arguments) for name, members in by_signature.items()))}


def _listed(lines: Iterable[str]) -> str:
    return " \\\n".join(f"  {line}" for line in lines)


def _line(contract: Contract) -> str:
    # Columns of products over all columns, and of tiles, are packed by groups; a contract may say how many.
    groups = any(isinstance(a.memory, Packed) for a in contract.arguments) and contract.arguments[0].name == "mr"
    return (f"X({contract.name.upper()}, {contract.name}, {contract.signature}, "
            f"{contract.swizzle or int(groups)}, {int(contract.guarded)})")


def _overlaps(contract: Contract) -> list[str]:
    """Where the result may lie over one operand, the others are looked at, too."""
    memories = [a.memory for a in contract.arguments]
    return [f"OVER({contract.name.upper()}, {i}, {j}, {np.dtype(operand.dtype).itemsize}, {operand.shape})"
            for i, result in enumerate(memories) if isinstance(result, Out) and result.over
            for j, operand in enumerate(memories) if isinstance(operand, In) and operand.shape in ("n", "1")]


def _signature(name: str, members: list[Contract]) -> str:
    arguments = []
    for same in zip(*(each.arguments for each in members), strict=True):
        ctype, names = _common(name, same), {a.name for a in same}
        arguments.append(f"{ctype}{'' if ctype.endswith('*') else ' '}{names.pop() if len(names) == 1 else 'number'}")
    # A line ends behind an argument, not in it.
    whole = f"void name({', '.join(one.replace(' ', '~') for one in arguments)})"
    text = textwrap.fill(whole, 118, initial_indent="  ", subsequent_indent=" " * 12, break_long_words=False)
    return f"#define NEONSIM_SIGNATURE_{name}(name) \\\n" + text.replace("~", " ").replace("\n", " \\\n")


def _common(signature: str, same: tuple[Argument, ...]) -> str:
    """The C type by which all of them can be called."""
    types = {a.ctype for a in same}
    by_row = any(isinstance(spec := family.arguments.get(same[0].name), Pointee) and "{" in spec.dtype
                 for family in families() if family.signature == signature)
    if len(types) == 1 and not by_row:
        return types.pop()
    memory = same[0].memory
    if isinstance(memory, Packed):
        return same[0].ctype
    return "const void *const *" if isinstance(memory, Indirect) else (
        "const void *" if same[0].ctype.startswith("const ") else "void *")


def _call(name: str, arguments: tuple[Argument, ...]) -> str:
    passed = (f"{'P' if a.is_pointer else 'I' if a.ctype == 'int32_t' else 'N'}({i})" for i, a in enumerate(arguments))
    return f"X({name}, {len(arguments)}, ({', '.join(passed)}))"


if __name__ == "__main__":
    root = Path(__file__).parents[3]
    for path, text in written(root).items():
        if read_text(root / path, 1 << 24) != text:
            write_file(root / path, text)
            print(f"{path}: written", file=sys.stderr)
