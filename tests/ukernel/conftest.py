"""Calls of kernels, built from their contracts: cases with intent, one call alone, many calls in lock-step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.asm import Program
from neonsim.machine import Grid, Machine
from neonsim.packing import PackedWeights, pack_gemm, pack_gemm_xzp
from neonsim.packing.params import block_of
from neonsim.quant import Q31Params
from neonsim.ukernel import Kernel, contract_named

CANARY = 0xA5
LEAST_MULTIPLIER = 2**30


@dataclass(frozen=True, eq=False)
class Case:
    """One call of a kernel: sizes, operands, strides. Kernels that take fewer arguments leave the rest alone."""

    name: str
    a: NDArray[np.uint8]          # [mr, k]
    weights: NDArray[np.uint8]    # [nr, k]
    bias: NDArray[np.int32]       # [nr]
    params: Q31Params
    a_stride: int
    c_stride: int

    @property
    def sizes(self) -> tuple[int, int, int]:
        return self.a.shape[0], self.weights.shape[0], self.a.shape[1]

    @property
    def a_sum(self) -> NDArray[np.int32]:
        return (self.a.astype(np.int64).sum(axis=1) * -self.params.w_zero_point).astype(np.int32)


@dataclass
class Outcome:
    """What a call left behind: the output, bytes around it that changed, and what the machine says."""

    output: NDArray[Any]
    stray: int
    memory: bytes
    result: Any = field(repr=False)
    machine: Any = field(repr=False)


def _strided(rows: NDArray[np.uint8], stride: int, fill: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Rows in memory, stride bytes apart, ending with the last row; fill between them."""
    flat = fill[:(rows.shape[0] - 1) * stride + rows.shape[1]].copy()
    for i, row in enumerate(rows):
        flat[i * stride:i * stride + row.size] = row
    return flat


class Rig:
    """One kernel ready to be called: its own program, or a changed one (planted bugs)."""

    def __init__(self, kernel: Kernel, program: Program | None = None) -> None:
        self.kernel = kernel
        self.program = program or kernel.program()
        self.is_sum = kernel.tile.nr is None

    def packed(self, case: Case) -> PackedWeights:
        zeros = {"a_zero_point": case.params.a_zero_point, "w_zero_point": case.params.w_zero_point}
        if self.kernel.contract.name == "qu8_gemm_xzp_q31":
            return pack_gemm_xzp(case.weights, case.bias, nr=8, **zeros)
        return pack_gemm(case.weights, case.bias, nr=8, **zeros)

    def expected(self, case: Case) -> NDArray[Any]:
        """By the definition of the contract."""
        mr, nr, k = case.sizes
        if self.is_sum:
            sums = np.zeros(mr, np.int32)
            contract_named("qu8_sumrows")(case.a, mr, k, case.a_stride, -case.params.w_zero_point, sums)
            return sums
        c = np.zeros((mr, nr), np.uint8)
        values = {"mr": mr, "nr": nr, "kc": k, "a": case.a, "w": self.packed(case), "c": c, "params": case.params,
                  "a_sum": case.a_sum}
        self.kernel.contract(**{n: values[n] for n in self.kernel.contract.function.__annotations__ if n in values})
        return c

    def _operands(self, case: Case) -> dict[str, NDArray[Any]]:
        mr, nr, _ = case.sizes
        fill = np.arange(mr * case.a_stride, dtype=np.uint64).astype(np.uint8) * np.uint8(37)
        found: dict[str, NDArray[Any]] = {"a": _strided(case.a, case.a_stride, fill)}
        if self.is_sum:
            return found | {"sums": np.full(4 * mr, CANARY, np.uint8)}
        found["w"] = self.packed(case).data
        found["params"] = np.frombuffer(block_of(case.params), np.uint8)
        if self.kernel.contract.name == "qu8_gemm_xzp_q31":
            found["a_sum"] = case.a_sum.view(np.uint8)
        return found | {"c": np.full((mr - 1) * case.c_stride + nr, CANARY, np.uint8)}

    def _call(self, machine: Any, case: Case, addresses: dict[str, Any], strides: dict[str, Any],
              **options: Any) -> Any:
        mr, nr, k = case.sizes
        values: dict[str, Any] = {"mr": mr, "nr": nr, "kc": k, "m": mr, "k": k,
                                  "multiplier": -case.params.w_zero_point & 0xFFFFFFFF, **strides, **addresses}
        arguments = [values[argument.name] for argument in self.kernel.contract.arguments]
        return machine.call(self.program, *arguments, entry=self.kernel.name, **{"trace": False, **options})

    def single(self, case: Case, *, seed: int = 0, **options: Any) -> Outcome:
        """One call; every operand in a buffer of its exact size, so that any step over its edge is a fault."""
        machine = Machine(isa=self.kernel.isa, poison=seed)
        addresses = {}
        for name, data in self._operands(case).items():
            before = self.kernel.header.reads_before if name == "a" else 0
            writable = name in ("c", "sums")
            addresses[name] = machine.memory.place(data, name=name, reads_before=before, readonly=not writable)
        strides = {"a_stride": case.a_stride, "stride": case.a_stride, "c_stride": case.c_stride}
        result = self._call(machine, case, addresses, strides, **options)
        name = "sums" if self.is_sum else "c"
        left = machine.memory.fetch(name)
        return Outcome(*self._read(case, np.asarray(left).view(np.uint8)), left.tobytes(), result, machine)

    def _read(self, case: Case, left: NDArray[np.uint8]) -> tuple[NDArray[Any], int]:
        """The output, and how many bytes around it changed."""
        mr, nr, _ = case.sizes
        if self.is_sum:
            return left[:4 * mr].view(np.int32).copy(), 0
        rows = np.stack([left[i * case.c_stride:i * case.c_stride + nr] for i in range(mr)])
        inside = np.zeros(left.size, bool)
        for i in range(mr):
            inside[i * case.c_stride:i * case.c_stride + nr] = True
        return rows, int((left[~inside] != CANARY).sum())

    def lockstep(self, cases: Sequence[Case], *, cols: int = 1, seed: int = 0, **options: Any) -> list[Outcome]:
        """Calls of one (mr, nr, k), side by side: cases[i * cols + j] is tile (i, j)."""
        shared = Shared(self, cases, cols, seed)
        return shared.outcomes(shared.together(**options))


class Shared:
    """Several calls of one (mr, nr, k) in one memory: to be run in lock-step, or any one of them alone.

    The operands of the calls follow each other in each buffer at one distance.
    """

    def __init__(self, rig: Rig, cases: Sequence[Case], cols: int = 1, seed: int = 0) -> None:
        self.rig, self.cases = rig, cases
        self.machine = Machine(isa=rig.kernel.isa, poison=seed)
        self.grid = Grid(rows=len(cases) // cols, cols=cols)
        self.operands = [rig._operands(case) for case in cases]
        self.values: dict[str, list[int]] = {}
        self.pitches: dict[str, int] = {}
        for name in self.operands[0]:
            before = rig.kernel.header.reads_before if name == "a" else 0
            pitch = max(o[name].size for o in self.operands) + before
            pitch += -pitch % 8
            data = np.full((len(cases), pitch), CANARY, np.uint8)
            for i, o in enumerate(self.operands):
                data[i, before:before + o[name].size] = o[name]
            base = self.machine.memory.place(data.ravel(), name=name, readonly=name not in ("c", "sums"))
            self.values[name] = [base + before + pitch * i for i in range(len(cases))]
            self.pitches[name] = pitch
        self.values["a_stride"] = self.values["stride"] = [case.a_stride for case in cases]
        self.values["c_stride"] = [case.c_stride for case in cases]
        self.values["multiplier"] = [-case.params.w_zero_point & 0xFFFFFFFF for case in cases]

    def together(self, **options: Any) -> Any:
        """All calls in lock-step."""
        shape = self.grid.shape
        values = {name: v[0] if len(set(v)) == 1 else np.array(v).reshape(shape) for name, v in self.values.items()}
        return self.rig._call(self.machine, self.cases[0], values, {}, tiles=self.grid, **options)

    def alone(self, index: int, **options: Any) -> Any:
        """One of them, on the same memory."""
        values = {name: v[index] for name, v in self.values.items()}
        return self.rig._call(self.machine, self.cases[index], values, {}, **options)

    def outcomes(self, result: Any) -> list[Outcome]:
        """What each call left behind."""
        name = "sums" if self.rig.is_sum else "c"
        left = self.machine.memory.fetch(name).view(np.uint8).reshape(len(self.cases), self.pitches[name])
        found = []
        for i, case in enumerate(self.cases):
            used = self.operands[i][name].size
            output, stray = self.rig._read(case, left[i, :used].copy())
            stray += int((left[i, used:] != CANARY).sum())
            found.append(Outcome(output, stray, left[i, :used].tobytes(), result, self.machine))
        return found


def _spread(a: NDArray[np.uint8], w: NDArray[np.uint8], za: int, zw: int) -> tuple[NDArray[np.int32], int, int]:
    """Bias, multiplier and shift that spread the results over the whole byte: nothing wrong hides behind a clamp."""
    acc = (a.astype(np.int64) - za) @ (w.astype(np.int64).T - zw)
    bias = -np.round(acc.mean(axis=0)).astype(np.int64)
    scale = min(120.0 / max(int(np.abs(acc + bias).max()), 1), 1 - 2.0**-24)
    mantissa, exponent = np.frexp(scale)
    return bias.astype(np.int32), int(mantissa * 2.0**31), -int(exponent)


KINDS = ("uniform", "zeros", "ones", "ends", "ties", "near_ties", "mixed_ties", "unshifted", "extremes", "saturating",
         "clamped")


def make_case(kind: str, mr: int, nr: int, k: int, rng: np.random.Generator, *, a_zero_point: int | None = None,
              w_zero_point: int | None = None, a_stride: int | None = None, c_stride: int | None = None,
              tie_shift: int | None = None) -> Case:
    """Data with intent.

    uniform      random bytes, bias and scale that spread the results over the byte
    zeros, ones  all bytes of both operands 0, or 255
    ends         bytes 0, 1, 254, 255 only
    ties         a at its zero point, so that the bias alone is the sum: exact halves after scaling, of both signs
    near_ties    those, one nearer to zero
    mixed_ties   ties whose sign differs from row to row
    unshifted    shift 0 and small sums of both signs: no second rounding
    extremes     sums at the ends of int32 and wrapped around them, shift 0 and 31
    saturating   scaled values beyond 16 bits
    clamped      as uniform, with a narrow band between output_min and output_max
    """
    ends = np.array([0, 255])
    za = int(rng.integers(0, 256)) if a_zero_point is None else a_zero_point
    zw = int(rng.integers(0, 256)) if w_zero_point is None else w_zero_point
    multiplier, shift = int(rng.integers(LEAST_MULTIPLIER, 2 * LEAST_MULTIPLIER)), int(rng.integers(0, 16))
    a, w = rng.integers(0, 256, (mr, k), np.uint8), rng.integers(0, 256, (nr, k), np.uint8)
    bias = rng.integers(-5000, 5001, nr).astype(np.int32)
    low, high = 0, 255
    zero = int(rng.integers(0, 256))
    if kind in ("uniform", "ends", "clamped"):
        if kind == "ends":
            a, w = (rng.choice(np.array([0, 1, 254, 255], np.uint8), x.shape) for x in (a, w))
        bias, multiplier, shift = _spread(a, w, za, zw)
        zero = 128
        if kind == "clamped":
            low = int(rng.integers(50, 170))
            high = low + int(rng.integers(0, 40))
    elif kind in ("zeros", "ones"):
        a[...] = w[...] = 255 * (kind == "ones")
        za, zw = (int(v) for v in rng.choice(ends, 2)) if a_zero_point is None else (za, zw)
    elif kind in ("ties", "near_ties"):
        # The sum is chosen so that the first rounding gives odd * 2**(shift - 1), exactly half of a unit.
        a[...] = za
        shift, zero = int(rng.choice([1, 2, 3, 7, 12, 24])) if tie_shift is None else tie_shift, 128
        least = 64 if shift == 24 else 0
        half = rng.choice([-1, 1], nr) * (2 * rng.integers(least, 126, nr) + 1).astype(np.int64) << (shift - 1)
        half -= np.sign(half) * (kind == "near_ties")
        bias = np.round(half * 2.0**31 / multiplier).clip(-2**31, 2**31 - 1).astype(np.int32)
    elif kind == "mixed_ties":
        # Odd times 2**shift in every sum, of one sign in some rows and of the other in others.
        shift, multiplier, zero = int(rng.integers(1, 5)), LEAST_MULTIPLIER, 128
        za, zw = int(rng.integers(104, 151)), int(rng.integers(0, 255))
        a[...] = za
        step = 2 << shift
        signs = np.where(np.arange(mr) + int(rng.integers(0, 4)) & 2, -1, 1)  # rows two apart always differ
        a[:, 0] = za + signs * step * rng.integers(1, 100 // step + 1, mr)
        w[:, 0] = zw + 1
        bias = (rng.choice([-1, 1], nr) << shift).astype(np.int32)
    elif kind == "unshifted":
        a[...] = za
        shift, zero = 0, 128
        bias = (rng.integers(1, 100, nr) * np.where(np.arange(nr) % 2, 1, -1)).astype(np.int32)
    elif kind == "extremes":
        a[0] = za
        edge = np.array([-2**31, 2**31 - 1, -2**31 + 1, 2**31 - 2, -1, 0, 1, -2**30])
        bias = rng.permutation(edge)[:nr].astype(np.int32)
        shift = int(rng.choice([0, 1, 23, 24, 31]))
    elif kind == "saturating":
        bias = rng.integers(-2**30, 2**30, nr).astype(np.int32)
        shift = int(rng.integers(8, 16))
        zero = 255
    stride_a = k + int(rng.choice([0, 1, 3, 17])) if a_stride is None else a_stride
    stride_c = nr + int(rng.choice([0, 1, 5, 17])) if c_stride is None else c_stride
    params = Q31Params(multiplier, shift, za, zw, zero, low, high)
    return Case(f"{kind}_m{mr}_n{nr}_k{k}_azp{za}_wzp{zw}_shift{shift}", a, w, bias, params, stride_a, stride_c)


@pytest.fixture(scope="session")
def rig() -> type[Rig]:
    return Rig


@pytest.fixture(scope="session")
def shared() -> type[Shared]:
    return Shared


@pytest.fixture(scope="session")
def make() -> Any:
    return make_case


@pytest.fixture(scope="session")
def kinds() -> tuple[str, ...]:
    return KINDS
