"""A table whose rows are found by the class of an object: what a package does with each kind of operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

__all__ = ["ClassTable"]

Row = TypeVar("Row")


class ClassTable(dict[type, Row]):
    """Rows by class; a class without a row has that of its nearest base.

    >>> table = ClassTable[str]({int: "integer"})
    >>> table.find(True), table.find("")
    ('integer', None)
    """

    def row(self, *kinds: type) -> Callable[[Any], Any]:
        """Add what is decorated as the row of some classes."""
        def add(row: Any) -> Any:
            self.update(dict.fromkeys(kinds, row))
            return row
        return add

    def but(self, rows: Mapping[type, Row]) -> ClassTable[Row]:
        """Another table: these rows, and all others as they are."""
        return ClassTable({**self, **rows})

    def find(self, one: object) -> Row | None:
        """Return the row of an object's class, None if there is none."""
        return next((self[kind] for kind in type(one).__mro__ if kind in self), None)
