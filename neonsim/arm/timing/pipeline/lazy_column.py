"""A column of a long run, one entry an instruction, that is made at the first read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

from numpy.typing import NDArray

__all__ = ["Column"]


class Column(Sequence[Any]):
    """An array that reads, compares and prints as a list of plain Python values.

    make     gives the array, when it is needed first
    length   of it
    """

    def __init__(self, make: Callable[[], NDArray[Any]], length: int) -> None:
        self._make, self._length = make, length
        self._array: NDArray[Any] | None = None
        self._list: list[Any] | None = None

    @classmethod
    def from_array(cls, array: NDArray[Any]) -> Column:
        """Return an array that is there."""
        return cls(lambda: array, len(array))

    def _all(self) -> list[Any]:
        if self._list is None:
            self._list = self.__array__().tolist()
        return self._list

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> list[Any]: ...
    def __getitem__(self, at: int | slice) -> Any:
        return self._all()[at]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._all())

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        return self._all() == (other._all() if isinstance(other, Column) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._all())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if self._array is None:
            self._array = self._make()
        return self._array if dtype is None else self._array.astype(dtype, copy=bool(copy))

    def __reduce__(self) -> tuple[type, tuple[list[Any]]]:
        return list, (self._all(),)
