"""The gallery of kernels: a page a contract, a heading a kernel; instructions counted, cycles modelled."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path

import neonsim as ns
from neonsim.arm.timing import count
from neonsim.arm.timing.stream import longest_loop, stream_of
from neonsim.errors import NeonsimError, TimingError
from neonsim.ukernel import Kernel

from .text import docstring, escaped, fenced, left_out, table

__all__ = ["write"]

CORES = ("cortex-a53", "cortex-a55", "cortex-a72", "cortex-a76", "neoverse-n1")
MAIN = ("qu8_gemm_q31", "qu8_dwconv_q31", "f32_gemm")   # contracts that the main pages have


@dataclass(frozen=True)
class Loop:
    """The main loop of a kernel.

    instructions, vector   counted, of one iteration       macs   multiply-accumulates of one iteration, counted
    cycles                 core -> modelled cycles of an iteration; a sentence where there is no figure
    """

    instructions: float
    vector: float
    macs: float
    cycles: dict[str, float | str]


def write(sources: Path, *, whole: bool = True) -> None:
    """kernels/: an index and a page for each contract; `whole`: of all, not of those in MAIN alone."""
    folder = sources / "kernels"
    folder.mkdir()
    every = list(ns.kernels())
    found = [kernel for kernel in every if whole or kernel.contract.name in MAIN]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        loops = dict(zip((k.name for k in found), pool.map(_loop, (k.name for k in found), chunksize=8), strict=True))
    by_contract: dict[str, list[Kernel]] = defaultdict(list)
    for kernel in found:
        by_contract[kernel.contract.name].append(kernel)
    for name, members in by_contract.items():
        (folder / f"{name}.md").write_text(_page(members, loops), "utf-8")
    contracts = {kernel.contract.name for kernel in every}
    rows = [(f"[{name}]({name}.md)", str(len(members)), escaped(members[0].contract.summary))
            for name, members in sorted(by_contract.items())]
    (folder / "index.md").write_text(
        f"# Kernels\n\n{len(every)} kernels of {len(contracts)} contracts. A contract defines what a kernel computes. "
        "All kernels of a contract give the same bytes: `neonsim check` tests it, and `neonsim prove` proves it for "
        "products. Instructions are *counted* and cycles *modelled*, for one iteration of the main loop. All accesses "
        f"hit the first-level cache.\n\n{left_out(sorted(contracts - set(by_contract)))}"
        + table(("contract", "kernels", "what"), rows)
        + "\n```{toctree}\n:hidden:\n\n" + "\n".join(sorted(by_contract)) + "\n```\n", "utf-8")


def _loop(name: str) -> Loop | None:
    """Of a kernel without a loop: None."""
    program = ns.kernel(name).program()
    entry = longest_loop(program)
    if entry is None:
        return None
    turns = 20
    stream = stream_of(program, entry=entry, iterations=turns)
    counts = count(stream)
    cycles: dict[str, float | str] = {}
    for core in CORES:
        try:
            cycles[core] = ns.time(stream, core=core).cycles / turns
        except TimingError as problem:
            cycles[core] = str(problem).partition("\n")[0]
    return Loop(counts.instructions / turns, counts.neon / turns, counts.macs / turns, cycles)


def _page(members: Sequence[Kernel], loops: dict[str, Loop | None]) -> str:
    contract = members[0].contract
    parts = [f"# {escaped(contract.name)}\n", docstring(contract.doc)]
    timed = [(k, loop) for k in members if (loop := loops[k.name]) is not None]
    if timed:
        head = ("kernel", "instructions", "vector", "products", *(core.rpartition("-")[2].upper() for core in CORES))
        parts += ["The table is for one iteration of the main loop, with counted instructions and modelled cycles.",
                  table(head, (_row(k, loop) for k, loop in timed))]
    parts += starmap(_entry, ((k, loops[k.name]) for k in members))
    return "\n\n".join(parts) + "\n"


def _row(kernel: Kernel, loop: Loop) -> tuple[str, ...]:
    cycles = (f"{c:.1f}" if isinstance(c, float) else "-" for c in (loop.cycles[core] for core in CORES))
    return (f"`{kernel.name}`",
            f"{loop.instructions:.0f}", f"{loop.vector:.0f}", f"{loop.macs:.0f}", *cycles)


def _entry(kernel: Kernel, loop: Loop | None) -> str:
    text = [f"## {escaped(kernel.name)}\n", escaped(kernel.header.summary)]
    if loop is not None:
        unknown = sorted({c for c in loop.cycles.values() if isinstance(c, str)})
        text += [f"Cores without a figure: {escaped('; '.join(unknown))}"] if unknown else []
    try:
        text.append(fenced(kernel.explain().partition("\nContract ")[0].strip()))
    except NeonsimError as problem:  # a name that is not made of the usual parts
        text.append(escaped(str(problem)))
    commands = "\n".join(f"neonsim {command} {kernel.name}" for command in ("kernels", "step", "check"))
    text += [fenced(commands, "console"),
             "<details><summary>its text</summary>", fenced(kernel.source, "gas"), "</details>"]
    return "\n\n".join(text)
