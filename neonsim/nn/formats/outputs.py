"""What a run of a model gives: a list of arrays that shows itself in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.formats.images import ClassScore, answers, pixels_of
from neonsim.nn.formats.ir import StoredTensor
from neonsim.quant.scheme import Scheme

__all__ = ["Outputs", "RunContext"]

_MAX_CLASSES = 1 << 20


class RunContext(NamedTuple):
    """What a run was given, and whose classes its first result may be.

    name     str
    inputs   ((tensor of the file, array), ...)
    scheme   of the first result
    labels   names of classes
    """

    name: str
    inputs: Sequence[tuple[StoredTensor, Any]]
    scheme: Scheme | None
    labels: tuple[str, ...]


class Outputs(list[NDArray[Any]]):
    """Arrays in the file's order of outputs: a list. In a notebook it shows the picture that was given, and classes.

    What it was given is kept, not copied.
    """

    def __init__(self, arrays: Iterable[NDArray[Any]], about: RunContext) -> None:
        super().__init__(arrays)
        self.about = about

    def answers(self, count: int = 5) -> list[ClassScore]:
        """Classes with the largest scores in the first result, best first."""
        return answers(self[0], self.about.scheme, self.about.labels, count)

    @property
    def image(self) -> NDArray[np.uint8] | None:
        """The first input that is a picture, as uint8 [height, width, 1 or 3]; None without one."""
        return next((found for tensor, array in self.about.inputs
                     if (found := pixels_of(array, tensor)) is not None), None)

    def _are_classes(self) -> bool:
        shape = np.shape(self[0]) if self else ()
        return bool(shape) and 1 < shape[-1] == np.size(self[0]) <= _MAX_CLASSES

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str] | None:
        if not self._are_classes():
            return None
        rows = [(f"{one.number} {one.name}".strip(), one.score) for one in self.answers()]
        module = import_module("neonsim.render.pictures.networks.classification")
        picture = module.answer_picture(self.image, rows, self.about.name)
        return dict(import_module("neonsim.render.svg").shown(picture, repr(self)))
