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
    neonsim.quantise(graph, calibration=inputs)             a network of real numbers as one of integers
    neonsim.sweep(kernels, cores=, shapes=)                 every combination a row, on many machines
    neonsim.exercises(), neonsim.Exercise(name)             exercises that grade themselves
    neonsim.Exercise.define(...)                            one of your own
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .errors import (
    AbiViolation,
    AssemblyError,
    AssemblyErrors,
    BackendError,
    BadArgument,
    CompilerError,
    Divergence,
    KernelError,
    MachineError,
    MemoryFault,
    MissingPackage,
    ModelError,
    NeonsimError,
    StepLimit,
    TimingError,
    UninitialisedRead,
)

if TYPE_CHECKING:
    from neonsim.arm.asm import Program, assemble, load_archive, load_c, load_object
    from neonsim.arm.machine import CallResult, Flags, Grid, Machine, Register, Trace, load_trace
    from neonsim.arm.timing import Timing, cores, time
    from neonsim.learn.notebook import Exercise, Stepper, exercises, load_ipython_extension, views
    from neonsim.nn import ops
    from neonsim.nn.formats import load_model
    from neonsim.nn.graph import quantise
    from neonsim.nn.ops import compare
    from neonsim.studies.sweeps import sweep
    from neonsim.verify import proving as prove
    from neonsim.verify.checking import check
    from neonsim.verify.debugger import count_differences, explain_byte, explain_difference

    from .quant import Quantized, Scheme
    from .ukernel import Kernel, kernel, kernels

__version__ = "0.1.0"

# Where each public name lives. They are loaded on first use, so that assembling ten lines does not import the widgets.
_HOMES = {
    "assemble": "asm", "link": "asm", "load_archive": "asm", "load_object": "asm", "load_c": "asm", "Program": "asm",
    "Machine": "machine", "Grid": "machine", "CallResult": "machine", "Trace": "machine", "Register": "machine",
    "Flags": "machine", "load_trace": "machine",
    "time": "timing", "cores": "timing", "Timing": "timing", "identity": "timing",
    "kernels": "ukernel", "kernel": "ukernel", "Kernel": "ukernel",
    "Quantized": "quant", "Scheme": "quant",
    "compare": "ops", "check": "checking", "load_model": "formats", "quantise": "graph",
    "sweep": "studies",
    "explain_byte": "debugger", "explain_difference": "debugger", "count_differences": "debugger",
    "Stepper": "ui", "Exercise": "ui", "exercises": "ui", "load_ipython_extension": "ui",
}

__all__ = [
    "AbiViolation",
    "AssemblyError",
    "AssemblyErrors",
    "BackendError",
    "BadArgument",
    "CallResult",
    "CompilerError",
    "Divergence",
    "Exercise",
    "Flags",
    "Grid",
    "Kernel",
    "KernelError",
    "Machine",
    "MachineError",
    "MemoryFault",
    "MissingPackage",
    "ModelError",
    "NeonsimError",
    "Program",
    "Quantized",
    "Register",
    "Scheme",
    "StepLimit",
    "Stepper",
    "Timing",
    "TimingError",
    "Trace",
    "UninitialisedRead",
    "assemble",
    "check",
    "compare",
    "cores",
    "count_differences",
    "exercises",
    "explain_byte",
    "explain_difference",
    "identity",
    "kernel",
    "kernels",
    "link",
    "load_archive",
    "load_c",
    "load_ipython_extension",
    "load_model",
    "load_object",
    "load_trace",
    "ops",
    "prove",
    "quantise",
    "sweep",
    "time",
    "views",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    elif name in ("ops", "testing", "quant", "packing", "timing", "machine", "asm", "isa", "lanes", "backends",
                  "ukernel", "checking", "course", "debugger", "formats", "graph", "proving", "render", "studies",
                  "ui", "winograd"):
        value = importlib.import_module(f"{__name__}.{name}")
    elif name == "prove":
        value = importlib.import_module(f"{__name__}.proving")
    elif name == "views":
        value = importlib.import_module(f"{__name__}.ui.views")
    else:
        raise AttributeError(f"neonsim has no {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
