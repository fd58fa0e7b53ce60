/* Transforms of F(n, k) along one axis in whole numbers, k = 3: n = 2, 3, 4, 5, 6; k = 5: n = 2, 3, 4; k = 7: n = 2; modulo 2**16 and 2**32.
 * Written by neonsim.generate.portable: a test makes it again.
 *
 * `n` lanes of rows that lie x_step and y_step numbers apart. */
#ifndef NEONSIM_WINOGRAD_LOOPS_H
#define NEONSIM_WINOGRAD_LOOPS_H

/* clang-format off */

/* 4 additions, 0 multiplications. */
NEONSIM_FORCE_INLINE void source_2x3(const int16_t *x, size_t x_step, int16_t *y, size_t y_step, size_t n) {
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
NEONSIM_FORCE_INLINE void destination_2x3(const int32_t *x, size_t x_step, int32_t *y, size_t y_step, size_t n) {
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
NEONSIM_FORCE_INLINE void source_3x3(const int16_t *x, size_t x_step, int16_t *y, size_t y_step, size_t n) {
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
NEONSIM_FORCE_INLINE void destination_3x3(const int32_t *x, size_t x_step, int32_t *y, size_t y_step, size_t n) {
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
NEONSIM_FORCE_INLINE void source_4x3(const int16_t *x, size_t x_step, int16_t *y, size_t y_step, size_t n) {
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
NEONSIM_FORCE_INLINE void destination_4x3(const int32_t *x, size_t x_step, int32_t *y, size_t y_step, size_t n) {
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

/* 21 additions, 17 multiplications. */
NEONSIM_FORCE_INLINE void source_5x3(const int16_t *x, size_t x_step, int16_t *y, size_t y_step, size_t n) {
  const whole16 v0 = get16(x + 0 * x_step, n);
  const whole16 v1 = get16(x + 1 * x_step, n);
  const whole16 v2 = get16(x + 2 * x_step, n);
  const whole16 v3 = get16(x + 3 * x_step, n);
  const whole16 v4 = get16(x + 4 * x_step, n);
  const whole16 v5 = get16(x + 5 * x_step, n);
  const whole16 v6 = get16(x + 6 * x_step, n);
  const whole16 v7 = (whole16)(v2 * 5u);
  const whole16 v8 = (whole16)(v1 * 4u);
  const whole16 v9 = (whole16)(v8 + v5);
  const whole16 v10 = (whole16)(v3 * 5u);
  const whole16 v11 = (whole16)(v9 - v10);
  const whole16 v12 = (whole16)(v11 * 2u);
  const whole16 v13 = (whole16)(v7 + v12);
  const whole16 v14 = (whole16)(v0 * 4u);
  const whole16 v15 = (whole16)(v13 - v14);
  const whole16 v16 = (whole16)(v15 - v4);
  const whole16 v17 = (whole16)(v5 * 2u);
  const whole16 v18 = (whole16)(v8 + v17);
  const whole16 v19 = (whole16)(v2 * 4u);
  const whole16 v20 = (whole16)(v4 - v19);
  const whole16 v21 = (whole16)(v18 + v20);
  const whole16 v22 = (whole16)(v3 * 9u);
  const whole16 v23 = (whole16)(v21 - v22);
  const whole16 v24 = (whole16)(v17 - v8);
  const whole16 v25 = (whole16)(v3 * 7u);
  const whole16 v26 = (whole16)(v24 - v25);
  const whole16 v27 = (whole16)(v20 * 3u);
  const whole16 v28 = (whole16)(v26 - v27);
  const whole16 v29 = (whole16)(v1 * 2u);
  const whole16 v30 = (whole16)(v29 + v17);
  const whole16 v31 = (whole16)(v3 * 4u);
  const whole16 v32 = (whole16)(v30 - v31);
  const whole16 v33 = (whole16)(v2 - v4);
  const whole16 v34 = (whole16)(v33 * 3u);
  const whole16 v35 = (whole16)(v32 - v34);
  const whole16 v36 = (whole16)(v33 * 5u);
  const whole16 v37 = (whole16)(v17 + v36);
  const whole16 v38 = (whole16)(v37 - v29);
  const whole16 v39 = (whole16)(v2 * 8u);
  const whole16 v40 = (whole16)(v6 * 2u);
  const whole16 v41 = (whole16)(v39 + v40);
  const whole16 v42 = (whole16)(v4 * 10u);
  const whole16 v43 = (whole16)(v41 - v42);
  const whole16 v44 = (whole16)(v43 - v11);
  put16(y + 0 * y_step, v16, n);
  put16(y + 1 * y_step, v23, n);
  put16(y + 2 * y_step, v28, n);
  put16(y + 3 * y_step, v35, n);
  put16(y + 4 * y_step, v38, n);
  put16(y + 5 * y_step, v11, n);
  put16(y + 6 * y_step, v44, n);
}

/* 19 additions, 20 multiplications. */
NEONSIM_FORCE_INLINE void destination_5x3(const int32_t *x, size_t x_step, int32_t *y, size_t y_step, size_t n) {
  const whole32 v0 = get32(x + 0 * x_step, n);
  const whole32 v1 = get32(x + 1 * x_step, n);
  const whole32 v2 = get32(x + 2 * x_step, n);
  const whole32 v3 = get32(x + 3 * x_step, n);
  const whole32 v4 = get32(x + 4 * x_step, n);
  const whole32 v5 = get32(x + 5 * x_step, n);
  const whole32 v6 = get32(x + 6 * x_step, n);
  const whole32 v7 = (whole32)(v0 * 90u);
  const whole32 v8 = (whole32)(v3 * 5u);
  const whole32 v9 = (whole32)(v7 + v8);
  const whole32 v10 = (whole32)(v4 * 3u);
  const whole32 v11 = (whole32)(v9 + v10);
  const whole32 v12 = (whole32)(v5 * 64u);
  const whole32 v13 = (whole32)(v11 + v12);
  const whole32 v14 = (whole32)(v1 * 3u);
  const whole32 v15 = (whole32)(v14 + v2);
  const whole32 v16 = (whole32)(v15 * 20u);
  const whole32 v17 = (whole32)(v13 + v16);
  const whole32 v18 = (whole32)(v3 * 10u);
  const whole32 v19 = (whole32)(v5 * 32u);
  const whole32 v20 = (whole32)(v18 + v19);
  const whole32 v21 = (whole32)(v4 * 6u);
  const whole32 v22 = (whole32)(v20 - v21);
  const whole32 v23 = (whole32)(v2 - v14);
  const whole32 v24 = (whole32)(v23 * 20u);
  const whole32 v25 = (whole32)(v22 - v24);
  const whole32 v26 = (whole32)(v3 * 20u);
  const whole32 v27 = (whole32)(v4 * 12u);
  const whole32 v28 = (whole32)(v26 + v27);
  const whole32 v29 = (whole32)(v5 * 16u);
  const whole32 v30 = (whole32)(v28 + v29);
  const whole32 v31 = (whole32)(v30 + v16);
  const whole32 v32 = (whole32)(v3 * 40u);
  const whole32 v33 = (whole32)(v5 * 8u);
  const whole32 v34 = (whole32)(v32 + v33);
  const whole32 v35 = (whole32)(v4 * 24u);
  const whole32 v36 = (whole32)(v34 - v35);
  const whole32 v37 = (whole32)(v36 - v24);
  const whole32 v38 = (whole32)(v3 * 80u);
  const whole32 v39 = (whole32)(v4 * 48u);
  const whole32 v40 = (whole32)(v38 + v39);
  const whole32 v41 = (whole32)(v5 * 4u);
  const whole32 v42 = (whole32)(v40 + v41);
  const whole32 v43 = (whole32)(v6 * 180u);
  const whole32 v44 = (whole32)(v42 + v43);
  const whole32 v45 = (whole32)(v44 + v16);
  put32(y + 0 * y_step, v17, n);
  put32(y + 1 * y_step, v25, n);
  put32(y + 2 * y_step, v31, n);
  put32(y + 3 * y_step, v37, n);
  put32(y + 4 * y_step, v45, n);
}

/* 26 additions, 18 multiplications. */
NEONSIM_FORCE_INLINE void source_6x3(const int16_t *x, size_t x_step, int16_t *y, size_t y_step, size_t n) {
  const whole16 v0 = get16(x + 0 * x_step, n);
  const whole16 v1 = get16(x + 1 * x_step, n);
  const whole16 v2 = get16(x + 2 * x_step, n);
  const whole16 v3 = get16(x + 3 * x_step, n);
  const whole16 v4 = get16(x + 4 * x_step, n);
  const whole16 v5 = get16(x + 5 * x_step, n);
  const whole16 v6 = get16(x + 6 * x_step, n);
  const whole16 v7 = get16(x + 7 * x_step, n);
  const whole16 v8 = (whole16)(v2 * 21u);
  const whole16 v9 = (whole16)(v6 * 4u);
  const whole16 v10 = (whole16)(v8 + v9);
  const whole16 v11 = (whole16)(v0 * 4u);
  const whole16 v12 = (whole16)(v10 - v11);
  const whole16 v13 = (whole16)(v4 * 21u);
  const whole16 v14 = (whole16)(v12 - v13);
  const whole16 v15 = (whole16)(v1 + v5);
  const whole16 v16 = (whole16)(v15 * 4u);
  const whole16 v17 = (whole16)(v2 + v6);
  const whole16 v18 = (whole16)(v17 * 4u);
  const whole16 v19 = (whole16)(v16 + v18);
  const whole16 v20 = (whole16)(v3 * 17u);
  const whole16 v21 = (whole16)(v19 - v20);
  const whole16 v22 = (whole16)(v4 * 17u);
  const whole16 v23 = (whole16)(v21 - v22);
  const whole16 v24 = (whole16)(v20 + v18);
  const whole16 v25 = (whole16)(v24 - v22);
  const whole16 v26 = (whole16)(v25 - v16);
  const whole16 v27 = (whole16)(v5 * 4u);
  const whole16 v28 = (whole16)(v3 * 5u);
  const whole16 v29 = (whole16)(v1 - v28);
  const whole16 v30 = (whole16)(v27 + v29);
  const whole16 v31 = (whole16)(v30 * 2u);
  const whole16 v32 = (whole16)(v4 * 5u);
  const whole16 v33 = (whole16)(v2 - v32);
  const whole16 v34 = (whole16)(v9 + v33);
  const whole16 v35 = (whole16)(v31 + v34);
  const whole16 v36 = (whole16)(v34 - v31);
  const whole16 v37 = (whole16)(v1 * 4u);
  const whole16 v38 = (whole16)(v37 + v5);
  const whole16 v39 = (whole16)(v38 - v28);
  const whole16 v40 = (whole16)(v2 * 4u);
  const whole16 v41 = (whole16)(v40 + v6);
  const whole16 v42 = (whole16)(v41 - v32);
  const whole16 v43 = (whole16)(v42 * 2u);
  const whole16 v44 = (whole16)(v39 + v43);
  const whole16 v45 = (whole16)(v43 - v39);
  const whole16 v46 = (whole16)(v3 * 21u);
  const whole16 v47 = (whole16)(v7 * 4u);
  const whole16 v48 = (whole16)(v46 + v47);
  const whole16 v49 = (whole16)(v48 - v37);
  const whole16 v50 = (whole16)(v5 * 21u);
  const whole16 v51 = (whole16)(v49 - v50);
  put16(y + 0 * y_step, v14, n);
  put16(y + 1 * y_step, v23, n);
  put16(y + 2 * y_step, v26, n);
  put16(y + 3 * y_step, v35, n);
  put16(y + 4 * y_step, v36, n);
  put16(y + 5 * y_step, v44, n);
  put16(y + 6 * y_step, v45, n);
  put16(y + 7 * y_step, v51, n);
}

/* 20 additions, 14 multiplications. */
NEONSIM_FORCE_INLINE void destination_6x3(const int32_t *x, size_t x_step, int32_t *y, size_t y_step, size_t n) {
  const whole32 v0 = get32(x + 0 * x_step, n);
  const whole32 v1 = get32(x + 1 * x_step, n);
  const whole32 v2 = get32(x + 2 * x_step, n);
  const whole32 v3 = get32(x + 3 * x_step, n);
  const whole32 v4 = get32(x + 4 * x_step, n);
  const whole32 v5 = get32(x + 5 * x_step, n);
  const whole32 v6 = get32(x + 6 * x_step, n);
  const whole32 v7 = get32(x + 7 * x_step, n);
  const whole32 v8 = (whole32)(v0 * 90u);
  const whole32 v9 = (whole32)(v1 + v2);
  const whole32 v10 = (whole32)(v9 * 20u);
  const whole32 v11 = (whole32)(v8 + v10);
  const whole32 v12 = (whole32)(v3 + v4);
  const whole32 v13 = (whole32)(v11 + v12);
  const whole32 v14 = (whole32)(v5 + v6);
  const whole32 v15 = (whole32)(v14 * 32u);
  const whole32 v16 = (whole32)(v13 + v15);
  const whole32 v17 = (whole32)(v1 - v2);
  const whole32 v18 = (whole32)(v17 * 20u);
  const whole32 v19 = (whole32)(v3 - v4);
  const whole32 v20 = (whole32)(v19 * 2u);
  const whole32 v21 = (whole32)(v18 + v20);
  const whole32 v22 = (whole32)(v5 - v6);
  const whole32 v23 = (whole32)(v22 * 16u);
  const whole32 v24 = (whole32)(v21 + v23);
  const whole32 v25 = (whole32)(v12 * 4u);
  const whole32 v26 = (whole32)(v10 + v25);
  const whole32 v27 = (whole32)(v14 * 8u);
  const whole32 v28 = (whole32)(v26 + v27);
  const whole32 v29 = (whole32)(v19 * 8u);
  const whole32 v30 = (whole32)(v18 + v29);
  const whole32 v31 = (whole32)(v22 * 4u);
  const whole32 v32 = (whole32)(v30 + v31);
  const whole32 v33 = (whole32)(v12 * 16u);
  const whole32 v34 = (whole32)(v10 + v33);
  const whole32 v35 = (whole32)(v14 * 2u);
  const whole32 v36 = (whole32)(v34 + v35);
  const whole32 v37 = (whole32)(v7 * 90u);
  const whole32 v38 = (whole32)(v37 + v18);
  const whole32 v39 = (whole32)(v19 * 32u);
  const whole32 v40 = (whole32)(v38 + v39);
  const whole32 v41 = (whole32)(v40 + v22);
  put32(y + 0 * y_step, v16, n);
  put32(y + 1 * y_step, v24, n);
  put32(y + 2 * y_step, v28, n);
  put32(y + 3 * y_step, v32, n);
  put32(y + 4 * y_step, v36, n);
  put32(y + 5 * y_step, v41, n);
}

/* 12 additions, 7 multiplications. */
NEONSIM_FORCE_INLINE void source_2x5(const int16_t *x, size_t x_step, int16_t *y, size_t y_step, size_t n) {
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

/* 8 additions, 6 multiplications. */
NEONSIM_FORCE_INLINE void destination_2x5(const int32_t *x, size_t x_step, int32_t *y, size_t y_step, size_t n) {
  const whole32 v0 = get32(x + 0 * x_step, n);
  const whole32 v1 = get32(x + 1 * x_step, n);
  const whole32 v2 = get32(x + 2 * x_step, n);
  const whole32 v3 = get32(x + 3 * x_step, n);
  const whole32 v4 = get32(x + 4 * x_step, n);
  const whole32 v5 = get32(x + 5 * x_step, n);
  const whole32 v6 = (whole32)(v0 * 6u);
  const whole32 v7 = (whole32)(v1 * 4u);
  const whole32 v8 = (whole32)(v6 + v7);
  const whole32 v9 = (whole32)(v2 * 4u);
  const whole32 v10 = (whole32)(v8 + v9);
  const whole32 v11 = (whole32)(v10 + v3);
  const whole32 v12 = (whole32)(v11 + v4);
  const whole32 v13 = (whole32)(v3 * 2u);
  const whole32 v14 = (whole32)(v7 + v13);
  const whole32 v15 = (whole32)(v5 * 24u);
  const whole32 v16 = (whole32)(v14 + v15);
  const whole32 v17 = (whole32)(v16 - v9);
  const whole32 v18 = (whole32)(v4 * 2u);
  const whole32 v19 = (whole32)(v17 - v18);
  put32(y + 0 * y_step, v12, n);
  put32(y + 1 * y_step, v19, n);
}

/* 21 additions, 17 multiplications. */
NEONSIM_FORCE_INLINE void source_3x5(const int16_t *x, size_t x_step, int16_t *y, size_t y_step, size_t n) {
  const whole16 v0 = get16(x + 0 * x_step, n);
  const whole16 v1 = get16(x + 1 * x_step, n);
  const whole16 v2 = get16(x + 2 * x_step, n);
  const whole16 v3 = get16(x + 3 * x_step, n);
  const whole16 v4 = get16(x + 4 * x_step, n);
  const whole16 v5 = get16(x + 5 * x_step, n);
  const whole16 v6 = get16(x + 6 * x_step, n);
  const whole16 v7 = (whole16)(v2 * 5u);
  const whole16 v8 = (whole16)(v1 * 4u);
  const whole16 v9 = (whole16)(v8 + v5);
  const whole16 v10 = (whole16)(v3 * 5u);
  const whole16 v11 = (whole16)(v9 - v10);
  const whole16 v12 = (whole16)(v11 * 2u);
  const whole16 v13 = (whole16)(v7 + v12);
  const whole16 v14 = (whole16)(v0 * 4u);
  const whole16 v15 = (whole16)(v13 - v14);
  const whole16 v16 = (whole16)(v15 - v4);
  const whole16 v17 = (whole16)(v5 * 2u);
  const whole16 v18 = (whole16)(v8 + v17);
  const whole16 v19 = (whole16)(v2 * 4u);
  const whole16 v20 = (whole16)(v4 - v19);
  const whole16 v21 = (whole16)(v18 + v20);
  const whole16 v22 = (whole16)(v3 * 9u);
  const whole16 v23 = (whole16)(v21 - v22);
  const whole16 v24 = (whole16)(v17 - v8);
  const whole16 v25 = (whole16)(v3 * 7u);
  const whole16 v26 = (whole16)(v24 - v25);
  const whole16 v27 = (whole16)(v20 * 3u);
  const whole16 v28 = (whole16)(v26 - v27);
  const whole16 v29 = (whole16)(v1 * 2u);
  const whole16 v30 = (whole16)(v29 + v17);
  const whole16 v31 = (whole16)(v3 * 4u);
  const whole16 v32 = (whole16)(v30 - v31);
  const whole16 v33 = (whole16)(v2 - v4);
  const whole16 v34 = (whole16)(v33 * 3u);
  const whole16 v35 = (whole16)(v32 - v34);
  const whole16 v36 = (whole16)(v33 * 5u);
  const whole16 v37 = (whole16)(v17 + v36);
  const whole16 v38 = (whole16)(v37 - v29);
  const whole16 v39 = (whole16)(v2 * 8u);
  const whole16 v40 = (whole16)(v6 * 2u);
  const whole16 v41 = (whole16)(v39 + v40);
  const whole16 v42 = (whole16)(v4 * 10u);
  const whole16 v43 = (whole16)(v41 - v42);
  const whole16 v44 = (whole16)(v43 - v11);
  put16(y + 0 * y_step, v16, n);
  put16(y + 1 * y_step, v23, n);
  put16(y + 2 * y_step, v28, n);
  put16(y + 3 * y_step, v35, n);
  put16(y + 4 * y_step, v38, n);
  put16(y + 5 * y_step, v11, n);
  put16(y + 6 * y_step, v44, n);
}

/* 13 additions, 15 multiplications. */
NEONSIM_FORCE_INLINE void destination_3x5(const int32_t *x, size_t x_step, int32_t *y, size_t y_step, size_t n) {
  const whole32 v0 = get32(x + 0 * x_step, n);
  const whole32 v1 = get32(x + 1 * x_step, n);
  const whole32 v2 = get32(x + 2 * x_step, n);
  const whole32 v3 = get32(x + 3 * x_step, n);
  const whole32 v4 = get32(x + 4 * x_step, n);
  const whole32 v5 = get32(x + 5 * x_step, n);
  const whole32 v6 = get32(x + 6 * x_step, n);
  const whole32 v7 = (whole32)(v0 * 90u);
  const whole32 v8 = (whole32)(v3 * 5u);
  const whole32 v9 = (whole32)(v7 + v8);
  const whole32 v10 = (whole32)(v4 * 3u);
  const whole32 v11 = (whole32)(v9 + v10);
  const whole32 v12 = (whole32)(v5 * 16u);
  const whole32 v13 = (whole32)(v11 + v12);
  const whole32 v14 = (whole32)(v1 * 3u);
  const whole32 v15 = (whole32)(v14 + v2);
  const whole32 v16 = (whole32)(v15 * 20u);
  const whole32 v17 = (whole32)(v13 + v16);
  const whole32 v18 = (whole32)(v1 * 60u);
  const whole32 v19 = (whole32)(v3 * 10u);
  const whole32 v20 = (whole32)(v18 + v19);
  const whole32 v21 = (whole32)(v5 * 8u);
  const whole32 v22 = (whole32)(v20 + v21);
  const whole32 v23 = (whole32)(v2 * 20u);
  const whole32 v24 = (whole32)(v22 - v23);
  const whole32 v25 = (whole32)(v4 * 6u);
  const whole32 v26 = (whole32)(v24 - v25);
  const whole32 v27 = (whole32)(v3 * 20u);
  const whole32 v28 = (whole32)(v4 * 12u);
  const whole32 v29 = (whole32)(v27 + v28);
  const whole32 v30 = (whole32)(v5 * 4u);
  const whole32 v31 = (whole32)(v29 + v30);
  const whole32 v32 = (whole32)(v6 * 180u);
  const whole32 v33 = (whole32)(v31 + v32);
  const whole32 v34 = (whole32)(v33 + v16);
  put32(y + 0 * y_step, v17, n);
  put32(y + 1 * y_step, v26, n);
  put32(y + 2 * y_step, v34, n);
}

/* 26 additions, 18 multiplications. */
NEONSIM_FORCE_INLINE void source_4x5(const int16_t *x, size_t x_step, int16_t *y, size_t y_step, size_t n) {
  const whole16 v0 = get16(x + 0 * x_step, n);
  const whole16 v1 = get16(x + 1 * x_step, n);
  const whole16 v2 = get16(x + 2 * x_step, n);
  const whole16 v3 = get16(x + 3 * x_step, n);
  const whole16 v4 = get16(x + 4 * x_step, n);
  const whole16 v5 = get16(x + 5 * x_step, n);
  const whole16 v6 = get16(x + 6 * x_step, n);
  const whole16 v7 = get16(x + 7 * x_step, n);
  const whole16 v8 = (whole16)(v2 * 21u);
  const whole16 v9 = (whole16)(v6 * 4u);
  const whole16 v10 = (whole16)(v8 + v9);
  const whole16 v11 = (whole16)(v0 * 4u);
  const whole16 v12 = (whole16)(v10 - v11);
  const whole16 v13 = (whole16)(v4 * 21u);
  const whole16 v14 = (whole16)(v12 - v13);
  const whole16 v15 = (whole16)(v1 + v5);
  const whole16 v16 = (whole16)(v15 * 4u);
  const whole16 v17 = (whole16)(v2 + v6);
  const whole16 v18 = (whole16)(v17 * 4u);
  const whole16 v19 = (whole16)(v16 + v18);
  const whole16 v20 = (whole16)(v3 * 17u);
  const whole16 v21 = (whole16)(v19 - v20);
  const whole16 v22 = (whole16)(v4 * 17u);
  const whole16 v23 = (whole16)(v21 - v22);
  const whole16 v24 = (whole16)(v20 + v18);
  const whole16 v25 = (whole16)(v24 - v22);
  const whole16 v26 = (whole16)(v25 - v16);
  const whole16 v27 = (whole16)(v5 * 4u);
  const whole16 v28 = (whole16)(v3 * 5u);
  const whole16 v29 = (whole16)(v1 - v28);
  const whole16 v30 = (whole16)(v27 + v29);
  const whole16 v31 = (whole16)(v30 * 2u);
  const whole16 v32 = (whole16)(v4 * 5u);
  const whole16 v33 = (whole16)(v2 - v32);
  const whole16 v34 = (whole16)(v9 + v33);
  const whole16 v35 = (whole16)(v31 + v34);
  const whole16 v36 = (whole16)(v34 - v31);
  const whole16 v37 = (whole16)(v1 * 4u);
  const whole16 v38 = (whole16)(v37 + v5);
  const whole16 v39 = (whole16)(v38 - v28);
  const whole16 v40 = (whole16)(v2 * 4u);
  const whole16 v41 = (whole16)(v40 + v6);
  const whole16 v42 = (whole16)(v41 - v32);
  const whole16 v43 = (whole16)(v42 * 2u);
  const whole16 v44 = (whole16)(v39 + v43);
  const whole16 v45 = (whole16)(v43 - v39);
  const whole16 v46 = (whole16)(v3 * 21u);
  const whole16 v47 = (whole16)(v7 * 4u);
  const whole16 v48 = (whole16)(v46 + v47);
  const whole16 v49 = (whole16)(v48 - v37);
  const whole16 v50 = (whole16)(v5 * 21u);
  const whole16 v51 = (whole16)(v49 - v50);
  put16(y + 0 * y_step, v14, n);
  put16(y + 1 * y_step, v23, n);
  put16(y + 2 * y_step, v26, n);
  put16(y + 3 * y_step, v35, n);
  put16(y + 4 * y_step, v36, n);
  put16(y + 5 * y_step, v44, n);
  put16(y + 6 * y_step, v45, n);
  put16(y + 7 * y_step, v51, n);
}

/* 16 additions, 10 multiplications. */
NEONSIM_FORCE_INLINE void destination_4x5(const int32_t *x, size_t x_step, int32_t *y, size_t y_step, size_t n) {
  const whole32 v0 = get32(x + 0 * x_step, n);
  const whole32 v1 = get32(x + 1 * x_step, n);
  const whole32 v2 = get32(x + 2 * x_step, n);
  const whole32 v3 = get32(x + 3 * x_step, n);
  const whole32 v4 = get32(x + 4 * x_step, n);
  const whole32 v5 = get32(x + 5 * x_step, n);
  const whole32 v6 = get32(x + 6 * x_step, n);
  const whole32 v7 = get32(x + 7 * x_step, n);
  const whole32 v8 = (whole32)(v0 * 90u);
  const whole32 v9 = (whole32)(v1 + v2);
  const whole32 v10 = (whole32)(v9 * 20u);
  const whole32 v11 = (whole32)(v8 + v10);
  const whole32 v12 = (whole32)(v3 + v4);
  const whole32 v13 = (whole32)(v11 + v12);
  const whole32 v14 = (whole32)(v5 + v6);
  const whole32 v15 = (whole32)(v14 * 8u);
  const whole32 v16 = (whole32)(v13 + v15);
  const whole32 v17 = (whole32)(v1 - v2);
  const whole32 v18 = (whole32)(v17 * 20u);
  const whole32 v19 = (whole32)(v3 - v4);
  const whole32 v20 = (whole32)(v19 * 2u);
  const whole32 v21 = (whole32)(v18 + v20);
  const whole32 v22 = (whole32)(v5 - v6);
  const whole32 v23 = (whole32)(v22 * 4u);
  const whole32 v24 = (whole32)(v21 + v23);
  const whole32 v25 = (whole32)(v12 * 4u);
  const whole32 v26 = (whole32)(v10 + v25);
  const whole32 v27 = (whole32)(v14 * 2u);
  const whole32 v28 = (whole32)(v26 + v27);
  const whole32 v29 = (whole32)(v7 * 90u);
  const whole32 v30 = (whole32)(v29 + v18);
  const whole32 v31 = (whole32)(v19 * 8u);
  const whole32 v32 = (whole32)(v30 + v31);
  const whole32 v33 = (whole32)(v32 + v22);
  put32(y + 0 * y_step, v16, n);
  put32(y + 1 * y_step, v24, n);
  put32(y + 2 * y_step, v28, n);
  put32(y + 3 * y_step, v33, n);
}

/* 26 additions, 18 multiplications. */
NEONSIM_FORCE_INLINE void source_2x7(const int16_t *x, size_t x_step, int16_t *y, size_t y_step, size_t n) {
  const whole16 v0 = get16(x + 0 * x_step, n);
  const whole16 v1 = get16(x + 1 * x_step, n);
  const whole16 v2 = get16(x + 2 * x_step, n);
  const whole16 v3 = get16(x + 3 * x_step, n);
  const whole16 v4 = get16(x + 4 * x_step, n);
  const whole16 v5 = get16(x + 5 * x_step, n);
  const whole16 v6 = get16(x + 6 * x_step, n);
  const whole16 v7 = get16(x + 7 * x_step, n);
  const whole16 v8 = (whole16)(v2 * 21u);
  const whole16 v9 = (whole16)(v6 * 4u);
  const whole16 v10 = (whole16)(v8 + v9);
  const whole16 v11 = (whole16)(v0 * 4u);
  const whole16 v12 = (whole16)(v10 - v11);
  const whole16 v13 = (whole16)(v4 * 21u);
  const whole16 v14 = (whole16)(v12 - v13);
  const whole16 v15 = (whole16)(v1 + v5);
  const whole16 v16 = (whole16)(v15 * 4u);
  const whole16 v17 = (whole16)(v2 + v6);
  const whole16 v18 = (whole16)(v17 * 4u);
  const whole16 v19 = (whole16)(v16 + v18);
  const whole16 v20 = (whole16)(v3 * 17u);
  const whole16 v21 = (whole16)(v19 - v20);
  const whole16 v22 = (whole16)(v4 * 17u);
  const whole16 v23 = (whole16)(v21 - v22);
  const whole16 v24 = (whole16)(v20 + v18);
  const whole16 v25 = (whole16)(v24 - v22);
  const whole16 v26 = (whole16)(v25 - v16);
  const whole16 v27 = (whole16)(v5 * 4u);
  const whole16 v28 = (whole16)(v3 * 5u);
  const whole16 v29 = (whole16)(v1 - v28);
  const whole16 v30 = (whole16)(v27 + v29);
  const whole16 v31 = (whole16)(v30 * 2u);
  const whole16 v32 = (whole16)(v4 * 5u);
  const whole16 v33 = (whole16)(v2 - v32);
  const whole16 v34 = (whole16)(v9 + v33);
  const whole16 v35 = (whole16)(v31 + v34);
  const whole16 v36 = (whole16)(v34 - v31);
  const whole16 v37 = (whole16)(v1 * 4u);
  const whole16 v38 = (whole16)(v37 + v5);
  const whole16 v39 = (whole16)(v38 - v28);
  const whole16 v40 = (whole16)(v2 * 4u);
  const whole16 v41 = (whole16)(v40 + v6);
  const whole16 v42 = (whole16)(v41 - v32);
  const whole16 v43 = (whole16)(v42 * 2u);
  const whole16 v44 = (whole16)(v39 + v43);
  const whole16 v45 = (whole16)(v43 - v39);
  const whole16 v46 = (whole16)(v3 * 21u);
  const whole16 v47 = (whole16)(v7 * 4u);
  const whole16 v48 = (whole16)(v46 + v47);
  const whole16 v49 = (whole16)(v48 - v37);
  const whole16 v50 = (whole16)(v5 * 21u);
  const whole16 v51 = (whole16)(v49 - v50);
  put16(y + 0 * y_step, v14, n);
  put16(y + 1 * y_step, v23, n);
  put16(y + 2 * y_step, v26, n);
  put16(y + 3 * y_step, v35, n);
  put16(y + 4 * y_step, v36, n);
  put16(y + 5 * y_step, v44, n);
  put16(y + 6 * y_step, v45, n);
  put16(y + 7 * y_step, v51, n);
}

/* 12 additions, 8 multiplications. */
NEONSIM_FORCE_INLINE void destination_2x7(const int32_t *x, size_t x_step, int32_t *y, size_t y_step, size_t n) {
  const whole32 v0 = get32(x + 0 * x_step, n);
  const whole32 v1 = get32(x + 1 * x_step, n);
  const whole32 v2 = get32(x + 2 * x_step, n);
  const whole32 v3 = get32(x + 3 * x_step, n);
  const whole32 v4 = get32(x + 4 * x_step, n);
  const whole32 v5 = get32(x + 5 * x_step, n);
  const whole32 v6 = get32(x + 6 * x_step, n);
  const whole32 v7 = get32(x + 7 * x_step, n);
  const whole32 v8 = (whole32)(v0 * 90u);
  const whole32 v9 = (whole32)(v1 * 20u);
  const whole32 v10 = (whole32)(v8 + v9);
  const whole32 v11 = (whole32)(v2 * 20u);
  const whole32 v12 = (whole32)(v10 + v11);
  const whole32 v13 = (whole32)(v12 + v3);
  const whole32 v14 = (whole32)(v13 + v4);
  const whole32 v15 = (whole32)(v5 * 2u);
  const whole32 v16 = (whole32)(v14 + v15);
  const whole32 v17 = (whole32)(v6 * 2u);
  const whole32 v18 = (whole32)(v16 + v17);
  const whole32 v19 = (whole32)(v3 * 2u);
  const whole32 v20 = (whole32)(v9 + v19);
  const whole32 v21 = (whole32)(v20 + v5);
  const whole32 v22 = (whole32)(v7 * 90u);
  const whole32 v23 = (whole32)(v21 + v22);
  const whole32 v24 = (whole32)(v23 - v11);
  const whole32 v25 = (whole32)(v4 * 2u);
  const whole32 v26 = (whole32)(v24 - v25);
  const whole32 v27 = (whole32)(v26 - v6);
  put32(y + 0 * y_step, v18, n);
  put32(y + 1 * y_step, v27, n);
}

/* clang-format on */

#endif
