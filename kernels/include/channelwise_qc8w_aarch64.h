// Sums of depthwise kernels on AArch64 to bytes in single precision, each channel by its scale, which lies behind the taps:
// with fp32_aarch64.h and int8_aarch64.h.

.macro load_scheme params
    load_qc8w   \params
.endm

// Eight sums in v16 and v17 to eight bytes in v16.
.macro finish_8
    ldp         q4, q5, [x19], #32              // the scales of the channels
    scale_half_row_fp32 v16, v17, v4, v5
    narrow_half_row v16, v17
.endm

// Sixteen in v16..v19.
.macro finish_16
    ldp         q4, q5, [x19], #32
    ldp         q6, q7, [x19], #32
    scale_row_fp32 v16, v17, v18, v19, v4, v5, v6, v7
    narrow_row  v16, v17, v18, v19
.endm
