"""Single precision in JavaScript, where it is exact: ordinary numbers and zeros, rounded to nearest.

A Number is a double: 53 bits hold any product of two float32, and are at least 2 * 24 + 2, so that a sum, difference,
quotient or root that was rounded to a double and then by Math.fround to float32 is what one rounding gives. The sum of
a fused multiply-add is rounded to odd in between. Whatever else there is (NaN, infinities, denormal numbers, results
that leave the normal ones, other directions) is refused with a sentence, thrown as text, before anything is written.
"""

from __future__ import annotations

from neonsim.arm.semantics.float_formats import ODD, ROUNDING
from neonsim.arm.semantics.softfloat import FloatWord

__all__ = ["JAVASCRIPT_FLOATS", "spoken"]

_WORDS = {"add", "sub", "mul", "mulx", "div", "sqrt", "fma", "max", "min", "maxnm", "minnm", "compare", "nzcv",
          "to_int", "from_int", "round"}

# Each takes the rules, the word's details, then bit patterns; it gives [bit pattern, exceptions].
JAVASCRIPT_FLOATS = """\
const real_word = new Float32Array(1), bits_word = new Uint32Array(real_word.buffer);
const double_word = new Float64Array(1), long_word = new BigInt64Array(double_word.buffer);
const ordinary = (rules, ...patterns) => patterns.map((n) => {
    const exponent = n & 0x7f800000;
    if (rules & WAYS) throw "rounds in another way than to nearest, which this page does not compute";
    if (exponent === 0x7f800000 || (!exponent && n << 1))
        throw "meets a NaN, an infinity or a denormal number, which this page does not compute";
    bits_word[0] = n;
    return real_word[0];
});
const bits_of = (real) => {
    real_word[0] = real;
    return bits_word[0];
};
const rounded = (real, exact) => {
    const size = Math.abs(real);
    if (size !== 0 && !(size >= 2 ** -126 && size <= 3.4028234663852886e+38))
        throw "gives a number that is not a normal one, which this page does not compute";
    const bits = bits_of(real);
    return [bits, exact(real_word[0]) ? 0 : 16];
};
const float_add = (rules, n, m) => {
    const [x, y] = ordinary(rules, n, m);
    return rounded(x + y, (r) => r - x === y && r - y === x);
};
const float_sub = (rules, n, m) => {
    const [x, y] = ordinary(rules, n, m);
    return rounded(x - y, (r) => x - r === y && r + y === x);
};
const float_mul = (rules, n, m) => {
    const [x, y] = ordinary(rules, n, m);
    return rounded(x * y, (r) => r === x * y);
};
const float_mulx = float_mul;
const float_div = (rules, n, m) => {
    const [x, y] = ordinary(rules, n, m);
    return rounded(x / y, (r) => r * y === x);
};
const float_sqrt = (rules, n) => {
    const [x] = ordinary(rules, n);
    return rounded(Math.sqrt(x), (r) => r * r === x);
};
const float_fma = (rules, a, n, m) => {
    const [x, y, z] = ordinary(rules, a, n, m), product = y * z, total = x + product, part = total - x;
    const error = (x - (total - part)) + (product - part);
    double_word[0] = total;
    if (error && !(long_word[0] & 1n)) long_word[0] += (error > 0) === (total > 0) ? 1n : -1n;
    const odd = double_word[0];
    return rounded(odd, (r) => r === odd);
};
const float_extreme = (largest) => (rules, n, m) => {
    const [x, y] = ordinary(0, n, m);
    if (x === 0 && y === 0) return [(largest ? n & m : n | m) >>> 0, 0];
    return [(x > y) === largest ? n : m, 0];
};
const float_max = float_extreme(true), float_maxnm = float_max;
const float_min = float_extreme(false), float_minnm = float_min;
const float_compare = (rules, relation, n, m = 0) => {
    const [x, y] = ordinary(0, n, m);
    const holds = [x === y, x >= y, x > y, x <= y, x < y][relation];
    return [holds ? 0xffffffff : 0, 0];
};
const float_nzcv = (rules, all, n, m = 0) => {
    const [x, y] = ordinary(0, n, m);
    return [x < y ? 8 : x === y ? 6 : 2, 0];
};
const to_even = (x) => {
    const low = Math.floor(x), over = x - low;
    return over < 0.5 || (over === 0.5 && low % 2 === 0) ? low : low + 1;
};
const directions = [to_even, to_even, Math.floor, Math.ceil, Math.trunc, (x) => Math.trunc(x + Math.sign(x) * 0.5)];
const float_to_int = (rules, signed, width, fbits, way, n) => {
    const [real] = ordinary(way === 1 ? rules : 0, n), x = real * 2 ** fbits, value = directions[way](x);
    const low = signed ? -(2 ** (width - 1)) : 0, high = 2 ** (signed ? width - 1 : width) - 1;
    const kept = Math.min(Math.max(value, low), high);
    return [Number(BigInt.asUintN(width, BigInt(kept))), kept !== value ? 1 : value === x ? 0 : 16];
};
const float_from_int = (rules, signed, width, fbits, n) => {
    ordinary(rules, 0);
    const value = Number(signed ? BigInt.asIntN(width, BigInt(n)) : BigInt.asUintN(width, BigInt(n))) * 2 ** -fbits;
    return rounded(value, (r) => r === value);
};
const float_round = (rules, way, tells, n) => {
    const [x] = ordinary(way === 1 ? rules : 0, n), value = directions[way](x);
    return [(bits_of(value) | n & 0x80000000) >>> 0, tells && value !== x ? 16 : 0];
};
""".replace("WAYS", str(ROUNDING | ODD))

_RELATIONS = ("==", ">=", ">", "<=", "<")
_WAYS = "nxmpza"


def spoken(word: FloatWord) -> list[str] | None:
    """Return the details of a word as arguments of its function; None if there is none that is exact."""
    if word.format != "f32" or word.name not in _WORDS:
        return None
    detail = word.detail
    if word.name == "compare":
        return [str(_RELATIONS.index(str(detail[0])))]
    if word.name == "round":
        return [str(_WAYS.index(str(detail[0]))), str(int(detail[1]))] if str(detail[0]) in _WAYS else None
    if word.name in ("to_int", "from_int"):
        if int(detail[1]) > 32:
            return None  # more bits than a Number holds
        tail = [str(_WAYS.index(str(detail[3])))] if word.name == "to_int" else []
        return [str(int(detail[0] == "s")), str(detail[1]), str(detail[2]), *tail]
    return [str(int(d)) for d in detail]
