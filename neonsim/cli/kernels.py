"""`neonsim kernels`: what is in the catalogue, and what its kernels are made of.

What draws and counts is imported where it is asked for: a list needs neither.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from neonsim.errors import BadArgument
from neonsim.ukernel import Kernel, kernel, kernels
from neonsim.ukernel.naming import split_name

from .options import ISAS, add_output, answer, command, command_group, wrote

if TYPE_CHECKING:
    from neonsim.arm.timing import Counts
    from neonsim.render import Picture

__all__ = ["add_commands"]

EXAMPLE = "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"
PRODUCTS = ("qu8_gemm_q31", "qu8_gemm_xzp_q31", "u8_gemm_packed_s32")


def _shorthand(words: Sequence[str]) -> str:
    return "show" if words and words[0] in kernels().names else "list"


def add_commands(commands: Any) -> None:
    group = command_group(commands, "kernels", f"neonsim kernels dwconv --isa aarch64\n  neonsim kernels {EXAMPLE}",
                          "`neonsim kernels KERNEL` is short for `neonsim kernels show KERNEL`, with other words for "
                          "`neonsim kernels list`.", _shorthand)

    listing = command(group, "list", "List the kernels, all or those that match.",
                      "neonsim kernels list dwconv --isa aarch64")
    listing.add_argument("filter", nargs="*", metavar="WORD",
                         help="Part of the name; several words must all be in it. * stands between two parts.")
    _add_contract(listing, "List only kernels that keep this contract; part of its name is enough.")
    listing.add_argument("--isa", choices=ISAS, help="List only kernels of this instruction set.")
    listing.set_defaults(run=_list)

    show = command(group, "show", "Print the text of a kernel.", f"neonsim kernels show {EXAMPLE}")
    show.set_defaults(run=_show)

    explain = command(group, "explain", "Explain the parts of a kernel's name.", f"neonsim kernels explain {EXAMPLE}")
    explain.set_defaults(run=_explain)

    registers = command(group, "registers", "Show what a kernel keeps in which vector register.",
                        f"neonsim kernels registers {EXAMPLE}")
    registers.set_defaults(run=_registers)

    pressure = command(group, "pressure", "Show how many registers of a kernel's main loop are live, and when.",
                       f"neonsim kernels pressure {EXAMPLE} --svg live.svg")
    add_output(pressure, "--html", help="Write a page with picture and numbers.")
    pressure.set_defaults(run=_pressure)
    for parser in (show, explain, registers, pressure):
        parser.add_argument("name", metavar="KERNEL", help="Name of the kernel.")

    mix = command(group, "mix", "Count what main loops are made of.", "neonsim kernels mix --contract qu8_gemm_q31")
    mix.add_argument("names", nargs="*", metavar="KERNEL", help="Kernels to count (all matrix products).")
    _add_contract(mix, "Count all kernels of this contract.")
    mix.set_defaults(run=_mix)
    for parser in (registers, pressure, mix):
        add_output(parser, "--svg", help="Write the picture.")


def _add_contract(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--contract", metavar="CONTRACT", help=text)


def _list(options: argparse.Namespace) -> int:
    listed = _listed(options)
    answer(lambda: "\n".join(f"{k.name}\n    {k.summary}" for k in listed), lambda: [_kernel(k) for k in listed],
           options)
    return 0


def _show(options: argparse.Namespace) -> int:
    one = kernel(options.name)
    answer(one.source.removesuffix("\n"), lambda: {**_kernel(one), "source": one.source}, options)
    return 0


def _explain(options: argparse.Namespace) -> int:
    one = kernel(options.name)
    answer(one.explain, lambda: {**_kernel(one), "text": one.explain().splitlines()}, options)
    return 0


def _registers(options: argparse.Namespace) -> int:
    from neonsim.render import register_map, register_map_picture

    chosen = kernel(options.name)
    names = chosen.header.register_names()
    return _drawn(register_map(names, chosen.isa), {"kernel": chosen.name, "isa": chosen.isa, "names": names},
                  register_map_picture(names, chosen.isa, chosen.name), options)


def _pressure(options: argparse.Namespace) -> int:
    from neonsim.learn.notebook.views import registers

    view = registers(options.name)
    answer(view, {"title": view.title, "text": view.text.splitlines()}, options)
    if options.svg:
        wrote(view.to_svg(options.svg), options)
    if options.html:
        wrote(view.to_html(options.html), options)
    return 0


def _mix(options: argparse.Namespace) -> int:
    from neonsim.render import mix_picture, mix_table

    contracts = [options.contract] if options.contract else [] if options.names else PRODUCTS
    names = [*options.names, *(k.name for contract in contracts for k in kernels(contract))]
    loops = [_main_loop(name) for name in names]
    value = [{"kernel": name, "instructions": c.instructions, "neon": c.neon, "multiplies": c.multiplies,
              "macs": c.macs, "macs_per_neon": c.macs_per_neon, "share_neon": c.share_neon}
             for name, c in zip(names, loops, strict=True)]
    return _drawn(mix_table(loops), value, mix_picture(loops), options)


def _main_loop(name: str) -> Counts:
    from neonsim.arm.timing import count
    from neonsim.arm.timing.stream import longest_loop

    chosen = kernel(name)
    program = chosen.program()
    tile = (chosen.tile.mr, chosen.tile.nr) if chosen.tile.nr and "gemm" in chosen.contract.name else None
    return count(program, entry=longest_loop(program), tile=tile)


def _drawn(text: str, value: Any, picture: Picture, options: argparse.Namespace) -> int:
    answer(text, value, options)
    if options.svg:
        wrote(picture.save(options.svg), options)
    return 0


def _kernel(k: Kernel) -> dict[str, Any]:
    return {"name": k.name, "contract": k.contract.name, "tile": str(k.tile), "isa": k.isa, "feature": k.feature,
            "summary": k.summary, "path": str(k.path)}


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
