"""Writing `.tflite`: a graph of ours as a file that TensorFlow Lite runs.

Every kind of operator says here which words of the file it is. What the file has no words for is refused: limits that
are no activation, a rounding that no such runtime has. Padding that is neither SAME nor VALID becomes a PAD before, and
what else can be said in other words is (`neonsim.nn.formats.tflite.rewrite`).

Bytes are those of LiteRT as it runs by itself, with its XNNPACK delegate. Where it has others, a warning names nodes.
"""

from __future__ import annotations

import warnings
from pathlib import Path

from neonsim.common.fileio import write_file
from neonsim.nn.formats.tflite import write_operators  # noqa: F401  # registers what writes each operator
from neonsim.nn.formats.tflite.writer import Writer
from neonsim.nn.graph import Graph

__all__ = ["tflite_bytes", "write_tflite"]


def write_tflite(graph: Graph, path: str | Path) -> Path:
    """Write a graph as a `.tflite` file; returns its path.

    Warns (RuntimeWarning) of nodes for which LiteRT gives other bytes than the graph, and why.

    Raises ModelError for an operator that such files have no words for, MissingPackage without the packages
    (pip install 'neonsim[models]'), BadArgument for a place where nothing can be written.
    """
    return write_file(path, tflite_bytes(graph))


def tflite_bytes(graph: Graph) -> bytes:
    """The bytes of that file."""
    writer = Writer(graph)
    if writer.said:
        warnings.warn(f"{graph.name}: LiteRT can give other bytes than this graph. "
                      + " ".join(f"{name}: {why}" for name, why in writer.said.items()), RuntimeWarning, stacklevel=3)
    return writer.bytes()
