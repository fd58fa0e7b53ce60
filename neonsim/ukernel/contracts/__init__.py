"""The contracts there are: families in one file per operation; a new row of one is found because it is here."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from neonsim.errors import KernelFileError

if TYPE_CHECKING:
    from neonsim.ukernel.contract import Contract, Family

__all__ = ["contract_named", "contracts", "families", "is_contract"]


@cache
def families() -> tuple[Family, ...]:
    """Every list of arguments that has contracts."""
    from neonsim.ukernel.contract import Family  # and with it the assembler, which names alone do not need

    modules = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    return tuple({id(value): value for module in modules for value in vars(module).values()
                  if isinstance(value, Family) and value.contracts}.values())


@cache
def _all() -> dict[str, Contract]:
    return dict(sorted((each.name, each) for family in families() for each in family.contracts))


def contracts() -> tuple[Contract, ...]:
    """Every contract, by name."""
    return tuple(_all().values())


def is_contract(name: str) -> bool:
    """Whether there is a contract of that name."""
    return name in _all()


def contract_named(name: str) -> Contract:
    """The contract of that name.

    Raises KernelFileError for a wrong name, with those that look like it.
    """
    if name in _all():
        return _all()[name]
    near = difflib.get_close_matches(str(name), _all(), n=3)
    raise KernelFileError(f"There is no contract {name!r}. " + (
        f"Do you mean {' or '.join(near)}?" if near else "`neonsim check contracts` lists them."))
