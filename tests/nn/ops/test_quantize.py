"""Between real numbers and quantised ones: by definition, and refused in words where kernels would be needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument
from neonsim.nn import ops
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.ops import Dequantize, Quantize
from neonsim.quant.scheme import Quantized, Scheme
from tests.needs import needs_backend
from tests.tiers import every

SCHEMES = [Scheme(0.5, 10), Scheme(0.0123, 255), Scheme(3.0, -128, "int8"), Scheme(2.0**-7, 0, "int8")]


def exactly(x: float, scheme: Scheme) -> int:
    """The nearest integer in integers: x and the scale are fractions."""
    from fractions import Fraction
    info = np.iinfo(scheme.dtype)
    if np.isinf(x):
        return info.max if x > 0 else info.min
    steps = round(Fraction(x) / Fraction(float(np.float32(scheme.scale)))) + scheme.zero_point    # ties to even
    return min(max(steps, info.min), info.max)


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_nearest_ties_to_even(scheme: Scheme) -> None:
    rng = np.random.default_rng(1)
    step = np.float32(scheme.scale)
    x = np.concatenate([rng.uniform(-300, 300, 300) * step, (np.arange(-300, 300) + 0.5) * step,
                        [0.0, -0.0, np.inf, -np.inf, 3e38, -3e38, 1e-45]]).astype(np.float32)
    found = ops.quantize(x.reshape(1, -1), out=scheme)
    assert found.scheme == scheme and found.backend == "reference" and found.shape == (1, x.size)
    assert found.values[0].tolist() == [exactly(float(v), scheme) for v in x]
    back = ops.dequantize(found)
    assert back.dtype == np.float32 and np.array_equal(back, found.dequantize())


def test_there_and_back() -> None:
    """All 256 integers come back; of int32 sums the product in single precision."""
    for scheme in SCHEMES:
        info = np.iinfo(scheme.dtype)
        every = Quantized(np.arange(info.min, info.max + 1).astype(scheme.dtype), scheme.scale, scheme.zero_point)
        assert np.array_equal(ops.quantize(ops.dequantize(every), out=scheme).values, every.values)
    sums = np.array([[2**31 - 1, -2**31], [16777217, 3]], np.int32)
    wanted = sums.astype(np.float32) * np.array([0.5, 3.0], np.float32)
    assert np.array_equal(ops.dequantize(sums, scale=[0.5, 3.0]), wanted)
    assert np.array_equal(ops.dequantize(sums, scale=0.5), sums.astype(np.float32) * np.float32(0.5))


def test_plans() -> None:
    """Planned once, run often; arrays that are not contiguous, results in an array of the caller's."""
    x = np.random.default_rng(2).uniform(-3, 3, (2, 4, 6)).astype(np.float32)
    plan = Quantize(out=SCHEMES[0]).plan((2, 4, 3))
    for part in (x[..., :3], x[..., 3:], x[..., ::2]):
        assert np.array_equal(plan.run(part).values, ops.quantize(part.copy(), out=SCHEMES[0]).values)
    assert "numpy, by definition" in plan.explain() and plan.backend.name == "reference"
    y = Dequantize(SCHEMES[0]).plan((2, 4, 3)).run(plan.run(x[..., :3]))
    assert isinstance(y, np.ndarray) and np.abs(y - x[..., :3]).max() <= 0.25
    out_array = np.zeros((2, 4, 6), np.float32)
    q = ops.quantize(x, out=SCHEMES[0])
    assert ops.dequantize(q, out_array=out_array) is out_array and np.array_equal(out_array, q.dequantize())
    wide = np.zeros((2, 4, 12), np.float32)
    ops.dequantize(q, out_array=wide[..., :6])
    assert np.array_equal(wide[..., :6], out_array) and not wide[..., 6:].any()
    assert ops.quantize(x[:0], out=SCHEMES[0]).shape == (0, 4, 6)


def test_compared() -> None:
    x = Quantized(np.arange(6, dtype=np.uint8).reshape(2, 3), 0.5, 3)
    found = ops.compare([Dequantize(x.scheme), Quantize(out=SCHEMES[2])], x, backends=("reference", "reference"))
    assert found and "6 bytes" in str(found)
    assert ops.compare([Dequantize(x.scheme)], x, backends=("reference", "reference"))


@pytest.mark.parametrize("backend", ["emulated", "native"])
def test_backends_without_kernels_refuse(backend: str) -> None:
    needs_backend(backend)
    x = np.zeros((1, 4), np.float32)
    for act, what in ((lambda: ops.quantize(x, out=SCHEMES[0], backend=backend), "quantization of float32"),
                      (lambda: ops.dequantize(np.zeros((1, 4), np.int32), scale=1.0, backend=backend),
                       "dequantization to float32")):
        said = f"The {backend} backend does not support this: there are no kernels for {what}"
        with pytest.raises(BackendError, match=said):
            act()


EDGES: list[Any] = [Quantize(out=Scheme(0.03, 7, "uint8"), reciprocal=True),
                    Quantize(out=Scheme(0.25, -9, "int8"), reciprocal=True),
                    Quantize(out=Scheme(0.25, 0, "int8"), ties="away"),
                    Quantize(out=Scheme(0.001, 0, "int16"), ties="away"),
                    Dequantize(Scheme(0.03, 7, "uint8")), Dequantize(Scheme(0.03, -128, "int8")),
                    Dequantize(Scheme(1e-4, 0, "int16"))]


@pytest.mark.parametrize(("one", "isa"), every(12, [
    (one, isa) for at, one in enumerate(EDGES) for isa in (("aarch32", "aarch64"), ("aarch64", "aarch32"))[at % 2]]))
def test_kernels_at_the_edges_of_networks(one: Any, isa: str) -> None:
    """Whole arrays, more than a task of elements, and pixels that lie apart; the judge is numpy, written once more."""
    rng = np.random.default_rng(3)
    scheme = one.out if isinstance(one, Quantize) else one.x
    ends = np.iinfo(scheme.dtype)
    for x in (rng.normal(0, 60 * scheme.scale, (3, 1500, 3)), np.arange(-40, 41).reshape(-1, 1) * 0.5 * scheme.scale):
        if isinstance(one, Quantize):
            given: Any = x.astype(np.float32)
            single = (given * (np.float32(1) / np.float32(scheme.scale)) if one.reciprocal else
                      given / np.float32(scheme.scale)).astype(np.float64)
            whole = np.rint(single) if one.ties == "even" else np.trunc(single + np.copysign(0.5, single))
            wanted: Any = np.clip(whole + scheme.zero_point, ends.min, ends.max)
        else:
            values = rng.integers(ends.min, ends.max, x.shape, endpoint=True).astype(scheme.dtype)
            given = scheme.wrap(values)
            wanted = (values.astype(np.float32) - np.float32(scheme.zero_point)) * np.float32(scheme.scale)
        for backend in (EmulatedBackend(isa), "native"):
            try:
                found = one(given, backend=backend)
            except BackendError as problem:
                pytest.skip(str(problem))
            assert np.array_equal(getattr(found, "values", found), wanted)
        if isinstance(one, Quantize):
            apart = np.zeros((*given.shape[:-1], given.shape[-1] + 2), np.float32)[..., :given.shape[-1]]
            apart[...] = given
            assert np.array_equal(one(apart, backend=EmulatedBackend(isa)).values, wanted)


def test_nan_is_refused_or_the_upper_end() -> None:
    x = np.array([[0.0, np.nan]], np.float32)
    for one in (*EDGES[2:4], Quantize(out=SCHEMES[0], reciprocal=True, finite=True)):
        for backend in ("reference", "emulated"):
            with pytest.raises(BadArgument, match="contain NaN at"):
                one(x, backend=backend)
    for backend in ("reference", "emulated"):
        assert EDGES[0](x, backend=backend).values.tolist() == [[7, 255]]


MISUSES: list[tuple[Any, str]] = [
    (lambda: ops.quantize(np.array([1.0, np.nan], np.float32), out=SCHEMES[0]), "contain NaN at"),
    (lambda: ops.quantize(np.zeros(3), out=SCHEMES[0]),  # type: ignore[arg-type]
     "x must be a numpy array of float32; got one of float64"),
    (lambda: ops.quantize([1.0], out=SCHEMES[0]), "x must be a numpy array of float32; got list"),  # type: ignore[arg-type]
    (lambda: ops.quantize(np.zeros((3, 0), np.float32), out=SCHEMES[0]), "at least one channel"),
    (lambda: ops.quantize(np.zeros((), np.float32), out=SCHEMES[0]), "at least one"),
    (lambda: ops.quantize(np.zeros(3, np.float32), out=Scheme(np.ones(2, np.float32), axis=0)), "only weights may"),
    (lambda: ops.quantize(np.zeros(3, np.float32), out=0.5), "must be a Scheme"),  # type: ignore[arg-type]
    (lambda: ops.dequantize(np.zeros(3, np.int32)), "the Scheme of 8-bit integers or scale= of int32 accumulators"),
    (lambda: ops.dequantize(np.zeros(3, np.int64), scale=1.0), "x must be a numpy array of int32; got one of int64"),
    (lambda: ops.dequantize(np.zeros(3, np.int32), scale=[1.0, 2.0]), "2 scales for 3 channels"),
    (lambda: ops.dequantize(np.zeros(3, np.int32), scale=-1.0), "must be positive"),
    (lambda: ops.dequantize(np.zeros(3, np.int32), scale=[[1.0]]), "one number or one per channel"),
    (lambda: ops.dequantize(Quantized(np.zeros(3, np.int8), 1.0), scale=1.0), "needs either"),
    (lambda: Dequantize(SCHEMES[0])(Quantized(np.zeros(3, np.uint8), 0.25)), "made for x of"),
    (lambda: Quantize(out=SCHEMES[0]).plan((2, 3)).run(np.zeros((2, 4), np.float32)),
     "Create a new plan for another size"),
]


@pytest.mark.parametrize("number", range(len(MISUSES)))
def test_misuse_gets_its_sentence(number: int) -> None:
    act, words = MISUSES[number]
    with pytest.raises(BadArgument) as found:
        act()
    assert words in str(found.value)
