#include <arm_neon.h>
#include <stddef.h>

// y[i] = by * x[i].
void scale_f32(const float *x, float *y, float by, size_t n) {
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        vst1q_f32(y + i, vmulq_n_f32(vld1q_f32(x + i), by));
    for (; i < n; i++)
        y[i] = by * x[i];
}
