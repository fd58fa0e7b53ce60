// Depthwise products on AArch32: bytes multiplied to 16 bits, each product added to 32-bit sums (VMULL, VADDW).

// Eight channels: the taps a, c times the weights b, d to q4, q5; e..h are loaded; the products before in q5 are added.
.macro pair_8 a, b, c, d, p, e, f, g, h, ql, qh, pa, pb, last, behind, part, half, xa, ata, xb, atb
    vmull.s8    q4, \a, \b
    pointer     \xa, \ata
    .if \behind
    vaddw.s16   q8, q8, d10
    .endif
    input_8     \e, \pa, \last
    .if \behind
    vaddw.s16   q9, q9, d11
    .endif
    pointer     \xb, \atb
    weights_8   \f, \pa
    part_8      \part
    vmull.s8    q5, \c, \d
    pointer_on  \xa, \ata
    vaddw.s16   q8, q8, d8
    input_8     \g, \pb, \last
    vaddw.s16   q9, q9, d9
    pointer_on  \xb, \atb
    weights_8   \h, \pb
    part_8      \half
.endm

// The tap that is left over, in d0.
.macro one_8 part=none, half=none
    vmull.s8    q4, d0, d1
    part_8      \part
    vaddw.s16   q8, q8, d10
    vaddw.s16   q9, q9, d11
    part_8      \half
.endm

// Its products.
.macro last_8
    vaddw.s16   q8, q8, d8
    vaddw.s16   q9, q9, d9
.endm
