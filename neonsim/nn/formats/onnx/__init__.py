"""Reading `.onnx`: a Protocol Buffers message whose schema is ONNX's.

    read      the message, checked: nodes, constants, inputs
    qdq       DequantizeLinear ... QuantizeLinear around an operator: what runs in integers
    words     a row for each word: its inputs and attributes, and who reads it
    convert   what a node is in the words of a record, by the handlers that stand next to their rows

Images are [batch, channels, height, width] there and [batch, height, width, channels] in graphs here. A record has the
file's shapes, and says of tensors of four axes and of weights how they lie in a graph (`Stored.order`). Axes of a node
are renamed for it in this room, and what depends on the order of all elements is turned there and back.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from neonsim.nn.formats.ir import ModelIR
from neonsim.nn.formats.onnx import data_movement, elementwise, pooling, products  # noqa: F401  # their words
from neonsim.nn.formats.onnx.convert import record_of
from neonsim.nn.formats.onnx.read import read_file

__all__ = ["read_onnx"]


def read_onnx(data: bytes, name: str, sizes: Mapping[str, int] | None = None, folder: Path | None = None,
              batch: int = 1) -> ModelIR:
    """What an `.onnx` file says.

    name     of the file, for messages
    sizes    {name: int}   of sizes that the file leaves open, by their names
    batch    int           the first size of an input, where the file leaves it open and `sizes` does not say it
    folder   Path or None  where constants outside the file may be read from: it and what is in it; None: nowhere

    Raises ModelError for bytes that are no such file, or a damaged one; MissingPackage without its package.
    """
    return record_of(read_file(data, name, sizes or {}, folder, batch))
