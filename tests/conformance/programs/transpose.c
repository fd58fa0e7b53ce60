/* Transposes: bytes in blocks of 8x8 and words in blocks of 4x4 by intrinsics, halfwords in plain C, in place. */
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

static void block8(const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride) {
    uint8x8_t r[8];
    for (size_t i = 0; i < 8; i++) r[i] = vld1_u8(from + i * from_stride);
    uint8x8x2_t p[4];
    for (size_t i = 0; i < 4; i++) p[i] = vtrn_u8(r[2 * i], r[2 * i + 1]);
    uint16x4x2_t q[4];
    for (size_t i = 0; i < 4; i++) {
        const size_t low = i & 1, first = i & 2;
        q[i] = vtrn_u16(vreinterpret_u16_u8(p[first].val[low]), vreinterpret_u16_u8(p[first + 1].val[low]));
    }
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) {
            const uint32x2x2_t d = vtrn_u32(vreinterpret_u32_u16(q[i].val[j]), vreinterpret_u32_u16(q[i + 2].val[j]));
            vst1_u8(to + (i + 2 * j) * to_stride, vreinterpret_u8_u32(d.val[0]));
            vst1_u8(to + (i + 2 * j + 4) * to_stride, vreinterpret_u8_u32(d.val[1]));
        }
}

/* to[x][y] = from[y][x]; edges that make no block one by one. */
void bytes(const uint8_t *from, size_t rows, size_t columns, uint8_t *to) {
    for (size_t y = 0; y < rows; y += 8)
        for (size_t x = 0; x < columns; x += 8) {
            if (y + 8 <= rows && x + 8 <= columns) {
                block8(from + y * columns + x, columns, to + x * rows + y, rows);
                continue;
            }
            for (size_t i = y; i < y + 8 && i < rows; i++)
                for (size_t j = x; j < x + 8 && j < columns; j++) to[j * rows + i] = from[i * columns + j];
        }
}

/* 4x4 words by structure loads: VLD4 is a transpose. */
void words(const uint32_t *from, size_t blocks, uint32_t *to) {
    for (; blocks--; from += 16, to += 16) {
        const uint32x4x4_t columns = vld4q_u32(from);
        for (int i = 0; i < 4; i++) vst1q_u32(to + 4 * i, columns.val[i]);
    }
}

void halfwords(uint16_t *square, size_t n) {
    for (size_t y = 0; y < n; y++)
        for (size_t x = y + 1; x < n; x++) {
            const uint16_t kept = square[y * n + x];
            square[y * n + x] = square[x * n + y];
            square[x * n + y] = kept;
        }
}
