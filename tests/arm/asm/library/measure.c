/* How far the built-in functions are from the right result, in ulp: under QEMU, against glibc's in quadruple precision.
 * Arguments: how many inputs of each function. Prints: name, greatest error in ulp, the input(s) it is at.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double quad;
#define SINGLE(name) extern float ours_##name##f(float); extern quad name##l(quad);
#define DOUBLE(name) extern double ours_##name(double);
SINGLE(exp) SINGLE(exp2) SINGLE(log) SINGLE(log2) SINGLE(log10) SINGLE(sin) SINGLE(cos) SINGLE(tan) SINGLE(tanh)
DOUBLE(exp) DOUBLE(log) DOUBLE(sin) DOUBLE(cos) DOUBLE(tanh)
extern double ours_pow(double, double);
extern float ours_powf(float, float);

static uint64_t seed = 88172645463325252ull;
static uint64_t next(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}
/* Three in four of an ordinary size, one of any. */
static double input(int single) {
    const uint64_t r = next();
    double x;
    if (r & 3) {
        x = ldexp((double)(next() >> 11), -53 + (int)(r >> 8) % 20 - 10);
        x = r & 4 ? -x : x;
    } else if (single) {
        const uint32_t b = (uint32_t)next();
        float f;
        memcpy(&f, &b, 4);
        x = f;
    } else {
        const uint64_t b = next();
        memcpy(&x, &b, 8);
    }
    return single ? (float)x : x;
}
static double error(quad right, double got, int bits, int lowest) {
    if (isnan((double)right) || isnan(got)) return isnan((double)right) == isnan(got) ? 0 : INFINITY;
    if (isinf(got)) {
        const quad limit = ldexpl(2 - ldexpl(1, -bits), bits == 24 ? 127 : 1023);
        return fabsl(right) >= limit && (right > 0) == (got > 0) ? 0 : INFINITY;
    }
    if (isinf((double)right) && isinf(right)) return right == got ? 0 : INFINITY;
    int e;
    frexpl(right, &e);
    if (right == 0) e = lowest;
    e = e - bits < lowest ? lowest : e - bits;
    return (double)(fabsl(right - got) / ldexpl(1, e));
}
int main(int count, char **arguments) {
    const long most = count > 1 ? atol(arguments[1]) : 100000;
#define SAY(name) printf("%s %.4f %a %a\n", #name, worst, at, at2)
#define RUN(name, single, call, right) \
    { \
        double worst = 0, at = 0, at2 = 0; \
        for (long i = 0; i < most; i++) { \
            const double x = input(single), y = 0; \
            (void)y; \
            const double e = error(right, call, single ? 24 : 53, single ? -149 : -1074); \
            if (!(e <= worst)) worst = e, at = x; \
        } \
        SAY(name); \
    }
#define RUN2(name, single, call, right) \
    { \
        double worst = 0, at = 0, at2 = 0; \
        for (long i = 0; i < most; i++) { \
            const double x = input(single), y = input(single); \
            const double e = error(right, call, single ? 24 : 53, single ? -149 : -1074); \
            if (!(e <= worst)) worst = e, at = x, at2 = y; \
        } \
        SAY(name); \
    }
#define F(name) RUN(name##f, 1, ours_##name##f((float)x), name##l((quad)x))
#define D(name) RUN(name, 0, ours_##name(x), name##l((quad)x))
    F(exp) F(exp2) F(log) F(log2) F(log10) F(sin) F(cos) F(tan) F(tanh)
    D(exp) D(log) D(sin) D(cos) D(tanh)
    RUN2(powf, 1, ours_powf((float)x, (float)y), powl((quad)x, (quad)y))
    RUN2(pow, 0, ours_pow(x, y), powl((quad)x, (quad)y))
    return 0;
}
