/* Built-in functions that are exact beside those of glibc and libgcc, under QEMU: any bit that differs is printed.
 * Argument: how many inputs of each function.
 */
#define _GNU_SOURCE
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 88172645463325252ull;
static uint64_t next(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}
static const double ends[] = {0, 1, 0.5, 1.5, 2.5, 3, 1e300, 5e-324, 0x1p-1022, 0x1p-1074, 0x1.fffffffffffffp1023, 1e-40, 3e38};
/* Of an ordinary size, of any, an end, or no number. */
static double any(void) {
    const uint64_t r = next();
    double x;
    if (r & 1) x = ldexp((double)(next() >> 11), -53 + (int)(r >> 8) % 20 - 10);
    else if (r & 2) {
        const uint64_t b = next();
        memcpy(&x, &b, 8);
    } else x = r & 4 ? ends[(r >> 8) % (sizeof ends / sizeof *ends)] : r & 8 ? INFINITY : r & 16 ? NAN : (double)((r >> 8) % 64) / 4;
    return r & 32 ? -x : x;
}
static uint64_t whole(void) { const uint64_t r = next(); return r & 1 ? next() : next() >> (r >> 8) % 64; }
static int differ_double(double a, double b) { return (a != a) != (b != b) || (a == a && memcmp(&a, &b, 8)); }
static long failed;
static void say(const char *name, double x, double y) { if (failed++ < 40) printf("%s %a %a\n", name, x, y); }

#define SAME(name, type, parameters, call, right) \
    extern type ours_##name parameters; \
    static void test_##name(void) { \
        const double x = any(), y = any(); const float fx = (float)x, fy = (float)y; const int n = (int)whole() >> next() % 32; \
        const uint64_t u = whole(), v = whole(); int a = 0, b = 0; double p = 0, q = 0; float fp = 0, fq = 0; \
        (void)x, (void)y, (void)fx, (void)fy, (void)n, (void)u, (void)v, (void)a, (void)b, (void)p, (void)q, (void)fp, (void)fq; \
        const type ours = call, theirs = right; \
        if (differ_double((double)ours, (double)theirs) || a != b || differ_double(p, q) || differ_double(fp, fq)) say(#name, x, y); \
    }
#define ONE(name) SAME(name, double, (double), ours_##name(x), name(x)) SAME(name##f, float, (float), ours_##name##f(fx), name##f(fx))
#define TWO(name) SAME(name, double, (double, double), ours_##name(x, y), name(x, y)) SAME(name##f, float, (float, float), ours_##name##f(fx, fy), name##f(fx, fy))
#define LIMITED(name, type, most) SAME(name, type, (double), fabs(x) < most ? ours_##name(x) : 0, fabs(x) < most ? name(x) : 0) \
    SAME(name##f, type, (float), fabsf(fx) < most ? ours_##name##f(fx) : 0, fabsf(fx) < most ? name##f(fx) : 0)
#define WORD(f, parameter, argument, right) SAME(f, int, (parameter), ours_##f(argument), right)
#define ALL(do_one, do_two) do_two(nextafter) do_two(fdim) do_one(logb)
ALL(ONE, TWO)
/* glibc's has the other sign of zero for some subnormal divisors; by IEEE 754 it is that of x. */
SAME(remainder, double, (double, double), ours_remainder(x, y) + 0., remainder(x, y) + 0.)
SAME(remainderf, float, (float, float), ours_remainderf(fx, fy) + 0.f, remainderf(fx, fy) + 0.f)
SAME(ilogb, int, (double), ours_ilogb(x), ilogb(x)) SAME(ilogbf, int, (float), ours_ilogbf(fx), ilogbf(fx))
SAME(scalbn, double, (double, int), ours_scalbn(x, n), scalbn(x, n)) SAME(scalbnf, float, (float, int), ours_scalbnf(fx, n), scalbnf(fx, n))
SAME(scalbln, double, (double, long), ours_scalbln(x, (long)u), scalbln(x, (long)u)) SAME(scalblnf, float, (float, long), ours_scalblnf(fx, (long)u), scalblnf(fx, (long)u))
SAME(ldexp, double, (double, int), ours_ldexp(x, n % 1200), ldexp(x, n % 1200)) SAME(ldexpf, float, (float, int), ours_ldexpf(fx, n % 300), ldexpf(fx, n % 300))
SAME(frexp, double, (double, int *), ours_frexp(x, &a), frexp(x, &b)) SAME(frexpf, float, (float, int *), ours_frexpf(fx, &a), frexpf(fx, &b))
SAME(modf, double, (double, double *), ours_modf(x, &p), modf(x, &q)) SAME(modff, float, (float, float *), ours_modff(fx, &fp), modff(fx, &fq))
LIMITED(lrint, long, 2e9) LIMITED(lround, long, 2e9) LIMITED(llrint, long long, 9e18) LIMITED(llround, long long, 9e18)
WORD(__popcountsi2, uint32_t, (uint32_t)u, __builtin_popcount((uint32_t)u)) WORD(__popcountdi2, uint64_t, u, __builtin_popcountll(u))
WORD(__paritysi2, uint32_t, (uint32_t)u, __builtin_parity((uint32_t)u)) WORD(__paritydi2, uint64_t, u, __builtin_parityll(u))
WORD(__clzsi2, uint32_t, (uint32_t)u | 1, __builtin_clz((uint32_t)u | 1)) WORD(__clzdi2, uint64_t, u | 1, __builtin_clzll(u | 1))
WORD(__ctzsi2, uint32_t, (uint32_t)u | 1u << 31, __builtin_ctz((uint32_t)u | 1u << 31)) WORD(__ctzdi2, uint64_t, u | 1ull << 63, __builtin_ctzll(u | 1ull << 63))
WORD(__ffssi2, uint32_t, (uint32_t)u, __builtin_ffs((int)u)) WORD(__ffsdi2, uint64_t, u, __builtin_ffsll((long long)u))
WORD(__clrsbsi2, int32_t, (int32_t)u, __builtin_clrsb((int)u)) WORD(__clrsbdi2, int64_t, (int64_t)u, __builtin_clrsbll((long long)u))
SAME(__bswapsi2, uint32_t, (uint32_t), ours___bswapsi2((uint32_t)u), __builtin_bswap32((uint32_t)u))
SAME(__bswapdi2, uint64_t, (uint64_t), ours___bswapdi2(u), __builtin_bswap64(u))
SAME(__mulosi4, int32_t, (int32_t, int32_t, int *), ours___mulosi4((int)u, (int)v, &a), ({ int r; b = __builtin_mul_overflow((int)u, (int)v, &r); r; }))
SAME(__mulodi4, int64_t, (int64_t, int64_t, int *), ours___mulodi4((int64_t)u, (int64_t)v, &a), ({ int64_t r; b = __builtin_mul_overflow((int64_t)u, (int64_t)v, &r); r; }))
extern float __powisf2(float, int); extern double __powidf2(double, int);
SAME(__powisf2, float, (float, int), ours___powisf2(fx, n % 100), __powisf2(fx, n % 100)) SAME(__powidf2, double, (double, int), ours___powidf2(x, n), __powidf2(x, n))
#define COMPLEX(f, type, abs) \
    extern type _Complex ours_##f(type, type, type, type); extern type _Complex f(type, type, type, type); \
    static void test_##f(void) { \
        const type a = (type)any(), b = (type)any(), c = (type)any(), d = (type)any(); \
        const type _Complex o = ours_##f(a, b, c, d), t = f(a, b, c, d); \
        if (differ_double((double)__real__ o, (double)__real__ t) || differ_double((double)__imag__ o, (double)__imag__ t)) say(#f, (double)__real__ o, (double)__real__ t); \
    }
COMPLEX(__mulsc3, float, fabsf) COMPLEX(__muldc3, double, fabs) COMPLEX(__divsc3, float, fabsf)
#ifdef __aarch64__
typedef unsigned __int128 wide;
typedef __int128 signed_wide;
#define WIDE(f, type, kind, l, r) \
    extern type ours_##f(kind, kind); extern type f(kind, kind); \
    static void test_##f(void) { \
        const kind a = (kind)((wide)whole() << 64 >> next() % 64 | whole()), d = (kind)((wide)whole() << 64 >> next() % 128 | whole()); \
        if (d && ours_##f(l, r) != f(l, r)) say(#f, (double)a, (double)d); \
    }
WIDE(__udivti3, wide, wide, a, d) WIDE(__umodti3, wide, wide, a, d) WIDE(__divti3, signed_wide, signed_wide, a, d) WIDE(__modti3, signed_wide, signed_wide, a, d)
#define FROM(f, type, kind) \
    extern type ours_##f(kind); extern type f(kind); \
    static void test_##f(void) { const kind a = (kind)((wide)whole() << 64 >> next() % 128 | whole()); if (ours_##f(a) != f(a)) say(#f, (double)a, (double)ours_##f(a)); }
FROM(__floattisf, float, signed_wide) FROM(__floattidf, double, signed_wide) FROM(__floatuntisf, float, wide) FROM(__floatuntidf, double, wide)
#define INTO(f, type, kind, most) \
    extern type ours_##f(kind); extern type f(kind); \
    static void test_##f(void) { const kind a = (kind)(any() * (next() & 1 ? 1 : 0x1p70)); if (fabs((double)a) < most && (most < 2e38 || a >= 0) && ours_##f(a) != f(a)) say(#f, (double)a, 0); }
INTO(__fixsfti, signed_wide, float, 0x1p127) INTO(__fixdfti, signed_wide, double, 0x1p127) INTO(__fixunssfti, wide, float, 0x1.fp127) INTO(__fixunsdfti, wide, double, 0x1.fp127)
#endif
int main(int count, char **arguments) {
    const long most = count > 1 ? atol(arguments[1]) : 100000;
#define RUN(f) for (long i = 0; i < most; i++) test_##f();
#define RUN_BOTH(name) RUN(name) RUN(name##f)
    ALL(RUN_BOTH, RUN_BOTH)
    RUN_BOTH(ilogb) RUN_BOTH(scalbn) RUN_BOTH(scalbln) RUN_BOTH(ldexp) RUN_BOTH(frexp) RUN_BOTH(modf) RUN_BOTH(remainder)
    RUN_BOTH(lrint) RUN_BOTH(lround) RUN_BOTH(llrint) RUN_BOTH(llround)
    RUN(__popcountsi2) RUN(__popcountdi2) RUN(__paritysi2) RUN(__paritydi2) RUN(__clzsi2) RUN(__clzdi2) RUN(__ctzsi2) RUN(__ctzdi2)
    RUN(__ffssi2) RUN(__ffsdi2) RUN(__clrsbsi2) RUN(__clrsbdi2) RUN(__bswapsi2) RUN(__bswapdi2) RUN(__mulosi4) RUN(__mulodi4)
    RUN(__powisf2) RUN(__powidf2) RUN(__mulsc3) RUN(__muldc3) RUN(__divsc3)
#ifdef __aarch64__
    RUN(__udivti3) RUN(__umodti3) RUN(__divti3) RUN(__modti3) RUN(__floattisf) RUN(__floattidf) RUN(__floatuntisf) RUN(__floatuntidf)
    RUN(__fixsfti) RUN(__fixdfti) RUN(__fixunssfti) RUN(__fixunsdfti)
#endif
    printf("%ld differ\n", failed);
    return 0;
}
