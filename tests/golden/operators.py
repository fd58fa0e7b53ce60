"""The bytes of every operator on the quick cases of the tests, by backend: a row for each kind of data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

from neonsim.nn import ops
from neonsim.nn.backends import Backend, get
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.backends.native.backend import NativeBackend
from tests.nn.operator_cases import DTYPES, OPERATORS, Case, operator_cases

from . import Row, digest

BACKENDS: dict[str, Callable[[], Backend]] = {
    "reference": partial(get, "reference"), "native": partial(get, "native"),
    "native kernels": partial(NativeBackend, layers=False),
    **{f"emulated {isa}": partial(EmulatedBackend, isa, engine="interpreter") for isa in ("aarch32", "aarch64")}}
QUICK = ("reference", "native")


def rows() -> list[Row]:
    """One of each operator and kind of data."""
    found: dict[str, list[Case]] = {}
    for dtype, name in product(DTYPES, OPERATORS):
        for case in operator_cases(name, dtype):
            found.setdefault(f"{name} {_kind(case)}", []).append(case)
    return [Row(name, {backend: partial(_bytes, name.split()[0], cases, backend) for backend in BACKENDS}, QUICK)
            for name, cases in found.items()]


def _kind(case: Case) -> str:
    """As "int8 fp32 per channel"."""
    per_channel = any(getattr(one, "axis", None) is not None for one in case.inputs)
    return " ".join(filter(None, (str(case.inputs[0].values.dtype), case.options.get("requantization", ""),
                                  "per channel" * per_channel)))


def _bytes(name: str, cases: Sequence[Case], backend: str) -> str:
    chosen = BACKENDS[backend]()
    return digest(*(getattr(ops, name)(*case.inputs, backend=chosen, **case.options).values for case in cases))
