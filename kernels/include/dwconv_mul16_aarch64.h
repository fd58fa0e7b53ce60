// Depthwise products on AArch64: taps widened to 16 bits first, products added to 32-bit sums (SXTL, SMLAL). Unsigned
// bytes, 8 channels at a time: UXTL, and USUBL takes the zero point of the weights away.

// Eight channels: the taps a, c times the weights b, d are added; e..h are loaded.
.macro pair_8 a, b, c, d, p, p2, e, f, g, h, q, q2, pa, pb, last, step, behind, part, half, xa, ata, xb, atb
    widen_row   v\a
    pointer     \xa, \ata
    widen_weights v\b
    input_8     \e, \pa, \last
    widen_row   v\c
    weights_8   \f, \pa, \step
    widen_weights v\d
    pointer     \xb, \atb
    part_8      \part
    smlal       v16.4s, v\a\().4h, v\b\().4h
    input_8     \g, \pb, \last
    smlal2      v17.4s, v\a\().8h, v\b\().8h
    weights_8   \h, \pb, \step
    smlal       v16.4s, v\c\().4h, v\d\().4h
    part_8      \half
    smlal2      v17.4s, v\c\().8h, v\d\().8h
.endm

// The tap that is left over, in v0.
.macro one_8 part=none, half=none
    widen_row   v0
    widen_weights v1
    part_8      \part
    smlal       v16.4s, v0.4h, v1.4h
    smlal2      v17.4s, v0.8h, v1.8h
    part_8      \half
.endm

.macro last_8
.endm

// Sixteen channels of two taps, and of one.
.macro wide_pair a, b, c, d, p, p2, e, f, g, h, q, q2, pa, pb, behind, part, half
    wide_input  \e, \f, \pa
    wide_tap    \a, \b
    wide_part   \part
    wide_input  \g, \h, \pb
    wide_tap    \c, \d
    wide_part   \half
.endm

.macro wide_tap a, b
    sxtl        v26.8h, v\a\().8b
    sxtl        v27.8h, v\b\().8b
    sxtl2       v28.8h, v\a\().16b
    sxtl2       v29.8h, v\b\().16b
    smlal       v16.4s, v26.4h, v27.4h
    smlal2      v17.4s, v26.8h, v27.8h
    smlal       v18.4s, v28.4h, v29.4h
    smlal2      v19.4s, v28.8h, v29.8h
.endm

.macro wide_one
    wide_tap    0, 1
.endm

.macro wide_last
.endm
