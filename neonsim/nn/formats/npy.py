"""Arrays from .npy files and .npz archives from untrusted sources: no pickle, and nothing is made that the file does
not hold."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.fileio import open_file
from neonsim.errors import BadArgument

__all__ = ["archived_arrays", "read_array"]

MAX_MEMBERS = 100_000
# (shape, type of the elements, name for messages): raises BadArgument for what is not wanted
Check = Callable[[tuple[int, ...], np.dtype[Any], str], None]


def read_array(path: str | Path) -> NDArray[Any]:
    """The array of a .npy file, a view of the file: a header that promises more than there is takes no memory.

    Raises BadArgument for a file that is not there, is damaged, or holds several arrays or objects.
    """
    if not Path(path).is_file():
        raise BadArgument(f"there is no file {path}.")
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception:   # numpy reads headers with Python's tokenizer and evaluator, whose errors are of many kinds
        raise BadArgument(f"{path} is not a complete .npy file of numbers. Write one with "
                          "np.save(path, array).") from None
    if not isinstance(found, np.ndarray):
        found.close()
        raise BadArgument(f"{path} has several arrays; use a .npy file with one.")
    return found


def archived_arrays(path: str | Path) -> Iterator[tuple[str, Callable[[Check], NDArray[Any]]]]:
    """(name, a function that reads it) of every array of an .npz; call it before the next one is asked for.

    The function is given a check of the shape and type in the array's header, made before its elements are read.

    Raises BadArgument for a file that is no archive, and the function for an array that is damaged.
    """
    file = open_file(path)
    try:
        archive = zipfile.ZipFile(file)
    except Exception:   # what a damaged archive raises is of many kinds
        raise BadArgument(f"{path} is not a complete .npz archive. Write one with np.savez(path, **arrays).") from None
    with file, archive:
        for member in archive.infolist()[:MAX_MEMBERS]:
            if member.filename.endswith(".npy"):
                yield member.filename.removesuffix(".npy"), partial(_member, archive, member, path)


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: str | Path, check: Check) -> NDArray[Any]:
    name = f"{member.filename} of {path}"
    try:
        with archive.open(member) as stream:
            version = np.lib.format.read_magic(stream)
            read = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}[version[0]]
            shape, fortran, dtype = read(stream)
            check(tuple(shape), dtype, name)
            size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
            data = stream.read(size)
    except BadArgument:
        raise
    except Exception:   # see above
        raise BadArgument(f"{name} is not a complete array of numbers. Write one with "
                          "np.savez(path, **arrays).") from None
    if len(data) != size:
        raise BadArgument(f"{name} is truncated: it has {len(data)} of {size} bytes.")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C").copy()
