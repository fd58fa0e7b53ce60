// Sums of depthwise kernels on AArch64 to bytes in single precision, all channels by one scale: with fp32_aarch64.h and
// dwconv_fp32_aarch64.h. The kernel names wzp besides.

.macro load_scheme params
    load_fp32   \params, v20
    mov         v21.16b, v20.16b
    ld1r        {wzp.16b}, [\params]
.endm

.macro scales_8
.endm
