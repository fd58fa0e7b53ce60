/* Loops that compilers turn into vectors, over every type: a sample of all they know of NEON.
 *
 * Every function is f(out, a, b, n) with room for 4 * n elements in each array. Names ending in f read and write floats.
 */
#include <stddef.h>
#include <stdint.h>

#define LOOP for (size_t i = 0; i < n; i++)
#define OF(name, to, from, body) void name(to *out, const from *a, const from *b, size_t n) { (void)b; body }

#define ANY(t, x) \
    OF(add_##x, t, t, LOOP out[i] = (t)(a[i] + b[i]);) \
    OF(mul_##x, t, t, LOOP out[i] = (t)(a[i] * b[i]);) \
    OF(mla_##x, t, t, LOOP out[i] = (t)(out[i] + a[i] * b[i]);) \
    OF(least_##x, t, t, LOOP out[i] = a[i] < b[i] ? a[i] : b[i];) \
    OF(most_##x, t, t, LOOP out[i] = a[i] > 7 ? a[i] : 7;) \
    OF(chosen_##x, t, t, LOOP out[i] = a[i] > b[i] ? a[i] : (t)(b[i] - a[i]);) \
    OF(sum_##x, t, t, t s = 0; LOOP s = (t)(s + a[i]); out[0] = s;) \
    OF(top_##x, t, t, t s = a[0]; LOOP s = s > a[i] ? s : a[i]; out[0] = s;) \
    OF(backwards_##x, t, t, LOOP out[i] = a[n - 1 - i];) \
    OF(two_##x, t, t, LOOP { out[2 * i] = a[2 * i + 1]; out[2 * i + 1] = b[2 * i]; }) \
    OF(three_##x, t, t, LOOP { out[3 * i] = a[3 * i + 2]; out[3 * i + 1] = a[3 * i]; out[3 * i + 2] = b[3 * i + 1]; }) \
    OF(four_##x, t, t, LOOP out[i] = (t)(a[4 * i] + a[4 * i + 1] + a[4 * i + 2] - a[4 * i + 3]);) \
    OF(count_##x, t, t, size_t c = 0; LOOP c += a[i] == b[i]; out[0] = (t)c;) \
    OF(apart_##x, t, t, LOOP out[i] = (t)(a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]);)

#define INTEGER(t, x) ANY(t, x) \
    OF(left_##x, t, t, LOOP out[i] = (t)(a[i] << (b[i] & 7));) \
    OF(right_##x, t, t, LOOP out[i] = (t)(a[i] >> (b[i] & 7));) \
    OF(shifts_##x, t, t, LOOP out[i] = (t)((a[i] >> 3) ^ (a[i] << 2));) \
    OF(logic_##x, t, t, LOOP out[i] = (t)((a[i] & ~b[i]) | (b[i] ^ 0x55));) \
    OF(seventh_##x, t, t, LOOP out[i] = (t)(a[i] / 7);) \
    OF(middle_##x, t, t, LOOP out[i] = (t)((a[i] + b[i] + 1) >> 1);)

INTEGER(uint8_t, u8)
INTEGER(int8_t, s8)
INTEGER(uint16_t, u16)
INTEGER(int16_t, s16)
INTEGER(uint32_t, u32)
INTEGER(int32_t, s32)
ANY(uint64_t, u64)
ANY(int64_t, s64)
ANY(float, f)

OF(dot_s8, int32_t, int8_t, int32_t s = 0; LOOP s += a[i] * b[i]; out[0] = s;)
OF(dot_u8, uint32_t, uint8_t, uint32_t s = 0; LOOP s += (uint32_t)(a[i] * b[i]); out[0] = s;)
OF(dot_s32, int64_t, int32_t, int64_t s = 0; LOOP s += (int64_t)a[i] * b[i]; out[0] = s;)
OF(sad_u8, uint32_t, uint8_t, uint32_t s = 0; LOOP s += (uint32_t)(a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]); out[0] = s;)
OF(widened, int32_t, int8_t, LOOP out[i] = a[i] - b[i];)
OF(clamped, uint8_t, int32_t, LOOP out[i] = (uint8_t)(a[i] < 0 ? 0 : a[i] > 255 ? 255 : a[i]);)
OF(high, int32_t, int32_t, LOOP out[i] = (int32_t)((int64_t)a[i] * b[i] >> 31);)
OF(requantized, int32_t, int32_t, LOOP out[i] = (int32_t)(((int64_t)a[i] * 0x5A5A5A5A + (1ll << 36)) >> 37);)
OF(from_s32, float, int32_t, LOOP out[i] = (float)a[i] * 0.5f;)
OF(from_u8, float, uint8_t, LOOP out[i] = a[i];)
OF(to_s32_f, int32_t, float, LOOP out[i] = (int32_t)a[i];)
OF(roots_f, float, float, LOOP out[i] = __builtin_sqrtf(a[i]) / (1.0f + b[i]);)
OF(held_f, float, float, LOOP { float x = a[i] < 0 ? 0 : a[i]; out[i] = x > 6 ? 6 : x; })
OF(signs_f, float, float, LOOP out[i] = __builtin_fabsf(-a[i]) + __builtin_copysignf(1.0f, b[i]);)
