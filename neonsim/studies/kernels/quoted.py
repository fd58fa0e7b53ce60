"""Figures of speed that articles give: how many times as fast, as what, where. Quoted, not measured here.

A figure is a quotient: without what it is a multiple of it says nothing, and two of them cannot be multiplied unless
one's `than` is the other's `who`, on the same machine.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FIGURES", "QuotedFigure"]


@dataclass(frozen=True)
class QuotedFigure:
    """One claim.

    quotation  str              as the article has it
    times   (float, float)   times as fast, least and most, read as speed (not as time); the same for one figure
    claimant  str              whose claim, about its own library
    baseline  str              what it is compared with, on which networks
    setting  str              machines and threads, as far as they are said
    """

    quotation: str
    times: tuple[float, float]
    claimant: str
    baseline: str
    setting: str


FIGURES = (
    # Source: (A43, A44).
    QuotedFigure("1.8x", (1.8, 1.8), "QNNPACK", "TensorFlow Lite, MobileNetV1", "32-bit Arm phones, 4 threads each"),
    QuotedFigure("2x", (2.0, 2.0), "QNNPACK", "TensorFlow Lite, MobileNetV2", "many phones"),
    # Source: (D05).
    QuotedFigure("+50 %", (1.5, 1.5), "XNNPACK", "QNNPACK, MobileNetV1 and V2", "a phone, 1 thread"),
    QuotedFigure("4 to 5x", (4.0, 5.0), "XNNPACK", "QNNPACK, MobileNetV1 and V2",
                 "a phone with the dot product, 1 thread"),
    QuotedFigure("2.5 to 3x", (2.5, 3.0), "XNNPACK", "QNNPACK, MobileNetV1 and V2",
                 "x86 laptop, x86 workstation (above 3)"),
    # Source: (D01, D02).
    QuotedFigure("+30 %", (1.3, 1.3), "XNNPACK", "TensorFlow Lite's own kernels, mean", "6 phones, 64-bit Arm"),
    QuotedFigure("5x", (5.0, 5.0), "XNNPACK", "TensorFlow Lite's own kernels, mean", "5 processors, x86-64"),
    QuotedFigure("20x", (20.0, 20.0), "XNNPACK", "TensorFlow Lite's own kernels, mean",
                 "browsers; x86 before AVX: above 20"),
    # Source: (E25).
    QuotedFigure("20 to 40 %", (1.2, 1.4), "MNN", "other engines, most cases",
                 "phones; 4 threads: 30 % iOS, 34 % Android"))
