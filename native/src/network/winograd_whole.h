/* Transforms of F(n, 3) along one axis in whole numbers, n = 2, 3, 4, modulo 2**16 and 2**32.
 * Written by neonsim.generate.portable: a test makes it again.
 *
 * `n` lanes of rows that lie x_step and y_step numbers apart. What results of a tile are multiplied by, along both
 * axes, is divided out at the end, modulo 2**32: times the inverse of its odd part, then a shift. */
#ifndef NEONSIM_WINOGRAD_WHOLE_H
#define NEONSIM_WINOGRAD_WHOLE_H

/* clang-format off */
#if defined(NEONSIM_WHOLE_LOOPS)

/* 4 additions, 0 multiplications. */
NEONSIM_FORCE_INLINE void source_2(const int16_t *x, size_t x_step, int16_t *y, size_t y_step, size_t n) {
  const whole16 v0 = get16(x + 0 * x_step, n);
  const whole16 v1 = get16(x + 1 * x_step, n);
  const whole16 v2 = get16(x + 2 * x_step, n);
  const whole16 v3 = get16(x + 3 * x_step, n);
  const whole16 v4 = (whole16)(v2 - v0);
  const whole16 v5 = (whole16)(v1 + v2);
  const whole16 v6 = (whole16)(v2 - v1);
  const whole16 v7 = (whole16)(v3 - v1);
  put16(y + 0 * y_step, v4, n);
  put16(y + 1 * y_step, v5, n);
  put16(y + 2 * y_step, v6, n);
  put16(y + 3 * y_step, v7, n);
}

/* 4 additions, 2 multiplications. */
NEONSIM_FORCE_INLINE void destination_2(const int32_t *x, size_t x_step, int32_t *y, size_t y_step, size_t n) {
  const whole32 v0 = get32(x + 0 * x_step, n);
  const whole32 v1 = get32(x + 1 * x_step, n);
  const whole32 v2 = get32(x + 2 * x_step, n);
  const whole32 v3 = get32(x + 3 * x_step, n);
  const whole32 v4 = (whole32)(v0 * 2u);
  const whole32 v5 = (whole32)(v4 + v1);
  const whole32 v6 = (whole32)(v5 + v2);
  const whole32 v7 = (whole32)(v3 * 2u);
  const whole32 v8 = (whole32)(v1 + v7);
  const whole32 v9 = (whole32)(v8 - v2);
  put32(y + 0 * y_step, v6, n);
  put32(y + 1 * y_step, v9, n);
}

/* 9 additions, 6 multiplications. */
NEONSIM_FORCE_INLINE void source_3(const int16_t *x, size_t x_step, int16_t *y, size_t y_step, size_t n) {
  const whole16 v0 = get16(x + 0 * x_step, n);
  const whole16 v1 = get16(x + 1 * x_step, n);
  const whole16 v2 = get16(x + 2 * x_step, n);
  const whole16 v3 = get16(x + 3 * x_step, n);
  const whole16 v4 = get16(x + 4 * x_step, n);
  const whole16 v5 = (whole16)(v0 * 2u);
  const whole16 v6 = (whole16)(v2 * 2u);
  const whole16 v7 = (whole16)(v5 - v6);
  const whole16 v8 = (whole16)(v1 - v3);
  const whole16 v9 = (whole16)(v7 - v8);
  const whole16 v10 = (whole16)(v1 * 2u);
  const whole16 v11 = (whole16)(v3 - v10);
  const whole16 v12 = (whole16)(v11 - v2);
  const whole16 v13 = (whole16)(v10 + v3);
  const whole16 v14 = (whole16)(v2 * 3u);
  const whole16 v15 = (whole16)(v13 - v14);
  const whole16 v16 = (whole16)(v8 * 65535u);
  const whole16 v17 = (whole16)(v8 * 2u);
  const whole16 v18 = (whole16)(v4 + v17);
  const whole16 v19 = (whole16)(v18 - v2);
  put16(y + 0 * y_step, v9, n);
  put16(y + 1 * y_step, v12, n);
  put16(y + 2 * y_step, v15, n);
  put16(y + 3 * y_step, v16, n);
  put16(y + 4 * y_step, v19, n);
}

/* 7 additions, 5 multiplications. */
NEONSIM_FORCE_INLINE void destination_3(const int32_t *x, size_t x_step, int32_t *y, size_t y_step, size_t n) {
  const whole32 v0 = get32(x + 0 * x_step, n);
  const whole32 v1 = get32(x + 1 * x_step, n);
  const whole32 v2 = get32(x + 2 * x_step, n);
  const whole32 v3 = get32(x + 3 * x_step, n);
  const whole32 v4 = get32(x + 4 * x_step, n);
  const whole32 v5 = (whole32)(v0 * 3u);
  const whole32 v6 = (whole32)(v5 + v3);
  const whole32 v7 = (whole32)(v1 * 3u);
  const whole32 v8 = (whole32)(v7 + v2);
  const whole32 v9 = (whole32)(v6 + v8);
  const whole32 v10 = (whole32)(v3 * 2u);
  const whole32 v11 = (whole32)(v7 + v10);
  const whole32 v12 = (whole32)(v11 - v2);
  const whole32 v13 = (whole32)(v3 * 4u);
  const whole32 v14 = (whole32)(v4 * 6u);
  const whole32 v15 = (whole32)(v13 + v14);
  const whole32 v16 = (whole32)(v15 + v8);
  put32(y + 0 * y_step, v9, n);
  put32(y + 1 * y_step, v12, n);
  put32(y + 2 * y_step, v16, n);
}

/* 12 additions, 7 multiplications. */
NEONSIM_FORCE_INLINE void source_4(const int16_t *x, size_t x_step, int16_t *y, size_t y_step, size_t n) {
  const whole16 v0 = get16(x + 0 * x_step, n);
  const whole16 v1 = get16(x + 1 * x_step, n);
  const whole16 v2 = get16(x + 2 * x_step, n);
  const whole16 v3 = get16(x + 3 * x_step, n);
  const whole16 v4 = get16(x + 4 * x_step, n);
  const whole16 v5 = get16(x + 5 * x_step, n);
  const whole16 v6 = (whole16)(v0 * 4u);
  const whole16 v7 = (whole16)(v6 + v4);
  const whole16 v8 = (whole16)(v2 * 5u);
  const whole16 v9 = (whole16)(v7 - v8);
  const whole16 v10 = (whole16)(v1 * 4u);
  const whole16 v11 = (whole16)(v3 - v10);
  const whole16 v12 = (whole16)(v2 * 4u);
  const whole16 v13 = (whole16)(v4 - v12);
  const whole16 v14 = (whole16)(v11 + v13);
  const whole16 v15 = (whole16)(v13 - v11);
  const whole16 v16 = (whole16)(v1 - v3);
  const whole16 v17 = (whole16)(v16 * 65534u);
  const whole16 v18 = (whole16)(v2 - v4);
  const whole16 v19 = (whole16)(v17 - v18);
  const whole16 v20 = (whole16)(v16 * 2u);
  const whole16 v21 = (whole16)(v20 - v18);
  const whole16 v22 = (whole16)(v10 + v5);
  const whole16 v23 = (whole16)(v3 * 5u);
  const whole16 v24 = (whole16)(v22 - v23);
  put16(y + 0 * y_step, v9, n);
  put16(y + 1 * y_step, v14, n);
  put16(y + 2 * y_step, v15, n);
  put16(y + 3 * y_step, v19, n);
  put16(y + 4 * y_step, v21, n);
  put16(y + 5 * y_step, v24, n);
}

/* 10 additions, 7 multiplications. */
NEONSIM_FORCE_INLINE void destination_4(const int32_t *x, size_t x_step, int32_t *y, size_t y_step, size_t n) {
  const whole32 v0 = get32(x + 0 * x_step, n);
  const whole32 v1 = get32(x + 1 * x_step, n);
  const whole32 v2 = get32(x + 2 * x_step, n);
  const whole32 v3 = get32(x + 3 * x_step, n);
  const whole32 v4 = get32(x + 4 * x_step, n);
  const whole32 v5 = get32(x + 5 * x_step, n);
  const whole32 v6 = (whole32)(v0 * 6u);
  const whole32 v7 = (whole32)(v1 + v2);
  const whole32 v8 = (whole32)(v7 * 4u);
  const whole32 v9 = (whole32)(v6 + v8);
  const whole32 v10 = (whole32)(v3 + v4);
  const whole32 v11 = (whole32)(v9 + v10);
  const whole32 v12 = (whole32)(v1 - v2);
  const whole32 v13 = (whole32)(v12 * 4u);
  const whole32 v14 = (whole32)(v3 - v4);
  const whole32 v15 = (whole32)(v14 * 2u);
  const whole32 v16 = (whole32)(v13 + v15);
  const whole32 v17 = (whole32)(v10 * 4u);
  const whole32 v18 = (whole32)(v8 + v17);
  const whole32 v19 = (whole32)(v5 * 24u);
  const whole32 v20 = (whole32)(v19 + v13);
  const whole32 v21 = (whole32)(v14 * 8u);
  const whole32 v22 = (whole32)(v20 + v21);
  put32(y + 0 * y_step, v11, n);
  put32(y + 1 * y_step, v16, n);
  put32(y + 2 * y_step, v18, n);
  put32(y + 3 * y_step, v22, n);
}

#endif

#define NEONSIM_WHOLE_SIZES 3
#define NEONSIM_WHOLE_INVERSES {1u, 954437177u, 954437177u}
#define NEONSIM_WHOLE_SHIFTS {2, 2, 6}
/* From 3 weights to at most 6 numbers of a tile. */
#define NEONSIM_WHOLE_MOST 6
#define NEONSIM_WHOLE_WEIGHTS {{{-1, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 1}}, {{1, 0, 0}, {-1, -1, -1}, {-1, 1, -1}, {1, 2, 4}, {0, 0, 1}}, {{1, 0, 0}, {-1, -1, -1}, {-1, 1, -1}, {1, 2, 4}, {1, -2, 4}, {0, 0, 1}}}
/* clang-format on */

#endif
