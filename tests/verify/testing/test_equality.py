"""What `equal` finds, how small it makes it, and how it is said: at most 25 lines of 100 columns."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from neonsim.errors import BadArgument
from neonsim.ukernel.cases.elements import elements, kinds_of
from neonsim.verify.testing import Artifacts, FunctionFailure, Judge, cases, load
from neonsim.verify.testing.reference import definition_from

COPY = """//! isa: aarch64
//! prototype: void copy(const uint8_t x[n], uint8_t y[n], size_t n)
copy:
    cmp     x2, #16
    b.lo    2f
1:  ldr     q0, [x0], #16
    str     q0, [x1], #16
    sub     x2, x2, #16
    cmp     x2, #16
    b.hs    1b
2:  cbz     x2, 4f
3:  ldrb    w3, [x0], #1
    strb    w3, [x1], #1
    subs    x2, x2, #1
    b.ne    3b
4:  ret
"""
SUM = """//! isa: aarch64
//! prototype: uint32_t sum(const uint8_t x[n*16], size_t n)
sum:
    movi    v0.8h, #0
1:  ldr     q1, [x0], #16
    uadalp  v0.8h, v1.16b
    subs    x1, x1, #1
    b.ne    1b
    uaddlv  s0, v0.8h
    fmov    w0, s0
    ret
"""
MAKE = """//! isa: aarch64
//! prototype: void put(const {t} x[n], {t} y[n], size_t n)
put:
1:  ldr     {r}0, [x0], #{b}
    {op}
    str     {r}0, [x1], #{b}
    subs    x2, x2, #1
    b.ne    1b
    ret
"""


def same(x: Any) -> Any:
    return x


@pytest.fixture
def neon(tmp_path: Path) -> Judge:
    return Judge(tmp_path, artifacts=Artifacts(tmp_path / "pages", "test_it", "pytest test_it"))


def wrong(neon: Judge, text: str, reference: Any = same, some: Any = None) -> FunctionFailure:
    (neon.folder / "f.S").write_text(text)
    with pytest.raises(FunctionFailure) as caught:
        neon.equal(neon.load("f.S"), reference, some)
    rows = str(caught.value).splitlines()
    assert len(rows) <= 25 and max(map(len, rows)) <= 100 + len(str(neon.folder)), str(caught.value)
    assert any(row.startswith("smallest case: ") for row in rows) and any(row.startswith("remedy: ") for row in rows)
    return caught.value


def test_what_is_right_passes(neon: Judge) -> None:
    (neon.folder / "copy.S").write_text(COPY)
    assert neon.equal(neon.load("copy.S"), same) > 40


@pytest.mark.parametrize(("old", "new", "smallest", "says", "remedy"), [
    ("cbz     x2, 4f", "b       4f", "n = 1", "y[0] should be", "its tail is missing"),
    ("ldrb    w3, [x0], #1", "ldr     w3, [x0], #1", "n = 1", 'reads 4 bytes', "Read the tail by smaller"),
    ("strb    w3, [x1], #1", "strh    w3, [x1], #1", "n = 1", "writes 2 bytes", "Store no more than is left"),
    ("sub     x2, x2, #16", "sub     x2, x2, #17", "n = 16", "past its end", "Read the tail by smaller"),
    ("str     q0, [x1], #16", "str     q8, [x1], #16", "n = 16", "stores uninitialized", "Write all of a register"),
    ("3:  ldrb    w3, [x0], #1", "3:  ldrb    w3, [x0], #1\n    movi    v8.16b, #0", "n = 1", "d8", "Save and restore"),
    ("ldr     q0, [x0], #16\n", "ldr     q0, [x0], #16\n    sub v0.16b, v0.16b, v9.16b\n", "n = 16", "v9", "remedy"),
    ("subs    x2, x2, #1", "subs    x2, x2, #2", "n = 1", "outside|past the end", "remedy"),
])
def test_planted_faults(neon: Judge, old: str, new: str, smallest: str, says: str, remedy: str) -> None:
    assert old in COPY
    said = str(wrong(neon, COPY.replace(old, new)))
    assert f"smallest case: {smallest}" in said and remedy in said, said
    assert any(word in said for word in says.split("|")), said


def test_a_sum_that_overflows_names_the_instruction_and_the_width(neon: Judge) -> None:
    found = wrong(neon, SUM, lambda x: int(x.sum(dtype=np.int64)))
    said = str(found)
    assert "smallest case: n = 129" in said and "the returned value should be 526320, is 2032" in said, said
    assert "uadalp v0.8h, v1.16b: 254 where 65790 belongs, as u16" in said and "wider lanes" in said
    assert found.page is not None and "526320" in found.page.read_text("utf-8")


@pytest.mark.parametrize(("ctype", "operation", "reference", "remedy"), [
    ("uint8_t", "add v0.8b, v0.8b, v0.8b", lambda x: np.minimum(2 * x.astype(int), 255), "Saturate|wider lanes"),
    ("int8_t", "sshr v0.8b, v0.8b, #1", lambda x: (x.astype(int) + 1) >> 1, "rounding"),
    ("int16_t", "sqadd v0.4h, v0.4h, v0.4h", lambda x: (2 * x.astype(int)).astype(np.int16), "Do not saturate"),
    ("int32_t", "neg v0.2s, v0.2s", same, "Look at the sign"),
    ("float", "fneg v0.2s, v0.2s", np.absolute, "Step through|sign"),
])
def test_the_remedy_fits_the_value(neon: Judge, ctype: str, operation: str, reference: Any, remedy: str) -> None:
    size = {"uint8_t": 1, "int8_t": 1, "int16_t": 2}.get(ctype, 4)
    text = MAKE.format(t=ctype, r={1: "b", 2: "h", 4: "s"}[size], b=size, op=operation)
    said = str(wrong(neon, text, reference))
    assert "y[0] should be" in said and any(word in said for word in remedy.split("|")), said


def test_a_hundred_arguments_still_fit(neon: Judge) -> None:
    """The longest failure there is: long lines fold, and of too many the middle is left out."""
    text = COPY.replace("copy", "a_function_with_a_name_as_long_as_only_generated_code_has_it_and_then_some_more_words")
    said = str(wrong(neon, text.replace("cbz     x2, 4f", "b       4f")))
    assert "first wrong element" in said


def test_references_of_every_kind(neon: Judge) -> None:
    (neon.folder / "copy.S").write_text(COPY)
    copy = neon.load("copy.S")
    for reference in (same, lambda n, x, y: np.copyto(y, x), np.positive, neon.load("copy.S"), lambda values: values):
        assert neon.equal(copy, reference, cases(sizes={"n": (1, 17)}, deep=False)) == 9
    with pytest.raises(BadArgument, match="gives 256 for y"):
        neon.equal(copy, lambda x: x.astype(int) + 1, cases(kinds=["most"]))
    with pytest.raises(BadArgument, match=r"takes 2 arguments \(a, b\); a call is given x"):
        neon.equal(copy, lambda a, b: a)
    with pytest.raises(BadArgument, match="returns 2 results, the function 1"):
        neon.equal(copy, lambda x: (x, x))
    with pytest.raises(BadArgument, match="a Python function or a loaded one"):
        neon.equal(copy, 3)  # type: ignore[arg-type]


def test_cases_are_the_same_again_and_others_with_another_seed(neon: Judge) -> None:
    (neon.folder / "copy.S").write_text(COPY)
    copy = neon.load("copy.S")

    def data(seed: int) -> list[bytes]:
        return [case.memory["x"].data.tobytes() for case in islice(cases().calls(copy, seed), 20)]

    assert data(0) == data(0) != data(1)


def test_cases_have_sizes_residues_ends_ties_and_odd_addresses(neon: Judge) -> None:
    (neon.folder / "copy.S").write_text(COPY)
    copy = neon.load("copy.S").with_reference(definition_from(neon.load("copy.S"), same))
    made = list(cases().calls(copy))
    assert {case.number("n") % 16 for case in made} == {*range(16)}
    assert {case.memory["x"].skew for case in made} == {0, 1, 2, 3}
    assert {case.name for case in made} == {*kinds_of("uint8")} and max(case.number("n") for case in made) > 4096
    outcome = copy.run(next(case for case in made if case.memory["x"].skew == 3))
    assert outcome.machine.memory.buffer("x").address % 64 == 3 and not outcome.wrong()


def test_elements_of_floats_hold_nan_only_where_asked() -> None:
    rng = np.random.default_rng(0)
    assert np.isnan(elements("nan", (200,), "float32", rng)).any()
    assert "nan" not in kinds_of("float32") and "nan" in kinds_of("float32", True)
    halves = elements("ties", (200,), "float32", rng)
    assert ((halves * 2) % 2 == 1).all()
    for kind in kinds_of("int8"):
        assert elements(kind, (64,), "int8", rng).dtype == np.int8


def doubled(x: Any) -> Any:
    with np.errstate(over="ignore"):
        return x + x


def test_nan_is_one_nan(neon: Judge) -> None:
    text = MAKE.format(t="float", r="s", b=4, op="fadd s0, s0, s0")
    (neon.folder / "f.S").write_text(text)
    assert neon.equal(neon.load("f.S", entry="put"), doubled, cases(nan=True)) > 40


def test_hypothesis_draws_and_makes_small(neon: Judge) -> None:
    text = MAKE.format(t="uint16_t", r="h", b=2, op="fmov w3, s0\n cmp w3, #999\n cinc w3, w3, hi\n fmov s0, w3")
    (neon.folder / "f.S").write_text(text)
    f = neon.load("f.S", entry="put")
    with pytest.raises(FunctionFailure, match=r"y\[0\] should be 1000, is 1001"):
        neon.equal(f, same, cases(sizes={"n": (1, 2)}, kinds=["zeros"], deep=False, hypothesis=60))
    assert neon.equal(f, lambda x: x + (x > 999), cases(sizes={"n": (1, 2)}, kinds=["zeros"], hypothesis=5)) == 7


@pytest.mark.parametrize(("given", "says"), [
    ({"sizes": {"n": ()}}, "must have at least one number for n"),
    ({"kinds": ["odd"]}, "unknown kind of elements 'odd'"),
    ({"residues": 0}, "residues"),
])
def test_cases_that_are_none(given: dict[str, Any], says: str) -> None:
    with pytest.raises(BadArgument, match=says):
        cases(**given)


def test_cases_of_what_takes_other_things(tmp_path: Path) -> None:
    (tmp_path / "copy.S").write_text(COPY)
    with pytest.raises(BadArgument, match="has no argument m"):
        next(cases(sizes={"m": (1,)}).calls(load(tmp_path / "copy.S")))


def test_a_call_that_does_not_end_is_said(neon: Judge) -> None:
    said = str(wrong(neon, COPY.replace("subs    x2, x2, #1", "cmp     x2, #0").replace(", #1\n", "\n")))
    assert "endless" in said and "counter ends the loop" in said


SQUARES = """//! isa: aarch64
//! prototype: float squares(const float x[n], float y[n], size_t n)
squares:
    movi    v2.2s, #0
1:  ldr     s0, [x0], #4
    fmul    s1, s0, s0
    fadd    s2, s2, s1
    str     s1, [x1], #4
    subs    x2, x2, #1
    b.ne    1b
    fmov    s0, s2
    ret
"""


def test_floats_may_be_near(neon: Judge) -> None:
    (neon.folder / "f.S").write_text(SQUARES)
    f = neon.load("f.S")

    def beside(x: Any) -> Any:
        """The float behind each square, and behind the sum."""
        squares = x * x
        return np.nextafter(squares, np.float32(np.inf)), np.nextafter(squares.sum(dtype=np.float32), np.float32(9e9))

    some = cases(sizes={"n": (1, 3)}, kinds=["ramp", "least"], data={"x": [1.0, 2.0]}, deep=False)
    with pytest.raises(FunctionFailure, match=r"y\[0\] should be 1.0000001192092896, is 1.0"):
        neon.equal(f, beside, some)
    assert neon.equal(f, beside, some, ulps=1) == 3
    with pytest.raises(FunctionFailure, match=r"y\[0\] should be 2.0, is 1.0"):
        neon.equal(f, lambda x: (x * x + 1, 0), some, ulps=3)
    with pytest.raises(FunctionFailure, match="the returned value should be nan, is"):
        neon.equal(f, lambda x: (x * x, np.nan), some, ulps=3)


def test_outputs_over_inputs(neon: Judge) -> None:
    backwards = """//! isa: aarch64
//! prototype: void twice(const uint8_t x[n], uint8_t y[n], size_t n)
twice:
    mov     x3, #0
1:  ldrb    w4, [x0]
    ldrb    w5, [x0, x3]
    add     w4, w4, w5
    strb    w4, [x1, x3]
    add     x3, x3, #1
    cmp     x3, x2
    b.ne    1b
    ret
"""
    (neon.folder / "f.S").write_text(backwards)
    f = neon.load("f.S")
    assert neon.equal(f, lambda x: x + x[0]) > 40
    with pytest.raises(FunctionFailure, match=r"smallest case: n = 2 (.|\n)*y\[1\] should be"):
        neon.equal(f, lambda x: x + x[0], cases(in_place={"y": "x"}))


def test_smaller_calls_keep_to_what_the_cases_say(neon: Judge) -> None:
    """A function of multiples of 8, and of elements that are no zero, is not called otherwise."""
    text = MAKE.format(t="uint8_t", r="d", b=8, op="add v0.8b, v0.8b, v0.8b").replace("x[n]", "x[n*8]").replace(
        "y[n]", "y[n*8]")
    (neon.folder / "f.S").write_text(text)
    said = []

    def reference(x: Any) -> Any:
        said.append((x.size, x.min()))
        return np.minimum(x.astype(int) * 2, 255)

    with pytest.raises(FunctionFailure, match="smallest case: n = 2 "):
        neon.equal(neon.load("f.S"), reference, cases(sizes={"n": (2, 4, 5)}, data={"x": range(1, 256)}))
    assert {size for size, _ in said} <= {16, 32, 40} and min(least for _, least in said) >= 1
    one = neon.load("f.S")
    with pytest.raises(FunctionFailure, match="smallest case: n = 5 "):
        neon.equal(one, reference, [one.case(x=np.full(40, 200), n=5)])


@pytest.mark.parametrize("engine", ["interpreter", "python"])
def test_engines_find_the_same(neon: Judge, engine: str) -> None:
    neon.engine = engine
    (neon.folder / "f.S").write_text(COPY)
    assert neon.equal(neon.load("f.S"), same, cases(residues=4)) > 10
    said = str(wrong(neon, COPY.replace("cbz     x2, 4f", "b       4f"), some=cases(residues=4)))
    assert "smallest case: n = 1 " in said and "its tail is missing" in said


def test_a_strategy_is_for_tests_of_hypothesis_too(neon: Judge) -> None:
    (neon.folder / "f.S").write_text(COPY)
    copy = neon.load("f.S")

    @settings(max_examples=5, database=None, deadline=None, derandomize=True)
    @given(case=cases().strategy(copy))
    def judged(case: Any) -> None:
        assert np.array_equal(copy.results(copy.run(case)), case.views()["x"])

    judged()
