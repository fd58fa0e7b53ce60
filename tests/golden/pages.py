"""What readers see of contracts, of kernels (`kernels explain`) and of instructions (`isa page`)."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from functools import partial

from neonsim.arm.isa import FAMILIES, WORD_BYTES, family_name
from neonsim.cli import main
from neonsim.ukernel import contract_named, contracts, kernels

from . import Row, digest, some

QUICK = 4       # what is said of the kernels of one contract of so many


def rows() -> list[Row]:
    """One of each contract, of the kernels of each, and of each family of instructions."""
    found = []
    for name in (each.name for each in contracts()):
        found += [Row(f"contract {name}", {"text": partial(_contract, name)}, ("text",)),
                  Row(f"kernels of {name}", {"text": partial(_kernels, name)}, ("text",) if some(name, QUICK) else ())]
    return found + [Row(f"isa {family}", {"text": partial(_family, family)}, ("text",))
                    for family in (family_name(module.__name__) for module in FAMILIES)]


def _contract(name: str) -> str:
    each = contract_named(name)
    return digest(each.doc, each.prototype(), *(each.places(isa) for isa in WORD_BYTES))


def _kernels(name: str) -> str:
    """Without the last line, which says where the file is."""
    return digest(*("\n".join(each.explain().splitlines()[:-1]) for each in kernels(contract=name)))


def _family(family: str) -> str:
    shown = io.StringIO()
    with redirect_stdout(shown):
        status = main(["isa", "page", family])
    return digest(status, shown.getvalue())
