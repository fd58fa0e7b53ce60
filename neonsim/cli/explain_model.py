"""`neonsim explain FILE.tflite`: one byte of a network, and where two runs of it differ first."""

from __future__ import annotations

import argparse
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neonsim.errors import BadArgument
from neonsim.nn.formats import ARITHMETICS, Model, load_model
from neonsim.verify.debugger import Differences, Explanation, count_differences, explain_byte, explain_difference

from .models import inputs_of
from .network_options import add_input_options, is_model
from .options import ISAS, add_live, add_output, answer, check_live, command, wrote

__all__ = ["add_subjects", "with_subject"]

MOST_INPUTS = 10_000


def with_subject(words: Sequence[str]) -> list[str]:
    """`explain FILE.tflite` is short for `explain model FILE.tflite`."""
    found = list(words)
    if found[:1] == ["explain"] and len(found) > 1 and (found[1].startswith("-") or is_model(found[1])) \
            and any(is_model(word) for word in found[1:]):
        found.insert(1, "model")
    return found


def add_subjects(subjects: Any) -> None:
    """Add `model` to `neonsim explain`."""
    parser = command(
        subjects, "model", "one byte of a network: its sum, its rounding, the instruction that wrote it; or where two "
        "runs of it differ first", "neonsim explain person_detect.tflite --at 3:4,5,7 --image person.bmp --core a53",
        "--at alone explains an element; --against alone finds the first that differs; both explain one both ways.\n"
        "`neonsim explain FILE.tflite ...` is the same. Status 1: they differ.\n")
    parser.add_argument("file", help="a file of a network")
    parser.add_argument("--at", metavar="LAYER:INDEX", help="the element: a node's number or a tensor's name, and its "
                        "row, column, channel from 0, as 3:4,5,7; of .onnx channel, row, column")
    parser.add_argument("--against", metavar="OTHER", help=f"what to compare with: an arithmetic "
                        f"({', '.join(ARITHMETICS)}), another file of the network, or tensors of your own: a folder "
                        "with a .npy each, or an .npz")
    parser.add_argument("--arithmetic", choices=list(ARITHMETICS),
                        help="whose bytes; by itself xnnpack of .tflite, onnxruntime of .onnx")
    add_input_options(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of a random input, where none is given (0)")
    parser.add_argument("--inputs", type=int, metavar="N", help="so many random inputs: a histogram of differences per "
                        "layer")
    parser.add_argument("--backend", choices=("native", "reference"), help="who computes the layers (the fastest here)")
    parser.add_argument("--isa", choices=ISAS, default="aarch64", help="of the kernel that is traced (aarch64)")
    parser.add_argument("--core", metavar="CORE", help="what the tile costs on this core, modelled")
    add_output(parser, "--svg", help="write the picture of the rounding")
    add_output(parser, "--html", help="write a page that replays the tile, at the step that wrote the byte")
    add_live(parser)
    parser.add_argument("--open", action="store_true", help="show that page in a browser")
    parser.set_defaults(run=_model)


def _model(options: argparse.Namespace) -> int:
    if options.open and not options.html:
        raise BadArgument("--open shows a page: name it with --html FILE.")
    check_live(options)
    if options.at is None and options.against is None:
        raise BadArgument("what is to be explained? --at LAYER:INDEX names an element, --against OTHER what to compare "
                          "with.")
    if options.inputs is not None and (options.against is None or options.at is not None or options.image
                                       or options.npy):
        raise BadArgument("--inputs compares random inputs: it goes with --against, and without --at, --image, --npy.")
    model = load_model(options.file)
    found, said = _found(options, model)
    answer(found, found.as_dict, options)
    if said and not options.json:
        print(said)
    if options.svg:
        if found.picture is None:
            raise BadArgument("there is no sum that is rounded: no picture to write.")
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
        if not 1 <= options.inputs <= MOST_INPUTS:
            raise BadArgument(f"--inputs takes 1 to {MOST_INPUTS}; got {options.inputs}.")
        every = [inputs_of(model, None, [], None, options.seed + number)[0] for number in range(options.inputs)]
        return count_differences(model, every, model.rules(options.arithmetic), _other(options), **more), ""
    known = options.image or options.npy
    # Without an input of ours a dump may bring its own.
    x, said = inputs_of(model, options.image, options.npy, options.as_is, options.seed) \
        if known or options.against is None or options.against in ARITHMETICS or is_model(options.against) \
        else (None, "")
    if options.against is None:
        return explain_byte(model, x, options.at, arithmetic=options.arithmetic, **more), said
    return explain_difference(model, x, model.rules(options.arithmetic), _other(options), at=options.at, **more), said


def _other(options: argparse.Namespace) -> Any:
    return load_model(options.against) if is_model(options.against) else options.against
