"""Hashes of what neonsim computes: a change of the code names what it changed, `python -m tests.golden` compares.

A row has a name and 16 digits of a sha256. Several ways compute it, as engines or backends, and all must give the same.
A module here speaks for a group of rows, a JSON file keeps them. They are the same on every x86-64 machine, in every
folder, for any number of cores: hashes are of integers, of floats that are exact, and of text.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from neonsim.arm.machine import compiler
from neonsim.errors import MissingPackage, NeonsimError
from neonsim.nn.backends.native import library

__all__ = ["GROUPS", "Compared", "NotHere", "Row", "compare", "digest", "keep", "kept", "needs", "some", "value_of"]

GROUPS = ("kernels", "operators", "traces", "cycles", "networks", "commands", "pages")
DIGITS = 16


class NotHere(Exception):
    """This machine lacks what a way needs; the words say what."""


class Row(NamedTuple):
    """What is computed, by each way that there is; those of `quick` take a moment, without any the row is long."""

    name: str
    ways: Mapping[str, Callable[[], str]]
    quick: tuple[str, ...] = ()


class Compared(NamedTuple):
    """What a comparison has found.

    rows      {row: hash} of those that were computed, where their ways agree
    changes   "changed: NAME", "new: NAME" or "gone: NAME" against what is kept
    gone      names
    wrong     a sentence for each way that fails, or disagrees with another
    missing   {what could not be computed here: of how many rows}
    """

    rows: dict[str, str]
    changes: list[str]
    gone: set[str]
    wrong: list[str]
    missing: Counter[str]


# ---- for the groups --------------------------------------------------------------------------------------------------

def digest(*parts: Any) -> str:
    """Of arrays with their types and shapes, of bytes, and of anything else as text; the borders between them count."""
    found = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            head, body = f"{part.dtype.str} {part.shape}", part.tobytes()
        else:
            head, body = "", part if isinstance(part, bytes) else str(part).encode()
        found.update(f"{head} {len(body)}:".encode() + body)
    return found.hexdigest()[:DIGITS]


def some(name: str, one_in: int) -> bool:
    """Whether a name is among the chosen ones: that of another which comes or goes changes nothing."""
    return crc32(name.encode()) % one_in == 0


def value_of(compute: Callable[[], Any]) -> Any:
    """What is computed, or the sentence with which it is refused."""
    try:
        return compute()
    except MissingPackage:
        raise
    except NeonsimError as error:
        return f"{type(error).__name__}: {error}"


def needs(way: str) -> None:
    """Raises NotHere for a way that this machine lacks: native without the C library, compiled without a compiler."""
    if way.startswith("native") and (problem := library.available()):
        raise NotHere(problem)
    if way.startswith("compiled") and compiler() is None:
        raise NotHere("no C compiler: install gcc or clang")


# ---- comparing -------------------------------------------------------------------------------------------------------

def _file(group: str) -> Path:
    return Path(__file__).with_name(f"{group}.json")


def kept(group: str) -> dict[str, str]:
    """{row: hash} as they were."""
    return json.loads(_file(group).read_text("utf-8")) if _file(group).is_file() else {}


def keep(group: str, found: Compared) -> None:
    """Write what was computed; the other rows stay, but those that are gone."""
    rows = {name: one for name, one in (kept(group) | found.rows).items() if name not in found.gone}
    _file(group).write_text(json.dumps(rows, indent=0, sort_keys=True) + "\n", "utf-8")


def compare(group: str, long: bool = False, part: str = "") -> Compared:
    """Compute rows and compare with what is kept.

    long   bool   also the ways, and the rows, that take longer
    part   str    of the names of the rows that are wanted
    """
    before, found = kept(group), Compared({}, [], set(), [], Counter())
    rows = {row.name: row for row in importlib.import_module(f"{__name__}.{group}").rows() if part in row.name}
    for name, row in sorted(rows.items()):
        hashes = {}
        for way in row.ways if long else row.quick:
            try:
                needs(way)
                hashes[way] = row.ways[way]()
            except (NotHere, MissingPackage) as problem:
                found.missing[f"{way}: {problem}"] += 1
            except NeonsimError as error:
                found.wrong.append(f"{name}, {way}: {type(error).__name__}: {error}")
        if len(set(hashes.values())) > 1:
            found.wrong.append(f"{name}: " + ", ".join(f"{way} gives {one}" for way, one in hashes.items()))
        elif hashes:
            found.rows[name] = next(iter(hashes.values()))
            if found.rows[name] != before.get(name):
                found.changes.append(f"{'changed' if name in before else 'new'}: {name}")
    found.gone.update(name for name in before if part in name and name not in rows)
    found.changes.extend(f"gone: {name}" for name in sorted(found.gone))
    return found
