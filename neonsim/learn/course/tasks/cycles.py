"""Numbers instead of a program: what a plan is made with, judged by the cycles of a modelled core."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from neonsim.learn.course.define import define_choice
from neonsim.learn.course.exercise import Answers, Limits

if TYPE_CHECKING:
    from neonsim.nn.graph import Graph
    from neonsim.nn.graph.plan.run import OperatorPlan

__all__ = ["TASKS"]

CHANNELS = 64


@cache
def _graph(n14: int, n7: int) -> Graph:
    import numpy as np

    from neonsim.nn.graph import Graph
    from neonsim.nn.ops.float32.operators import Float32Conv2d, Float32MaxPool2d
    from neonsim.nn.ops.float32.winograd import Float32WinogradConv2d

    def layer(n: int) -> Float32Conv2d:
        weights = np.random.default_rng(55).normal(0, 0.1, (CHANNELS, 3, 3, CHANNELS))
        return Float32Conv2d(weights, padding=1) if n == 1 else Float32WinogradConv2d(weights, n=n, padding=1)

    graph = Graph("two layers", (1, 14, 14, CHANNELS), dtype="float32")
    wide = graph.add_node("layer of 14", layer(n14), "input")
    half = graph.add_node("pool", Float32MaxPool2d(2, stride=2), wide)
    graph.finish(graph.add_node("layer of 7", layer(n7), half))
    return graph


def _plan(isa: str, core: str, n14: int, n7: int) -> OperatorPlan:
    return _graph(n14, n7).plan("emulated", isa=isa, core=core)  # type: ignore[return-value]


TASKS = (
    define_choice(
        "beat-the-default", "which tiles are quickest on a Cortex-A55?",
        story="""
Two layers of 3x3, in float32: one of 14x14 pixels, then, behind a pooling, one of 7x7; both of 64 channels. Winograd's
F(n, 3) makes tiles of n x n results; 1 is the direct way. MNN's code of 2020 takes n = 2 for both, the rule of the
paper 7. Both count multiplications. A core has cycles: loads, registers that run out, tiles that reach over the edge.

Choose n for either layer. The emulated kernels of your plan are modelled on a Cortex-A55, and those of the default.""",
        choices={"n14": range(1, 9), "n7": range(1, 9)}, default={"n14": 2, "n7": 2}, plan=_plan,
        limits=Limits(core="cortex-a55", start_share=0.81),
        start=("aarch64", "aarch32"),
        hints=(
            "How many tiles of n x n cover 14 x 14 pixels, and how many of their results are not needed? Of 7 x 7?",
            "Tiles of 7 cover both images exactly, but a tile of F(7, 3) has 9 rows: a single tile of 81 products is a "
            "lot of transforms for 7 x 7 results. The matrix products have as many rows as there are tiles; a kernel "
            "of four rows or more is idle where there are fewer.",
            "For 7 x 7, four tiles of 4 x 4. For 14 x 14, try those that leave few results over; AArch32 has 16 "
            "vector registers, in which the largest transforms do not fit.",
        ),
        answers=Answers(
            correct={"aarch64": "n14 = 7\nn7 = 4\n", "aarch32": "n14 = 4\nn7 = 4\n"},
            alternatives={"aarch64": ("  n7=4 // four tiles\n\n# four again\nn14 = 7\n",),
                          "aarch32": ("n14 = 5\nn7 = 4\n",)},
            wrong={
                "aarch64": (
                    ("n14 = 7\nn7 = 7\n", "not fast enough"),
                    ("n14 = 7", "n14 = 1", "not fast enough"),
                    ("n14 = 7", "n14 = 4", "not fast enough"),
                    ("n14 = 7", "n14 = 9", "n14 may be 1 to 8"),
                    ("n7 = 4\n", "", "n7 is not chosen"),
                    ("n7 = 4", "n14 = 4", "has been chosen before"),
                    ("n7 = 4", "n28 = 4", "there is no choice 'n28'; there is n14 and n7"),
                    ("n7 = 4", "n7 = 2 + 2", "a line for each choice"),
                    ("", "n14 is not chosen"),
                ),
                "aarch32": (
                    ("n14 = 4", "n14 = 7", "more than the 16 vector registers"),
                    ("n14 = 4", "n14 = 3", "not fast enough"),
                ),
            },
        ),
    ),
)
