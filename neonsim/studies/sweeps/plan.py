"""What a sweep is to do: products of axes, of which any job is computed from its number and none is ever listed.

    measure    axes, the last runs fastest                 a row says
    cycles     kernel x shape x caches x core              modelled cycles, counted instructions
    counts     kernel x shape                              counted instructions and products
    calls      kernel x shape x data x seed                right: every byte as the contract's definition has it
    contract   kernel x seed                               right: the cases of its contract, as of `neonsim check`
    bugs       kernel x bug                                noticed: a mutation planted into it, by those cases
    proofs     kernel x shape                              proved: the same as another kernel of its contract

Jobs are numbered through all measures. Chunks are runs of numbers within one measure: what is given to a process at a
time, and what a part of the data holds. Both follow from the definition alone, so a process that continues a
sweep tomorrow, on other machines, means the same by number 17.
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import Any

from neonsim import __version__
from neonsim.arm.timing import load_core, load_cores
from neonsim.arm.timing.cores.loader import CORES, TABLES
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.ukernel import Kernel, contracts, kernel, kernels
from neonsim.ukernel.cases.common import KINDS
from neonsim.ukernel.cases.gemm_columns import KINDS as COLUMN_KINDS
from neonsim.verify.checking.mutations import flat

from .user_kernels import MAX_USER_KERNELS, UserKernel

__all__ = ["CACHES", "DATA", "MEASURES", "Chunk", "SweepJob", "SweepPlan", "check_digest", "is_depthwise", "make_plan",
           "named_kernels"]

DEPTHWISE = "dwconv"        # in the names of contracts whose kernels do channels one by one

AXES = {"cycles": ("kernel", "shape", "caches", "core"), "counts": ("kernel", "shape"),
        "calls": ("kernel", "shape", "data", "seed"), "contract": ("kernel", "seed"), "bugs": ("kernel", "bug"),
        "proofs": ("kernel", "shape")}
MEASURES = tuple(AXES)
CACHES = ("l1", "cold", "warm")
DATA = tuple(sorted({*KINDS, *COLUMN_KINDS}))
ROWS = {"cycles": 600, "counts": 2000, "calls": 500, "contract": 8, "bugs": 16, "proofs": 16}  # about half a minute
FEW, MANY, MAX_ROWS = 16, 20_000, 50_000   # chunks of a measure: at least, so that work spreads; no more while their
#                                             rows are not too many to lose, or for memory
MAX_SIZE, MAX_JOBS = 1 << 20, 10**12
SIZE = r"(\d{1,7})(?:\.\.(\d{1,7})(?:/(\d{1,7}))?)?"


@dataclass(frozen=True)
class SweepJob:
    """One row to be.

    number    in the plan       measure   one of MEASURES       kernel   its name
    core      its name, of cycles       shape    (m, n, k, taps)
    caches    "l1": every access hits; "cold", "warm": of each call by itself
    data, seed   of calls; of contract which cases: "quick" or "full"      bug   index of the mutation
    user_kernel  the kernel itself, where it is none of the catalogue
    """

    number: int
    measure: str
    kernel: str
    core: str = ""
    shape: tuple[int, int, int, int] | None = None
    caches: str = ""
    data: str = ""
    seed: int | None = None
    bug: int | None = None
    user_kernel: UserKernel | None = None


@dataclass(frozen=True)
class Chunk:
    """Jobs first..end-1 of one measure."""

    number: int
    first: int
    end: int


def is_depthwise(name: str) -> bool:
    """Return whether a kernel, or those of a contract, do channels one by one."""
    return DEPTHWISE in name.partition("__")[0]


def _jobs(block: dict[str, Sequence[Any]]) -> int:
    return prod(map(len, block.values()))


class _Shapes(Sequence[tuple[int, int, int, int]]):
    """Blocks of shapes, each a product of four ranges."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.blocks = [_block(text) for text in texts]
        self.ends = list(accumulate(prod(map(len, block)) for block in self.blocks))

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    def __getitem__(self, number: Any) -> Any:
        if not 0 <= number < len(self):
            raise IndexError(number)
        at = bisect_right(self.ends, number)
        block = self.blocks[at]
        return tuple(axis[i] for axis, i in zip(block, _digits(number - (self.ends[at - 1] if at else 0),
                                                               [len(axis) for axis in block]), strict=True))


def _digits(number: int, sizes: Sequence[int]) -> list[int]:
    """The number's digits, where these are the sizes of the places."""
    found = []
    for size in reversed(sizes):
        number, digit = divmod(number, size)
        found.append(digit)
    return found[::-1]


def _range(text: str, what: str, low: int = 1, high: int = MAX_SIZE) -> range:
    """A number, a..b or a..b/step."""
    found = re.fullmatch(SIZE, text.strip())
    if found is None:
        raise BadArgument(f"{what} must be a number, FIRST..LAST or FIRST..LAST/STEP; got {text!r}.")
    first = as_int(int(found[1]), what, low, high)
    last = as_int(int(found[2]), what, first, high) if found[2] else first
    return range(first, last + 1, as_int(int(found[3] or 1), f"the step of {what}", 1))


def _block(text: str) -> tuple[range, range, range, range]:
    parts = text.split("x")
    if len(parts) not in (3, 4):
        raise BadArgument(f"a shape must be rows x columns x depth, as 8x8x64 or 8x8x16..64/16, and for indirect "
                          f"products also x taps, as 8x8x64x9; got {text!r}.")
    m, n, k, taps = (_range(part, f"a size of the shape {text}") for part in (*parts, "1")[:4])
    return m, n, k, taps


@dataclass(frozen=True)
class SweepPlan:
    """A sweep's definition. Made by `make_plan`, which checks it; the fields are what a manifest says.

    measures, kernels, cores, shapes, caches, data   tuples of str
    seeds     "0..9"      bugs   how many of each kernel       size   "quick" or "full" cases
    chunk     rows of a chunk, 0: by measure and number
    digest    of the kernels' texts and the cores' files
    version   of neonsim
    user_kernels  of these kernels those that are none of the catalogue, with their texts
    lines     shapes of depthwise kernels, lines of images, where these are others than `shapes`: a study asks each
              kernel about layers of its kind
    """

    measures: tuple[str, ...]
    kernels: tuple[str, ...]
    cores: tuple[str, ...]
    shapes: tuple[str, ...]
    caches: tuple[str, ...] = ("l1",)
    data: tuple[str, ...] = ("uniform",)
    seeds: str = "0"
    bugs: int = 8
    size: str = "quick"
    chunk: int = 0
    digest: str = ""
    version: str = __version__
    user_kernels: tuple[UserKernel, ...] = ()
    lines: tuple[str, ...] = ()

    # ---- axes

    @cached_property
    def _values(self) -> dict[str, Sequence[Any]]:
        return {"kernel": self.kernels, "core": self.cores, "shape": _Shapes(self.shapes), "caches": self.caches,
                "data": self.data, "seed": _range(self.seeds, "seeds", 0, 2**31 - 1), "bug": range(self.bugs)}

    @cached_property
    def _blocks(self) -> dict[str, list[dict[str, Sequence[Any]]]]:
        """Measure -> products of axes, one after the other: axis -> its values, the last runs fastest."""
        found = {measure: [{axis: self._values[axis] for axis in axes}] for measure, axes in AXES.items()}
        if self.lines:
            parts = [([name for name in self.kernels if is_depthwise(name) is depthwise], _Shapes(shapes))
                     for depthwise, shapes in ((False, self.shapes), (True, self.lines))]
            for measure, (block,) in found.items():
                if "shape" in block:
                    found[measure] = [{**block, "kernel": some, "shape": shapes} for some, shapes in parts
                                      if some and len(shapes)]
        return found

    @cached_property
    def _own(self) -> dict[str, UserKernel]:
        return {one.name: one for one in self.user_kernels}

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Measure -> jobs."""
        return {measure: sum(map(_jobs, self._blocks[measure])) for measure in self.measures}

    def __len__(self) -> int:
        return sum(self.sizes.values())

    def job(self, number: int) -> SweepJob:
        """Return the job of a number. Raises BadArgument for a number that is none."""
        number = at = as_int(number, "the number of a job", 0, len(self) - 1)
        for measure, size in self.sizes.items():
            if at < size:
                block, at = self._block_of(measure, at)
                digits = _digits(at, [len(values) for values in block.values()])
                chosen: dict[str, Any] = {axis: values[i] for (axis, values), i in
                                          zip(block.items(), digits, strict=True)}
                if measure == "contract":
                    chosen["data"] = self.size
                return SweepJob(number, measure, **chosen, user_kernel=self._own.get(chosen["kernel"]))
            at -= size
        raise AssertionError(number)

    def _block_of(self, measure: str, at: int) -> tuple[dict[str, Sequence[Any]], int]:
        """Where a measure's job is: in which product of axes, and its index there."""
        first, *others = self._blocks[measure]
        for block in others:
            if at < (size := _jobs(first)):
                break
            first, at = block, at - size
        return first, at

    # ---- chunks

    @cached_property
    def _chunks(self) -> list[tuple[int, int, int]]:
        """Of each measure: jobs, rows of a chunk, chunks."""
        found = []
        for measure, size in self.sizes.items():
            rows = self.chunk or max(1, min(ROWS[measure], -(-size // FEW)), min(-(-size // MANY), MAX_ROWS))
            found.append((size, rows, -(-size // rows)))
        return found

    @property
    def chunks(self) -> int:
        """How many there are."""
        return sum(count for _, _, count in self._chunks)

    def chunk_of(self, number: int) -> Chunk:
        """Return the chunk of a number. Raises BadArgument for a number that is none."""
        at, before = as_int(number, "the number of a chunk", 0, self.chunks - 1), 0
        for size, rows, count in self._chunks:
            if at < count:
                return Chunk(number, before + at * rows, before + min((at + 1) * rows, size))
            at, before = at - count, before + size
        raise AssertionError(number)

    def __iter__(self) -> Iterator[Chunk]:
        """The chunks, in order, as they are asked for."""
        return map(self.chunk_of, range(self.chunks))

    # ---- as text

    def to_dict(self) -> dict[str, Any]:
        """Plain values: what the manifest holds, what is sent to other machines."""
        values = {field.name: list(value) if isinstance(value := getattr(self, field.name), tuple) else value
                  for field in fields(self)}
        own, lines = values.pop("user_kernels"), values.pop("lines")
        return {**values, **({"user_kernels": [asdict(one) for one in own]} if own else {}),
                **({"lines": lines} if lines else {})}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SweepPlan:
        """From `to_dict`, of an untrusted file. Raises BadArgument for what is no definition."""
        names = {field.name for field in fields(cls)}
        if not isinstance(data, dict) or {*data, "user_kernels", "lines"} != names:
            raise BadArgument("it is not a definition of a sweep: its fields are not those of this version.")
        own = data.get("user_kernels", [])
        if not isinstance(own, list) or len(own) > MAX_USER_KERNELS:
            raise BadArgument("it is not a definition of a sweep: own is of the wrong type, or too long.")
        values: dict[str, Any] = {name: tuple(value) if isinstance(value, list)
                                  and all(isinstance(one, str) for one in value) else value
                                  for name,
                                  value in data.items()} | {"user_kernels": tuple(map(UserKernel.from_dict, own))}
        for name, value in values.items():
            if type(value) is not type(getattr(_PLAIN, name)):
                raise BadArgument(f"it is not a definition of a sweep: {name} is of the wrong type.")
        made = cls(**values)
        made._check()
        return made

    def _check(self) -> None:
        """Raises BadArgument for what no sweep can be made of."""
        for said, known, what in ((self.measures, MEASURES, "measure"), (self.caches, CACHES, "state of caches"),
                                  (self.data, DATA, "kind of data")):
            _chosen(said, known, what)
        if self.size not in ("quick", "full"):
            raise BadArgument(f'size must be "quick" or "full"; got {self.size!r}.')
        if self.user_kernels and "bugs" in self.measures:
            raise BadArgument("bugs needs kernels of the catalogue, because mutations need files in its format. Use "
                              "contract or calls for your own kernels.")
        as_int(len(self.user_kernels), "files of your own", 0, MAX_USER_KERNELS)
        as_int(self.bugs, "bugs", 1, 100_000)
        as_int(self.chunk, "chunk", 0, 10_000_000)
        as_int(len(self), "the number of rows", 1, MAX_JOBS)

    @cached_property
    def identity(self) -> str:
        """Hexadecimal: of all that the definition says."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()[:32]

    def differs(self, plan: SweepPlan) -> list[str]:
        """Names of what another definition says otherwise."""
        return [field.name for field in fields(self) if getattr(self, field.name) != getattr(plan, field.name)]

    def __str__(self) -> str:
        lines = [f"{len(self):,} rows in {self.chunks:,} chunks"]
        for (measure, size), (_, rows, _) in zip(self.sizes.items(), self._chunks, strict=True):
            product = " + ".join(" x ".join(f"{len(values):,} {axis}{'s' * (axis not in ('caches', 'data'))}"
                                            for axis, values in block.items()) for block in self._blocks[measure])
            lines.append(f"  {measure:<9}{size:>14,} = {product}; {rows:,} a chunk")
        return "\n".join(lines)


_PLAIN = SweepPlan((), (), (), ())       # what kind of value each field has


# ---- made of what a user says ---------------------------------------------------------------------------------------

def make_plan(chosen: Any, *, measures: Any = ("cycles",), cores: Any = "all", shapes: Any = (),
              caches: Any = ("l1",), data: Any = ("uniform",), seeds: Any = "0", bugs: int = 8, size: str = "quick",
              chunk: int | None = None, lines: Any = ()) -> SweepPlan:
    """Return a definition, checked. Arguments and errors as of `sweep`; lines as of `SweepPlan`."""
    wanted = _chosen(measures, MEASURES, "measure")
    said = named_kernels(chosen)
    own, names = tuple(one for one in said.values() if isinstance(one, UserKernel)), tuple(said)
    shaped = any("shape" in AXES[measure] for measure in wanted)
    texts, others = _shape_texts(shapes), _shape_texts(lines)
    if shaped and not texts and not others:
        needs = [measure for measure in wanted if "shape" in AXES[measure]]
        raise BadArgument(f"{needs[0]} needs shapes: name some, shapes=\"8x8x64\" or --shape 8x8x16..64/16.")
    named_cores = _core_names(cores) if "cycles" in wanted else ()
    made = SweepPlan(wanted, names, named_cores, texts if shaped else (), _chosen(caches, CACHES, "state of caches"),
                     _chosen(data, DATA, "kind of data"), str(seeds), bugs, size,
                     0 if chunk is None else as_int(chunk, "chunk", 1), _digest(names, named_cores, own),
                     user_kernels=own,
                     lines=others if shaped else ())
    made._check()
    return made


def check_digest(plan: SweepPlan) -> None:
    """Whether the kernels and cores of this machine are those of a definition. Raises BadArgument if not."""
    if plan.version != __version__:
        raise BadArgument(f"the sweep is of neonsim {plan.version}, but this is {__version__}. Install the same "
                          f"version.")
    if plan.digest != _digest(plan.kernels, plan.cores, plan.user_kernels):
        raise BadArgument("the kernels or core files differ from those of the sweep's definition. Install the same "
                          "neonsim everywhere.")


def _words(said: Any) -> list[Any]:
    """A text with commas, or any number of things."""
    if isinstance(said, str):
        return [word.strip() for word in said.split(",") if word.strip()]
    return list(said) if isinstance(said, Iterable) else [said]


def _chosen(said: Any, known: Sequence[str], what: str) -> tuple[str, ...]:
    words = _words(said)
    wrong = [word for word in words if word not in known]
    if wrong or not words:
        found = f"there is no {what} {wrong[0]!r}" if wrong else f"no {what} is named"
        raise BadArgument(f"{found}; there are {', '.join(known)}.")
    return tuple(dict.fromkeys(words))


def named_kernels(value: Any) -> dict[str, str | UserKernel]:
    """Name -> name, or a file of your own: of names, of contracts, of patterns with * and ?, "all", or as they are.

    Raises BadArgument and KernelFileError for a word that is none of them.
    """
    found: list[str | UserKernel] = []
    promises = {one.name for one in contracts()}
    for word in _words(value):
        if isinstance(word, UserKernel):
            found.append(word)
        elif isinstance(word, Kernel):
            found.append(kernel(word.name).name)
        elif not isinstance(word, str):
            raise BadArgument(f"kernels must be names or ns.kernel(...); got {word!r}.")
        elif word == "all":
            found += kernels().names
        elif word in promises:
            found += kernels(word).names
        elif any(mark in word for mark in "*?["):
            some = fnmatch.filter(kernels().names, word)
            if not some:
                raise BadArgument(f"no kernel matches {word}; `neonsim kernels` lists them.")
            found += some
        else:
            found.append(kernel(word).name)
    if not found:
        raise BadArgument('name a kernel: a name, a contract, a pattern as "qs8_gemm*", or "all".')
    return {one.name if isinstance(one, UserKernel) else one: one for one in found}


def _core_names(said: Any) -> tuple[str, ...]:
    words = [word for one in _words(said) for word in
             ([core.name for core in load_cores() if not core.teaching] if one == "all" else [one])]
    if not words:
        raise BadArgument('name a core: several with commas, or "all" (`neonsim cores` lists them).')
    if any(isinstance(word, str) and word.endswith(".toml") for word in words):
        raise BadArgument("a sweep needs built-in cores, because other machines do not have your files.")
    return tuple(dict.fromkeys(load_core(word).name for word in words))


def _shape_texts(said: Any) -> tuple[str, ...]:
    if isinstance(said, tuple) and 3 <= len(said) <= 4 and all(isinstance(one, int) for one in said):
        said = [said]
    texts = [one if isinstance(one, str) else "x".join(str(as_int(size, "a size of a shape", 1)) for size in one)
             for one in _words(said)]
    for text in texts:
        _block(text)
    return tuple(dict.fromkeys(texts))


def _digest(names: Sequence[str], cores: Sequence[str], own: Sequence[UserKernel]) -> str:
    """Of the texts of the catalogue's kernels, macros in place, and of all that cores are read from."""
    found, known = hashlib.sha256(), {one.name for one in own}
    for name in names:
        if name in known:
            continue
        found.update("\n".join([name, *flat(kernel(name))]).encode())
    for path in sorted([*CORES.glob("*.toml"), *TABLES.glob("*")]) if cores else ():
        found.update(path.name.encode() + b"\n" + path.read_bytes())
    return found.hexdigest()[:32]
