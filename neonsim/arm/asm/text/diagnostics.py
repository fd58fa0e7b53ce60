"""What is wrong with a text, gathered while it is read on, so that all of it can be said at once.

A mistake may bring others with it that are none: a label in a line that could not be read, a name whose definition is
wrong. These are not listed.
"""

from __future__ import annotations

import re

from neonsim.common.limits import MAX_MISTAKES, MAX_REFUSALS
from neonsim.errors import AssemblyError, AssemblyErrors

__all__ = ["Diagnostics", "TooManyErrors"]


class TooManyErrors(Exception):
    """Reading on makes no sense: too many mistakes, or one behind which everything would be wrong."""


class Diagnostics:
    """The mistakes of one text.

    lost   some of the text was not read: what seems to be missing may stand there
    """

    def __init__(self) -> None:
        self._found: list[list[AssemblyError]] = [[]]  # of each walk over the text
        self._seen: set[tuple[object, ...]] = set()
        self._refused = 0
        self._more = self.lost = False
        self._doubtful: set[str] = set()

    def __bool__(self) -> bool:
        return any(self._found)

    def walk(self) -> None:
        """Another walk over the text begins; it may find as many again, of which the first ones may come before."""
        self._found.append([])
        self._refused = 0

    def add(self, error: AssemblyError, *, suggestion: str = "") -> None:
        """Add one, unless it is known already. Raises TooManyErrors when there are too many.

        suggestion  the name that would have been defined here: the meaning of a line that uses it is unknown
        """
        words = re.findall(r"[\w$]+", f"{error.text} {error.message}".lower()) if self._doubtful else []
        first = error.message.partition("\n")[0]
        key = (error.body, first) if error.body else (error.path, error.line, error.column, first)
        self._refused += 1
        if key not in self._seen and self._doubtful.isdisjoint(words):
            self._seen.add(key)
            self._found[-1].append(error)
        # One more is looked for than is listed, to know whether there are more.
        if len(self._found[-1]) > MAX_MISTAKES or self._refused >= MAX_REFUSALS:
            self._more = self.lost = True
            raise TooManyErrors
        if suggestion:
            self._doubtful.add(suggestion.lower().rpartition(".")[2])

    def fatal(self, error: AssemblyError) -> TooManyErrors:
        """Add one behind which nothing can be read; to be raised."""
        self.lost = True
        self.add(error)
        return TooManyErrors()

    def check(self) -> None:
        """Raises AssemblyError if there is a mistake, AssemblyErrors if there are several."""
        found = [error for walk in self._found for error in walk]
        if not found:
            return
        # In the order of the text; other files in the order in which they were met.
        files = {path: k for k, path in enumerate(dict.fromkeys(error.path for error in found))}
        found.sort(key=lambda error: (files[error.path], error.line, error.column))
        if len(found) == 1 and not self._more:
            raise found[0]
        raise AssemblyErrors(found[:MAX_MISTAKES], self._more or len(found) > MAX_MISTAKES)
