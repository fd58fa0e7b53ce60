"""`neonsim explain requant | dispatch | task-split`: how accumulators become bytes, kernels by core, work by thread."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

import numpy as np

from neonsim.arm.timing import chosen_as, core_name
from neonsim.errors import BadArgument
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.ops import FullyConnected
from neonsim.nn.ops.explain.requant_costs import requant_cost_table, requant_costs
from neonsim.nn.ops.explain.task_split import ClusterSpec, chip_table, simulate, split_tasks, task_split_table
from neonsim.nn.ops.lowering.kernel_selection import choose, dispatch_table, migration_classes, narrower, rules
from neonsim.quant import Quantized, Scheme, disagree, explain_requant, rate_table, rates, scheme_table, steps
from neonsim.quant.requant.lab import SCHEMES
from neonsim.render.pictures.networks.task_grid import task_grid_picture
from neonsim.render.pictures.requant import requant_picture

from .options import ISAS, add_output, answer, command, print_json, wrote

__all__ = ["add_subjects"]


def a_scale(text: str) -> float:
    """Return a number, or what a scale is: argparse shows the sentence."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number; a scale is input scale * weight scale / output "
                                         f"scale, as 0.0117") from None


def add_subjects(subjects: Any) -> None:
    """Add `requant`, `dispatch` and `task-split` to `neonsim explain`."""
    requant = command(subjects, "requant", "Explain the requantization of one scale, by every scheme.",
                      "neonsim explain requant 0.0117 --value 12345 --svg number.svg",
                      "Without a scale: the schemes, and what they cost.")
    requant.add_argument("scale", nargs="?", type=a_scale, help="Input scale * weight scale / output scale.")
    requant.add_argument("--value", type=int, metavar="ACC", help="Follow this accumulator step by step.")
    requant.add_argument("--differ", nargs=2, metavar="SCHEME", help="Find accumulators that two schemes round "
                         "differently.")
    requant.add_argument("--rates", action="store_true", help="Count how often every two schemes differ.")
    requant.add_argument("--count", type=int, default=3, metavar="N", help="Number of accumulators to find (3).")
    add_output(requant, "--svg", help="Write the number line of --value.")
    requant.set_defaults(run=_requant)

    where = command(subjects, "dispatch", "Explain which kernel runs on which core, and what a thread may switch to.",
                    "neonsim explain dispatch --core cortex-a55,cortex-a75 --contract qs8_gemm_rndnu")
    where.add_argument("--core", metavar="CORES", help="Cores, with commas. Several are a chip; the first one decides.")
    where.add_argument("--isa", choices=ISAS, default="aarch64", help="Instruction set (aarch64).")
    where.add_argument("--contract", default="qs8_gemm_rndnu", help="Contract of the kernels (qs8_gemm_rndnu).")
    where.add_argument("--rows", type=int, metavar="M", help="Rows of the product; 1 asks for kernels of one row.")
    where.add_argument("--simulate", metavar="MxNxK", help="Model a product on a chip of these cores, with and without "
                       "switching kernels.")
    where.add_argument("--clock", metavar="LIST", help="Clocks of the cores relative to the first, with commas.")
    where.set_defaults(run=_dispatch)

    tasks = command(subjects, "task-split", "Show how a product is cut into tasks for threads.",
                    "neonsim explain task-split 196x512x512 --threads 4 --svg tasks.svg")
    tasks.add_argument("size", metavar="MxNxK", help="Rows, columns and depth of the product.")
    tasks.add_argument("--mr", type=int, default=4, metavar="N", help="Rows of the kernel (4).")
    tasks.add_argument("--nr", type=int, default=16, metavar="N", help="Columns of the kernel (16).")
    tasks.add_argument("--nr2", type=int, metavar="N", help="Columns of a narrower kernel, to choose between both.")
    tasks.add_argument("--threads", type=int, default=4, metavar="N", help="Number of threads (4).")
    add_output(tasks, "--svg", help="Write the picture.")
    tasks.set_defaults(run=_tasks)


def _requant(options: argparse.Namespace) -> int:
    if options.differ:
        return _differ(options)
    if options.scale is None:
        if options.value is not None or options.svg:
            raise BadArgument("--value and --svg need a scale: neonsim explain requant 0.0117 --value 12345.")
        if options.rates:
            answer(rate_table, _rates, options)
        else:
            answer(lambda: f"{scheme_table()}\n\n{requant_cost_table(requant_costs())}",
                   lambda: {"schemes": {name: {"formula": s.formula, "ties": s.ties, "below": str(s.below),
                                               "instructions": s.neon, "source": s.source}
                                        for name, s in SCHEMES.items()},
                            "costs": [c._asdict() for c in requant_costs()]}, options)
        return 0
    if options.svg and options.value is None:
        raise BadArgument("--svg draws one number: add --value.")
    if options.json and options.rates:
        print_json(_rates(options.scale))
    elif options.json:
        found = steps(options.scale, options.value or 0)
        print_json({"acc": found.acc, "scale": found.scale, "exact": float(found.exact), "results": found.results,
                    "steps": {name: list(lines) for name, lines in found.lines.items()}})
    else:
        print(rate_table(options.scale) if options.rates else explain_requant(options.scale, options.value))
    if options.svg:
        wrote(requant_picture(steps(options.scale, options.value)).save(Path(options.svg)), options)
    return 0


def _rates(scale: float | None = None) -> list[dict[str, Any]]:
    return [{"schemes": list(pair), "differ": share} for pair, share in rates(scale).items()]


def _differ(options: argparse.Namespace) -> int:
    found = disagree(options.differ[0], options.differ[1], options.scale, count=options.count)
    if options.json:
        print_json([{"acc": w.acc, "scale": w.scale, "results": dict(zip(w.schemes, w.results, strict=True)),
                     "exact": float(w.exact), "reason": w.reason} for w in found])
        return 0
    print("\n".join(map(str, found)) if found else
          f"none found: {' and '.join(options.differ)} give the same values wherever it was looked.")
    return 0


def _dispatch(options: argparse.Namespace) -> int:
    names = [name.strip() for name in (options.core or "").split(",") if name.strip()]
    names = [core_name(name) for name in names]
    for name in names:
        chosen_as(name)
    found = EmulatedBackend(options.isa).find(options.contract)
    if not found:
        raise BadArgument(f"no kernel for {options.isa} has the contract {options.contract}. `neonsim kernels` "
                          "lists them.")
    first = names[0] if names else None
    value: dict[str, Any] = {"contract": options.contract, "isa": options.isa, "rules": [
        {**rule._asdict(), "fits": first is not None and rule.fits(options.isa, chosen_as(first))}
        for rule in rules(None if first is None else chosen_as(first)) if rule.isa == options.isa]}
    if options.simulate:
        chip = _simulated(options, names)
        value["chip"] = {
            "cores": chip.cores, "clocks": chip.clocks, "gain": chip.gain, "fixed": chip.fixed,
            "switching": chip.switching,
            "tile_cycles": [{"core": core, "kernel": name, "cycles": c} for (core, name), c in chip.tile.items()],
            "kernels": {core: {"kernel": d.kernel.name, "reason": d.reason} for core, d in chip.decisions.items()}}
        text = chip_table(chip)
    elif len(names) > 1:
        classes = migration_classes(found, options.isa, names)
        value["kernels"] = {core: {"kernel": d.kernel.name, "reason": d.reason} for core, d in classes.items()}
        text = "\n".join([f"{options.contract} on a chip of {', '.join(names)}: one packing, every tile on the kernel "
                          "of the core that runs it",
                          *(f"  {core:<14} {d.kernel.name}\n{'':<17}{d.reason}" for core, d in classes.items())])
    else:
        decision = choose(found, options.isa, first, rows=options.rows)
        value["kernels"] = {first or "any": {"kernel": decision.kernel.name, "reason": decision.reason}}
        text = f"{decision.kernel.name}\n    {decision.reason}"
    answer(f"{dispatch_table(first, options.isa)}\n\n{text}", value, options)
    return 0


def _product(text: str) -> tuple[int, int, int]:
    if not re.fullmatch(r"[1-9]\d{0,5}x[1-9]\d{0,5}x[1-9]\d{0,5}", text):
        raise BadArgument(f"{text!r}: it must be rows, columns and depth joined by x, as 196x512x512.")
    m, n, k = (int(word) for word in text.split("x"))
    return m, n, k


def _simulated(options: argparse.Namespace, names: list[str]) -> ClusterSpec:
    m, n, k = _product(options.simulate)
    if not options.contract.startswith("qs8_gemm"):
        raise BadArgument("--simulate works only for the contracts qs8_gemm_rndnu and qs8_gemm_fp32.")
    if not names:
        raise BadArgument("--simulate needs --core: the cores of the chip with commas, one for each thread.")
    try:
        clocks = [float(word) for word in options.clock.split(",")] if options.clock else None
    except ValueError:
        raise BadArgument(f"--clock {options.clock!r}: it must be numbers with commas, as 1,0.75.") from None
    rng = np.random.default_rng(0)
    w = Quantized(rng.integers(-127, 128, (n, k), dtype=np.int8), 1.0)
    layer = FullyConnected(Scheme(1.0, 3, "int8"), w, out=Scheme(float(90 * np.sqrt(k)), 0, "int8"),
                           requantization=options.contract.rpartition("_")[2])
    decision = choose(EmulatedBackend(options.isa).find(options.contract), options.isa, names[0])
    mr = decision.kernel.mr
    # Tiles of all columns are alike: a few of them are computed, as many as there are stand in the schedule.
    plan = layer.plan((min(m, mr), k), backend=EmulatedBackend(options.isa, names[0]))
    plan.input[...] = rng.integers(-128, 128, (min(m, mr), k), dtype=np.int8)
    plan.run()
    return simulate(plan, names, clocks=clocks, tiles=-(-m // mr))


def _tasks(options: argparse.Namespace) -> int:
    m, n, k = _product(options.size)
    nr = options.nr
    for name, value in (("--mr", options.mr), ("--nr", nr), ("--threads", options.threads)):
        if not 1 <= value <= 1024:
            raise BadArgument(f"{name} must be in 1..1024; got {value}.")
    lines = []
    if options.nr2 is not None:
        nr = narrower(n, nr, options.nr2)
        lines = [f"{n} columns: kernels of {options.nr} or {options.nr2} columns; {nr} is taken\n"]
    counts = sorted({1, 2, 4, 8, options.threads})
    lines += [task_split_table(m, n, k, mr=options.mr, nr=nr, threads=counts),
              "width: columns of a task; many small tasks: one for every tile of the kernel"]
    cuts = [split_tasks(m, n, k, mr=options.mr, nr=nr, threads=count) for count in counts]
    answer("\n".join(lines), {"m": m, "n": n, "k": k, "mr": options.mr, "nr": nr, "cuts": [
        {"threads": c.threads, "width": c.width, "tasks": c.tasks, "balance": c.balance} for c in cuts]}, options)
    if options.svg:
        picture = task_grid_picture(cuts[counts.index(options.threads)])
        wrote(picture.save(Path(options.svg)), options)
    return 0
