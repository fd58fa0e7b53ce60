// The sums of a 4x8 tile on AArch32 become bytes: RNDNU, FP32, QC8W or TENGINE says how. MAGIC: FP32 and QC8W add a magic
// number, as Armv7 has no instruction that rounds to the nearest. The parameters lie at sp + PARAMS_AT.

#ifdef RNDNU
    // ---- Scale, add the zero point of c, clamp; rows 0..3 end in d16..d19.
#else
    // ---- Scale, round, add the zero point of c, clamp; rows 0..3 end in d16..d19.
#endif
    ldr         r12, [sp, #PARAMS_AT]          // r12: parameters
#if defined RNDNU
    load_rndnu  r12
    scale_rndnu
#elif defined TENGINE
    vld1.8      {d0-d3}, [pw]!                  // q0, q1: the scales of the columns
    scale_columns q0, q8, q10, q12, q14
    scale_columns q1, q9, q11, q13, q15
    load_qc8w   r12
#elif defined FP32 && defined MAGIC
    load_fp32_magic r12
    scale_fp32_magic
#elif defined FP32
    load_fp32_round r12
    scale_fp32_round
#elif defined MAGIC
    load_qc8w_magic r12
    vld1.8      {d0-d3}, [pw]!                  // q0, q1: the scales of the columns
    scale_fp32_magic
#else
    load_qc8w_round r12
    vld1.8      {d0-d3}, [pw]!                  // q0, q1: the scales of the columns
    scale_fp32_round
#endif
    narrow_to_int16
#ifndef MAGIC
    add_zeropoint
#endif
    narrow_to_bytes
