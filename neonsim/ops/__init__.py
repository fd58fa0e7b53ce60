"""Operators on quantised arrays: the same call on any backend.

    fully_connected   x [..., in] by weights [out, in]
    conv2d            images NHWC by kernels [out, kh, kw, in/groups]; stride, padding, dilation, groups
    compare           one operator on several backends: the first byte that differs, and the step that wrote it
"""

from __future__ import annotations

from neonsim.ops.compare import Comparison, Difference, WritingStep, compare
from neonsim.ops.linear import conv2d, fully_connected

__all__ = ["Comparison", "Difference", "WritingStep", "compare", "conv2d", "fully_connected"]
