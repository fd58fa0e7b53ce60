"""A convolution's matrix against loops over pixels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neonsim.errors import BadArgument
from neonsim.ukernel.packing import conv_shape, im2col
from tests.tiers import examples

small = st.integers(1, 3)


@examples(40)
@given(st.tuples(st.integers(1, 7), st.integers(1, 7)), st.tuples(small, small), st.tuples(small, small),
       st.tuples(small, small), st.tuples(*[st.integers(0, 2)] * 4), st.integers(1, 3))
def test_fields_are_what_loops_pick(size: tuple[int, int], kernel: tuple[int, int], stride: tuple[int, int],
                                    dilation: tuple[int, int], pads: tuple[int, int, int, int], channels: int) -> None:
    padding = ((pads[0], pads[1]), (pads[2], pads[3]))
    image = np.arange(2 * size[0] * size[1] * channels, dtype=np.uint8).reshape(2, *size, channels)
    fits = all((kernel[i] - 1) * dilation[i] + 1 <= size[i] + sum(padding[i]) for i in (0, 1))
    if not fits:
        with pytest.raises(BadArgument, match="no output pixel is left"):
            conv_shape(size, kernel, stride=stride, padding=padding, dilation=dilation)
        return
    shape = conv_shape(size, kernel, stride=stride, padding=padding, dilation=dilation)

    def pixel(b: int, y: int, x: int) -> list[int]:
        inside = 0 <= y < size[0] and 0 <= x < size[1]
        return image[b, y, x].tolist() if inside else [77] * channels

    rows = []
    for b in range(2):
        for oy in range(0, size[0] + pads[0] + pads[1] - (kernel[0] - 1) * dilation[0], stride[0]):
            for ox in range(0, size[1] + pads[2] + pads[3] - (kernel[1] - 1) * dilation[1], stride[1]):
                rows.append([v for ky in range(kernel[0]) for kx in range(kernel[1])
                             for v in pixel(b, oy + ky * dilation[0] - pads[0], ox + kx * dilation[1] - pads[2])])
    assert im2col(image, shape, 77).tolist() == rows
    assert shape.output[0] * shape.output[1] * 2 == len(rows)


def test_plain_1x1_is_a_view() -> None:
    image = np.zeros((1, 4, 5, 6), np.uint8)
    assert np.shares_memory(im2col(image, conv_shape((4, 5), (1, 1)), 0), image)
    part = image[..., 2:4]
    assert np.shares_memory(im2col(part, conv_shape((4, 5), (1, 1)), 0), image)


@pytest.mark.parametrize("padding,settled", [
    (1, ((1, 1), (1, 1))), ((1, 2), ((1, 1), (2, 2))), (((0, 1), (2, 3)), ((0, 1), (2, 3))),
    ([[0, 1], [2, 3]], ((0, 1), (2, 3))),
])
def test_ways_to_write_padding(padding: object, settled: object) -> None:
    assert conv_shape((9, 9), (1, 1), padding=padding).padding == settled  # type: ignore[arg-type]


@pytest.mark.parametrize("arguments,word", [
    ({"stride": 0}, "stride must be"), ({"stride": (1, 0)}, r"stride \(width\)"), ({"stride": (1, 1, 1)}, "a pair"),
    ({"dilation": 0}, "dilation must be"), ({"padding": -1}, "padding must be"), ({"padding": (1, 2, 3)}, "a pair"),
    ({"padding": ((1, 2), 3)}, r"\(\(top, bottom\), \(left, right\)\)"), ({"stride": 1.5}, "stride must be"),
])
def test_sizes_are_checked(arguments: dict[str, object], word: str) -> None:
    with pytest.raises(BadArgument, match=word):
        conv_shape((9, 9), (3, 3), **arguments)  # type: ignore[arg-type]
