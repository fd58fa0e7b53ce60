"""`neonsim run mobilenet_v2`: a whole network on one backend, its answer, and where its time goes."""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from tqdm import tqdm  # type: ignore[import-untyped]

from neonsim.arm.timing import cores
from neonsim.common.integers import as_int
from neonsim.common.study_report import text_table
from neonsim.errors import BadArgument
from neonsim.nn.backends.native.network import NativeNetwork, probe_bandwidth, probe_peak
from neonsim.nn.formats import image_for, read_npz
from neonsim.nn.formats.ir import StoredTensor
from neonsim.nn.graph import BoundPlan, CallOverhead, Graph, model, random_inputs
from neonsim.nn.graph.models import digits, options_of
from neonsim.nn.graph.plan.cycles import NetworkCycles, kernel_names, network_cycles
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.plan.run import OperatorPlan, Runnable
from neonsim.quant.tensor_type import elements
from neonsim.render.pictures.networks.roofline import RooflinePoint, roofline

from .calls import core_names
from .network_options import DTYPES, is_saved
from .options import print_json, wrote
from .progress import waiting

__all__ = ["build", "cores_of", "emulated_options", "engine_of", "modeled", "print_cycles", "print_engine",
           "print_refusals", "profile_rows", "run_network", "timed"]

MAX_NAME_LENGTH = 36       # letters of a tensor's name in a table
_INK = " .:oO@"


def emulated_options(options: argparse.Namespace, core: str | None) -> dict[str, Any]:
    """Return what a plan takes of --engine, --isa and --core."""
    return {name: value for name, value in (("engine", options.engine), ("isa", options.isa), ("core", core))
            if value is not None}


def cores_of(options: argparse.Namespace) -> list[str | None]:
    """Return what --core says; [None] without it. Raises BadArgument where it would change nothing."""
    given = (options.backend,) if isinstance(options.backend, str) else options.backend or ()
    for name in ("core", "engine", "isa"):
        if getattr(options, name) is not None and "emulated" not in given:
            raise BadArgument(f"--{name} applies to emulated kernels: add --backend emulated.")
    return [None] if options.core is None else list(core_names(options.core, cores))


def modeled(plan: Runnable, core: str, options: argparse.Namespace) -> NetworkCycles:
    """Return the cycles of a plan's layers on a core."""
    assert isinstance(plan, OperatorPlan)

    def bar(nodes: Any) -> Any:
        return tqdm(nodes, desc=f"{plan.graph.name} on {core}", disable=True if options.json else None, leave=False)

    return network_cycles(plan, core, bar)


def engine_of(plan: Runnable, threads: int) -> dict[str, Any]:
    """Return what ran the tiles of an emulated plan, what compiling took, and a second run; nothing for another plan.

    A first run also compares kernels with the interpreter and works out registers: the second one has that behind it.
    """
    if not isinstance(plan, OperatorPlan) or not plan.jobs:
        return {}
    begin = time.perf_counter()
    if plan.engine.startswith("compiled"):
        plan.run(threads=threads)
    again = time.perf_counter() - begin
    return {"engine": plan.engine, "only_emulated": set(plan.backends.values()) == {"emulated"},
            "compilation": plan.compilation, "second_run_seconds": again,
            "instructions": sum(job.steps for job in plan.jobs.values())}


def print_engine(counters: dict[str, Any], first: float) -> None:
    """Lines on the emulated part of a run, where there is one."""
    if not counters:
        return
    again = counters["engine"].startswith("compiled")
    seconds = counters["second_run_seconds"] if again else first
    # Operators of other backends would be in the time.
    speed = (f", {counters['instructions'] / seconds / 1e6:,.1f} M a second"
             + (f" in a second run of {1e3 * seconds:.1f} ms" if again else "") + " (measured)")
    print(f"{counters['engine']}: {counters['instructions']:,} instructions emulated (counted)"
          + (speed if counters["only_emulated"] else ""))
    if counters["compilation"].kernels:
        print(counters["compilation"])


def print_cycles(results: list[NetworkCycles]) -> None:
    """Every layer on one core, or the whole on several."""
    if len(results) == 1:
        one = results[0]
        wide = min(MAX_NAME_LENGTH, max(len(layer.name) for layer in one.layers))
        rows = [[f"{_cut(layer.name):{wide}s}  {layer.kind}", kernel_names(layer.kernels), str(layer.calls),
                 f"{layer.instructions:,}",
                 "-" if layer.cycles is None else f"{layer.cycles:,.0f}",
                 f"{100 * layer.cycles / one.cycles:.1f} %" if layer.cycles else "-",
                 f"{layer.macs_per_cycle:.2f}" if layer.macs and layer.cycles else "-"] for layer in one.layers]
        print("\n" + text_table(["operator", "kernels", "calls", "instructions", "cycles", "share", "MAC/cycle"], rows))
    head = ["core", "kernels of", "instructions", "cycles", "MAC/cycle"]
    print("\n" + text_table(head, [[one.core, one.isa, f"{one.instructions:,}", f"{one.cycles:,.0f}",
                                    f"{one.macs_per_cycle:.2f}"] for one in results]))
    print("instructions: counted; cycles: modelled, one core, every access in its first cache; what is left out:\n"
          "`neonsim study networks`")
    missing = results[0].without
    if missing:
        more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
        print(f"without cycles, as no kernel does them here: {', '.join(map(_cut, missing[:4]))}{more}")


def print_refusals(plan: Runnable) -> None:
    """What was refused on the way, the first of it in full."""
    if plan.refusals and isinstance(plan, OperatorPlan):
        print(f"{len(plan.refusals)} of {len(plan.graph.nodes)} operators were refused by a backend; the first: "
              f"{plan.refusals[0]}")


def _cut(name: str) -> str:
    """A name of a file's tensor as long as a table takes."""
    return name if len(name) <= MAX_NAME_LENGTH else name[:MAX_NAME_LENGTH - 3] + "..."


def build(options: argparse.Namespace, name: str) -> Graph:
    """Return the network that the options describe; of a file of ours, what was saved."""
    if is_saved(name):
        for option in ("width", "size"):
            if getattr(options, option) is not None:
                raise BadArgument(f"--{option} is for generated networks; {name} is saved unchanged.")
        graph = read_npz(name)
        if len(graph.inputs) != 1:
            raise BadArgument(f"{name} has {len(graph.inputs)} inputs, but this command needs one.")
        return graph
    takes = options_of(name)
    for option in ("width", "size"):
        if getattr(options, option) is not None and option not in takes:
            raise BadArgument(f"--{option} does not apply to {name}, which has only one {option}.")
    given = {"width": options.width, "size": options.size, "seed": options.seed}
    return model(name, quantization=DTYPES[options.dtype],
                 **{option: value for option, value in given.items() if option in takes and value is not None})


# Options of files of networks that say nothing to the networks that are here.
_OF_FILES = {"npy": "--npy", "labels": "--labels", "out": "--out", "stop_after": "--stop-after",
             "raw_image": "--raw-image"}


def is_float32(graph: Graph) -> bool:
    """Return whether it computes with real numbers throughout."""
    return all(tensor.dtype == "float32" for tensor in graph.tensors.values())


def input_for(graph: Graph, seed: int, picture: str | None = None) -> tuple[Any, str]:
    """Return an input, and what it is in words: a picture, a test digit, or of networks with random weights a random
    image."""
    if picture is not None:
        tensor = graph.tensors[graph.inputs[0]]
        found = image_for(picture, StoredTensor(tensor.name, tensor.shape, tensor.dtype), raw_image=False)
        return tensor.type.value(found), \
            f"{picture} as {tensor}" + ("; digits are white on black" if graph.name == "digits" else "")
    if graph.name != "digits":
        return random_inputs(graph, seed)[graph.inputs[0]], ""
    images, labels = digits.sample()
    number = as_int(seed, "--seed", 0) % len(images)
    drawn = "\n".join("".join(_INK[value * len(_INK) // 256] * 2 for value in row.tolist()).rstrip()
                      for row in images[number, ..., 0] if row.any())
    return digits.input_of(graph, images[number:number + 1]), \
        f"{drawn}\ntest digit {number} of the sample, which is a {labels[number]}"


def profile_rows(plan: NativePlan, threads: int, runs: int) -> list[dict[str, Any]]:
    """One row an operator: measured time, share of the probed peak, bytes that must move and how fast they did.

    Percentages are of what the machine does when probed by as many threads: products in registers, and copies of as
    many bytes as the arena has.
    """
    graph, peak = plan.graph, probe_peak(plan.family, threads=threads, float32=is_float32(plan.graph))
    copied = probe_bandwidth(plan.arena.nbytes, threads)
    took = plan.profile(threads, runs)
    waits = plan.waiting(threads, runs) if threads > 1 else {}
    whole = sum(took.values())
    rows = []
    for node in graph.nodes:
        seconds, macs = took[node.name], graph.macs_of(node)
        moved = sum(graph.tensors[t].nbytes for t in (*node.inputs, *node.results)) + node.operator.weight_bytes
        # An addition may be done with the product before it: its time is part of that one's.
        within = plan.joined.get(node.name) if seconds == 0 else None
        rows.append({"name": node.name, "kind": node.kind, "joined_to": within,
                     "shape": list(graph.tensors[node.results[0]].shape[1:]),
                     "microseconds": seconds * 1e6, "share": seconds / whole if whole else 0.0, "macs": macs,
                     "percent_of_peak": 100 * macs / (seconds * peak) if seconds and peak else 0.0, "bytes": moved,
                     "gigabytes_per_second": moved / seconds * 1e-9 if seconds else 0.0,
                     "percent_of_bandwidth": 100 * moved / (seconds * copied) if seconds else 0.0,
                     "percent_waiting": 100 * waits[node.name] if waits else None})
    return rows


def run_network(options: argparse.Namespace) -> int:
    """Return the command."""
    if options.arguments:
        raise BadArgument(f"{options.program} takes no call arguments. Its input is random (--seed).")
    if options.runs < 1:
        raise BadArgument("--runs must be at least 1.")
    graph = build(options, options.program)
    for name, flag in _OF_FILES.items():
        if getattr(options, name) not in (None, []):
            raise BadArgument(f"{flag} is for network files, not for the built-in network {graph.name}.")
    x, shown = input_for(graph, options.seed, options.image)
    more: dict[str, Any] = {} if options.isa_variant is None else {"family": options.isa_variant}
    on, real = cores_of(options), is_float32(graph)
    if options.strategy is not None:
        more |= {"strategy": options.strategy, "threads": options.threads}
    begin = time.perf_counter()
    with waiting(f"planning {graph.name}", options):
        plan = graph.plan(options.backend, **more, **emulated_options(options, on[0]))
    planned = time.perf_counter() - begin
    begin = time.perf_counter()
    with waiting(f"running {graph.name}", options):
        y = plan.run(x, options.threads)
    first = time.perf_counter() - begin
    results = elements(y[0] if isinstance(y, tuple) else y).reshape(-1)
    top = [int(i) for i in np.argsort(results, kind="stable")[::-1][:5]]
    answer: dict[str, Any] = {
        "network": graph.name, "quantization": "saved" if is_saved(options.program) else DTYPES[options.dtype],
        "operators": len(graph.nodes), "macs": graph.macs,
        "weight_bytes": graph.weight_bytes, "backend": plan.backend, "threads": options.threads,
        "plan_seconds": planned, "first_run_seconds": first, "top5": top,
        "checksum": (float(results.sum(dtype=np.float64)) if results.dtype.kind == "f" else
                     int(results.astype(np.int64).sum())),
        **engine_of(plan, options.threads)}
    cycles = [modeled(plan if core == on[0] else graph.plan(options.backend, **emulated_options(options, core)), core,
                       options) for core in on if core is not None]
    rows: list[dict[str, Any]] = []
    bandwidth = 0.0
    if isinstance(plan, NativePlan):
        bound = plan.bind(x)
        # Real numbers are given to each run: what a run leaves in the arena may be none, and is not quantised.
        run = bound if graph.tensors[graph.inputs[0]].dtype == "float32" else plan.network
        least = min(timed(run, options.threads) for _ in range(options.runs))
        costs = bound.costs(options.threads, options.runs)
        answer |= {"costs": costs._asdict()}
        answer |= {"family": plan.family, "arena_bytes": plan.arena.nbytes, "peak_live_bytes": plan.arena.peak,
                   "least_seconds": least,
                   "peak_macs_per_second": probe_peak(plan.family, threads=options.threads, float32=real)}
        if options.profile or options.roofline:
            rows = profile_rows(plan, options.threads, options.runs)
            bandwidth = probe_bandwidth(plan.arena.nbytes, options.threads)
    elif options.profile or options.roofline:
        raise BadArgument("--profile and --roofline measure the native backend: add --backend native.")
    if options.roofline:
        points = [RooflinePoint(r["name"], 2 * r["macs"] / r["bytes"], 2e-3 * r["macs"] / r["microseconds"], r["kind"])
                  for r in rows if r["macs"] and r["microseconds"]]
        roofline(points, answer["peak_macs_per_second"] * 2e-9, bandwidth * 1e-9,
                 f"{graph.name} {options.dtype}, {answer['family']}, {options.threads} "
                 f"thread{'s' * (options.threads > 1)}"
                 ).save(options.roofline)
    if options.json:
        settled = plan.strategy if isinstance(plan, NativePlan | OperatorPlan) else None
        chosen = {} if settled is None else {"strategy": settled.to_dict()}
        print_json({**answer, **chosen, "profile": rows, "cycles": [one.to_dict() for one in cycles]})
    else:
        _print(answer, rows if options.profile else [], shown)
        if options.strategy is not None:
            print("\n" + plan.explain())
        print_refusals(plan)
        if cycles:
            print_cycles(cycles)
    if options.roofline:
        wrote(options.roofline, options)
    return 0


def timed(network: NativeNetwork | BoundPlan, threads: int) -> float:
    """Seconds of one run of the network alone, measured."""
    begin = time.perf_counter()
    network.run(threads)
    return time.perf_counter() - begin


def _print(answer: dict[str, Any], rows: list[dict[str, Any]], shown: str) -> None:
    if shown:
        print(shown)
    print(f"{answer['network']} {answer['quantization']}: {answer['operators']} operators, {answer['macs']} MACs, "
          f"{answer['weight_bytes']} bytes of weights (counted)")
    family = f" ({answer['family']})" if "family" in answer else ""
    print(f"{answer['backend']}{family}, {answer['threads']} thread{'s' * (answer['threads'] > 1)}: planned in "
          f"{answer['plan_seconds'] * 1e3:.1f} ms, first run {answer['first_run_seconds'] * 1e3:.2f} ms (measured)")
    if "engine" in answer:
        print_engine(answer, answer["first_run_seconds"])
    if "least_seconds" in answer:
        floor = answer["macs"] / answer["peak_macs_per_second"]
        print(f"arena {answer['arena_bytes']} bytes, {answer['peak_live_bytes']} alive at most (counted)")
        print(f"least time {answer['least_seconds'] * 1e3:.3f} ms; at the probed peak of "
              f"{answer['peak_macs_per_second'] * 1e-9:.0f} GMAC/s it would be {floor * 1e3:.3g} ms (measured)")
    if "costs" in answer:
        costs = CallOverhead(**answer["costs"])
        print(f"beside its layers a run costs {costs.bound_overhead * 1e6:.1f} us bound to arrays (plan.bind), "
              f"plan.run {costs.unbound_overhead * 1e6:.1f} us (measured)")
    print(f"largest results at {', '.join(map(str, answer['top5']))}; checksum {answer['checksum']}")
    if not rows:
        return
    print(f"\n{'operator':16s} {'kind':24s} {'result':>14s} {'us':>9s} {'share':>6s} {'peak':>6s} {'GB/s':>7s} "
          f"{'copy':>6s}" + (f" {'waits':>6s}" if answer["threads"] > 1 else ""))
    for r in rows:
        shape = "x".join(map(str, r["shape"]))
        kind = f"{r['kind']} in {r['joined_to']}" if r["joined_to"] else r["kind"]
        peak = f"{r['percent_of_peak']:5.1f}%" if r["macs"] else "     -"
        waits = "" if r["percent_waiting"] is None else f" {r['percent_waiting']:5.1f}%"
        print(f"{r['name']:16s} {kind:24s} {shape:>14s} {r['microseconds']:9.1f} {100 * r['share']:5.1f}% {peak} "
              f"{r['gigabytes_per_second']:7.1f} {r['percent_of_bandwidth']:5.1f}%{waits}")
    kinds: dict[str, float] = {}
    for r in rows:
        kinds[r["kind"]] = kinds.get(r["kind"], 0.0) + r["microseconds"]
    print("peak: of the multiply-accumulates a second that as many threads reach in registers (probed); copy: of the "
          "bytes a second\nof a copy as large as the arena (probed); GB/s: of bytes that must move (counted)")
    if answer["threads"] > 1:
        lost = sum(r["microseconds"] * r["percent_waiting"] for r in rows) / 100
        print(f"waits: of the threads' time, for the others at a layer's end (measured, quickest run); {lost:.0f} us "
              f"of {sum(r['microseconds'] for r in rows):.0f} in all")
    print("by kind: " + ", ".join(f"{k} {t:.0f} us" for k, t in sorted(kinds.items(), key=lambda i: -i[1])))
