#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

// The sum of x[i].
uint32_t sum_u8(const uint8_t *x, size_t n) {
    uint32x4_t sums = vdupq_n_u32(0);
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        sums = vpadalq_u16(sums, vpaddlq_u8(vld1q_u8(x + i)));
    uint32_t sum = vaddvq_u32(sums);
    for (; i < n; i++)
        sum += x[i];
    return sum;
}
