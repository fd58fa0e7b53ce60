"""Loops whose speed is published, written here: the register tile, instructions and order of the measured ones.

    tile_12x4, tile_12x8   gemmlowp's inner loops. Source: gemmlowp 057a2c4, standalone/neon-gemm-kernel-benchmark.cc
    pointwise_dilithium    products of two vectors of 256 coefficients, reduced by Montgomery's method; or sums of
                           several, in the order of instructions that was measured. Source: mldsa-native
                           dev/aarch64_clean, pull requests 761 and 776
    ntt_dilithium, ntt_kyber   number-theoretic transforms of 256 coefficients, as plainly as they were measured: one
                           scratch register for every product. Source: Becker et al., Neon NTT (eprint 2021/986);
                           Abdulrahman et al., Fast and Clean (eprint 2022/1303)
"""

from __future__ import annotations

__all__ = ["ntt_dilithium", "ntt_kyber", "pointwise_dilithium", "tile_12x4", "tile_12x8"]

def tile_12x4(spread: bool) -> str:
    """A32, depth 2: q0 holds 4 columns, q1..q3 hold 12 rows, q4..q15 accumulate."""
    widen = [f"vmovl.u8 q{k}, d{2 * k}" for k in range(4)]
    products = [f"vmlal.u16 q{4 + 4 * row + column}, d{2 + 2 * row + depth}, d{depth}[{column}]"
                for depth in range(2) for row in range(3) for column in range(4)]
    if not spread:
        loads = ["vld1.8 {d0}, [r1]!", *(f"vld1.8 {{d{d}}}, [r0]!" for d in (2, 4, 6))]
        return "\n".join(["loop:", *loads, *widen, *products, "subs r2, r2, #2", "bne loop"])
    for place, line in ((4, "vldr d2, [r0]"), (9, "vldr d4, [r0, #8]"), (14, "vldr d6, [r0, #16]"),
                        (15, "vldr d0, [r1]"), (18, "add r0, r0, #24"), (21, "add r1, r1, #8"),
                        (24, "subs r2, r2, #2")):
        products.insert(place, line)
    return "\n".join(["loop:", *widen, *products, "bne loop"])


def tile_12x8(spread: bool) -> str:
    """A64, depth 2: v0, v1 hold 8 columns, v2..v4 hold 12 rows, v8..v31 accumulate."""
    widen = [f"uxtl v{k}.8h, v{k}.8b" for k in range(5)]
    products = [f"umlal{'2' * depth} v{8 + 8 * row + 4 * side + column}.4s, v{2 + row}.{('4h', '8h')[depth]}, "
                f"v{side}.h[{4 * depth + column}]"
                for depth in range(2) for row in range(3) for side in range(2) for column in range(4)]
    if not spread:
        loads = [f"ld1 {{v{k}.8b}}, [x{int(k < 2)}], #8" for k in range(5)]
        return "\n".join(["loop:", *loads, *widen, *products, "subs w2, w2, #2", "b.ne loop"])
    # Each source is loaded again after its last use; x0, x1 and the count move on in between.
    for place, line in ((34, "ldr d2, [x0]"), (36, "add x0, x0, #24"), (43, "ldr d3, [x0, #-16]"),
                        (47, "subs w2, w2, #2"), (50, "ldr d0, [x1]"), (51, "add x1, x1, #16"),
                        (54, "ldr d1, [x1, #-8]"), (56, "ldr d4, [x0, #-8]")):
        products.insert(min(place, len(products)), line)
    return "\n".join(["loop:", *widen, *products, "b.ne loop"])


# ---- number-theoretic transforms: v8..v15 coefficients, v0..v6 roots, v7 the modulus, v24..v28 scratch

_PAIRS = ((0, 4), (1, 5), (2, 6), (3, 7), (0, 2), (1, 3), (4, 6), (5, 7), (0, 1), (2, 3), (4, 5), (6, 7))
_USES = (0, 0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6)              # which root a butterfly of three layers takes


def _butterfly(a: int, b: int, first: str, second: str, t: str) -> list[str]:
    """a, b <- a + root * b, a - root * b; the product by Barrett's method."""
    return [f"sqrdmulh v27.{t}, v{b}.{t}, {second}", f"mul v24.{t}, v{b}.{t}, {first}",
            f"mls v24.{t}, v27.{t}, v7.{t[-1]}[0]", f"sub v{b}.{t}, v{a}.{t}, v24.{t}",
            f"add v{a}.{t}, v{a}.{t}, v24.{t}"]


def _by_lane(a: int, b: int, root: tuple[int, int], t: str) -> list[str]:
    register, lane = root
    return _butterfly(a, b, f"v{register}.{t[-1]}[{lane}]", f"v{register}.{t[-1]}[{lane + 1}]", t)


def _by_vector(a: int, b: int, root: int, t: str) -> list[str]:
    return _butterfly(a, b, f"v{root}.{t}", f"v{root + 4}.{t}", t)


def _three_layers(roots: list[tuple[int, int]], t: str) -> list[str]:
    return [line for (a, b), use in zip(_PAIRS, _USES, strict=True) for line in _by_lane(8 + a, 8 + b, roots[use], t)]


def _two_layers(a: int, t: str) -> list[str]:
    pairs = ((a, a + 2, 0), (a + 1, a + 3, 0), (a, a + 1, 1), (a + 2, a + 3, 2))
    return [line for first, second, root in pairs for line in _by_vector(first, second, root, t)]


def _transpose(a: int) -> list[str]:
    b, c, d = a + 1, a + 2, a + 3
    return [f"trn1 v25.4s, v{a}.4s, v{b}.4s", f"trn2 v26.4s, v{a}.4s, v{b}.4s", f"trn1 v27.4s, v{c}.4s, v{d}.4s",
            f"trn2 v28.4s, v{c}.4s, v{d}.4s", f"trn2 v{c}.2d, v25.2d, v27.2d", f"trn2 v{d}.2d, v26.2d, v28.2d",
            f"trn1 v{a}.2d, v25.2d, v27.2d", f"trn1 v{b}.2d, v26.2d, v28.2d"]


def _move(what: str, registers: list[int], base: str, step: int, advance: int) -> list[str]:
    """Load or store registers `step` bytes apart; the first one moves the base on by `advance` bytes, if any."""
    lines = [f"{what} q{r}, [{base}, #{k * step - advance}]" for k, r in enumerate(registers)]
    return [f"{what} q{registers[0]}, [{base}], #{advance}", *lines[1:]] if advance else lines


def _loop(*parts: list[str]) -> str:
    return "\n".join(["loop:", *(line for part in parts for line in part), "subs x4, x4, #1", "cbnz x4, loop"])


def _first_layers(step: int, roots: list[tuple[int, int]], t: str) -> str:
    eight = list(range(8, 16))
    stores = ["str q8, [x0], #16", *(f"str q{8 + k}, [x0, #{k * step - 16}]" for k in range(1, 8))]
    return _loop(_move("ldr", eight, "x0", step, 0), _three_layers(roots, t), stores)


def ntt_dilithium() -> list[tuple[str, int]]:
    """(loop, how often it runs) of the transform with 32-bit coefficients: three layers, then five."""
    roots = [(0, 0), (0, 2), (1, 0), (1, 2), (2, 0), (2, 2), (3, 0)]
    eight, six = list(range(8, 16)), [0, 4, 1, 5, 2, 6]
    rest = [f"ldr q{r}, [x2, #{(6 + k) * 16 - 192}]" for k, r in enumerate(six)]
    last = _loop(_move("ldr", eight, "x0", 16, 0), _move("ldr", [0, 1, 2, 3], "x1", 16, 64), _three_layers(roots, "4s"),
                 _transpose(8), _transpose(12), _move("ldr", six, "x2", 16, 192), _two_layers(8, "4s"), rest,
                 _two_layers(12, "4s"), _transpose(8), _transpose(12), _move("str", eight, "x0", 16, 128))
    return [(_first_layers(128, roots, "4s"), 8), (last, 8)]


def ntt_kyber() -> list[tuple[str, int]]:
    """(loop, how often it runs) of the transform with 16-bit coefficients: three layers, then four and a reduction."""
    roots = [(0, 0), (0, 2), (0, 4), (0, 6), (1, 0), (1, 2), (1, 4)]
    four, t = list(range(8, 12)), "8h"
    pairs = ((8, 10, 0), (9, 11, 0), (8, 9, 2), (10, 11, 4))
    early = [line for a, b, lane in pairs for line in _by_lane(a, b, (0, lane), t)]
    reduce = [line for r in four for line in (f"sqdmulh v25.8h, v{r}.8h, v7.h[1]", "srshr v25.8h, v25.8h, #11",
                                              f"mls v{r}.8h, v25.8h, v7.h[0]")]
    last = _loop(_move("ldr", four, "x0", 16, 0), ["ldr q0, [x1], #16"], early, _transpose(8),
                 _move("ldr", [0, 4, 1, 5, 2, 6], "x2", 16, 96), _two_layers(8, t), reduce,
                 ["st4 {v8.4s, v9.4s, v10.4s, v11.4s}, [x0], #64"])
    return [(_first_layers(64, roots, t), 4), (last, 8)]


# ---- products of 16 coefficients a turn: v16..v19 and v20..v23 operands, v24..v31 double words, v0, v1 the modulus

def pointwise_dilithium(vectors: int = 1) -> list[tuple[str, int]]:
    """(loop, how often it runs): one product in place, or the sum of several, put elsewhere."""
    first = "x0" if vectors == 1 else "x1"
    lines = []
    for n in range(vectors):
        sources = (first, "x1") if vectors == 1 else ("x1", "x2")
        for base, at in zip(sources, (16, 20), strict=True):
            if vectors == 1 and base == "x0":
                lines += [f"ldr q{at + k}, [x0, #{16 * k}]" for k in range(4)]
                continue
            where = 1024 * n
            lines += [f"ldr q{at + k}, [{base}, #{16 * k + where}]" for k in (1, 2, 3)]
            lines.append(f"ldr q{at}, [{base}], #64" if not n else f"ldr q{at}, [{base}, #{where}]")
        word = "smlal" if n else "smull"
        for k in range(4):
            lines += [f"{word} v{24 + 2 * k}.2d, v{16 + k}.2s, v{20 + k}.2s",
                      f"{word}2 v{25 + 2 * k}.2d, v{16 + k}.4s, v{20 + k}.4s"]
    for k in range(4):
        low, high = 24 + 2 * k, 25 + 2 * k
        lines += [f"uzp1 v{16 + k}.4s, v{low}.4s, v{high}.4s", f"mul v{16 + k}.4s, v{16 + k}.4s, v1.4s",
                  f"smlsl v{low}.2d, v{16 + k}.2s, v0.2s", f"smlsl2 v{high}.2d, v{16 + k}.4s, v0.4s",
                  f"uzp2 v{16 + k}.4s, v{low}.4s, v{high}.4s"]
    lines += [f"str q{16 + k}, [x0, #{16 * k}]" for k in (1, 2, 3)]
    return [("\n".join(["loop:", *lines, "str q16, [x0], #64", "subs x3, x3, #4", "cbnz x3, loop"]), 16)]
