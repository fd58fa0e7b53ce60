// Depthwise products on AArch32: taps widened to 16 bits first, products added to 32-bit sums (VMOVL, VMLAL). Of
// unsigned bytes the zero point of the weights is taken away (VSUBL).

// Eight channels: the taps a, c times the weights b, d are added; e..h are loaded.
.macro pair_8 a, b, c, d, p, e, f, g, h, ql, qh, pa, pb, last, behind, part, half, xa, ata, xb, atb
    widen_row   q4, \a
    pointer     \xa, \ata
    widen_columns q5, \b
    input_8     \e, \pa, \last
    part_8      \part
    weights_8   \f, \pa
    vmlal.s16   q8, d8, d10
    pointer     \xb, \atb
    vmlal.s16   q9, d9, d11
    pointer_on  \xa, \ata
    widen_row   q4, \c
    input_8     \g, \pb, \last
    widen_columns q5, \d
    weights_8   \h, \pb
    part_8      \half
    pointer_on  \xb, \atb
    vmlal.s16   q8, d8, d10
    vmlal.s16   q9, d9, d11
.endm

// The tap that is left over, in d0.
.macro one_8 part=none, half=none
    widen_row   q4, d0
    widen_columns q5, d1
    part_8      \part
    vmlal.s16   q8, d8, d10
    vmlal.s16   q9, d9, d11
    part_8      \half
.endm

.macro last_8
.endm
