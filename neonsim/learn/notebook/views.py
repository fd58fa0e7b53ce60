"""Views: everything besides the stepper that is worth a look, each as a picture with its numbers.

    ns.views.packing(weights)                   which weight lies at which byte
    ns.views.indirection(size, kernel)          which pixel every pointer stands for
    ns.views.timeline(timing)                   when instructions wait and execute, as modelled
    ns.views.mix("kernel", ...)                 what main loops are made of, and their multiply share
    ns.views.registers("kernel")                what a kernel keeps where, and how many registers are alive
    ns.views.cache_sets(rows, length, pitch)    which sets the rows of a panel fall into
    ns.views.number_line(acc, scale)            a sum on its way to a byte, by every scheme
    ns.views.compare("kernel", "kernel")        kernels side by side

A view shows itself in a notebook (and, as it is an SVG, on code hosts); `print(view)` says it in numbers,
`view.to_svg(path)` and `view.to_html(path)` write files. Kernels are named, or given as `ns.kernel(...)`, a Program, a
Trace or a Timing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neonsim.arm.asm import Program
from neonsim.arm.machine import Trace
from neonsim.arm.timing import Counts, Timing, compare_slots, compare_timings, count, load_core, time
from neonsim.arm.timing.stream import longest_loop
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant import steps
from neonsim.quant.rounding import limits
from neonsim.render import (
    View,
    below,
    cache_sets_picture,
    cache_sets_text,
    indirection_picture,
    mix_picture,
    mix_table,
    packing_picture,
    pressure_picture,
    pressure_text,
    register_map,
    register_map_picture,
    timeline_picture,
)
from neonsim.render.charts import slots_chart
from neonsim.render.pictures.requant import requant_picture
from neonsim.ukernel import Kernel, kernel
from neonsim.ukernel.packing import (
    DepthwiseLayout,
    GemmLayout,
    IndirectionBuffer,
    conv_shape,
    conv_taps,
    row_indirection,
    tile_indirection,
)

__all__ = ["View", "cache_sets", "compare", "indirection", "mix", "number_line", "packing", "registers", "timeline"]

CORE = "cortex-a53"
Subject = str | Kernel | Program | Trace | Timing


def packing(subject: Any = None, *, n: int = 8, k: int = 16, nr: int = 8, kr: int = 1, sr: int = 1, taps: int = 1,
            block: int = 0) -> View:
    """Return which weight lies at which byte.

    subject  packed weights, a GemmLayout or a DepthwiseLayout; left out, a layout of the sizes that follow
    n, k    output channels, depth;  nr, kr, sr, taps   as GemmLayout
    block   which block of nr channels

    Raises BadArgument for something else, or a block that there is not.
    """
    layout = getattr(subject, "layout", subject) if subject is not None else GemmLayout(n=n, k=k, nr=nr, kr=kr, sr=sr,
                                                                                        taps=taps)
    if not isinstance(layout, GemmLayout | DepthwiseLayout):
        raise BadArgument(f"packing needs packed weights or a layout of neonsim.ukernel.packing, not {_said(subject)}")
    picture = packing_picture(layout, block=block)
    text = subject.describe(block) if hasattr(subject, "describe") else layout.describe(block)
    return View("packed weights", picture, text)


def indirection(image: Any = (5, 5), kernel: tuple[int, int] = (3, 3), *, stride: Any = 1, padding: Any = 0,
                dilation: Any = 1, mr: int = 4, rows: bool = False, tile: int = 0) -> View:
    """Return which input pixel every pointer of an indirection buffer stands for.

    image     an IndirectionBuffer, or the size (height, width) of an image
    kernel, stride, padding, dilation   of the convolution, as `packing.conv_shape`
    mr        output pixels of a tile;  rows   True: pointers as depthwise convolution and pooling take them
    tile      which tile is drawn (of rows: which output row)

    Raises BadArgument for sizes that leave nothing, or a tile that there is not.
    """
    table = image
    if not isinstance(image, IndirectionBuffer):
        if not (isinstance(image, Sequence) and not isinstance(image, str) and len(image) == 2):
            raise BadArgument(f"indirection needs an IndirectionBuffer or a size (height, width), not {_said(image)}")
        shape = conv_shape((image[0], image[1]), kernel, stride=stride, padding=padding, dilation=dilation)
        step = shape.stride[1] if shape.dilation[1] == 1 else kernel[1]
        taps = conv_taps(shape)
        table = (row_indirection(taps, 1, step=step, pixel_stride=1) if rows else
                 tile_indirection(taps, 1, mr=mr, pixel_stride=1))
    picture = indirection_picture(table, row=tile) if table.kind != "tiles" else indirection_picture(table, tile=tile)
    return View("indirection buffer", picture, table.describe())


def timeline(subject: Subject, core: str = CORE, *, first: int = 0, count: int = 32) -> View:
    """When instructions wait and execute, as modelled.

    subject  a Timing, or what can be timed: a kernel (its main loop), a Program, a Trace
    core    of `ns.cores()`; a Timing has its own
    first, count   instructions drawn

    Raises BadArgument for something else, TimingError for a core that there is not.
    """
    timing = _timing(subject, core)
    title = f"{timing.stream.name} on {timing.core.name}, modelled"
    return View(title, timeline_picture(timing, first=first, count=count), timing.timeline(first, count))


def mix(*what: Subject | Counts) -> View:
    """Return what main loops (or runs) are made of, counted: multiplies, other arithmetic, loads, the rest; their MAC
    share.

    what   kernels, Programs, Traces, or Counts

    Raises BadArgument for something else, or nothing.
    """
    if not what:
        raise BadArgument("mix needs kernels, programs or traces: "
                          "ns.views.mix(\"qu8_gemm_q31_8x8__aarch64_neon_mlal_lane\")")
    counts = [_counts(one) for one in what]
    return View("instruction mix, counted", mix_picture(counts), mix_table(counts))


def registers(subject: Subject, core: str = CORE, *, first: int = 0, count: int = 200) -> View:
    """Return what a kernel keeps in which register (kernels of the catalogue say so), and how many are alive when.

    subject        as for `timeline`
    first, count   instructions drawn

    Raises BadArgument for something else.
    """
    timing = _timing(subject, core)
    pictures, texts = [pressure_picture(timing, first=first, count=count)], [pressure_text(timing)]
    if isinstance(subject, str | Kernel):
        chosen = kernel(subject)
        names = chosen.header.register_names()
        pictures.insert(0, register_map_picture(names, chosen.isa, chosen.name))
        texts.insert(0, register_map(names, chosen.isa))
    return View(f"registers: {timing.stream.name}", below(pictures), "\n\n".join(texts))


def cache_sets(rows: int, length: int, pitch: int | None = None, *, core: str = CORE) -> View:
    """Return which sets of the first-level cache the rows of a panel fall into.

    rows, length   of the panel; length in bytes
    pitch          bytes from one row to the next; left out, the length
    core           whose cache

    Raises BadArgument for sizes that make no panel, or a core without caches; TimingError for one that there is not.
    """
    priced = load_core(core)
    model = priced.memory
    if model is None:
        why = "a teaching core" if priced.teaching else "its file has no [memory]"
        raise BadArgument(f"{core} has no cache model: {why}. Use another core of ns.cores()")
    rows, length = as_int(rows, "rows", 1), as_int(length, "length", 1)
    sizes = {"size": model.l1_size, "ways": model.l1_ways, "line": model.line}
    distance = length if pitch is None else as_int(pitch, "pitch", 1)
    return View(f"cache sets of {core}", cache_sets_picture(rows, length, distance, **sizes),
                cache_sets_text(rows, length, distance, **sizes))


def number_line(acc: int, scale: float, *, zero_point: int = 0, lo: int | None = None, hi: int | None = None,
                dtype: str = "uint8") -> View:
    """Return a sum on its way to a byte: exact product, multiplier and shift, roundings and ties, result, by every
    scheme.

    acc, scale          int32 sum, requantisation scale
    zero_point, lo, hi  of the output;  dtype   "uint8" or "int8"

    Schemes that do not take the scale are left out. Raises BadArgument for numbers that do not fit.
    """
    low, high = limits(dtype, lo, hi, zero_point)
    found = steps(scale, acc)
    width = max(map(len, found.results), default=0)
    rows = [f"{name:<{width}}  {whole} + zero point {zero_point}, within {low}..{high}: "
            f"{min(max(whole + zero_point, low), high)}" for name, whole in found.results.items()]
    return View(f"requantising {acc} by {found.scale:.9g}", requant_picture(found), "\n".join([str(found), "", *rows]))


def compare(*what: Subject, core: str = CORE) -> View:
    """Kernels side by side: where their cycles go (modelled), what they are made of (counted).

    what   at least two kernels, Programs, Traces or Timings
    core   for all of them; Timings have their own

    Raises BadArgument for fewer than two, TimingError for a core that there is not.
    """
    if len(what) < 2:
        raise BadArgument("compare needs at least two kernels, programs, traces or timings")
    timings = [_timing(one, core) for one in what]
    counts = [_counts(one) for one in what if not isinstance(one, Timing)]
    pictures = [slots_chart(timings), *([mix_picture(counts)] if counts else [])]
    texts = [compare_timings(*timings), compare_slots(*timings), *([mix_table(counts)] if counts else [])]
    return View("kernels side by side", below(pictures), "\n\n".join(texts))


def _said(what: object) -> str:
    return f"{what!r}" if isinstance(what, int | str | float | type(None)) else f"a {type(what).__name__}"


def _program(what: object) -> tuple[Program, int | None] | None:
    if isinstance(what, str | Kernel):
        what = kernel(what).program()
    return (what, longest_loop(what)) if isinstance(what, Program) else None


def _timing(what: object, core: str) -> Timing:
    if isinstance(what, Timing):
        return what
    found = _program(what)
    if found is not None:
        return time(found[0], core=core, entry=found[1])
    trace = getattr(what, "trace", what)
    if not isinstance(trace, Trace):
        raise BadArgument(f"{_said(what)} is not a kernel, Program, Trace or Timing. Use result.trace of a recorded "
                          f"call")
    return time(trace, core=core)


def _counts(what: object) -> Counts:
    if isinstance(what, Counts):
        return what
    found = _program(what)
    if found is None:
        trace = getattr(what, "trace", what)
        if not isinstance(trace, Trace):
            raise BadArgument(f"{_said(what)} is not a kernel, Program, Trace or Counts")
        return count(trace)
    tile = None
    if isinstance(what, str | Kernel):
        chosen = kernel(what)
        tile = (chosen.tile.mr, chosen.tile.nr) if chosen.tile.nr and "gemm" in chosen.contract.name else None
    return count(found[0], entry=found[1], tile=tile)
