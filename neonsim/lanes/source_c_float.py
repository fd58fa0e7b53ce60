"""The C reading of the floating words: the definition (`floating`) once more, in 64- and 128-bit integers.

Integers do not depend on the host: not on its rounding mode, not on flushed denormals, not on contraction. Sums,
products and fused multiply-adds of ordinary numbers take a short way through `double`, where a product of two floats is
exact and rounding a sum twice does no harm (53 >= 2 * 24 + 2 bits; the fused one is rounded to odd first); whatever is
not ordinary on the way (an exponent of 0 or 255 before or after) takes the long one.
"""

from __future__ import annotations

from .floating import FORMATS, FloatWord

__all__ = ["FLOAT_C", "call"]

FLOAT_C = """\
/* Floating point on bit patterns. `s`: by the rules of AArch32 Advanced SIMD. Exceptions are added to *x. */
enum { IOC = 1, DZC = 2, OFC = 4, UFC = 8, IXC = 16, IDC = 128 };
#define SIGN 0x80000000u
#define INFINITE 0x7f800000u
#define QUIET 0x00400000u
#define DEFAULT_NAN 0x7fc00000u
typedef unsigned __int128 wide_t;
struct format { int fraction, lowest; uint32_t infinity; };
static const struct format F32 = {23, -149, INFINITE}, F16 = {10, -24, 0x7c00}, BF16 = {7, -133, 0x7f80};

static inline int is_nan(uint32_t n) { return (n & ~SIGN) > INFINITE; }
static inline int is_infinite(uint32_t n) { return (n & ~SIGN) == INFINITE; }
static inline int is_zero(uint32_t n) { return !(n & ~SIGN); }
static inline uint64_t mantissa_of(uint32_t n) { return (n & 0x7fffff) | (uint32_t)((n & INFINITE) != 0) << 23; }
static inline int exponent_of(uint32_t n) { const int e = n >> 23 & 255; return (e ? e : 1) - 150; }

static inline uint32_t flushed(uint32_t n, int s, uint8_t *x) {
    if (s && !(n & INFINITE) && n << 1) { *x |= IDC; n &= SIGN; }
    return n;
}

/* The first signalling NaN of three, made quiet, else the first quiet one. */
static inline uint32_t nan_of(uint32_t a, uint32_t n, uint32_t m, int s, uint8_t *x) {
    const uint32_t all[3] = {a, n, m};
    uint32_t found = 0;
    for (int i = 2; i >= 0; i--)
        if (is_nan(all[i])) found = all[i];
    for (int i = 2; i >= 0; i--)
        if (is_nan(all[i]) && !(all[i] & QUIET)) { found = all[i]; *x |= IOC; }
    return s ? DEFAULT_NAN : found | QUIET;
}

static inline int length_of(wide_t n) {
    const uint64_t high = (uint64_t)(n >> 64), low = (uint64_t)n;
    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

/* The nearest number, ties to the even one, of mantissa * 2**exponent (and a bit more of the last place). */
static uint32_t rounded(uint32_t sign, wide_t mantissa, int exponent, int more, struct format f, int flush,
                        uint8_t *x) {
    if (!mantissa) return sign;
    const int top = length_of(mantissa) + exponent, tiny = top <= f.lowest + f.fraction;
    if (tiny && flush) { *x |= UFC; return sign; }
    const int unit = top - 1 - f.fraction > f.lowest ? top - 1 - f.fraction : f.lowest, shift = unit - exponent;
    if (shift > 127) { mantissa = 0; more = 1; }
    else if (shift > 0) {
        const wide_t rest = mantissa & (((wide_t)1 << shift) - 1), half = (wide_t)1 << (shift - 1);
        mantissa >>= shift;
        mantissa += rest > half || (rest == half && (more || (mantissa & 1)));
        more |= rest != 0;
    } else mantissa <<= -shift;
    const uint64_t pattern = ((uint64_t)(unit - f.lowest) << f.fraction) + (uint64_t)mantissa;
    if (pattern >= f.infinity) { *x |= OFC | IXC; return sign | f.infinity; }
    if (more) *x |= tiny ? UFC | IXC : IXC;
    return sign | (uint32_t)pattern;
}

/* x * 2**e + y * 2**f, exact but for a last bit that says that more follows; y has room to be moved up. */
static uint32_t summed(uint32_t sign, wide_t x, int e, uint32_t other, wide_t y, int f, int s, int halved, uint8_t *r) {
    if (!x && !y) return sign & other;
    if (!x) { x = y; e = f; sign = other; y = 0; }
    if (y) {
        if (length_of(y) + f > length_of(x) + e) {  /* the larger one first */
            const wide_t z = x; const int g = e; const uint32_t t = sign;
            x = y; e = f; sign = other; y = z; f = g; other = t;
        }
        const int up = 120 - length_of(x);
        x <<= up;
        e -= up;
        const int by = e - f;
        if (by <= 0) y <<= -by;
        else y = by > 126 ? 1 : y >> by | ((y & (((wide_t)1 << by) - 1)) != 0);
        if (sign == other) x += y;
        else if (x >= y) x -= y;
        else { x = y - x; sign = other; }
        if (!x) return 0;
    }
    return rounded(sign, x, e - halved, 0, F32, s, r);
}

#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 0
static inline double real(uint32_t n) { float x; memcpy(&x, &n, 4); return (double)x; }
static inline int ordinary(uint32_t n) { return (n & INFINITE) != 0 && (n & INFINITE) != INFINITE; }
/* A result in double as a float, if it is ordinary too. */
static inline int settled(double d, uint32_t *r, int *inexact) {
    const double size = d < 0 ? -d : d;
    if (!(size >= 0x1p-126 && size <= 0x1.fffffep127)) return 0;
    const float f = (float)d;
    memcpy(r, &f, 4);
    *inexact = (double)f != d;
    return 1;
}
#define SHORT_WAY 1
#endif

static inline uint32_t float_add(uint32_t n, uint32_t m, int s, uint8_t *x) {
#ifdef SHORT_WAY
    uint32_t r; int inexact;
    if (ordinary(n) && ordinary(m) && settled(real(n) + real(m), &r, &inexact)) {
        if (real(r) - real(n) != real(m) || real(r) - real(m) != real(n)) *x |= IXC;
        return r;
    }
#endif
    n = flushed(n, s, x); m = flushed(m, s, x);
    if (is_nan(n) || is_nan(m)) return nan_of(0, n, m, s, x);
    if (is_infinite(n) || is_infinite(m)) {
        if (is_infinite(n) && is_infinite(m) && n != m) { *x |= IOC; return DEFAULT_NAN; }
        return is_infinite(n) ? n : m;
    }
    return summed(n & SIGN, mantissa_of(n), exponent_of(n), m & SIGN, mantissa_of(m), exponent_of(m), s, 0, x);
}

static inline uint32_t float_sub(uint32_t n, uint32_t m, int s, uint8_t *x) {
    return float_add(n, is_nan(m) ? m : m ^ SIGN, s, x);
}

static inline uint32_t product(uint32_t n, uint32_t m, int extended, int s, uint8_t *x) {
#ifdef SHORT_WAY
    uint32_t r; int inexact;
    if (ordinary(n) && ordinary(m) && settled(real(n) * real(m), &r, &inexact)) {
        if (inexact) *x |= IXC;
        return r;
    }
#endif
    n = flushed(n, s, x); m = flushed(m, s, x);
    if (is_nan(n) || is_nan(m)) return nan_of(0, n, m, s, x);
    const uint32_t sign = (n ^ m) & SIGN;
    if (is_infinite(n) || is_infinite(m)) {
        if (!is_zero(n) && !is_zero(m)) return sign | INFINITE;
        if (extended) return sign | 0x40000000u;
        *x |= IOC;
        return DEFAULT_NAN;
    }
    return rounded(sign, (wide_t)(mantissa_of(n) * mantissa_of(m)), exponent_of(n) + exponent_of(m), 0, F32, s, x);
}
static inline uint32_t float_mul(uint32_t n, uint32_t m, int s, uint8_t *x) { return product(n, m, 0, s, x); }
static inline uint32_t float_mulx(uint32_t n, uint32_t m, int s, uint8_t *x) { return product(n, m, 1, s, x); }

static inline uint32_t float_fma(uint32_t a, uint32_t n, uint32_t m, int s, uint8_t *x) {
#ifdef SHORT_WAY
    if (ordinary(a) && ordinary(n) && ordinary(m)) {
        uint32_t r; int inexact;
        const double p = real(n) * real(m), c = real(a), sum = p + c, part = sum - p;
        const double error = (p - (sum - part)) + (c - part);
        double odd = sum;
        int64_t bits;
        memcpy(&bits, &sum, 8);
        if (error != 0 && !(bits & 1)) {
            bits += (error > 0) == (sum > 0) ? 1 : -1;
            memcpy(&odd, &bits, 8);
        }
        if (settled(odd, &r, &inexact)) {
            if (inexact) *x |= IXC;
            return r;
        }
    }
#endif
    a = flushed(a, s, x); n = flushed(n, s, x); m = flushed(m, s, x);
    const int nothing = (is_infinite(n) && is_zero(m)) || (is_zero(n) && is_infinite(m));
    if (nothing && !(is_nan(a) && !(a & QUIET))) { *x |= IOC; return DEFAULT_NAN; }
    if (is_nan(a) || is_nan(n) || is_nan(m)) return nan_of(a, n, m, s, x);
    const uint32_t sign = (n ^ m) & SIGN;
    if (is_infinite(n) || is_infinite(m)) {
        if (is_infinite(a) && (a & SIGN) != sign) { *x |= IOC; return DEFAULT_NAN; }
        return sign | INFINITE;
    }
    if (is_infinite(a)) return a;
    return summed(a & SIGN, mantissa_of(a), exponent_of(a), sign, (wide_t)(mantissa_of(n) * mantissa_of(m)),
                  exponent_of(n) + exponent_of(m), s, 0, x);
}

static inline uint32_t float_div(uint32_t n, uint32_t m, int s, uint8_t *x) {
    n = flushed(n, s, x); m = flushed(m, s, x);
    if (is_nan(n) || is_nan(m)) return nan_of(0, n, m, s, x);
    const uint32_t sign = (n ^ m) & SIGN;
    if ((is_infinite(n) && is_infinite(m)) || (is_zero(n) && is_zero(m))) { *x |= IOC; return DEFAULT_NAN; }
    if (is_infinite(n)) return sign | INFINITE;
    if (is_zero(m)) { *x |= DZC; return sign | INFINITE; }
    if (is_infinite(m) || is_zero(n)) return sign;
    const wide_t dividend = (wide_t)mantissa_of(n) << 64, divisor = mantissa_of(m);
    return rounded(sign, dividend / divisor, exponent_of(n) - exponent_of(m) - 64, dividend % divisor != 0, F32, s, x);
}

static inline uint32_t float_sqrt(uint32_t n, int s, uint8_t *x) {
    n = flushed(n, s, x);
    if (is_nan(n)) return nan_of(0, 0, n, s, x);
    if (is_zero(n) || n == INFINITE) return n;
    if (n & SIGN) { *x |= IOC; return DEFAULT_NAN; }
    const int up = 24 - length_of(mantissa_of(n)), e = exponent_of(n) - up, odd = e & 1;
    uint64_t rest = mantissa_of(n) << (up + 38 + odd), root = 0;
    for (uint64_t bit = 1ull << 62; bit; bit >>= 2) {  /* digit by digit */
        if (rest >= root + bit) { rest -= root + bit; root = (root >> 1) + bit; }
        else root >>= 1;
    }
    return rounded(0, root, (e - odd - 38) / 2, rest != 0, F32, 0, x);
}

static inline int32_t ordered(uint32_t n) { return n & SIGN ? -(int32_t)(n & ~SIGN) : (int32_t)n; }

static inline uint32_t extreme(uint32_t n, uint32_t m, int largest, int numbers, int s, uint8_t *x) {
    n = flushed(n, s, x); m = flushed(m, s, x);
    if (numbers && is_nan(n) != is_nan(m)) {  /* a quiet NaN beside a number gives way to it */
        if (is_nan(n) && (n & QUIET)) return m;
        if (is_nan(m) && (m & QUIET)) return n;
    }
    if (is_nan(n) || is_nan(m)) return nan_of(0, n, m, s, x);
    if (is_zero(n) && is_zero(m)) return largest ? n & m : n | m;
    return (ordered(n) > ordered(m)) == largest ? n : m;
}
static inline uint32_t float_max(uint32_t n, uint32_t m, int s, uint8_t *x) { return extreme(n, m, 1, 0, s, x); }
static inline uint32_t float_min(uint32_t n, uint32_t m, int s, uint8_t *x) { return extreme(n, m, 0, 0, s, x); }
static inline uint32_t float_maxnm(uint32_t n, uint32_t m, int s, uint8_t *x) { return extreme(n, m, 1, 1, s, x); }
static inline uint32_t float_minnm(uint32_t n, uint32_t m, int s, uint8_t *x) { return extreme(n, m, 0, 1, s, x); }

/* NZCV; `every`: a quiet NaN is invalid too. */
static inline uint8_t float_nzcv(uint32_t n, uint32_t m, int every, int s, uint8_t *x) {
    n = flushed(n, s, x); m = flushed(m, s, x);
    if (is_nan(n) || is_nan(m)) {
        nan_of(0, n, m, s, x);
        if (every) *x |= IOC;
        return 3;
    }
    return ordered(n) < ordered(m) ? 8 : ordered(n) == ordered(m) ? 6 : 2;
}
/* `which`: NZCV of the relation's truth, one bit for each. */
static inline uint32_t float_compare(uint32_t n, uint32_t m, uint32_t which, int s, uint8_t *x) {
    return -(which >> float_nzcv(n, m, which != 1u << 6, s, x) & 1);
}

/* mantissa * 2**exponent as an integer without its sign, at most 2**65. */
static inline wide_t integer_of(uint32_t sign, uint64_t mantissa, int exponent, char rounding, int *exact) {
    *exact = 1;
    if (exponent >= 0) return exponent > 64 ? (wide_t)(mantissa != 0) << 65 : (wide_t)mantissa << exponent;
    if (exponent < -60) exponent = -60;
    const uint64_t floor = mantissa >> -exponent, rest = mantissa & ((1ull << -exponent) - 1);
    const uint64_t half = 1ull << (-exponent - 1);
    *exact = !rest;
    return floor + (rounding == 'n' ? rest > half || (rest == half && (floor & 1)) : rounding == 'a' ? rest >= half :
                    rounding == 'm' ? rest && sign : rounding == 'p' ? rest && !sign : 0);
}

static inline uint64_t float_to_int(uint32_t n, int is_signed, int width, int fbits, char rounding, int s, uint8_t *x) {
    n = flushed(n, s, x);
    const uint64_t top = is_signed ? (1ull << (width - 1)) - 1 : ~0ull >> (64 - width);
    const uint64_t low = is_signed ? 1ull << (width - 1) : 0;  /* the size of the smallest one */
    if (is_nan(n)) { *x |= IOC; return 0; }
    int exact;
    const wide_t size = is_infinite(n) ? (wide_t)1 << 65 : integer_of(n & SIGN, mantissa_of(n), exponent_of(n) + fbits,
                                                                     rounding, &exact);
    if (size > (n & SIGN ? low : top)) { *x |= IOC; return n & SIGN ? -low : top; }
    if (!exact) *x |= IXC;
    return n & SIGN ? -(uint64_t)size : (uint64_t)size;
}

static inline uint32_t float_from_int(uint64_t n, int is_signed, int width, int fbits, int s, uint8_t *x) {
    const uint64_t value = n << (64 - width) >> (64 - width);
    const int negative = is_signed && value >> (width - 1);
    (void)s;
    return rounded(negative ? SIGN : 0, negative ? -value & ~0ull >> (64 - width) : value, -fbits, 0, F32, 0, x);
}

static inline uint32_t float_round(uint32_t n, char rounding, int exactly, int s, uint8_t *x) {
    n = flushed(n, s, x);
    if (is_nan(n)) return nan_of(0, 0, n, s, x);
    if (is_infinite(n) || exponent_of(n) >= 0) return n;
    int exact;
    uint8_t unused = 0;
    const wide_t size = integer_of(n & SIGN, mantissa_of(n), exponent_of(n), rounding, &exact);
    if (!exact && exactly) *x |= IXC;
    return rounded(n & SIGN, size, 0, 0, F32, 0, &unused);
}

static inline uint32_t float_to_half(uint32_t n, struct format f, int s, uint8_t *x) {
    n = flushed(n, s, x);
    const uint32_t sign = n >> 16 & 0x8000, quiet = 1u << (f.fraction - 1);
    if (is_nan(n)) {
        if (!(n & QUIET)) *x |= IOC;
        return s ? f.infinity | quiet : sign | f.infinity | quiet | (n & 0x7fffff) >> (23 - f.fraction);
    }
    if (is_infinite(n)) return sign | f.infinity;
    return rounded(sign, mantissa_of(n), exponent_of(n), 0, f, 0, x);
}

static inline uint32_t float_from_half(uint32_t n, int s, uint8_t *x) {
    const uint32_t sign = (n & 0x8000) << 16, fraction = n & 0x3ff;
    const int biased = n >> 10 & 31;
    if (biased == 31 && fraction) {
        if (!(n & 0x200)) *x |= IOC;
        return s ? DEFAULT_NAN : sign | DEFAULT_NAN | fraction << 13;
    }
    if (biased == 31) return sign | INFINITE;
    return rounded(sign, fraction | (uint32_t)(biased != 0) << 10, (biased ? biased : 1) - 25, 0, F32, 0, x);
}

static inline uint32_t float_recpe(uint32_t n, int s, uint8_t *x) {
    n = flushed(n, s, x);
    if (is_nan(n)) return nan_of(0, 0, n, s, x);
    const uint32_t sign = n & SIGN;
    if (is_infinite(n)) return sign;
    if (is_zero(n)) { *x |= DZC; return sign | INFINITE; }
    if ((n & ~SIGN) < 1u << 21) { *x |= OFC | IXC; return sign | INFINITE; }
    const int up = 24 - length_of(mantissa_of(n)), result = 253 - (exponent_of(n) + 150 - up);
    const uint32_t nine = (uint32_t)(mantissa_of(n) << up) >> 15;
    const uint32_t fraction = (((1u << 19) / (2 * nine + 1) + 1) / 2 & 255) << 15;
    if (result > 0) return sign | (uint32_t)result << 23 | fraction;
    if (s) { *x |= UFC; return sign; }
    return sign | (1u << 23 | fraction) >> (1 - result);
}

static inline uint32_t float_rsqrte(uint32_t n, int s, uint8_t *x) {
    n = flushed(n, s, x);
    if (is_nan(n)) return nan_of(0, 0, n, s, x);
    if (is_zero(n)) { *x |= DZC; return n | INFINITE; }
    if (n & SIGN) { *x |= IOC; return DEFAULT_NAN; }
    if (is_infinite(n)) return 0;
    const int up = 24 - length_of(mantissa_of(n)), biased = exponent_of(n) + 150 - up;
    uint32_t a = (uint32_t)(mantissa_of(n) << up) >> (biased & 1 ? 16 : 15), b = 512;
    a = a < 256 ? 2 * a + 1 : ((a >> 1 << 1) + 1) << 1;
    while (a * (b + 1) * (b + 1) < 1u << 28) b++;
    return (uint32_t)((380 - biased) / 2) << 23 | ((b + 1) / 2 & 255) << 15;
}

/* (start - n * m) / 2**halved. */
static inline uint32_t step(uint32_t n, uint32_t m, uint32_t start, uint32_t nothing, int halved, int s, uint8_t *x) {
    n = flushed(n, s, x); m = flushed(m, s, x);
    if ((is_infinite(n) && is_zero(m)) || (is_zero(n) && is_infinite(m))) return nothing;
    if (s) {
        const uint32_t r = float_sub(start, float_mul(n, m, s, x), s, x);
        return halved ? float_mul(r, 0x3f000000u, s, x) : r;
    }
    n ^= SIGN;
    if (is_nan(n) || is_nan(m) || is_infinite(n) || is_infinite(m)) return float_fma(start, n, m, s, x);
    return summed(0, mantissa_of(start), exponent_of(start), (n ^ m) & SIGN, (wide_t)(mantissa_of(n) * mantissa_of(m)),
                  exponent_of(n) + exponent_of(m), 0, halved, x);
}
static inline uint32_t float_recps(uint32_t n, uint32_t m, int s, uint8_t *x) {
    return step(n, m, 0x40000000u, 0x40000000u, 0, s, x);
}
static inline uint32_t float_rsqrts(uint32_t n, uint32_t m, int s, uint8_t *x) {
    return step(n, m, 0x40400000u, 0x3fc00000u, 1, s, x);
}"""

# NZCV after a comparison for which the relation holds, as bits: less 8, equal 6, greater 2.
_HOLDS = {"==": 1 << 6, ">=": 1 << 6 | 1 << 2, ">": 1 << 2, "<=": 1 << 8 | 1 << 6, "<": 1 << 8}


def call(word: FloatWord, operands: list[str], raised: str) -> str:
    """The C call of a word on one lane; ``raised``: an lvalue that exceptions are added to."""
    name, detail, extra = f"float_{word.name}", word.detail, []
    if word.name in ("compare", "nzcv"):
        operands = operands if len(operands) == 2 else [*operands, "0"]
        extra = [f"{_HOLDS[str(detail[0])]:#x}u" if word.name == "compare" else str(detail[0])]
    elif word.name == "to_int":
        extra = [str(int(detail[0] == "s")), str(detail[1]), str(detail[2]), f"'{detail[3]}'"]
    elif word.name == "from_int":
        extra = [str(int(detail[0] == "s")), str(detail[1]), str(detail[2])]
    elif word.name == "round":
        extra = [f"'{detail[0]}'", str(detail[1])]
    elif word.name == "convert":
        narrowing = detail[0] == "f32"
        name, extra = ("float_to_half", [str(detail[1]).upper()]) if narrowing else ("float_from_half", [])
        assert detail[1] in FORMATS
    return f"{name}({', '.join([*operands, *extra, str(int(word.standard)), '&' + raised])})"
