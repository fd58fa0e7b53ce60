"""Files of other people's networks.

    model = neonsim.load_model("person_detect.tflite")      packages: pip install 'neonsim[models]'
    model.run(image)                                        arrays in the file's types and shapes

    record   what a file says: tensors and nodes        tflite   reading .tflite
    lower    from there to a graph of our operators     model    running it
"""

from __future__ import annotations

from neonsim.formats.lower import ARITHMETICS
from neonsim.formats.model import Model, load_model

__all__ = ["ARITHMETICS", "Model", "load_model"]
