// Depthwise products on AArch32: two taps add up in 16 bits before they join 32-bit sums (VMULL, VMLAL, VADDW) (D12).
//
// -128 * 127 twice is -32512: it fits as long as no weight is -128.

// Eight channels: the taps a, c times the weights b, d to p; e..h are loaded; ql, qh, the products before, are added.
.macro pair_8 a, b, c, d, p, e, f, g, h, ql, qh, pa, pb, last, behind, part, half, xa, ata, xb, atb
    vmull.s8    \p, \a, \b
    pointer     \xa, \ata
    .if \behind
    vaddw.s16   q8, q8, \ql
    .endif
    input_8     \e, \pa, \last
    part_8      \part
    weights_8   \f, \pa
    vmlal.s8    \p, \c, \d
    pointer     \xb, \atb
    .if \behind
    vaddw.s16   q9, q9, \qh
    .endif
    pointer_on  \xa, \ata
    input_8     \g, \pb, \last
    part_8      \half
    weights_8   \h, \pb
    pointer_on  \xb, \atb
.endm

// The tap that is left over, in d0; the pair before is odd.
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
