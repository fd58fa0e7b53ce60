/* Sorting networks: four columns at once by min and max, eight numbers without a branch, any power of two by Batcher. */
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

#define ORDER(a, b) do { const int32x4_t low = vminq_s32(a, b); b = vmaxq_s32(a, b); a = low; } while (0)

/* groups of sixteen numbers as four rows of four: each column is sorted */
void columns(int32_t *data, size_t groups) {
    for (; groups--; data += 16) {
        int32x4_t a = vld1q_s32(data), b = vld1q_s32(data + 4), c = vld1q_s32(data + 8), d = vld1q_s32(data + 12);
        ORDER(a, b);
        ORDER(c, d);
        ORDER(a, c);
        ORDER(b, d);
        ORDER(b, c);
        vst1q_s32(data, a), vst1q_s32(data + 4, b), vst1q_s32(data + 8, c), vst1q_s32(data + 12, d);
    }
}

static const uint8_t network[19][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 1}, {2, 3},
                                       {4, 5}, {6, 7}, {2, 4}, {3, 5}, {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};

void eights(uint16_t *data, size_t groups) {
    for (; groups--; data += 8)
        for (size_t i = 0; i < 19; i++) {
            const uint16_t a = data[network[i][0]], b = data[network[i][1]];
            data[network[i][0]] = a < b ? a : b;
            data[network[i][1]] = a < b ? b : a;
        }
}

static void merged(int64_t *data, size_t n, size_t step) {
    const size_t twice = 2 * step;
    if (twice < n) {
        merged(data, n, twice);
        merged(data + step, n, twice);
        for (size_t i = step; i + step < n; i += twice)
            if (data[i] > data[i + step]) {
                const int64_t kept = data[i];
                data[i] = data[i + step];
                data[i + step] = kept;
            }
    } else if (data[0] > data[step]) {
        const int64_t kept = data[0];
        data[0] = data[step];
        data[step] = kept;
    }
}

/* n is a power of two */
void batcher(int64_t *data, size_t n) {
    if (n < 2) return;
    batcher(data, n / 2);
    batcher(data + n / 2, n / 2);
    merged(data, n, 1);
}
