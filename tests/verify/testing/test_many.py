"""Thirty kernels of the catalogue and ten C functions through the plugin's words; and their planted bugs, all found."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonsim.arm.asm import assemble
from neonsim.arm.asm.c.compile import compilers
from neonsim.ukernel import kernel, kernels
from neonsim.verify.checking.mutations import apply_edits, flat
from neonsim.verify.testing import FunctionFailure, Judge
from tests.tiers import every

HERE = Path(__file__).parent
SOURCE = HERE / "functions.c"
BUGS = {path.stem: tomllib.loads(path.read_text("utf-8"))
        for path in sorted((HERE.parents[1] / "ukernel" / "bugs").glob("*.toml"))}
OF_EACH = 6     # planted bugs of each family of kernels, each in another kernel as far as there are


def _ends(x: Any, low: int, high: int) -> Any:
    return np.clip(x.astype(np.int64), low, high)


def clamped(x: Any, low: int, high: int) -> Any:
    return np.minimum(np.maximum(x, low), high)


DEFINITIONS: dict[str, Any] = {
    "add_saturated": lambda a, b: _ends(a.astype(int) + b, 0, 255),
    "difference": lambda a, b: abs(a.astype(int) - b),
    "mean": lambda a, b: (a.astype(int) + b + 1) >> 1,
    "largest": lambda x: x.max(),
    "total": lambda x: int(x.sum(dtype=np.uint64)),
    "dot": lambda a, b: int(a.astype(int) @ b.astype(int)),
    "clamp": clamped,
    "narrow": lambda x: _ends(x, -32768, 32767),
    "interleave": lambda a, b: np.stack([a, b], 1).reshape(-1),
    "scale": lambda x, by: x * np.float32(by),
}
PROTOTYPES = {"interleave": "void interleave(const uint8_t a[n], const uint8_t b[n], uint8_t y[n*2], size_t n)"}
# What a tired programmer writes: of each function one, and what the failure has to say.
MUTATIONS = [
    ("add_saturated", "vqaddq_u8", "vaddq_u8", "Saturate"), ("difference", "b[i] - a[i];", "a[i] - b[i];", "remedy"),
    ("mean", "vrhaddq_u8", "vhaddq_u8", "rounding"), ("largest", "i + 16 <= n", "i <= n", "past its end"),
    ("total", "sum += x[i];", "sum = x[i];", "the returned value should be"),
    ("dot", "vmull_s8(vld1_s8(a + i), vld1_s8(b + i))",
     "vmull_s8(vld1_s8(a + i), vdup_n_s8(b[i]))", "the returned value should be"),
    ("clamp", "vdupq_n_s16(high)", "vdupq_n_s16(low)", "y[0] should be"),
    ("narrow", "vqmovn_s32", "vmovn_s32", "Narrow with saturation"),
    ("interleave", "y[2 * i + 1] = b[i];", "y[2 * i + 1] = a[i];", "y[1] should be"),
    ("scale", "y + i, vmulq", "y, vmulq", "was not written"),
]


def thirty() -> list[str]:
    """Kernels of different contracts, from all folders and both instruction sets."""
    by_contract: dict[str, list[str]] = {}
    for each in kernels():
        by_contract.setdefault(re.split(r"_\d", each.name)[0], []).append(each.name)
    names = [some[at % len(some)] for at, (_, some) in enumerate(sorted(by_contract.items()))]
    return names[::len(names) // 30][:30]


def bugs() -> list[Any]:
    """Some planted bugs of each family of kernels."""
    found = []
    for family, table in BUGS.items():
        listed = [(name, entry["bugs"][turn]) for turn in range(OF_EACH) for name, entry in table.items()
                  if turn < len(entry["bugs"])]
        step = max(len(listed) // OF_EACH, 1)
        found += [pytest.param(name, bug, id=f"{family}-{name}-{bug['name']}")
                  for name, bug in listed[::step][:OF_EACH]]
    return found


@pytest.fixture
def neon(tmp_path: Path) -> Judge:
    if not compilers("aarch64"):
        pytest.skip("no C compiler for aarch64: make system-packages")
    return Judge(tmp_path)


@pytest.mark.parametrize("name", every(10, thirty()))
def test_kernels_of_the_catalogue(name: str) -> None:
    each = kernel(name)
    assert Judge().contract(each.header.contract, each) > 0


def test_they_are_thirty() -> None:
    names = thirty()
    assert len({*names}) == 30 and {kernel(name).isa for name in names} == {"aarch64", "aarch32"}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_functions_compiled_from_c(name: str, neon: Judge) -> None:
    assert neon.equal(neon.load(SOURCE, PROTOTYPES.get(name), entry=name), DEFINITIONS[name]) > 20


@pytest.mark.parametrize(("name", "right", "wrong", "says"), MUTATIONS)
def test_mutations_of_c_are_found(name: str, right: str, wrong: str, says: str, neon: Judge) -> None:
    text = SOURCE.read_text("utf-8")
    start = re.search(rf"^\S+ {name}\(", text, re.M)
    assert start is not None and right in text[start.start():]
    (neon.folder / "wrong.c").write_text(text[:start.start()] + text[start.start():].replace(right, wrong, 1))
    with pytest.raises(FunctionFailure) as caught:
        neon.equal(neon.load("wrong.c", PROTOTYPES.get(name), entry=name), DEFINITIONS[name])
    rows = str(caught.value).splitlines()
    assert says in str(caught.value), str(caught.value)
    assert len(rows) <= 25 and max(map(len, rows)) <= 100 and "smallest case: n = " in rows[1]


@pytest.mark.parametrize(("name", "bug"), every(24, bugs()))
def test_planted_bugs_of_each_family_are_found(name: str, bug: dict[str, Any]) -> None:
    each = kernel(name)
    program = assemble(apply_edits(flat(each), bug["edits"], bug["name"]), isa=each.isa)
    with pytest.raises(FunctionFailure) as caught:
        Judge().contract(each.header.contract, program, tile=each.header.tile, entry=name,
                         reads_before=each.header.reads_before, reads_after=each.header.reads_after)
    rows = str(caught.value).splitlines()
    assert len(rows) <= 25 and max(map(len, rows)) <= 100 and any(row.startswith("remedy: ") for row in rows), rows
