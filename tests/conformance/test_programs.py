"""C programs, compiled by GCC and Clang for both instruction sets: our machine, QEMU and the definition agree."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import calls
import numpy as np
import oracle
import pytest
from calls import FOLDER, Guest, Ours, sizes
from numpy.typing import NDArray

import neonsim as ns
from neonsim.arm.machine.engines import compiled
from tests.tiers import every

Case = tuple[str, tuple[Any, ...], Any, dict[int, NDArray[Any]]]  # function, arguments, returned, buffers afterwards
ANYTHING = -1  # for what is returned: only QEMU says what it should be
BUILDS = [(compiler, isa, level) for compiler in calls.COMPILERS for isa in ("aarch64", "aarch32")
          for level in ("-O2", "-O3")]


def numbers(seed: int, count: int, dtype: Any) -> NDArray[Any]:
    """Random integers of the whole range of a type."""
    info = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min, info.max, count, dtype, endpoint=True)


# ---- what the functions are, in plain numpy and Python --------------------------------------------------------------

def requantized(acc: int, multiplier: int, shift: int, zero: int) -> int:
    """SQRDMULH, then a right shift to nearest, ties away from zero, then the zero point."""
    high = min((2 * acc * multiplier + (1 << 31)) >> 32, (1 << 31) - 1)
    size = abs(high)
    rounded = (size + (1 << shift >> 1)) >> shift
    return max(-128, min(127, max(-32768, min(32767, rounded if high >= 0 else -rounded)) + zero))


def gemm(isa: str) -> list[Case]:
    found: list[Case] = []
    for seed, (m, n, k, shift) in enumerate(((5, 11, 9, 6), (4, 8, 16, 5), (1, 1, 1, 0), (3, 17, 2, 7))):
        a, b = numbers(seed, m * k, "int8").reshape(m, k), numbers(seed + 9, k * n, "int8").reshape(k, n)
        wide = -(-n // 8) * 8
        bias = numbers(seed + 20, wide, "int16").astype(np.int32)
        panels = np.zeros((wide // 8, k, 8), np.int8)
        for j in range(n):
            panels[j // 8, :, j % 8] = b[:, j]
        found.append(("pack", (b, k, n, np.zeros(wide * k, np.int8)), None, {1: panels}))
        acc = a.astype(np.int64) @ b.astype(np.int64) + bias[:n]
        scale = np.array([(1 << 30) + 12345 * seed, shift, seed - 2], np.int32)
        c = np.array([requantized(int(x), *scale.tolist()) for x in acc.ravel()], np.int8)
        found.append(("gemm", (sizes(isa, m, n, k), a, panels, bias, np.zeros(m * n, np.int8), scale), None, {4: c}))
    return found


def depthwise(isa: str) -> list[Case]:
    found: list[Case] = []
    for seed, (height, width, channels) in enumerate(((5, 6, 8), (3, 3, 16), (4, 9, 24))):
        x = numbers(seed, height * width * channels, "uint8").reshape(height, width, channels)
        w = numbers(seed + 5, 9 * channels, "int8").reshape(3, 3, channels)
        total = np.zeros((height - 2, width - 2, channels), np.int32)
        for i, j in np.ndindex(3, 3):
            total += x[i:height - 2 + i, j:width - 2 + j].astype(np.int32) * w[i, j]
        out = np.clip(total + 64 >> 7, 0, 255).astype(np.uint8)
        found += [(name, (sizes(isa, *x.shape), x, w, np.zeros(out.size, np.uint8)), None, {3: out})
                  for name in ("plain", "vectors")]
    return found


def checksum(isa: str) -> list[Case]:
    found: list[Case] = []
    for n in (0, 1, 2, 7, 64, 255, 600):
        data = numbers(n, n, "uint8")
        text = data.tobytes()
        words = numbers(n + 1, n // 4 + 1, "uint32")
        a = b = 0
        for word in words.tolist():
            a += word
            b += a
            a, b = (a >> 32) + (a & 0xFFFFFFFF), (b >> 32) + (b & 0xFFFFFFFF)
        fletcher = np.array([(b << 32 | a & 0xFFFFFFFF) % (1 << 64)], np.uint64)
        hashed = 14695981039346656037
        for byte in text:
            hashed = (hashed ^ byte) * 1099511628211 % (1 << 64)
        total = sum(int.from_bytes(text[i:i + 2].ljust(2, b"\0"), "big") for i in range(0, n, 2))
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        given = np.append(data, np.uint8(0))  # a buffer has at least one byte
        found += [("adler32", (given, n), zlib.adler32(text), {}), ("crc32", (given, n), zlib.crc32(text), {}),
                  ("fletcher64", (words, len(words), np.zeros(1, np.uint64)), None, {1: fletcher}),
                  ("fnv1a", (given, n, np.zeros(1, np.uint64)), None, {1: np.array([hashed], np.uint64)}),
                  ("internet", (given, n), total ^ 0xFFFF, {})]
    return found


def transpose(isa: str) -> list[Case]:
    found: list[Case] = []
    for seed, (rows, columns) in enumerate(((8, 8), (16, 24), (13, 21), (3, 5))):
        x = numbers(seed, rows * columns, "uint8").reshape(rows, columns)
        found.append(("bytes", (x, rows, columns, np.zeros(x.size, np.uint8)), None, {1: x.T}))
    blocks = numbers(7, 48, "uint32").reshape(3, 4, 4)
    found.append(("words", (blocks, 3, np.zeros(48, np.uint32)), None, {1: blocks.transpose(0, 2, 1)}))
    square = numbers(8, 49, "uint16").reshape(7, 7)
    return [*found, ("halfwords", (square, 7), None, {0: square.T})]


def copies(isa: str) -> list[Case]:
    found: list[Case] = []
    for n in (0, 1, 7, 8, 33, 64, 201):
        data = numbers(n, 256, "uint8")
        copied = np.concatenate([data[:n], np.zeros(256 - n, np.uint8)])
        empty = np.zeros(256, np.uint8)
        found += [(name, (empty, data, n), None, {0: copied}) for name in ("by_bytes", "by_words", "by_vectors")]
        library = copied.copy()
        library[n // 3:n // 3 + n // 2] = data[:n // 2]
        library[:n // 5] = 0x5A
        backwards = np.concatenate([data[:n][::-1], empty[n:]])
        found += [("by_library", (np.append(empty, empty), data, n), None, {0: np.append(library, empty)}),
                  ("reversed", (empty, data, n), None, {0: backwards})]
        for to, from_ in ((3, 17), (17, 3), (0, 0)):
            moved = data.copy()
            moved[to:to + n] = data[from_:from_ + n]
            found.append(("moved", (data, to, from_, n), None, {0: moved}))
    return found


def sorting(isa: str) -> list[Case]:
    rows = numbers(1, 48, "int32").reshape(3, 4, 4)
    eights = numbers(2, 40, "uint16").reshape(5, 8)
    found: list[Case] = [("columns", (rows, 3), None, {0: np.sort(rows, 1)}),
                         ("eights", (eights, 5), None, {0: np.sort(eights, 1)})]
    for n in (1, 2, 16, 32):
        data = numbers(n, n, "int64")
        found.append(("batcher", (data, n), None, {0: np.sort(data)}))
    return found


def assortment(isa: str) -> list[Case]:
    """Functions without a definition of their own: QEMU alone is the judge."""
    edges = (0, 1, 2, 7, 100, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678, 0xDEADBEEF)
    pairs = [(a, edges[(3 * i + 1) % len(edges)]) for i, a in enumerate(edges)]

    def text(words: str) -> NDArray[np.uint8]:
        return np.frombuffer(words.encode() + b"\0", np.uint8)

    wanted: list[tuple[str, tuple[Any, ...]]] = [
        (name, (x,)) for x in edges for name in (
            "count_ones", "parity", "mirrored", "swapped", "zeros", "first_set", "gray", "next_power", "fields", "root",
            "collatz", "sparse", "arguments")]
    wanted += [(name, pair) for pair in pairs for name in (
        "turned", "spread", "common", "quotients", "clamped_sum", "high_product", "middle", "structures")]
    wanted += [("chain", (a % (1 << 32), b % (1 << 32), c)) for a in (-9, 0, 3, 9) for b in (-1, 4) for c in (3, 4, 5)]
    wanted += [("lfsr", (0xACE1, 100)), ("fibonacci", (11,)), ("ackermann", (2, 3)), ("sparse", (1000,)),
               ("sparse", (50001,)), ("on_the_stack", (13,)), ("on_the_stack", (0,))]
    wanted += [("dense", (which, 0xABCD)) for which in range(12)]
    wanted += [("wide_numbers", (np.append(numbers(seed, 2, "uint64"), np.zeros(6, np.uint64)),)) for seed in range(4)]
    wanted += [("length", (text("sixteen letters!"),)), ("compared", (text("same so far"), text("same so fat"))),
               ("compared", (text(""), text("x"))), ("found", (text("needle"), ord("l"))), ("found", (text("hay"), 1)),
               ("number", (text("  -20481x"),)), ("decimal", (4294967295, np.zeros(12, np.uint8))),
               ("decimal", (0, np.zeros(12, np.uint8))), ("matches", (text("a*b?*d"), text("axxbyzd"))),
               ("matches", (text("*a"), text("aab"))), ("words", (text('one "two three" four'),))]
    wanted += [("base64", (numbers(3, n, "uint8"), n, np.zeros(16, np.uint8))) for n in (1, 2, 3, 10)]
    wanted += [("threaded", (np.array([1, 9, 2, 3, 4, 1, 5, 0, 0, 0], np.uint8), 7)),
               ("sorted", (numbers(4, 23, "int32"), 23)), ("bisected", (np.sort(numbers(5, 33, "uint16")), 33, 20000)),
               ("matrix", (numbers(6, 36, "int16"), numbers(7, 36, "int16"), np.zeros(36, np.int32), 6)),
               ("running", (numbers(8, 40, "int8"), 40)),
               ("differences", (numbers(9, 77, "uint8"), numbers(10, 77, "uint8"), 77)),
               ("histogram", (numbers(11, 90, "uint8"), 90, np.zeros(32, np.uint16))),
               ("linked", (np.roll(np.arange(40, dtype=np.uint8), 7), 3)),
               ("varint", (numbers(12, 5, "uint64") >> np.array([60, 40, 20, 5, 0], np.uint64), 5,
                           np.zeros(60, np.uint8)))]
    wanted += [("fold", (which, numbers(13, 9, "uint32"), 9)) for which in range(3)]
    returning = {name for name, _ in wanted} - {"wide_numbers", "decimal", "base64", "sorted", "matrix", "running"}
    return [(name, arguments, ANYTHING if name in returning else None, {}) for name, arguments in wanted]


PROGRAMS: dict[str, Callable[[str], list[Case]]] = {
    f.__name__: f for f in (gemm, depthwise, checksum, transpose, copies, sorting)}


# ---- the comparison -------------------------------------------------------------------------------------------------

def check_ours(ours: Ours, cases: list[Case]) -> list[calls.Answer]:
    """Our machine against the definition; what it answered."""
    answers = []
    for name, arguments, returned, buffers in cases:
        answer = ours.call(name, *arguments)
        if returned not in (None, ANYTHING):
            assert answer[0] & 0xFFFFFFFF == returned, (name, arguments)
        for at, expected in buffers.items():
            given = [a for a in arguments if isinstance(a, np.ndarray)]
            assert answer[1][at] == np.ascontiguousarray(expected, given[at].dtype).tobytes(), (name, arguments)
        answers.append(answer)
    return answers


@pytest.mark.parametrize(("name", "isa"), every(4, [
    ("checksum", "aarch64"), ("checksum", "aarch32"), ("sorting", "aarch64"), ("sorting", "aarch32")]))
def test_a_program(name: str, isa: str, tmp_path: Path) -> None:
    """A sample for every run: what GCC makes, against the definition."""
    if reason := calls.missing("gcc", isa):
        pytest.skip(reason)
    built = calls.build(FOLDER / f"{name}.c", "gcc", isa, "-O2", tmp_path)
    check_ours(Ours(ns.load_object(built.path)), PROGRAMS[name](isa))


@pytest.mark.nightly
@pytest.mark.parametrize(("compiler", "isa", "level"), BUILDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_like_qemu(name: str, compiler: str, isa: str, level: str, tmp_path: Path) -> None:
    like_qemu(name, compiler, isa, level, tmp_path, PROGRAMS[name](isa))


@pytest.mark.nightly
@pytest.mark.parametrize(("compiler", "isa"), [(c, i) for c in calls.COMPILERS for i in ("aarch64", "aarch32")])
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3", "-Os"])
def test_an_assortment_like_qemu(compiler: str, isa: str, level: str, tmp_path: Path) -> None:
    like_qemu("assortment", compiler, isa, level, tmp_path, assortment(isa))


def atomics(isa: str) -> list[Case]:
    """What one thread makes of them: the old values mixed into a sum, the new ones in memory."""
    found: list[Case] = []
    word = 64 if isa == "aarch64" else 32
    for bits in (8, 16, 32, 64) if isa == "aarch64" else (8, 16, 32):
        mask = (1 << bits) - 1
        values = numbers(bits, 10, f"uint{bits}")
        a, b = (x & (1 << word) - 1 for x in (0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210))
        p = [int(x) for x in values]
        new = [p[0] + a, p[1] - b, p[2] & a, p[3] | b, p[4] ^ a, b, a, p[7], a + b, p[9]]
        total = 0
        for part in (*p[:6], 1, 0):
            total = total * 31 + part
        total = total * 31 + p[9] + p[7]
        left = np.array([x & mask for x in new], f"uint{bits}")
        found.append((f"all{bits}", (values, a, b), total & 0xFFFFFFFF, {0: left}))
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("compiler", calls.COMPILERS)
@pytest.mark.parametrize(("isa", "options"), [
    ("aarch64", ("-march=armv8-a",)), ("aarch64", ("-march=armv8.1-a",)), ("aarch64", ("-march=armv8.3-a",)),
    ("aarch32", ()), ("aarch32", ("-march=armv8-a", "-mfpu=neon-fp-armv8"))])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_atomics_like_qemu(compiler: str, isa: str, options: tuple[str, ...], level: str, tmp_path: Path) -> None:
    """Loops of exclusive accesses, and the instructions that do it at once; acquire and release."""
    own = ("-mno-outline-atomics",) if isa == "aarch64" else ()
    like_qemu("atomics", compiler, isa, level, tmp_path, atomics(isa), *options, *own)


def like_qemu(name: str, compiler: str, isa: str, level: str, tmp_path: Path, cases: list[Case],
              *options: str) -> None:
    if reason := calls.missing(compiler, isa) or oracle.missing(isa):
        pytest.skip(reason)
    built = calls.build(FOLDER / f"{name}.c", compiler, isa, level, tmp_path, *options)
    answers = check_ours(Ours(ns.load_object(built.path)), cases)
    with Guest(built, sorted({case[0] for case in cases}), tmp_path) as guest:
        for (function, arguments, returned, _), mine in zip(cases, answers, strict=True):
            theirs = guest.call(function, *arguments)
            assert mine[1] == theirs[1], (function, arguments)
            assert returned is None or mine[0] & 0xFFFFFFFF == theirs[0] & 0xFFFFFFFF, (function, arguments)


@pytest.mark.nightly
@pytest.mark.parametrize(("compiler", "isa"), [(c, i) for c in calls.COMPILERS for i in ("aarch64", "aarch32")])
def test_a_trap_ends_the_run(compiler: str, isa: str, tmp_path: Path) -> None:
    if reason := calls.missing(compiler, isa):
        pytest.skip(reason)
    (tmp_path / "f.c").write_text("int f(int x) { if (x > 3) __builtin_trap(); return x; }")
    ours = Ours(ns.load_object(calls.build(tmp_path / "f.c", compiler, isa, "-O1", tmp_path).path))
    assert ours.call("f", 3)[0] == 3
    with pytest.raises(ns.MachineError, match="a breakpoint"):
        ours.call("f", 4)


@pytest.mark.nightly
@pytest.mark.parametrize(("compiler", "isa"), [(c, i) for c in calls.COMPILERS for i in ("aarch64", "aarch32")])
def test_vectors_that_compilers_make(compiler: str, isa: str, tmp_path: Path) -> None:
    """150 loops over every type at -O3: what comes out is like under QEMU, bit by bit, floats too."""
    if reason := calls.missing(compiler, isa) or oracle.missing(isa):
        pytest.skip(reason)
    built = calls.build(FOLDER / "vectorized.c", compiler, isa, "-O3", tmp_path, "-fno-math-errno", "-ffp-contract=off")
    ours = Ours(ns.load_object(built.path))
    names = list(ours.program.globals)
    assert len(names) > 140
    with Guest(built, names, tmp_path) as guest:
        for seed, name in enumerate(names):
            given = [numbers(seed + i, 300, "int32") for i in range(3)]
            if name.endswith("_f"):
                given = [(x / 2.0 ** 25).astype(np.float32) for x in given]
            assert ours.call(name, *given, 37)[1] == guest.call(name, *given, 37)[1], name


# ---- assembly by hand -----------------------------------------------------------------------------------------------

def by_hand(isa: str) -> list[Case]:
    """Calls of hand_aarch64.S or hand_aarch32.S; what is returned is compared where it is no address."""
    empty = np.zeros(400, np.uint8)
    found: list[Case] = [("copy", (empty, numbers(n, 400, "uint8"), n), None, {})
                         for n in (0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 65, 96, 97, 200, 333)]
    found += [("table", (which, x), ANYTHING, {}) for which in range(5) for x in (0x12345678, 0xFFFFF000)]
    if isa == "aarch64":
        found += [("length", (np.frombuffer(b"x" * n + bytes(40 - n), np.uint8),), ANYTHING, {})
                  for n in (0, 1, 5, 8, 23)]
        found += [("bits", (np.zeros(64, np.uint8), numbers(n, 40, "uint16"), n), ANYTHING, {}) for n in (0, 1, 20)]
        found += [("range", (np.array(state, np.uint32), p), ANYTHING, {}) for *state, p in (
            (0x12345678, 0xABCD, 0x7FFF), (0xFFFFFFFF, 0x8000, 100), (1, 0xFFFF, 40000))]
        found += [("wide", (numbers(seed, 18, "uint64"), numbers(seed + 9, 2, "uint64")), None, {})
                  for seed in range(4)]
        return [*found, *(("pairs", (numbers(n, 64, "uint8"), n), ANYTHING, {}) for n in (1, 8))]
    found += [("dot", (numbers(n, 16, "int16"), numbers(n + 5, 16, "int16"), n), ANYTHING, {}) for n in (4, 8, 16)]
    found += [("bytes", (numbers(n, 40, "uint8"), numbers(n + 5, 40, "uint8"), n, empty), ANYTHING, {}) for n in (1, 9)]
    return [*found, *(("odds", (np.append(numbers(seed, 4, "uint32"), np.zeros(20, np.uint32)),), ANYTHING, {})
                      for seed in range(8))]


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_assembly_by_hand(isa: str, tmp_path: Path) -> None:
    """As text, as the listing of it and as an object, on every engine of a single tile: all like QEMU."""
    if reason := calls.missing("gcc", isa) or oracle.missing(isa):
        pytest.skip(reason)
    source, cases = FOLDER / f"hand_{isa}.S", by_hand(isa)
    built = calls.build(source, "gcc", isa, "-O1", tmp_path)
    text = ns.assemble(source, isa)
    ways = [Ours(text), Ours(ns.assemble(str(text), isa)), Ours(ns.load_object(built.path))]
    engines: list[dict[str, Any]] = [{}, {"engine": "interpreter"}, {"engine": "python"}]
    engines += [{"engine": "compiled"}] if compiled.compiler() is not None else []
    with Guest(built, sorted({case[0] for case in cases}), tmp_path) as guest:
        for name, arguments, returned, _ in cases:
            theirs = guest.call(name, *arguments)
            for ours in ways:
                for engine in engines:
                    mine = ours.call(name, *arguments, **engine)
                    assert mine[1] == theirs[1], (name, engine, arguments)
                    assert returned is None or mine[0] & 0xFFFFFFFF == theirs[0] & 0xFFFFFFFF, (name, engine, arguments)
