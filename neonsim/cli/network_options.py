"""What describes a network on the command line: words alone, so that a program of two lines loads no network.

The names here are those of `neonsim.nn.graph`, `neonsim.nn.formats` and `neonsim.nn.backends`; a test holds them to it.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from neonsim.errors import BadArgument

from .options import add_output

__all__ = ["ARITHMETICS", "DTYPES", "ENGINES", "NETWORKS", "STRATEGIES", "SUFFIXES", "add_input_options",
           "add_model_options", "add_network_options", "add_reading_options", "check_networks", "is_model", "is_saved"]


def _listed() -> tuple[str, ...]:
    """The names in NETWORKS of each file of models: their text is read, since importing one loads all of `nn`."""
    folder = Path(__file__).parents[1] / "nn" / "graph" / "models"
    texts = [path.read_text("utf-8") for path in sorted(folder.glob("*.py"))]
    rows = [row for text in texts for row in re.findall(r"^NETWORKS = \(([^)\n]*)\)", text, re.M)]
    return tuple(name for row in rows for name in re.findall(r"\w+", row))


NETWORKS = _listed()
STRATEGIES = ("direct", "cost-model", "mnn", "mnn-2020", "mnn-main", "autotune", "autotune-exhaustive")
ARITHMETICS = ("xnnpack", "tflite", "ruy", "qnnpack", "onnxruntime")
SUFFIXES = (".tflite", ".onnx")
ENGINES = ("interpreter", "compiled")
# Element types of networks, and how `neonsim.nn.graph.model` calls them (quantization=).
DTYPES = {"uint8": "qu8", "int8": "qs8", "int8-per-channel": "qc8w", "float32": "f32"}


def check_networks(names: str | None) -> list[str]:
    """Names with commas. Raises BadArgument for one that is none."""
    networks = names.split(",") if names else []
    unknown = [name for name in networks if name not in NETWORKS]
    if unknown:
        raise BadArgument(f"unknown network {unknown[0]!r}; use {', '.join(NETWORKS)}.")
    return networks


def add_network_options(parser: argparse.ArgumentParser) -> None:
    """What describes a network on the command line."""
    group = parser.add_argument_group("networks", f"PROGRAM may be a network: {', '.join(NETWORKS)}")
    group.add_argument("--backend", type=_backends, metavar="NAME[,NAME]",
                       help="Run on this backend: reference, emulated or native (the fastest here). Of several, the "
                       "first that can takes each operator.")
    group.add_argument("--engine", choices=ENGINES, help="Run emulated tiles on this engine (compiled for a network "
                       "that is worth it, where there is a C compiler, else the interpreter).")
    group.add_argument("--core", metavar="CORES", help="Choose emulated kernels for this core, and model the cycles of "
                       "every layer; of several, with commas, of the whole.")
    group.add_argument("--threads", type=int, default=1, metavar="N", help="Number of threads (1).")
    group.add_argument("--dtype", choices=list(DTYPES), default="uint8", help="Element type of the network (uint8).")
    group.add_argument("--width", type=float, metavar="X", help="Multiply the channels of a MobileNet by this factor.")
    group.add_argument("--size", type=int, metavar="PIXELS", help="Height and width of the image (224; digits: 28).")
    group.add_argument("--seed", type=int, default=0, help="Seed of weights and image, or number of the digit (0).")
    group.add_argument("--isa-variant", metavar="NAME",
                       help="Take native kernels of this instruction set: amx, avx512vnni, scalar, ...")
    group.add_argument("--strategy", choices=STRATEGIES, help="Choose the algorithm of every product by this strategy, "
                       "and show what the others cost; autotune measures on the native backend.")
    group.add_argument("--profile", action="store_true", help="Measure every operator on the native backend.")
    group.add_argument("--runs", type=int, default=50, metavar="N", help="Take the least of this many native runs "
                       "(50).")
    add_output(group, "--roofline", help="Write the native profile as a picture (SVG).")


def _backends(text: str) -> str | tuple[str, ...]:
    """What --backend says: a name, or several in the order in which they are asked."""
    from neonsim.nn.backends import names  # they are asked for: most programs have none

    found = tuple(name.strip() for name in text.split(","))
    wrong = [name for name in found if name not in names()]
    if wrong:
        raise argparse.ArgumentTypeError(f"unknown backend {wrong[0]!r}; use {', '.join(names())}")
    return found[0] if len(found) == 1 else found


def is_saved(name: str) -> bool:
    """Is it an .npz, a graph of ours (`neonsim quantize --out FILE.npz`)?"""
    return name.lower().endswith(".npz")


def add_reading_options(parser: Any) -> None:
    """How a file of a network is read."""
    parser.add_argument("--arithmetic", choices=ARITHMETICS,
                        help="Compute the bytes of this runtime (.tflite: xnnpack, .onnx: onnxruntime).")
    parser.add_argument("--dimension", metavar="NAME=N", action="append", default=[],
                        help="Set a size that an .onnx file leaves open; can be given again.")
    parser.add_argument("--batch", type=int, metavar="N", help="Inputs of a run, where the file leaves it open (1).")
    parser.add_argument("--external", action="store_true",
                        help="Read constants of an .onnx file from other files of its folder.")


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """What goes with a file of a network."""
    group = parser.add_argument_group("files of networks", f"PROGRAM may be one: {', '.join(SUFFIXES)}")
    add_input_options(group)
    group.add_argument("--labels", metavar="LABELS", help="Read the names of classes from this file, one a line.")
    add_output(group, "--out", help="Write the results, by name (.npz).")
    group.add_argument("--stop-after", metavar="TENSOR", help="Compute only as far as this tensor.")
    add_reading_options(group)


def add_input_options(parser: Any) -> None:
    """Where the input of a network comes from."""
    parser.add_argument("--image", metavar="PICTURE", help="Take this picture as input, resized to the network's size.")
    parser.add_argument("--raw-image", action=argparse.BooleanOptionalAction, default=None,
                        help="Use the picture's bytes without adjusting the zero point, also for int8. The default "
                             "depends on the picture; the answer names it.")
    parser.add_argument("--npy", metavar="ARRAY", action="append", default=[],
                        help="Take this .npy file as an input; once for each of several. Networks with variables take "
                             "frames too, with one more axis in front, and run one after the other.")


def is_model(name: str) -> bool:
    """Is it a file of a network, by its name?"""
    return Path(name).suffix.lower() in SUFFIXES
