// Sums of depthwise kernels on AArch64 to bytes by rndnu: with rndnu_aarch64.h and int8_aarch64.h.

.macro load_scheme params
    load_rndnu  \params
.endm

// Eight sums in v16 and v17 to eight bytes in v16.
.macro finish_8
    scale_half_row_rndnu v16, v17
    narrow_half_row v16, v17
.endm

// Sixteen in v16..v19.
.macro finish_16
    scale_row_rndnu v16, v17, v18, v19
    narrow_row  v16, v17, v18, v19
.endm
