// Sums of depthwise kernels on AArch64 to bytes by rndnu: with rndnu_aarch64.h and int8_aarch64.h.

.macro load_scheme params
    load_rndnu  \params
.endm

.macro scales_8
.endm

// Eight sums in v16 and v17 are on their way to bytes: in v18 and v19, so that others can follow; then the parts 0 to 9, far
// enough from one another that none waits for the one before; eight bytes in v18.
.macro start_8
    sqshl       v18.4s, v16.4s, preshift.4s
    sqshl       v19.4s, v17.4s, preshift.4s
.endm

.macro part_8 part
    .ifc \part, 0
    sqdmulh     v18.4s, v18.4s, multiplier.4s
    .endif
    .ifc \part, 1
    sqdmulh     v19.4s, v19.4s, multiplier.4s
    .endif
    .ifc \part, 2
    srshl       v18.4s, v18.4s, postshift.4s
    .endif
    .ifc \part, 3
    srshl       v19.4s, v19.4s, postshift.4s
    .endif
    narrow_part_8 \part
.endm

.macro finish_8
    start_8
    all_parts_8
.endm

// Sixteen sums in v16..v19: scaled, to int16.
.macro start_16
    scale_row_rndnu v16, v17, v18, v19
    narrow_16
.endm
