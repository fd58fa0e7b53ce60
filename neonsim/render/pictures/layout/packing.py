"""Packed weights as a picture: where bias, weights and padding of one block lie, in the order of the kernel's reads."""

from __future__ import annotations

from neonsim.errors import BadArgument
from neonsim.render.svg import Drawing, Picture
from neonsim.ukernel.packing import DepthwiseLayout, GemmLayout
from neonsim.ukernel.packing.gemm_layout import BIAS_BYTES, TAIL, WEIGHT

__all__ = ["packing_picture"]

CELL, ROW, LEFT, TOP = 30, 24, 70, 64  # px: one byte, a row, offsets, head


def packing_picture(layout: GemmLayout | DepthwiseLayout, *, block: int = 0, max_groups: int = 10) -> Picture:
    """Draw one block of packed weights: a row of biases, then one row per group of kr depths; entries are depths k.

    layout       GemmLayout, or DepthwiseLayout: then one row per tap, pass by pass
    block        which block of nr channels
    max_groups   n rows of weights are drawn, the rest is counted

    Raises BadArgument if there is no such block.
    """
    if not 0 <= block < layout.blocks:
        raise BadArgument(f"there is no block {block}: this layout has blocks 0 to {layout.blocks - 1}")
    if isinstance(layout, DepthwiseLayout):
        return _depthwise(layout, block, max_groups)
    table = layout.table()
    start = block * layout.block_bytes
    shown = min(layout.groups, max_groups)
    step = max(layout.kr * CELL, 44)
    width = max(LEFT + layout.nr * step + 16, 560)
    drawing = Drawing()
    swizzle = f", swizzled over {layout.sr} depths" if layout.sr > 1 else ""
    title = f"packed weights, block {block} of {layout.blocks}: {layout.nr} channels, kr {layout.kr}{swizzle}"
    drawing.text(14, 23, title, bold=True, mono=False, size=13)
    drawing.text(LEFT - 10, TOP - 10, "byte", "soft", size=11, anchor="end", mono=False)
    for i in range(layout.nr):
        middle = LEFT + i * step + step / 2
        drawing.text(middle, TOP - 10, f"n={block * layout.nr + i}", "soft", size=11, anchor="middle")
        byte = start + BIAS_BYTES * i
        real = table.kind[byte] != 0
        drawing.rect(LEFT + i * step + 1, TOP, step - 2, ROW - 3, "bias" if real else "box")
        word, role = (layout.head, "ink") if real else ("pad", "idle-ink")
        drawing.text(middle, TOP + 15, word, role, size=11, anchor="middle", mono=False)
    drawing.text(LEFT - 10, TOP + 15, "+0", "soft", size=11, anchor="end")
    for group in range(shown):
        y = TOP + (group + 1) * ROW
        first = BIAS_BYTES * layout.nr + group * layout.nr * layout.kr
        drawing.text(LEFT - 10, y + 15, f"+{first}", "soft", size=11, anchor="end")
        for i in range(layout.nr):
            part = (step - 2) / layout.kr
            for j in range(layout.kr):
                byte = start + first + i * layout.kr + j
                real = table.kind[byte] == WEIGHT
                x = LEFT + i * step + 1 + j * part
                drawing.rect(x, y, part - 1, ROW - 3, "read" if real else "box")
                depth = int(table.depth[byte])
                name = str(depth) if layout.taps == 1 else f"{depth // layout.tap_depth}:{depth % layout.tap_depth}"
                drawing.text(x + part / 2, y + 15, name if real else "pad",
                             "read-ink" if real else "idle-ink", size=11, anchor="middle")
    y = TOP + (shown + 1) * ROW
    for index, name in enumerate(layout.tail):
        offset = int(layout.tail_offset(block * layout.nr, index)) - start
        drawing.text(LEFT - 10, y + 15, f"+{offset}", "soft", size=11, anchor="end")
        for i in range(layout.nr):
            real = table.kind[start + offset + BIAS_BYTES * i] == TAIL
            drawing.rect(LEFT + i * step + 1, y, step - 2, ROW - 3, "bias" if real else "box")
            word, role = (name, "ink") if real else ("pad", "idle-ink")
            drawing.text(LEFT + i * step + step / 2, y + 15, word, role, size=11, anchor="middle", mono=False)
        y += ROW
    note = "entries: depth k of the weight" if layout.taps == 1 else "entries: tap and depth of the weight"
    if shown < layout.groups:
        note += f"; {layout.groups - shown} more groups of {layout.nr * layout.kr} bytes"
    drawing.text(14, y + 16, f"{note}; the whole block is {layout.block_bytes} bytes", "soft", size=11.5, mono=False)
    return drawing.finish(width, y + 28, f"packed weights: {layout.nr} channels, {shown} groups of {layout.kr} depths")


def _depthwise(layout: DepthwiseLayout, block: int, max_rows: int) -> Picture:
    """Channels side by side, a row of biases, then a row per tap; a gap where the next pass begins; scales."""
    lanes, step = layout.lanes, 58
    drawing = Drawing()
    title = f"packed depthwise weights, channels {lanes * block} to {lanes * block + lanes - 1}"
    drawing.text(14, 23, title, bold=True, mono=False, size=13)
    drawing.text(LEFT - 10, TOP - 10, "byte", "soft", size=11, anchor="end", mono=False)
    for lane in range(lanes):
        drawing.text(LEFT + lane * step + step / 2, TOP - 10, f"c={lanes * block + lane}", "soft", size=11,
                     anchor="middle")

    def row(y: float, offset: int, word: str, role: str) -> None:
        drawing.text(LEFT - 10, y + 15, f"+{offset}", "soft", size=11, anchor="end")
        for lane in range(lanes):
            real = lanes * block + lane < layout.channels
            drawing.rect(LEFT + lane * step + 1, y, step - 2, ROW - 3, role if real else "box",
                         title=layout.describe_byte(offset))
            ink = ("ink" if role == "bias" else "read-ink") if real else "idle-ink"
            drawing.text(LEFT + lane * step + step / 2, y + 15, word if real else "pad", ink, size=11, anchor="middle")

    first = lanes * block
    row(TOP, int(layout.bias_offset(first)), "bias", "bias")
    y, tap, shown = float(TOP + ROW), 0, min(layout.taps, max_rows)
    for taps in layout.passes:
        for _ in range(taps):
            if tap < shown:
                row(y, int(layout.weight_offset(first, tap)), f"tap {tap}", "read")
                y += ROW
            tap += 1
        if tap < shown:
            y += 8
    if layout.scaled:
        row(y, int(layout.scale_offset(first)), "scale", "bias")
        y += ROW
    note = "taps count column by column, kx * KH + ky"
    if len(layout.passes) > 1:
        note += f"; passes of {', '.join(map(str, layout.passes))}: each has a region of its own"
    if shown < layout.taps:
        note += f"; {layout.taps - shown} more taps"
    drawing.text(14, y + 16, f"{note}; {layout.nbytes} bytes in all", "soft", size=11.5, mono=False)
    return drawing.finish(max(LEFT + lanes * step + 16, 700), y + 28,
                          f"packed depthwise weights: {layout.channels} channels, {layout.taps} taps")
