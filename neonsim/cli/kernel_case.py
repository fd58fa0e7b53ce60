"""A kernel on a case of its contract, recorded: what `neonsim trace` and `step` show of one without arguments."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from neonsim.arm.asm.c.options import CompilerOptions
from neonsim.arm.asm.file_header import header_of
from neonsim.common.fileio import read_text
from neonsim.common.limits import MAX_FILE_LENGTH
from neonsim.ukernel import Kernel, kernel
from neonsim.ukernel.case import Case
from neonsim.ukernel.case_runner import run_alone
from neonsim.ukernel.cases import cases
from neonsim.ukernel.contract import Packed
from neonsim.verify.checking.target import KernelUnderTest, entry_of, subject

from .calls import KEPT, Recording, compiler_options
from .options import definitions

__all__ = ["record_tile"]


def record_tile(options: argparse.Namespace, compiler: CompilerOptions | None, title: str) -> Recording:
    """Run a kernel of the catalogue, or of a file whose header says its contract, on a case of that: a whole tile."""
    path = Path(options.program)
    if not path.is_file():
        found = kernel(options.program)
        return _sample(subject(found), found, title)
    if path.suffix == ".c":
        said = header_of(read_text(path, 4 * MAX_FILE_LENGTH, "replace"))
        compiler = replace(compiler or compiler_options(options), isa=options.isa or said.get("isa", "aarch64"))
        program = compiler.load(path)
        limits = {key.replace("-", "_"): int(said[key]) for key in ("reads-before", "reads-after") if key in said}
        return _sample(subject(program, said["contract"], tile=said.get("tile"), entry=entry_of(program, path.stem),
                               **limits), None, title)  # type: ignore[arg-type]
    return _sample(subject(path, isa=options.isa, include=options.include, define=definitions(options)), None, title)


def _sample(what: KernelUnderTest, found: Kernel | None, title: str) -> Recording:
    case = _whole_tile(what)
    limits = {"reads_before": what.reads_before, "reads_after": what.reads_after}
    names = found.header.register_names() if found is not None else None
    sizes = ", ".join(f"{a.name}={case.number(a.name)}" for a in case.contract.arguments if a.kind == "size")
    said = f"a case of {what.contract}: {sizes} ({case.name})"
    outcome = run_alone(what.program, what.entry, case, trace=KEPT, **limits)
    assert outcome.result.trace is not None
    return Recording(outcome.result.trace, title if found is None else what.name, names,
                     _columns(what, case), said)


def _whole_tile(what: KernelUnderTest) -> Case:
    """The largest case with plain data and the least room between rows."""
    every = cases(what.contract, what.tile)
    most = max(case.sizes for case in every)
    gaps = {case.name: sum(case.number(a.name) for a in case.contract.arguments if a.kind in ("stride", "pointers"))
            for case in every}
    return min((case for case in every if case.sizes == most),
               key=lambda case: ("uniform" not in case.name, gaps[case.name]))


def _columns(what: KernelUnderTest, case: Case) -> dict[str, int]:
    """How many elements make a row of each region's picture."""
    found = {}
    for argument in case.contract.arguments:
        note = argument.memory
        if isinstance(note, Packed) and what.tile.nr:
            found[argument.name] = int(what.tile.nr)
        elif note is not None and note.stride is not None and argument.name in case.memory:
            region = case.memory[argument.name]
            each = np.dtype(region.dtype or np.uint8).itemsize
            found[argument.name] = max(1, case.number(note.stride) // (1 if region.data.size % each else each))
    return found
