"""`neonsim explain FILE.tflite`: one byte of a network, and where two runs of it differ first."""

from __future__ import annotations

import argparse
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neonsim.common.fileio import require_file
from neonsim.errors import BadArgument
from neonsim.nn.formats import ARITHMETICS, Model, load_model
from neonsim.verify.debugger import Differences, Explanation, count_differences, explain_byte, explain_difference

from .models import inputs_of
from .network_options import add_input_options, is_model
from .options import ISAS, add_live, add_output, answer, check_live, command, wrote

__all__ = ["add_subjects", "shorthand"]

MAX_INPUTS = 10_000


def shorthand(words: Sequence[str]) -> str | None:
    """`explain FILE.tflite` is short for `explain model FILE.tflite`."""
    first = words[0] if words else ""
    return "model" if (first.startswith("-") or is_model(first)) and any(map(is_model, words)) else None


def add_subjects(subjects: Any) -> None:
    """Add `model` to `neonsim explain`."""
    parser = command(
        subjects, "model", "Explain one byte of a network, or find where two runs of it differ first.",
        "neonsim explain person_detect.tflite --at 3:4,5,7 --image person.bmp --core a53\n"
        "  neonsim explain person_detect.tflite --against xnnpack --inputs 100",
        "--at alone explains an element: its sum, its rounding, the instruction that wrote it. --against alone finds "
        "the\nfirst element that differs. Both explain one element both ways. Exit status: 1 if they differ.\n")
    parser.add_argument("file", help="A file of a network.")
    parser.add_argument("--at", metavar="LAYER:INDEX", help="Explain this element: a node's number or a tensor's name, "
                        "then row, column, channel from 0, as 3:4,5,7 (.onnx: channel, row, column).")
    parser.add_argument("--against", metavar="OTHER", help=f"Compare with an arithmetic ({', '.join(ARITHMETICS)}), "
                        "another model file, or your tensors: a folder of .npy files, or an .npz.")
    parser.add_argument("--arithmetic", choices=list(ARITHMETICS),
                        help="Compute the bytes of this runtime (.tflite: xnnpack, .onnx: onnxruntime).")
    add_input_options(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="Seed of a random input (0).")
    parser.add_argument("--inputs", type=int, metavar="N", help="Compare this many random inputs, and count the "
                        "differences of each layer.")
    parser.add_argument("--backend", choices=("native", "reference"), help="Backend that computes the layers (the "
                        "fastest here).")
    parser.add_argument("--isa", choices=ISAS, default="aarch64", help="Instruction set of the traced kernel "
                        "(aarch64).")
    parser.add_argument("--core", metavar="CORE", help="Model the cycles of the tile on this core.")
    add_output(parser, "--svg", help="Write the picture of the rounding.")
    add_output(parser, "--html", help="Write a page that replays the tile, at the step that wrote the byte.")
    add_live(parser)
    parser.add_argument("--open", action="store_true", help="Show that page in a browser.")
    parser.set_defaults(run=_model)


def _model(options: argparse.Namespace) -> int:
    if options.open and not options.html:
        raise BadArgument("--open needs a page: add --html FILE.")
    check_live(options)
    require_file(options.file)
    if options.at is None and options.against is None:
        raise BadArgument("--at or --against is missing. Use --at LAYER:INDEX for an element, or --against OTHER for a "
                          "comparison.")
    if options.inputs is not None and (options.against is None or options.at is not None or options.image
                                       or options.npy):
        raise BadArgument("--inputs compares random inputs. It needs --against, and excludes --at, --image and --npy.")
    model = load_model(options.file)
    found, said = _found(options, model)
    answer(found, found.to_dict, options)
    if said and not options.json:
        print(said)
    if options.svg:
        if found.picture is None:
            raise BadArgument("no accumulator is rounded, so there is no picture to write.")
        wrote(found.picture.save(Path(options.svg)), options)
    if options.html:
        path = found.to_html(options.html, core=options.core, live=options.live)
        wrote(path, options)
        if options.open:
            webbrowser.open(path.resolve().as_uri())
    if isinstance(found, Differences) and options.at is None:
        return 0 if found.equal else 1
    shown = found.first.values if isinstance(found, Differences) and found.first is not None else ()
    return 1 if len(set(shown)) > 1 else 0


def _found(options: argparse.Namespace, model: Model) -> tuple[Explanation | Differences, str]:
    """What is found, and in words what the input was."""
    more: dict[str, Any] = {"backend": options.backend, "isa": options.isa, "core": options.core}
    if options.inputs is not None:
        if not 1 <= options.inputs <= MAX_INPUTS:
            raise BadArgument(f"--inputs must be 1 to {MAX_INPUTS}; got {options.inputs}.")
        every = [inputs_of(model, None, [], None, options.seed + number)[0] for number in range(options.inputs)]
        return count_differences(model, every, model.rules(options.arithmetic), _other(options), **more), ""
    known = options.image or options.npy
    # Without an input of ours a dump may bring its own.
    x, said = inputs_of(model, options.image, options.npy, options.raw_image, options.seed) \
        if known or options.against is None or options.against in ARITHMETICS or is_model(options.against) \
        else (None, "")
    if options.against is None:
        return explain_byte(model, x, options.at, arithmetic=options.arithmetic, **more), said
    return explain_difference(model, x, model.rules(options.arithmetic), _other(options), at=options.at, **more), said


def _other(options: argparse.Namespace) -> Any:
    return load_model(options.against) if is_model(options.against) else options.against
