"""`define`: an exercise from a C prototype, a definition in numpy, values of its sizes, limits and remarks.

    task = define("saturating-add", "a loop, and sums that stop at 255",
                  prototype="void saturating_add(size_t n, const uint8_t a[n], const uint8_t b[n], uint8_t y[n])",
                  definition=saturating_add, story=..., sizes={"n": range(16, 2049, 16)}, timed={"n": 256},
                  hints=[...], mistakes=[(wraps, "These sums wrap around at 256.")],
                  limits=Limits(instructions=1, neon=0.3), answers=Answers(right=..., wrong=...))

The exercises of neonsim are defined with it; `ns.Exercise.define` is the same for your own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from neonsim.arm.timing import cores
from neonsim.common.integers import is_int
from neonsim.errors import BadArgument, NeonsimError
from neonsim.learn.course.choice_exercise import ChoiceExercise, Planned
from neonsim.learn.course.exercise import ISAS, Answers, Limits
from neonsim.learn.course.grading.test_calls import Calls, CatalogCalls, Ranges, Source, Values
from neonsim.learn.course.program_exercise import Mistake, Task
from neonsim.ukernel import Contract, Tile, contract_named
from neonsim.ukernel.prototype import contract_of, definition_of

__all__ = ["define", "define_choice"]

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
MAX_NAME_LENGTH = 60
FEWEST = 2      # values of a choice
Make = Callable[[Mapping[str, int], np.random.Generator], Mapping[str, Any]]


def define(name: str, title: str, *, story: str = "", hints: Sequence[str] = (), prototype: str = "",
           definition: Callable[..., Any] | None = None, sizes: Mapping[str, Values] | None = None,
           extras: Mapping[str, Sequence[int]] | None = None, timed: Mapping[str, int] | None = None,
           data: Mapping[str, Source] | None = None, changed: Collection[str] = (),
           mistakes: Sequence[tuple[Callable[..., Any], str]] = (), limits: Limits | None = None,
           start: Mapping[str, str] | Sequence[str] = ("aarch64",), answers: Answers | None = None,
           contract: str = "", tile: str = "", keep: int = 1, make: Make | None = None,
           removed_lines: Sequence[str] = (),
           lessons: bool = False) -> Task:
    """Return an exercise.

    name         str        lower-case words and hyphens; the function is called the same, with underscores
    title        str        a few words for the list
    story        str        what to do and what it is good for; paragraphs apart by an empty line
    hints        list       from a nudge to nearly everything
    prototype    str        void NAME(size_t n, int32_t zero, const uint8_t x[n], uint8_t y[3][n]): arrays with const
                            are read, the others written; elements are int8_t to uint64_t, or float
    definition   function   of the same arguments, in numpy: fills its outputs, or returns them. Its docstring is what
                            students read: one line, the formula, the arguments
    sizes        dict       what each size_t and int32_t may be, smallest first: {"n": range(16, 2049, 16)}. The sweep
                            takes the smallest sizes and the edges of numbers; others are drawn from all of it
    extras       dict       sizes that the sweep takes besides the smallest, where a mistake shows: {"n": [320]}
    timed        dict       their values in the call that is counted and timed; sizes are drawn an eighth around them.
                            Left out: three quarters up
    data         dict       arrays whose elements are not any values of their type: {"w": range(-255, 256)}, or a
                            function of (numpy Generator, shape); floats are integers of -64..64 unless said here
    changed      names      of arrays that are read and written in place
    mistakes     list       (wrong definition, remark): what is said of an answer that computes just that, after the
                            second hint
    limits       Limits     instructions for each element, share of NEON, cycles on a core, steps
    start        dict       by instruction set: the instructions one starts from, or the whole function with its label;
                            or names of instruction sets
    answers      Answers    right, wrong and cheating answers: they prove the exercise, students are not shown them

    Instead of prototype and definition, for kernels of the catalogue: contract and tile (their names), keep (the sweep
    takes every k-th case), make (called with numbers of ``sizes`` and a Generator: what the case is built from),
    cut (stages of the kernel that are left out of the starting text); lessons: right answers are files of
    `kernels/lessons`.

    ->           Task

    Raises BadArgument: one sentence that says what is wrong, and where.
    """
    _worded(name, title, story, hints)
    if bool(contract) == bool(prototype):
        raise BadArgument(f"{name}: a prototype and a definition are required, or, for a kernel of the catalogue, a "
                          f"contract")
    limits, answers = limits or Limits(), answers or Answers()
    promised = _promised(name, prototype, definition, contract, changed)
    given = {key: list(values) if not isinstance(values, range) else values for key, values in (sizes or {}).items()}
    chosen = _timed(name, given, timed)
    shape = Tile.parse(tile) if tile else Tile(1, None, 1)
    if shape is None:
        raise BadArgument(f"{name}: {tile!r} is not a tile: write 4x8 or 16x")
    calls: Calls
    if contract:
        if make is None:
            raise BadArgument(f"{name}: make= is missing, which generates calls of {contract}")
        calls = CatalogCalls(promised, given, chosen, shape, make, keep)
        remarks = tuple(Mistake(wrong, remark) for wrong, remark in mistakes)
    else:
        _sized(name, promised, given)
        calls = Ranges(promised, given, chosen, _data(name, promised, data or {}), dict(extras or {}))
        if strange := [key for key, some in calls.extras.items() if any(v not in given.get(key, ()) for v in some)]:
            raise BadArgument(f"{name}: extras of {strange[0]} has values that are not among its sizes")
        remarks = tuple(Mistake(definition_of(wrong, promised.arguments, name), remark) for wrong, remark in mistakes)
    bodies = _posed_in(name, start)
    _limited(name, limits, promised)
    if limits.start_share is not None and not removed_lines and (
            empty := [isa for isa, body in bodies.items() if not body.strip()]):
        raise BadArgument(f"{name}: start_share is a share of the cycles of the starting text, but the text for "
                          f"{' and '.join(empty)} is empty. Give its instructions: start={{{empty[0]!r}: \"...\"}}")
    task = Task(name, title, promised, story, calls, tuple(hints), remarks, limits, shape, bodies, tuple(removed_lines),
                answers, lessons)
    if not contract:
        _tried(task)
    return task


def _worded(name: str, title: str, story: str, hints: Sequence[str]) -> None:
    """Refuse a name that is none, and words that are missing."""
    if not isinstance(name, str) or not NAME.fullmatch(name) or len(name) > MAX_NAME_LENGTH:
        raise BadArgument(f"{name!r} is not a valid name of an exercise. Use lower-case words and hyphens, at most "
                          f"{MAX_NAME_LENGTH} characters, as saturating-add")
    for what, text in (("title", title), ("story", story)):
        if not isinstance(text, str) or not text.strip():
            raise BadArgument(f"{name}: the {what} is missing")
    if isinstance(hints, str) or not hints or not all(isinstance(hint, str) and hint.strip() for hint in hints):
        raise BadArgument(f"{name}: the hints are missing: a list of texts, from a small hint to almost the solution")


def _posed_in(name: str, start: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    """The starting text by instruction set."""
    bodies = dict(start) if isinstance(start, Mapping) else dict.fromkeys([start] if isinstance(start, str) else start,
                                                                          "")
    strange = sorted(set(bodies) - set(ISAS))
    if strange or not bodies:
        raise BadArgument(f"{name}: it must be for {' or '.join(ISAS)}, not for {', '.join(strange) or 'nothing'}")
    return bodies


def define_choice(name: str, title: str, *, choices: Mapping[str, Values], default: Mapping[str, int],
                  plan: Planned, story: str = "", hints: Sequence[str] = (), limits: Limits | None = None,
                  start: Mapping[str, str] | Sequence[str] = ("aarch64",), answers: Answers
                  | None = None) -> ChoiceExercise:
    """Return an exercise that asks for numbers which a plan is made with, graded in modelled cycles.

    choices      dict       values that each may have: {"n": range(1, 9)}
    default      dict       those that one starts from: {"n": 2}
    plan         function   of (isa, core, n): the plan that is modelled, graph.plan("emulated", isa=isa, core=core)
    limits       Limits     core, and start_share: of the modelled cycles of the defaults on that core, at most

    The others as `define`; an answer is a text with a line for each choice, "n = 4".

    Raises BadArgument: one sentence that says what is wrong, and where.
    """
    _worded(name, title, story, hints)
    if not isinstance(choices, Mapping) or not choices or any(
            not isinstance(key, str) or not key.isidentifier() or isinstance(values, str) or len(values) < FEWEST
            or not all(is_int(v) for v in values) for key, values in choices.items()):
        raise BadArgument(f"{name}: choices must be names, each with at least two integers, as "
                          "choices={\"n\": range(1, 9)}")
    if set(default) != set(choices) or any(value not in choices[key] for key, value in default.items()):
        raise BadArgument(f"{name}: default must have one value for each choice, as "
                          f"default={ {key: values[0] for key, values in choices.items()} }")
    if not callable(plan):
        raise BadArgument(f"{name}: plan= must be a function of (isa, core, {', '.join(choices)}) that returns a plan")
    limits = limits or Limits()
    if limits.core not in cores():
        raise BadArgument(f"{name}: Limits needs a core, as Limits(core=\"cortex-a55\", start_share=0.8); cores are "
                          f"{', '.join(cores())}")
    if limits.start_share is None or not 0 < limits.start_share < 1:
        raise BadArgument(f"{name}: start_share must be above 0 and below 1. It is the allowed share of the defaults' "
                          f"cycles")
    if limits.instructions is not None or limits.neon is not None or limits.cycles is not None:
        raise BadArgument(f"{name}: choices are graded by cycles only: Limits(core=, start_share=)")
    given = {key: values if isinstance(values, range) else tuple(values) for key, values in choices.items()}
    return ChoiceExercise(name, title, story, tuple(hints), limits, given, dict(default), plan,
                          tuple(_posed_in(name, start)), answers or Answers())


def _promised(name: str, prototype: str, definition: Callable[..., Any] | None, contract: str,
              changed: Collection[str]) -> Contract:
    if contract:
        return contract_named(contract)
    if definition is None:
        raise BadArgument(f"{name}: the definition is missing: a numpy function of the prototype's arguments")
    promised = contract_of(prototype, definition, changed)
    _posable(name, promised)
    if not promised.doc.strip():
        raise BadArgument(f"{name}: the definition needs a docstring for students, with the formula and the arguments")
    if promised.name != name.replace("-", "_"):
        raise BadArgument(f"{name}: the prototype declares {promised.name}, but the function is called "
                          f"{name.replace('-', '_')}")
    return promised


def _posable(name: str, contract: Contract) -> None:
    """Refuse what prototypes may say, but exercises have no data and no grading for."""
    if contract.returns:
        raise BadArgument(f"{name}: the prototype of an exercise must not return a result: void "
                          f"{contract.name}(...)")
    for one in contract.arguments:
        if one.kind == "number" or (one.kind == "size" and one.ctype != "size_t"):
            raise BadArgument(f"{name}: numbers of an exercise must be size_t or int32_t; {one.name} is {one.ctype}")
        if one.memory is not None and one.memory.dtype in ("float16", "float64"):
            raise BadArgument(f"{name}: elements of an exercise must be integers or float; those of {one.name} are "
                              f"{one.memory.dtype}")


def _sized(name: str, contract: Contract, sizes: Mapping[str, Values]) -> None:
    numbers = [a for a in contract.arguments if a.kind in ("size", "int32")]
    for argument in numbers:
        values = sizes.get(argument.name)
        if not values or not all(is_int(v) for v in values):
            raise BadArgument(f"{name}: the values of {argument.name} are missing, as sizes={{{argument.name!r}: "
                              f"range({'16, 2049, 16' if argument.kind == 'size' else '0, 256'})}}")
        low = 1 if argument.kind == "size" else -(1 << 31)
        if min(values) < low or max(values) >= 1 << 31 or list(values) != sorted(set(values)):
            raise BadArgument(f"{name}: values of {argument.name} must increase, be at least {low}, and be below 2**31")
    if strange := sorted(set(sizes) - {a.name for a in numbers}):
        raise BadArgument(f"{name}: sizes names {', '.join(strange)}, which is not a size_t or int32_t of the "
                          f"prototype")


def _timed(name: str, sizes: Mapping[str, Values], timed: Mapping[str, int] | None) -> dict[str, int]:
    if timed is not None and set(timed) != set(sizes):
        raise BadArgument(f"{name}: timed must have values of {', '.join(sorted(sizes)) or 'nothing'}")
    if timed is None:
        return {key: int(values[3 * len(values) // 4]) for key, values in sizes.items() if len(values)}
    if wrong := [key for key, value in timed.items() if value not in sizes[key]]:
        raise BadArgument(f"{name}: {wrong[0]} = {timed[wrong[0]]} of timed is not a value of sizes")
    return {key: int(value) for key, value in timed.items()}


def _data(name: str, contract: Contract, data: Mapping[str, Source]) -> Mapping[str, Source]:
    inputs = {a.name: a.memory for a in contract.arguments if a.memory is not None}
    for key, source in data.items():
        if key not in inputs:
            raise BadArgument(f"{name}: data names {key!r}, which is not an array of the prototype")
        if not callable(source) and inputs[key].dtype != "float32":
            values, limits = np.asarray(source), np.iinfo(inputs[key].dtype)
            if not values.size or values.min() < limits.min or values.max() > limits.max:
                raise BadArgument(f"{name}: data of {key} must be values of {inputs[key].dtype}, at least one")
    return dict(data)


def _limited(name: str, limits: Limits, contract: Contract) -> None:
    arrays = [a.name for a in contract.arguments if a.memory is not None]
    if limits.per_element and limits.per_element not in arrays:
        raise BadArgument(f"{name}: instructions are counted for each element of {limits.per_element!r}, which is not "
                          f"one of {', '.join(arrays)}")
    if limits.instructions is not None and not limits.instructions > 0:
        raise BadArgument(f"{name}: the limit on instructions must be above 0")
    if limits.neon is not None and not 0 < limits.neon < 1:
        raise BadArgument(f"{name}: the share of NEON instructions must be between 0 and 1")
    if limits.start_share is not None and not 0 < limits.start_share <= 1:
        raise BadArgument(f"{name}: start_share must be between 0 and 1. It is the allowed share of the starting "
                          "text's cycles")
    if limits.times and not limits.core:
        raise BadArgument(f"{name}: a limit on cycles needs a core, as core=\"cortex-a53\"")
    if limits.core and limits.core not in cores():
        raise BadArgument(f"{name}: there is no core {limits.core!r}; there are {', '.join(cores())}")


def _tried(task: Task) -> None:
    """Make a call and apply the definitions: what fails here would fail in front of a class."""
    functions = [("definition", task.contract.function),
                 *((f"mistake {i + 1} ({m.remark[:40]}...)", m.definition) for i, m in enumerate(task.mistakes))]
    try:
        views = task.calls.clock().views()
    except NeonsimError:
        raise
    except Exception as problem:
        raise BadArgument(f"{task.name}: its data cannot be generated: "
                          f"{type(problem).__name__}: {problem}") from problem
    for what, function in functions:
        try:
            function(**views)
        except NeonsimError:
            raise
        except Exception as problem:
            raise BadArgument(f"{task.name}: the {what} fails with "
                              f"{', '.join(f'{k} = {v}' for k, v in task.calls.timed.items()) or 'its data'}: "
                              f"{type(problem).__name__}: {problem}") from problem
