"""Arguments as words: what each says, and what is refused in which words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine.memory.arguments import DTYPES, GRAMMAR, declared, with_size
from neonsim.common.pcg64 import Pcg64

GOOD: list[tuple[str, Any]] = [
    ("12", 12), ("-3", -3), ("1.5", 1.5), ("-.25e1", -2.5), ("u32:8", np.uint32(8)), ("s8:-1", np.int8(-1)),
    ("f32:1.5", np.float32(1.5)), ("f64:0.1", np.float64(0.1)), ("f16:2", np.float16(2)),
    ("u8:[7]", [7]),
    ("0x10", 16), ("0b101", 5), ("u8:1,2,3", [1, 2, 3]), ("u8:[1,2,3]", [1, 2, 3]),
    ("s32:-1,0x7fffffff", [-1, 2**31 - 1]), ("s16*4:7", [7] * 4), ("s8*2x3:-1", [[-1] * 3] * 2),
    ("f32:1.5,-2,.25,1e3", [1.5, -2, 0.25, 1000]), ("f16*2:0.5", [0.5, 0.5]),
    ("f64:0.1,-1e300", [0.1, -1e300]), ("u64:18446744073709551615", np.uint64(2**64 - 1)),
    ("u64:1,18446744073709551615", [1, 2**64 - 1]),
]
BAD = [
    ("c=out:s33*4", "'c=out:s33*4': 's33' is not an element type: use u8 s8"),
    ("out:s32", "'out:s32' needs a number of elements: write s32*4 for four"),
    ("out:s32*2.5", "'2.5' is not an integer number of elements"),
    ("out:s32*", "'' is not an integer number of elements"),
    ("out:s32*4x", "'' is not an integer number of elements"), ("out:", "'' is not an integer number of elements"),
    ("out:quux", "'quux' is not a size. Write an element type"), ("out:-4", "'-4' is not an integer"),
    ("s32*99999999x99", "at most 67108864 elements"), ("u8*99999999999", "at most 67108864 elements"),
    ("u8:1,300", "300 does not fit u8, 0 to 255"), ("u8:", "'' is not an integer"),
    ("u8:1,,2", "'' is not an integer"),
    ("f8:1", "'f8' is not an element type"), ("f16:1e9", "1e9 does not fit f16, at most 65504"),
    ("f32:x", "'x' is not a number"),
    ("u8", "is not an argument: write a number, u32:8, u8:1,2,3"), ("", "is not an argument"),
    ("s32@/no/such", "there is no file /no/such."), ("@/dev/zero", "is a pipe or a device"),
    ("q32@/no/such", "'q32' is not an element type"),
]


@pytest.mark.parametrize(("word", "value"), GOOD, ids=[word for word, _ in GOOD])
def test_what_words_say(word: str, value: Any) -> None:
    said = declared(f"name={word}")
    assert said.name == "name"
    if not isinstance(value, list):
        assert said.number == value and type(said.number) is type(value)
    else:
        assert said.array.tolist() == value
        assert DTYPES[word.split(":")[0].split("*")[0]] == said.array.dtype


@pytest.mark.parametrize(("word", "words"), BAD, ids=[repr(word) for word, _ in BAD])
def test_refused_in_one_sentence(word: str, words: str) -> None:
    with pytest.raises(ns.BadArgument) as caught:
        ns.Machine().memory.declare(word)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_addresses_of_regions() -> None:
    memory = ns.Machine().memory
    first = memory.declare("a=u32:1,2,3")
    assert [memory.declare(word) for word in ("a", "a+4", "p=a-0x8", "a+0")] == [first, first + 4, first - 8, first]
    with pytest.raises(ns.BadArgument, match="there is no buffer 'b'"):
        memory.declare("b+4")


def test_results_and_files(tmp_path: Path) -> None:
    assert with_size("s32*4x8") == ("s32", (4, 8)) and with_size("64") == ("", (64,))
    (tmp_path / "data").write_bytes(bytes(range(8)))
    memory = ns.Machine().memory
    for word, dtype, shape, typed, known in (
            ("c=out:s32*2x3", "int32", (2, 3), True, False), ("d=out:24", "uint8", (24,), False, False),
            (f"e=@{tmp_path}/data", "uint8", (8,), False, True), (f"f=u16@{tmp_path}/data", "uint16", (4,), True, True),
            ("g=s16*2", "int16", (2,), True, True)):
        assert memory.declare(word) == (buffer := memory.buffer(word[0])).address
        assert (buffer.dtype, buffer.shape, buffer.typed) == (np.dtype(dtype), shape, typed), word
        assert (memory.defined_bytes(buffer) is None) == known, word
    (tmp_path / "data").write_bytes(bytes(7))
    with pytest.raises(ns.BadArgument, match="has 7 bytes, which is not a multiple of 4 bytes"):
        memory.declare(f"s32@{tmp_path}/data")


def test_the_same_in_python() -> None:
    machine = ns.Machine()
    a, c = machine.memory.declare("a=s32:1,-2,3,4"), machine.memory.alloc("s32*4", name="c")
    machine.call(ns.assemble("ldr q0, [x0]\n neg v0.4s, v0.4s\n str q0, [x1]\n ret", isa="aarch64"), a, c)
    assert machine.memory.fetch("c").tolist() == [-1, 2, -3, -4]
    assert "out:s32*4" in GRAMMAR


@pytest.mark.parametrize("kind", DTYPES)
def test_random_elements_are_those_of_numpy(kind: str) -> None:
    plain, judge, dtype = Pcg64(1), np.random.default_rng(1), np.dtype(DTYPES[kind])
    for count in (3, 5):  # an odd number leaves half a draw behind
        if dtype.kind == "f":
            expected = judge.uniform(-1, 1, count).astype(dtype)
        else:
            limits = np.iinfo(dtype)
            expected = judge.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
        assert declared(f"{kind}*{count}", plain).array.tolist() == expected.tolist()
