/* Transforms of F(n, 3) along one axis, n = 2, 4, 6. Written by neonsim.generate.portable: a test makes it again.
 *
 * `n` lanes of rows that lie x_step and y_step numbers apart; destination: only so many rows, cut off at limits. */
#ifndef NEONSIM_WINOGRAD_PROGRAMS_H
#define NEONSIM_WINOGRAD_PROGRAMS_H

/* clang-format off */

/* 4 additions, 0 multiplications. */
NEONSIM_FORCE_INLINE void source_2(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
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
NEONSIM_FORCE_INLINE void destination_2(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
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

/* 12 additions, 11 multiplications. */
NEONSIM_FORCE_INLINE void source_4(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
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
NEONSIM_FORCE_INLINE void destination_4(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
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

/* 24 additions, 23 multiplications. */
NEONSIM_FORCE_INLINE void source_6(const float *x, size_t x_step, float *y, size_t y_step, size_t n) {
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
NEONSIM_FORCE_INLINE void destination_6(const float *x, size_t x_step, float *y, size_t y_step, size_t n, size_t rows, const float *limits) {
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

/* Which number of a tile along one axis comes once into every result. */
#define NEONSIM_WINOGRAD_ONES {1, 3, 3}
/* clang-format on */

#endif
