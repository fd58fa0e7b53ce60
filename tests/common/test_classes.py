"""The quick `dataclass` does what the standard library's does."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import re
from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar

import numpy as np
import pytest

from neonsim.common import classes
from tests.syntax import ROOT

OPTIONS: list[dict[str, bool]] = [{}, {"frozen": True}, {"frozen": True, "eq": False}, {"eq": False},
                                  {"repr": False}, {"frozen": True, "repr": False, "kw_only": True}]


def _classes(decorate: Callable[..., Any], options: dict[str, bool]) -> tuple[type, type]:
    class Base:
        """Words."""

        name: str
        count: int = 3
        parts: list[int] = field(default_factory=list, compare=False)
        hidden: float = field(default=0.5, repr=False, hash=False)
        seen: ClassVar[int] = 7
        memo: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
        fixed: str = field(default="f", init=False)
        named: int = field(default=8, kw_only=True)

    class Derived(decorate(**options)(Base)):  # type: ignore[misc]
        count: int = 4
        last: object = None

        def __post_init__(self) -> None:
            self.memo[self.name] = self.count

    derived = decorate(**options)(Derived)
    return derived.__bases__[0], derived


def _same(act: Callable[[Any, Any], Any], options: dict[str, bool]) -> None:
    answers = []
    for decorate in (dataclasses.dataclass, classes.dataclass):
        try:
            answers.append(act(*_classes(decorate, options)))
        except (TypeError, AttributeError) as problem:
            answers.append((type(problem), str(problem)))
    assert answers[0] == answers[1]


def _set(one: Any, name: str) -> Any:
    setattr(one, name, 1)
    return getattr(one, name)


def _deleted(one: Any) -> bool:
    del one.count
    return "count" in vars(one)


A = "a"
ACTS: dict[str, Callable[[Any, Any], Any]] = {
    "printed": lambda base, derived: [repr(one).partition(" at ")[0]
                                      for one in (base(name=A), derived(name=A, last=2))],
    "fields": lambda base, derived: [vars(base(name=A, count=1, parts=[2])),
                                     vars(derived(name="b", parts=[1], named=2)), derived.count, base.fixed],
    "equal": lambda base, derived: [
        base(name=A) == base(name=A), base(name=A) == base(name=A, count=4), base(name=A) == derived(name=A, count=3),
        base(name=A, count=1, parts=[1]) == base(name=A, count=1, parts=[2]), derived(name=A) != derived(name=A)],
    "hashed": lambda base, derived: [len({base(name=A), base(name=A, parts=[9], hidden=0.7), base(name=A, count=1)}),
                                     hash(derived(name=A)) == hash(("a", 4, "f", 8, None))],
    "unhashable": lambda base, derived: hash(base(name=A)) and 0,
    "set": lambda base, derived: _set(base(name=A), "count"),
    "set, of no field": lambda base, derived: _set(derived(name=A), "other"),
    "deleted": lambda base, derived: _deleted(base(name=A)),
    "missing": lambda base, derived: base(),
    "too many": lambda base, derived: base("a", 1, [], 1.0, 5),
    "signature": lambda base, derived: [str(inspect.signature(base)).replace("<factory>", "*"),
                                        list(inspect.signature(derived).parameters)][1:],
    "annotations": lambda base, derived: dict(inspect.get_annotations(base.__init__)),
    "replaced": lambda base, derived: vars(dataclasses.replace(derived(name=A, count=9), name="b")),
    "as a dict": lambda base, derived: dataclasses.asdict(derived(name=A)),
    "matched": lambda base, derived: [base.__match_args__, derived.__match_args__],
    "copied": lambda base, derived: [vars(copy.deepcopy(derived(name=A))), derived.__init__.__qualname__[-16:]],
    "words": lambda base, derived: base.__doc__,
}


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("act", ACTS)
def test_it_does_what_the_library_does(act: str, options: dict[str, bool]) -> None:
    _same(ACTS[act], options)


@classes.dataclass(frozen=True)
class _Array:
    values: Any

    def __repr__(self) -> str:
        return "mine"


@classes.dataclass(frozen=True)
class _Loop:
    parts: list[Any]


@classes.dataclass(frozen=True)
class _Own:
    a: int

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 5


def test_corners() -> None:
    array = np.arange(3)
    assert _Array(array) == _Array(array)       # by identity, as tuples compare
    assert repr(_Array(1)) == "mine" and hash(_Own(1)) == 5 and _Own(1) == _Own(2)
    assert pickle.loads(pickle.dumps(_Own(3))).a == 3
    loop = _Loop([])
    loop.parts.append(loop)
    assert repr(loop) == "_Loop(parts=[...])"


def test_other_options_are_the_librarys() -> None:
    @classes.dataclass(frozen=True, slots=True)
    class Slots:
        a: int

    @classes.dataclass(order=True)
    class Ordered:
        a: int

    assert not hasattr(Slots(1), "__dict__") and Ordered(1) < Ordered(2)


def test_commands_define_their_classes_so() -> None:
    """But for classes with slots, which are the library's, and what networks alone load."""
    told = re.compile(r"^from dataclasses import .*\bdataclass\b", re.M)
    taken = [path for path in ROOT.rglob("*.py")
             if path.relative_to(ROOT).parts[0] in ("arm", "cli", "learn", "render", "ukernel", "verify")
             and told.search(text := path.read_text("utf-8"))
             and re.search(r"^ *@dataclass(?!\(.*slots=True)", text, re.M)]
    assert not taken, "these import dataclass from dataclasses, not from neonsim.common.classes"
