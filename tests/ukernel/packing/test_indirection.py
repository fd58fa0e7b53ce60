"""Tables of pointers against loops over pixels, and what must hold for any of them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neonsim.errors import BadArgument
from neonsim.ukernel.packing import (
    OUTSIDE,
    ConvShape,
    conv_shape,
    conv_taps,
    counting,
    deconv_shape,
    deconv_taps,
    im2col,
    row_indirection,
    tile_indirection,
    zero_buffer,
)
from tests.tiers import examples

small = st.integers(1, 3)
shapes = st.builds(
    lambda size, kernel, stride, dilation, pads: (size, kernel, stride, dilation, (pads[:2], pads[2:])),
    st.tuples(st.integers(1, 7), st.integers(1, 7)), st.tuples(small, small), st.tuples(small, small),
    st.tuples(small, small), st.tuples(*[st.integers(0, 3)] * 4))


def settled(drawn: Any) -> ConvShape | None:
    size, kernel, stride, dilation, padding = drawn
    try:
        return conv_shape(size, kernel, stride=stride, dilation=dilation, padding=padding)
    except BadArgument:
        return None


@examples(80)
@given(shapes, st.integers(1, 2), st.integers(1, 9), st.integers(1, 3))
def test_gathering_through_pointers_is_im2col(drawn: Any, batch: int, mr: int, groups: int) -> None:
    shape = settled(drawn)
    if shape is None:
        return
    channels, spare = 2, 1
    stride = groups * channels + spare
    rng = np.random.default_rng(0)
    memory = rng.integers(0, 256, batch * shape.input[0] * shape.input[1] * stride, dtype=np.uint8)
    pixels = memory.reshape(batch, *shape.input, stride)
    table = tile_indirection(conv_taps(shape), batch, mr=mr, pixel_stride=stride, groups=groups,
                             group_channels=channels)
    count = shape.output[0] * shape.output[1]
    for g in range(groups):
        wanted = im2col(pixels[..., g * channels:(g + 1) * channels], shape, 77).reshape(batch, count, -1, channels)
        for b, (tile, row) in itertools.product(range(batch), np.ndindex(*table.offsets.shape[2:5:2])):
            pixel = min(tile * mr + row, count - 1)     # the last tile repeats the last pixel
            for tap in range(table.taps.count):
                at = int(table.offsets[g, b, tile, tap, row])
                found = [77] * channels if at == OUTSIDE else memory[at:at + channels].tolist()
                assert found == wanted[b, pixel, tap].tolist()
    assert table.nbytes(4) == 4 * groups * batch * -(-count // mr) * mr * table.taps.count


@examples(80)
@given(shapes, st.booleans())
def test_rows_share_columns_and_say_the_same(drawn: Any, clamp: bool) -> None:
    shape = settled(drawn)
    if shape is None:
        return
    taps = conv_taps(shape, clamp=clamp)
    shared = shape.stride[1] if shape.dilation[1] == 1 else shape.kernel[1]
    (oh, ow), (kh, kw) = taps.output, taps.kernel
    pixels = taps.pixels()
    for step in {shared, max(shape.kernel[1], shared)}:
        table = row_indirection(taps, 2, step=step, pixel_stride=3)
        assert table.offsets.shape == (2, oh, kh * kw + (ow * step - 1) * kh)
        for b, oy, ox, ky, kx in itertools.product(range(2), range(oh), range(ow), range(kh), range(kw)):
            wanted = int(pixels[oy, ox, ky, kx])
            place = 3 * (b * shape.input[0] * shape.input[1] + wanted) if wanted != OUTSIDE else OUTSIDE
            assert table.offsets[b, oy, ox * step * kh + kx * kh + ky] == place
        assert not clamp or (pixels != OUTSIDE).all()


@pytest.mark.parametrize(("size", "kernel", "options"), [
    ((3, 4), (3, 3), {"stride": 2}), ((3, 4), (3, 2), {"stride": (1, 3), "padding": ((1, 0), (0, 1))}),
    ((2, 2), (1, 1), {"stride": 2, "adjustment": 1}), ((2, 3), (3, 3), {"dilation": 2, "stride": 2, "padding": 1})])
def test_deconvolution_is_the_other_way_round(size: tuple[int, int], kernel: tuple[int, int], options: Any) -> None:
    """A tap reads a pixel exactly where that pixel would throw its share to."""
    shape = deconv_shape(size, kernel, **options)
    pixels = deconv_taps(shape).pixels()
    thrown = np.full((*shape.output, *kernel), OUTSIDE)
    for iy, ix, ky, kx in itertools.product(range(size[0]), range(size[1]), range(kernel[0]), range(kernel[1])):
        oy = iy * shape.stride[0] + ky * shape.dilation[0] - shape.padding[0][0]
        ox = ix * shape.stride[1] + kx * shape.dilation[1] - shape.padding[1][0]
        if 0 <= oy < shape.output[0] and 0 <= ox < shape.output[1]:
            thrown[oy, ox, ky, kx] = iy * size[1] + ix
    np.testing.assert_array_equal(pixels, thrown)


def test_every_place_of_a_table_can_be_read_back() -> None:
    shape = conv_shape((4, 5), (3, 2), stride=(1, 2), padding=((1, 0), (0, 1)))
    taps = conv_taps(shape)
    tiles = tile_indirection(taps, 2, mr=4, pixel_stride=7, groups=2, group_channels=3)
    rows = row_indirection(taps, 2, step=2, pixel_stride=7)
    pixels = taps.pixels()
    for table in (tiles, rows):
        for index in range(table.offsets.size):
            try:
                group, image, oy, ox, ky, kx = table.entry(index)
            except BadArgument:
                assert table.kind == "rows" and "no output pixel" in table.describe(index, 1)
                continue
            wanted = int(pixels[oy, ox, ky, kx])
            place = OUTSIDE if wanted == OUTSIDE else 7 * (20 * image + wanted) + 3 * group
            assert table.offsets.reshape(-1)[index] == place
            assert ("zero buffer" in table.describe_entry(index)) == (place == OUTSIDE)
    assert "group 1, image 0" in tiles.describe_entry(tiles.offsets[0].size) and "more" in tiles.describe()


def test_pointers_are_addresses_of_their_width() -> None:
    table = tile_indirection(conv_taps(conv_shape((2, 2), (1, 2), padding=(0, 1))), 1, mr=2, pixel_stride=4)
    narrow, wide = table.pointers(0x1000, 0x9000, 4), table.pointers(0x1000, 0x9000, 8)
    assert narrow.dtype == np.uint32 and wide.dtype == np.uint64 and (narrow == wide).all()
    assert narrow[:4].tolist() == [0x9000, 0x1000, 0x1000, 0x1004] and narrow.nbytes == table.nbytes(4)
    with pytest.raises(BadArgument, match="does not fit pointers of 4 bytes"):
        table.pointers(1 << 32, 0, 4)
    with pytest.raises(BadArgument, match="must be 4 or 8"):
        table.pointers(0, 0, 2)


def test_work_is_counted_where_it_is_done() -> None:
    with counting() as outer, counting() as inner:
        tile_indirection(conv_taps(conv_shape((3, 3), (3, 3), padding=1)), 1, mr=4, pixel_stride=1)
        im2col(np.zeros((1, 3, 3, 2), np.uint8), conv_shape((3, 3), (3, 3), padding=1), 0)
    assert outer == inner and (outer.indirections, outer.pointers, outer.im2col_bytes) == (1, 108, 162)


def test_short_zero_rows_have_room_in_front() -> None:
    for channels in (1, 7, 8, 20):
        row, start = zero_buffer(channels, 9)
        assert (row == 9).all() and row.size == start + channels and start == (8 if channels < 8 else 0)
