"""Runtimes by the rules of their arithmetic (M02)."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ARITHMETICS", "Arithmetic"]


@dataclass(frozen=True)
class Arithmetic:
    """The rules of a runtime.

    products   requantization of convolutions and fully connected layers
    sums       rounding of ties in additions
    single     what is not a product goes through real numbers in single precision (`neonsim.ops.single`)
    """

    name: str
    products: str
    sums: str
    single: bool = False


ARITHMETICS = {one.name: one for one in (
    Arithmetic("xnnpack", "fp32", "up"),
    Arithmetic("onnxruntime", "fp32", "up", single=True),
)}
