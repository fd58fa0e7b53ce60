// The sums of a 2x8 tile on AArch64 become bytes: RNDNU or QC8W says how. PARAMS is a free register.

#ifdef RNDNU
    // ---- Scale, add the zero point of c, clamp.
    mov         PARAMS, x9
    load_rndnu  PARAMS
    scale_half_row_rndnu v16, v17
    scale_half_row_rndnu v24, v25
#else
    // ---- Scale each column by its own scale, add the zero point of c, clamp.
    mov         PARAMS, x9
    load_qc8w   PARAMS
    ldp         q0, q1, [pw], #32              // the scales of the columns
    scale_half_row_fp32 v16, v17, v0, v1
    scale_half_row_fp32 v24, v25, v0, v1
#endif
    narrow_half_row v16, v17     // v16: 8 bytes of row 0
    narrow_half_row v24, v25
