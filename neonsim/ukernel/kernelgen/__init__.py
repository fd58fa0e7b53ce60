"""Generated kernels: assembly text made by rule, with the header that files of `kernels/` have.

    winograd     transforms of F(n, k) along one axis, from programs of additions: `neonsim.quant.winograd.straightline`
    product      the product of what they have transformed

The catalogue has the standard ones, and any other transform by its name; a text is made when it is first used.
"""

from __future__ import annotations

from neonsim.common.argument_types import check_arguments
from neonsim.ukernel.kernelgen.int16_gemm import PRODUCTS, SUMMARY, product
from neonsim.ukernel.kernelgen.winograd_neon import TRANSFORMS, is_transform, transform, transform_summary

__all__ = ["STANDARD", "generated", "generated_summary", "is_generated"]

STANDARD = (*PRODUCTS, *TRANSFORMS)


def is_generated(name: str) -> bool:
    """Whether a kernel of that name is made by rule.

    >>> is_generated("f32_winograd_source_2x7__aarch64_neon_generated"), is_generated("u8_rmax_16x__aarch64_neon")
    (True, False)
    """
    return name in PRODUCTS or is_transform(name)


def generated(name: str) -> str:
    """The text of a kernel that is made by rule.

    Raises KernelFileError for a name that no rule makes, and for transforms with more values than there are registers.
    """
    return product(name) if name in PRODUCTS else transform(name)


def generated_summary(name: str) -> str:
    """The first sentence of that text, which need not be made for it."""
    return SUMMARY if name in PRODUCTS else transform_summary(name)


check_arguments(globals())
