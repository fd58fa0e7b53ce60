"""Plans, machines, networks, programs and operators from many threads at once: right bytes; forks, Ctrl-C and the
collector in between; what C owns is given back.

Before there were turns, one operator's plan run by eight threads crashed the process, as pointers were moved under C.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import neonsim as ns
from neonsim.arm.isa.forms import spec
from neonsim.arm.machine.engines.compiled import compiler
from neonsim.arm.machine.engines.select import engine_for
from neonsim.common.locking import PerObjectCache, Serialized, reentrant, serialized
from neonsim.errors import BackendError, NeonsimError
from neonsim.nn.backends.native.backend import NativeBackend
from neonsim.nn.backends.native.network import NativeNetwork, NetworkLayer
from neonsim.nn.graph import random_input
from neonsim.nn.graph.models import mobilenet_v1
from neonsim.nn.graph.models.digits import digits
from neonsim.nn.ops import Plan
from neonsim.quant import Quantized, Scheme
from tests.needs import needs_backend
from tests.nn.operator_cases import DTYPES, OPERATORS, operator_cases

THREADS = 8
BACKENDS = ("reference", "emulated", "native")
# How often every plan is run: what is emulated takes a hundred times longer.
QUICK = {"reference": 1, "emulated": 1, "native": 2}
FULL = {"reference": 20, "emulated": 2, "native": 20}

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")


def at_once(work: Callable[[int], None], threads: int = THREADS, seconds: float = 900) -> None:
    """Run work(number) in so many threads that begin together, switching often; fail with the first that fails."""
    barrier, failures = threading.Barrier(threads), []

    def one(number: int) -> None:
        try:
            barrier.wait()
            work(number)
        except BaseException:
            failures.append(traceback.format_exc())

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        workers = [threading.Thread(target=one, args=(number,), daemon=True) for number in range(threads)]
        for worker in workers:
            worker.start()
        end = time.monotonic() + seconds
        for worker in workers:
            worker.join(max(end - time.monotonic(), 0))
        assert not any(worker.is_alive() for worker in workers), f"threads still wait after {seconds} seconds"
    finally:
        sys.setswitchinterval(interval)
    assert not failures, failures[0]


@contextmanager
def commotion() -> Iterator[None]:
    """The collector runs again and again meanwhile; over what is new, not over all that other tests have left."""
    gc.freeze()
    stop = threading.Event()

    def collect() -> None:
        while not stop.wait(0.01):
            gc.collect()

    thread = threading.Thread(target=collect, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


# ---- plans of operators ----------------------------------------------------------------------------------------------

Prepared = tuple[Plan, tuple[Quantized, ...]]


def prepared(backend: str, most: int, every: int = 1) -> list[Prepared]:
    """Plans of every operator (or of every so many, others of int8), of its first cases, with the inputs."""
    found: list[Prepared] = []
    for at, dtype in enumerate(DTYPES):
        for name, operator in list(OPERATORS.items())[at % every::every]:
            taken = 0
            for case in operator_cases(name, dtype):
                with Plan.watching() as made:
                    try:
                        operator(*case.inputs, **case.options, backend=backend)
                    except BackendError:
                        continue        # no kernels for this one: other tests say which
                for plan in made:
                    inputs = tuple(x for x in case.inputs[:len(plan.inputs)] if isinstance(x, Quantized))
                    if plan.output.nbytes and len(inputs) == len(plan.inputs) and all(
                            x.shape == o.shape for x, o in zip(inputs, plan.inputs, strict=True)):
                        found.append((plan, inputs))
                taken += bool(made)
                if taken == most:
                    break
    return found


def variants(inputs: tuple[Quantized, ...], number: int) -> tuple[Quantized, ...]:
    """Other bytes for every thread, some of them in arrays whose rows are apart."""
    made = []
    for x in inputs:
        values = np.bitwise_xor(x.values, np.array(37 * number & 255, np.uint8).astype(x.values.dtype))
        if number % 3 == 2:
            values = np.repeat(values, 2, axis=-1)[..., ::2]
        made.append(replace(x, values=values))
    return tuple(made)


@pytest.mark.parametrize("size", ["quick", pytest.param("full", marks=pytest.mark.nightly)])
@pytest.mark.parametrize("backend", BACKENDS)
def test_every_operators_plan_in_eight_threads(backend: str, size: str) -> None:
    needs_backend(backend)
    # To prepare for the emulated backend takes long: a fifth of the operators, at night one case of each.
    some = backend == "emulated" and size == "quick"
    plans = prepared(backend, 1 if size == "quick" or backend == "emulated" else 12, 5 if some else 1)
    assert len({type(plan.operator) for plan, _ in plans}) >= (6 if some else 14)
    if size == "quick":
        kinds = {(type(plan.operator), plan.output.dtype): (plan, inputs) for plan, inputs in reversed(plans)}
        plans = list(kinds.values())
    given = [[variants(inputs, number) for number in range(THREADS)] for _, inputs in plans]
    wanted = [[plan.operator.reference(*(x.values for x in own)) for own in each]
              for (plan, _), each in zip(plans, given, strict=True)]
    rounds = QUICK[backend] if size == "quick" else FULL[backend]

    def work(number: int) -> None:
        for round_ in range(rounds):
            for at, (plan, _) in enumerate(plans):
                y = plan.run(*given[at][number], threads=1 + (number + round_) % 3)
                assert_array_equal(y.values, wanted[at][number], err_msg=plan.operator.kind)

    with commotion():
        at_once(work)


def test_the_plan_that_crashed() -> None:
    """1x128x128x8, 3x3: the C library works long enough for another thread to come in between."""
    needs_backend("native")
    rng = np.random.default_rng(0)
    w = Quantized(rng.integers(0, 256, (4, 3, 3, 8), np.uint8), 0.01, 100)
    plan = ns.ops.Conv2d(Scheme(1.0), w, out=Scheme(5.0)).plan((1, 128, 128, 8), backend="native")
    images = [Quantized(rng.integers(0, 256, (1, 128, 128, 8), np.uint8), 1.0) for _ in range(THREADS)]
    wanted = [plan.operator.reference(x.values) for x in images]

    def work(number: int) -> None:
        for _ in range(8):
            assert_array_equal(plan.run(images[number]).values, wanted[number])

    at_once(work)


@pytest.mark.parametrize("backend", BACKENDS)
def test_operators_called_in_eight_threads(backend: str) -> None:
    """Without a plan of your own; fresh processes have nothing in any cache, so a part of it is new here."""
    needs_backend(backend)
    rng = np.random.default_rng(1)
    x = Quantized(rng.integers(0, 256, (1, 4, 4, 6) if backend == "emulated" else (1, 9, 7, 6), np.uint8), 0.5, 9)
    w = Quantized(rng.integers(0, 256, (11, 3, 3, 6), np.uint8), 0.1, 120)
    wanted = ns.ops.conv2d(x, w, out=Scheme(20.0, 3), backend="reference").values

    def work(number: int) -> None:
        for _ in range(1 if backend == "emulated" else 4):
            y = ns.ops.conv2d(x, w, out=Scheme(20.0, 3), backend=backend)
            assert_array_equal(y.values, wanted)

    at_once(work, 4 if backend == "emulated" else THREADS)      # each of them translates the kernels


def test_results_are_the_callers() -> None:
    """The next run leaves them alone."""
    for backend in BACKENDS:
        needs_backend(backend)
        plan = ns.ops.Clamp(Scheme(1.0), output_min=0, output_max=255).plan((4, 8), backend=backend)
        first = plan.run(Quantized(np.full((4, 8), 7, np.uint8), 1.0))
        plan.run(Quantized(np.full((4, 8), 9, np.uint8), 1.0))
        assert (first.values == 7).all()


# ---- networks --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("way", ["whole", "operators", "reference"])
def test_networks_in_eight_threads(way: str) -> None:
    needs_backend("native")
    graph = mobilenet_v1(0.25, 32) if way == "whole" else digits()
    plan = (graph.plan("native") if way == "whole" else graph.plan("native", operators=True) if way == "operators" else
            graph.plan("reference"))
    images = [random_input(graph, seed) for seed in range(THREADS)]
    judge = graph.plan("reference")
    wanted = [judge.run(x).values.copy() for x in images]

    def work(number: int) -> None:
        for round_ in range(8 if way == "whole" else 1):
            y = plan.run(images[number], 1 + (number + round_) % 3)
            assert_array_equal(y.values, wanted[number])
            plan.tensor(graph.output)

    with commotion():
        at_once(work)


def test_plans_made_and_dropped_in_eight_threads() -> None:
    needs_backend("native")
    graph = mobilenet_v1(0.25, 32)
    x = random_input(graph)
    wanted = graph.plan("native").run(x).values

    def work(number: int) -> None:
        for _ in range(2):
            assert_array_equal(graph.plan("native").run(x, 2).values, wanted)

    at_once(work)


# ---- machines --------------------------------------------------------------------------------------------------------

SUM = """
f:  mov w2, #0
1:  ldrb w3, [x0], #1
    add w2, w2, w3
    subs x1, x1, #1
    b.ne 1b
    mov w0, w2
    ret
"""
ENGINES = [None, "interpreter", "python", "compiled"]


@pytest.mark.parametrize("engine", ENGINES)
def test_one_machine_in_eight_threads(engine: str | None) -> None:
    """Buffers are placed while programs run: the memory grows, and moves, between calls only."""
    if engine == "compiled" and compiler() is None:
        pytest.skip("no C compiler here")
    program = ns.assemble(SUM, isa="aarch64")
    machine = ns.Machine()

    def work(number: int) -> None:
        for round_ in range(4):
            data = np.full(10 + 4 * number, number + round_, np.uint8)
            address = machine.memory.place(data, f"{number}, {round_}")
            machine.memory.alloc(3000)
            done = machine.call(program, address, data.size, engine=engine)
            assert done.returned == int(data.sum()), (number, round_)
            assert_array_equal(machine.memory.fetch(f"{number}, {round_}"), data)

    at_once(work)


@pytest.mark.parametrize("engine", [*ENGINES, "grid"])
def test_one_program_on_eight_machines(engine: str | None) -> None:
    """Nothing of it is translated yet when all begin."""
    if engine == "compiled" and compiler() is None:
        pytest.skip("no C compiler here")
    ns.time(ns.assemble(SUM, isa="aarch64"), core="cortex-a53")     # so that its model is translated once
    for turn in range(1 if engine in (None, "interpreter") else 2):
        program = ns.assemble(SUM + f"    // {turn}", isa="aarch64")
        tiles = ns.Grid(2, 3) if engine == "grid" else None

        def work(number: int, program: ns.Program = program, tiles: ns.Grid | None = tiles) -> None:
            machine = ns.Machine(poison=number)
            for _ in range(2):
                data = np.arange(number, number + 24, dtype=np.uint8)
                done = machine.call(program, machine.memory.place(data), data.size, tiles=tiles,
                                    engine=None if tiles else engine)
                assert done.returned == int(data.sum())
                if done.trace is not None:
                    assert len(done.trace) == done.steps
                    assert ns.time(done.trace, core="cortex-a53").instructions == done.steps

        at_once(work)


def test_one_trace_and_timing_in_eight_threads() -> None:
    program = ns.assemble(SUM, isa="aarch64")
    machine = ns.Machine()
    trace = machine.call(program, machine.memory.place(np.arange(60, dtype=np.uint8)), 60).trace
    assert trace is not None
    wanted = [ns.time(trace, core=core).cycles for core in ("cortex-a53", "cortex-a72")]
    shared = ns.time(trace, core="cortex-a53")

    def work(number: int) -> None:
        assert [ns.time(trace, core=core).cycles for core in ("cortex-a53", "cortex-a72")] == wanted
        assert shared.cycles == wanted[0] and shared.timeline() and shared.stalls is not None

    at_once(work)


def test_stepping_in_eight_threads() -> None:
    """Steps of one call, by any thread: none is lost, none is done twice."""
    program = ns.assemble(SUM, isa="aarch64")
    machine = ns.Machine()
    machine.start(program, machine.memory.place(np.ones(400, np.uint8)), 400)

    def work(number: int) -> None:
        for _ in range(30):
            machine.step(3)
            machine.back(1)

    at_once(work)
    assert machine.steps == THREADS * 30 * 2


def test_a_predicate_may_look_but_not_step() -> None:
    program = ns.assemble(SUM, isa="aarch64")
    machine = ns.Machine()
    machine.start(program, machine.memory.place(np.ones(40, np.uint8), "a"), 40)
    machine.run(until=lambda m: m.memory.fetch("a")[0] == 1 and m.registers["x2"] == 5)
    assert machine.registers["x2"] == 5
    with pytest.raises(BackendError, match=r"step\(\) cannot begin inside Machine.run\(\)"):
        machine.run(until=lambda m: m.step() or True)
    machine.run()
    assert machine.registers["x0"] == 40


# ---- forks and interrupts --------------------------------------------------------------------------------------------

def in_child(work: Callable[[], None], seconds: float = 60) -> None:
    """Fork, work there, and fail if that fails or does not end."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(int(seconds))      # one that hangs ends by itself
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, "the child failed, or did not end"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("size", ["quick", pytest.param("full", marks=pytest.mark.nightly)])
def test_forks_while_threads_run(size: str) -> None:
    """Whatever the threads of the parent were doing, the child can go on with the same objects."""
    needs_backend("native")
    plans = [p for p in prepared("native", 1) if p[0].output.nbytes]
    plans = plans[::4] if size == "quick" else plans
    given = [[variants(inputs, number) for number in range(2)] for _, inputs in plans]
    wanted = [[plan.operator.reference(*(x.values for x in own)) for own in each]
              for (plan, _), each in zip(plans, given, strict=True)]
    graph = mobilenet_v1(0.25, 32)
    network, image = graph.plan("native"), random_input(graph)
    answer = network.run(image).values
    program = ns.assemble(SUM, isa="aarch64")
    machine = ns.Machine()
    address = machine.memory.place(np.ones(50, np.uint8))
    stop = threading.Event()

    def once(number: int) -> None:
        for at, (plan, _) in enumerate(plans):
            assert_array_equal(plan.run(*given[at][number], threads=2).values, wanted[at][number])
        assert_array_equal(network.run(image, 2).values, answer)
        assert machine.call(program, address, 50, engine="python").returned == 50

    def work(number: int) -> None:
        if number == 0:
            try:
                for _ in range(3 if size == "quick" else 60):
                    time.sleep(0.005)
                    in_child(lambda: once(1))
            finally:
                stop.set()
        while not stop.is_set():
            once(number % 2)

    at_once(work, 4)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer signals")
@pytest.mark.parametrize("size", ["quick", pytest.param("full", marks=pytest.mark.nightly)])
def test_interrupts_anywhere(size: str) -> None:
    """Ctrl-C at any moment: the next run is right, also where pointers were just being moved."""
    needs_backend("native")

    class Stop(KeyboardInterrupt):
        pass

    def stop(*_: Any) -> None:
        raise Stop

    plans = prepared("native", 1, 1 if size == "full" else 2) + prepared("emulated", 1, 10)
    given = [[variants(inputs, number) for number in range(2)] for _, inputs in plans]
    wanted = [[plan.operator.reference(*(x.values for x in own)) for own in each]
              for (plan, _), each in zip(plans, given, strict=True)]
    rng, stopped = np.random.default_rng(0), 0
    before = signal.signal(signal.SIGALRM, stop)
    try:
        for _ in range(1 if size == "quick" else 60):
            for at, (plan, _) in enumerate(plans):
                begin = time.perf_counter()
                plan.run(*given[at][0])
                whole = time.perf_counter() - begin     # so that moments are of the run, whatever computes it
                for turn in range(4):
                    try:
                        signal.setitimer(signal.ITIMER_REAL, max(whole * float(rng.uniform(0, 1)), 1e-6))
                        plan.run(*given[at][turn % 2])
                        signal.setitimer(signal.ITIMER_REAL, 0)
                    except Stop:
                        stopped += 1
                signal.setitimer(signal.ITIMER_REAL, 0)
                for number in (1, 0):
                    assert_array_equal(plan.run(*given[at][number]).values, wanted[at][number],
                                                  err_msg=plan.operator.kind)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert stopped > len(plans) // 4


def test_moving_pointers_interrupted_half_way() -> None:
    """The one moment that the test above may miss: some tables moved, the others not."""
    needs_backend("native")
    rng = np.random.default_rng(2)
    w = Quantized(rng.integers(0, 256, (4, 3, 3, 8), np.uint8), 0.01, 100)
    operator = ns.ops.Conv2d(Scheme(1.0), w, out=Scheme(5.0), padding=1)
    plan = operator.plan((1, 9, 9, 8), backend=NativeBackend(layers=False))
    images = [Quantized(rng.integers(0, 256, (1, 9, 9, 8), np.uint8), 1.0) for _ in range(3)]
    plan.run(images[0])
    leads = plan.loaded._leads                      # type: ignore[attr-defined]
    (region, lists), = ((k, v) for k, v in leads.items() if v)

    class Torn(Exception):
        pass

    class Half(list):       # type: ignore[type-arg]
        def __iter__(self) -> Iterator[Any]:
            numbers, which = next(list.__iter__(self))
            numbers[which] += np.uint64(1 << 20)
            raise Torn

    leads[region] = Half(lists)
    with pytest.raises(Torn):
        plan.run(images[1])
    leads[region] = lists
    assert_array_equal(plan.run(images[2]).values, plan.operator.reference(images[2].values))


# ---- under the thread sanitizer --------------------------------------------------------------------------------------

WITH_LIBRARY = """
import sys
from pathlib import Path
from neonsim.nn.backends.native import library as native_library
native_library._locate = lambda: (Path(sys.argv[1]), "")
import pytest
raise SystemExit(pytest.main(sys.argv[2:]))
"""


@pytest.mark.nightly
def test_the_same_under_the_thread_sanitizer(tmp_path: Path) -> None:
    """The library built with it; the interpreter is not, but the locks that it takes are seen."""
    runtime = subprocess.run(["gcc", "-print-file-name=libtsan.so"], capture_output=True, text=True, check=False
                             ).stdout.strip() if shutil.which("gcc") else ""
    if not Path(runtime).is_file() or not shutil.which("cmake"):
        pytest.skip("needs gcc with its thread sanitizer (libtsan), and cmake")
    source = Path(__file__).parents[2] / "native"
    for command in (["cmake", "-S", str(source), "-B", str(tmp_path), "-G", "Ninja", "-DNEONSIM_SANITIZE_THREADS=ON"],
                    ["cmake", "--build", str(tmp_path), "--target", "neonsim"]):
        subprocess.run(command, check=True, capture_output=True)
    chosen = "native-quick or crashed or called_in_eight_threads or networks_in or made_and_dropped_in"
    done = subprocess.run(
        [sys.executable, "-c", WITH_LIBRARY, tmp_path / "libneonsim.so", "-q", "-n", "0", "-m", "not nightly",
         "-k", f"({chosen}) and not emulated", __file__],
        env={**os.environ, "LD_PRELOAD": runtime, "TSAN_OPTIONS": "exitcode=66"}, capture_output=True, text=True,
        check=False)
    assert "WARNING: ThreadSanitizer" not in done.stderr, done.stderr[:8000]
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout[-4000:] + done.stderr[-4000:]


# ---- memory ----------------------------------------------------------------------------------------------------------

def test_networks_are_freed_when_nobody_has_them() -> None:
    """An array of numpy's in a circle hid the arena from the collector: 10 MB for each plan of MobileNetV1."""
    needs_backend("native")
    gc.freeze()     # what is collected is what is made here
    graph = mobilenet_v1(0.25, 32)
    plan = graph.plan("native")
    plan.run(random_input(graph), 2)
    owned, network = weakref.ref(plan.network._owned), weakref.ref(plan.network)    # type: ignore[attr-defined]
    arena = plan.network.arena[:4]                                                  # type: ignore[attr-defined]
    del plan
    gc.collect()
    assert network() is None and owned() is not None, "a view of the arena keeps the memory, not the plan"
    arena[0] = 1
    del arena
    assert owned() is None


@pytest.mark.parametrize("kind", ["operator", "machine", "interpreter", "python", "grid", "compiled", "network"])
def test_what_owns_memory_is_freed(kind: str) -> None:
    """Not one object of a kind stays, nor what it holds, without help of the collector's or with it."""
    gc.freeze()     # what is collected is what is made here
    if kind in ("operator", "network"):
        needs_backend("native")
    kept: list[weakref.ref[Any]] = []
    if kind == "operator":
        plan = ns.ops.Clamp(Scheme(1.0), output_min=0, output_max=9).plan((4, 8), backend="native")
        plan.run(Quantized(np.zeros((4, 8), np.uint8), 1.0))
        kept += [weakref.ref(plan), weakref.ref(plan.loaded)]
        del plan
    elif kind == "network":
        layer = NetworkLayer.create("max_pool", input_height=2, input_width=2, input_channels=4, output_height=2,
                                    output_width=2, output_channels=4, input_stride=4, output_stride=4, output=64)
        network = NativeNetwork([layer], 128)
        network.run()
        kept += [weakref.ref(network), weakref.ref(network._owned)]
        del network
    else:
        if kind == "compiled" and compiler() is None:
            pytest.skip("no C compiler here")
        # One whose translation no other test has loaded.
        program = ns.assemble(SUM.replace("mov w2, #0", "mov w2, #0\n mov w9, #77"), isa="aarch64")
        machine = ns.Machine()
        address = machine.memory.place(np.ones(5, np.uint8))
        done = machine.call(program, address, 5, engine=None if kind in ("machine", "grid") else kind,
                            tiles=ns.Grid(1, 2) if kind == "grid" else None)
        kept += [weakref.ref(machine), weakref.ref(machine.memory), weakref.ref(program)]
        if kind == "compiled":
            loaded = engine_for(program, "compiled", None).library.library._name    # type: ignore[attr-defined]
        del machine, program, done
    gc.collect()
    assert [one() for one in kept] == [None] * len(kept)
    if kind == "compiled" and os.path.exists("/proc/self/maps"):
        assert loaded not in Path("/proc/self/maps").read_text(), "its code is still mapped"


def _stepped(machine: ns.Machine, program: ns.Program, *arguments: int) -> Any:
    machine.start(program, *arguments)
    machine.step(9)
    machine.back(2)
    machine.run(until=lambda m: m.steps == 9)
    return machine.trace()


def _failed(machine: ns.Machine, program: ns.Program, address: int, count: int) -> Any:
    try:
        machine.call(program, address, count + PLACED)
    except ns.MemoryFault as problem:
        return str(problem)
    raise AssertionError("reads behind its buffer")


PLACED = 400     # bytes that a loop reads: enough for what records a call to take over
CALLS: dict[str, Callable[..., Any]] = {
    "plain": lambda machine, *call: machine.call(*call, trace=False, sanitize=False),
    "translated": lambda machine, *call: machine.call(*call, engine="python"),
    "traced": lambda machine, *call: machine.call(*call),
    "interpreted": lambda machine, *call: machine.call(*call, engine="interpreter"),
    "recorded": lambda machine, *call: [machine.call(*call), machine.trace()],
    "grid": lambda machine, *call: machine.call(*call, tiles=ns.Grid(2, 3), trace=True),
    "grid by blocks": lambda machine, *call: machine.call(*call, tiles=ns.Grid(2, 3), trace=False),
    "stepped": _stepped,
    "failed": _failed,
}


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
@pytest.mark.parametrize("how", CALLS)
def test_a_machine_is_freed_at_once(how: str, isa: str) -> None:
    """No circle of references holds a machine, so its memory does not wait for the garbage collector."""
    sp, x0, x1, x2 = ("sp", "x0", "x1", "x2") if isa == "aarch64" else ("sp", "r0", "r1", "r2")
    push, pop = ("str x0, [sp, #-16]!", "ldr x0, [sp], #16") if isa == "aarch64" else ("push {r0, lr}", "pop {r0, lr}")
    program = ns.assemble(f"{push}\n1: ldrb {x2.replace('x', 'w')}, [{x0}], #1\nsubs {x1}, {x1}, #1\nbne 1b\n{pop}\n"
                          + ("ret" if isa == "aarch64" else "bx lr"), isa=isa)
    count = PLACED if how == "recorded" else 20
    machine = ns.Machine(isa)
    CALLS[how](machine, program, machine.memory.place(np.ones(PLACED, np.uint8)), count)
    gc.disable()        # what was translated for all machines, and may refer to itself, has been made
    try:
        machine = ns.Machine(isa)
        address = machine.memory.place(np.ones(PLACED, np.uint8))
        registers = machine.registers
        result = CALLS[how](machine, program, address, count)
        session = machine._session
        assert session is not None and registers["sp"] == machine.registers[sp]
        kept = weakref.ref(machine), weakref.ref(machine.memory), weakref.ref(session)
        del machine, registers, session
        assert [one() for one in kept] == [None] * 3
        del result
    finally:
        gc.enable()


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc, which is not here")
@pytest.mark.parametrize("count", [15, pytest.param(2000, marks=pytest.mark.nightly)])
def test_memory_is_flat_over_plans_made_and_dropped(count: int) -> None:
    needs_backend("native")
    gc.freeze()     # what is collected is what is made here
    graph = mobilenet_v1(0.5, 32)
    x = random_input(graph)
    w = Quantized(np.ones((64, 3, 3, 64), np.uint8), 0.01)
    conv = ns.ops.Conv2d(Scheme(1.0), w, out=Scheme(1.0), padding=1)

    def once() -> None:
        graph.plan("native").run(x, 2)
        conv.plan((1, 16, 16, 64), backend="native")

    for _ in range(5):
        once()
    gc.collect()
    before = resident()
    for _ in range(count):
        once()
    gc.collect()
    assert resident() - before < 6 << 20, "a plan of this network has 2 MB"


# ---- the means -------------------------------------------------------------------------------------------------------

class Counter(Serialized):
    def __init__(self) -> None:
        self.value = 0

    @serialized
    def add(self) -> None:
        found = self.value
        time.sleep(0)
        self.value = found + 1

    @serialized
    def twice(self) -> None:
        self.add()

    @reentrant
    def look(self) -> int:
        return self.value

    @serialized
    def look_inside(self) -> int:
        return self.look()


def test_turns() -> None:
    counter = Counter()

    def add(number: int) -> None:
        for _ in range(50):
            counter.add()

    at_once(add)
    assert counter.value == 50 * THREADS == counter.look_inside()
    with pytest.raises(NeonsimError, match=r"Counter.add\(\) cannot begin inside Counter.twice\(\)"):
        counter.twice()
    counter.add()


def test_made_once() -> None:
    gc.freeze()     # what is collected is what is made here
    calls = []

    class Made:
        def __init__(self, owner: Counter, key: int) -> None:
            calls.append(key)
            self.owner = owner

    kept: PerObjectCache[Counter, Made] = PerObjectCache(Made)
    owner = Counter()
    found: list[Made] = []
    at_once(lambda number, owner=owner: found.append(kept.get(owner, number % 2)))       # type: ignore[misc]
    assert len({id(one) for one in found}) == 2 and len(calls) <= THREADS
    assert kept.get(owner, 0) is kept.get(owner, 0)
    found.clear()
    made = weakref.ref(kept.get(owner, 7))
    del owner
    gc.collect()
    assert made() is None


def test_forms_are_made_once_for_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of mnemonics is whole for every thread, and a form is one object."""
    whole = {word: [at for at, _ in places] for word, places in spec.TABLE["a64"].places.items()}
    monkeypatch.setattr(spec, "_FORMS", {})
    table = spec.Mnemonics("a64")
    seen: list[tuple[dict[str, list[int]], Any]] = []

    def ask(number: int) -> None:
        found = {word: [at for at, _ in places] for word, places in table.places.items()}
        seen.append((found, spec.forms("aarch64")[0]))

    at_once(ask)
    assert len(seen) == THREADS and all(places == whole and form is seen[0][1] for places, form in seen)
