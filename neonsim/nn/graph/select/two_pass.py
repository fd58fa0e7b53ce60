"""How libraries computed layers before QNNPACK, to measure its ideas against (A15, A33, A38, A43, A44).

    fused         image -> product -> bytes
    two passes    image -> im2col -> matrix -> product -> sums -> requantise -> bytes

    im2col        every window of a convolution is copied side by side; 1x1 convolutions need none
    sums          int32, in memory; a second pass over all of them makes bytes
    depthwise     a row of sums to which one tap after the other is added: as many passes as taps

The products themselves are the same kernels of the same family, so that what differs is the idea.
"""

from __future__ import annotations

from typing import Any

from neonsim.nn.backends.native.network import NetworkLayer

__all__ = ["Im2colTwoPass", "im2col_layer"]

_SCALES = ("rounding", "scale", "multiplier", "shift")          # what makes bytes of sums
_AFTER = (*_SCALES, "output_min", "output_max", "output_zero_point")
_APART = 64         # bytes: a cache line


class Im2colTwoPass:
    """Makes the layers of a node; matrix and sums lie behind the arena, in one place for all nodes.

    nbytes   int                of the arena with that place
    moved    {str: (int, int)}  of each node with weights: bytes of the matrix, 0 where there is none, and of the sums
    """

    def __init__(self, arena_bytes: int) -> None:
        self._base = -(-arena_bytes // _APART) * _APART + _APART
        self.nbytes = arena_bytes
        self.moved: dict[str, tuple[int, int]] = {}

    def __call__(self, name: str, kind: str, fields: dict[str, Any]) -> list[NetworkLayer]:
        """The layers of one node: one, two or three."""
        # Sums of 31 bits never are in memory; others may be there anyhow.
        if kind not in ("conv", "depthwise") or "double_scale" in fields or fields.get("rounding") == "none":
            return [NetworkLayer.create(kind, **fields)]
        pixels = fields["batch"] * fields["output_height"] * fields["output_width"]
        layers = []
        start, matrix_bytes = dict(fields), 0
        if kind == "conv" and not _is_matrix(fields):
            made, start = im2col_layer(fields, self._base)
            layers.append(made)
            matrix_bytes = pixels * start["input_channels"]
        sums = self._base + -(-matrix_bytes // _APART) * _APART + _APART
        channels = fields["output_channels"]
        self.moved[name] = matrix_bytes, 4 * pixels * channels
        self.nbytes = max(self.nbytes, sums + 4 * pixels * channels)
        bare = {field: value for field, value in start.items() if field not in _AFTER}
        layers.append(NetworkLayer.create(kind, **{**bare, "output": sums, "output_stride": 4 * channels},
                                          rounding="none"))
        return [*layers, self._bytes(fields, sums)]

    def _bytes(self, fields: dict[str, Any], sums: int) -> NetworkLayer:
        """The second pass."""
        kept = {name: value for name, value in fields.items() if name in _AFTER or name.startswith("output")}
        size = {f"input_{name}": fields[f"output_{name}"] for name in ("height", "width", "channels")}
        return NetworkLayer.create("requantize", **kept, **size, batch=fields["batch"], input=sums,
                                   input_stride=4 * fields["output_channels"])


def im2col_layer(fields: dict[str, Any], place: int) -> tuple[NetworkLayer, dict[str, Any]]:
    """The layer that copies windows to a place of the arena, and the fields of a product of what it writes."""
    columns = fields["input_channels"] * fields.get("kernel_height", 1) * fields.get("kernel_width", 1)
    bare = {name: value for name, value in fields.items() if name not in (*_AFTER, "weights", "bias",
                                                                         "weight_zero_point")}
    matrix = {"height": fields["output_height"], "width": fields["output_width"], "channels": columns,
              "stride": columns}
    written = {f"output_{name}": value for name, value in matrix.items()}
    read = {f"input_{name}": value for name, value in matrix.items()}
    product = {name: value for name, value in fields.items()
               if not name.startswith(("kernel_", "stride_", "dilation_", "pad_"))}
    return NetworkLayer.create("im2col", **{**bare, **written, "output": place}), {**product, **read, "input": place}


def _is_matrix(fields: dict[str, Any]) -> bool:
    """Pixels are the rows of the product already."""
    small = all(fields.get(f"{what}_{axis}", 1) == 1 for what in ("kernel", "stride") for axis in ("height", "width"))
    padded = any(fields.get(name, 0) for name in ("pad_top", "pad_left"))
    return small and not padded and all(fields[f"input_{axis}"] == fields[f"output_{axis}"]
                                        for axis in ("height", "width"))
