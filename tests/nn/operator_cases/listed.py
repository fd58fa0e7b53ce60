"""Is every operator in a list? For tests: a new operator that a list of cases leaves out is said by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from neonsim.nn import ops
from neonsim.nn.ops import Operator

__all__ = ["BY_DEFINITION", "WITHOUT_KERNELS", "classes", "functions", "left_out"]

_NO_OPERATORS = {"compare"}     # functions of neonsim.nn.ops that compute nothing themselves
# Operators without kernels: no list of cases for kernels names them.
BY_DEFINITION = {**dict.fromkeys(("quantize", "dequantize"),
                                 "real on one side: tests/nn/ops/test_quantize.py judges it"),
                 "resize_bilinear": "no kernels yet: tests/nn/formats/test_moves.py judges it"}
# The same by class, and those that only graphs of files have.
WITHOUT_KERNELS = {**{name.title().replace("_", ""): why for name, why in BY_DEFINITION.items()},
                   **dict.fromkeys(("ArgMax", "ArgMin", "Maximum", "Mean", "Minimum"),
                                   "no kernels yet: tests/nn/formats/test_moves.py judges it")}


def functions() -> dict[str, Callable[..., Any]]:
    """The operators that are called: every function that neonsim.nn.ops exports, by name."""
    return {name: getattr(ops, name) for name in ops.__all__
            if inspect.isfunction(getattr(ops, name)) and name not in _NO_OPERATORS}


def classes() -> dict[str, type[Operator]]:
    """The operators that are planned: every class of them that neonsim.nn.ops exports, by name."""
    found = {name: getattr(ops, name) for name in ops.__all__}
    return {name: each for name, each in found.items()
            if inspect.isclass(each) and issubclass(each, Operator) and not inspect.isabstract(each)}


def left_out(listed: Iterable[str], where: str, every: Iterable[str], but: Mapping[str, str] | None = None) -> str:
    """What is wrong with a list that should name everything: a sentence a line, "" if nothing is.

    listed   the names in the list
    where    what the list holds and where it stands: "axes (AXES of tests/nn/ops/test_operator_axes.py)"
    every    what should be in it: `functions()`, `classes()`, kinds of layers
    but      name -> why it is not in this list

    >>> left_out(["add"], "cases (CASES of cases.py)", ["add", "hardswish"])
    'hardswish has no cases (CASES of cases.py): add some there, or say in `but` of this test why it needs none'
    """
    names, wanted, excused = set(listed), set(every), dict(but or {})
    said = [f"{name} has no {where}: add some there, or say in `but` of this test why it needs none"
            for name in sorted(wanted - names - set(excused))]
    said += [f"{name} has {where}, but nothing is called so" for name in sorted(names - wanted)]
    said += [f"{name} has {where}: `but` of this test need not excuse it" for name in sorted(names & set(excused))]
    said += [f"{name} is excused from {where}, but nothing is called so" for name in sorted(set(excused) - wanted)]
    return "\n".join(said)
