// Sums of depthwise kernels on AArch64 to bytes in single precision, each channel by its scale, which lies behind the taps:
// with fp32_aarch64.h, int8_aarch64.h and dwconv_fp32_aarch64.h.

.macro load_scheme params
    load_qc8w   \params
.endm

// The scales of eight channels, to stay until they are needed.
.macro scales_8
    ldp         q20, q21, [x19], #32
.endm

// Sixteen sums in v16..v19: scaled, to int16.
.macro start_16
    ldp         q4, q5, [x19], #32
    ldp         q6, q7, [x19], #32
    scale_row_fp32 v16, v17, v18, v19, v4, v5, v6, v7
    narrow_16
.endm
