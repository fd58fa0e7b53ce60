// Ten functions of the kinds that libraries have, with NEON and a loop for what is left.
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

void add_saturated(const uint8_t *a, const uint8_t *b, uint8_t *y, size_t n) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        vst1q_u8(y + i, vqaddq_u8(vld1q_u8(a + i), vld1q_u8(b + i)));
    for (; i < n; i++)
        y[i] = a[i] + b[i] > 255 ? 255 : a[i] + b[i];
}

void difference(const uint8_t *a, const uint8_t *b, uint8_t *y, size_t n) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        vst1q_u8(y + i, vabdq_u8(vld1q_u8(a + i), vld1q_u8(b + i)));
    for (; i < n; i++)
        y[i] = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
}

void mean(const uint8_t *a, const uint8_t *b, uint8_t *y, size_t n) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        vst1q_u8(y + i, vrhaddq_u8(vld1q_u8(a + i), vld1q_u8(b + i)));
    for (; i < n; i++)
        y[i] = (a[i] + b[i] + 1) >> 1;
}

uint8_t largest(const uint8_t *x, size_t n) {
    uint8x16_t most = vdupq_n_u8(0);
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        most = vmaxq_u8(most, vld1q_u8(x + i));
    uint8_t found = vmaxvq_u8(most);
    for (; i < n; i++)
        found = x[i] > found ? x[i] : found;
    return found;
}

uint64_t total(const uint16_t *x, size_t n) {
    uint64x2_t sums = vdupq_n_u64(0);
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        sums = vpadalq_u32(sums, vpaddlq_u16(vld1q_u16(x + i)));
    uint64_t sum = vaddvq_u64(sums);
    for (; i < n; i++)
        sum += x[i];
    return sum;
}

int32_t dot(const int8_t *a, const int8_t *b, size_t n) {
    int32x4_t sums = vdupq_n_s32(0);
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        sums = vpadalq_s16(sums, vmull_s8(vld1_s8(a + i), vld1_s8(b + i)));
    int32_t sum = vaddvq_s32(sums);
    for (; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void clamp(const int16_t *x, int16_t *y, int16_t low, int16_t high, size_t n) {
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        vst1q_s16(y + i, vminq_s16(vmaxq_s16(vld1q_s16(x + i), vdupq_n_s16(low)), vdupq_n_s16(high)));
    for (; i < n; i++) {
        int16_t value = x[i] > low ? x[i] : low;
        y[i] = value < high ? value : high;
    }
}

void narrow(const int32_t *x, int16_t *y, size_t n) {
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        vst1_s16(y + i, vqmovn_s32(vld1q_s32(x + i)));
    for (; i < n; i++)
        y[i] = x[i] > 32767 ? 32767 : x[i] < -32768 ? -32768 : x[i];
}

void interleave(const uint8_t *a, const uint8_t *b, uint8_t *y, size_t n) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        vst2q_u8(y + 2 * i, (uint8x16x2_t){{vld1q_u8(a + i), vld1q_u8(b + i)}});
    for (; i < n; i++) {
        y[2 * i] = a[i];
        y[2 * i + 1] = b[i];
    }
}

void scale(const float *x, float *y, float by, size_t n) {
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        vst1q_f32(y + i, vmulq_n_f32(vld1q_f32(x + i), by));
    for (; i < n; i++)
        y[i] = by * x[i];
}
