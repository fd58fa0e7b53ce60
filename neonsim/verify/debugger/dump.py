"""Tensors of a third-party run: a .npy each in a folder, an archive of them, or a dict.

What the header of a file promises is compared with the network before it is read (`neonsim.nn.formats.npy`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.nn.formats import Model
from neonsim.nn.formats.ir import StoredTensor
from neonsim.nn.formats.npy import archived_arrays, read_array
from neonsim.quant.tensor_type import DTYPES
from neonsim.verify.debugger.locations import near_names, short_name

__all__ = ["Dump", "is_dump", "read_dump"]

MAX_FILES = 100_000


@dataclass(frozen=True, eq=False)
class Dump:
    """Tensors that were read.

    name        str                 where from
    arrays      {number: array}     of tensors of the file that it was matched with, in their shapes
    unmatched   (str, ...)          names that no tensor has
    """

    name: str
    arrays: dict[int, NDArray[Any]]
    unmatched: tuple[str, ...]


def is_dump(value: object) -> bool:
    """Is it a dict, a folder or an archive?"""
    if isinstance(value, Mapping):
        return True
    return isinstance(value, str | Path) and (Path(value).suffix.lower() == ".npz" or Path(value).is_dir())


def read_dump(dump: Mapping[str, Any] | str | Path, model: Model) -> Dump:
    """Match arrays with the tensors of a network.

    dump    {name: array}, a folder with a .npy a tensor, or an .npz. A name is the tensor's; or the same with every
            character that is no letter, digit, dot or minus as _; or what stands before its first semicolon; or its
            number in the file

    Raises BadArgument where nothing matches, or a type or shape is not that of the tensor.
    """
    names = _names(model)
    arrays: dict[int, NDArray[Any]] = {}
    unmatched = []
    for name, load in _parts(dump):
        number = names.get(name)
        if number is None:
            unmatched.append(name)
            continue
        arrays[number] = load(model.record.tensors[number])
    where = "the dump" if isinstance(dump, Mapping) else str(dump)
    if not arrays:
        known = [model.record.tensors[number].name for number in dict.fromkeys(names.values())]
        said = f" {unmatched[0]!r} may be {near_names(unmatched[0], known)}." if unmatched else ""
        raise BadArgument(f"{where} has no tensor of {model.record.name}. Give each array the name of a tensor.{said}")
    return Dump(where, arrays, tuple(unmatched))


def _names(model: Model) -> dict[str, int]:
    """Every word for a tensor that a run computes or is given."""
    record = model.record
    there = [number for number in (*record.inputs, *(made for entry in record.nodes for made in entry.outputs))
             if record.tensors[number].dtype in DTYPES]
    found: dict[str, int] = {}
    for number in there:
        found.setdefault(record.tensors[number].name, number)
    shorts = Counter(short_name(record.tensors[number].name) for number in there)
    for number in there:
        short = short_name(record.tensors[number].name)
        for word in (record.tensors[number].name, *([short] if shorts[short] == 1 else [])):
            found.setdefault(word, number)
            found.setdefault(re.sub(r"[^A-Za-z0-9.\-]", "_", word), number)
        found.setdefault(str(number), number)
    return found


def _fits(found: tuple[int, ...], dtype: np.dtype[Any], wanted: StoredTensor, name: str) -> None:
    shape = wanted.shape or (1,)
    if dtype != np.dtype(wanted.dtype):
        more = "; give the integers, as they are in memory" if dtype.kind == "f" else ""
        raise BadArgument(f"{name} is {dtype}, {wanted.name!r} is {wanted}{more}.")
    if found not in (wanted.shape, shape) and found != shape[1:]:
        raise BadArgument(f"{name} has shape {list(found)}, {wanted.name!r} has {list(wanted.shape)}.")


def _parts(given: Mapping[str, Any] | str | Path) -> Iterator[tuple[str, Any]]:
    """(name, a function that loads it for a tensor)."""
    if isinstance(given, Mapping):
        for name, value in given.items():
            yield str(name), lambda wanted, name=name, value=value: _given(value, wanted, str(name))
        return
    path = Path(given)
    if path.is_dir():
        files = sorted(path.glob("*.npy"))
        if not files:
            raise BadArgument(f"there is no .npy file in {path}: write one for each tensor: np.save(folder / name, "
                              f"array).")
        for file in files[:MAX_FILES]:
            yield file.stem, lambda wanted, file=file: _given(read_array(file), wanted, str(file)).copy()
        return
    if not path.is_file():
        raise BadArgument(f"there is no folder or file {path}.")
    for name, read in archived_arrays(path):
        yield name, lambda wanted, read=read: _given(read(
            lambda shape, dtype, said: _fits(shape, dtype, wanted, said)), wanted, str(path))


def _given(value: Any, wanted: StoredTensor, name: str) -> NDArray[Any]:
    array = np.asarray(getattr(value, "values", value))
    _fits(array.shape, array.dtype, wanted, name)
    return array.reshape(wanted.shape or (1,))
