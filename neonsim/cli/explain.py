"""`neonsim explain`: operators, layouts, pointers, traffic, caches, bytes of networks."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

import numpy as np

from neonsim.errors import BadArgument
from neonsim.nn.backends import Backend, Call, CopyRows, get
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.ops import Conv2d, Deconv2d, FullyConnected, Operator, Plan
from neonsim.nn.ops.explain.lowering_costs import buffer_sizes, lowering_table, lowerings
from neonsim.nn.ops.explain.memory_traffic import fused_against_two_passes, traffic_table
from neonsim.quant import Quantized, Scheme
from neonsim.render import Picture, indirection_picture, packing_picture
from neonsim.ukernel import Tile
from neonsim.ukernel.packing import (
    DepthwiseLayout,
    GemmLayout,
    conv_shape,
    conv_taps,
    deconv_shape,
    deconv_taps,
    row_indirection,
    tile_indirection,
)

from . import explain_model, explain_requant
from .options import ISAS, add_output, answer, command, command_group, print_json, wrote

__all__ = ["add_commands"]

SIZES = "as 1x14x14x32"


def add_commands(commands: Any) -> None:
    subjects = command_group(commands, "explain",
                             "neonsim explain indirection --size 5x5 --kernel 3x3 --svg pointers.svg\n"
                             "  neonsim explain person_detect.tflite --at 3:4,5,7",
                             "`neonsim explain FILE.tflite` is short for `neonsim explain model FILE.tflite`.",
                             explain_model.shorthand)

    one = command(subjects, "operator", "Explain which kernels a layer takes, and why.",
                  "neonsim explain operator conv2d --x 1x14x14x32 --w 32x3x3x1 --groups 32 --isa aarch64")
    one.add_argument("kind", choices=("conv2d", "deconv2d", "fully_connected"), help="Operator of the layer.")
    _layer_options(one)
    one.add_argument("--backend", default="emulated", choices=("reference", "emulated", "native"),
                     help="Backend that the layer is planned for (emulated).")
    one.set_defaults(run=_operator)

    each = command(subjects, "conv-lowerings", "Compare the lowerings of a convolution: bytes moved, buffers, cycles.",
                   "neonsim explain conv-lowerings --x 1x14x14x32 --w 32x3x3x32 --padding 1 --core cortex-a53")
    _layer_options(each)
    each.set_defaults(run=_lowerings, kind="conv2d")

    packing = command(subjects, "packing", "Explain which weight lies at which byte.",
                      "neonsim explain packing --n 8 --k 16 --kr 2 --sr 8 --at 34")
    for name, value, text in (("n", 8, "Number of output channels"), ("k", 16, "Depth, of all taps together"),
                              ("nr", 8, "Channels of a block"), ("kr", 1, "Number of neighboring depths"),
                              ("sr", 1, "Depths of a swizzled group"), ("taps", 1, "Taps of a convolution"),
                              ("block", 0, "Number of the block to show")):
        packing.add_argument(f"--{name}", type=int, default=value, metavar="N", help=f"{text} ({value}).")
    packing.add_argument("--tile", metavar="TILE", help="Take nr, kr and sr from a newer kernel's tile, as 4x16c4 or "
                         "4x8c2s4, and round the depth up to kr * sr.")
    packing.add_argument("--tail", metavar="WORDS", help="Add data behind each block's weights: scale or scale,bias.")
    packing.add_argument("--depthwise", metavar="PASSES", help="Pack depthwise weights of --n channels instead, with "
                         "the taps of each pass: 9 or 10,10,5.")
    packing.add_argument("--at", type=int, metavar="BYTE", help="Say what lies at this byte.")
    add_output(packing, "--svg", help="Write the picture.")
    packing.set_defaults(run=_packing)

    table = command(subjects, "indirection", "Explain which input pixel every pointer stands for.",
                    "neonsim explain indirection --size 5x5 --kernel 3x3 --stride 2 --rows")
    table.add_argument("--size", default="5x5", metavar="HxW", help="Size of the input (5x5).")
    table.add_argument("--kernel", default="3x3", metavar="HxW", help="Size of the window (3x3).")
    for name, text in (("stride", "1"), ("dilation", "1"), ("padding", "0")):
        table.add_argument(f"--{name}", default=text, metavar="N or HxW", help=f"{name.capitalize()} ({text}).")
    table.add_argument("--deconvolution", action="store_true", help="Show the table of a deconvolution.")
    table.add_argument("--mr", type=int, default=4, metavar="N", help="Output pixels of a tile (4).")
    table.add_argument("--tile", type=int, default=0, metavar="N", help="Number of the tile, or of the output row, to "
                       "draw (0).")
    table.add_argument("--rows", action="store_true", help="Show the table of depthwise and pooling kernels, by row.")
    table.add_argument("--at", type=int, metavar="ENTRY", help="Say what this entry is for.")
    add_output(table, "--svg", help="Write the picture.")
    table.set_defaults(run=_indirection)

    traffic = command(subjects, "traffic", "Compare the bytes that fused requantization and a second pass move.",
                      "neonsim explain traffic --k 512 --block 128 --isa aarch32")
    traffic.add_argument("--k", type=int, default=512, metavar="N", help="Depth (512).")
    traffic.add_argument("--block", type=int, default=128, metavar="N",
                         help="Depths of a block in the two-pass algorithm (128).")
    traffic.add_argument("--isa", choices=ISAS, default="aarch64", help="Instruction set (aarch64).")
    traffic.set_defaults(run=_traffic)

    sets = command(subjects, "cache-sets", "Show which sets of the first-level cache the rows of a panel fall into.",
                   "neonsim explain cache-sets --rows 8 --length 1024 --pitch 8192 --core cortex-a53")
    sets.add_argument("--rows", type=int, default=8, metavar="N", help="Rows of the panel (8).")
    sets.add_argument("--length", type=int, default=1024, metavar="N", help="Bytes of a row (1024).")
    sets.add_argument("--pitch", type=int, metavar="N", help="Bytes from one row to the next (the length).")
    sets.add_argument("--core", default="cortex-a53", help="Core that has the cache (cortex-a53).")
    add_output(sets, "--svg", help="Write the picture.")
    add_output(sets, "--html", help="Write a page with picture and numbers.")
    sets.set_defaults(run=_cache_sets)

    explain_requant.add_subjects(subjects)
    explain_model.add_subjects(subjects)


def _layer_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--x", required=True, metavar="SHAPE", help=f"Shape of the input, {SIZES}.")
    parser.add_argument("--w", required=True, metavar="SHAPE", help=f"Shape of the weights, {SIZES}.")
    for name, text in (("stride", "1"), ("padding", "0"), ("dilation", "1")):
        parser.add_argument(f"--{name}", default=text, metavar="N or HxW", help=f"{name.capitalize()} ({text}).")
    parser.add_argument("--groups", type=int, default=1, metavar="N", help="Groups of channels (1).")
    parser.add_argument("--isa", choices=ISAS, help="Prefer kernels of this instruction set (aarch32; with --core "
                        "aarch64, where the core runs it).")
    parser.add_argument("--core", metavar="CORE", help="Choose kernels for this core, and model its cycles.")


def _sizes(text: str, count: int | None = None) -> tuple[int, ...]:
    if not re.fullmatch(r"\d{1,9}(x\d{1,9}){0,5}", text):
        raise BadArgument(f"{text!r}: sizes must be integers joined by x, as 3x3.")
    found = tuple(int(word) for word in text.split("x"))
    if count is not None and len(found) == 1:
        found *= count
    if count is not None and len(found) != count:
        raise BadArgument(f"{text!r}: {count} sizes are needed.")
    return found


def _layer(options: argparse.Namespace) -> tuple[Operator, tuple[int, ...]]:
    """The layer with seeded weights; the output scale spreads its results."""
    shape, w_shape = _sizes(options.x), _sizes(options.w)
    rng = np.random.default_rng(0)
    w = Quantized(rng.integers(0, 256, w_shape, dtype=np.uint8), 1.0, 127)
    depth = float(np.prod(w_shape[1:])) if options.kind != "deconv2d" else float(np.prod(w_shape[:3]))
    x, out = Scheme(1.0, 127), Scheme(90 * max(depth, 1) ** 0.5, 128)
    if options.kind == "fully_connected":
        return FullyConnected(x, w, out=out), shape
    window: dict[str, Any] = {name: _sizes(getattr(options, name), 2) for name in ("stride", "padding", "dilation")}
    kind = Conv2d if options.kind == "conv2d" else Deconv2d
    return kind(x, w, out=out, groups=options.groups, **window), shape


def _operator(options: argparse.Namespace) -> int:
    operator, shape = _layer(options)
    backend: Backend = get(options.backend)
    if options.backend == "emulated":
        backend = EmulatedBackend(options.isa, options.core)
    plan = operator.plan(shape, backend=backend)
    answer(plan.explain, lambda: _plan(plan), options)
    return 0


def _plan(plan: Plan) -> dict[str, Any]:
    return {"operator": plan.operator.kind, "inputs": [list(one.shape) for one in plan.inputs],
            "output": list(plan.output.shape), "backend": plan.backend.name,
            "kernels": [{"kernel": c.kernel, "contract": c.contract, "reason": c.reason} for c in plan.choices],
            "steps": [{"what": step.description, "contract": step.implementation.contract,
                       "tiles": [step.rows, step.columns]}
                      if isinstance(step, Call) else {"what": step.description, "bytes": step.nbytes}
                      for step in plan.job.steps if isinstance(step, Call | CopyRows)],
            "memory": [{"name": region.name, "bytes": region.size(plan.job.pointer_bytes), "role": region.role}
                       for region in plan.job.regions], "prepared": plan.work}


def _lowerings(options: argparse.Namespace) -> int:
    operator, shape = _layer(options)
    assert isinstance(operator, Conv2d)
    rng = np.random.default_rng(1)
    x = Quantized(rng.integers(0, 256, shape, dtype=np.uint8), 1.0, 127)
    costs = lowerings(operator, x, backend=EmulatedBackend(options.isa, options.core),
                      core=options.core or "cortex-a53")
    sizes = buffer_sizes(operator, shape)
    if options.json:
        print_json({"rows": [vars(c) | {"moved": c.moved} for c in costs], "buffers": vars(sizes)})
        return 0
    print(lowering_table(costs))
    print(f"\ncopied matrix {sizes.im2col} bytes; pointers {sizes.indirection_4} (4 bytes each) or "
          f"{sizes.indirection_8} (8 bytes each): smaller with {sizes.channels} channels: {sizes.smaller_from}")
    return 0


def _show(text: str, value: Any, picture: Picture, options: argparse.Namespace) -> int:
    answer(text, value, options)
    if options.svg:
        wrote(picture.save(Path(options.svg)), options)
    return 0


def _packing(options: argparse.Namespace) -> int:
    layout: GemmLayout | DepthwiseLayout
    if options.depthwise:
        if not re.fullmatch(r"\d{1,4}(,\d{1,4})*", options.depthwise):
            raise BadArgument(f"{options.depthwise!r}: passes must be numbers of taps joined by commas, as 10,10,5.")
        layout = DepthwiseLayout(options.n, tuple(int(word) for word in options.depthwise.split(",")))
    else:
        tail = tuple(options.tail.split(",")) if options.tail else ()
        if options.tile is None:
            sizes = (options.nr, options.kr, options.sr)
        else:
            tile = Tile.parse(options.tile)
            if tile is None or tile.nr is None:
                raise BadArgument(f"{options.tile!r} is not a tile of a product; write 4x16, 4x16c4 or 4x8c2s4.")
            sizes = (tile.nr, tile.kr, tile.kr * tile.sr if tile.sr > 1 else 1)
        layout = GemmLayout(options.n, options.k, *sizes, options.taps, whole=options.tile is not None, tail=tail)
    text = layout.describe(options.block)
    value: dict[str, Any] = {**vars(layout), "blocks": layout.blocks, "bytes": layout.nbytes}
    if options.at is not None:
        text = f"byte {options.at}: {layout.describe_byte(options.at)}"
        value["at"] = {"byte": options.at, "is": layout.describe_byte(options.at)}
    return _show(text, value, packing_picture(layout, block=options.block, max_groups=32), options)


def _indirection(options: argparse.Namespace) -> int:
    size, window = _sizes(options.size, 2), _sizes(options.kernel, 2)
    given: dict[str, Any] = {name: _sizes(getattr(options, name), 2) for name in ("stride", "padding", "dilation")}
    if options.deconvolution:
        taps = deconv_taps(deconv_shape((size[0], size[1]), (window[0], window[1]), **given))
        step = window[1]
    else:
        shape = conv_shape((size[0], size[1]), (window[0], window[1]), **given)
        taps = conv_taps(shape)
        step = shape.stride[1] if shape.dilation[1] == 1 else window[1]
    if options.rows:
        table = row_indirection(taps, 1, step=step, pixel_stride=1)
        picture = indirection_picture(table, row=options.tile)
    else:
        table = tile_indirection(taps, 1, mr=options.mr, pixel_stride=1)
        picture = indirection_picture(table, tile=options.tile)
    value: dict[str, Any] = {"kind": table.kind, "offsets": table.offsets}
    text = table.describe()
    if options.at is not None:
        text = f"entry {options.at}: {table.describe_entry(options.at)}"
        value["at"] = {"entry": options.at, "is": table.describe_entry(options.at)}
    return _show(text, value, picture, options)


def _cache_sets(options: argparse.Namespace) -> int:
    # The view is that of notebooks, whose packages take a moment to load.
    from neonsim.learn.notebook.views import cache_sets

    view = cache_sets(options.rows, options.length, options.pitch, core=options.core)
    answer(view, {"title": view.title, "text": view.text.splitlines()}, options)
    if options.svg:
        wrote(view.to_svg(options.svg), options)
    if options.html:
        wrote(view.to_html(options.html), options)
    return 0


def _traffic(options: argparse.Namespace) -> int:
    found = fused_against_two_passes(options.k, options.block, options.isa)
    answer(traffic_table(found), list(found), options)
    return 0
