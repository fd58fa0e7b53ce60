"""`neonsim demo`: a layer of MobileNetV1 by every kernel on every backend, the same bytes each time.

The pointwise layer 14x14x512 -> 512: 196 pixels, 512 inputs, 512 outputs, 51.4 million products. Data and weights are
seeded random numbers, the shape and the arithmetic are the network's.
"""

from __future__ import annotations

import argparse
import time as clock
from dataclasses import dataclass
from typing import Any

import numpy as np

from neonsim.arm.machine import Trace
from neonsim.arm.timing import count, time
from neonsim.common.study_report import short
from neonsim.nn import backends
from neonsim.nn.ops import FullyConnected, Plan
from neonsim.quant import Q31Params, Quantized, Scheme
from neonsim.ukernel import kernel

from .options import add_live, add_output, check_live, print_json, top_command, wrote

__all__ = ["add_commands", "layer"]

PIXELS, INPUTS, OUTPUTS = 14 * 14, 512, 512
CORES = ("cortex-a53", "cortex-a72")
PRODUCTS = ("qu8_gemm_q31", "qu8_gemm_xzp_q31")


@dataclass(frozen=True)
class DemoLayer:
    """A quantised matrix product: pixels [m, k] by weights [n, k]."""

    pixels: np.ndarray[Any, Any]
    weights: np.ndarray[Any, Any]
    bias: np.ndarray[Any, Any]
    params: Q31Params

    @property
    def macs(self) -> int:
        return int(self.pixels.shape[0] * self.weights.size)


def layer(seed: int = 0) -> DemoLayer:
    """Return the layer with seeded data; the output scale spreads the results over the whole byte range."""
    random = np.random.default_rng(seed)
    pixels = random.integers(0, 256, (PIXELS, INPUTS), dtype=np.uint8)
    weights = np.clip(random.normal(127, 30, (OUTPUTS, INPUTS)), 0, 255).astype(np.uint8)
    bias = random.integers(-20000, 20001, OUTPUTS).astype(np.int32)
    params = Q31Params.from_scale(0.0015, a_zero_point=121, w_zero_point=127, output_zero_point=128)
    return DemoLayer(pixels, weights, bias, params)


def add_commands(commands: Any) -> None:
    parser = top_command(commands, "demo", "neonsim demo")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="Seed of the layer's data (0).")
    add_output(parser, "--html", help="Write the default kernel's first tile as a page.")
    add_live(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    check_live(options)
    say = (lambda text="": None) if options.json else print
    started = clock.perf_counter()
    job = layer(options.seed)
    say("MobileNetV1, pointwise layer 14x14x512 -> 512 (seeded data)")
    say(f"m {PIXELS}  k {INPUTS}  n {OUTPUTS}: {job.macs / 1e6:.1f} million multiply-accumulates (counted)\n")
    say(f"{'backend':9}  {'kernel':47}  {'tiles':>5}  {'ms':>6}  same")
    rows, expected = [], None
    emulated: dict[str, Plan] = {}
    for name, chosen in _ways():
        plan, values, row = _compute(job, name, chosen)
        if name == "emulated" and chosen is not None:
            emulated[chosen] = plan
        expected = values if expected is None else expected
        row["equal"] = bool(np.array_equal(values, expected))
        rows.append(row)
        same = "-" if name == "reference" else "yes" if row["equal"] else "NO"
        say(f"{name:9}  {row['kernel']:47}  {row['tiles'] or '':>5}  {row['milliseconds']:>6.1f}  {same}")
    say("ms: milliseconds, measured; same: the bytes of the reference")
    missing = backends.backends()["native"] if "native" not in {r["backend"] for r in rows} else None
    if missing:
        say(f"native     not here: {missing}")
    say()
    tiles = _tiles(emulated, say)
    total = clock.perf_counter() - started
    say(f"\n{total:.1f} seconds in all (measured). Step through a tile: neonsim demo --html tile.html")
    if options.html:
        name, trace, _ = tiles[0]
        names = kernel(name).header.register_names()
        page = trace.to_html(options.html, title=name, names=names, columns={"weights": 8},
                             timing=time(trace, core=CORES[0]), live=options.live)
        wrote(page, options)
    if options.json:
        print_json({"m": PIXELS, "k": INPUTS, "n": OUTPUTS, "macs": job.macs, "rows": rows,
                    "tiles": [row for _, _, row in tiles], "seconds": total})
    return 0 if all(r["equal"] for r in rows) else 1


def _ways() -> list[tuple[str, str | None]]:
    """Every backend that is here with every matrix product kernel it has, and what the native one takes by itself; the
    reference, which judges, first."""
    ways: list[tuple[str, str | None]] = [("reference", None)]
    for name in ("native", "emulated"):
        if backends.backends()[name] == "available":
            ways += [(name, None)] * (name == "native")
            ways += [(name, kernel) for kernel in _products(backends.get(name))]
    return ways


def _products(backend: backends.Backend) -> list[str]:
    """Kernels with tiles of 8 output channels; smaller ones are there for contrast."""
    return [k for contract in PRODUCTS for k in backend.kernels(contract)
            if any(found.nr == 8 for found in backend.find(contract, k))]


def _plan(job: DemoLayer, name: str, chosen: str | None) -> Plan:
    p = job.params
    w = Quantized(job.weights, scale=p.scale, zero_point=p.w_zero_point)
    layer = FullyConnected(Scheme(1.0, p.a_zero_point), w, job.bias, out=Scheme(1.0, p.output_zero_point))
    plan = layer.plan(job.pixels.shape, backend=name, kernel=chosen)
    plan.input[...] = job.pixels
    return plan


def _compute(job: DemoLayer, name: str, chosen: str | None) -> tuple[Plan, np.ndarray[Any, Any], dict[str, Any]]:
    plan = _plan(job, name, chosen)
    begun = clock.perf_counter()
    done = plan.run()
    spent = clock.perf_counter() - begun
    products = [call.tiles for call in plan.job.calls if call.implementation.contract in PRODUCTS]
    return plan, done.values, {"backend": name, "kernel": chosen or done.kernel, "milliseconds": 1000 * spent,
                               "tiles": sum(products) if name == "emulated" else None}


def _tiles(plans: dict[str, Plan], say: Any) -> list[tuple[str, Trace, dict[str, Any]]]:
    """One full tile of each kernel, of the layer that has run: counted, and what two cores would take for it."""
    heads = "".join(f"  {short(name) + ' cycles':>10}  {'MAC/cycle':>9}" for name in CORES)
    say(f"{'one tile, whole call':47}  {'instructions':>12}  {'MAC per':>11}{heads}")
    say(f"{'(row sums of the 4x8c2 kernel not included)':47}  {'counted':>12}  {'instruction':>11}"
        + "".join(f"  {'modelled':>10}  {'modelled':>9}" for _ in CORES))
    found = []
    for name, plan in plans.items():
        call = next(i for i, c in enumerate(plan.job.calls) if c.implementation.name == name)
        assert isinstance(plan.loaded, backends.TracingJob)
        trace = plan.loaded.trace(call).trace
        tile = kernel(name).tile
        assert tile.nr is not None
        macs = tile.mr * tile.nr * INPUTS
        counts = count(trace)
        cells, modeled = "", {}
        for core in CORES:
            timing = time(trace, core=core)
            modeled[core] = timing.cycles
            cells += f"  {timing.cycles:>10}  {macs / timing.cycles:>9.2f}"
        row = {"kernel": name, "instructions": counts.instructions, "macs": macs, "modeled_cycles": modeled}
        say(f"{name:47}  {counts.instructions:>12}  {macs / counts.instructions:>11.2f}{cells}")
        found.append((name, trace, row))
    shares = [kernel(name) for name, _, _ in found]
    say("\nmultiply-add share of the main loop, of its NEON and of all instructions (counted);\n"
        "computed from the tile, if 4 lanes cost a load and a widening (so the QNNPACK article)")
    for k in shares:
        say(f"  {k.name:50} {article_text(k)}")
    return found


def article_text(k: Any) -> str:
    """Return the shares of a kernel's main loop: counted, and the article's where its assumption can hold."""
    from neonsim.arm.timing.stream import longest_loop

    counts = count(k.program(), entry=longest_loop(k.program()), tile=(k.tile.mr, k.tile.nr))
    article = counts.share_article
    computed = "" if article is None else f", computed {100 * article:.1f} %"
    return f"{100 * counts.share_neon:5.1f} %{100 * counts.share_all:7.1f} %{computed}"
