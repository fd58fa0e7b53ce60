// Depthwise products on AArch64: two taps add up in 16 bits before they join 32-bit sums (SMULL, SMLAL, SADDW) (D12).
//
// -128 * 127 twice is -32512: it fits as long as no weight is -128.

// Eight channels: the taps a, c times the weights b, d to p; e..h are loaded; q, the products before, are added.
.macro pair_8 a, b, c, d, p, p2, e, f, g, h, q, q2, pa, pb, last, step, behind, part, half, xa, ata, xb, atb
    smull       v\p\().8h, v\a\().8b, v\b\().8b
    pointer     \xa, \ata
    .if \behind
    saddw       v16.4s, v16.4s, v\q\().4h
    .endif
    input_8     \e, \pa, \last
    part_8      \part
    weights_8   \f, \pa, \step
    smlal       v\p\().8h, v\c\().8b, v\d\().8b
    pointer     \xb, \atb
    .if \behind
    saddw2      v17.4s, v17.4s, v\q\().8h
    .endif
    input_8     \g, \pb, \last
    part_8      \half
    weights_8   \h, \pb, \step
.endm

// The tap that is left over, in v0; the pair before is odd.
.macro one_8 part=none, half=none
    smull       v26.8h, v0.8b, v1.8b
    part_8      \part
    saddw       v16.4s, v16.4s, v28.4h
    saddw2      v17.4s, v17.4s, v28.8h
    part_8      \half
.endm

// Its products.
.macro last_8
    saddw       v16.4s, v16.4s, v26.4h
    saddw2      v17.4s, v17.4s, v26.8h
.endm

// Sixteen channels of two taps, and of one.
.macro wide_pair a, b, c, d, p, p2, e, f, g, h, q, q2, pa, pb, behind, part, half
    smull       v\p\().8h, v\a\().8b, v\b\().8b
    wide_input  \e, \f, \pa
    smull2      v\p2\().8h, v\a\().16b, v\b\().16b
    .if \behind
    saddw       v16.4s, v16.4s, v\q\().4h
    saddw2      v17.4s, v17.4s, v\q\().8h
    .endif
    wide_part   \part
    smlal       v\p\().8h, v\c\().8b, v\d\().8b
    wide_input  \g, \h, \pb
    smlal2      v\p2\().8h, v\c\().16b, v\d\().16b
    .if \behind
    saddw       v18.4s, v18.4s, v\q2\().4h
    saddw2      v19.4s, v19.4s, v\q2\().8h
    .endif
    wide_part   \half
.endm

.macro wide_one
    smull       v26.8h, v0.8b, v1.8b
    smull2      v27.8h, v0.16b, v1.16b
    saddw       v16.4s, v16.4s, v28.4h
    saddw2      v17.4s, v17.4s, v28.8h
    saddw       v18.4s, v18.4s, v29.4h
    saddw2      v19.4s, v19.4s, v29.8h
.endm

.macro wide_last
    saddw       v16.4s, v16.4s, v26.4h
    saddw2      v17.4s, v17.4s, v26.8h
    saddw       v18.4s, v18.4s, v27.4h
    saddw2      v19.4s, v19.4s, v27.8h
.endm
