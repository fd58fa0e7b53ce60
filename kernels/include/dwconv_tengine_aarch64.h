// Sums of depthwise kernels on AArch64 to bytes by multiplier and shift of each channel's scale, which lies behind the taps:
// with tengine_aarch64.h, int8_aarch64.h and dwconv_mul16_aarch64.h, which leaves v26 to v28 alone eight channels at a time.

.macro load_scheme params
    load_qc8w   \params
.endm

// Of eight channels, to stay until they are needed: multipliers in v20 and v21, shifts in v26 and v27.
.macro scales_8
    ldp         q20, q21, [x19], #32
    frexp_of    v20, v20, v26, v28
    frexp_of    v21, v21, v27, v28
.endm

// Eight sums in v16 and v17 are on their way to bytes: in v18 and v19, so that others can follow; then the parts 0 to 9, far
// enough from one another that none waits for the one before; eight bytes in v18.
.macro start_8
    sqrdmulh    v18.4s, v16.4s, v20.4s
    sqrdmulh    v19.4s, v17.4s, v21.4s
.endm

.macro part_8 part
    .ifc \part, 0
    srshl       v18.4s, v18.4s, v26.4s
    .endif
    .ifc \part, 1
    srshl       v19.4s, v19.4s, v27.4s
    .endif
    narrow_part_8 \part
.endm

.macro finish_8
    start_8
    all_parts_8
.endm
