"""The C reading of the floating words: the definition (`floating`) once more, in 64- and 128-bit integers.

Integers do not depend on the host: not on its rounding mode, not on flushed denormals, not on contraction. Sums,
products and fused multiply-adds of ordinary numbers take a short way through `double`, where a product of two floats is
exact and rounding a sum twice does no harm (53 >= 2 * 24 + 2 bits; the fused one is rounded to odd first); whatever is
not ordinary on the way (an exponent of 0 or 255 before or after, another format, another rounding) takes the long one.

Whole registers are the host's own vectors where it computes as Arm does (`by_the_host`): rounded to nearest, results
normal numbers, or zeros that lost nothing; what was lost is only looked for where that would be news.
"""

from __future__ import annotations

import re

from neonsim.arm.semantics.float_formats import FZ, LiveRules
from neonsim.arm.semantics.softfloat import FloatWord

__all__ = ["FLOAT_C", "by_the_host", "call", "on_the_host"]

FLOAT_C = """\
/* Floating point on bit patterns of the format f. `s`: rules, bits 26 to 19 of FPCR. Exceptions are added to *x. */
enum { IOC = 1, DZC = 2, OFC = 4, UFC = 8, IXC = 16, IDC = 128 };
enum { FZ16 = 1, ODD = 2, STEPWISE = 4, UP = 8, DOWN = 16, ROUNDING = 24, FZ = 32, DN = 64, AHP = 128 };
enum { ALTERNATIVE = 256 };  /* of `rounded`: half precision without infinities */
enum { F16, F32, F64, BF16 };
typedef unsigned __int128 wide_t;
static const struct { int fraction, top, lowest; uint64_t sign, infinity, quiet; } FORMATS[] = {
    {10, 31, -24, 1u << 15, 0x7c00, 1 << 9}, {23, 255, -149, 1u << 31, 0x7f800000, 1 << 22},
    {52, 2047, -1074, 1ull << 63, 0x7ffull << 52, 1ull << 51}, {7, 255, -133, 1u << 15, 0x7f80, 1 << 6}};
#define SIGN FORMATS[f].sign
#define INFINITE FORMATS[f].infinity
#define QUIET FORMATS[f].quiet
#define FRACTION FORMATS[f].fraction
#define LOWEST FORMATS[f].lowest
#define DEFAULT_NAN (INFINITE | QUIET)
#define POWER(e) ((uint64_t)((e) + FORMATS[f].top / 2) << FRACTION)
#define MAGNITUDE (SIGN - 1)

static inline int is_nan(uint64_t n, int f) { return (n & MAGNITUDE) > INFINITE; }
static inline int is_infinite(uint64_t n, int f) { return (n & MAGNITUDE) == INFINITE; }
static inline int is_zero(uint64_t n, int f) { return !(n & MAGNITUDE); }
static inline int biased_of(uint64_t n, int f) { return (int)((n & MAGNITUDE) >> FRACTION); }
static inline uint64_t mantissa_of(uint64_t n, int f) {
    return (n & ((1ull << FRACTION) - 1)) | (uint64_t)(biased_of(n, f) != 0) << FRACTION;
}
static inline int exponent_of(uint64_t n, int f) {
    const int e = biased_of(n, f);
    return (e ? e : 1) - 1 + LOWEST;
}
static inline int flushing(int f, int s) { return s & (f == F16 ? FZ16 : FZ); }

static inline uint64_t flushed(uint64_t n, int f, int s, uint8_t *x) {
    if (flushing(f, s) && !(n & INFINITE) && n & MAGNITUDE) {
        if (f != F16) *x |= IDC;
        n &= SIGN;
    }
    return n;
}

/* The first signalling NaN of three, made quiet, else the first quiet one. */
static uint64_t nan_of(uint64_t a, uint64_t n, uint64_t m, int f, int s, uint8_t *x) {
    const uint64_t all[3] = {a, n, m};
    uint64_t found = 0;
    for (int i = 2; i >= 0; i--)
        if (is_nan(all[i], f)) found = all[i];
    for (int i = 2; i >= 0; i--)
        if (is_nan(all[i], f) && !(all[i] & QUIET)) { found = all[i]; *x |= IOC; }
    return s & DN ? DEFAULT_NAN : found | QUIET;
}

static inline int length_of(wide_t n) {
    const uint64_t high = (uint64_t)(n >> 64), low = (uint64_t)n;
    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}
/* Whether what lies outwards is taken; `sign` as of any number that is not 0. */
static inline int outwards(uint64_t sign, int s) {
    return (s & ROUNDING) == UP ? !sign : (s & ROUNDING) == DOWN && sign;
}

/* What the rules make of mantissa * 2**exponent (and a bit more of the last place). */
static uint64_t rounded(uint64_t sign, wide_t mantissa, int exponent, int more, int f, int s, int flush, uint8_t *x) {
    if (!mantissa) return sign;
    const int top = length_of(mantissa) + exponent, tiny = top <= LOWEST + FRACTION;
    if (tiny && flush) { *x |= UFC; return sign; }
    const int unit = top - 1 - FRACTION > LOWEST ? top - 1 - FRACTION : LOWEST, shift = unit - exponent;
    const int nearest = !(s & (ROUNDING | ODD)), out = !(s & ODD) && outwards(sign, s);
    if (shift > 127) { mantissa = out || s & ODD; more = 1; }
    else if (shift > 0) {
        const wide_t rest = mantissa & (((wide_t)1 << shift) - 1), half = (wide_t)1 << (shift - 1);
        mantissa >>= shift;
        if (nearest) mantissa += rest > half || (rest == half && (more || (mantissa & 1)));
        more |= rest != 0;
        if (s & ODD) mantissa |= (unsigned)more;
        else if (out) mantissa += (unsigned)more;
    } else mantissa <<= -shift;
    const wide_t pattern = ((wide_t)(unit - LOWEST) << FRACTION) + mantissa;
    if (s & ALTERNATIVE) {
        if (pattern >= SIGN) { *x |= IOC; return sign | MAGNITUDE; }
    } else if (pattern >= INFINITE) {
        *x |= OFC | IXC;
        return sign | (INFINITE - !(nearest || out || (s & ODD && s & ROUNDING)));
    }
    if (more) *x |= tiny ? UFC | IXC : IXC;
    return sign | (uint64_t)pattern;
}

/* x * 2**e + y * 2**g, exact but for a last bit that says that more follows; y has room to be moved up. */
static uint64_t summed(uint64_t sign, wide_t x, int e, uint64_t other, wide_t y, int g, int f, int s, int halved,
                       uint8_t *r) {
    const uint64_t none = (s & (ROUNDING | ODD)) == DOWN ? SIGN : 0;
    if (!x && !y) return sign == other ? sign : none;
    if (!x) { x = y; e = g; sign = other; y = 0; }
    if (y) {
        if (length_of(y) + g > length_of(x) + e) {  /* the larger one first */
            const wide_t z = x; const int h = e; const uint64_t t = sign;
            x = y; e = g; sign = other; y = z; g = h; other = t;
        }
        const int up = 120 - length_of(x);
        x <<= up;
        e -= up;
        const int by = e - g;
        if (by <= 0) y <<= -by;
        else y = by > 126 ? 1 : y >> by | ((y & (((wide_t)1 << by) - 1)) != 0);
        if (sign == other) x += y;
        else if (x >= y) x -= y;
        else { x = y - x; sign = other; }
        if (!x) return none;
    }
    return rounded(sign, x, e - halved, 0, f, s, flushing(f, s), r);
}

static uint64_t long_add(uint64_t n, uint64_t m, int f, int s, uint8_t *x) {
    n = flushed(n, f, s, x); m = flushed(m, f, s, x);
    if (is_nan(n, f) || is_nan(m, f)) return nan_of(0, n, m, f, s, x);
    if (is_infinite(n, f) || is_infinite(m, f)) {
        if (is_infinite(n, f) && is_infinite(m, f) && n != m) { *x |= IOC; return DEFAULT_NAN; }
        return is_infinite(n, f) ? n : m;
    }
    return summed(n & SIGN, mantissa_of(n, f), exponent_of(n, f), m & SIGN, mantissa_of(m, f), exponent_of(m, f), f, s,
                  0, x);
}

static uint64_t long_mul(uint64_t n, uint64_t m, int extended, int f, int s, uint8_t *x) {
    n = flushed(n, f, s, x); m = flushed(m, f, s, x);
    if (is_nan(n, f) || is_nan(m, f)) return nan_of(0, n, m, f, s, x);
    const uint64_t sign = (n ^ m) & SIGN;
    if (is_infinite(n, f) || is_infinite(m, f)) {
        if (!is_zero(n, f) && !is_zero(m, f)) return sign | INFINITE;
        if (extended) return sign | POWER(1);
        *x |= IOC;
        return DEFAULT_NAN;
    }
    return rounded(sign, (wide_t)mantissa_of(n, f) * mantissa_of(m, f), exponent_of(n, f) + exponent_of(m, f), 0, f, s,
                   flushing(f, s), x);
}

static uint64_t long_fma(uint64_t a, uint64_t n, uint64_t m, int f, int s, uint8_t *x) {
    a = flushed(a, f, s, x); n = flushed(n, f, s, x); m = flushed(m, f, s, x);
    const int nothing = (is_infinite(n, f) && is_zero(m, f)) || (is_zero(n, f) && is_infinite(m, f));
    if (nothing && !(is_nan(a, f) && !(a & QUIET))) { *x |= IOC; return DEFAULT_NAN; }
    if (is_nan(a, f) || is_nan(n, f) || is_nan(m, f)) return nan_of(a, n, m, f, s, x);
    const uint64_t sign = (n ^ m) & SIGN;
    if (is_infinite(n, f) || is_infinite(m, f)) {
        if (is_infinite(a, f) && (a & SIGN) != sign) { *x |= IOC; return DEFAULT_NAN; }
        return sign | INFINITE;
    }
    if (is_infinite(a, f)) return a;
    return summed(a & SIGN, mantissa_of(a, f), exponent_of(a, f), sign, (wide_t)mantissa_of(n, f) * mantissa_of(m, f),
                  exponent_of(n, f) + exponent_of(m, f), f, s, 0, x);
}

#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 0
static inline double real(uint64_t n) { const uint32_t w = (uint32_t)n; float x; memcpy(&x, &w, 4); return (double)x; }
static inline int ordinary(uint64_t n) { return (n & 0x7f800000) != 0 && (n & 0x7f800000) != 0x7f800000; }
/* A result in double as a float, if it is ordinary too. */
static inline int settled(double d, uint32_t *r, int *inexact) {
    const double size = d < 0 ? -d : d;
    if (!(size >= 0x1p-126 && size <= 0x1.fffffep127)) return 0;
    const float f = (float)d;
    memcpy(r, &f, 4);
    *inexact = (double)f != d;
    return 1;
}
#define SHORT_WAY(f, s) ((f) == F32 && !((s) & (ROUNDING | ODD)))
#else
static inline double real(uint64_t n) { (void)n; return 0; }
static inline int ordinary(uint64_t n) { (void)n; return 0; }
static inline int settled(double d, uint32_t *r, int *inexact) { (void)d; (void)r; (void)inexact; return 0; }
#define SHORT_WAY(f, s) 0
#endif

/* Where an inexact result is nothing new and rules are those of a reset, the host's own arithmetic will do, as long as
 * a result is finite and larger than the smallest normal number: then nothing else can be raised. */
#define ORDINARY_RULES(s, x) (*(x) & IXC && !((s) & (ROUNDING | ODD | FZ)))
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 0
static inline double real64(uint64_t n) { double x; memcpy(&x, &n, 8); return x; }
static inline int usual64(double d, uint64_t *r) {
    memcpy(r, &d, 8);
    return (*r & ~(1ull << 63)) - 0x10000000000001ull < 0x7fdfffffffffffffull;
}
#define HOST64(f, s, x) ((f) == F64 && ORDINARY_RULES(s, x))
#if defined(__x86_64__) && defined(__FMA__)
#define HOST_VECTORS 1
typedef float f32x4 __attribute__((vector_size(16)));
typedef double f64x2 __attribute__((vector_size(16)));
typedef double f64x4 __attribute__((vector_size(32)));
typedef uint32_t bits32 __attribute__((vector_size(16)));
typedef uint64_t bits64 __attribute__((vector_size(16)));
typedef int32_t mask32 __attribute__((vector_size(16)));
typedef int64_t mask64 __attribute__((vector_size(16)));
typedef int int4 __attribute__((vector_size(16)));
typedef long long long2 __attribute__((vector_size(16)));
#define SIZE32(r) ((bits32)(r) & 0x7fffffff)
#define SIZE64(r) ((bits64)(r) & 0x7fffffffffffffff)
/* Finite and larger than the smallest normal number, to which a smaller one may have been rounded. */
#define USUAL32(r) (SIZE32(r) - 0x800001 < 0x7effffff)
#define USUAL64(r) (SIZE64(r) - 0x10000000000001 < 0x7fdfffffffffffff)
#define DENORMAL32(r) (SIZE32(r) - 1 < 0x7fffff)
#define DENORMAL64(r) (SIZE64(r) - 1 < 0xfffffffffffff)
#define WHICH32(m) __builtin_ia32_movmskps((f32x4)(m))
#define WHICH64(m) __builtin_ia32_movmskpd((f64x2)(m))
#define WIDE(r) __builtin_convertvector((f32x4)(r), f64x4)
#define NARROW(m) __builtin_convertvector(m, mask32)
/* Whether every lane is usual. */
#if defined(__AVX512VL__) && defined(__AVX512DQ__)
#define ALL_USUAL32(r) (!__builtin_ia32_ucmpd128_mask((int4)(SIZE32(r) - 0x800001), (int4){0} + 0x7effffff, 5, -1))
#define ALL_USUAL64(r) (!__builtin_ia32_ucmpq128_mask((long2)(SIZE64(r) - 0x10000000000001), \\
                                                      (long2){0} + 0x7fdfffffffffffff, 5, -1))
#else
#define ALL_USUAL32(r) (WHICH32(USUAL32(r)) == 15)
#define ALL_USUAL64(r) (WHICH64(USUAL64(r)) == 3)
#endif
/* Whether all lanes of many registers were usual, two by two. With masks: no exponent is 0, 1, 254 or 255, of which the
   upper six bits are 0 once 2 is added. Without: the largest of what USUAL32 compares. */
#if defined(__AVX512VL__) && !defined(__clang__) && __GNUC__ >= 12
typedef int int8 __attribute__((vector_size(32)));
typedef unsigned char noted32;
#define NOTED32 255
/* A pair is one instruction so; GCC makes three of __builtin_shufflevector. */
#define PAIR32(a, b) ((int8)__builtin_ia32_vinsertf128_si256(__builtin_ia32_si256_si((int4)(a)), (int4)(b), 1))
#define NOTE32(noted, a, b) \\
    (noted = __builtin_ia32_ptestmd256(PAIR32(a, b) + 0x1000000, (int8){0} + 0x7e000000, noted))
#define ALL_NOTED32(a, b) (((a) & (b)) == 255)
#else
typedef bits32 noted32;
#ifdef __clang__
#define LARGER32(a, b) __builtin_elementwise_max((bits32)(a), (bits32)(b))
#else
#define LARGER32(a, b) ((bits32)__builtin_ia32_pmaxud128((int4)(a), (int4)(b)))
#endif
#define BEYOND32(r) (SIZE32(r) - 0x800001)
#define NOTED32 {0}
#define NOTE32(noted, a, b) (noted = LARGER32(noted, LARGER32(BEYOND32(a), BEYOND32(b))))
#define ALL_NOTED32(a, b) (WHICH32(LARGER32(a, b) < 0x7effffff) == 15)
#endif
/* Where a sum of doubles lost something: what is over of it beside one operand is not the other one. */
#define LOST_SUM(t, n, m) ((t) - (n) != (m) | (t) - (m) != (n))
/* Doubles of middling size, or zero: no product and no error term of these is denormal or infinite. */
#define MIDDLING(n) (((n) == 0) | (SIZE64(n) - 0x26f0000000000000 < 0x3200000000000000))
static inline mask64 lost_in_product(f64x2 r, f64x2 n, f64x2 m) { return __builtin_ia32_vfmaddpd(n, m, -r) != 0; }
/* What a fused multiply-add loses: Boldo and Muller, "Some functions computable with a fused-mac", ARITH-17, 2005. */
static inline mask64 lost_in_fma(f64x2 r, f64x2 a, f64x2 n, f64x2 m) {
    const f64x2 high = n * m, low = __builtin_ia32_vfmaddpd(n, m, -high);
    const f64x2 t = a + low, u = t - a, below = (a - (t - u)) + (low - u);
    const f64x2 v = high + t, w = v - high, rest = (high - (v - w)) + (t - w);
    return ((v - r) + rest) + below != 0;
}
#endif
#else
static inline double real64(uint64_t n) { (void)n; return 0; }
static inline int usual64(double d, uint64_t *r) { (void)d; (void)r; return 0; }
#define HOST64(f, s, x) 0
#endif

static inline uint64_t float_add(uint64_t n, uint64_t m, int f, int s, uint8_t *x) {
    uint32_t r; int inexact;
    if (SHORT_WAY(f, s) && ordinary(n) && ordinary(m) && settled(real(n) + real(m), &r, &inexact)) {
        if (real(r) - real(n) != real(m) || real(r) - real(m) != real(n)) *x |= IXC;
        return r;
    }
    uint64_t w;
    if (HOST64(f, s, x) && usual64(real64(n) + real64(m), &w)) return w;
    return long_add(n, m, f, s, x);
}

static inline uint64_t float_sub(uint64_t n, uint64_t m, int f, int s, uint8_t *x) {
    return float_add(n, is_nan(m, f) ? m : m ^ SIGN, f, s, x);
}

static inline uint64_t product(uint64_t n, uint64_t m, int extended, int f, int s, uint8_t *x) {
    uint32_t r; int inexact;
    if (SHORT_WAY(f, s) && ordinary(n) && ordinary(m) && settled(real(n) * real(m), &r, &inexact)) {
        if (inexact) *x |= IXC;
        return r;
    }
    uint64_t w;
    if (HOST64(f, s, x) && usual64(real64(n) * real64(m), &w)) return w;
    return long_mul(n, m, extended, f, s, x);
}
static inline uint64_t float_mul(uint64_t n, uint64_t m, int f, int s, uint8_t *x) { return product(n, m, 0, f, s, x); }
static inline uint64_t float_mulx(uint64_t n, uint64_t m, int f, int s, uint8_t *x) {
    return product(n, m, 1, f, s, x);
}

static inline uint64_t float_fma(uint64_t a, uint64_t n, uint64_t m, int f, int s, uint8_t *x) {
    if (SHORT_WAY(f, s) && ordinary(a) && ordinary(n) && ordinary(m)) {
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
#ifdef HOST_VECTORS
    uint64_t w;
    if (HOST64(f, s, x) && usual64(__builtin_fma(real64(n), real64(m), real64(a)), &w)) return w;
#endif
    return long_fma(a, n, m, f, s, x);
}

/* A mantissa that is not 0, moved up to its full length, and the exponent with it. */
static inline uint64_t full_of(uint64_t n, int f, int *e) {
    const int up = FRACTION + 1 - length_of(mantissa_of(n, f));
    *e = exponent_of(n, f) - up;
    return mantissa_of(n, f) << up;
}

static uint64_t float_div(uint64_t n, uint64_t m, int f, int s, uint8_t *x) {
    n = flushed(n, f, s, x); m = flushed(m, f, s, x);
    if (is_nan(n, f) || is_nan(m, f)) return nan_of(0, n, m, f, s, x);
    const uint64_t sign = (n ^ m) & SIGN;
    if ((is_infinite(n, f) && is_infinite(m, f)) || (is_zero(n, f) && is_zero(m, f))) { *x |= IOC; return DEFAULT_NAN; }
    if (is_infinite(n, f)) return sign | INFINITE;
    if (is_zero(m, f)) { *x |= DZC; return sign | INFINITE; }
    if (is_infinite(m, f) || is_zero(n, f)) return sign;
    int e, g;
    const wide_t dividend = (wide_t)full_of(n, f, &e) << 64, divisor = full_of(m, f, &g);
    return rounded(sign, dividend / divisor, e - g - 64, dividend % divisor != 0, f, s, flushing(f, s), x);
}

static uint64_t float_sqrt(uint64_t n, int f, int s, uint8_t *x) {
    n = flushed(n, f, s, x);
    if (is_nan(n, f)) return nan_of(0, 0, n, f, s, x);
    if (is_zero(n, f) || n == INFINITE) return n;
    if (n & SIGN) { *x |= IOC; return DEFAULT_NAN; }
    int e;
    wide_t rest = full_of(n, f, &e), root = 0;
    const int odd = e & 1, up = 2 * ((124 - FRACTION) / 2) + odd;
    rest <<= up;
    for (wide_t bit = (wide_t)1 << 126; bit; bit >>= 2) {  /* digit by digit */
        if (rest >= root + bit) { rest -= root + bit; root = (root >> 1) + bit; }
        else root >>= 1;
    }
    return rounded(0, root, (e - up) / 2, rest != 0, f, s, 0, x);
}

static inline int64_t ordered(uint64_t n, int f) { return n & SIGN ? -(int64_t)(n & MAGNITUDE) : (int64_t)n; }

static inline uint64_t extreme(uint64_t n, uint64_t m, int largest, int numbers, int f, int s, uint8_t *x) {
    if (numbers && is_nan(n, f) != is_nan(m, f)) {  /* a quiet NaN beside a number gives way to it */
        if (is_nan(n, f) && (n & QUIET)) return flushed(m, f, s, x);
        if (is_nan(m, f) && (m & QUIET)) return flushed(n, f, s, x);
    }
    n = flushed(n, f, s, x); m = flushed(m, f, s, x);
    if (is_nan(n, f) || is_nan(m, f)) return nan_of(0, n, m, f, s, x);
    if (is_zero(n, f) && is_zero(m, f)) return largest ? n & m : n | m;
    return (ordered(n, f) > ordered(m, f)) == largest ? n : m;
}
#define EXTREME(name, largest, numbers) \\
    static inline uint64_t name(uint64_t n, uint64_t m, int f, int s, uint8_t *x) { \\
        return extreme(n, m, largest, numbers, f, s, x); \\
    }
EXTREME(float_max, 1, 0) EXTREME(float_min, 0, 0) EXTREME(float_maxnm, 1, 1) EXTREME(float_minnm, 0, 1)

/* NZCV; `every`: a quiet NaN is invalid too. */
static inline uint8_t float_nzcv(uint64_t n, uint64_t m, int every, int f, int s, uint8_t *x) {
    n = flushed(n, f, s, x); m = flushed(m, f, s, x);
    if (is_nan(n, f) || is_nan(m, f)) {
        nan_of(0, n, m, f, s, x);
        if (every) *x |= IOC;
        return 3;
    }
    return ordered(n, f) < ordered(m, f) ? 8 : ordered(n, f) == ordered(m, f) ? 6 : 2;
}
/* `which`: NZCV of the relation's truth, one bit for each. */
static inline uint64_t float_compare(uint64_t n, uint64_t m, uint32_t which, int f, int s, uint8_t *x) {
    return -(uint64_t)(which >> float_nzcv(n, m, which != 1u << 6, f, s, x) & 1);
}

/* mantissa * 2**exponent as an integer without its sign, at most 2**65; 'x': rounded as the rules say. */
static wide_t integer_of(uint64_t sign, uint64_t mantissa, int exponent, char rounding, int s, int *exact) {
    *exact = 1;
    if (exponent >= 0) return exponent > 64 ? (wide_t)(mantissa != 0) << 65 : (wide_t)mantissa << exponent;
    if (exponent < -60) { mantissa = mantissa != 0; exponent = -60; }
    const uint64_t floor = mantissa >> -exponent, rest = mantissa & ((1ull << -exponent) - 1);
    const uint64_t half = 1ull << (-exponent - 1);
    *exact = !rest;
    if (rounding == 'x') rounding = "npmz"[(s & ROUNDING) / UP];
    return floor + (rounding == 'n' ? rest > half || (rest == half && (floor & 1)) : rounding == 'a' ? rest >= half :
                    rounding == 'm' ? rest && sign : rounding == 'p' ? rest && !sign : 0);
}

static uint64_t float_to_int(uint64_t n, int is_signed, int width, int fbits, char rounding, int f, int s, uint8_t *x) {
    n = flushed(n, f, s, x);
    const uint64_t top = is_signed ? (1ull << (width - 1)) - 1 : ~0ull >> (64 - width);
    const uint64_t low = is_signed ? 1ull << (width - 1) : 0;  /* the size of the smallest one */
    if (is_nan(n, f)) { *x |= IOC; return 0; }
    int exact = 1;
    const wide_t size = is_infinite(n, f) ? (wide_t)1 << 65 : integer_of(
        n & SIGN, mantissa_of(n, f), exponent_of(n, f) + fbits, rounding, s, &exact);
    if (size > (n & SIGN ? low : top)) { *x |= IOC; return n & SIGN ? -low : top; }
    if (!exact) *x |= IXC;
    return n & SIGN ? -(uint64_t)size : (uint64_t)size;
}

static uint64_t float_from_int(uint64_t n, int is_signed, int width, int fbits, int f, int s, uint8_t *x) {
    const uint64_t value = n << (64 - width) >> (64 - width);
    const int negative = is_signed && value >> (width - 1);
    return rounded(negative ? SIGN : 0, negative ? -value & ~0ull >> (64 - width) : value, -fbits, 0, f, s,
                   flushing(f, s), x);
}

static uint64_t float_round(uint64_t n, char rounding, int exactly, int f, int s, uint8_t *x) {
    n = flushed(n, f, s, x);
    if (is_nan(n, f)) return nan_of(0, 0, n, f, s, x);
    if (is_infinite(n, f) || exponent_of(n, f) >= 0) return n;
    int exact;
    uint8_t unused = 0;
    const wide_t size = integer_of(n & SIGN, mantissa_of(n, f), exponent_of(n, f), rounding, s, &exact);
    if (!exact && exactly) *x |= IXC;
    return rounded(n & SIGN, size, 0, 0, f, 0, 0, &unused);
}

/* n towards zero modulo 2**32; *exact: whether nothing was lost. */
static uint64_t whole_of(uint64_t n, int f, int s, uint8_t *x, int *exact) {
    const uint8_t before = *x;
    *x = 0;
    n = flushed(n, f, s, x);
    uint64_t value = 0;
    *exact = 0;
    if ((n & MAGNITUDE) >= INFINITE) *x |= IOC;
    else {
        int whole = 1;
        const int e = exponent_of(n, f);
        if (e < 64) value = (uint64_t)integer_of(n & SIGN, mantissa_of(n, f), e, 'z', s, &whole);
        const int fits = biased_of(n, f) < FORMATS[f].top / 2 + 32 && value <= 0x7fffffffull + (n & SIGN ? 1 : 0);
        if (n & SIGN) value = -value;
        *exact = fits && whole && n != SIGN;
        *x |= fits ? whole ? 0 : IXC : IOC;
    }
    *x |= before;
    return value & 0xffffffff;
}
static uint64_t float_javascript(uint64_t n, int f, int s, uint8_t *x) {
    int exact;
    return whole_of(n, f, s, x, &exact);
}
static uint64_t float_javascript_exact(uint64_t n, int f, int s, uint8_t *x) {
    int exact;
    whole_of(n, f, s, x, &exact);
    return exact ? 4 : 0;
}

/* Of format g as format f. What is half precision is never flushed. */
static uint64_t float_convert(uint64_t n, int g, int f, int s, uint8_t *x) {
    if (g != F16) n = flushed(n, g, s, x);
    const uint64_t sign = n & FORMATS[g].sign ? SIGN : 0, fraction = n & ((1ull << FORMATS[g].fraction) - 1);
    const int number = g == F16 && s & AHP, alternative = f == F16 && s & AHP;
    const int shift = FRACTION - FORMATS[g].fraction;
    if (is_nan(n, g) && !number) {
        if (alternative) { *x |= IOC; return sign; }
        if (!(n & FORMATS[g].quiet)) *x |= IOC;
        return s & DN ? DEFAULT_NAN : sign | DEFAULT_NAN | (shift >= 0 ? fraction << shift : fraction >> -shift);
    }
    if (is_infinite(n, g) && !number) {
        if (alternative) { *x |= IOC; return sign | MAGNITUDE; }
        return sign | INFINITE;
    }
    return rounded(sign, mantissa_of(n, g), exponent_of(n, g), 0, f, alternative ? s | ALTERNATIVE : s,
                   f != F16 && s & FZ, x);
}

/* Half precision as f, NaNs as they are. */
static uint64_t float_widen(uint64_t n, int f, int s, uint8_t *x) {
    uint8_t unused = 0;
    (void)x;
    n = flushed(n, F16, s, &unused);
    const uint64_t sign = n & 0x8000 ? SIGN : 0;
    if ((n & 0x7c00) == 0x7c00) return sign | INFINITE | (n & 0x3ff) << (FRACTION - 10);
    return rounded(sign, mantissa_of(n, F16), exponent_of(n, F16), 0, f, 0, 0, &unused);
}

static uint64_t float_recpe(uint64_t n, int f, int s, uint8_t *x) {
    n = flushed(n, f, s, x);
    if (is_nan(n, f)) return nan_of(0, 0, n, f, s, x);
    const uint64_t sign = n & SIGN;
    if (is_infinite(n, f)) return sign;
    if (is_zero(n, f)) { *x |= DZC; return sign | INFINITE; }
    if ((n & MAGNITUDE) < 1ull << (FRACTION - 2)) {
        *x |= OFC | IXC;
        return sign | (INFINITE - !(!(s & (ROUNDING | ODD)) || outwards(sign, s)));
    }
    int e;
    const uint32_t nine = (uint32_t)(full_of(n, f, &e) >> (FRACTION - 8));
    const int result = FORMATS[f].top / 2 * 2 - 1 - (e - LOWEST + 1);
    const uint64_t fraction = (uint64_t)(((1u << 19) / (2 * nine + 1) + 1) / 2 & 255) << (FRACTION - 8);
    if (result > 0) return sign | (uint64_t)result << FRACTION | fraction;
    if (flushing(f, s)) { *x |= UFC; return sign; }
    return sign | (1ull << FRACTION | fraction) >> (1 - result);
}

static uint64_t float_recpx(uint64_t n, int f, int s, uint8_t *x) {
    n = flushed(n, f, s, x);
    if (is_nan(n, f)) return nan_of(0, 0, n, f, s, x);
    return (n & SIGN) | (n & INFINITE ? (n & INFINITE) ^ INFINITE : INFINITE - POWER(1 - FORMATS[f].top / 2));
}

static uint64_t float_rsqrte(uint64_t n, int f, int s, uint8_t *x) {
    n = flushed(n, f, s, x);
    if (is_nan(n, f)) return nan_of(0, 0, n, f, s, x);
    if (is_zero(n, f)) { *x |= DZC; return n | INFINITE; }
    if (n & SIGN) { *x |= IOC; return DEFAULT_NAN; }
    if (is_infinite(n, f)) return 0;
    int e;
    uint32_t a = (uint32_t)(full_of(n, f, &e) >> (FRACTION - 8)), b = 512;
    const int biased = e - LOWEST + 1;
    if (biased & 1) a >>= 1;
    a = a < 256 ? 2 * a + 1 : ((a >> 1 << 1) + 1) << 1;
    while (a * (b + 1) * (b + 1) < 1u << 28) b++;
    const uint64_t result = (uint64_t)((FORMATS[f].top / 2 * 3 - 1 - biased) / 2);
    return result << FRACTION | (uint64_t)((b + 1) / 2 & 255) << (FRACTION - 8);
}

/* (start - n * m) / 2**halved. */
static uint64_t step(uint64_t n, uint64_t m, uint64_t start, int halved, int f, int s, uint8_t *x) {
    n = flushed(n, f, s, x); m = flushed(m, f, s, x);
    if ((is_infinite(n, f) && is_zero(m, f)) || (is_zero(n, f) && is_infinite(m, f)))
        return start - ((uint64_t)halved << FRACTION);
    if (s & STEPWISE) {
        const uint64_t r = float_sub(start, float_mul(n, m, f, s, x), f, s, x);
        return halved ? float_mul(r, POWER(-1), f, s, x) : r;
    }
    n ^= SIGN;
    if (is_nan(n, f) || is_nan(m, f) || is_infinite(n, f) || is_infinite(m, f)) return float_fma(start, n, m, f, s, x);
    return summed(0, mantissa_of(start, f), exponent_of(start, f), (n ^ m) & SIGN,
                  (wide_t)mantissa_of(n, f) * mantissa_of(m, f), exponent_of(n, f) + exponent_of(m, f), f, s, halved,
                  x);
}
static inline uint64_t float_recps(uint64_t n, uint64_t m, int f, int s, uint8_t *x) {
    return step(n, m, POWER(1), 0, f, s, x);
}
static inline uint64_t float_rsqrts(uint64_t n, uint64_t m, int f, int s, uint8_t *x) {
    return step(n, m, POWER(1) | QUIET, 1, f, s, x);
}"""

# How the host computes whole registers of operands p0, p1 ...: word -> (the result, given the type of vectors and the
# letter of builtins; where single precision lost something, of doubles a, b, c of the operands and w of the result; the
# same of double precision).
_HOST = {
    "add": ("({0})p0 + ({0})p1", "LOST_SUM(w, a, b)", "LOST_SUM(w, a, b)"),
    "sub": ("({0})p0 - ({0})p1", "LOST_SUM(w, a, -b)", "LOST_SUM(w, a, -b)"),
    "mul": ("({0})p0 * ({0})p1", "a * b != w", "lost_in_product(w, a, b)"),
    "mulx": ("({0})p0 * ({0})p1", "a * b != w", "lost_in_product(w, a, b)"),
    "div": ("({0})p0 / ({0})p1", "w * b != a", "lost_in_product(a, w, b)"),
    "sqrt": ("__builtin_ia32_sqrtp{1}(({0})p0)", "w * w != a", "lost_in_product(a, w, w)"),
    "fma": ("__builtin_ia32_vfmaddp{1}(({0})p1, ({0})p2, ({0})p0)", "b * c + a != w | LOST_SUM(w, a, b * c)",
            "lost_in_fma(w, a, b, c)")}


def by_the_host(word: FloatWord, count: int, operands: int, type_: str) -> tuple[str, str]:
    """Statements before a loop over the lanes by rules ``s``: (where an inexact result is nothing new, where it is);
    empty if the host never does.

    The first are few, and stand wherever the word does; the others find what was lost, and may give zeros.
    """
    bits, whole = {"f32": (32, 4), "f64": (64, 2)}.get(word.format, (0, 0))
    if not bits or count not in (whole, 2) or word.name not in _HOST:
        return "", ""
    result, lost32, lost64 = _HOST[word.name]
    real, all_lanes = f"f{bits}x{whole}", (1 << whole) - 1
    values = [f"p{i}" for i in range(operands)]
    spread, back = "", f"({type_})host"
    if count < whole:  # the upper half computes with 4 and 1, which raises nothing
        spread = "".join(f"    const bits32 q{i} = (bits32)(bits64){{(uint64_t)p{i}, {pad}}};\n" for i, pad in
                         zip(range(operands), ("0x4080000040800000", *["0x3f8000003f800000"] * 2), strict=False))
        result, values, back = result.replace("p0", "q0").replace("p1", "q1").replace("p2", "q2"), [
            value.replace("p", "q") for value in values], f"({type_})((bits64)host)[0]"
    denormal = " | ".join(f"DENORMAL{bits}({value})" for value in values)
    flushed = f"!WHICH{bits}({denormal})"
    always = isinstance(word.rules, LiveRules) and word.rules.set & FZ  # AArch32 Advanced SIMD
    usual = f"!(s & (ROUNDING | ODD)) && {flushed}" if always else "!(s & (ROUNDING | ODD | FZ))"
    by_rules = f"!(s & (ROUNDING | ODD)) && (!(s & FZ) || {flushed})"
    host = f"{spread}    const {real} host = {result.format(real, 's' if bits == 32 else 'd')};\n"
    short = (f"#ifdef HOST_VECTORS\n{host}"
             f"    if (*x & IXC && {usual} && ALL_USUAL{bits}(host)) return {back};\n#endif\n")
    if bits == 32:
        known = "".join(f", {name} = WIDE({value})" for name, value in zip("abc", values, strict=False))
        lost = f"        const f64x4 w = WIDE(host){known};\n        const mask32 lost = NARROW({lost32});\n"
        fit = ""
    else:
        known = "".join(f", {name} = (f64x2){value}" for name, value in zip("abc", values, strict=False))
        lost = f"        const f64x2 w = host{known};\n        const mask64 lost = {lost64};\n"
        fit = "".join(f" & MIDDLING({name})" for name, _ in zip("abc", values, strict=False))
    settled = f"(USUAL{bits}(host) | ((SIZE{bits}(host) == 0) & ~lost)){fit}"
    careful = (f"#ifdef HOST_VECTORS\n{host}    if ({by_rules}) {{\n{lost}"
               f"        if (WHICH{bits}({settled}) == {all_lanes}) {{\n"
               f"            if (WHICH{bits}(lost)) *x |= IXC;\n            return {back};\n"
               "        }\n    }\n#endif\n")
    return short, careful


def on_the_host(word: FloatWord, operands: list[str]) -> str:
    """Return the host's own result of a register of four floats, by rules that are known to be those of a reset; ""
    where the host has none, or rules of its own stand in the way."""
    if word.format != "f32" or word.name not in _HOST or not isinstance(word.rules, LiveRules) or word.rules.set & FZ:
        return ""
    return re.sub(r"\bp(\d)", lambda found: f"({operands[int(found[1])]})", _HOST[word.name][0].format("f32x4", "s"))


# NZCV after a comparison for which the relation holds, as bits: less 8, equal 6, greater 2.
_HOLDS = {"==": 1 << 6, ">=": 1 << 6 | 1 << 2, ">": 1 << 2, "<=": 1 << 8 | 1 << 6, "<": 1 << 8}


def call(word: FloatWord, operands: list[str], rules: str, raised: str) -> str:
    """Return the C call of a word on one lane by rules; ``raised``: an lvalue that exceptions are added to."""
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
        extra = [str(detail[0]).upper()]
    return f"{name}({', '.join([*operands, *extra, word.format.upper(), rules, '&' + raised])})"
