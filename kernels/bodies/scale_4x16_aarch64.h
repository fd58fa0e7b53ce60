// The sums of a 4x16 tile on AArch64 become bytes: RNDNU, FP32, QC8W or TENGINE says how. PARAMS is a free register.

#if defined RNDNU || defined FP32
    // ---- Scale, add the zero point of c, clamp.
#else
    // ---- Scale each column by its own scale, add the zero point of c, clamp.
#endif
#ifdef TENGINE
    ldp         q0, q1, [pw], #32              // the scales of the columns
    ldp         q2, q3, [pw], #32
    scale_columns v0, v16, v20, v24, v28
    scale_columns v1, v17, v21, v25, v29
    scale_columns v2, v18, v22, v26, v30
    scale_columns v3, v19, v23, v27, v31
#endif
    mov         PARAMS, x9
#if defined RNDNU
    load_rndnu  PARAMS
    scale_row_rndnu v16, v17, v18, v19
    scale_row_rndnu v20, v21, v22, v23
    scale_row_rndnu v24, v25, v26, v27
    scale_row_rndnu v28, v29, v30, v31
#elif defined FP32
    load_fp32   PARAMS, v0
    scale_row_fp32 v16, v17, v18, v19, v0, v0, v0, v0
    scale_row_fp32 v20, v21, v22, v23, v0, v0, v0, v0
    scale_row_fp32 v24, v25, v26, v27, v0, v0, v0, v0
    scale_row_fp32 v28, v29, v30, v31, v0, v0, v0, v0
#else
    load_qc8w   PARAMS
#endif
#ifdef QC8W
    ldp         q0, q1, [pw], #32              // the scales of the columns
    ldp         q2, q3, [pw], #32
    scale_row_fp32 v16, v17, v18, v19, v0, v1, v2, v3
    scale_row_fp32 v20, v21, v22, v23, v0, v1, v2, v3
    scale_row_fp32 v24, v25, v26, v27, v0, v1, v2, v3
    scale_row_fp32 v28, v29, v30, v31, v0, v1, v2, v3
#endif
    narrow_row  v16, v17, v18, v19     // v16: 16 bytes of row 0
    narrow_row  v20, v21, v22, v23
    narrow_row  v24, v25, v26, v27
    narrow_row  v28, v29, v30, v31
