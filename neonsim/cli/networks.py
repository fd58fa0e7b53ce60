"""`neonsim run mobilenet_v2`: a whole network on one backend, its answer, and where its time goes."""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from neonsim.backends.network import probe_bandwidth, probe_peak
from neonsim.errors import BadArgument
from neonsim.formats import image_for
from neonsim.formats.record import Stored
from neonsim.graph import MODELS, Costs, Graph, model, random_input
from neonsim.graph.models import digits, options_of
from neonsim.graph.native import NativePlan
from neonsim.integers import as_int
from neonsim.quant import Quantized
from neonsim.render.roofline import Point, roofline

from .options import add_output, print_json, wrote

__all__ = ["NETWORKS", "add_network_options", "build", "profile_rows", "run_network", "timed"]

NETWORKS = tuple(MODELS)
_INK = " .:oO@"


def add_network_options(parser: argparse.ArgumentParser) -> None:
    """What describes a network on the command line."""
    group = parser.add_argument_group("networks", f"PROGRAM may be a network: {', '.join(NETWORKS)}")
    group.add_argument("--backend", choices=["reference", "emulated", "native"], help="default: the fastest here")
    group.add_argument("--threads", type=int, default=1, metavar="N")
    group.add_argument("--quantization", choices=["qu8", "qs8", "qc8w"], default="qu8")
    group.add_argument("--width", type=float, metavar="X", help="multiplier of channels, MobileNets only")
    group.add_argument("--size", type=int, metavar="PIXELS", help="height and width of the image (default 224; digits "
                                                                  "have 28)")
    group.add_argument("--seed", type=int, default=0, help="of weights and image; of digits, which one of the sample")
    group.add_argument("--family", metavar="NAME", help="kernels of the native backend: amx, avx512vnni, scalar, ...")
    group.add_argument("--profile", action="store_true", help="native: time of every operator")
    group.add_argument("--runs", type=int, default=50, metavar="N", help="native: times are the least of so many runs")
    add_output(group, "--roofline", help="native: write the profile as a picture (SVG)")


def build(options: argparse.Namespace, name: str) -> Graph:
    """The network that the options describe."""
    takes = options_of(name)
    for option in ("width", "size"):
        if getattr(options, option) is not None and option not in takes:
            raise BadArgument(f"--{option} is for others of the networks; {name} has one {option}.")
    given = {"width": options.width, "size": options.size, "seed": options.seed}
    return model(name, quantization=options.quantization,
                 **{option: value for option, value in given.items() if option in takes and value is not None})


# Options of files of networks that say nothing to the networks that are here.
_OF_FILES = {"npy": "--npy", "labels": "--labels", "out": "--out", "until": "--until", "as_is": "--as-is"}


def input_for(graph: Graph, seed: int, picture: str | None = None) -> tuple[Quantized, str]:
    """An input, and what it is in words: a picture, a test digit, or of networks with random weights a random image."""
    if picture is not None:
        tensor = graph.tensors[graph.inputs[0]]
        found = image_for(picture, Stored(tensor.name, tensor.shape, tensor.dtype))
        scheme = graph.scheme(tensor.name)
        return Quantized(found, scheme.scale, scheme.zero_point), \
            f"{picture} as {tensor}" + ("; digits are white on black" if graph.name == "digits" else "")
    if graph.name != "digits":
        return random_input(graph, seed), ""
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
    graph, peak = plan.graph, probe_peak(plan.family, threads=threads)
    copied = probe_bandwidth(plan.arena.nbytes, threads)
    took = plan.profile(threads, runs)
    whole = sum(took.values())
    rows = []
    for node in graph.nodes:
        seconds, macs = took[node.name], graph.macs_of(node)
        moved = sum(graph.tensors[t].nbytes for t in (*node.inputs, *node.results)) + _weight_bytes(node.operator)
        # An addition may be done with the product before it: its time is part of that one's.
        within = plan.joined.get(node.name) if seconds == 0 else None
        rows.append({"name": node.name, "kind": node.kind, "joined_to": within,
                     "shape": list(graph.tensors[node.results[0]].shape[1:]),
                     "microseconds": seconds * 1e6, "share": seconds / whole if whole else 0.0, "macs": macs,
                     "percent_of_peak": 100 * macs / (seconds * peak) if seconds and peak else 0.0, "bytes": moved,
                     "gigabytes_per_second": moved / seconds * 1e-9 if seconds else 0.0,
                     "percent_of_bandwidth": 100 * moved / (seconds * copied) if seconds else 0.0})
    return rows


def _weight_bytes(operator: Any) -> int:
    weights = getattr(operator, "w", None)
    return 0 if weights is None else int(weights.values.size)


def run_network(options: argparse.Namespace) -> int:
    """The command."""
    if options.arguments:
        raise BadArgument(f"{options.program} takes no arguments of a call: its image is seeded (--seed).")
    if options.runs < 1:
        raise BadArgument("--runs must be at least 1.")
    graph = build(options, options.program)
    for name, flag in _OF_FILES.items():
        if getattr(options, name):
            raise BadArgument(f"{flag} is for files of networks; {graph.name} is one that is here: leave it out.")
    x, shown = input_for(graph, options.seed, options.image)
    more = {} if options.family is None else {"family": options.family}
    begin = time.perf_counter()
    plan = graph.plan(options.backend, **more)
    planned = time.perf_counter() - begin
    begin = time.perf_counter()
    y = plan.run(x, options.threads)
    first = time.perf_counter() - begin
    top = [int(i) for i in np.argsort(y.values.reshape(-1).astype(int), kind="stable")[::-1][:5]]
    answer: dict[str, Any] = {
        "network": graph.name, "quantization": options.quantization, "operators": len(graph.nodes), "macs": graph.macs,
        "weight_bytes": graph.weight_bytes, "backend": plan.backend, "threads": options.threads,
        "plan_seconds": planned, "first_run_seconds": first, "top5": top,
        "checksum": int(y.values.astype(np.int64).sum())}
    rows: list[dict[str, Any]] = []
    bandwidth = 0.0
    if isinstance(plan, NativePlan):
        least = min(timed(plan, options.threads) for _ in range(options.runs))
        costs = plan.bind(x).costs(options.threads, options.runs)
        answer |= {"costs": costs._asdict()}
        answer |= {"family": plan.family, "arena_bytes": plan.arena.nbytes, "peak_live_bytes": plan.arena.peak,
                   "least_seconds": least, "peak_macs_per_second": probe_peak(plan.family, threads=options.threads)}
        if options.profile or options.roofline:
            rows = profile_rows(plan, options.threads, options.runs)
            bandwidth = probe_bandwidth(plan.arena.nbytes, options.threads)
    elif options.profile or options.roofline:
        raise BadArgument("--profile and --roofline measure the native backend: add --backend native.")
    if options.roofline:
        points = [Point(r["name"], 2 * r["macs"] / r["bytes"], 2e-3 * r["macs"] / r["microseconds"], r["kind"])
                  for r in rows if r["macs"] and r["microseconds"]]
        roofline(points, answer["peak_macs_per_second"] * 2e-9, bandwidth * 1e-9,
                 f"{graph.name} {options.quantization}, {answer['family']}, {options.threads} "
                 f"thread{'s' * (options.threads > 1)}"
                 ).save(options.roofline)
    if options.json:
        print_json({**answer, "profile": rows})
    else:
        _print(answer, rows if options.profile else [], shown)
    if options.roofline:
        wrote(options.roofline, options)
    return 0


def timed(plan: NativePlan, threads: int) -> float:
    """Seconds of one run of the network alone, measured."""
    begin = time.perf_counter()
    plan.network.run(threads)
    return time.perf_counter() - begin


def _print(answer: dict[str, Any], rows: list[dict[str, Any]], shown: str) -> None:
    if shown:
        print(shown)
    print(f"{answer['network']} {answer['quantization']}: {answer['operators']} operators, {answer['macs']} MACs, "
          f"{answer['weight_bytes']} bytes of weights (counted)")
    family = f" ({answer['family']})" if "family" in answer else ""
    print(f"{answer['backend']}{family}, {answer['threads']} thread{'s' * (answer['threads'] > 1)}: planned in "
          f"{answer['plan_seconds'] * 1e3:.1f} ms, first run {answer['first_run_seconds'] * 1e3:.2f} ms (measured)")
    if "least_seconds" in answer:
        floor = answer["macs"] / answer["peak_macs_per_second"]
        print(f"arena {answer['arena_bytes']} bytes, {answer['peak_live_bytes']} alive at most (counted)")
        print(f"least time {answer['least_seconds'] * 1e3:.3f} ms; at the probed peak of "
              f"{answer['peak_macs_per_second'] * 1e-9:.0f} GMAC/s it would be {floor * 1e3:.3g} ms (measured)")
    if "costs" in answer:
        costs = Costs(**answer["costs"])
        print(f"beside its layers a run costs {costs.beside_bound * 1e6:.1f} us bound to arrays (plan.bind), plan.run "
              f"{costs.beside_plain * 1e6:.1f} us (measured)")
    print(f"largest results at {', '.join(map(str, answer['top5']))}; checksum {answer['checksum']}")
    if not rows:
        return
    print(f"\n{'operator':16s} {'kind':24s} {'result':>14s} {'us':>9s} {'share':>6s} {'peak':>6s} {'GB/s':>7s} "
          f"{'copy':>6s}")
    for r in rows:
        shape = "x".join(map(str, r["shape"]))
        kind = f"{r['kind']} in {r['joined_to']}" if r["joined_to"] else r["kind"]
        peak = f"{r['percent_of_peak']:5.1f}%" if r["macs"] else "     -"
        print(f"{r['name']:16s} {kind:24s} {shape:>14s} {r['microseconds']:9.1f} {100 * r['share']:5.1f}% {peak} "
              f"{r['gigabytes_per_second']:7.1f} {r['percent_of_bandwidth']:5.1f}%")
    kinds: dict[str, float] = {}
    for r in rows:
        kinds[r["kind"]] = kinds.get(r["kind"], 0.0) + r["microseconds"]
    print("peak: of the multiply-accumulates a second that as many threads reach in registers (probed); copy: of the "
          "bytes a second\nof a copy as large as the arena (probed); GB/s: of bytes that must move (counted)")
    print("by kind: " + ", ".join(f"{k} {t:.0f} us" for k, t in sorted(kinds.items(), key=lambda i: -i[1])))
