"""Generated numpy, line by line: each line makes one array, and variables are given out when all lines are known.

A variable is free again after the last use of its array, and an operand that nobody needs any more is overwritten in
place: a long block touches little memory, and that is in the cache.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .source_python import PythonWriter
from .types import ElementType

__all__ = ["Line", "Lines"]


@dataclass(slots=True)
class Line:
    """One statement. ``target`` (a number) gets ``text`` with {0}, {1} ... for the variables of ``args``.

    owned   the array is new, not a part of another one      in_place   the text with argument {k} as its output, for k
    """

    target: int | None
    text: str
    args: tuple[int, ...]
    rows: bool = False
    columns: bool = False
    dtype: Any = None
    count: int = 0
    owned: bool = True
    in_place: str = ""


class Lines:
    """The lines of one block, in order. What makes the same array is written once."""

    def __init__(self) -> None:
        self.integers = PythonWriter()
        self.lines: list[Line] = []
        self.count = 0
        self._drained = 0
        self._numbers: dict[Any, int] = {}
        self._made: dict[int, Line] = {}

    def raw(self, text: str, args: Sequence[int] = ()) -> None:
        """A statement as it is, in order."""
        self.drain()
        self.lines.append(Line(None, text, tuple(args)))

    def drain(self) -> None:
        """What the writer of integers has written meanwhile comes before the next line."""
        for text in self.integers.lines[self._drained:]:
            self.lines.append(Line(None, text, ()))
        self._drained = len(self.integers.lines)

    def line(self, text: str, args: Sequence[int], rows: bool, columns: bool, type_: ElementType | None, count: int,
             owned: bool = True, in_place: str = "", key: Any = None) -> int:
        """A new array; the number of one that is the same already."""
        self.drain()
        if key is None:
            key = text, tuple(args)
        found = self._numbers.get(key)
        if found is not None:
            return found
        self.count += 1
        made = Line(self.count, text, tuple(args), rows, columns, type_ and type_.dtype, count, owned, in_place)
        self.lines.append(made)
        self._numbers[key], self._made[self.count] = self.count, made
        return self.count

    def of(self, number: int) -> Line:
        """How an array was made."""
        return self._made[number]

    def text(self, kept: Sequence[int]) -> tuple[list[str], list[str]]:
        """(statements, a variable for each array in ``kept``, in order)."""
        self.drain()
        last: dict[int, int] = {}
        for at, line in enumerate(self.lines):
            for number in line.args:
                last[number] = at
        for number in kept:
            last[number] = len(self.lines)
        variables: dict[int, str] = {}
        free: list[str] = []
        count = 0
        statements = []
        aliases = Counter(n for line in self.lines if not line.owned for n in line.args)
        for at, line in enumerate(self.lines):
            names = [variables[n] for n in line.args]
            dying = [n for n in dict.fromkeys(line.args) if last[n] == at]
            if line.target is None:
                statements.append(line.text.format(*names))
                continue
            if line.target not in last:
                continue  # nobody wants it
            text = line.text
            if line.in_place:
                for number in dying:
                    made = self._made[number]
                    if (made.owned and not aliases[number] and made.dtype == line.dtype
                            and (made.rows, made.columns, made.count) == (line.rows, line.columns, line.count)):
                        text = line.in_place.replace("{out}", variables[number])
                        break
            if "{=}" in text:  # several parts: filled before its operands' variables are free
                if free:
                    target = free.pop()
                else:
                    count, target = count + 1, f"a{count + 1}"
                text = text.replace("{=}", target)
                free += [variables[n] for n in dying if variables[n].startswith("a")]
            else:
                free += [variables[n] for n in dying if variables[n].startswith("a")]
                if not line.args and not line.owned:
                    variables[line.target] = text  # a name or a constant stands for itself
                    continue
                if free:
                    target = free.pop()
                else:
                    count, target = count + 1, f"a{count + 1}"
            variables[line.target] = target
            statements.append(f"{target} = {text.format(*names)}")
        return statements, [variables[n] for n in kept]
