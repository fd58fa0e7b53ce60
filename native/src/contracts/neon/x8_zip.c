/* x8_zip_x2, x3, x4 and xm in NEON intrinsics: rows of bytes to groups of one byte of each. */
#include "contracts/neon/neon.h"

/* What is left behind the last whole vector: columns from `first` on. */
NEONSIM_INLINE void zip_rest(size_t first, size_t n, size_t m, const uint8_t *x, uint8_t *y) {
  for (size_t i = first; i < n; i++) {
    for (size_t row = 0; row < m; row++) {
      y[i * m + row] = x[row * n + i];
    }
  }
}

NEONSIM_KERNEL(bytes, x8_zip_x2_8x__neon) {
  size_t i = 0;
  for (; n - i >= 8; i += 8) {
    vst2_u8(y + 2 * i, ((uint8x8x2_t){{vld1_u8(x + i), vld1_u8(x + n + i)}}));
  }
  zip_rest(i, n, 2, x, y);
}

NEONSIM_KERNEL(bytes, x8_zip_x3_8x__neon) {
  size_t i = 0;
  for (; n - i >= 8; i += 8) {
    vst3_u8(y + 3 * i, ((uint8x8x3_t){{vld1_u8(x + i), vld1_u8(x + n + i), vld1_u8(x + 2 * n + i)}}));
  }
  zip_rest(i, n, 3, x, y);
}

NEONSIM_KERNEL(bytes, x8_zip_x4_8x__neon) {
  size_t i = 0;
  for (; n - i >= 8; i += 8) {
    vst4_u8(y + 4 * i, ((uint8x8x4_t){{vld1_u8(x + i), vld1_u8(x + n + i), vld1_u8(x + 2 * n + i), vld1_u8(x + 3 * n + i)}}));
  }
  zip_rest(i, n, 4, x, y);
}

/* Four rows at a time: eight groups of four bytes, m bytes apart. The last four rows may be some of those before again. */
NEONSIM_INLINE void zip_four_rows(size_t i, size_t row, size_t n, size_t m, const uint8_t *x, uint8_t *y) {
  x += row * n + i;
  const uint8x8x2_t a = vzip_u8(vld1_u8(x), vld1_u8(x + n)), b = vzip_u8(vld1_u8(x + 2 * n), vld1_u8(x + 3 * n));
  const uint16x4x2_t low = vzip_u16(vreinterpret_u16_u8(a.val[0]), vreinterpret_u16_u8(b.val[0]));
  const uint16x4x2_t high = vzip_u16(vreinterpret_u16_u8(a.val[1]), vreinterpret_u16_u8(b.val[1]));
  uint16_t groups[8][2];
  vst1_u16(groups[0], low.val[0]);
  vst1_u16(groups[2], low.val[1]);
  vst1_u16(groups[4], high.val[0]);
  vst1_u16(groups[6], high.val[1]);
  for (size_t group = 0; group < 8; group++) {
    memcpy(y + (i + group) * m + row, groups[group], sizeof groups[group]);
  }
}

NEONSIM_KERNEL(zip_xm, x8_zip_xm_8x__neon) {
  size_t i = 0;
  for (; n - i >= 8; i += 8) {
    for (size_t row = 0; row < m; row += 4) {
      zip_four_rows(i, row + 4 <= m ? row : m - 4, n, m, x, y);
    }
  }
  zip_rest(i, n, m, x, y);
}
