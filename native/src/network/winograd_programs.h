/* Transforms of F(n, k) along one axis, k = 3: n = 2, 3, 4, 5, 6, 7, 8; k = 5: n = 2, 3, 4; k = 7: n = 2, 3, 4.
 * Written by neonsim.generate.portable: a test makes it again.
 *
 * `n` lanes of rows that lie x_step and y_step numbers apart; destination: only so many rows, cut off at limits. */
#ifndef NEONSIM_WINOGRAD_PROGRAMS_H
#define NEONSIM_WINOGRAD_PROGRAMS_H

/* clang-format off */

/* 4 additions, 0 multiplications. */
NEONSIM_FORCE_INLINE void source_2x3(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = minus(v2, v0);
  const reals v5 = plus(v1, v2);
  const reals v6 = minus(v2, v1);
  const reals v7 = minus(v3, v1);
  put(y + 0 * y_step, v4, n);
  put(y + 1 * y_step, v5, n);
  put(y + 2 * y_step, v6, n);
  put(y + 3 * y_step, v7, n);
}

/* 4 additions, 0 multiplications. */
NEONSIM_FORCE_INLINE void destination_2x3(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = plus(v0, v1);
  const reals v5 = plus(v4, v2);
  const reals v6 = plus(v1, v3);
  const reals v7 = minus(v6, v2);
  put(y, cut(v5, limits), n);
  if (rows > 1) { put(y + 1 * y_step, cut(v7, limits), n); }
}

/* 9 additions, 6 multiplications. */
NEONSIM_FORCE_INLINE void source_3x3(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = times(v0, all(2.0f));
  const reals v6 = times(v2, all(2.0f));
  const reals v7 = minus(v5, v6);
  const reals v8 = minus(v1, v3);
  const reals v9 = minus(v7, v8);
  const reals v10 = times(v1, all(2.0f));
  const reals v11 = minus(v3, v10);
  const reals v12 = minus(v11, v2);
  const reals v13 = plus(v10, v3);
  const reals v14 = times(v2, all(3.0f));
  const reals v15 = minus(v13, v14);
  const reals v16 = times(v8, all(-1.0f));
  const reals v17 = times(v8, all(2.0f));
  const reals v18 = plus(v4, v17);
  const reals v19 = minus(v18, v2);
  put(y + 0 * y_step, v9, n);
  put(y + 1 * y_step, v12, n);
  put(y + 2 * y_step, v15, n);
  put(y + 3 * y_step, v16, n);
  put(y + 4 * y_step, v19, n);
}

/* 7 additions, 2 multiplications. */
NEONSIM_FORCE_INLINE void destination_3x3(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = plus(v0, v3);
  const reals v6 = plus(v1, v2);
  const reals v7 = plus(v5, v6);
  const reals v8 = times(v3, all(2.0f));
  const reals v9 = plus(v1, v8);
  const reals v10 = minus(v9, v2);
  const reals v11 = times(v3, all(4.0f));
  const reals v12 = plus(v11, v4);
  const reals v13 = plus(v12, v6);
  put(y, cut(v7, limits), n);
  if (rows > 1) { put(y + 1 * y_step, cut(v10, limits), n); }
  if (rows > 2) { put(y + 2 * y_step, cut(v13, limits), n); }
}

/* 12 additions, 11 multiplications. */
NEONSIM_FORCE_INLINE void source_4x3(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = times(v0, all(0.25f));
  const reals v7 = plus(v6, v4);
  const reals v8 = times(v2, all(1.25f));
  const reals v9 = minus(v7, v8);
  const reals v10 = minus(v1, v3);
  const reals v11 = times(v10, all(-0.5f));
  const reals v12 = minus(v2, v4);
  const reals v13 = minus(v11, v12);
  const reals v14 = times(v10, all(0.5f));
  const reals v15 = minus(v14, v12);
  const reals v16 = times(v3, all(4.0f));
  const reals v17 = minus(v1, v16);
  const reals v18 = times(v17, all(-0.25f));
  const reals v19 = times(v4, all(4.0f));
  const reals v20 = minus(v2, v19);
  const reals v21 = times(v20, all(0.25f));
  const reals v22 = minus(v18, v21);
  const reals v23 = times(v17, all(0.25f));
  const reals v24 = minus(v23, v21);
  const reals v25 = times(v1, all(0.25f));
  const reals v26 = plus(v25, v5);
  const reals v27 = times(v3, all(1.25f));
  const reals v28 = minus(v26, v27);
  put(y + 0 * y_step, v9, n);
  put(y + 1 * y_step, v13, n);
  put(y + 2 * y_step, v15, n);
  put(y + 3 * y_step, v22, n);
  put(y + 4 * y_step, v24, n);
  put(y + 5 * y_step, v28, n);
}

/* 10 additions, 3 multiplications. */
NEONSIM_FORCE_INLINE void destination_4x3(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = plus(v1, v2);
  const reals v7 = plus(v0, v6);
  const reals v8 = plus(v3, v4);
  const reals v9 = plus(v7, v8);
  const reals v10 = minus(v1, v2);
  const reals v11 = times(v10, all(0.5f));
  const reals v12 = minus(v3, v4);
  const reals v13 = plus(v11, v12);
  const reals v14 = times(v6, all(0.25f));
  const reals v15 = plus(v14, v8);
  const reals v16 = times(v10, all(0.125f));
  const reals v17 = plus(v5, v16);
  const reals v18 = plus(v17, v12);
  put(y, cut(v9, limits), n);
  if (rows > 1) { put(y + 1 * y_step, cut(v13, limits), n); }
  if (rows > 2) { put(y + 2 * y_step, cut(v15, limits), n); }
  if (rows > 3) { put(y + 3 * y_step, cut(v18, limits), n); }
}

/* 22 additions, 22 multiplications. */
NEONSIM_FORCE_INLINE void source_5x3(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = times(v2, all(1.875f));
  const reals v8 = times(v5, all(4.0f));
  const reals v9 = times(v3, all(5.0f));
  const reals v10 = minus(v1, v9);
  const reals v11 = plus(v8, v10);
  const reals v12 = times(v11, all(0.25f));
  const reals v13 = plus(v7, v12);
  const reals v14 = times(v0, all(0.375f));
  const reals v15 = minus(v13, v14);
  const reals v16 = times(v4, all(1.5f));
  const reals v17 = minus(v15, v16);
  const reals v18 = times(v4, all(1.3333334f));
  const reals v19 = minus(v1, v18);
  const reals v20 = times(v19, all(0.75f));
  const reals v21 = plus(v2, v20);
  const reals v22 = times(v3, all(1.75f));
  const reals v23 = minus(v5, v22);
  const reals v24 = plus(v21, v23);
  const reals v25 = times(v2, all(2.0f));
  const reals v26 = plus(v25, v5);
  const reals v27 = times(v1, all(0.75f));
  const reals v28 = minus(v26, v27);
  const reals v29 = times(v3, all(0.25f));
  const reals v30 = minus(v28, v29);
  const reals v31 = times(v4, all(2.0f));
  const reals v32 = minus(v30, v31);
  const reals v33 = times(v2, all(0.125f));
  const reals v34 = times(v19, all(0.375f));
  const reals v35 = plus(v33, v34);
  const reals v36 = plus(v35, v23);
  const reals v37 = times(v2, all(0.625f));
  const reals v38 = times(v3, all(1.25f));
  const reals v39 = plus(v37, v38);
  const reals v40 = plus(v39, v5);
  const reals v41 = times(v1, all(0.375f));
  const reals v42 = minus(v40, v41);
  const reals v43 = times(v4, all(2.5f));
  const reals v44 = minus(v42, v43);
  const reals v45 = times(v2, all(0.25f));
  const reals v46 = plus(v45, v6);
  const reals v47 = times(v4, all(1.25f));
  const reals v48 = minus(v46, v47);
  const reals v49 = times(v11, all(0.375f));
  const reals v50 = minus(v48, v49);
  put(y + 0 * y_step, v17, n);
  put(y + 1 * y_step, v24, n);
  put(y + 2 * y_step, v32, n);
  put(y + 3 * y_step, v36, n);
  put(y + 4 * y_step, v44, n);
  put(y + 5 * y_step, v12, n);
  put(y + 6 * y_step, v50, n);
}

/* 16 additions, 8 multiplications. */
NEONSIM_FORCE_INLINE void destination_5x3(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = plus(v0, v5);
  const reals v8 = plus(v1, v2);
  const reals v9 = plus(v7, v8);
  const reals v10 = plus(v3, v4);
  const reals v11 = plus(v9, v10);
  const reals v12 = times(v5, all(1.5f));
  const reals v13 = minus(v1, v2);
  const reals v14 = times(v13, all(0.5f));
  const reals v15 = plus(v12, v14);
  const reals v16 = minus(v3, v4);
  const reals v17 = plus(v15, v16);
  const reals v18 = times(v5, all(2.25f));
  const reals v19 = times(v8, all(0.25f));
  const reals v20 = plus(v18, v19);
  const reals v21 = plus(v20, v10);
  const reals v22 = times(v5, all(3.375f));
  const reals v23 = times(v13, all(0.125f));
  const reals v24 = plus(v22, v23);
  const reals v25 = plus(v24, v16);
  const reals v26 = times(v5, all(5.0625f));
  const reals v27 = plus(v26, v6);
  const reals v28 = times(v8, all(0.0625f));
  const reals v29 = plus(v27, v28);
  const reals v30 = plus(v29, v10);
  put(y, cut(v11, limits), n);
  if (rows > 1) { put(y + 1 * y_step, cut(v17, limits), n); }
  if (rows > 2) { put(y + 2 * y_step, cut(v21, limits), n); }
  if (rows > 3) { put(y + 3 * y_step, cut(v25, limits), n); }
  if (rows > 4) { put(y + 4 * y_step, cut(v30, limits), n); }
}

/* 24 additions, 23 multiplications. */
NEONSIM_FORCE_INLINE void source_6x3(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = get(x + 7 * x_step, n);
  const reals v8 = times(v2, all(3.0625f));
  const reals v9 = plus(v8, v6);
  const reals v10 = times(v0, all(0.5625f));
  const reals v11 = minus(v9, v10);
  const reals v12 = times(v4, all(3.5f));
  const reals v13 = minus(v11, v12);
  const reals v14 = times(v3, all(1.4444444f));
  const reals v15 = minus(v1, v14);
  const reals v16 = times(v15, all(2.25f));
  const reals v17 = plus(v5, v16);
  const reals v18 = times(v17, all(0.5f));
  const reals v19 = times(v4, all(1.4444444f));
  const reals v20 = minus(v2, v19);
  const reals v21 = times(v20, all(2.25f));
  const reals v22 = plus(v6, v21);
  const reals v23 = plus(v18, v22);
  const reals v24 = minus(v22, v18);
  const reals v25 = times(v5, all(1.7777778f));
  const reals v26 = times(v3, all(4.4444447f));
  const reals v27 = minus(v1, v26);
  const reals v28 = plus(v25, v27);
  const reals v29 = times(v28, all(0.5625f));
  const reals v30 = times(v6, all(1.7777778f));
  const reals v31 = times(v4, all(4.4444447f));
  const reals v32 = minus(v2, v31);
  const reals v33 = plus(v30, v32);
  const reals v34 = times(v33, all(0.5625f));
  const reals v35 = plus(v29, v34);
  const reals v36 = minus(v34, v29);
  const reals v37 = times(v5, all(4.0f));
  const reals v38 = times(v3, all(5.0f));
  const reals v39 = minus(v1, v38);
  const reals v40 = plus(v37, v39);
  const reals v41 = times(v40, all(0.375f));
  const reals v42 = times(v6, all(4.0f));
  const reals v43 = times(v4, all(5.0f));
  const reals v44 = minus(v2, v43);
  const reals v45 = plus(v42, v44);
  const reals v46 = times(v45, all(0.25f));
  const reals v47 = plus(v41, v46);
  const reals v48 = minus(v46, v41);
  const reals v49 = times(v3, all(3.0625f));
  const reals v50 = plus(v49, v7);
  const reals v51 = times(v1, all(0.5625f));
  const reals v52 = minus(v50, v51);
  const reals v53 = times(v5, all(3.5f));
  const reals v54 = minus(v52, v53);
  put(y + 0 * y_step, v13, n);
  put(y + 1 * y_step, v23, n);
  put(y + 2 * y_step, v24, n);
  put(y + 3 * y_step, v35, n);
  put(y + 4 * y_step, v36, n);
  put(y + 5 * y_step, v47, n);
  put(y + 6 * y_step, v48, n);
  put(y + 7 * y_step, v54, n);
}

/* 20 additions, 10 multiplications. */
NEONSIM_FORCE_INLINE void destination_6x3(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = get(x + 7 * x_step, n);
  const reals v8 = plus(v1, v2);
  const reals v9 = plus(v0, v8);
  const reals v10 = plus(v3, v4);
  const reals v11 = plus(v9, v10);
  const reals v12 = plus(v5, v6);
  const reals v13 = plus(v11, v12);
  const reals v14 = minus(v1, v2);
  const reals v15 = times(v14, all(0.5f));
  const reals v16 = minus(v3, v4);
  const reals v17 = plus(v15, v16);
  const reals v18 = minus(v5, v6);
  const reals v19 = times(v18, all(1.5f));
  const reals v20 = plus(v17, v19);
  const reals v21 = times(v8, all(0.25f));
  const reals v22 = plus(v21, v10);
  const reals v23 = times(v12, all(2.25f));
  const reals v24 = plus(v22, v23);
  const reals v25 = times(v14, all(0.125f));
  const reals v26 = plus(v25, v16);
  const reals v27 = times(v18, all(3.375f));
  const reals v28 = plus(v26, v27);
  const reals v29 = times(v8, all(0.0625f));
  const reals v30 = plus(v29, v10);
  const reals v31 = times(v12, all(5.0625f));
  const reals v32 = plus(v30, v31);
  const reals v33 = times(v14, all(0.03125f));
  const reals v34 = plus(v7, v33);
  const reals v35 = plus(v34, v16);
  const reals v36 = times(v18, all(7.59375f));
  const reals v37 = plus(v35, v36);
  put(y, cut(v13, limits), n);
  if (rows > 1) { put(y + 1 * y_step, cut(v20, limits), n); }
  if (rows > 2) { put(y + 2 * y_step, cut(v24, limits), n); }
  if (rows > 3) { put(y + 3 * y_step, cut(v28, limits), n); }
  if (rows > 4) { put(y + 4 * y_step, cut(v32, limits), n); }
  if (rows > 5) { put(y + 5 * y_step, cut(v37, limits), n); }
}

/* 41 additions, 40 multiplications. */
NEONSIM_FORCE_INLINE void source_7x3(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = get(x + 7 * x_step, n);
  const reals v8 = get(x + 8 * x_step, n);
  const reals v9 = times(v0, all(1.125f));
  const reals v10 = times(v4, all(7.0f));
  const reals v11 = plus(v9, v10);
  const reals v12 = times(v2, all(6.125f));
  const reals v13 = minus(v11, v12);
  const reals v14 = times(v6, all(2.0f));
  const reals v15 = minus(v13, v14);
  const reals v16 = times(v3, all(5.4444447f));
  const reals v17 = minus(v1, v16);
  const reals v18 = times(v5, all(3.5f));
  const reals v19 = minus(v7, v18);
  const reals v20 = times(v19, all(1.7777778f));
  const reals v21 = minus(v17, v20);
  const reals v22 = times(v21, all(0.5625f));
  const reals v23 = minus(v15, v22);
  const reals v24 = times(v3, all(5.5f));
  const reals v25 = times(v5, all(4.25f));
  const reals v26 = minus(v7, v25);
  const reals v27 = plus(v24, v26);
  const reals v28 = times(v1, all(1.5f));
  const reals v29 = plus(v28, v6);
  const reals v30 = times(v29, all(1.5f));
  const reals v31 = minus(v27, v30);
  const reals v32 = times(v4, all(1.4444444f));
  const reals v33 = minus(v2, v32);
  const reals v34 = times(v33, all(3.375f));
  const reals v35 = minus(v31, v34);
  const reals v36 = times(v1, all(2.25f));
  const reals v37 = plus(v36, v7);
  const reals v38 = minus(v37, v3);
  const reals v39 = times(v5, all(2.25f));
  const reals v40 = minus(v38, v39);
  const reals v41 = times(v6, all(2.5f));
  const reals v42 = minus(v40, v41);
  const reals v43 = times(v33, all(5.625f));
  const reals v44 = minus(v42, v43);
  const reals v45 = times(v3, all(5.5625f));
  const reals v46 = plus(v45, v7);
  const reals v47 = times(v1, all(1.125f));
  const reals v48 = minus(v46, v47);
  const reals v49 = times(v5, all(4.5f));
  const reals v50 = minus(v48, v49);
  const reals v51 = times(v6, all(1.7777778f));
  const reals v52 = times(v4, all(4.4444447f));
  const reals v53 = minus(v2, v52);
  const reals v54 = plus(v51, v53);
  const reals v55 = times(v54, all(0.5625f));
  const reals v56 = minus(v50, v55);
  const reals v57 = plus(v47, v7);
  const reals v58 = times(v3, all(4.4375f));
  const reals v59 = minus(v57, v58);
  const reals v60 = times(v5, all(0.5f));
  const reals v61 = minus(v59, v60);
  const reals v62 = times(v54, all(1.6875f));
  const reals v63 = minus(v61, v62);
  const reals v64 = times(v3, all(4.0f));
  const reals v65 = plus(v64, v26);
  const reals v66 = times(v29, all(0.5f));
  const reals v67 = minus(v65, v66);
  const reals v68 = times(v4, all(5.0f));
  const reals v69 = minus(v2, v68);
  const reals v70 = times(v69, all(0.125f));
  const reals v71 = minus(v67, v70);
  const reals v72 = times(v1, all(0.75f));
  const reals v73 = times(v5, all(1.75f));
  const reals v74 = plus(v72, v73);
  const reals v75 = plus(v74, v7);
  const reals v76 = times(v3, all(3.5f));
  const reals v77 = minus(v75, v76);
  const reals v78 = times(v6, all(3.5f));
  const reals v79 = minus(v77, v78);
  const reals v80 = times(v69, all(0.875f));
  const reals v81 = minus(v79, v80);
  const reals v82 = times(v21, all(-0.5625f));
  const reals v83 = times(v4, all(3.0625f));
  const reals v84 = plus(v83, v8);
  const reals v85 = times(v21, all(1.125f));
  const reals v86 = plus(v84, v85);
  const reals v87 = times(v2, all(0.5625f));
  const reals v88 = minus(v86, v87);
  const reals v89 = minus(v88, v78);
  put(y + 0 * y_step, v23, n);
  put(y + 1 * y_step, v35, n);
  put(y + 2 * y_step, v44, n);
  put(y + 3 * y_step, v56, n);
  put(y + 4 * y_step, v63, n);
  put(y + 5 * y_step, v71, n);
  put(y + 6 * y_step, v81, n);
  put(y + 7 * y_step, v82, n);
  put(y + 8 * y_step, v89, n);
}

/* 29 additions, 18 multiplications. */
NEONSIM_FORCE_INLINE void destination_7x3(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = get(x + 7 * x_step, n);
  const reals v8 = get(x + 8 * x_step, n);
  const reals v9 = plus(v0, v7);
  const reals v10 = plus(v1, v2);
  const reals v11 = plus(v9, v10);
  const reals v12 = plus(v3, v4);
  const reals v13 = plus(v11, v12);
  const reals v14 = plus(v5, v6);
  const reals v15 = plus(v13, v14);
  const reals v16 = times(v7, all(2.0f));
  const reals v17 = minus(v1, v2);
  const reals v18 = times(v17, all(0.5f));
  const reals v19 = plus(v16, v18);
  const reals v20 = minus(v3, v4);
  const reals v21 = plus(v19, v20);
  const reals v22 = minus(v5, v6);
  const reals v23 = times(v22, all(1.5f));
  const reals v24 = plus(v21, v23);
  const reals v25 = times(v7, all(4.0f));
  const reals v26 = times(v10, all(0.25f));
  const reals v27 = plus(v25, v26);
  const reals v28 = plus(v27, v12);
  const reals v29 = times(v14, all(2.25f));
  const reals v30 = plus(v28, v29);
  const reals v31 = times(v7, all(8.0f));
  const reals v32 = times(v17, all(0.125f));
  const reals v33 = plus(v31, v32);
  const reals v34 = plus(v33, v20);
  const reals v35 = times(v22, all(3.375f));
  const reals v36 = plus(v34, v35);
  const reals v37 = times(v7, all(16.0f));
  const reals v38 = times(v10, all(0.0625f));
  const reals v39 = plus(v37, v38);
  const reals v40 = plus(v39, v12);
  const reals v41 = times(v14, all(5.0625f));
  const reals v42 = plus(v40, v41);
  const reals v43 = times(v7, all(32.0f));
  const reals v44 = times(v17, all(0.03125f));
  const reals v45 = plus(v43, v44);
  const reals v46 = plus(v45, v20);
  const reals v47 = times(v22, all(7.59375f));
  const reals v48 = plus(v46, v47);
  const reals v49 = times(v7, all(64.0f));
  const reals v50 = plus(v49, v8);
  const reals v51 = times(v10, all(0.015625f));
  const reals v52 = plus(v50, v51);
  const reals v53 = plus(v52, v12);
  const reals v54 = times(v14, all(11.390625f));
  const reals v55 = plus(v53, v54);
  put(y, cut(v15, limits), n);
  if (rows > 1) { put(y + 1 * y_step, cut(v24, limits), n); }
  if (rows > 2) { put(y + 2 * y_step, cut(v30, limits), n); }
  if (rows > 3) { put(y + 3 * y_step, cut(v36, limits), n); }
  if (rows > 4) { put(y + 4 * y_step, cut(v42, limits), n); }
  if (rows > 5) { put(y + 5 * y_step, cut(v48, limits), n); }
  if (rows > 6) { put(y + 6 * y_step, cut(v55, limits), n); }
}

/* 40 additions, 36 multiplications. */
NEONSIM_FORCE_INLINE void source_8x3(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = get(x + 7 * x_step, n);
  const reals v8 = get(x + 8 * x_step, n);
  const reals v9 = get(x + 9 * x_step, n);
  const reals v10 = times(v0, all(2.25f));
  const reals v11 = times(v4, all(17.0625f));
  const reals v12 = plus(v10, v11);
  const reals v13 = plus(v12, v8);
  const reals v14 = times(v2, all(12.8125f));
  const reals v15 = minus(v13, v14);
  const reals v16 = times(v6, all(7.5f));
  const reals v17 = minus(v15, v16);
  const reals v18 = times(v5, all(7.25f));
  const reals v19 = minus(v7, v18);
  const reals v20 = times(v3, all(1.6944444f));
  const reals v21 = minus(v1, v20);
  const reals v22 = times(v21, all(9.0f));
  const reals v23 = minus(v19, v22);
  const reals v24 = times(v23, all(0.5f));
  const reals v25 = times(v6, all(7.25f));
  const reals v26 = minus(v8, v25);
  const reals v27 = times(v4, all(1.6944444f));
  const reals v28 = minus(v2, v27);
  const reals v29 = times(v28, all(9.0f));
  const reals v30 = minus(v26, v29);
  const reals v31 = plus(v24, v30);
  const reals v32 = minus(v30, v24);
  const reals v33 = times(v5, all(6.5f));
  const reals v34 = minus(v7, v33);
  const reals v35 = times(v3, all(4.6944447f));
  const reals v36 = minus(v1, v35);
  const reals v37 = times(v36, all(2.25f));
  const reals v38 = minus(v34, v37);
  const reals v39 = times(v6, all(6.5f));
  const reals v40 = minus(v8, v39);
  const reals v41 = times(v4, all(4.6944447f));
  const reals v42 = minus(v2, v41);
  const reals v43 = times(v42, all(2.25f));
  const reals v44 = minus(v40, v43);
  const reals v45 = plus(v38, v44);
  const reals v46 = minus(v44, v38);
  const reals v47 = times(v3, all(5.25f));
  const reals v48 = minus(v1, v47);
  const reals v49 = times(v5, all(5.25f));
  const reals v50 = minus(v7, v49);
  const reals v51 = minus(v48, v50);
  const reals v52 = times(v51, all(-1.5f));
  const reals v53 = times(v4, all(5.25f));
  const reals v54 = minus(v2, v53);
  const reals v55 = times(v6, all(5.25f));
  const reals v56 = minus(v8, v55);
  const reals v57 = minus(v54, v56);
  const reals v58 = minus(v52, v57);
  const reals v59 = times(v51, all(1.5f));
  const reals v60 = minus(v59, v57);
  const reals v61 = times(v3, all(5.4444447f));
  const reals v62 = minus(v1, v61);
  const reals v63 = times(v5, all(3.5f));
  const reals v64 = minus(v7, v63);
  const reals v65 = times(v64, all(1.7777778f));
  const reals v66 = minus(v62, v65);
  const reals v67 = times(v66, all(-1.125f));
  const reals v68 = times(v4, all(5.4444447f));
  const reals v69 = minus(v2, v68);
  const reals v70 = times(v6, all(3.5f));
  const reals v71 = minus(v8, v70);
  const reals v72 = times(v71, all(1.7777778f));
  const reals v73 = minus(v69, v72);
  const reals v74 = times(v73, all(0.5625f));
  const reals v75 = minus(v67, v74);
  const reals v76 = times(v66, all(1.125f));
  const reals v77 = minus(v76, v74);
  const reals v78 = times(v1, all(2.25f));
  const reals v79 = times(v5, all(17.0625f));
  const reals v80 = plus(v78, v79);
  const reals v81 = plus(v80, v9);
  const reals v82 = times(v3, all(12.8125f));
  const reals v83 = minus(v81, v82);
  const reals v84 = times(v7, all(7.5f));
  const reals v85 = minus(v83, v84);
  put(y + 0 * y_step, v17, n);
  put(y + 1 * y_step, v31, n);
  put(y + 2 * y_step, v32, n);
  put(y + 3 * y_step, v45, n);
  put(y + 4 * y_step, v46, n);
  put(y + 5 * y_step, v58, n);
  put(y + 6 * y_step, v60, n);
  put(y + 7 * y_step, v75, n);
  put(y + 8 * y_step, v77, n);
  put(y + 9 * y_step, v85, n);
}

/* 34 additions, 21 multiplications. */
NEONSIM_FORCE_INLINE void destination_8x3(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = get(x + 7 * x_step, n);
  const reals v8 = get(x + 8 * x_step, n);
  const reals v9 = get(x + 9 * x_step, n);
  const reals v10 = plus(v1, v2);
  const reals v11 = plus(v0, v10);
  const reals v12 = plus(v3, v4);
  const reals v13 = plus(v11, v12);
  const reals v14 = plus(v5, v6);
  const reals v15 = plus(v13, v14);
  const reals v16 = plus(v7, v8);
  const reals v17 = plus(v15, v16);
  const reals v18 = minus(v1, v2);
  const reals v19 = times(v18, all(0.5f));
  const reals v20 = minus(v3, v4);
  const reals v21 = plus(v19, v20);
  const reals v22 = minus(v5, v6);
  const reals v23 = times(v22, all(1.5f));
  const reals v24 = plus(v21, v23);
  const reals v25 = minus(v7, v8);
  const reals v26 = times(v25, all(2.0f));
  const reals v27 = plus(v24, v26);
  const reals v28 = times(v10, all(0.25f));
  const reals v29 = plus(v28, v12);
  const reals v30 = times(v14, all(2.25f));
  const reals v31 = plus(v29, v30);
  const reals v32 = times(v16, all(4.0f));
  const reals v33 = plus(v31, v32);
  const reals v34 = times(v18, all(0.125f));
  const reals v35 = plus(v34, v20);
  const reals v36 = times(v22, all(3.375f));
  const reals v37 = plus(v35, v36);
  const reals v38 = times(v25, all(8.0f));
  const reals v39 = plus(v37, v38);
  const reals v40 = times(v10, all(0.0625f));
  const reals v41 = plus(v40, v12);
  const reals v42 = times(v14, all(5.0625f));
  const reals v43 = plus(v41, v42);
  const reals v44 = times(v16, all(16.0f));
  const reals v45 = plus(v43, v44);
  const reals v46 = times(v18, all(0.03125f));
  const reals v47 = plus(v46, v20);
  const reals v48 = times(v22, all(7.59375f));
  const reals v49 = plus(v47, v48);
  const reals v50 = times(v25, all(32.0f));
  const reals v51 = plus(v49, v50);
  const reals v52 = times(v10, all(0.015625f));
  const reals v53 = plus(v52, v12);
  const reals v54 = times(v14, all(11.390625f));
  const reals v55 = plus(v53, v54);
  const reals v56 = times(v16, all(64.0f));
  const reals v57 = plus(v55, v56);
  const reals v58 = times(v18, all(0.0078125f));
  const reals v59 = plus(v9, v58);
  const reals v60 = plus(v59, v20);
  const reals v61 = times(v22, all(17.085938f));
  const reals v62 = plus(v60, v61);
  const reals v63 = times(v25, all(128.0f));
  const reals v64 = plus(v62, v63);
  put(y, cut(v17, limits), n);
  if (rows > 1) { put(y + 1 * y_step, cut(v27, limits), n); }
  if (rows > 2) { put(y + 2 * y_step, cut(v33, limits), n); }
  if (rows > 3) { put(y + 3 * y_step, cut(v39, limits), n); }
  if (rows > 4) { put(y + 4 * y_step, cut(v45, limits), n); }
  if (rows > 5) { put(y + 5 * y_step, cut(v51, limits), n); }
  if (rows > 6) { put(y + 6 * y_step, cut(v57, limits), n); }
  if (rows > 7) { put(y + 7 * y_step, cut(v64, limits), n); }
}

/* 12 additions, 11 multiplications. */
NEONSIM_FORCE_INLINE void source_2x5(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = times(v0, all(0.25f));
  const reals v7 = plus(v6, v4);
  const reals v8 = times(v2, all(1.25f));
  const reals v9 = minus(v7, v8);
  const reals v10 = minus(v1, v3);
  const reals v11 = times(v10, all(-0.5f));
  const reals v12 = minus(v2, v4);
  const reals v13 = minus(v11, v12);
  const reals v14 = times(v10, all(0.5f));
  const reals v15 = minus(v14, v12);
  const reals v16 = times(v3, all(4.0f));
  const reals v17 = minus(v1, v16);
  const reals v18 = times(v17, all(-0.25f));
  const reals v19 = times(v4, all(4.0f));
  const reals v20 = minus(v2, v19);
  const reals v21 = times(v20, all(0.25f));
  const reals v22 = minus(v18, v21);
  const reals v23 = times(v17, all(0.25f));
  const reals v24 = minus(v23, v21);
  const reals v25 = times(v1, all(0.25f));
  const reals v26 = plus(v25, v5);
  const reals v27 = times(v3, all(1.25f));
  const reals v28 = minus(v26, v27);
  put(y + 0 * y_step, v9, n);
  put(y + 1 * y_step, v13, n);
  put(y + 2 * y_step, v15, n);
  put(y + 3 * y_step, v22, n);
  put(y + 4 * y_step, v24, n);
  put(y + 5 * y_step, v28, n);
}

/* 8 additions, 2 multiplications. */
NEONSIM_FORCE_INLINE void destination_2x5(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = plus(v0, v1);
  const reals v7 = plus(v6, v2);
  const reals v8 = plus(v7, v3);
  const reals v9 = plus(v8, v4);
  const reals v10 = times(v1, all(0.5f));
  const reals v11 = plus(v10, v3);
  const reals v12 = plus(v11, v5);
  const reals v13 = times(v2, all(0.5f));
  const reals v14 = minus(v12, v13);
  const reals v15 = minus(v14, v4);
  put(y, cut(v9, limits), n);
  if (rows > 1) { put(y + 1 * y_step, cut(v15, limits), n); }
}

/* 22 additions, 22 multiplications. */
NEONSIM_FORCE_INLINE void source_3x5(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = times(v2, all(1.875f));
  const reals v8 = times(v5, all(4.0f));
  const reals v9 = times(v3, all(5.0f));
  const reals v10 = minus(v1, v9);
  const reals v11 = plus(v8, v10);
  const reals v12 = times(v11, all(0.25f));
  const reals v13 = plus(v7, v12);
  const reals v14 = times(v0, all(0.375f));
  const reals v15 = minus(v13, v14);
  const reals v16 = times(v4, all(1.5f));
  const reals v17 = minus(v15, v16);
  const reals v18 = times(v4, all(1.3333334f));
  const reals v19 = minus(v1, v18);
  const reals v20 = times(v19, all(0.75f));
  const reals v21 = plus(v2, v20);
  const reals v22 = times(v3, all(1.75f));
  const reals v23 = minus(v5, v22);
  const reals v24 = plus(v21, v23);
  const reals v25 = times(v2, all(2.0f));
  const reals v26 = plus(v25, v5);
  const reals v27 = times(v1, all(0.75f));
  const reals v28 = minus(v26, v27);
  const reals v29 = times(v3, all(0.25f));
  const reals v30 = minus(v28, v29);
  const reals v31 = times(v4, all(2.0f));
  const reals v32 = minus(v30, v31);
  const reals v33 = times(v2, all(0.125f));
  const reals v34 = times(v19, all(0.375f));
  const reals v35 = plus(v33, v34);
  const reals v36 = plus(v35, v23);
  const reals v37 = times(v2, all(0.625f));
  const reals v38 = times(v3, all(1.25f));
  const reals v39 = plus(v37, v38);
  const reals v40 = plus(v39, v5);
  const reals v41 = times(v1, all(0.375f));
  const reals v42 = minus(v40, v41);
  const reals v43 = times(v4, all(2.5f));
  const reals v44 = minus(v42, v43);
  const reals v45 = times(v2, all(0.25f));
  const reals v46 = plus(v45, v6);
  const reals v47 = times(v4, all(1.25f));
  const reals v48 = minus(v46, v47);
  const reals v49 = times(v11, all(0.375f));
  const reals v50 = minus(v48, v49);
  put(y + 0 * y_step, v17, n);
  put(y + 1 * y_step, v24, n);
  put(y + 2 * y_step, v32, n);
  put(y + 3 * y_step, v36, n);
  put(y + 4 * y_step, v44, n);
  put(y + 5 * y_step, v12, n);
  put(y + 6 * y_step, v50, n);
}

/* 12 additions, 5 multiplications. */
NEONSIM_FORCE_INLINE void destination_3x5(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = plus(v0, v5);
  const reals v8 = plus(v1, v2);
  const reals v9 = plus(v7, v8);
  const reals v10 = plus(v3, v4);
  const reals v11 = plus(v9, v10);
  const reals v12 = times(v1, all(0.5f));
  const reals v13 = plus(v12, v3);
  const reals v14 = times(v5, all(1.5f));
  const reals v15 = plus(v13, v14);
  const reals v16 = times(v2, all(0.5f));
  const reals v17 = minus(v15, v16);
  const reals v18 = minus(v17, v4);
  const reals v19 = times(v5, all(2.25f));
  const reals v20 = plus(v19, v6);
  const reals v21 = times(v8, all(0.25f));
  const reals v22 = plus(v20, v21);
  const reals v23 = plus(v22, v10);
  put(y, cut(v11, limits), n);
  if (rows > 1) { put(y + 1 * y_step, cut(v18, limits), n); }
  if (rows > 2) { put(y + 2 * y_step, cut(v23, limits), n); }
}

/* 24 additions, 23 multiplications. */
NEONSIM_FORCE_INLINE void source_4x5(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = get(x + 7 * x_step, n);
  const reals v8 = times(v2, all(3.0625f));
  const reals v9 = plus(v8, v6);
  const reals v10 = times(v0, all(0.5625f));
  const reals v11 = minus(v9, v10);
  const reals v12 = times(v4, all(3.5f));
  const reals v13 = minus(v11, v12);
  const reals v14 = times(v3, all(1.4444444f));
  const reals v15 = minus(v1, v14);
  const reals v16 = times(v15, all(2.25f));
  const reals v17 = plus(v5, v16);
  const reals v18 = times(v17, all(0.5f));
  const reals v19 = times(v4, all(1.4444444f));
  const reals v20 = minus(v2, v19);
  const reals v21 = times(v20, all(2.25f));
  const reals v22 = plus(v6, v21);
  const reals v23 = plus(v18, v22);
  const reals v24 = minus(v22, v18);
  const reals v25 = times(v5, all(1.7777778f));
  const reals v26 = times(v3, all(4.4444447f));
  const reals v27 = minus(v1, v26);
  const reals v28 = plus(v25, v27);
  const reals v29 = times(v28, all(0.5625f));
  const reals v30 = times(v6, all(1.7777778f));
  const reals v31 = times(v4, all(4.4444447f));
  const reals v32 = minus(v2, v31);
  const reals v33 = plus(v30, v32);
  const reals v34 = times(v33, all(0.5625f));
  const reals v35 = plus(v29, v34);
  const reals v36 = minus(v34, v29);
  const reals v37 = times(v5, all(4.0f));
  const reals v38 = times(v3, all(5.0f));
  const reals v39 = minus(v1, v38);
  const reals v40 = plus(v37, v39);
  const reals v41 = times(v40, all(0.375f));
  const reals v42 = times(v6, all(4.0f));
  const reals v43 = times(v4, all(5.0f));
  const reals v44 = minus(v2, v43);
  const reals v45 = plus(v42, v44);
  const reals v46 = times(v45, all(0.25f));
  const reals v47 = plus(v41, v46);
  const reals v48 = minus(v46, v41);
  const reals v49 = times(v3, all(3.0625f));
  const reals v50 = plus(v49, v7);
  const reals v51 = times(v1, all(0.5625f));
  const reals v52 = minus(v50, v51);
  const reals v53 = times(v5, all(3.5f));
  const reals v54 = minus(v52, v53);
  put(y + 0 * y_step, v13, n);
  put(y + 1 * y_step, v23, n);
  put(y + 2 * y_step, v24, n);
  put(y + 3 * y_step, v35, n);
  put(y + 4 * y_step, v36, n);
  put(y + 5 * y_step, v47, n);
  put(y + 6 * y_step, v48, n);
  put(y + 7 * y_step, v54, n);
}

/* 16 additions, 6 multiplications. */
NEONSIM_FORCE_INLINE void destination_4x5(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = get(x + 7 * x_step, n);
  const reals v8 = plus(v1, v2);
  const reals v9 = plus(v0, v8);
  const reals v10 = plus(v3, v4);
  const reals v11 = plus(v9, v10);
  const reals v12 = plus(v5, v6);
  const reals v13 = plus(v11, v12);
  const reals v14 = minus(v1, v2);
  const reals v15 = times(v14, all(0.5f));
  const reals v16 = minus(v3, v4);
  const reals v17 = plus(v15, v16);
  const reals v18 = minus(v5, v6);
  const reals v19 = times(v18, all(1.5f));
  const reals v20 = plus(v17, v19);
  const reals v21 = times(v8, all(0.25f));
  const reals v22 = plus(v21, v10);
  const reals v23 = times(v12, all(2.25f));
  const reals v24 = plus(v22, v23);
  const reals v25 = times(v14, all(0.125f));
  const reals v26 = plus(v7, v25);
  const reals v27 = plus(v26, v16);
  const reals v28 = times(v18, all(3.375f));
  const reals v29 = plus(v27, v28);
  put(y, cut(v13, limits), n);
  if (rows > 1) { put(y + 1 * y_step, cut(v20, limits), n); }
  if (rows > 2) { put(y + 2 * y_step, cut(v24, limits), n); }
  if (rows > 3) { put(y + 3 * y_step, cut(v29, limits), n); }
}

/* 24 additions, 23 multiplications. */
NEONSIM_FORCE_INLINE void source_2x7(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = get(x + 7 * x_step, n);
  const reals v8 = times(v2, all(3.0625f));
  const reals v9 = plus(v8, v6);
  const reals v10 = times(v0, all(0.5625f));
  const reals v11 = minus(v9, v10);
  const reals v12 = times(v4, all(3.5f));
  const reals v13 = minus(v11, v12);
  const reals v14 = times(v3, all(1.4444444f));
  const reals v15 = minus(v1, v14);
  const reals v16 = times(v15, all(2.25f));
  const reals v17 = plus(v5, v16);
  const reals v18 = times(v17, all(0.5f));
  const reals v19 = times(v4, all(1.4444444f));
  const reals v20 = minus(v2, v19);
  const reals v21 = times(v20, all(2.25f));
  const reals v22 = plus(v6, v21);
  const reals v23 = plus(v18, v22);
  const reals v24 = minus(v22, v18);
  const reals v25 = times(v5, all(1.7777778f));
  const reals v26 = times(v3, all(4.4444447f));
  const reals v27 = minus(v1, v26);
  const reals v28 = plus(v25, v27);
  const reals v29 = times(v28, all(0.5625f));
  const reals v30 = times(v6, all(1.7777778f));
  const reals v31 = times(v4, all(4.4444447f));
  const reals v32 = minus(v2, v31);
  const reals v33 = plus(v30, v32);
  const reals v34 = times(v33, all(0.5625f));
  const reals v35 = plus(v29, v34);
  const reals v36 = minus(v34, v29);
  const reals v37 = times(v5, all(4.0f));
  const reals v38 = times(v3, all(5.0f));
  const reals v39 = minus(v1, v38);
  const reals v40 = plus(v37, v39);
  const reals v41 = times(v40, all(0.375f));
  const reals v42 = times(v6, all(4.0f));
  const reals v43 = times(v4, all(5.0f));
  const reals v44 = minus(v2, v43);
  const reals v45 = plus(v42, v44);
  const reals v46 = times(v45, all(0.25f));
  const reals v47 = plus(v41, v46);
  const reals v48 = minus(v46, v41);
  const reals v49 = times(v3, all(3.0625f));
  const reals v50 = plus(v49, v7);
  const reals v51 = times(v1, all(0.5625f));
  const reals v52 = minus(v50, v51);
  const reals v53 = times(v5, all(3.5f));
  const reals v54 = minus(v52, v53);
  put(y + 0 * y_step, v13, n);
  put(y + 1 * y_step, v23, n);
  put(y + 2 * y_step, v24, n);
  put(y + 3 * y_step, v35, n);
  put(y + 4 * y_step, v36, n);
  put(y + 5 * y_step, v47, n);
  put(y + 6 * y_step, v48, n);
  put(y + 7 * y_step, v54, n);
}

/* 12 additions, 4 multiplications. */
NEONSIM_FORCE_INLINE void destination_2x7(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = get(x + 7 * x_step, n);
  const reals v8 = plus(v0, v1);
  const reals v9 = plus(v8, v2);
  const reals v10 = plus(v9, v3);
  const reals v11 = plus(v10, v4);
  const reals v12 = plus(v11, v5);
  const reals v13 = plus(v12, v6);
  const reals v14 = times(v1, all(0.5f));
  const reals v15 = plus(v14, v3);
  const reals v16 = times(v5, all(1.5f));
  const reals v17 = plus(v15, v16);
  const reals v18 = plus(v17, v7);
  const reals v19 = times(v2, all(0.5f));
  const reals v20 = minus(v18, v19);
  const reals v21 = minus(v20, v4);
  const reals v22 = times(v6, all(1.5f));
  const reals v23 = minus(v21, v22);
  put(y, cut(v13, limits), n);
  if (rows > 1) { put(y + 1 * y_step, cut(v23, limits), n); }
}

/* 41 additions, 40 multiplications. */
NEONSIM_FORCE_INLINE void source_3x7(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = get(x + 7 * x_step, n);
  const reals v8 = get(x + 8 * x_step, n);
  const reals v9 = times(v0, all(1.125f));
  const reals v10 = times(v4, all(7.0f));
  const reals v11 = plus(v9, v10);
  const reals v12 = times(v2, all(6.125f));
  const reals v13 = minus(v11, v12);
  const reals v14 = times(v6, all(2.0f));
  const reals v15 = minus(v13, v14);
  const reals v16 = times(v3, all(5.4444447f));
  const reals v17 = minus(v1, v16);
  const reals v18 = times(v5, all(3.5f));
  const reals v19 = minus(v7, v18);
  const reals v20 = times(v19, all(1.7777778f));
  const reals v21 = minus(v17, v20);
  const reals v22 = times(v21, all(0.5625f));
  const reals v23 = minus(v15, v22);
  const reals v24 = times(v3, all(5.5f));
  const reals v25 = times(v5, all(4.25f));
  const reals v26 = minus(v7, v25);
  const reals v27 = plus(v24, v26);
  const reals v28 = times(v1, all(1.5f));
  const reals v29 = plus(v28, v6);
  const reals v30 = times(v29, all(1.5f));
  const reals v31 = minus(v27, v30);
  const reals v32 = times(v4, all(1.4444444f));
  const reals v33 = minus(v2, v32);
  const reals v34 = times(v33, all(3.375f));
  const reals v35 = minus(v31, v34);
  const reals v36 = times(v1, all(2.25f));
  const reals v37 = plus(v36, v7);
  const reals v38 = minus(v37, v3);
  const reals v39 = times(v5, all(2.25f));
  const reals v40 = minus(v38, v39);
  const reals v41 = times(v6, all(2.5f));
  const reals v42 = minus(v40, v41);
  const reals v43 = times(v33, all(5.625f));
  const reals v44 = minus(v42, v43);
  const reals v45 = times(v3, all(5.5625f));
  const reals v46 = plus(v45, v7);
  const reals v47 = times(v1, all(1.125f));
  const reals v48 = minus(v46, v47);
  const reals v49 = times(v5, all(4.5f));
  const reals v50 = minus(v48, v49);
  const reals v51 = times(v6, all(1.7777778f));
  const reals v52 = times(v4, all(4.4444447f));
  const reals v53 = minus(v2, v52);
  const reals v54 = plus(v51, v53);
  const reals v55 = times(v54, all(0.5625f));
  const reals v56 = minus(v50, v55);
  const reals v57 = plus(v47, v7);
  const reals v58 = times(v3, all(4.4375f));
  const reals v59 = minus(v57, v58);
  const reals v60 = times(v5, all(0.5f));
  const reals v61 = minus(v59, v60);
  const reals v62 = times(v54, all(1.6875f));
  const reals v63 = minus(v61, v62);
  const reals v64 = times(v3, all(4.0f));
  const reals v65 = plus(v64, v26);
  const reals v66 = times(v29, all(0.5f));
  const reals v67 = minus(v65, v66);
  const reals v68 = times(v4, all(5.0f));
  const reals v69 = minus(v2, v68);
  const reals v70 = times(v69, all(0.125f));
  const reals v71 = minus(v67, v70);
  const reals v72 = times(v1, all(0.75f));
  const reals v73 = times(v5, all(1.75f));
  const reals v74 = plus(v72, v73);
  const reals v75 = plus(v74, v7);
  const reals v76 = times(v3, all(3.5f));
  const reals v77 = minus(v75, v76);
  const reals v78 = times(v6, all(3.5f));
  const reals v79 = minus(v77, v78);
  const reals v80 = times(v69, all(0.875f));
  const reals v81 = minus(v79, v80);
  const reals v82 = times(v21, all(-0.5625f));
  const reals v83 = times(v4, all(3.0625f));
  const reals v84 = plus(v83, v8);
  const reals v85 = times(v21, all(1.125f));
  const reals v86 = plus(v84, v85);
  const reals v87 = times(v2, all(0.5625f));
  const reals v88 = minus(v86, v87);
  const reals v89 = minus(v88, v78);
  put(y + 0 * y_step, v23, n);
  put(y + 1 * y_step, v35, n);
  put(y + 2 * y_step, v44, n);
  put(y + 3 * y_step, v56, n);
  put(y + 4 * y_step, v63, n);
  put(y + 5 * y_step, v71, n);
  put(y + 6 * y_step, v81, n);
  put(y + 7 * y_step, v82, n);
  put(y + 8 * y_step, v89, n);
}

/* 17 additions, 8 multiplications. */
NEONSIM_FORCE_INLINE void destination_3x7(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = get(x + 7 * x_step, n);
  const reals v8 = get(x + 8 * x_step, n);
  const reals v9 = plus(v0, v7);
  const reals v10 = plus(v1, v2);
  const reals v11 = plus(v9, v10);
  const reals v12 = plus(v3, v4);
  const reals v13 = plus(v11, v12);
  const reals v14 = plus(v5, v6);
  const reals v15 = plus(v13, v14);
  const reals v16 = times(v1, all(0.5f));
  const reals v17 = plus(v16, v3);
  const reals v18 = times(v5, all(1.5f));
  const reals v19 = plus(v17, v18);
  const reals v20 = times(v7, all(2.0f));
  const reals v21 = plus(v19, v20);
  const reals v22 = times(v2, all(0.5f));
  const reals v23 = minus(v21, v22);
  const reals v24 = minus(v23, v4);
  const reals v25 = times(v6, all(1.5f));
  const reals v26 = minus(v24, v25);
  const reals v27 = times(v7, all(4.0f));
  const reals v28 = plus(v27, v8);
  const reals v29 = times(v10, all(0.25f));
  const reals v30 = plus(v28, v29);
  const reals v31 = plus(v30, v12);
  const reals v32 = times(v14, all(2.25f));
  const reals v33 = plus(v31, v32);
  put(y, cut(v15, limits), n);
  if (rows > 1) { put(y + 1 * y_step, cut(v26, limits), n); }
  if (rows > 2) { put(y + 2 * y_step, cut(v33, limits), n); }
}

/* 40 additions, 36 multiplications. */
NEONSIM_FORCE_INLINE void source_4x7(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = get(x + 7 * x_step, n);
  const reals v8 = get(x + 8 * x_step, n);
  const reals v9 = get(x + 9 * x_step, n);
  const reals v10 = times(v0, all(2.25f));
  const reals v11 = times(v4, all(17.0625f));
  const reals v12 = plus(v10, v11);
  const reals v13 = plus(v12, v8);
  const reals v14 = times(v2, all(12.8125f));
  const reals v15 = minus(v13, v14);
  const reals v16 = times(v6, all(7.5f));
  const reals v17 = minus(v15, v16);
  const reals v18 = times(v5, all(7.25f));
  const reals v19 = minus(v7, v18);
  const reals v20 = times(v3, all(1.6944444f));
  const reals v21 = minus(v1, v20);
  const reals v22 = times(v21, all(9.0f));
  const reals v23 = minus(v19, v22);
  const reals v24 = times(v23, all(0.5f));
  const reals v25 = times(v6, all(7.25f));
  const reals v26 = minus(v8, v25);
  const reals v27 = times(v4, all(1.6944444f));
  const reals v28 = minus(v2, v27);
  const reals v29 = times(v28, all(9.0f));
  const reals v30 = minus(v26, v29);
  const reals v31 = plus(v24, v30);
  const reals v32 = minus(v30, v24);
  const reals v33 = times(v5, all(6.5f));
  const reals v34 = minus(v7, v33);
  const reals v35 = times(v3, all(4.6944447f));
  const reals v36 = minus(v1, v35);
  const reals v37 = times(v36, all(2.25f));
  const reals v38 = minus(v34, v37);
  const reals v39 = times(v6, all(6.5f));
  const reals v40 = minus(v8, v39);
  const reals v41 = times(v4, all(4.6944447f));
  const reals v42 = minus(v2, v41);
  const reals v43 = times(v42, all(2.25f));
  const reals v44 = minus(v40, v43);
  const reals v45 = plus(v38, v44);
  const reals v46 = minus(v44, v38);
  const reals v47 = times(v3, all(5.25f));
  const reals v48 = minus(v1, v47);
  const reals v49 = times(v5, all(5.25f));
  const reals v50 = minus(v7, v49);
  const reals v51 = minus(v48, v50);
  const reals v52 = times(v51, all(-1.5f));
  const reals v53 = times(v4, all(5.25f));
  const reals v54 = minus(v2, v53);
  const reals v55 = times(v6, all(5.25f));
  const reals v56 = minus(v8, v55);
  const reals v57 = minus(v54, v56);
  const reals v58 = minus(v52, v57);
  const reals v59 = times(v51, all(1.5f));
  const reals v60 = minus(v59, v57);
  const reals v61 = times(v3, all(5.4444447f));
  const reals v62 = minus(v1, v61);
  const reals v63 = times(v5, all(3.5f));
  const reals v64 = minus(v7, v63);
  const reals v65 = times(v64, all(1.7777778f));
  const reals v66 = minus(v62, v65);
  const reals v67 = times(v66, all(-1.125f));
  const reals v68 = times(v4, all(5.4444447f));
  const reals v69 = minus(v2, v68);
  const reals v70 = times(v6, all(3.5f));
  const reals v71 = minus(v8, v70);
  const reals v72 = times(v71, all(1.7777778f));
  const reals v73 = minus(v69, v72);
  const reals v74 = times(v73, all(0.5625f));
  const reals v75 = minus(v67, v74);
  const reals v76 = times(v66, all(1.125f));
  const reals v77 = minus(v76, v74);
  const reals v78 = times(v1, all(2.25f));
  const reals v79 = times(v5, all(17.0625f));
  const reals v80 = plus(v78, v79);
  const reals v81 = plus(v80, v9);
  const reals v82 = times(v3, all(12.8125f));
  const reals v83 = minus(v81, v82);
  const reals v84 = times(v7, all(7.5f));
  const reals v85 = minus(v83, v84);
  put(y + 0 * y_step, v17, n);
  put(y + 1 * y_step, v31, n);
  put(y + 2 * y_step, v32, n);
  put(y + 3 * y_step, v45, n);
  put(y + 4 * y_step, v46, n);
  put(y + 5 * y_step, v58, n);
  put(y + 6 * y_step, v60, n);
  put(y + 7 * y_step, v75, n);
  put(y + 8 * y_step, v77, n);
  put(y + 9 * y_step, v85, n);
}

/* 22 additions, 9 multiplications. */
NEONSIM_FORCE_INLINE void destination_4x7(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
  const reals v0 = get(x + 0 * x_step, n);
  const reals v1 = get(x + 1 * x_step, n);
  const reals v2 = get(x + 2 * x_step, n);
  const reals v3 = get(x + 3 * x_step, n);
  const reals v4 = get(x + 4 * x_step, n);
  const reals v5 = get(x + 5 * x_step, n);
  const reals v6 = get(x + 6 * x_step, n);
  const reals v7 = get(x + 7 * x_step, n);
  const reals v8 = get(x + 8 * x_step, n);
  const reals v9 = get(x + 9 * x_step, n);
  const reals v10 = plus(v1, v2);
  const reals v11 = plus(v0, v10);
  const reals v12 = plus(v3, v4);
  const reals v13 = plus(v11, v12);
  const reals v14 = plus(v5, v6);
  const reals v15 = plus(v13, v14);
  const reals v16 = plus(v7, v8);
  const reals v17 = plus(v15, v16);
  const reals v18 = minus(v1, v2);
  const reals v19 = times(v18, all(0.5f));
  const reals v20 = minus(v3, v4);
  const reals v21 = plus(v19, v20);
  const reals v22 = minus(v5, v6);
  const reals v23 = times(v22, all(1.5f));
  const reals v24 = plus(v21, v23);
  const reals v25 = minus(v7, v8);
  const reals v26 = times(v25, all(2.0f));
  const reals v27 = plus(v24, v26);
  const reals v28 = times(v10, all(0.25f));
  const reals v29 = plus(v28, v12);
  const reals v30 = times(v14, all(2.25f));
  const reals v31 = plus(v29, v30);
  const reals v32 = times(v16, all(4.0f));
  const reals v33 = plus(v31, v32);
  const reals v34 = times(v18, all(0.125f));
  const reals v35 = plus(v9, v34);
  const reals v36 = plus(v35, v20);
  const reals v37 = times(v22, all(3.375f));
  const reals v38 = plus(v36, v37);
  const reals v39 = times(v25, all(8.0f));
  const reals v40 = plus(v38, v39);
  put(y, cut(v17, limits), n);
  if (rows > 1) { put(y + 1 * y_step, cut(v27, limits), n); }
  if (rows > 2) { put(y + 2 * y_step, cut(v33, limits), n); }
  if (rows > 3) { put(y + 3 * y_step, cut(v40, limits), n); }
}

/* n, k, and which number of a tile along one axis comes once into every result. */
#define NEONSIM_WINOGRAD_EACH(X) X(2, 3, 1) X(3, 3, 1) X(4, 3, 3) X(5, 3, 3) X(6, 3, 3) X(7, 3, 3) X(8, 3, 3) X(2, 5, 3) X(3, 5, 3) X(4, 5, 3) X(2, 7, 3) X(3, 7, 3) X(4, 7, 3)
/* clang-format on */

#endif
