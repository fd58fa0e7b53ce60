/* Many small functions of many kinds: bits, strings, tables, recursion, structures, 64-bit numbers, the stack. */
#include <stddef.h>
#include <stdint.h>

/* ---- bits */

uint32_t count_ones(uint32_t x) {
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return ((x + (x >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24;
}
uint32_t parity(uint32_t x) {
    for (int by = 16; by; by >>= 1) x ^= x >> by;
    return x & 1;
}
uint32_t mirrored(uint32_t x) {
    uint32_t y = 0;
    for (int i = 0; i < 32; i++) y = y << 1 | (x >> i & 1);
    return y;
}
uint32_t swapped(uint32_t x) { return __builtin_bswap32(x) ^ __builtin_bswap16((uint16_t)x); }
uint32_t zeros(uint32_t x) { return x ? (uint32_t)(__builtin_clz(x) * 256 + __builtin_ctz(x)) : 99; }
uint32_t first_set(uint32_t x) { return (uint32_t)__builtin_ffs((int)x); }
uint32_t turned(uint32_t x, uint32_t by) { return (x >> (by & 31) | x << (-by & 31)) + (x << 7 | x >> 25); }
uint32_t spread(uint32_t x, uint32_t y) {
    uint32_t z = 0;
    for (uint32_t i = 0; i < 16; i++) z |= (x & 1u << i) << i | (y & 1u << i) << (i + 1);
    return z;
}
uint32_t gray(uint32_t x) {
    uint32_t g = x ^ x >> 1, back = g;
    for (uint32_t by = 1; by < 32; by <<= 1) back ^= back >> by;
    return g + back * 3;
}
uint32_t next_power(uint32_t x) {
    x--;
    x |= x >> 1, x |= x >> 2, x |= x >> 4, x |= x >> 8, x |= x >> 16;
    return x + 1;
}
uint32_t fields(uint32_t x) {
    struct { uint32_t a : 5, b : 11; int32_t c : 7, d : 9; } f;
    f.a = x, f.b = x >> 3, f.c = (int32_t)(x >> 8), f.d = (int32_t)(x >> 20);
    f.a += f.b, f.c -= (int32_t)f.a;
    return (uint32_t)(f.a + f.b * 7u + (uint32_t)(f.c * f.d));
}
uint32_t lfsr(uint32_t x, uint32_t steps) {
    while (steps--) x = x >> 1 ^ (-(x & 1) & 0xA3000000u);
    return x;
}

/* ---- numbers */

uint32_t root(uint32_t x) {
    uint32_t r = 0;
    for (uint32_t bit = 1u << 30; bit; bit >>= 2) {
        if (x >= r + bit) x -= r + bit, r = (r >> 1) + bit;
        else r >>= 1;
    }
    return r;
}
uint32_t common(uint32_t a, uint32_t b) {
    while (b) {
        const uint32_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}
uint32_t quotients(int32_t a, int32_t b) {
    if (b == 0 || (a == INT32_MIN && b == -1)) return 7;
    return (uint32_t)(a / b + 3 * (a % b)) + (uint32_t)a / 7u + (uint32_t)(a / 10) + (uint32_t)a % 641u;
}
uint32_t clamped_sum(int32_t a, int32_t b) {
    int32_t sum;
    if (__builtin_add_overflow(a, b, &sum)) sum = a < 0 ? INT32_MIN : INT32_MAX;
    return (uint32_t)sum;
}
uint32_t high_product(int32_t a, int32_t b) {
    return (uint32_t)((int64_t)a * b >> 32) ^ (uint32_t)((uint64_t)(uint32_t)a * (uint32_t)b >> 31);
}
uint32_t collatz(uint32_t x) {
    uint32_t steps = 0;
    for (; x > 1 && steps < 400; steps++) x = x & 1 ? 3 * x + 1 : x / 2;
    return steps;
}
uint32_t middle(uint32_t a, uint32_t b) { return (a & b) + ((a ^ b) >> 1); }
uint32_t chain(int32_t a, int32_t b, int32_t c) {
    if ((a > 0 && b < c) || (a < -5 && b != c && c > 3)) return 1;
    return a == b || (b == c && a >= c) ? 2u : a <= 7 ? 3u : 4u;
}
void wide_numbers(uint64_t *x) {
    const uint64_t a = x[0], b = x[1];
    x[2] = a * b;
    x[3] = (a << (b & 63)) | (a >> (-b & 63));
    x[4] = (uint64_t)((int64_t)a >> (b & 63)) + (a < b) + 2 * ((int64_t)a < (int64_t)b);
    x[5] = a - b + (a ^ ~b);
    x[6] = (uint64_t)__builtin_clzll(a | 1) + (a == b) + ((uint64_t)(a > b) << 8);
    x[7] = a > 1000 ? -b : b + 0x123456789ABCDEFull;
}

/* ---- text */

uint32_t length(const char *s) {
    const char *end = s;
    while (*end) end++;
    return (uint32_t)(end - s);
}
uint32_t compared(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return (uint32_t)((unsigned char)*a - (unsigned char)*b);
}
uint32_t found(const char *s, uint32_t c) {
    for (uint32_t i = 0; s[i]; i++)
        if (s[i] == (char)c) return i;
    return ~0u;
}
uint32_t number(const char *s) {
    int32_t value = 0, sign = 1;
    while (*s == ' ') s++;
    if (*s == '-') sign = -1, s++;
    while (*s >= '0' && *s <= '9') value = value * 10 + (*s++ - '0');
    return (uint32_t)(value * sign);
}
void decimal(uint32_t x, char *out) {
    char digits[10];
    int n = 0;
    do digits[n++] = (char)('0' + x % 10);
    while (x /= 10);
    while (n) *out++ = digits[--n];
    *out = 0;
}
void base64(const uint8_t *in, uint32_t n, char *out) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (uint32_t i = 0; i < n; i += 3) {
        const uint32_t left = n - i;
        const uint32_t x = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0);
        *out++ = letters[x >> 18];
        *out++ = letters[x >> 12 & 63];
        *out++ = left > 1 ? letters[x >> 6 & 63] : '=';
        *out++ = left > 2 ? letters[x & 63] : '=';
    }
}
uint32_t matches(const char *pattern, const char *text) { /* ? and * */
    if (!*pattern) return !*text;
    if (*pattern == '*') return matches(pattern + 1, text) || (*text && matches(pattern, text + 1));
    return *text && (*pattern == '?' || *pattern == *text) && matches(pattern + 1, text + 1);
}
uint32_t words(const char *s) {
    enum { OUT, IN, QUOTED } state = OUT;
    uint32_t n = 0;
    for (; *s; s++) switch (state) {
        case OUT: if (*s == '"') state = QUOTED, n += 100; else if (*s != ' ') state = IN, n++; break;
        case IN: if (*s == ' ') state = OUT; break;
        case QUOTED: if (*s == '"') state = OUT; break;
        }
    return n;
}

/* ---- tables and jumps */

uint32_t dense(uint32_t which, uint32_t x) {
    switch (which) {
    case 0: return x + 1;
    case 1: return x * 3;
    case 2: return x >> 2;
    case 3: return ~x;
    case 4: return x ^ 0x5A5A;
    case 5: return x % 17;
    case 6: return x << 3 | 1;
    case 7: return x & 0xF0F;
    case 8: return -x;
    case 9: return x / 3;
    default: return 12345;
    }
}
uint32_t sparse(uint32_t x) {
    switch (x) {
    case 3: return 1;
    case 1000: return 2;
    case 50000: case 50001: return 3;
    case 0xFFFFFFFF: return 4;
    default: return x > 77 ? 5 : 6;
    }
}
uint32_t threaded(const uint8_t *code, uint32_t x) {
    static const void *const next[] = {&&stop, &&add, &&twice, &&invert, &&skip};
    goto *next[*code % 5];
add: x += code[1]; code += 2; goto *next[*code % 5];
twice: x *= 2; code++; goto *next[*code % 5];
invert: x = ~x; code++; goto *next[*code % 5];
skip: code += 1 + (x & 1); goto *next[*code % 5];
stop: return x;
}
static uint32_t plus(uint32_t a, uint32_t b) { return a + b; }
static uint32_t minus(uint32_t a, uint32_t b) { return a - b; }
static uint32_t times(uint32_t a, uint32_t b) { return a * b; }
typedef uint32_t operation(uint32_t, uint32_t);
static operation *const operations[] = {plus, minus, times};
__attribute__((noinline)) static uint32_t folded(operation *f, const uint32_t *x, uint32_t n) {
    uint32_t y = x[0];
    for (uint32_t i = 1; i < n; i++) y = f(y, x[i]);
    return y;
}
uint32_t fold(uint32_t which, const uint32_t *x, uint32_t n) { return folded(operations[which % 3], x, n); }

/* ---- calls and the stack */

uint32_t fibonacci(uint32_t n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
uint32_t ackermann(uint32_t m, uint32_t n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
struct pair { int32_t a, b; };
struct large { int32_t a[9]; };
__attribute__((noinline)) static struct pair exchanged(struct pair p) { return (struct pair){p.b, p.a - p.b}; }
__attribute__((noinline)) static struct large shifted(struct large l, int32_t by) {
    for (int i = 0; i < 9; i++) l.a[i] += by * i;
    return l;
}
uint32_t structures(int32_t a, int32_t b) {
    struct pair p = exchanged(exchanged((struct pair){a, b}));
    struct large l = {{a, b, 3, 4, 5, 6, 7, 8, 9}};
    l = shifted(shifted(l, p.a), p.b);
    int32_t sum = 0;
    for (int i = 0; i < 9; i++) sum += l.a[i] * (i + 1);
    return (uint32_t)sum;
}
__attribute__((noinline)) static uint32_t many(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f,
                                               uint32_t g, uint32_t h, uint8_t i, int16_t j, uint64_t k) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9u * i + 10u * (uint32_t)j + (uint32_t)(k >> 9);
}
uint32_t arguments(uint32_t x) {
    return many(x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, (uint8_t)x, (int16_t)-x, (uint64_t)x << 20);
}
uint32_t on_the_stack(uint32_t n) {
    uint32_t row[n + 1]; /* of a length that is not known before */
    for (uint32_t i = 0; i <= n; i++) {
        row[i] = 1;
        for (uint32_t j = i; j-- > 1;) row[j] += row[j - 1];
    }
    return row[n / 2];
}
static void quick(int32_t *x, int32_t low, int32_t high) {
    if (low >= high) return;
    const int32_t pivot = x[(low + high) / 2];
    int32_t i = low, j = high;
    while (i <= j) {
        while (x[i] < pivot) i++;
        while (x[j] > pivot) j--;
        if (i <= j) {
            const int32_t kept = x[i];
            x[i++] = x[j], x[j--] = kept;
        }
    }
    quick(x, low, j);
    quick(x, i, high);
}
void sorted(int32_t *x, uint32_t n) { quick(x, 0, (int32_t)n - 1); }

/* ---- arrays */

uint32_t bisected(const uint16_t *x, uint32_t n, uint32_t wanted) {
    uint32_t low = 0, high = n;
    while (low < high) {
        const uint32_t at = low + (high - low) / 2;
        if (x[at] < wanted) low = at + 1;
        else high = at;
    }
    return low;
}
void matrix(const int16_t *a, const int16_t *b, int32_t *c, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            int32_t sum = 0;
            for (uint32_t k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}
void running(int8_t *x, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) x[i] = (int8_t)(x[i] + x[i - 1]);
}
uint32_t differences(const uint8_t *a, const uint8_t *b, uint32_t n) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += (uint32_t)(a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]);
    return sum;
}
uint32_t histogram(const uint8_t *x, uint32_t n, uint16_t *counts) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++) counts[x[i] >> 3]++;
    for (uint32_t i = 1; i < 32; i++) most = counts[i] > counts[most] ? i : most;
    return most;
}
uint32_t linked(const uint8_t *next, uint32_t at) {
    uint32_t slow = at, fast = at, steps = 0;
    do slow = next[slow], fast = next[next[fast]], steps++;
    while (slow != fast);
    return steps;
}
uint32_t varint(const uint64_t *in, uint32_t n, uint8_t *out) {
    uint8_t *to = out;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t x = in[i];
        for (; x > 127; x >>= 7) *to++ = (uint8_t)(x | 128);
        *to++ = (uint8_t)x;
    }
    return (uint32_t)(to - out);
}
