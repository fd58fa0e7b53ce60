"""`neonsim kernels`: what is in the catalogue."""

from __future__ import annotations

import argparse
from difflib import get_close_matches
from typing import Any

from neonsim.errors import BadArgument
from neonsim.ukernel import Kernel, kernel, kernels
from neonsim.ukernel.header import split_name

from .options import ISAS, answer, print_json, top_command

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    listing = top_command(commands, "kernels", "neonsim kernels dwconv --isa aarch64\n"
                          "  neonsim kernels --explain qu8_gemm_q31_8x8__aarch64_neon_mlal_lane",
                          "FILTER is a part of a name, or several with blanks or * between them: the kernels with all "
                          "of them are listed.\nThe whole name of a kernel shows its text.")
    listing.add_argument("filter", nargs="*", metavar="FILTER", help="a part of the names, or one whole name")
    listing.add_argument("--contract", metavar="CONTRACT", help="those that keep this contract, or a part of its name")
    listing.add_argument("--isa", choices=ISAS, help="those of one instruction set")
    listing.add_argument("--explain", metavar="KERNEL", help="read a kernel's name aloud")
    listing.set_defaults(run=_kernels)


def _kernels(options: argparse.Namespace) -> int:
    if options.explain:
        one = kernel(options.explain)
        answer(one.explain, lambda: {**_kernel(one), "text": one.explain().splitlines()}, options)
        return 0
    if len(options.filter) == 1 and options.filter[0] in kernels():
        one = kernel(options.filter[0])
        if options.json:
            print_json({**_kernel(one), "source": one.source})
        else:
            print(one.source, end="")
        return 0
    listed = _listed(options)
    answer(lambda: "\n".join(f"{k.name}\n    {k.header.summary}" for k in listed), lambda: [_kernel(k) for k in listed],
           options)
    return 0


def _kernel(k: Kernel) -> dict[str, Any]:
    return {"name": k.name, "contract": k.contract.name, "tile": str(k.tile), "isa": k.isa, "feature": k.feature,
            "summary": k.header.summary, "path": str(k.path)}


def _listed(options: argparse.Namespace) -> list[Kernel]:
    """The kernels asked for; raises BadArgument, with names that are near, where there is none."""
    every: list[Kernel] = list(kernels())
    said = {k: split_name(k.name) for k in every}       # contract, tile, isa; a name needs no file to be read
    if options.contract:
        names = sorted({contract for contract, *_ in said.values()})
        wanted = [options.contract] if options.contract in names else [n for n in names if options.contract in n]
        if not wanted:
            near = get_close_matches(options.contract, names, 3)
            raise BadArgument(f"no kernel has a contract {options.contract!r}. " + (
                f"Did you mean {' or '.join(near)}?" if near else "`neonsim check contracts` lists them."))
        every = [k for k in every if said[k][0] in wanted]
    every = [k for k in every if options.isa in (None, said[k][2])]
    parts = [part for word in options.filter for part in word.lower().replace("*", " ").split()]
    found = [k for k in every if all(part in k.name for part in parts)]
    if not found:
        words = {word for k in every for word in k.name.split("_") if word}
        near = [word for part in parts for word in get_close_matches(part, words, 2)
                if not any(part in k.name for k in every)]
        asked = [f"{flag} {value}" for flag, value in (("--contract", options.contract), ("--isa", options.isa))
                 if value]
        raise BadArgument(f"no kernel{' with ' if asked else ''}{' and '.join(asked)} has "
                          f"{' and '.join(map(repr, parts))} in its name. " + (
                              f"Did you mean {' or '.join(dict.fromkeys(near))}?" if near else
                              "`neonsim kernels` lists them all."))
    return found
