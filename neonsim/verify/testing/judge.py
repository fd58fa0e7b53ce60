"""What a test asks: the functions of a file, whether they are right, what they cost. The fixture `neon` is one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from neonsim.arm.asm import Program
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.nn.ops import Operator, compare
from neonsim.ukernel import Case, Kernel, Tile
from neonsim.ukernel.cases import deep, stream
from neonsim.verify.checking import ContractRun, subject

from .cases import Cases, cases
from .cycles import Baseline, Baselines, Cycles
from .equality import require_equal
from .failure import Artifacts, FunctionFailure, fitted, mismatch
from .function import Function, load

__all__ = ["Judge", "classes_of"]

BACKENDS = ("reference", "emulated", "native")
SHRINKING = 3.0     # seconds for looking for a smaller call of a contract that fails
AT_ONCE = 8     # depths that kernels' loops take: calls are apart by what is left over


@dataclass
class Judge:
    """The words of a test. Every call has a machine of its own: nothing passes from one test to the next.

    folder      where names of files begin
    seed        of everything that is drawn
    engine      as of `Machine.call`; None: the interpreter under the sanitizer
    artifacts   where pages of failing calls go
    baselines   file of accepted cycles
    backends    that `agree` compares
    """

    folder: Path = field(default_factory=Path)
    seed: int = 0
    engine: str | None = None
    artifacts: Artifacts = field(default_factory=Artifacts)
    baselines: Baselines = field(default_factory=lambda: Baselines(Path("neonsim-baselines.json")))
    backends: Sequence[str] = BACKENDS

    def load(self, source: str | Path | Program | Kernel, prototype: str | None = None, **options: Any) -> Function:
        """Return a function of a file, called with numpy arrays; as `neonsim.verify.testing.load`."""
        return load(self._here(source), prototype, engine=self.engine, **options)

    def cases(self, sizes: Mapping[str, Sequence[Any]] | None = None, **options: Any) -> Cases:
        """Calls to test a function with: arguments and errors as of `neonsim.verify.testing.cases`."""
        return cases(sizes, **options)

    def equal(self, function: Function, reference: Callable[..., Any],
              cases: Cases | Case | Iterable[Case] | None = None, *, ulps: int = 0) -> int:
        """Compare a function with a reference, byte for byte; returns how many calls there were.

        reference   a Python function of the same inputs, a function that `load` gave, or a numpy ufunc
        cases       of `cases`; left out, the usual ones. Or calls that `function.case` made
        ulps        floats may be n numbers away from the reference's: other orders of sums

        Raises AssertionError (`FunctionFailure`) with the smallest call that fails; BadArgument for what does not fit.
        """
        return require_equal(function, reference, Cases() if cases is None else cases, self.seed, self.artifacts,
                             as_int(ulps, "ulps", 0))

    def contract(self, name: str, source: str | Path | Program | Kernel, shape: str | None = None,
                 **options: Any) -> int:
        """Run a kernel through the calls of its contract; returns how many there were.

        All calls run in lock-step, beside others; one of each size runs alone before, under the sanitizer.

        name      of the contract, "qu8_gemm_q31"
        shape     the class of sizes, as `contract_classes` names them; None: all
        options   as of `neonsim.check`: tile, isa, entry, reads_before, define

        Raises AssertionError (`FunctionFailure`) with the smallest call that fails, BadArgument as `neonsim.check`.
        """
        what = subject(self._here(source), name, **options)
        found = classes_of(what.contract, what.tile, self.seed)
        if shape is not None and shape not in found:
            raise BadArgument(f"{what.name} has no class of sizes {shape!r}: {', '.join(found)}")
        some = [case for one, these in found.items() if shape in (None, one) for case in these]
        run = ContractRun(what, lambda size: some if size == "quick" else stream(what.contract, what.tile, size=size),
                          thin=True, shrinking=SHRINKING)
        result = run.run(False)
        if result.smallest is not None:
            raise mismatch(what.name, f"its contract {name}", result.smallest, run.smallest, self.artifacts)
        return result.cases

    def contract_classes(self, name: str, source: str | Path | Program | Kernel, **options: Any) -> list[str]:
        """Return the classes of sizes of a kernel's calls: whole tiles and parts of one, depths and what is left
        over."""
        what = subject(self._here(source), name, **options)
        return list(classes_of(what.contract, what.tile, self.seed))

    def agree(self, call: Callable[..., Any] | Operator, *inputs: Any, **options: Any) -> Any:
        """Return the same call of an operator or a model on every backend; returns the result of the first.

        call   an operator (`ops.conv2d`), an Operator, the `run` of a model, or any function that takes ``backend=``

        Raises AssertionError (`FunctionFailure`) with the first byte that differs, and the step that wrote it, of
        operators; BackendError for a backend that is not there.
        """
        name = getattr(call, "__qualname__", type(call).__name__)
        if isinstance(call, Operator) or getattr(call, "__module__", "").startswith("neonsim.nn.ops"):
            found = compare(call, *inputs, backends=tuple(self.backends), **options)
            if not found:
                raise FunctionFailure(fitted([f"{name} differs between backends.", *str(found).splitlines()]))
            return next(iter(found.results.values()))
        results = {backend: call(*inputs, backend=backend, **options) for backend in self.backends}
        first, judged = next(iter(results.items()))
        for backend, result in results.items():
            if said := _differs(judged, result):
                raise FunctionFailure(fitted([f"{name} differs between backends.", f"{first} and {backend}: {said}",
                                       "remedy: neonsim.explain_difference finds the layer and the reason"]))
        return judged

    def cycles(self, function: Function, case: Case | None = None, core: str = "cortex-a53", **inputs: Any) -> Cycles:
        """Modelled cycles of one call: `assert neon.cycles(f, case) <= neon.baseline`.

        case     of `function.case(...)`; or its inputs by name
        core     a core of `neonsim.cores()`

        Raises as the call, UnknownCore for a core that there is not.
        """
        chosen = function.case(**inputs) if case is None else case
        sizes = ", ".join(f"{a.name} = {chosen.number(a.name)}" for a in function.contract.arguments
                          if a.kind == "size")
        parts = (self.artifacts.test, function.entry, sizes, core)
        return Cycles.from_timing(function.time(chosen, core), " ".join(filter(None, parts)))

    @property
    def baseline(self) -> Baseline:
        """The accepted cycles of the file: what `cycles <=` compares with. `--neonsim-update` writes them."""
        return Baseline.from_baselines(self.baselines)

    def _here(self, source: Any) -> Any:
        """A file's name from the test's folder on."""
        return Path(os.path.normpath(self.folder / source)) if isinstance(source, str | Path) else source


@lru_cache(maxsize=8)   # the tests of a contract follow each other, and change no call
def classes_of(contract: str, shape: Tile, seed: int = 0) -> Mapping[str, Sequence[Case]]:
    """Return the calls of a kernel's contract by their class of sizes; ``shape``: its tile."""
    found: dict[str, list[Case]] = {}
    some = list(stream(contract, shape, seed=seed, size="quick"))
    tile = max(shape.mr, shape.nr or 1)
    most = {a.name: max(case.number(a.name) for case in some) for a in some[0].contract.arguments if a.kind == "size"}
    for case in some:
        words = [_class(name, case.number(name), limit, tile) for name, limit in most.items()]
        found.setdefault(" ".join(words) or "call", []).append(case)
    for case in deep(contract, shape, seed=seed):
        found.setdefault("deep", []).append(case)
    return found


def _class(name: str, number: int, most: int, tile: int) -> str:
    """What kind of size a call has: of the tile the whole or a part, "mr=4", "nr<8"; of others what is left over."""
    if 1 < most <= tile:
        return f"{name}{'=' if number == most else '<'}{most}"
    return f"{name}%{AT_ONCE}{'>' if number % AT_ONCE else '='}0"


def _differs(first: Any, second: Any) -> str:
    """Where two results differ first, "" where every byte is the same."""
    one, other = (list(each) if isinstance(each, list | tuple) else [each] for each in (first, second))
    if len(one) != len(other):
        return f"{len(one)} results, and {len(other)}"
    for number, (a, b) in enumerate(zip(one, other, strict=True)):
        a, b = (each if isinstance(each, np.ndarray) else np.asarray(getattr(each, "data", each)) for each in (a, b))
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"result {number} is {a.dtype} {list(a.shape)}, and {b.dtype} {list(b.shape)}"
        left, right = (np.ascontiguousarray(each).reshape(-1).view(np.uint8) for each in (a, b))
        if wrong := np.flatnonzero(left != right).tolist():
            index = tuple(int(i) for i in np.unravel_index(wrong[0] // a.dtype.itemsize, a.shape))
            return (f"element {list(index)} of result {number} is {a[index]}, and {b[index]}   ({len(wrong)} bytes "
                    "differ)")
    return ""
