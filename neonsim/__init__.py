"""Simulate Arm NEON, one instruction at a time.

    program = neonsim.assemble(text, isa="aarch64")         assemble text into a program
    program = neonsim.load_object("kernel.o")               read an object file
    program = neonsim.load_c(text)                          compile C with a cross compiler
    machine = neonsim.Machine(isa="aarch64")                create registers and memory
    result = machine.call(program, ...)                     call a function, and record the run
    neonsim.time(result.trace, core="cortex-a53")           model the cycles of a run
    neonsim.kernels(), neonsim.nn.ops                       use quantized micro-kernels and operators
    neonsim.check("mine.S", "qu8_gemm_q31")                 check a kernel against its contract
    neonsim.load_model("person_detect.tflite")              run a model with the bytes of its own runtime
    neonsim.explain_difference(model, x, a=, b=)            find the first byte in which two runs differ, and why
    neonsim.quantize(graph, calibration=inputs)             quantize a float32 network
    neonsim.sweep(kernels, cores=, shapes=)                 measure every combination, on one machine or many
    neonsim.exercises(), neonsim.Exercise(name)             get exercises that grade themselves
    neonsim.Exercise.define(...)                            define your own exercise
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
