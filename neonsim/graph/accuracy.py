"""How many handwritten digits the trained network tells rightly: in real numbers, in 8 bits, on every backend.

    print(accuracy(*digits.sample()))

The quantised networks are run by their definition and by the C library, and a few digits by the emulated kernels: other
bytes anywhere are an error, not a row of the table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.backends import native
from neonsim.errors import BackendError, BadArgument
from neonsim.graph.models import digits
from neonsim.graph.models.maker import QUANTIZATIONS
from neonsim.timing.studies import Bars, Study
from neonsim.timing.studies.study import Table

__all__ = ["Accuracy", "Variant", "accuracy"]

EMULATED = 10       # digits: one of each class
_WORDS = {"float": "single precision", "qu8": "uint8, q31 (QNNPACK)", "qs8": "int8 per tensor",
          "qc8w": "int8 per channel"}


@dataclass(frozen=True, eq=False)
class Variant:
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


@dataclass(frozen=True, eq=False)
class Accuracy(Study):
    """Digits told rightly; `variants` begin with the network in real numbers.

    labels    int [n]   what the digits are
    missing   str       why the C library did not compute it, "" if it did
    """

    labels: NDArray[np.int64]
    variants: tuple[Variant, ...]
    missing: str = ""

    def right(self, name: str) -> int:
        """Digits told rightly by a variant."""
        return int((self._of(name).answers == self.labels).sum())

    def same(self, name: str) -> int:
        """Digits told as in real numbers, rightly or not."""
        return int((self._of(name).answers == self.variants[0].answers).sum())

    def _of(self, name: str) -> Variant:
        return next(one for one in self.variants if one.name == name)

    @property
    def title(self) -> str:
        return f"Handwritten digits told rightly, of {len(self.labels)} that were not trained with (counted)"

    def table(self) -> Table:
        head = ["arithmetic", "bytes", "right", "as real numbers", "reference", "native", f"emulated ({EMULATED})"]
        rows = []
        for one in self.variants:
            runs = ["-"] * 3 if one.name == "float" else [
                "same bytes" if name in ("reference", *one.backends) else "missing"
                for name in ("reference", "native", "emulated")]
            rows.append([_WORDS[one.name], str(one.nbytes), self._share(self.right(one.name)),
                         self._share(self.same(one.name)), *runs])
        return head, rows

    def _share(self, count: int) -> str:
        return f"{100 * count / len(self.labels):.1f}%"

    def figure(self) -> Bars:
        groups = []
        for digit in range(digits.CLASSES):
            these = self.labels == digit
            groups.append((str(digit), tuple(float((one.answers[these] != digit).sum()) for one in self.variants)))
        return Bars("digits told wrongly, by what they are", tuple(_WORDS[one.name] for one in self.variants),
                    tuple(groups))

    @property
    def notes(self) -> str:
        other = [number for number in range(len(self.labels))
                 if len({int(one.answers[number]) for one in self.variants}) > 1]
        told = "; ".join(f"number {number}, a {self.labels[number]}: " + ", ".join(
            f"{one.name} {one.answers[number]}" for one in self.variants) for number in other[:5])
        more = f"; and {len(other) - 5} more" if len(other) > 5 else ""
        lines = [f"Told differently by some: {told}{more}." if other else "All arithmetics give the same answers."]
        if self.missing:
            lines.append(f"Not computed natively: {self.missing}")
        return "\n".join(lines)


def accuracy(images: ArrayLike, labels: ArrayLike) -> Accuracy:
    """Run every variant of the network over digits.

    images   uint8 [n, 28, 28, 1]   n from 10 on
    labels   int [n]

    Raises BackendError if two backends differ in a byte, BadArgument for arrays that are no digits.
    """
    pixels, known = np.asarray(images), np.asarray(labels, np.int64)
    scores = digits.real(pixels)["classifier"]
    if known.shape != (len(pixels),) or len(pixels) < EMULATED:
        raise BadArgument(f"{EMULATED} digits at least, each with its label; got "
                          f"{len(pixels)} and {known.size} labels.")
    numbers = sum(w.size + bias.size for w, bias in digits.parameters().values())
    variants, missing = [Variant("float", 4 * numbers, scores.argmax(axis=1))], native.available() or ""
    backends = ("emulated",) if missing else ("native", "emulated")
    for name in QUANTIZATIONS:
        graph = digits.digits(name, len(pixels))
        wanted = graph.plan("reference").run(digits.input_of(graph, pixels)).values
        for backend in backends:
            count = EMULATED if backend == "emulated" else len(pixels)
            some = digits.digits(name, count)
            found = some.plan(backend).run(digits.input_of(some, pixels[:count])).values
            if not np.array_equal(found, wanted[:count]):
                raise BackendError(f"digits in {name}: {backend} should give the same bytes as the reference, and does "
                                   "not.")
        biases = sum(4 * bias.size for _, bias in digits.parameters().values())
        variants.append(Variant(name, graph.weight_bytes + biases, wanted.argmax(axis=1), backends))
    return Accuracy(known, tuple(variants), missing)
