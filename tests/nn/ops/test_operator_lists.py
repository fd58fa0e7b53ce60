"""Lists of operators are checked by one function: what it says when one is left out."""

from __future__ import annotations

import inspect
import re

import pytest

from neonsim.nn import ops
from neonsim.nn.ops import Add
from tests.nn.operator_cases.listed import classes, functions, left_out


def test_operators_are_those_that_are_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"conv2d", "add", "dynamic_conv2d"} <= set(functions()) and "compare" not in functions()
    assert {"Conv2d", "Add"} <= set(classes()) and not {"Operator", "Plan", "Difference"} & set(classes())

    class HardSwish(Add):
        pass

    def hardswish() -> None:
        pass

    monkeypatch.setattr(ops, "HardSwish", HardSwish, raising=False)
    monkeypatch.setattr(ops, "hardswish", hardswish, raising=False)
    monkeypatch.setattr(ops, "__all__", [*ops.__all__, "HardSwish", "hardswish"])
    assert "hardswish" in functions() and "HardSwish" in classes()


def test_what_is_wrong_with_a_list() -> None:
    every = ["add", "hardswish"]
    assert left_out(every, "cases", every) == "" == left_out(["add"], "cases", every, {"hardswish": "why"})
    assert left_out(["add"], "cases (HERE)", every).startswith("hardswish has no cases (HERE): add some there")
    assert left_out([*every, "old"], "cases", every) == "old has cases, but nothing is called so"
    assert "need not excuse it" in left_out(every, "cases", every, {"add": "why"})
    assert "excused from cases, but nothing" in left_out(every, "cases", every, {"old": "why"})


def test_every_operator_is_on_the_page() -> None:
    words = set(re.findall(r"\w+", ops.__doc__ or ""))
    lost = left_out(words & (set(functions()) | set(classes())), "a line on the page of neonsim.nn.ops",
                    [*functions(), *classes()])
    assert not lost, lost


def test_overrides_have_the_text_of_their_base() -> None:
    """An override without a docstring says what its base says; what has no base says something itself."""
    silent = []
    for name in classes():
        members = {key: inspect.getattr_static(getattr(ops, name), key) for key in dir(getattr(ops, name))
                   if not key.startswith("_")}
        silent += [f"{name}.{key}" for key, value in members.items()
                   if (inspect.isfunction(value) or isinstance(value, property)) and not inspect.getdoc(value)]
    assert not silent, f"no docstring, nor a base that has one: {', '.join(silent)}"
    assert "reference" in vars(ops.Elu)
    assert inspect.getdoc(ops.Elu.reference) == ops.Operator.reference.__doc__
