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
    KernelFileError,
    LockstepDivergence,
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
    "assemble": "arm.asm", "link": "arm.asm", "load_archive": "arm.asm", "load_object": "arm.asm", "load_c": "arm.asm",
    "Program": "arm.asm",
    "Machine": "arm.machine", "Grid": "arm.machine", "CallResult": "arm.machine", "Trace": "arm.machine",
    "Register": "arm.machine", "Flags": "arm.machine", "load_trace": "arm.machine",
    "time": "arm.timing", "cores": "arm.timing", "Timing": "arm.timing", "identity": "arm.timing",
    "kernels": "ukernel", "kernel": "ukernel", "Kernel": "ukernel",
    "Quantized": "quant", "Scheme": "quant",
    "compare": "nn.ops", "check": "verify.checking", "load_model": "nn.formats", "quantise": "nn.graph",
    "sweep": "studies.sweeps",
    "explain_byte": "verify.debugger", "explain_difference": "verify.debugger", "count_differences": "verify.debugger",
    "Stepper": "learn.notebook", "Exercise": "learn.notebook", "exercises": "learn.notebook",
    "load_ipython_extension": "learn.notebook",
}

# Packages by a short name, and the eleven by their own.
_PACKAGES = {
    "ops": "nn.ops", "prove": "verify.proving", "views": "learn.notebook.views", "winograd": "quant.winograd",
    **{name: name for name in ("common", "quant", "arm", "ukernel", "render", "nn", "verify", "studies", "learn",
                               "bench", "cli")},
}

__all__ = [
    "AbiViolation",
    "AssemblyError",
    "AssemblyErrors",
    "BackendError",
    "BadArgument",
    "CallResult",
    "CompilerError",
    "Exercise",
    "Flags",
    "Grid",
    "Kernel",
    "KernelFileError",
    "LockstepDivergence",
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
    elif name in _PACKAGES:
        value = importlib.import_module(f"{__name__}.{_PACKAGES[name]}")
    else:
        raise AttributeError(f"neonsim has no {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
