/* A depthwise 3x3 filter over uint8 channels, stride 1, no padding: once in plain C, once by intrinsics. */
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

static uint8_t clamped(int32_t x) { return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x); }

/* shape: {height, width, channels}; out[y][x][c] = clamp((sum + 64) >> 7). */
void plain(const size_t *shape, const uint8_t *in, const int8_t *filter, uint8_t *out) {
    const size_t height = shape[0], width = shape[1], channels = shape[2];
    for (size_t y = 0; y + 2 < height; y++)
        for (size_t x = 0; x + 2 < width; x++)
            for (size_t c = 0; c < channels; c++) {
                int32_t sum = 64;
                for (size_t i = 0; i < 3; i++)
                    for (size_t j = 0; j < 3; j++)
                        sum += in[((y + i) * width + x + j) * channels + c] * filter[(i * 3 + j) * channels + c];
                out[(y * (width - 2) + x) * channels + c] = clamped(sum >> 7);
            }
}

/* The same for channels in eights. */
void vectors(const size_t *shape, const uint8_t *in, const int8_t *filter, uint8_t *out) {
    const size_t height = shape[0], width = shape[1], channels = shape[2];
    for (size_t c = 0; c + 8 <= channels; c += 8) {
        int16x8_t w[9];
        for (size_t i = 0; i < 9; i++) w[i] = vmovl_s8(vld1_s8(filter + i * channels + c));
        for (size_t y = 0; y + 2 < height; y++)
            for (size_t x = 0; x + 2 < width; x++) {
                int32x4_t low = vdupq_n_s32(0), high = low;
                for (size_t i = 0; i < 9; i++) {
                    const uint8_t *from = in + ((y + i / 3) * width + x + i % 3) * channels + c;
                    const int16x8_t v = vreinterpretq_s16_u16(vmovl_u8(vld1_u8(from)));
                    low = vmlal_s16(low, vget_low_s16(v), vget_low_s16(w[i]));
                    high = vmlal_s16(high, vget_high_s16(v), vget_high_s16(w[i]));
                }
                vst1_u8(out + (y * (width - 2) + x) * channels + c,
                        vqmovun_s16(vcombine_s16(vqmovn_s32(vrshrq_n_s32(low, 7)), vqmovn_s32(vrshrq_n_s32(high, 7)))));
            }
    }
}
