"""Winograd's fast convolutions for any size, in exact fractions: it knows nothing of Arm, nor of tensors.

    y = A^T [(G g) * (B^T d)]          n results of a window of k taps from n + k - 1 numbers, as many multiplications

    transforms   A, B, G from interpolation points
    convolve     a convolution through them, by definition, in one or two dimensions
    growth       how large integers become on the way: where int8 fits 16 bits and where it does not
    costs        what it costs, as the paper and the code of MNN count, and the n that they choose
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neonsim.common.argument_types import check_arguments, later
from neonsim.quant.winograd.transforms import Matrix, interpolation_points, transforms

if TYPE_CHECKING:
    from neonsim.quant.winograd.bit_growth import Growth, balanced_transforms, growth, integer_transforms, shift_of
    from neonsim.quant.winograd.convolve import correlate, correlate_directly
    from neonsim.quant.winograd.cost import POLICIES, ConvLayer, TileChoice, choose, direct_cost, winograd_cost

__all__ = [
           "POLICIES",
           "ConvLayer",
           "Growth",
           "Matrix",
           "TileChoice",
           "balanced_transforms",
           "choose",
           "correlate",
           "correlate_directly",
           "direct_cost",
           "growth",
           "integer_transforms",
           "interpolation_points",
           "shift_of",
           "transforms",
           "winograd_cost",
]

check_arguments(globals())
__getattr__ = later(globals())
