"""How many handwritten digits the trained network tells rightly: in floats, in 8 bits, on every backend.

    print(accuracy(*digits.sample()))

The quantised networks are run by their definition and by the C library, and a few digits by the emulated kernels: other
bytes anywhere are an error, not a row of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native import backend
from neonsim.nn.graph.models import digits
from neonsim.nn.graph.models.builder import QUANTIZATIONS
from neonsim.studies.kernels import Bars, Report

__all__ = ["ArithmeticVariant", "accuracy", "accuracy_report"]

EMULATED = 10       # digits: one of each class
_WORDS = {"float": "single precision", "qu8": "uint8, q31 (QNNPACK)", "qs8": "int8 per tensor",
          "qc8w": "int8 per channel"}


@dataclass(frozen=True, eq=False)
class ArithmeticVariant:
    """The network in one arithmetic.

    name       "float", "qu8", "qs8" or "qc8w"
    nbytes     int         of its weights and biases
    answers    int [n]     the class of each digit, by the reference
    backends   (str, ...)  who else computed it, the same bytes all
    """

    name: str
    nbytes: int
    answers: NDArray[np.int64]
    backends: tuple[str, ...] = ()


def accuracy(images: ArrayLike, labels: ArrayLike) -> Report:
    """Run every variant of the network over digits; `data` as `accuracy_report` has it.

    images   uint8 [n, 28, 28, 1]   n from 10 on
    labels   int [n]

    Raises BackendError if two backends differ in a byte, BadArgument for arrays that are no digits.
    """
    pixels, known = np.asarray(images), np.asarray(labels, np.int64)
    scores = digits.to_float32(pixels)["classifier"]
    if known.shape != (len(pixels),) or len(pixels) < EMULATED:
        raise BadArgument(f"{EMULATED} digits or more are needed, each with its label; got {len(pixels)} and "
                          f"{known.size} labels.")
    numbers = sum(w.size + bias.size for w, bias in digits.parameters().values())
    variants, missing = [ArithmeticVariant("float", 4 * numbers, scores.argmax(axis=1))], backend.available() or ""
    backends = ("emulated",) if missing else ("native", "emulated")
    for name in QUANTIZATIONS:
        graph = digits.digits(name, len(pixels))
        wanted = graph.plan("reference").run(digits.input_of(graph, pixels)).values
        for place in backends:
            count = EMULATED if place == "emulated" else len(pixels)
            some = digits.digits(name, count)
            found = some.plan(place).run(digits.input_of(some, pixels[:count])).values
            if not np.array_equal(found, wanted[:count]):
                raise BackendError(f"digits in {name}: {place} gives other bytes than the reference.")
        biases = sum(4 * bias.size for _, bias in digits.parameters().values())
        variants.append(ArithmeticVariant(name, graph.weight_bytes + biases, wanted.argmax(axis=1), backends))
    return accuracy_report(known, variants, missing)


def accuracy_report(labels: NDArray[np.int64], variants: Sequence[ArithmeticVariant], missing: str = "") -> Report:
    """Of variants, the first of them in floats. `data`: {name: digits told rightly, told as in floats}.

    labels    int [n]   what the digits are
    missing   str       why the C library did not compute it, "" if it did
    """
    told = {one.name: (int((one.answers == labels).sum()), int((one.answers == variants[0].answers).sum()))
            for one in variants}
    head = ["arithmetic", "bytes", "right", "as real numbers", "reference", "native", f"emulated ({EMULATED})"]
    rows = []
    for one in variants:
        runs = ["-"] * 3 if one.name == "float" else [
            "same bytes" if name in ("reference", *one.backends) else "missing"
            for name in ("reference", "native", "emulated")]
        rows.append([_WORDS[one.name], str(one.nbytes),
                     *(f"{100 * count / len(labels):.1f}%" for count in told[one.name]), *runs])
    groups = []
    for digit in range(digits.CLASSES):
        these = labels == digit
        groups.append((str(digit), tuple(float((one.answers[these] != digit).sum()) for one in variants)))
    other = [number for number in range(len(labels)) if len({int(one.answers[number]) for one in variants}) > 1]
    differ = "; ".join(f"number {number}, a {labels[number]}: " + ", ".join(
        f"{one.name} {one.answers[number]}" for one in variants) for number in other[:5])
    more = f"; and {len(other) - 5} more" if len(other) > 5 else ""
    notes = f"Told differently by some: {differ}{more}." if other else "All arithmetics give the same answers."
    return Report(
        f"Handwritten digits told rightly, of {len(labels)} that were not trained with (counted)",
        notes + (f"\nNot computed natively: {missing}" if missing else ""), (head, rows),
        Bars("digits told wrongly, by what they are", tuple(_WORDS[one.name] for one in variants), tuple(groups)),
        data=told)
