"""Pictures of layouts, pointers, registers and mixes: they say what the data say, and are well-formed."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from neonsim.arm.timing import count, loop_heads
from neonsim.errors import BadArgument
from neonsim.render import (
    Picture,
    indirection_picture,
    mix_picture,
    mix_table,
    packing_picture,
    register_map,
    register_map_picture,
)
from neonsim.ukernel import kernel, kernels
from neonsim.ukernel.packing import (
    OUTSIDE,
    DepthwiseLayout,
    GemmLayout,
    conv_shape,
    conv_taps,
    row_indirection,
    tile_indirection,
)


def words(picture: Picture) -> list[str]:
    root = ET.fromstring(picture.svg)
    assert root.get("aria-label") == picture.description and "prefers-color-scheme:dark" in picture.svg
    return [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]


def test_a_tile_of_pointers_is_drawn_as_it_lies() -> None:
    taps = conv_taps(conv_shape((4, 5), (3, 2), padding=1, stride=2))
    table = tile_indirection(taps, 2, mr=4, pixel_stride=7, groups=2, group_channels=3)
    found = words(indirection_picture(table, image=1, tile=1, group=1))
    wanted = ["zero" if o == OUTSIDE else f"{(o - 3) // 7 % 20 // 5},{(o - 3) // 7 % 20 % 5}"
              for o in table.offsets[1, 1, 1].reshape(-1).tolist()]
    cells = [w for w in found if w == "zero" or re.fullmatch(r"\d,\d", w)]
    assert cells[-len(wanted):] == wanted and "again" in found
    with pytest.raises(BadArgument, match="no tile 9"):
        indirection_picture(table, tile=9)


def test_a_row_of_pointers_shows_who_shares_columns() -> None:
    table = row_indirection(conv_taps(conv_shape((3, 5), (3, 3), padding=1)), 1, step=1, pixel_stride=1)
    found = words(indirection_picture(table, row=2))
    assert [w for w in found if w.startswith("output ")] == [f"output 2,{x}" for x in range(5)]
    assert found.count("zero") == sum(o == OUTSIDE for o in table.offsets[0, 2].tolist())
    long = row_indirection(conv_taps(conv_shape((3, 60), (3, 3), padding=1)), 1, step=1, pixel_stride=1)
    assert any("more output pixels are not drawn" in w for w in words(indirection_picture(long)))
    with pytest.raises(BadArgument, match="no output row 3"):
        indirection_picture(table, row=3)


def test_depthwise_weights_are_drawn_pass_by_pass() -> None:
    layout = DepthwiseLayout(12, (10, 10, 5))
    found = words(packing_picture(layout, block=1, max_groups=25))
    assert found.count("tap 24") == 4 and found.count("pad") == 4 * 26 and found.count("bias") == 4
    offsets = [int(w) for w in found if re.fullmatch(r"\+\d+", w)]
    assert offsets == [112, *(int(layout.weight_offset(8, tap)) for tap in range(25))]
    assert any("more taps" in w for w in words(packing_picture(layout, max_groups=3)))


def test_weights_of_several_taps_say_which() -> None:
    assert "1:1" in words(packing_picture(GemmLayout(8, 4, 8, taps=2)))


def test_every_byte_of_depthwise_weights_can_be_read_back() -> None:
    layout = DepthwiseLayout(11, (3, 2))
    seen = {}
    for offset in range(layout.nbytes):
        kind, channel, number = layout.place(offset)
        seen[kind, channel, number] = offset
        assert ("padding" in layout.describe_byte(offset)) == (channel >= 11)
    assert len(seen) == layout.nbytes
    for channel in range(11):
        for tap in range(5):
            assert seen["weight", channel, tap] == layout.weight_offset(channel, tap)
        assert seen["bias", channel, 2] == layout.bias_offset(channel) + 2


@pytest.mark.parametrize("name", [k.name for k in kernels("qu8_gemm_q31")])
def test_register_maps_name_what_the_header_names(name: str) -> None:
    chosen = kernel(name)
    names = chosen.header.register_names()
    text = register_map(names, chosen.isa)
    assert text.count("\n") == (8 if chosen.isa == "aarch64" else 4)
    assert sum("acc" in w for w in words(register_map_picture(names, chosen.isa))) == text.count("acc") + 1
    with pytest.raises(BadArgument, match="aarch32 or aarch64"):
        register_map(names, "thumb")


# MAC, NEON instructions and multiplies of one iteration: (I01, I02, I03, I04).
ROWS = {"qu8_gemm_q31_4x8__aarch32_neon_mlal_lane": (256, 88, 64),
        "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane": (512, 160, 128),
        "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal": (256, 84, 32),
        "u8_gemm_packed_s32_12x4__aarch32_neon_cells": (96, 32, 24)}


def test_mixes_are_those_of_the_libraries() -> None:
    loops = []
    for name, figures in ROWS.items():
        program = kernel(name).program()
        best = max((count(program, entry=head) for head in loop_heads(program)), key=lambda c: c.macs)
        loops.append(best)
        assert (best.macs, best.neon, best.multiplies) == figures, name
    lines = mix_table(loops).splitlines()
    assert [line.split()[-3] for line in lines[1:5]] == ["2.91", "3.20", "3.05", "3.00"]
    assert [line.split()[-2] for line in lines[1:5]] == ["72.7", "80.0", "38.1", "75.0"]
    assert "2.91 MAC per NEON instruction" in words(mix_picture(loops))
