"""compare and assert_bit_equal: with a backend that has a fault, and one that can say which step it was."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from neonsim.arm.machine import Trace
from neonsim.errors import BackendError, BadArgument, UninitialisedRead
from neonsim.nn.backends import Implementation, Job, NamedKernel, TileTrace
from neonsim.nn.backends.reference import ReferenceBackend, ReferenceJob
from neonsim.nn.ops import Clamp, Conv2d, FullyConnected, compare, conv2d, fully_connected
from neonsim.quant import Quantized, Scheme
from tests.nn.operator_cases import assert_bit_equal, conv_cases, gemm_cases


class FaultyJob(ReferenceJob):
    """A job that adds one to some bytes of the result, pixel and channel, where there are such."""

    def __init__(self, backend: Faulty, job: Job) -> None:
        super().__init__(job)
        self.backend = backend

    def run(self, threads: int = 1) -> None:
        super().run(threads)
        channels = self.backend.channels
        result = self.view("output").reshape(-1, channels) if self.view("output").size % channels == 0 else None
        for row, column in self.backend.places:
            if result is not None and row < result.shape[0] and column < channels:
                result[row, column] += np.uint8(1)


class Faulty(ReferenceBackend):
    """Computes by definition, and wrongly here and there. Results are seen as rows of so many channels."""

    name = "faulty"

    def __init__(self, *places: tuple[int, int], channels: int = 20) -> None:
        self.places, self.channels = places, channels

    def load(self, job: Job) -> ReferenceJob:
        return FaultyJob(self, job)


class TracingFault(FaultyJob):
    """As FaultyJob, and can run a 4x8 tile again: a load, and two steps that both store all rows."""

    backend: Tracing

    def trace(self, call: int, row: int = 0, column: int = 0, region: str = "output") -> TileTrace:
        if self.backend.stops:
            raise UninitialisedRead("kernels/mine.S:7: step 3: stores uninitialized bits")
        channels, first, left = self.backend.channels, 4 * row, 8 * column
        values = self.view(region).copy()
        if self.backend.single_is_right:
            values = self.job.definition({"x": self.view("x"), region: values})[region]
        program = SimpleNamespace(instructions=[_Instruction("ldr x0, [x1]", 39), _Instruction("st1 {v9.8b}, [x6]", 40),
                                                _Instruction("st1 {v0.8b}, [x6]", 41)])
        rows = min(4, values.size // channels - first)
        stores = [0x1000 + (first + r) * channels + left for r in range(rows)]
        trace = SimpleNamespace(
            program=program, pc=np.array([0, 1, 2], np.int32),
            access_start=np.array([0, 1, 1 + rows, 1 + 2 * rows], np.int32),
            access_address=np.array([0x1000, *stores * 2], np.int64),
            access_bytes=np.array([8] * (1 + 2 * rows), np.int32),
            access_store=np.array([False] + [True] * 2 * rows),
            locations=("x0", "v16", "qc"),
            write_start=np.array([0, 1, 2, 2], np.int32), write_location=np.array([1, 0], np.int16),
            write_after=np.array([[*self.backend.lanes], [*self.backend.lanes]], "<i4").view(np.uint8),
        )
        # The columns are made up; how they are read is the trace's own business.
        trace.last_store = partial(Trace.last_store, trace)  # type: ignore[arg-type]
        trace.instruction = lambda step: program.instructions[int(trace.pc[step])]
        return TileTrace("mine", trace, call, (row, column), 0x1000, values)  # type: ignore[arg-type]


class Tracing(Faulty):
    """Has one kernel of its own, whose tiles it can run again."""

    name = "tracing"
    is_reference = False
    single_is_right = False
    stops = False
    lanes = (7, 7, 7, 7)            # of v16 after step 0, and of x0 after step 1

    def kernels(self, contract: str | None = None) -> tuple[str, ...]:
        return ("mine",) if contract in (None, "qu8_gemm_q31") else ()

    def find(self, contract: str, kernel: str | NamedKernel | None = None) -> tuple[Implementation, ...]:
        return (Implementation("mine", contract, "aarch64", 4, 8),) if contract == "qu8_gemm_q31" else ()

    def load(self, job: Job) -> ReferenceJob:
        return TracingFault(self, job)


class _Instruction:
    def __init__(self, text: str, line: int) -> None:
        self.text, self.position = text, SimpleNamespace(path="kernels/mine.S", line=line)

    def __str__(self) -> str:
        return self.text


def operands(m: int = 10, n: int = 20, k: int = 5) -> tuple[Quantized, Quantized]:
    rng = np.random.default_rng(1)
    return (Quantized(rng.integers(0, 256, (m, k), dtype=np.uint8), 1.0, 127),
            Quantized(rng.integers(0, 256, (n, k), dtype=np.uint8), 1.0, 127))


def test_equal() -> None:
    found = compare(fully_connected, *operands(), out=Scheme(1000.0, 128), backends=("reference", Faulty()))
    assert found and found.equal and found.first is None and not found.differences
    assert str(found) == "equal: reference, faulty give the same 200 bytes"
    assert list(found.results) == ["reference", "faulty"]


def test_first_difference_is_the_first_in_memory() -> None:
    backend = Faulty((9, 0), (3, 17), (4, 2))
    found = compare(fully_connected, *operands(), out=Scheme(1000.0, 128), backends=("reference", backend))
    assert not found and found.first is not None
    right = found.results["reference"].values[3, 17]
    assert found.first.index == (3, 17) and found.first.count == 3
    assert found.first.values == (right, right + 1) and found.first.step is None
    assert f"differ in 3 elements, first at [3, 17]: {right} and {right + 1}" in str(found)


def test_step_that_wrote_it_is_named() -> None:
    found = compare(fully_connected, *operands(), out=Scheme(1000.0, 128), backends=("reference", Tracing((6, 13))))
    assert found.first is not None
    step = found.first.step
    assert step is not None and found.first.index == (6, 13)
    assert (step.kernel, step.call, step.tile, step.step, step.line) == ("mine", 0, (1, 1), 2, 41)
    assert step.instruction == "st1 {v0.8b}, [x6]" and step.value == found.first.values[1]
    assert "written by step 3, kernels/mine.S:41:  st1 {v0.8b}, [x6]" in str(found) and not found.first.note


def test_lock_step_that_disagrees_with_the_tile_alone_is_said() -> None:
    backend = Tracing((6, 13))
    backend.single_is_right = True
    found = compare(fully_connected, *operands(), out=Scheme(1000.0, 128), backends=("reference", backend))
    assert found.first is not None and "lock-step and single execution disagree" in found.first.note


def test_sum_that_belongs_there_is_looked_for_in_the_registers() -> None:
    x, w = operands()
    right = int((x.values[6].astype(int) - 127) @ (w.values[13].astype(int) - 127))
    backend = Tracing((6, 13))
    lost = compare(fully_connected, x, w, out=Scheme(1000.0, 128), backends=("reference", backend))
    assert lost.first is not None and lost.first.step is not None
    assert (lost.first.step.right_sum, lost.first.step.sum_step) == (right, None)
    assert f"the sum {right} that belongs here is in no register" in str(lost)
    backend.lanes = (7, 7, right, 7)
    kept = compare(fully_connected, x, w, out=Scheme(1000.0, 128), backends=("reference", backend))
    assert kept.first is not None and kept.first.step is not None
    assert (kept.first.step.sum_step, kept.first.step.sum_place) == (0, "v16.s[2]")
    assert f"the sum {right} that belongs here is in v16.s[2] after step 1: look after that" in str(kept)


def test_tile_that_stops_when_run_alone_is_said() -> None:
    backend = Tracing((6, 13))
    backend.stops = True
    found = compare(fully_connected, *operands(), out=Scheme(1000.0, 128), backends=("reference", backend))
    assert found.first is not None and found.first.step is None and found.first.index == (6, 13)
    assert "run alone, the tile of tracing stops: kernels/mine.S:7" in str(found)


def test_judge_can_be_the_one_that_traces() -> None:
    found = compare(fully_connected, *operands(), out=Scheme(1000.0, 128),
                    backends=(Tracing(), Faulty((0, 0))))
    assert found.first is not None and found.first.step is not None
    assert found.first.step.tile == (0, 0) and found.first.step.value == found.first.values[0]


def test_groups_of_a_convolution_find_their_tile() -> None:
    """Two groups of ten channels: rows of the grid are (group, tile), the last columns a call of their own."""
    rng = np.random.default_rng(3)
    x = Quantized(rng.integers(0, 256, (1, 3, 3, 6), dtype=np.uint8), 1.0, 127)
    w = Quantized(rng.integers(0, 256, (20, 1, 1, 3), dtype=np.uint8), 1.0, 127)
    found = compare(conv2d, x, w, out=Scheme(1000.0, 128), groups=2, backends=("reference", Tracing((5, 9))))
    assert found.first is not None and found.first.step is not None
    assert found.first.index == (0, 1, 2, 9) and found.first.count == 1
    assert (found.first.step.call, found.first.step.tile) == (1, (1, 0))
    found = compare(conv2d, x, w, out=Scheme(1000.0, 128), groups=2, backends=("reference", Tracing((5, 13))))
    assert found.first is not None and found.first.step is not None
    assert found.first.index == (0, 1, 2, 13) and (found.first.step.call, found.first.step.tile) == (0, (3, 0))
    right = (x.values[0, 1, 2, 3:].astype(int) - 127) @ (w.values[13, 0, 0].astype(int) - 127)
    assert found.first.step.right_sum == right


def test_a_walk_over_operators_stops_at_the_first_that_differs() -> None:
    x, w = operands()
    first = FullyConnected(x.scheme, w, out=Scheme(1000.0, 128))
    second = Clamp(first.out, output_min=100, output_max=150)
    found = compare([first, second], x, backends=("reference", Faulty()))
    assert found and found.compared == 2 and "in 2 operators" in str(found)
    assert found.results["faulty"].values.max() <= 150
    found = compare([first, second], x, backends=("reference", Faulty((1, 2))))
    assert not found and found.compared == 1 and found.first is not None
    assert found.first.operator == "fully connected" and str(found).startswith("fully connected: reference and faulty")

    class FaultyLater(Faulty):
        def load(self, job: Job) -> ReferenceJob:
            return FaultyJob(self, job) if job.name == "clamp" else ReferenceJob(job)

    found = compare([first, second], x, backends=("reference", FaultyLater((1, 2))))
    assert not found and found.compared == 2 and found.first is not None and found.first.operator == "clamp"


def test_operator_objects_are_compared() -> None:
    x, w = operands()
    assert compare(FullyConnected(x.scheme, w, out=Scheme(1000.0, 128)), x, backends=("reference", "emulated"))
    image = Quantized(x.values.reshape(1, 5, 2, 5), 1.0, 127)
    layer = Conv2d(image.scheme, Quantized(w.values.reshape(4, 5, 5, 1)[:, :1, :1].repeat(5, 3), 1.0, 127),
                   out=Scheme(999.0))
    assert compare(layer, image, backends=("reference", "emulated"))


def test_every_backend_is_compared_with_the_first() -> None:
    found = compare(fully_connected, *operands(), out=Scheme(1000.0, 128),
                    backends=("reference", Faulty((1, 1)), Faulty(), Faulty((0, 0))))
    assert [d.index for d in found.differences] == [(1, 1), (0, 0)]
    assert list(found.results) == ["reference", "faulty", "faulty (2)", "faulty (3)"]


def test_kernel_goes_to_the_backends_that_have_it() -> None:
    class Named:
        name = "mine"

    found = compare(Named(), *operands(), out=Scheme(1000.0, 128), backends=("reference", Tracing()))
    assert found.equal
    found = compare(fully_connected, *operands(), out=Scheme(1000.0, 128), backends=("reference", Tracing()),
                    kernel="mine")
    assert found.equal
    with pytest.raises(BackendError, match="so it would not be tested"):
        compare(Named(), *operands(), out=Scheme(1000.0, 128), backends=("reference", Faulty()))


def test_what_compare_refuses() -> None:
    x, w = operands()
    with pytest.raises(BadArgument, match="at least two backends"):
        compare(fully_connected, x, w, out=Scheme(1.0), backends=("reference",))
    with pytest.raises(BadArgument, match="at least two backends"):
        compare(fully_connected, x, w, out=Scheme(1.0), backends="reference")
    with pytest.raises(BadArgument, match="an operator or a kernel first"):
        compare(x, w, out=Scheme(1.0), backends=("reference", Faulty()))  # type: ignore[arg-type]
    with pytest.raises(BadArgument, match="several backends"):
        compare(fully_connected, x, w, out=Scheme(1.0), backends=("reference", Faulty()), backend="native")


def test_assert_bit_equal() -> None:
    assert assert_bit_equal(fully_connected, backends=("reference", Faulty())) == len(list(gemm_cases()))
    assert assert_bit_equal(conv2d, backends=("reference", Faulty())) == len(list(conv_cases()))
    with pytest.raises(AssertionError, match=r"fully_connected, case m4_n8_k1_uniform.*, seed 0:\n.*first at \[2, 3\]"):
        assert_bit_equal(fully_connected, backends=("reference", Faulty((2, 3), channels=8)))
    x, w = operands()
    assert assert_bit_equal(fully_connected, x, w, out=Scheme(1000.0), backends=("reference", Faulty())) == 1
    with pytest.raises(AssertionError, match="case given inputs:"):
        assert_bit_equal(fully_connected, x, w, out=Scheme(1000.0), backends=("reference", Faulty((0, 0))))
    with pytest.raises(BadArgument, match="no prepared cases for my_operator"):
        def my_operator(x: Quantized) -> Quantized:
            return x

        assert_bit_equal(my_operator, backends=("reference", Faulty()))


def test_kernel_without_a_product_has_no_cases() -> None:
    kernel = SimpleNamespace(name="qu8_sumrows_4x", tile=SimpleNamespace(mr=4, nr=None))
    with pytest.raises(BadArgument, match="no matrix product by itself"):
        assert_bit_equal(kernel, backends=("reference", Faulty()))


def test_cases_are_worth_their_names() -> None:
    """The same for the same seed; outputs spread; the ties are ties, of both signs."""
    cases = list(gemm_cases(4, 8))
    assert len({case.name for case in cases}) == len(cases)
    for one, other in zip(cases, gemm_cases(4, 8), strict=True):
        assert one.name == other.name
        np.testing.assert_array_equal(one.inputs[0].values, other.inputs[0].values)
    spread = [len(np.unique(fully_connected(*c.inputs, backend="reference", **c.options).values)) for c in cases
              if "uniform" in c.name and "output" not in c.name and c.inputs[1].shape[0] == 8]
    assert min(spread) >= 4
    for case in (c for c in cases if "ties" in c.name):
        x, w, bias = case.inputs
        acc = (x.values.astype(int) - x.zero_point) @ (w.values.astype(int) - w.zero_point).T + bias
        step = int(float(case.options["out"].scale))
        ties = acc[acc % step == step // 2]
        assert ties.size >= w.shape[0] and ties.min() < 0 < ties.max(), case.name
