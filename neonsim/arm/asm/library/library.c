/* Functions that compilers call and take for granted, as neonsim has them built in: compiled by make.py to the text that
 * is assembled behind a program that needs them. They need Armv8-A, as the emulator has it, whatever the program needs.
 *
 * Integer helpers, memory, sqrt, fma, roundings, fmin, fmax, fmod: exact. The others by the series that stand here, in
 * double precision or twice that; how far off they are is measured by tests/arm/asm/library/measure.py and stated in
 * docs/library.md.
 */
#include <arm_neon.h>
#include <stdint.h>

typedef uintptr_t size;
typedef struct { double high, low; } twice;

static inline double of_bits(uint64_t b) { union { uint64_t b; double x; } u = {b}; return u.x; }
static inline uint64_t bits_of(double x) { union { double x; uint64_t b; } u = {x}; return u.b; }
static inline float single_of_bits(uint32_t b) { union { uint32_t b; float x; } u = {b}; return u.x; }
static inline uint32_t bits_of_single(float x) { union { float x; uint32_t b; } u = {x}; return u.b; }
static inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline double root(double x) {
#ifdef __aarch64__
    __asm__("fsqrt %d0, %d1" : "=w"(x) : "w"(x));
#else
    __asm__("vsqrt.f64 %P0, %P1" : "=w"(x) : "w"(x));
#endif
    return x;
}
static inline float single_root(float x) {
#ifdef __aarch64__
    __asm__("fsqrt %s0, %s1" : "=w"(x) : "w"(x));
#else
    __asm__("vsqrt.f32 %0, %1" : "=t"(x) : "t"(x));
#endif
    return x;
}

/* ---- memory and text ---- */

void *memcpy(void *to, const void *from, size n) {
    uint8_t *d = to;
    const uint8_t *s = from;
    for (; n >= 16; n -= 16, d += 16, s += 16) vst1q_u8(d, vld1q_u8(s));
    for (; n; n--) *d++ = *s++;
    return to;
}
void *memmove(void *to, const void *from, size n) {
    uint8_t *d = to;
    const uint8_t *s = from;
    if ((size)d - (size)s >= n) { /* not into what is still to be read */
        for (; n >= 16; n -= 16, d += 16, s += 16) vst1q_u8(d, vld1q_u8(s));
        for (; n; n--) *d++ = *s++;
        return to;
    }
    for (; n & 15; n--) d[n - 1] = s[n - 1];
    for (; n; n -= 16) vst1q_u8(d + n - 16, vld1q_u8(s + n - 16));
    return to;
}
void *memset(void *to, int value, size n) {
    uint8_t *d = to;
    const uint8x16_t many = vdupq_n_u8((uint8_t)value);
    for (; n >= 16; n -= 16, d += 16) vst1q_u8(d, many);
    for (; n; n--) *d++ = (uint8_t)value;
    return to;
}
int memcmp(const void *a, const void *b, size n) {
    const uint8_t *x = a, *y = b;
    for (; n; n--, x++, y++)
        if (*x != *y) return *x - *y;
    return 0;
}
int bcmp(const void *a, const void *b, size n) { return memcmp(a, b, n); }
size strlen(const char *text) {
    const char *end = text;
    while (*end) end++;
    return (size)(end - text);
}
int strcmp(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return (uint8_t)*a - (uint8_t)*b;
}
char *strcpy(char *to, const char *from) {
    char *d = to;
    while ((*d++ = *from++)) {}
    return to;
}

/* ---- exact, in one instruction or a few ---- */

float sqrtf(float x) { return single_root(x); }
double sqrt(double x) { return root(x); }
float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#define BOTH(name) \
    float name##f(float x) { return __builtin_##name##f(x); } \
    double name(double x) { return __builtin_##name(x); }
BOTH(fabs)
BOTH(floor)
BOTH(ceil)
BOTH(trunc)
BOTH(rint)
BOTH(nearbyint)
BOTH(round)
float copysignf(float a, float b) { return single_of_bits((bits_of_single(a) & 0x7FFFFFFF) | (bits_of_single(b) & 0x80000000)); }
double copysign(double a, double b) { return of_bits((bits_of(a) & ~(1ull << 63)) | (bits_of(b) & 1ull << 63)); }
#define EXTREME(name, type, instruction, constraint) \
    type name(type a, type b) { \
        type x; \
        __asm__(instruction : "=" constraint(x) : constraint(a), constraint(b)); \
        return x; \
    }
#ifdef __aarch64__
EXTREME(fminf, float, "fminnm %s0, %s1, %s2", "w")
EXTREME(fmaxf, float, "fmaxnm %s0, %s1, %s2", "w")
EXTREME(fmin, double, "fminnm %d0, %d1, %d2", "w")
EXTREME(fmax, double, "fmaxnm %d0, %d1, %d2", "w")
#else
EXTREME(fminf, float, "vminnm.f32 %0, %1, %2", "t")
EXTREME(fmaxf, float, "vmaxnm.f32 %0, %1, %2", "t")
EXTREME(fmin, double, "vminnm.f64 %P0, %P1, %P2", "w")
EXTREME(fmax, double, "vmaxnm.f64 %P0, %P1, %P2", "w")
#endif

double fmod(double a, double b) {
    uint64_t x = bits_of(a) & ~(1ull << 63), y = bits_of(b) & ~(1ull << 63);
    if (y == 0 || x >= 0x7FFull << 52 || y > 0x7FFull << 52) return (a * b) / (a * b);
    if (x < y) return a;
    int ex = (int)(x >> 52), ey = (int)(y >> 52);
    uint64_t mx = x & ((1ull << 52) - 1), my = y & ((1ull << 52) - 1);
    if (ex) mx |= 1ull << 52;
    else for (ex = 1; !(mx >> 52); ex--) mx <<= 1;
    if (ey) my |= 1ull << 52;
    else for (ey = 1; !(my >> 52); ey--) my <<= 1;
    for (; ex > ey; ex--) {
        if (mx >= my) mx -= my;
        mx <<= 1;
    }
    if (mx >= my) mx -= my;
    if (!mx) return copysign(0, a);
    for (; !(mx >> 52); ex--) mx <<= 1;
    return copysign(of_bits(ex > 0 ? (mx & ((1ull << 52) - 1)) | (uint64_t)ex << 52 : mx >> (1 - ex)), a);
}
float fmodf(float a, float b) { return (float)fmod(a, b); }

/* ---- exact: the parts of a number, its neighbours, integers, rests ---- */

/* ilogb(0) is the least number but one, as in glibc. */
#define PARTS(s, type, word, bits, unbits, digits, bias) \
    type nextafter##s(type x, type to) { \
        const word a = bits(x); \
        if (x != x || to != to) return x + to; \
        if (x == to) return to; \
        if (x == 0) return unbits((word)1 | (bits(to) & (word)1 << (sizeof(word) * 8 - 1))); \
        return unbits((x < to) == (x > 0) ? a + 1 : a - 1); \
    } \
    type scalbn##s(type x, int n) { \
        const type up = unbits((word)(2 * bias) << digits), down = unbits((word)(digits + 2) << digits); \
        n = n > 4 * bias ? 4 * bias : n < -4 * bias ? -4 * bias : n; \
        for (; n > bias; n -= bias) x *= up; \
        for (; n < 1 - bias; n += bias - digits - 2) x *= down; /* no number that matters is rounded twice */ \
        return x * unbits((word)(n + bias) << digits); \
    } \
    type ldexp##s(type x, int n) { return scalbn##s(x, n); } \
    type scalbln##s(type x, long n) { return scalbn##s(x, n > 99999 ? 99999 : n < -99999 ? -99999 : (int)n); } \
    type frexp##s(type x, int *e) { \
        *e = 0; \
        if (x == 0 || !(__builtin_fabs(x) < __builtin_inf())) return x + x; \
        if (__builtin_fabs(x) < unbits((word)1 << digits)) x *= unbits((word)(bias + digits + 1) << digits), *e = -digits - 1; \
        const word a = bits(x), mask = ((word)(2 * bias + 1)) << digits; \
        *e += (int)((a & mask) >> digits) - (bias - 1); \
        return unbits((a & ~mask) | (word)(bias - 1) << digits); \
    } \
    type modf##s(type x, type *whole) { \
        *whole = __builtin_trunc##s(x); \
        return copysign##s(__builtin_fabs(x) == __builtin_inf() ? 0 : x - *whole, x); \
    } \
    int ilogb##s(type x) { \
        int e; \
        if (x == 0) return -2147483647; \
        if (!(__builtin_fabs(x) < __builtin_inf())) return 2147483647; \
        frexp##s(x, &e); \
        return e - 1; \
    } \
    type logb##s(type x) { return x == 0 ? -1 / (x * x) : !(__builtin_fabs(x) < __builtin_inf()) ? x * x : (type)ilogb##s(x); } \
    type fdim##s(type x, type y) { return x <= y ? 0 : x - y; } \
    long lrint##s(type x) { type r = __builtin_rint##s(x); __asm__("" : "+m"(r)); return (long)r; } \
    long lround##s(type x) { type r = __builtin_round##s(x); __asm__("" : "+m"(r)); return (long)r; } \
    long long llrint##s(type x) { type r = __builtin_rint##s(x); __asm__("" : "+m"(r)); return (long long)r; } \
    long long llround##s(type x) { type r = __builtin_round##s(x); __asm__("" : "+m"(r)); return (long long)r; }
PARTS(f, float, uint32_t, bits_of_single, single_of_bits, 23, 127)
PARTS(, double, uint64_t, bits_of, of_bits, 52, 1023)

/* x - n y, n the integer nearest to x / y, to the even one between two; *q: its last bits */
static __attribute__((noinline)) double nearest_rest(double x, double y, int *q) {
    const double d = __builtin_fabs(y);
    *q = 0;
    if (y == 0 || y != y || !(__builtin_fabs(x) < __builtin_inf())) return (x * y) / (x * y);
    double a = __builtin_fabs(d < 0x1p1021 ? fmod(x, 8 * d) : x);
    int n = 0;
    if (d < 0x1p1022 && a >= 4 * d) a -= 4 * d, n += 4;
    if (d < 0x1p1023 && a >= 2 * d) a -= 2 * d, n += 2;
    if (d < 0x1p-1021 ? a + a > d : a > 0.5 * d) {
        a -= d, n++;
        if (d < 0x1p-1021 ? a + a >= d : a >= 0.5 * d) a -= d, n++;
    }
    n &= 7;
    *q = __builtin_signbit(x) != __builtin_signbit(y) ? -n : n;
    return __builtin_signbit(x) ? -a : a;
}
double remainder(double x, double y) { int q; return nearest_rest(x, y, &q); }
float remainderf(float x, float y) { int q; return (float)nearest_rest(x, y, &q); }

/* ---- by series ---- */

#define LN2 0x1.62e42fefa39efp-1
#define LN2_LOW 0x1.abc9e3b39803fp-56
#define LN2_HIGH 0x1.62e42fefap-1 /* 33 bits: times an integer of 12 bits exact */
#define LN2_REST 0x1.cf79abc9e3b3ap-40
#define INVERSE_LN2 0x1.71547652b82fep+0
#define NEAREST 0x1.8p52 /* added and subtracted: rounds to an integer */
#define HALF_PI 0x1.921fb54442d18p+0
#define HALF_PI_LOW 0x1.1a62633145c07p-54
#define HALF_PI_LEAST -0x1.f1976b7ed8fbcp-110

static inline double power_of_two(int n) { return of_bits((uint64_t)(1023 + n) << 52); }

/* exp(r) - 1 for |r| <= ln(2)/2: r + r**2/2! + ... + r**14/14! */
static inline double series_of_exp(double r, double low) {
    double p = 1. / 87178291200;
    p = fused(p, r, 1. / 6227020800);
    p = fused(p, r, 1. / 479001600);
    p = fused(p, r, 1. / 39916800);
    p = fused(p, r, 1. / 3628800);
    p = fused(p, r, 1. / 362880);
    p = fused(p, r, 1. / 40320);
    p = fused(p, r, 1. / 5040);
    p = fused(p, r, 1. / 720);
    p = fused(p, r, 1. / 120);
    p = fused(p, r, 1. / 24);
    p = fused(p, r, 1. / 6);
    p = fused(p, r, 0.5);
    return r + fused(r * r, p, low + r * low);
}

/* exp(high + low), |high| <= 1100: 2**n times a series. */
static __attribute__((noinline)) double exponential(double high, double low) {
    const double n = fused(high, INVERSE_LN2, NEAREST) - NEAREST;
    const double a = fused(-n, LN2_HIGH, high), b = fused(-n, LN2_REST, low);
    const double r = a + b, y = 1 + series_of_exp(r, a - r + b);
    const int whole = (int)n, half = whole >> 1;
    return y * power_of_two(half) * power_of_two(whole - half);
}
double exp(double x) {
    if (!(x < 710)) return x != x || x > 1e308 ? x + x : 0x1p1023 * 2.;
    if (x < -746) return x < -1e308 ? 0. : 0x1p-1000 * 0x1p-1000;
    return exponential(x, 0);
}
float expf(float x) {
    if (!(x < 89)) return x != x || x > 0x1.fffffep+127f ? x + x : (float)0x1p1000;
    if (x < -104) return x < -1e38f ? 0.f : (float)0x1p-1000;
    return (float)exponential(x, 0);
}
float exp2f(float x) {
    if (!(x < 128)) return x != x || x > 0x1.fffffep+127f ? x + x : (float)0x1p1000;
    if (x < -151) return x < -1e38f ? 0.f : (float)0x1p-1000;
    const double n = (double)x + NEAREST - NEAREST;
    return (float)((1 + series_of_exp((x - n) * LN2, 0)) * power_of_two((int)n));
}

/* x = 2**k * (1 + f), sqrt(1/2) <= 1 + f < sqrt(2); x is above zero. */
static inline double parts(double x, int *k) {
    int moved = 0;
    if (x < 0x1p-1022) x *= 0x1p54, moved = 54;
    const uint64_t b = bits_of(x), m = b & ((1ull << 52) - 1);
    const int up = m >= 0x6A09E667F3BCDull; /* sqrt(2) */
    *k = (int)(b >> 52) - 1023 + up - moved;
    return of_bits(m | (uint64_t)(1023 - up) << 52) - 1;
}
/* 2 atanh(s) / s - 2, of z = s**2 < 0.0295: 2 (z/3 + z**2/5 + ... + z**11/23); of it what is behind the first term */
static inline double rest_of_log(double z) {
    double p = 2. / 23;
    p = fused(p, z, 2. / 21);
    p = fused(p, z, 2. / 19);
    p = fused(p, z, 2. / 17);
    p = fused(p, z, 2. / 15);
    p = fused(p, z, 2. / 13);
    p = fused(p, z, 2. / 11);
    p = fused(p, z, 2. / 9);
    p = fused(p, z, 2. / 7);
    p = fused(p, z, 2. / 5);
    return p * (z * z);
}
static inline double series_of_log(double z) { return fused(2. / 3, z, rest_of_log(z)); }
/* log(1 + f) = f - (f**2/2 - s (f**2/2 + R)) with s = f / (2 + f), and k ln 2 */
static __attribute__((noinline)) double logarithm(double x) {
    int k;
    const double f = parts(x, &k), s = f / (2 + f), half = 0.5 * f * f;
    return k * LN2_HIGH - (half - fused(s, half + series_of_log(s * s), k * LN2_REST) - f);
}
static __attribute__((noinline)) double log_of_odd(double x) { return x != x || x > 0 ? x + x : x == 0 ? -1 / (x * x) : (x - x) / 0.; }
#define HAS_LOG(x) ((x) > 0 && (x) < __builtin_inf())
double log(double x) { return HAS_LOG(x) ? logarithm(x) : log_of_odd(x); }
float logf(float x) { return (float)(HAS_LOG(x) ? logarithm(x) : log_of_odd(x)); }
float log2f(float x) {
    if (!HAS_LOG(x)) return (float)log_of_odd(x);
    int k;
    const double f = parts(x, &k), s = f / (2 + f);
    return (float)fused(fused(s, series_of_log(s * s), 2 * s), INVERSE_LN2, k);
}
float log10f(float x) { return (float)(HAS_LOG(x) ? logarithm(x) * 0x1.bcb7b1526e50ep-2 : log_of_odd(x)); }

/* log(x) in twice the precision: k ln 2 + 2 s + 2 s z/3 in that, the rest of the series in one. */
static inline twice precise_log(double x) {
    int k;
    const double f = parts(x, &k), d = 2 + f, d_low = f - (d - 2);
    const double s = f / d, s_low = (fused(-s, d, f) - s * d_low) / d;
    const double z = s * s, z_low = fused(s, s, -z) + 2 * s * s_low;
    const double third = 2. / 3 * s, third_low = fused(2. / 3, s, -third) + 2. / 3 * s_low + 0x1.5555555555555p-55 * s;
    const double c = third * z, c_low = fused(third, z, -c) + third * z_low + third_low * z;
    const double rest = s * rest_of_log(z);
    const double n = k * LN2, n_low = fused(k, LN2, -n) + k * LN2_LOW;
    /* largest first */
    double high = n + 2 * s, low = k ? 2 * s - (high - n) : 0;
    const double sum = high + c;
    low += c - (sum - high) + (rest + c_low + 2 * s_low + n_low);
    high = sum + low;
    return (twice){high, low - (high - sum)};
}

/* 0: y is no integer; 1: odd; 2: even. */
static inline int whole(double y) {
    const double t = __builtin_fabs(y);
    if (t >= 0x1p53) return 2;
    if (t != __builtin_trunc(t)) return 0;
    return (int64_t)t & 1 ? 1 : 2;
}
/* x**y where it is no matter of arithmetic; *sign of the others. 1: it is one of them. */
static __attribute__((noinline)) int odd_power(double x, double y, double *result, double *sign) {
    *sign = 1;
    const int kind = whole(y);
    if (y == 0 || x == 1) return *result = 1, 1;
    if (x != x || y != y) return *result = x + y, 1;
    const double a = __builtin_fabs(x), infinite = __builtin_inf();
    if (y == infinite || y == -infinite)
        return *result = a == 1 ? 1 : (a > 1) == (y > 0) ? infinite : 0, 1;
    const double s = kind == 1 && __builtin_signbit(x) ? -1 : 1;
    if (x == 0) return *result = y > 0 ? s * 0 : s / 0., 1;
    if (a == infinite) return *result = y > 0 ? s * infinite : s * 0, 1;
    if (x < 0 && !kind) return *result = (x - x) / (x - x), 1;
    *sign = s;
    return 0;
}
double pow(double x, double y) {
    double result, sign;
    if (odd_power(x, y, &result, &sign)) return result;
    const twice l = precise_log(__builtin_fabs(x));
    const double high = y * l.high, low = fused(y, l.high, -high) + y * l.low;
    if (high > 710) return sign * 0x1p1023 * 2.;
    if (high < -746) return sign * 0x1p-1000 * 0x1p-1000;
    if (__builtin_fabs(high) < 0x1p-60) return sign * (1 + high);
    return sign * exponential(high, low);
}
float powf(float x, float y) {
    double result, sign;
    if (odd_power(x, y, &result, &sign)) return (float)result;
    const double high = y * logarithm(__builtin_fabs(x));
    if (high > 710) return (float)(sign * 0x1p1000);
    if (high < -746) return (float)(sign * 0x1p-1000);
    return (float)(sign * exponential(high, 0));
}

/* exp(x) - 1, 0 <= x <= 44: 2**n (exp(r) - 1) + (2**n - 1) */
static __attribute__((noinline)) double exponential_less_one(double x) {
    const double n = fused(x, INVERSE_LN2, NEAREST) - NEAREST;
    const double a = fused(-n, LN2_HIGH, x), b = -n * LN2_REST, r = a + b, scale = power_of_two((int)n);
    return fused(scale, series_of_exp(r, a - r + b), scale - 1);
}
/* (e - 1) / (e + 1), e = exp(2 x) */
double tanh(double x) {
    const double a = __builtin_fabs(x);
    if (x != x) return x + x;
    if (a < 0x1p-28) return x;
    if (a > 22) return copysign(1, x);
    const double e = exponential_less_one(2 * a);
    return copysign(e / (e + 2), x);
}
float tanhf(float x) {
    if (x != x) return x + x;
    return (float)tanh(x);
}

/* ---- sine and cosine: x = n pi/2 + r, and a series of r ---- */

/* 2/pi, 1184 bits from the first behind the point. */
static const uint32_t two_over_pi[] = {
    0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561, 0xB7246E3A,
    0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41,
    0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF,
    0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08,
    0x56033046, 0xFC7B6BAB};

/* m 2**e 2/pi modulo 4 for m < 2**53, e >= 0: 192 bits of 2/pi count, those before are multiples of 4. */
static __attribute__((noinline)) int far_reduced(uint64_t m, int e, twice *r) {
    uint32_t p[6] = {0};
    const int first = e - 2; /* bits left out at the front; -2, -1: zeros before it */
    for (int i = 5; i >= 0; i--) { /* word i of the window, times m, onto p, the most significant word first */
        const int at = first + 32 * i;
        const int word = at >> 5, shift = at & 31;
        const uint32_t left = word < 0 ? 0 : two_over_pi[word], right = two_over_pi[word + 1];
        const uint32_t w = shift ? left << shift | right >> (32 - shift) : left;
        uint64_t carry = (uint64_t)w * (uint32_t)m + p[i];
        p[i] = (uint32_t)carry;
        carry = (carry >> 32) + (i > 0 ? (uint64_t)w * (uint32_t)(m >> 32) + p[i - 1 < 0 ? 0 : i - 1] : 0);
        for (int j = i - 1; j >= 0; j--) {
            p[j] = (uint32_t)carry;
            carry = (carry >> 32) + (j > 0 ? p[j - 1] : 0);
        }
    }
    int n = (int)(p[0] >> 30);
    for (int i = 0; i < 5; i++) p[i] = p[i] << 2 | p[i + 1] >> 30;
    const int negative = (int)(p[0] >> 31);
    if (negative) {
        n++;
        for (int i = 0; i < 5; i++) p[i] = ~p[i];
    }
    /* 160 bits of a fraction up to 1/2, in two numbers */
    const double a = p[0] * 0x1p-32, b = p[1] * 0x1p-64, c = p[2] * 0x1p-96, d = p[3] * 0x1p-128 + p[4] * 0x1p-160;
    const double ab = a + b, ab_low = a > 0 ? b - (ab - a) : 0, cd = c + d, cd_low = d - (cd - c);
    const double high = ab + (ab_low + cd), low = ab_low + cd - (high - ab) + cd_low;
    const double x = high * HALF_PI, sign = negative ? -1 : 1;
    *r = (twice){sign * x, sign * (fused(high, HALF_PI, -x) + (high * HALF_PI_LOW + low * HALF_PI))};
    return n & 3;
}
static __attribute__((noinline)) int reduced(double x, twice *r) {
    if (__builtin_fabs(x) < 0x1p25) {
        const double n = fused(x, 0x1.45f306dc9c883p-1, NEAREST) - NEAREST;
        const double a = fused(-n, HALF_PI, x), b = n * HALF_PI_LOW, b_low = fused(n, HALF_PI_LOW, -b);
        const double high = a - b, t = a - high; /* the sum of both parts, without loss */
        *r = (twice){high, (a - (high + (a - high))) + (t - b) - b_low - n * HALF_PI_LEAST};
        return (int)n & 3;
    }
    const uint64_t b = bits_of(x);
    const int n = far_reduced((b & ((1ull << 52) - 1)) | 1ull << 52, (int)(b >> 52 & 0x7FF) - 1075, r);
    if (!(b >> 63)) return n;
    *r = (twice){-r->high, -r->low};
    return -n & 3;
}
/* x - x**3/3! + ... + x**17/17!, |x| <= pi/4 */
static inline double series_of_sine(double x, double low) {
    const double z = x * x;
    double p = 1. / 355687428096000;
    p = fused(p, z, -1. / 1307674368000);
    p = fused(p, z, 1. / 6227020800);
    p = fused(p, z, -1. / 39916800);
    p = fused(p, z, 1. / 362880);
    p = fused(p, z, -1. / 5040);
    p = fused(p, z, 1. / 120);
    p = fused(p, z, -1. / 6);
    return x + fused(z * x, p, fused(-0.5 * z, low, low));
}
/* 1 - x**2/2! + ... + x**18/18! */
static inline double series_of_cosine(double x, double low) {
    const double z = x * x;
    double p = -1. / 6402373705728000;
    p = fused(p, z, 1. / 20922789888000);
    p = fused(p, z, -1. / 87178291200);
    p = fused(p, z, 1. / 479001600);
    p = fused(p, z, -1. / 3628800);
    p = fused(p, z, 1. / 40320);
    p = fused(p, z, -1. / 720);
    p = fused(p, z, 1. / 24);
    const double half = 0.5 * z, w = 1 - half;
    return w + ((1 - w - half) + fused(z * z, p, -x * low));
}
static __attribute__((noinline)) double turned(int n, const twice *r) {
    const double y = n & 1 ? series_of_cosine(r->high, r->low) : series_of_sine(r->high, r->low);
    return n & 2 ? -y : y;
}
#define ENDLESS(x) (!(__builtin_fabs(x) < __builtin_inf()))
double sin(double x) {
    if (ENDLESS(x)) return x - x;
    if (__builtin_fabs(x) < 0x1p-27) return x;
    twice r;
    const int n = reduced(x, &r);
    return turned(n, &r);
}
double cos(double x) {
    if (ENDLESS(x)) return x - x;
    twice r;
    const int n = reduced(x, &r);
    return turned(n + 1, &r);
}
float sinf(float x) { return ENDLESS(x) ? x - x : (float)sin(x); }
float cosf(float x) { return ENDLESS(x) ? x - x : (float)cos(x); }
float tanf(float x) {
    if (ENDLESS(x)) return x - x;
    if (__builtin_fabsf(x) < 0x1p-13f) return x;
    twice r;
    const int n = reduced(x, &r);
    return (float)(turned(n, &r) / turned(n + 1, &r));
}

/* ---- helpers of libgcc and compiler-rt ---- */

static inline int ones(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555;
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F;
    x += x >> 8;
    x += x >> 16;
    return (int)(x + (x >> 32)) & 127;
}
static inline int zeros_before(uint64_t x) { return x >> 32 ? __builtin_clz((uint32_t)(x >> 32)) : 32 + __builtin_clz((uint32_t)x); }
static inline int zeros_behind(uint64_t x) { return (uint32_t)x ? __builtin_ctz((uint32_t)x) : 32 + __builtin_ctz((uint32_t)(x >> 32)); }
int __popcountsi2(uint32_t x) { return ones(x); }
int __popcountdi2(uint64_t x) { return ones(x); }
int __paritysi2(uint32_t x) { return ones(x) & 1; }
int __paritydi2(uint64_t x) { return ones(x) & 1; }
int __clzsi2(uint32_t x) { return __builtin_clz(x); }
int __clzdi2(uint64_t x) { return zeros_before(x); }
int __ctzsi2(uint32_t x) { return __builtin_ctz(x); }
int __ctzdi2(uint64_t x) { return zeros_behind(x); }
int __ffssi2(uint32_t x) { return x ? __builtin_ctz(x) + 1 : 0; }
int __ffsdi2(uint64_t x) { return x ? zeros_behind(x) + 1 : 0; }
int __clrsbsi2(int32_t x) { return __builtin_clz((uint32_t)(x ^ x >> 31) << 1 | 1); }
int __clrsbdi2(int64_t x) { return zeros_before((uint64_t)(x ^ x >> 63) << 1 | 1); }
uint32_t __bswapsi2(uint32_t x) { return __builtin_bswap32(x); }
uint64_t __bswapdi2(uint64_t x) { return __builtin_bswap64(x); }
#define TRAPS(mode, type) \
    type __addv##mode##3(type a, type b) { type r; if (__builtin_add_overflow(a, b, &r)) __builtin_trap(); return r; } \
    type __subv##mode##3(type a, type b) { type r; if (__builtin_sub_overflow(a, b, &r)) __builtin_trap(); return r; } \
    type __mulv##mode##3(type a, type b) { type r; if (__builtin_mul_overflow(a, b, &r)) __builtin_trap(); return r; } \
    type __negv##mode##2(type a) { type r; if (__builtin_sub_overflow((type)0, a, &r)) __builtin_trap(); return r; } \
    type __absv##mode##2(type a) { type r = a; if (a < 0 && __builtin_sub_overflow((type)0, a, &r)) __builtin_trap(); return r; } \
    type __mulo##mode##4(type a, type b, int *over) { type r; *over = __builtin_mul_overflow(a, b, &r); return r; }
TRAPS(si, int32_t)
TRAPS(di, int64_t)
#define POWER(name, type) \
    type name(type x, int m) { \
        uint32_t n = m < 0 ? -(uint32_t)m : (uint32_t)m; \
        type y = n & 1 ? x : 1; \
        while (n >>= 1) { \
            x *= x; \
            if (n & 1) y *= x; \
        } \
        return m < 0 ? 1 / y : y; \
    }
POWER(__powisf2, float)
POWER(__powidf2, double)
/* C99, Annex G: infinities are kept where the plain formula has no number. */
#define COMPLEX(mode, type, s) \
    type _Complex __mul##mode##3(type a, type b, type c, type d) { \
        const type ac = a * c, bd = b * d, ad = a * d, bc = b * c; \
        type x = ac - bd, y = ad + bc; \
        if (x != x && y != y) { \
            int again = 0; \
            if (INFINITE(a) || INFINITE(b)) { \
                a = copysign##s(INFINITE(a), a), b = copysign##s(INFINITE(b), b), again = 1; \
                if (c != c) c = copysign##s(0, c); \
                if (d != d) d = copysign##s(0, d); \
            } \
            if (INFINITE(c) || INFINITE(d)) { \
                c = copysign##s(INFINITE(c), c), d = copysign##s(INFINITE(d), d), again = 1; \
                if (a != a) a = copysign##s(0, a); \
                if (b != b) b = copysign##s(0, b); \
            } \
            if (!again && (INFINITE(ac) || INFINITE(bd) || INFINITE(ad) || INFINITE(bc))) { \
                a = a != a ? copysign##s(0, a) : a, b = b != b ? copysign##s(0, b) : b; \
                c = c != c ? copysign##s(0, c) : c, d = d != d ? copysign##s(0, d) : d, again = 1; \
            } \
            if (again) x = (type)__builtin_inf() * (a * c - b * d), y = (type)__builtin_inf() * (a * d + b * c); \
        } \
        return __builtin_complex(x, y); \
    } \
    static inline type _Complex quotient_##mode(type a, type b, type c, type d, type denominator, type x, type y) { \
        if (x != x && y != y) { \
            const type infinite = (type)__builtin_inf(); \
            if (denominator == 0 && (a == a || b == b)) x = copysign##s(infinite, c) * a, y = copysign##s(infinite, c) * b; \
            else if ((INFINITE(a) || INFINITE(b)) && FINITE(c) && FINITE(d)) { \
                a = copysign##s(INFINITE(a), a), b = copysign##s(INFINITE(b), b); \
                x = infinite * (a * c + b * d), y = infinite * (b * c - a * d); \
            } else if ((INFINITE(c) || INFINITE(d)) && FINITE(a) && FINITE(b)) { \
                c = copysign##s(INFINITE(c), c), d = copysign##s(INFINITE(d), d); \
                x = 0 * (a * c + b * d), y = 0 * (b * c - a * d); \
            } \
        } \
        return __builtin_complex(x, y); \
    }
#define INFINITE(x) (__builtin_fabs(x) == __builtin_inf())
#define FINITE(x) (__builtin_fabs(x) < __builtin_inf())
COMPLEX(sc, float, f)
COMPLEX(dc, double, )
float _Complex __divsc3(float a, float b, float c, float d) {
    const double m = (double)c * c + (double)d * d;
    return quotient_sc(a, b, c, d, m == 0 ? 0 : 1, (float)(((double)a * c + (double)b * d) / m), (float)(((double)b * c - (double)a * d) / m));
}
/* Baudin and Smith, "A robust complex division in Scilab", 2012: the larger part of the divisor first. */
double _Complex __divdc3(double a, double b, double c, double d) {
    const double a0 = a, b0 = b, c0 = c, d0 = d;
    const int turned_over = __builtin_fabs(c) < __builtin_fabs(d);
    const double big = __builtin_fabs(turned_over ? d : c);
    double scale = 1;
    if (big >= 0x1p1022) scale = 0.5;
    else if (big < 0x1p-52 || (big < 0x1p970 && ((__builtin_fabs(a) < 0x1p-1022 && __builtin_fabs(b) < 0x1p970)
                                                 || (__builtin_fabs(b) < 0x1p-1022 && __builtin_fabs(a) < 0x1p970)))) scale = 0x1p52;
    a *= scale, b *= scale, c *= scale, d *= scale;
    double x, y, m;
    if (turned_over) {
        const double ratio = c / d;
        m = c * ratio + d;
        if (__builtin_fabs(ratio) > 0x1p-1022) x = (a * ratio + b) / m, y = (b * ratio - a) / m;
        else x = (c * (a / d) + b) / m, y = (c * (b / d) - a) / m;
    } else {
        const double ratio = d / c;
        m = d * ratio + c;
        if (__builtin_fabs(ratio) > 0x1p-1022) x = (b * ratio + a) / m, y = (b - a * ratio) / m;
        else x = (d * (b / c) + a) / m, y = (b - d * (a / c)) / m;
    }
    return quotient_dc(a0, b0, c0, d0, c0 == 0 && d0 == 0 ? 0 : 1, x, y);
}

#ifdef __aarch64__
/* ---- numbers of 128 bits, and what GCC calls for atomic accesses (-moutline-atomics): one processor runs here ---- */

typedef unsigned __int128 wide;
typedef __int128 signed_wide;
static __attribute__((noinline)) wide divided_wide(wide n, wide d, wide *rest) {
    if (!d) { *rest = 0; return 0; }
    const uint64_t n_high = (uint64_t)(n >> 64), d_high = (uint64_t)(d >> 64);
    if (!n_high && !d_high) {
        const uint64_t q = (uint64_t)n / (uint64_t)d;
        *rest = (uint64_t)n - q * (uint64_t)d;
        return q;
    }
    const int before_n = n_high ? __builtin_clzll(n_high) : 64 + __builtin_clzll((uint64_t)n | 1);
    const int before_d = d_high ? __builtin_clzll(d_high) : 64 + __builtin_clzll((uint64_t)d);
    wide q = 0;
    for (int i = before_d - before_n; i >= 0; i--)
        if (n >> i >= d) n -= d << i, q |= (wide)1 << i;
    *rest = n;
    return q;
}
#define SIZE_OF(x) ((x) < 0 ? -(wide)(x) : (wide)(x))
wide __udivti3(wide n, wide d) { wide r; return divided_wide(n, d, &r); }
wide __umodti3(wide n, wide d) { wide r; divided_wide(n, d, &r); return r; }
wide __udivmodti4(wide n, wide d, wide *rest) { wide r; const wide q = divided_wide(n, d, &r); if (rest) *rest = r; return q; }
signed_wide __divti3(signed_wide n, signed_wide d) { wide r; const wide q = divided_wide(SIZE_OF(n), SIZE_OF(d), &r); return (signed_wide)((n < 0) != (d < 0) ? -q : q); }
signed_wide __modti3(signed_wide n, signed_wide d) { wide r; divided_wide(SIZE_OF(n), SIZE_OF(d), &r); return (signed_wide)(n < 0 ? -r : r); }
signed_wide __divmodti4(signed_wide n, signed_wide d, signed_wide *rest) {
    wide r;
    const wide q = divided_wide(SIZE_OF(n), SIZE_OF(d), &r);
    *rest = (signed_wide)(n < 0 ? -r : r);
    return (signed_wide)((n < 0) != (d < 0) ? -q : q);
}
int __popcountti2(wide x) { return ones((uint64_t)x) + ones((uint64_t)(x >> 64)); }
int __clzti2(wide x) { return x >> 64 ? zeros_before((uint64_t)(x >> 64)) : 64 + zeros_before((uint64_t)x); }
int __ctzti2(wide x) { return (uint64_t)x ? zeros_behind((uint64_t)x) : 64 + zeros_behind((uint64_t)(x >> 64)); }
/* The 64 bits from the first one on, the last of them set where more are: rounded once by the conversion. */
#define FROM_WIDE(name, type) \
    static __attribute__((noinline)) type name(wide x) { \
        if (!(x >> 64)) return (type)(uint64_t)x; \
        const int more = 64 - __builtin_clzll((uint64_t)(x >> 64)); \
        const uint64_t kept = (uint64_t)(x >> more) | ((x << (128 - more)) != 0); \
        return (type)kept * (type)power_of_two(more); \
    }
FROM_WIDE(single_of_wide, float)
FROM_WIDE(double_of_wide, double)
float __floatuntisf(wide x) { return single_of_wide(x); }
double __floatuntidf(wide x) { return double_of_wide(x); }
float __floattisf(signed_wide x) { return x < 0 ? -single_of_wide(-(wide)x) : single_of_wide((wide)x); }
double __floattidf(signed_wide x) { return x < 0 ? -double_of_wide(-(wide)x) : double_of_wide((wide)x); }
static __attribute__((noinline)) wide wide_of(double x) { /* x >= 0, or no number */
    if (!(x >= 1)) return 0;
    const int e = (int)(bits_of(x) >> 52) - 1075;
    const wide m = (bits_of(x) & ((1ull << 52) - 1)) | 1ull << 52;
    return e > 75 ? ~(wide)0 : e < 0 ? m >> -e : m << e;
}
wide __fixunsdfti(double x) { return wide_of(x); }
wide __fixunssfti(float x) { return wide_of(x); }
signed_wide __fixdfti(double x) {
    const wide most = ~(wide)0 >> 1;
    return __builtin_fabs(x) >= 0x1p127 ? (signed_wide)(x < 0 ? most + 1 : most) : (signed_wide)(x < 0 ? -wide_of(-x) : wide_of(x));
}
signed_wide __fixsfti(float x) { return __fixdfti(x); }

#define ORDERS(make) make(relax) make(acq) make(rel) make(acq_rel) make(sync)
#define READ_AND(name, size, type, order, expression) \
    type __aarch64_##name##size##_##order(type value, type *at) { const type old = *at; *at = (type)(expression); return old; }
#define ATOMIC(size, type, order) \
    READ_AND(ldadd, size, type, order, old + value) \
    READ_AND(ldclr, size, type, order, old & ~value) \
    READ_AND(ldeor, size, type, order, old ^ value) \
    READ_AND(ldset, size, type, order, old | value) \
    READ_AND(swp, size, type, order, value) \
    type __aarch64_cas##size##_##order(type expected, type value, type *at) { \
        const type old = *at; \
        if (old == expected) *at = value; \
        return old; \
    }
#define ATOMICS(order) ATOMIC(1, uint8_t, order) ATOMIC(2, uint16_t, order) ATOMIC(4, uint32_t, order) ATOMIC(8, uint64_t, order)
ORDERS(ATOMICS)
#endif

#ifndef __aarch64__
/* ---- the Arm Run-time ABI (IHI 0043): always with the base standard ---- */

#define HELPER __attribute__((pcs("aapcs")))
#define SAME(name, type, a, b, expression) HELPER type __aeabi_##name(a x, b y) { return expression; }
#define ONE(name, type, a, expression) HELPER type __aeabi_##name(a x) { return expression; }

void __aeabi_memcpy(void *d, const void *s, size n) { memcpy(d, s, n); }
void __aeabi_memcpy4(void *d, const void *s, size n) { memcpy(d, s, n); }
void __aeabi_memcpy8(void *d, const void *s, size n) { memcpy(d, s, n); }
void __aeabi_memmove(void *d, const void *s, size n) { memmove(d, s, n); }
void __aeabi_memmove4(void *d, const void *s, size n) { memmove(d, s, n); }
void __aeabi_memmove8(void *d, const void *s, size n) { memmove(d, s, n); }
void __aeabi_memset(void *d, size n, int c) { memset(d, c, n); }
void __aeabi_memset4(void *d, size n, int c) { memset(d, c, n); }
void __aeabi_memset8(void *d, size n, int c) { memset(d, c, n); }
void __aeabi_memclr(void *d, size n) { memset(d, 0, n); }
void __aeabi_memclr4(void *d, size n) { memset(d, 0, n); }
void __aeabi_memclr8(void *d, size n) { memset(d, 0, n); }

SAME(idiv, int32_t, int32_t, int32_t, x / y)
SAME(uidiv, uint32_t, uint32_t, uint32_t, x / y)
HELPER int64_t __aeabi_idivmod(int32_t x, int32_t y) { const int32_t q = x / y; return (int64_t)((uint64_t)(uint32_t)(x - q * y) << 32 | (uint32_t)q); }
HELPER uint64_t __aeabi_uidivmod(uint32_t x, uint32_t y) { const uint32_t q = x / y; return (uint64_t)(x - q * y) << 32 | q; }
SAME(lmul, int64_t, int64_t, int64_t, (int64_t)((uint64_t)x * (uint64_t)y))
static inline uint64_t joined(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }
HELPER int64_t __aeabi_llsl(int64_t x, int n) { const uint32_t h = (uint32_t)((uint64_t)x >> 32), l = (uint32_t)x; return (int64_t)(n == 0 ? (uint64_t)x : n >= 32 ? joined(l << (n - 32), 0) : joined(h << n | l >> (32 - n), l << n)); }
HELPER int64_t __aeabi_llsr(int64_t x, int n) { const uint32_t h = (uint32_t)((uint64_t)x >> 32), l = (uint32_t)x; return (int64_t)(n == 0 ? (uint64_t)x : n >= 32 ? joined(0, h >> (n - 32)) : joined(h >> n, l >> n | h << (32 - n))); }
HELPER int64_t __aeabi_lasr(int64_t x, int n) { const int32_t h = (int32_t)((uint64_t)x >> 32); const uint32_t l = (uint32_t)x; return (int64_t)(n == 0 ? (uint64_t)x : n >= 32 ? joined((uint32_t)(h >> 31), (uint32_t)(h >> (n - 32))) : joined((uint32_t)(h >> n), l >> n | (uint32_t)h << (32 - n))); }
SAME(lcmp, int, int64_t, int64_t, (x > y) - (x < y))
SAME(ulcmp, int, uint64_t, uint64_t, (x > y) - (x < y))

static __attribute__((noinline)) uint64_t divided(uint64_t n, uint64_t d, uint64_t *rest) {
    if (!d) __builtin_trap();
    if (!(n >> 32 | d >> 32)) {
        const uint32_t q = (uint32_t)n / (uint32_t)d;
        *rest = (uint32_t)n - q * (uint32_t)d;
        return q;
    }
    uint64_t q = 0;
    if (n >= d)
        for (int shift = __builtin_clzll(d) - __builtin_clzll(n), i = shift; i >= 0; i--)
            if (n >> i >= d) n -= d << i, q |= 1ull << i;
    *rest = n;
    return q;
}
/* Quotient and rest in r0 to r3, which is where the base standard returns a vector. */
HELPER uint64x2_t __aeabi_uldivmod(uint64_t n, uint64_t d) {
    uint64_t rest;
    const uint64_t q = divided(n, d, &rest);
    return vcombine_u64(vcreate_u64(q), vcreate_u64(rest));
}
HELPER uint64x2_t __aeabi_ldivmod(int64_t n, int64_t d) {
    uint64_t rest;
    const uint64_t q = divided(n < 0 ? -(uint64_t)n : (uint64_t)n, d < 0 ? -(uint64_t)d : (uint64_t)d, &rest);
    return vcombine_u64(vcreate_u64((n < 0) != (d < 0) ? -q : q), vcreate_u64(n < 0 ? -rest : rest));
}

SAME(fadd, float, float, float, x + y)
SAME(fsub, float, float, float, x - y)
SAME(frsub, float, float, float, y - x)
SAME(fmul, float, float, float, x * y)
SAME(fdiv, float, float, float, x / y)
SAME(dadd, double, double, double, x + y)
SAME(dsub, double, double, double, x - y)
SAME(drsub, double, double, double, y - x)
SAME(dmul, double, double, double, x * y)
SAME(ddiv, double, double, double, x / y)
SAME(fcmpeq, int, float, float, x == y)
SAME(fcmplt, int, float, float, x < y)
SAME(fcmple, int, float, float, x <= y)
SAME(fcmpge, int, float, float, x >= y)
SAME(fcmpgt, int, float, float, x > y)
SAME(fcmpun, int, float, float, x != x || y != y)
SAME(dcmpeq, int, double, double, x == y)
SAME(dcmplt, int, double, double, x < y)
SAME(dcmple, int, double, double, x <= y)
SAME(dcmpge, int, double, double, x >= y)
SAME(dcmpgt, int, double, double, x > y)
SAME(dcmpun, int, double, double, x != x || y != y)
ONE(f2d, double, float, x)
ONE(d2f, float, double, (float)x)
ONE(i2f, float, int32_t, (float)x)
ONE(i2d, double, int32_t, x)
ONE(ui2f, float, uint32_t, (float)x)
ONE(ui2d, double, uint32_t, x)
ONE(f2iz, int32_t, float, (int32_t)x)
ONE(f2uiz, uint32_t, float, (uint32_t)x)
ONE(d2iz, int32_t, double, (int32_t)x)
ONE(d2uiz, uint32_t, double, (uint32_t)x)

/* High and low word are exact in double precision; one rounding joins them. */
ONE(l2d, double, int64_t, fused((int32_t)(x >> 32), 0x1p32, (uint32_t)x))
ONE(ul2d, double, uint64_t, fused((uint32_t)(x >> 32), 0x1p32, (uint32_t)x))
/* Bits that a double has no room for are joined to one before, so that nothing is rounded twice. */
static inline uint64_t kept(uint64_t x, int most) { return most && x & 0x7FF ? (x & ~0x7FFull) | 0x800 : x; }
ONE(l2f, float, int64_t, ({ const uint64_t k = kept((uint64_t)x, x >= 1ll << 53 || x < -(1ll << 53)); (float)fused((int32_t)(k >> 32), 0x1p32, (uint32_t)k); }))
ONE(ul2f, float, uint64_t, ({ const uint64_t k = kept(x, x >= 1ull << 53); (float)fused((uint32_t)(k >> 32), 0x1p32, (uint32_t)k); }))
static inline uint64_t whole_of(double x) {
    const uint32_t high = (uint32_t)(x * 0x1p-32);
    return joined(high, (uint32_t)fused(high, -0x1p32, x));
}
ONE(d2ulz, uint64_t, double, whole_of(x))
ONE(f2ulz, uint64_t, float, whole_of(x))
ONE(d2lz, int64_t, double, (int64_t)(x < 0 ? -whole_of(-x) : whole_of(x)))
ONE(f2lz, int64_t, float, (int64_t)(x < 0 ? -whole_of(-(double)x) : whole_of(x)))

typedef __fp16 half;
static inline float of_half(uint16_t h) { union { uint16_t b; half x; } u = {h}; return u.x; }
static inline uint16_t half_of(float x) { union { half x; uint16_t b; } u = {(half)x}; return u.b; }
HELPER float __gnu_h2f_ieee(uint16_t h) { return of_half(h); }
HELPER float __aeabi_h2f(uint16_t h) { return of_half(h); }
HELPER uint16_t __gnu_f2h_ieee(float x) { return half_of(x); }
HELPER uint16_t __aeabi_f2h(float x) { return half_of(x); }
HELPER uint16_t __gnu_d2h_ieee(double x) { float y; __asm__("vcvtb.f16.f64 %0, %P1" : "=t"(y) : "w"(x)); return (uint16_t)bits_of_single(y); }
HELPER uint16_t __aeabi_d2h(double x) { float y; __asm__("vcvtb.f16.f64 %0, %P1" : "=t"(y) : "w"(x)); return (uint16_t)bits_of_single(y); }

/* What Clang calls where half precision is in registers: the half is in the lower bits of s0. */
static inline float in_half(float s0) { return of_half((uint16_t)bits_of_single(s0)); }
static inline float as_half(float x) { return single_of_bits(half_of(x)); }
int64_t __fixhfdi(float s0) { const float x = in_half(s0); return (int64_t)(x < 0 ? -whole_of(-(double)x) : whole_of(x)); }
uint64_t __fixunshfdi(float s0) { return whole_of(in_half(s0)); }
/* From 65520 on it is infinity; what is less is exact in single precision. */
float __floatdihf(int64_t x) { return as_half((float)(int32_t)(x > 65536 ? 65536 : x < -65536 ? -65536 : x)); }
float __floatundihf(uint64_t x) { return as_half((float)(int32_t)(x > 65536 ? 65536 : x)); }
#endif
