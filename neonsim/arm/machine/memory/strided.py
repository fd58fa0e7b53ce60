"""Where the bytes of every tile are in a plane of memory: evenly spaced (a strided view), or anywhere (a gather)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Addresses", "Affine", "affine", "gather", "offsets", "scatter", "window"]

Array = npt.NDArray[Any]


class Affine(NamedTuple):
    """Tile (i, j) has its first byte at first + i * row + j * column; rows and columns are 1 where nothing varies."""

    first: int
    row: int
    column: int
    rows: int
    columns: int


Addresses = Affine | Array  # or the offset of each tile's first byte, [rows, columns]


def affine(grid: Array) -> Affine | None:
    """Return a grid of offsets as an even one, if it is."""
    rows, columns = grid.shape
    first = int(grid[0, 0])
    row = int(grid[1, 0]) - first if rows > 1 else 0
    column = int(grid[0, 1]) - first if columns > 1 else 0
    if max(abs(row) * rows, abs(column) * columns) >= 1 << 62:
        return None  # wild addresses: nothing may overflow here, so that the guard can say which tile it is
    # Two rows or columns are always in line; more are looked at.
    if (rows > 2 or columns > 2 or (rows > 1 and columns > 1)) and not np.array_equal(
            grid, first + np.arange(rows)[:, None] * row + np.arange(columns) * column):
        return None
    return Affine(first, row, column, rows, columns)


def window(plane: Array, where: Affine, count: int, dtype: np.dtype[Any]) -> Array:
    """``count`` elements of every tile as a view [count, rows, columns]. Offsets and steps count elements of plane."""
    unit, size = plane.itemsize, dtype.itemsize
    return np.ndarray((count, where.rows, where.columns), dtype, plane, where.first * unit,
                      (size, where.row * unit, where.column * unit))


def offsets(where: Array, nbytes: int) -> Array:
    """Return the offsets of all bytes: [bytes, rows, columns]."""
    index: Array = where[None] + np.arange(nbytes).reshape(-1, 1, 1)
    return index


def gather(plane: Array, where: Addresses, nbytes: int) -> Array:
    """Return what the plane holds for each byte: [bytes, rows, columns], a view if the tiles are evenly spaced."""
    if isinstance(where, Affine):
        return window(plane, where, nbytes, plane.dtype)
    found: Array = plane[offsets(where, nbytes)]
    return found


def scatter(plane: Array, where: Addresses, nbytes: int, values: Array, mask: Array | None = None) -> None:
    """Set cells, all or those of a mask; where tiles share a cell, one of their values stays."""
    if isinstance(where, Affine):
        view = window(plane, where, nbytes, plane.dtype)
        if mask is None:
            view[...] = values
        else:
            view[mask] = values[mask]
        return
    index = offsets(where, nbytes)
    values = np.broadcast_to(values, index.shape)
    if mask is None:
        plane[index] = values
    else:
        plane[index[mask]] = values[mask]
