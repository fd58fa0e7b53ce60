#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

// The sum of a[i] * b[i].
int32_t dot_s8(const int8_t *a, const int8_t *b, size_t n) {
    int32x4_t sums = vdupq_n_s32(0);
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        sums = vpadalq_s16(sums, vmull_s8(vld1_s8(a + i), vld1_s8(b + i)));
    int32_t sum = vaddvq_s32(sums);
    for (; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
