"""Recorded runs: their steps, and what the page is given that shows them and does them again.

The runs are the answers to exercises, and kernels on their smallest cases.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from neonsim.arm.asm import Program
from neonsim.arm.machine import Trace
from neonsim.arm.timing import time
from neonsim.learn.course import task_named, tasks
from neonsim.learn.course.grading.cost import program_of
from neonsim.learn.course.grading.test_calls import published
from neonsim.learn.course.program_exercise import Task
from neonsim.render.stepper.payload import computing, payload
from neonsim.ukernel import Case, cases, kernel
from neonsim.ukernel.case_runner import setup
from neonsim.verify.checking import entry_of

from . import Row, digest, some, value_of

KERNELS = (
    "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", "qs8_qc8w_gemm_fp32_4x16c4__aarch64_neondot_ld128",
    "qu8_conv_q31_4x8__aarch32_neon_mlal_lane", "qu8_igemm_fp32_4x16__aarch64_neon_mlal_lane",
    "qs8_qc8w_dwconv_fp32_8x9__aarch64_neon_mul16", "qs8_vadd_16x__aarch32_neon", "x8_zip_x2_8x__aarch32_neon",
    "qu8_avgpool_8x9__aarch32_neon", "qu8_requantize_q31_16x__aarch64_neon", "f32_softmax_4x__aarch64_neon_fma",
    "f32_dwconv_8x9__aarch32_neonv8_fma", "s32_winograd_destination_2x3__aarch32_neon_generated")
COLUMNS = ("pc", "executed", "write_start", "write_location", "write_before", "write_after", "access_start",
           "access_address", "access_bytes", "access_store", "access_data_start", "access_before", "access_after")
CORE = "cortex-a75"


def rows() -> list[Row]:
    """Two of each run."""
    runs: dict[str, Callable[..., Trace]] = {name: partial(of_kernel, name) for name in KERNELS}
    for task in tasks():
        if isinstance(task, Task) and task.lessons:
            runs |= {f"{task.name} {isa}": partial(_of_lesson, task.name, isa) for isa in task.isas
                     if isa == "aarch64" or some(task.name, 4)}
    found = []
    for name, run in runs.items():
        quick = name not in KERNELS and some(name, 2)
        found += [Row(f"{name}: steps", {"by itself": partial(_steps, run), "interpreter": partial(
                      _steps, run, "interpreter")}, ("by itself",) if quick else ()),
                  Row(f"{name}: page", {"page": partial(_page, run)}, ("page",) if quick else ())]
    return found


@cache
def of_kernel(name: str, engine: str | None = None) -> Trace:
    """A kernel on the case with the fewest bytes."""
    each = kernel(name)
    case = min(cases(each.contract.name, each.tile), key=lambda case: sum(
        region.data.size for region in case.memory.values()))
    return _recorded(each.program(), name, case, each.header.reads_before, engine)


@cache
def _of_lesson(name: str, isa: str, engine: str | None = None) -> Trace:
    task = task_named(name)
    assert isinstance(task, Task)
    program = program_of(task.solution(isa), isa)
    every = published(task.calls, "quick")
    case = ([case for case in every if "uniform" in case.name] or every)[-1]
    return _recorded(program, entry_of(program, task.label), case, task.reads_before(isa), engine)


def _recorded(program: Program, entry: str, case: Case, reads_before: int, engine: str | None) -> Trace:
    machine, arguments = setup(program, case, reads_before)
    return machine.call(program, *arguments, entry=entry, trace=True, sanitize=True, engine=engine).trace


def _steps(run: Callable[..., Trace], engine: str | None = None) -> str:
    trace = run(engine)
    buffers = [[one.name, one.address, one.nbytes, one.dtype, one.shape, one.readonly, one.before, one.defined,
                one.reads_before, one.reads_after, one.typed] for one in trace.buffers]
    return digest(trace.isa, trace.locations, *(getattr(trace, name) for name in COLUMNS), trace.initial, trace.defined,
                  buffers, trace.first, trace.returned, trace.notices,
                  *(f"{one.position.line} {one}" for one in trace.program.instructions))


def _page(run: Callable[..., Trace]) -> str:
    trace = run(None)
    timing = value_of(lambda: time(trace, core=CORE))
    live = value_of(lambda: computing(trace, names=None, timing=None, title="", columns=None))
    return digest(payload(trace, timing=None if isinstance(timing, str) else timing), *live)
