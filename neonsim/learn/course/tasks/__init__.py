"""The exercises, one file per subject; what `define` makes in a file's ``TASKS`` is found because it is there."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from neonsim.errors import BadArgument
from neonsim.learn.course.exercise import ExerciseBase
from neonsim.learn.course.program_exercise import Task

__all__ = ["collected", "is_ours", "program", "program_named", "register", "task_named", "tasks"]

# From the first four instructions to the tuning of loops; whatever is not named here comes last.
ORDER = ("add-two-vectors", "saturating-add", "subtract-zero-point", "widen-and-accumulate", "horizontal-sum",
         "dot-product", "interleave", "split-rgb", "grey", "transpose-4x4", "transpose-8x8", "sliding-window",
         "channels-of-four", "winograd-source", "beat-the-default", "saturating-pairs",
         "max-with-index", "clamp", "row-sums",
         "requantize-q31", "depthwise-3-taps", "gemm-1x8", "gemm-4x8-tail", "break-the-chain", "pass-it-on",
         "schedule-for-a53", "prove-your-schedule", "beat-dual-issue", "quantize", "largest-size", "red-line",
         "layer-of-digits", "keep-the-sum")


_own: dict[str, ExerciseBase] = {}
_collecting: list[dict[str, ExerciseBase]] = []


@cache
def _all() -> dict[str, ExerciseBase]:
    found = {task.name: task for module in pkgutil.iter_modules(__path__)
             for task in importlib.import_module(f"{__name__}.{module.name}").TASKS}
    return {name: found[name] for name in (*ORDER, *sorted(set(found) - set(ORDER)))}


def is_ours(name: str) -> bool:
    """Return whether neonsim itself has an exercise of that name."""
    return name in _all()


def register(task: ExerciseBase) -> ExerciseBase:
    """Make an exercise of your own known in this session; one of the same name is replaced.

    Raises BadArgument for the name of an exercise of neonsim.
    """
    if is_ours(task.name):
        raise BadArgument(f"neonsim has an exercise {task.name} already: choose another name")
    _own[task.name] = task
    for found in _collecting:
        found[task.name] = task
    return task


@contextmanager
def collected(*, keep: bool = True) -> Iterator[dict[str, ExerciseBase]]:
    """Exercises that are registered meanwhile, by name; unless ``keep``, or after an error, they are forgotten."""
    before, found = dict(_own), dict[str, ExerciseBase]()
    _collecting.append(found)
    try:
        yield found
    except BaseException:
        keep = False
        raise
    finally:
        _collecting.pop()
        if not keep:
            _own.clear()
            _own.update(before)


def tasks() -> tuple[ExerciseBase, ...]:
    """Every exercise, easy ones first, then those that were defined in this session."""
    return (*_all().values(), *_own.values())


def task_named(name: str) -> ExerciseBase:
    """Return the exercise of that name. Raises BadArgument for a wrong name, with those that look like it."""
    known = {**_all(), **_own}
    if not isinstance(name, str) or name not in known:
        near = difflib.get_close_matches(str(name), known, n=3)
        hint = f"Do you mean {', '.join(near)}?" if near else f"Use {', '.join(known)}."
        raise BadArgument(f"there is no exercise {name!r}. {hint}")
    return known[name]


def program(task: ExerciseBase) -> Task:
    """Return an exercise that asks for a program. Raises BadArgument for one of choices."""
    if not isinstance(task, Task):
        raise BadArgument(f"{task.name} asks for choices, not for a program, so it has no calls, contract or starting "
                          f"text")
    return task


def program_named(name: str) -> Task:
    """Return the exercise of that name, which asks for a program. Raises BadArgument for another, or a wrong name."""
    return program(task_named(name))
