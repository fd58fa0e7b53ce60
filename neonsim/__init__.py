"""neonsim: an educational simulator of Arm NEON, instruction by instruction.

    program = neonsim.assemble(text, isa="aarch64")         assembler text to a program
    program = neonsim.load_object("kernel.o")               an object file to a program
    program = neonsim.load_c(text)                          C, through a cross compiler
    machine = neonsim.Machine(isa="aarch64")                registers and memory
    result = machine.call(program, ...)                     run it, recorded
    neonsim.time(result.trace, core="cortex-a53")           what it would cost
    neonsim.kernels(), neonsim.nn.ops                          quantised micro-kernels and operators on three backends
    neonsim.load_model("person_detect.tflite")              other people's networks, to the same bytes
    neonsim.explain_difference(model, x, a=, b=)            two runs of one: the first byte that differs, and why
    neonsim.quantize(graph, calibration=inputs)             a network of real numbers as one of integers
    neonsim.sweep(kernels, cores=, shapes=)                 every combination a row, on many machines
    neonsim.exercises(), neonsim.Exercise(name)             exercises that grade themselves
    neonsim.Exercise.define(...)                            one of your own
"""

from __future__ import annotations

import importlib
import re
from typing import Any

__version__ = "0.1.0"

# A name is loaded when it is first used, so that ten assembled lines do not import the widgets.
with open(f"{__file__.rpartition('.')[0]}.pyi", encoding="utf-8") as _stub:
    _HOMES = {name: (home, inside) for home, inside, name in
              re.findall(r"^from (\S+) import (\w+) as (\w+)", _stub.read(), re.MULTILINE)}
__all__ = [name for name, (home, _) in _HOMES.items() if home != "."]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"neonsim has no {name!r}")
    home, inside = _HOMES[name]
    module = importlib.import_module(home, __name__)
    value = getattr(module, inside, None) if home != "." else None
    if value is None:
        value = importlib.import_module(f"{module.__name__}.{inside}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
