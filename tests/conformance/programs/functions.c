/* Small functions of every kind that compilers make code of: void f(const void *in, void *out), 64 bytes of each.
 *
 * The work is done in functions of their own that are not inlined, so that arguments and results go as the procedure
 * call standard says. FUNCTION(name) marks what tests/conformance/test_compiled.py calls.
 */
#include <arm_neon.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define APART __attribute__((noinline))
#define FUNCTION(name) void name(const void *in, void *out)
#define GET(T, i) (((const T *)in)[i])
#define PUT(T, i) (((T *)out)[i])

/* ---- integers of every width ---- */

#define INTEGERS(T, U, W)                                                                                             \
    static APART T sum_##T(T a, T b, T c) { return (T)(a + b - c); }                                                  \
    FUNCTION(add_##T) { PUT(T, 0) = sum_##T(GET(T, 0), GET(T, 1), GET(T, 2)); }                                       \
    static APART T product_##T(T a, T b) { return (T)((U)a * (U)b); }                                                 \
    FUNCTION(multiply_##T) { PUT(T, 0) = product_##T(GET(T, 0), GET(T, 1)); }                                         \
    static APART T quotient_##T(T a, T b) { return (T)(a / b); }                                                      \
    static APART T rest_##T(T a, T b) { return (T)(a % b); }                                                          \
    FUNCTION(divide_##T) {                                                                                            \
        const T a = (T)(GET(T, 0) >> 1), b = (T)(GET(T, 1) | 1);                                                      \
        PUT(T, 0) = quotient_##T(a, b);                                                                               \
        PUT(T, 1) = rest_##T(a, b);                                                                                   \
        PUT(T, 2) = quotient_##T(a, (T)(b & 7 ? b & 7 : 1));                                                          \
        PUT(T, 3) = (T)(a / 10);                                                                                      \
        PUT(T, 4) = (T)(a % 7);                                                                                       \
    }                                                                                                                 \
    static APART T shifted_##T(T a, unsigned n) { return (T)((T)(a >> n) ^ (T)((U)a << (n ^ 1))); }                   \
    FUNCTION(shift_##T) { PUT(T, 0) = shifted_##T(GET(T, 0), GET(uint8_t, 40) & ((W)-1)); }                           \
    static APART int ordered_##T(T a, T b) { return (a < b) | (a <= b) << 1 | (a == b) << 2 | (a > b) << 3; }         \
    FUNCTION(compare_##T) {                                                                                           \
        PUT(int, 0) = ordered_##T(GET(T, 0), GET(T, 1));                                                              \
        PUT(int, 1) = ordered_##T(GET(T, 2), GET(T, 2));                                                              \
        PUT(T, 15 * 4 / (int)sizeof(T)) = GET(T, 0) < GET(T, 1) ? GET(T, 1) : GET(T, 2);                              \
    }                                                                                                                 \
    FUNCTION(dot_##T) {                                                                                               \
        U total = 0;                                                                                                  \
        for (int i = 0; i < 32 / (int)sizeof(T); i++) total += (U)GET(T, i) * (U)GET(T, 32 / (int)sizeof(T) + i);     \
        PUT(U, 0) = total;                                                                                            \
    }                                                                                                                 \
    FUNCTION(convert_##T) {                                                                                           \
        const T a = GET(T, 0);                                                                                        \
        PUT(int64_t, 0) = (int64_t)a;                                                                                 \
        PUT(float, 2) = (float)a;                                                                                     \
        PUT(double, 2) = (double)a;                                                                                   \
        PUT(uint32_t, 6) = (uint32_t)(int8_t)a;                                                                       \
        PUT(uint16_t, 14) = (uint16_t)a;                                                                              \
    }                                                                                                                 \
    struct three_##T { T a, b, c; };                                                                                  \
    static APART struct three_##T turned_##T(struct three_##T s) {                                                    \
        return (struct three_##T){s.b, s.c, (T)(s.a ^ s.b)};                                                          \
    }                                                                                                                 \
    FUNCTION(struct_##T) { PUT(struct three_##T, 0) = turned_##T(GET(struct three_##T, 0)); }                         \
    static APART T chosen_##T(unsigned which, T a, T b) {                                                             \
        switch (which) {                                                                                              \
        case 0: return a; case 1: return b; case 2: return (T)(a + b); case 3: return (T)(a - b);                     \
        case 4: return (T)(a & b); case 5: return (T)(a | b); case 6: return (T)(a ^ b); case 9: return (T)~a;        \
        case 10: return (T)(a * 3); case 11: return (T)(b >> 2); default: return (T)(a + which);                      \
        }                                                                                                             \
    }                                                                                                                 \
    FUNCTION(switch_##T) {                                                                                            \
        for (unsigned i = 0; i < 13; i++)                                                                             \
            PUT(T, i & 7) = chosen_##T(GET(uint8_t, i) & 15, GET(T, 0), PUT(T, (i + 1) & 7));                         \
    }

INTEGERS(int8_t, uint8_t, 8)
INTEGERS(uint8_t, uint8_t, 8)
INTEGERS(int16_t, uint16_t, 16)
INTEGERS(uint16_t, uint16_t, 16)
INTEGERS(int32_t, uint32_t, 32)
INTEGERS(uint32_t, uint32_t, 32)
INTEGERS(int64_t, uint64_t, 64)
INTEGERS(uint64_t, uint64_t, 64)

#define MIXED(A, B)                                                                                                   \
    static APART int64_t mixed_##A##_##B(A a, B b) { return (int64_t)a * b + (a > (A)b) - (int64_t)(a ^ b); }         \
    FUNCTION(with_##A##_##B) { PUT(int64_t, 0) = mixed_##A##_##B(GET(A, 0), GET(B, 3)); }
MIXED(int8_t, uint16_t)
MIXED(uint8_t, int32_t)
MIXED(int16_t, int64_t)
MIXED(uint32_t, int8_t)
MIXED(int32_t, uint16_t)
MIXED(uint64_t, int16_t)

FUNCTION(bits) {
    const uint32_t a = GET(uint32_t, 0);
    const uint64_t b = GET(uint64_t, 1);
    PUT(uint32_t, 0) = a ? (uint32_t)__builtin_clz(a) : 99;
    PUT(uint32_t, 1) = b ? (uint32_t)__builtin_clzll(b) : 99;
    PUT(uint32_t, 2) = a ? (uint32_t)__builtin_ctz(a) : 99;
    PUT(uint32_t, 3) = __builtin_bswap32(a);
    PUT(uint64_t, 2) = __builtin_bswap64(b);
    PUT(uint32_t, 6) = a << 7 | a >> 25;
    PUT(uint64_t, 4) = b << 13 | b >> 51;
    PUT(uint16_t, 20) = __builtin_bswap16((uint16_t)a);
}
FUNCTION(overflows) {
    int32_t sum;
    int64_t wide;
    PUT(int, 0) = __builtin_add_overflow(GET(int32_t, 0), GET(int32_t, 1), &sum);
    PUT(int, 1) = __builtin_sub_overflow(GET(int64_t, 1), GET(int64_t, 2), &wide);
    PUT(int, 2) = sum;
    PUT(int64_t, 2) = wide;
    PUT(int, 6) = __builtin_mul_overflow(GET(int32_t, 0), GET(int32_t, 1), &sum);
    PUT(int, 7) = sum;
}
struct fields { unsigned a : 3; int b : 7; unsigned c : 13; int d : 9; uint64_t e : 41; };
FUNCTION(bitfields) {
    struct fields s = GET(struct fields, 0);
    s.a += 3;
    s.b *= s.d;
    s.c ^= s.a << 5;
    s.e += (uint64_t)(int64_t)s.b;
    PUT(struct fields, 0) = s;
    PUT(int64_t, 3) = s.d;
}
static APART uint64_t high(uint64_t a, uint64_t b) {
    const uint64_t x = (uint32_t)a * (b >> 32), y = (a >> 32) * (uint32_t)b, z = (uint64_t)(uint32_t)a * (uint32_t)b;
    return (a >> 32) * (b >> 32) + (x >> 32) + (y >> 32) + (((z >> 32) + (uint32_t)x + (uint32_t)y) >> 32);
}
FUNCTION(high_half) { PUT(uint64_t, 0) = high(GET(uint64_t, 0), GET(uint64_t, 1)); }
FUNCTION(saturate) {
    for (int i = 0; i < 8; i++) {
        const int32_t s = GET(int16_t, i) + GET(int16_t, i + 8);
        PUT(int16_t, i) = (int16_t)(s > 32767 ? 32767 : s < -32768 ? -32768 : s);
    }
}
FUNCTION(modular) {
    uint64_t r = 1, x = GET(uint32_t, 0);
    const uint64_t m = GET(uint32_t, 1) | 1;
    for (uint32_t e = GET(uint16_t, 8); e; e >>= 1, x = x * x % m)
        if (e & 1) r = r * x % m;
    PUT(uint64_t, 0) = r;
}
FUNCTION(decimal) {
    uint64_t n = GET(uint64_t, 0);
    int at = 0;
    do {
        PUT(char, at++) = (char)('0' + n % 10);
        n /= 10;
    } while (n);
}
FUNCTION(root) {
    uint64_t n = GET(uint64_t, 0), r = 0;
    for (uint64_t bit = 1ull << 62; bit; bit >>= 2) {
        if (n >= r + bit) {
            n -= r + bit;
            r = (r >> 1) + bit;
        } else
            r >>= 1;
    }
    PUT(uint64_t, 0) = r;
}

/* ---- single, double and half precision ---- */

#define REALS(T, S)                                                                                                   \
    static APART T four_##T(T a, T b, T c, T d) { return (T)((a + b) * (c - d)); }                                    \
    FUNCTION(add_##T) { PUT(T, 0) = four_##T(GET(T, 0), GET(T, 1), GET(T, 2), GET(T, 3)); }                           \
    FUNCTION(divide_##T) {                                                                                            \
        PUT(T, 0) = (T)(GET(T, 0) / GET(T, 1));                                                                       \
        PUT(T, 1) = (T)(GET(T, 2) / 3);                                                                               \
        PUT(T, 2) = (T)(1 / GET(T, 3));                                                                               \
    }                                                                                                                 \
    static APART int relations_##T(T a, T b) {                                                                        \
        return (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 |               \
               __builtin_isunordered(a, b) << 6 | __builtin_isless(a, b) << 7 | __builtin_islessgreater(a, b) << 8;   \
    }                                                                                                                 \
    FUNCTION(compare_##T) {                                                                                           \
        PUT(int, 0) = relations_##T(GET(T, 0), GET(T, 1));                                                            \
        PUT(int, 1) = relations_##T(GET(T, 2), GET(T, 2));                                                            \
        PUT(int, 2) = relations_##T(GET(T, 3), 0);                                                                    \
        if (GET(T, 0) < GET(T, 1)) PUT(int, 3) = 7;                                                                   \
    }                                                                                                                 \
    FUNCTION(select_##T) {                                                                                            \
        PUT(T, 0) = GET(T, 0) > GET(T, 1) ? GET(T, 2) : GET(T, 3);                                                    \
        PUT(T, 1) = GET(T, 0) == 0 ? GET(T, 1) : (T)-GET(T, 0);                                                       \
    }                                                                                                                 \
    FUNCTION(horner_##T) {                                                                                            \
        const T x = GET(T, 0);                                                                                        \
        T y = 0;                                                                                                      \
        for (int i = 1; i < 7; i++) y = (T)(y * x + GET(T, i));                                                       \
        PUT(T, 0) = y;                                                                                                \
    }                                                                                                                 \
    FUNCTION(dot_##T) {                                                                                               \
        T total = 0;                                                                                                  \
        for (int i = 0; i < 32 / (int)sizeof(T); i++)                                                                 \
            total = (T)(total + GET(T, i) * GET(T, 32 / (int)sizeof(T) + i));                                         \
        PUT(T, 0) = total;                                                                                            \
    }                                                                                                                 \
    FUNCTION(scale_##T) {                                                                                             \
        for (int i = 0; i < 64 / (int)sizeof(T); i++) PUT(T, i) = (T)(GET(T, i) * (T)1.5 + (T)0.25);                  \
    }                                                                                                                 \
    FUNCTION(to_words_##T) {                                                                                          \
        PUT(int32_t, 0) = (int32_t)GET(T, 0);                                                                         \
        PUT(uint32_t, 1) = (uint32_t)GET(T, 1);                                                                       \
        PUT(int32_t, 2) = (int32_t)GET(T, 2);                                                                         \
        PUT(uint32_t, 3) = (uint32_t)GET(T, 3);                                                                       \
    }                                                                                                                 \
    FUNCTION(to_wide_##T) {                                                                                           \
        PUT(int64_t, 0) = (int64_t)GET(T, 0);                                                                         \
        PUT(uint64_t, 1) = (uint64_t)GET(T, 1);                                                                       \
    }                                                                                                                 \
    FUNCTION(to_small_##T) {                                                                                          \
        PUT(int8_t, 0) = (int8_t)(int32_t)GET(T, 0);                                                                  \
        PUT(uint16_t, 1) = (uint16_t)(int32_t)GET(T, 1);                                                              \
    }                                                                                                                 \
    FUNCTION(from_words_##T) {                                                                                        \
        PUT(T, 0) = (T)GET(int32_t, 0);                                                                               \
        PUT(T, 1) = (T)GET(uint32_t, 1);                                                                              \
        PUT(T, 2) = (T)GET(int16_t, 4);                                                                               \
        PUT(T, 3) = (T)GET(uint8_t, 10);                                                                              \
    }                                                                                                                 \
    FUNCTION(from_wide_##T) {                                                                                         \
        PUT(T, 0) = (T)GET(int64_t, 0);                                                                               \
        PUT(T, 1) = (T)GET(uint64_t, 1);                                                                              \
    }                                                                                                                 \
    FUNCTION(precision_##T) {                                                                                         \
        PUT(float, 0) = (float)GET(T, 0);                                                                             \
        PUT(double, 1) = (double)GET(T, 1);                                                                           \
        PUT(T, 16 / (int)sizeof(T)) = (T)GET(float, 4);                                                               \
        PUT(T, 24 / (int)sizeof(T)) = (T)GET(double, 3);                                                              \
    }                                                                                                                 \
    struct pair_##T { T x, y; };                                                                                      \
    static APART struct pair_##T product_##T(struct pair_##T a, struct pair_##T b) {                                  \
        return (struct pair_##T){(T)(a.x * b.x - a.y * b.y), (T)(a.x * b.y + a.y * b.x)};                             \
    }                                                                                                                 \
    FUNCTION(complex_##T) { PUT(struct pair_##T, 0) = product_##T(GET(struct pair_##T, 0), GET(struct pair_##T, 1)); }\
    FUNCTION(mean_##T) {                                                                                              \
        T low = GET(T, 0), high = low, sum = 0;                                                                       \
        for (int i = 0; i < 8; i++) {                                                                                 \
            const T x = GET(T, i);                                                                                    \
            if (x < low) low = x;                                                                                     \
            if (x > high) high = x;                                                                                   \
            sum = (T)(sum + x);                                                                                       \
        }                                                                                                             \
        PUT(T, 0) = low;                                                                                              \
        PUT(T, 1) = high;                                                                                             \
        PUT(T, 2) = (T)(sum / 8);                                                                                     \
    }

REALS(float, f)
REALS(double, )
typedef __fp16 half;
REALS(half, h)

#define MATHS(T, S)                                                                                                   \
    FUNCTION(sqrt_##T) { PUT(T, 0) = sqrt##S(GET(T, 0)); }                                                            \
    FUNCTION(length_##T) { PUT(T, 0) = sqrt##S(GET(T, 0) * GET(T, 0) + GET(T, 1) * GET(T, 1)); }                      \
    FUNCTION(fma_##T) { PUT(T, 0) = fma##S(GET(T, 0), GET(T, 1), GET(T, 2)); }                                        \
    FUNCTION(rounded_##T) {                                                                                           \
        PUT(T, 0) = floor##S(GET(T, 0));                                                                              \
        PUT(T, 1) = ceil##S(GET(T, 0));                                                                               \
        PUT(T, 2) = trunc##S(GET(T, 0));                                                                              \
        PUT(T, 3) = rint##S(GET(T, 1));                                                                               \
        PUT(T, 4) = nearbyint##S(GET(T, 1));                                                                          \
        PUT(T, 5) = round##S(GET(T, 1));                                                                              \
    }                                                                                                                 \
    FUNCTION(signs_##T) {                                                                                             \
        PUT(T, 0) = fabs##S(GET(T, 0));                                                                               \
        PUT(T, 1) = copysign##S(GET(T, 1), GET(T, 0));                                                                \
        PUT(int, 8) = __builtin_isnan(GET(T, 2)) | __builtin_isinf(GET(T, 3)) << 1 | !!__builtin_signbit(GET(T, 1)) << 2; \
    }                                                                                                                 \
    FUNCTION(extremes_##T) {                                                                                          \
        PUT(T, 0) = fmin##S(GET(T, 0), GET(T, 1));                                                                    \
        PUT(T, 1) = fmax##S(GET(T, 0), GET(T, 1));                                                                    \
    }
MATHS(float, f)
MATHS(double, )

static APART double many(float a, double b, int c, float d, double e, float f, int64_t g, double h, float i, double j,
                         float k, int l) {
    return a + b * c - d * e + f * (double)g - h / i + j * k - l;
}
FUNCTION(many_arguments) {
    PUT(double, 0) = many(GET(float, 0), GET(double, 1), GET(int, 4), GET(float, 5), GET(double, 3), GET(float, 8),
                          GET(int16_t, 20), GET(double, 6), GET(float, 14), GET(double, 2), GET(float, 15), GET(int, 1));
}
FUNCTION(float_bits) {
    union { float f; uint32_t u; } a = {GET(float, 0)};
    union { double f; uint64_t u; } b = {GET(double, 1)};
    a.u += 1;
    b.u ^= 1ull << 63;
    PUT(float, 0) = a.f;
    PUT(double, 1) = b.f;
    PUT(uint32_t, 4) = a.u >> 23 & 255;
}
FUNCTION(newton) {
    double x = 1;
    const double a = 1 + (double)GET(uint32_t, 0);
    for (int i = 0; i < 40; i++) x = 0.5 * (x + a / x);
    PUT(double, 0) = x;
}
FUNCTION(matrix) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            float s = 0;
            for (int k = 0; k < 3; k++) s += (float)GET(int8_t, 3 * i + k) * GET(float, 3 + 3 * k + j);
            PUT(float, 3 * i + j) = s;
        }
}

/* ---- structs ---- */

struct small { uint8_t a; };
struct five { uint8_t a[5]; };
struct mixed { int8_t a; float b; int16_t c; double d; };
struct large { int32_t a[12]; };
struct two { int64_t a, b; };
struct floats { float a, b, c, d; };
struct doubles { double a, b, c; };
struct nested { struct five f; struct two *p; struct small s; };
static APART struct small of_small(struct small s) { return (struct small){(uint8_t)(s.a * 3 + 1)}; }
static APART struct five of_five(struct five s, int n) {
    s.a[n % 5] ^= 0x55;
    return s;
}
static APART struct mixed of_mixed(struct mixed s, int x) {
    return (struct mixed){(int8_t)s.c, s.b + (float)x, s.a, s.d * 2};
}
static APART struct large of_large(struct large s, const struct large *p) {
    for (int i = 0; i < 12; i++) s.a[i] = s.a[i] * 5 - p->a[11 - i];
    return s;
}
static APART struct two of_two(int32_t x, struct two s) { return (struct two){s.b - x, s.a * x}; }
static APART struct floats of_floats(struct floats s, float f) {
    return (struct floats){s.d + f, s.c - f, s.b * f, s.a};
}
static APART struct doubles of_doubles(struct doubles s, struct floats f) {
    return (struct doubles){s.b + f.a, s.c * f.b, s.a - f.d};
}
static APART int64_t of_nested(struct nested s) { return s.p->a + s.f.a[4] - s.s.a; }
FUNCTION(small_struct) { PUT(struct small, 0) = of_small(GET(struct small, 3)); }
FUNCTION(five_bytes) { PUT(struct five, 0) = of_five(GET(struct five, 2), GET(uint8_t, 9)); }
FUNCTION(mixed_struct) {
    const struct mixed s = of_mixed(GET(struct mixed, 0), GET(int16_t, 20));
    PUT(int8_t, 0) = s.a;
    PUT(float, 1) = s.b;
    PUT(int16_t, 4) = s.c;
    PUT(double, 2) = s.d;
}
FUNCTION(large_struct) { PUT(struct large, 0) = of_large(GET(struct large, 0), in); }
FUNCTION(two_wide) { PUT(struct two, 0) = of_two(GET(int32_t, 9), GET(struct two, 0)); }
FUNCTION(four_floats) { PUT(struct floats, 0) = of_floats(GET(struct floats, 0), GET(float, 5)); }
FUNCTION(three_doubles) { PUT(struct doubles, 0) = of_doubles(GET(struct doubles, 0), GET(struct floats, 2)); }
FUNCTION(nested_struct) {
    struct two t = GET(struct two, 0);
    const struct nested s = {GET(struct five, 1), &t, {GET(uint8_t, 33)}};
    PUT(int64_t, 0) = of_nested(s);
}
static APART void swapped(struct two *a, struct two *b) {
    const struct two t = *a;
    *a = *b;
    *b = t;
}
FUNCTION(by_pointer) {
    PUT(struct two, 0) = GET(struct two, 0);
    PUT(struct two, 1) = GET(struct two, 1);
    swapped(&PUT(struct two, 0), &PUT(struct two, 1));
}
struct node { struct node *left, *right; int32_t key; };
static APART struct node *inserted(struct node *tree, struct node *one) {
    if (!tree) return one;
    if (one->key < tree->key)
        tree->left = inserted(tree->left, one);
    else
        tree->right = inserted(tree->right, one);
    return tree;
}
static APART int32_t *listed(const struct node *tree, int32_t *to) {
    if (!tree) return to;
    to = listed(tree->left, to);
    *to++ = tree->key;
    return listed(tree->right, to);
}
FUNCTION(tree_sort) {
    struct node nodes[12], *tree = 0;
    for (int i = 0; i < 12; i++) {
        nodes[i] = (struct node){0, 0, GET(int32_t, i)};
        tree = inserted(tree, &nodes[i]);
    }
    listed(tree, out);
}

/* ---- switches ---- */

static APART int dense(int x) {
    switch (x) {
    case -3: return 17; case -2: return 4; case -1: return 99; case 0: return 1; case 1: return -5; case 2: return 1000;
    case 3: return 0x12345; case 4: return 7; case 5: return 8; case 6: return -1; case 7: return 3; case 8: return 2;
    }
    return x * 2;
}
static APART int through(unsigned x, int y) {
    switch (x % 9) {
    case 0: y++; /* fall through */
    case 1: y *= 3; /* fall through */
    case 2: y -= 4; break;
    case 3: return dense(y); 
    case 4: y ^= 0x55; /* fall through */
    case 5: y = ~y; break;
    case 6: y <<= 1; break;
    case 7: return -y;
    default: y = 0;
    }
    return y + 1;
}
static APART const char *word(int x) {
    static const char *const words[] = {"none", "one", "two", "many"};
    return words[x < 0 ? 0 : x > 2 ? 3 : x];
}
FUNCTION(dense_switch) { for (int i = 0; i < 16; i++) PUT(int, i) = dense(GET(int8_t, i) % 10); }
FUNCTION(sparse_switch) {
    for (int i = 0; i < 8; i++) switch (GET(uint16_t, i) % 70 * 977) {
        case 0: PUT(int, i) = 5; break; case 977: PUT(int, i) = 9; break; case 1954: PUT(int, i) = 3; break;
        case 9770: PUT(int, i) = 31; break; case 29310: PUT(int, i) = -3; break; case 58620: PUT(int, i) = 8; break;
        default: PUT(int, i) = -1;
        }
}
FUNCTION(fall_through) { for (int i = 0; i < 16; i++) PUT(int, i) = through(GET(uint8_t, i), GET(uint8_t, 16 + i)); }
FUNCTION(words_of) { for (int i = 0; i < 8; i++) strcpy(&PUT(char, 8 * i), word(GET(int8_t, i) % 5)); }
FUNCTION(wide_switch) {
    switch (GET(uint64_t, 0) & 0x100000003ull) {
    case 0: PUT(int, 0) = 1; break; case 3: PUT(int, 0) = 2; break; case 0x100000000ull: PUT(int, 0) = 3; break;
    case 0x100000002ull: PUT(int, 0) = 4; break; default: PUT(int, 0) = 5;
    }
}
FUNCTION(machine) {
    int32_t stack[8] = {1, 2, 3, 4}, top = 3;
    for (int i = 0; i < 24; i++) {
        const int32_t a = stack[top];
        switch (GET(uint8_t, i) & 7) {
        case 0: if (top < 7) stack[++top] = a; break;
        case 1: if (top) top--; break;
        case 2: if (top) stack[--top] += a; break;
        case 3: if (top) stack[--top] -= a; break;
        case 4: if (top) stack[--top] *= a; break;
        case 5: stack[top] = -a; break;
        case 6: stack[top] = a >> 1; break;
        default: stack[top] = GET(int8_t, i);
        }
    }
    memcpy(out, stack, sizeof stack);
    PUT(int, 8) = top;
}

/* ---- recursion ---- */

static APART unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static APART uint64_t divisor(uint64_t a, uint64_t b) { return b ? divisor(b, a % b) : a; }
static APART int odd(unsigned n);
static APART int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static APART int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
static APART unsigned ackermann(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static APART void quicksort(int16_t *a, int n) {
    if (n < 2) return;
    const int16_t pivot = a[n / 2];
    int i = 0, j = n - 1;
    for (;; i++, j--) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i >= j) break;
        const int16_t t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
    quicksort(a, i);
    quicksort(a + i, n - i);
}
static APART double power(double x, int n) { return n == 0 ? 1 : n < 0 ? 1 / power(x, -n) : power(x * x, n / 2) * (n & 1 ? x : 1); }
static APART int queens(int n, unsigned columns, unsigned left, unsigned right) {
    int found = columns == (1u << n) - 1;
    for (unsigned free = ~(columns | left | right) & ((1u << n) - 1), bit; free; free ^= bit) {
        bit = free & -free;
        found += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}
FUNCTION(recursion_fibonacci) { PUT(unsigned, 0) = fibonacci(GET(uint8_t, 0) % 10); }
FUNCTION(recursion_divisor) { PUT(uint64_t, 0) = divisor(GET(uint64_t, 0), GET(uint32_t, 2)); }
FUNCTION(recursion_mutual) { PUT(int, 0) = even(GET(uint8_t, 0)); }
FUNCTION(recursion_ackermann) { PUT(unsigned, 0) = ackermann(GET(uint8_t, 0) % 3, GET(uint8_t, 1) % 4); }
FUNCTION(recursion_sort) {
    memcpy(out, in, 64);
    quicksort(out, 32);
}
FUNCTION(recursion_power) { PUT(double, 0) = power(GET(double, 0), GET(int8_t, 9)); }
FUNCTION(recursion_queens) { PUT(int, 0) = queens(4 + GET(uint8_t, 0) % 2, 0, 0, 0); }

/* ---- globals ---- */

int32_t counter = 41;
static uint8_t bytes[32];
static const double table[] = {0.5, -1.25, 3e10, 1e-300, 0.1};
static const int16_t shorts[4][3] = {{1, -2, 3}, {-4, 5, -6}, {7, 8, 9}, {-10, 11, 12}};
static int32_t *pointer = &counter;
typedef int operation(int, int);
static APART int plus(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
static APART int minus(int a, int b) { return (int)((unsigned)a - (unsigned)b); }
static APART int larger(int a, int b) { return a > b ? a : b; }
static operation *const operations[] = {plus, minus, larger};
float weights[4] = {1, 2, 4, 8};
FUNCTION(global_counter) {
    counter += GET(int8_t, 0);
    ++*pointer;
    PUT(int, 0) = counter;
}
FUNCTION(global_bytes) {
    for (int i = 0; i < 32; i++) bytes[i] = (uint8_t)(bytes[i] * 3 + GET(uint8_t, i));
    memcpy(out, bytes, 32);
}
FUNCTION(global_table) { PUT(double, 0) = table[GET(uint8_t, 0) % 5] * GET(uint8_t, 1); }
FUNCTION(global_rows) { for (int i = 0; i < 8; i++) PUT(int, i) = shorts[GET(uint8_t, i) & 3][GET(uint8_t, i) % 3]; }
FUNCTION(global_functions) { for (int i = 0; i < 6; i++) PUT(int, i) = operations[GET(uint8_t, i) % 3](GET(int, 6), GET(int, 7 + i)); }
FUNCTION(global_pointer) {
    static int32_t other = 5;
    pointer = GET(uint8_t, 0) & 1 ? &counter : &other;
    *pointer ^= GET(int, 1);
    PUT(int, 0) = *pointer;
}
FUNCTION(global_floats) {
    float s = 0;
    for (int i = 0; i < 4; i++) s += weights[i] *= (float)GET(int8_t, i);
    for (int i = 0; i < 4; i++) weights[i] = (float)(i + 1);
    PUT(float, 0) = s;
}
FUNCTION(local_static) {
    static uint64_t seed = 0x123456789ABCDEFull;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    PUT(uint64_t, 0) = seed ^ GET(uint64_t, 0);
}

/* ---- memory ---- */

FUNCTION(copy_fixed) { memcpy(out, in, 61); }
FUNCTION(copy_by_size) { memcpy(out, in, GET(uint8_t, 0) & 63); }
FUNCTION(move_up) {
    memcpy(out, in, 64);
    memmove((char *)out + 5, out, GET(uint8_t, 0) % 59);
}
FUNCTION(move_down) {
    memcpy(out, in, 64);
    memmove(out, (char *)out + 7, GET(uint8_t, 0) % 57);
}
FUNCTION(set_by_size) { memset(out, GET(uint8_t, 1), GET(uint8_t, 0) & 63); }
FUNCTION(clear_by_size) { memset(out, 0, GET(uint8_t, 0) & 63); }
FUNCTION(compare_memory) {
    const int order = memcmp(in, (const char *)in + 16, GET(uint8_t, 40) % 17);
    PUT(int, 0) = (order > 0) - (order < 0);
    PUT(int, 1) = memcmp(in, in, 64);
}
FUNCTION(length_of) {
    char text[32];
    for (int i = 0; i < 31; i++) text[i] = (char)(GET(uint8_t, i) & 15);
    text[31] = 0;
    PUT(int, 0) = (int)strlen(text);
    PUT(int, 1) = strcmp(text, "\1\2") > 0;
}
FUNCTION(local_array) {
    int a[40] = {0};
    for (int i = 0; i < 40; i++) a[i] = i * i;
    for (int i = 0; i < 64; i++) a[GET(uint8_t, i) % 40] += i;
    PUT(int, 0) = a[GET(uint8_t, 0) % 40] + a[7];
}
FUNCTION(variable_array) {
    const int n = 1 + GET(uint8_t, 0) % 20;
    int16_t a[n];
    for (int i = 0; i < n; i++) a[i] = (int16_t)(GET(int16_t, i) >> 1);
    int32_t s = 0;
    for (int i = n - 1; i >= 0; i--) s = s * 3 + a[i];
    PUT(int, 0) = s;
}
FUNCTION(unaligned) {
    uint32_t a;
    uint64_t b;
    memcpy(&a, (const char *)in + 3, 4);
    memcpy(&b, (const char *)in + 9, 8);
    b += a;
    memcpy((char *)out + 5, &b, 8);
}
FUNCTION(transposed) { for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) PUT(uint8_t, 8 * i + j) = GET(uint8_t, 8 * j + i); }
FUNCTION(crc) {
    uint32_t r = ~0u;
    for (int i = 0; i < 16; i++) {
        r ^= GET(uint8_t, i);
        for (int k = 0; k < 8; k++) r = r >> 1 ^ (r & 1 ? 0xEDB88320u : 0);
    }
    PUT(uint32_t, 0) = ~r;
}

/* ---- NEON ---- */

FUNCTION(neon_add) { vst1q_s16(out, vqaddq_s16(vld1q_s16(in), vld1q_s16((const int16_t *)in + 8))); }
FUNCTION(neon_multiply) {
    const int16x4_t a = vld1_s16(in), b = vld1_s16((const int16_t *)in + 4);
    vst1q_s32(out, vmlal_s16(vld1q_s32((const int32_t *)in + 4), a, b));
    vst1_s16((int16_t *)out + 8, vqdmulh_s16(a, b));
}
FUNCTION(neon_narrow) {
    const int16x8_t a = vld1q_s16(in);
    vst1_s8(out, vqmovn_s16(a));
    vst1_u8((uint8_t *)out + 8, vqrshrun_n_s16(a, 4));
}
FUNCTION(neon_table) { vst1_u8(out, vtbl2_u8((uint8x8x2_t){{vld1_u8(in), vld1_u8((const uint8_t *)in + 8)}}, vand_u8(vld1_u8((const uint8_t *)in + 16), vdup_n_u8(31)))); }
FUNCTION(neon_zip) {
    const uint8x16x2_t z = vzipq_u8(vld1q_u8(in), vld1q_u8((const uint8_t *)in + 16));
    vst1q_u8(out, z.val[0]);
    vst1q_u8((uint8_t *)out + 16, z.val[1]);
}
FUNCTION(neon_interleave) {
    uint8x8x3_t a = vld3_u8(in);
    a.val[1] = vadd_u8(a.val[1], a.val[2]);
    vst3_u8(out, a);
}
FUNCTION(neon_float) { vst1q_f32(out, vmlaq_f32(vld1q_f32(in), vld1q_f32((const float *)in + 4), vld1q_f32((const float *)in + 8))); }
FUNCTION(neon_select) {
    const float32x4_t a = vld1q_f32(in), b = vld1q_f32((const float *)in + 4);
    vst1q_f32(out, vbslq_f32(vcgtq_f32(a, b), vmaxq_f32(a, b), vabsq_f32(b)));
}
FUNCTION(neon_convert) {
    vst1q_s32(out, vcvtq_s32_f32(vld1q_f32(in)));
    vst1q_f32((float *)out + 4, vcvtq_f32_u32(vld1q_u32((const uint32_t *)in + 4)));
}
FUNCTION(neon_reduce) {
    const uint32x2_t s = vpadd_u32(vpaddl_u16(vld1_u16(in)), vld1_u32((const uint32_t *)in + 4));
    vst1_u32(out, s);
    vst1_u16((uint16_t *)out + 4, vpmax_u16(vld1_u16(in), vld1_u16((const uint16_t *)in + 4)));
}
FUNCTION(neon_shift) {
    vst1q_s32(out, vrshlq_s32(vld1q_s32(in), vsubq_s32(vandq_s32(vld1q_s32((const int32_t *)in + 4), vdupq_n_s32(63)), vdupq_n_s32(32))));
    vst1q_u16((uint16_t *)out + 8, vsraq_n_u16(vld1q_u16(in), vld1q_u16((const uint16_t *)in + 8), 3));
}
FUNCTION(neon_reciprocal) { vst1q_f32(out, vrecpsq_f32(vrecpeq_f32(vld1q_f32(in)), vld1q_f32((const float *)in + 4))); }
FUNCTION(neon_wide) { vst1q_u64(out, vmlal_u32(vld1q_u64(in), vld1_u32((const uint32_t *)in + 4), vld1_u32((const uint32_t *)in + 6))); }
FUNCTION(neon_lane) {
    uint8x8_t a = vld1_dup_u8(in);
    a = vld1_lane_u8((const uint8_t *)in + 9, a, 3);
    vst1_lane_u8((uint8_t *)out + 2, a, 3);
    vst1_u8((uint8_t *)out + 8, vext_u8(a, vld1_u8((const uint8_t *)in + 16), 5));
}
