"""Where rows are kept: a folder with a manifest and one Parquet file a chunk.

    manifest.json              the definition, the version, how many rows and chunks there are to be
    parts/part-00000017.parquet   the rows of chunk 17, in the order of their jobs
    lock                       held by the process that fills the folder

A chunk is done when its file is there: it is written beside its place and then renamed, so that a crash leaves a whole
file or none. What a crash has left half written is removed when the folder is opened again. pyarrow, pandas, polars and
DuckDB read the folder `parts` as one table.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from neonsim import __version__
from neonsim.common.extras import install
from neonsim.common.fileio import check_file, check_folder, load_json, make_folder, open_file, read_file, write_file
from neonsim.errors import BadArgument, MissingPackage

from .job import Row
from .plan import Chunk, SweepPlan

__all__ = ["Dataset", "encoded", "import_extra"]

FORMAT = "neonsim sweep 1"
COLUMNS = {"job": "int64", "measure": "", "kernel": "", "core": "", "m": "int32", "n": "int32", "k": "int32",
           "taps": "int32", "caches": "", "data": "", "seed": "int32", "bug": "string", "status": "",
           "cycles": "float64", "instructions": "int64", "neon": "int64", "macs": "int64", "calls": "int64",
           "cases": "int32", "seconds": "float32", "what": "string"}
MAX_MANIFEST_BYTES = 50_000_000   # bytes


def import_extra(package: str) -> Any:
    """Return a package of the extra. Raises MissingPackage if it is not installed."""
    try:
        return import_module(package)
    except ImportError:
        raise MissingPackage(f"a sweep needs {package.partition('.')[0]}: {install('neonsim[sweep]')}.") from None


def _schema() -> Any:
    arrow = import_extra("pyarrow")
    words = arrow.dictionary(arrow.int16(), arrow.string())
    return arrow.schema([(name, getattr(arrow, kind)() if kind else words) for name, kind in COLUMNS.items()])


def encoded(plan: SweepPlan, chunk: Chunk, rows: Sequence[Row]) -> bytes:
    """Return a part: all rows of a chunk as Parquet, with the chunk's number and the sweep's identity in it."""
    arrow, parquet = import_extra("pyarrow"), import_extra("pyarrow.parquet")
    schema = _schema().with_metadata({"neonsim": plan.identity, "chunk": str(chunk.number)})
    sink = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(rows, schema=schema), sink, compression="zstd")
    return sink.getvalue()


class Dataset:
    """The folder of one sweep.

    path   Path
    plan   Plan

    `create` begins one or goes on with it, `open` only looks; len() is how many rows there are.
    """

    def __init__(self, path: Path, plan: SweepPlan) -> None:
        self.path, self.plan = path, plan
        self.parts = path / "parts"
        self._lock: int | None = None
        import_extra("pyarrow")

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """Return a sweep that is there. Raises BadArgument for a folder that holds none."""
        path = Path(folder)
        return cls(path, _read(path / "manifest.json"))

    @classmethod
    def create(cls, folder: str | Path, plan: SweepPlan) -> Self:
        """Return the folder of this sweep: new, or begun before by the same definition; locked until `close`.

        Raises BadArgument for a folder of another sweep, with files of something else, that cannot be written, or
        that another process fills.
        """
        path = Path(folder)
        check_folder(path)
        manifest = path / "manifest.json"
        if manifest.exists():
            _refuse_other(path, _read(manifest), plan)
        elif path.is_dir() and any(entry.name != "lock" and not _is_part(entry.name) for entry in path.iterdir()):
            raise BadArgument(f"{path} has other files and no sweep. Name an empty folder or a new one.")
        make_folder(path)
        made = cls(path, plan)
        make_folder(made.parts)
        check_file(made.parts / "part.parquet")
        made._take()
        if not manifest.exists():
            write_file(manifest, json.dumps({"format": FORMAT, "neonsim": __version__, "rows": len(plan),
                                             "chunks": plan.chunks, "identity": plan.identity,
                                             "definition": plan.to_dict()}, indent=1) + "\n")
        made._clean()
        return made

    def _take(self) -> None:
        try:
            import fcntl
        except ImportError:     # where there are no such locks, other processes are not kept out
            return
        # Not deleted when it is done: who waits for the name would lock a file that is gone.
        lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            raise BadArgument(f"{self.path} is in use by another process. Wait for it, or name another "
                              "folder.") from None
        self._lock = lock

    def close(self) -> None:
        """Let others fill it."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _clean(self) -> None:
        """Remove what a crash left half written: files under other names, and parts that cannot be read."""
        for folder in (self.path, self.parts):
            for path in folder.iterdir():
                if _is_part(path.name):
                    path.unlink(missing_ok=True)
        for number in self.numbers():
            if not self._whole(number):
                self.path_of(number).unlink(missing_ok=True)

    def _whole(self, number: int) -> bool:
        parquet, arrow = import_extra("pyarrow.parquet"), import_extra("pyarrow")
        try:
            found = parquet.read_metadata(self.path_of(number))
        except (OSError, arrow.ArrowException):
            return False
        said, chunk = found.metadata or {}, self.plan.chunk_of(number)
        return (found.num_rows == chunk.end - chunk.first and said.get(b"chunk") == str(number).encode()
                and said.get(b"neonsim") == self.plan.identity.encode())

    # ---- parts

    def path_of(self, number: int) -> Path:
        """Return where the rows of a chunk are, or will be."""
        return self.parts / f"part-{number:08d}.parquet"

    def numbers(self) -> list[int]:
        """Chunks that are done, in order."""
        if not self.parts.is_dir():
            return []
        found = (int(path.stem[5:]) for path in self.parts.glob("part-*.parquet") if path.stem[5:].isdecimal())
        return sorted(number for number in found if number < self.plan.chunks)

    def missing(self) -> Iterator[Chunk]:
        """Chunks that are to be done, in order, as they are asked for."""
        there = set(self.numbers())
        return (chunk for chunk in self.plan if chunk.number not in there)

    def __len__(self) -> int:
        chunks = map(self.plan.chunk_of, self.numbers())
        return sum(chunk.end - chunk.first for chunk in chunks)

    def add(self, chunk: Chunk, part: bytes) -> bool:
        """Keep the rows of a chunk; False if they are there already. Raises BadArgument where there is no room."""
        path = self.path_of(chunk.number)
        if path.exists():
            return False
        try:
            write_file(path, part)
        except BadArgument as why:
            raise BadArgument(f"{str(why).rstrip('.')}: {len(self):,} of {len(self.plan):,} rows are in {self.path}. "
                              f"Run the same command to continue.") from why
        return True

    def tables(self) -> Iterator[Any]:
        """Yield the parts as pyarrow Tables, in order of their jobs."""
        parquet, arrow = import_extra("pyarrow.parquet"), import_extra("pyarrow")
        for number in self.numbers():
            path = self.path_of(number)
            try:
                with open_file(path) as file:
                    table = parquet.read_table(file, partitioning=None).cast(_schema())
                yield table
            except (OSError, ValueError, arrow.ArrowException) as why:
                raise BadArgument(f"{path} is not a part of a sweep ({str(why).splitlines()[0]}). Remove it, and run "
                                  f"the same command to compute its rows again.") from None


def _is_part(name: str) -> bool:
    return name.startswith(".neonsim-") and name.endswith(".part")


def _read(path: Path) -> SweepPlan:
    if not path.exists():
        raise BadArgument(f"{path.parent} has no sweep, because it has no {path.name}.")
    try:
        said = load_json(read_file(path, MAX_MANIFEST_BYTES))
        if not isinstance(said, dict) or said.get("format") != FORMAT:
            raise ValueError("it does not have its format name")
        return SweepPlan.from_dict(said.get("definition", {}))
    except ValueError as why:
        raise BadArgument(f"{path} is not a manifest of a sweep: {why}") from None


def _refuse_other(folder: Path, there: SweepPlan, plan: SweepPlan) -> None:
    if there == plan:
        return
    other = there.differs(plan)
    stems = [{(one.stem, one.contract) for one in plan.user_kernels} for plan in (there, plan)]
    if there.user_kernels and stems[0] == stems[1] and {*other} <= {"kernels", "user_kernels"}:
        changed = sorted({*plan.user_kernels} - {*there.user_kernels}, key=lambda one: one.stem)
        what = f"{', '.join(one.stem for one in changed) or 'a file'} has changed since it was begun"
    elif other == ["digest"]:
        what = "kernels or core files have changed since it was begun"
    elif "version" in other:
        what = f"it was begun with neonsim {there.version}, this is {plan.version}"
    else:
        what = f"its definition differs in {', '.join(name for name in other if name != 'digest')}"
    raise BadArgument(f"{folder} has another sweep: {what}. Name another folder.")
