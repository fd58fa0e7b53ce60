"""Rows of the table of proofs in a folder, a file each: what was proved of kernels and bodies that are as they were.

A file says of what it holds: a digest of both programs, of the bodies of their instructions, and of the rules by which
they are read (comments and docstrings are no part of it). A row of anything else is not found. Files are written whole
or not at all, so that whatever ends the work, the same command goes on after the last pair.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import neonsim
from neonsim.common.fileio import check_folder, load_json, make_folder, read_file, write_file
from neonsim.ukernel import kernel

from .engine.solver import available
from .proof import Proof
from .table import KernelPair, ProofRow

__all__ = ["ResultCache"]

FORMAT = "neonsim proofs 1"
MAX_ROW_BYTES = 1_000_000   # bytes of a row's file
# What decides about a proof, beside the bodies of the instructions: how these are read, bound and run, and how calls
# are laid out. Whole rooms: a proof too many is done again in seconds, one too few would be believed.
RULES = ("arm/isa/forms", "arm/isa/operands", "arm/semantics", "arm/machine", "quant", "ukernel", "verify/proving")


class ResultCache:
    """A folder of rows. Raises BadArgument for one that cannot be made or written."""

    def __init__(self, folder: str | Path) -> None:
        check_folder(folder)
        self.folder = make_folder(folder)

    def __call__(self, pair: KernelPair, seconds: float, solver: str | None) -> ProofRow | None:
        """The row of a pair as it is now, None if there is none.

        One in which something is unknown counts if solvers had as long then, and were the same.
        """
        try:
            path = self._path(pair)
            said = load_json(read_file(path, MAX_ROW_BYTES))
            if not isinstance(said, dict) or said.get("format") != FORMAT or said.get("of") != digest(pair):
                return None
            row = ProofRow(pair, tuple(_proof(one) for one in said["proofs"]))
            asked = said["seconds"] >= seconds and said["solvers"] == _solvers(solver)
        except (OSError, ValueError, TypeError, KeyError):
            return None
        whole = row.proofs and (row.verdict == "unknown") <= asked and len(row.proofs) == len(pair.calls)
        return row if whole and row.verdict != "refuted" else None

    def add(self, row: ProofRow, seconds: float, solver: str | None) -> None:
        """Keep a row; not one in which something is refuted, whose data is to be run again. Raises BadArgument where
        there is no room."""
        if row.verdict != "refuted":
            write_file(self._path(row.pair), json.dumps(
                {"format": FORMAT, "of": digest(row.pair), "seconds": seconds, "solvers": _solvers(solver),
                 "proofs": [one.to_dict() for one in row.proofs]}, indent=1) + "\n")

    def _path(self, pair: KernelPair) -> Path:
        return self.folder / f"{pair.second.name}.beside.{pair.first.name}.json"


def _solvers(solver: str | None) -> list[str]:
    return [solver] if solver else available()


def _proof(said: dict[str, Any]) -> Proof:
    verdict, seconds = said["verdict"], said["seconds"]
    texts = said["claim"], said["reason"], *said["assumptions"]
    if verdict not in ("proved", "unknown") or not all(isinstance(text, str) for text in texts) \
            or type(seconds) not in (int, float) or not 0 <= seconds < 1e9:
        raise ValueError("no proof")
    return Proof(said["claim"], verdict, tuple(said["assumptions"]), float(seconds), reason=said["reason"])


# ---- of what a row is ----------------------------------------------------------------------------------------------

def digest(pair: KernelPair) -> str:
    """Of everything that a row follows from, but for the solver."""
    found = hashlib.sha256(_rules())
    for one in (pair.first, pair.second):
        found.update(_of_kernel(one.name))
    found.update(repr([(word, sorted(given.items())) for word, given in pair.calls]).encode())
    return found.hexdigest()[:32]


@lru_cache(maxsize=64)
def _of_kernel(name: str) -> bytes:
    one = kernel(name)
    program = one.program()
    found = hashlib.sha256(f"{one.name} {one.isa} {one.tile} {one.header}\n".encode())
    for instruction in program.instructions:
        found.update(f"{instruction.form!r} {instruction}\n".encode())
    for name in sorted({instruction.form.function.__module__ for instruction in program.instructions}):
        found.update(_code(Path(str(sys.modules[name].__file__))))
    return found.digest()


@lru_cache(maxsize=1)
def _rules() -> bytes:
    home, found = Path(neonsim.__file__).parent, hashlib.sha256()
    for room in RULES:
        for path in sorted((home / room).rglob("*.py")):
            found.update(_code(path))
    return found.digest()


@lru_cache(maxsize=512)
def _code(path: Path) -> bytes:
    """What a file does: its syntax tree, without comments and docstrings."""
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return hashlib.sha256(ast.dump(tree).encode()).digest()
