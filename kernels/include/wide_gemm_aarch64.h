// Products wider than bytes on AArch64: tiles of four rows.

// Sums of four rows from four biases of 64 bits, at p, which then points behind them.
.macro wide_bias p
    ldp         q20, q21, [\p], #32             // row 0: columns 0, 1 and 2, 3
    mov         v22.16b, v20.16b                // and three more rows
    mov         v23.16b, v21.16b
    mov         v24.16b, v20.16b
    mov         v25.16b, v21.16b
    mov         v26.16b, v20.16b
    mov         v27.16b, v21.16b
.endm

// One row of 16x8: four sums of 64 bits in low and high become int16 in result. v6: multipliers, v4, v5: minus the shifts,
// v2, v3: limits. A product with 64 bits is made of those with its halves.
.macro scale_row low, high, result
    xtn         v28.2s, \low\().2d              // v28: lower halves, unsigned
    xtn2        v28.4s, \high\().2d
    shrn        v29.2s, \low\().2d, #32         // v29: upper halves, signed
    shrn2       v29.4s, \high\().2d, #32
    umull       v30.2d, v28.2s, v6.2s
    umull2      v31.2d, v28.4s, v6.4s
    smull       \low\().2d, v29.2s, v6.2s
    smull2      \high\().2d, v29.4s, v6.4s
    shl         \low\().2d, \low\().2d, #32
    shl         \high\().2d, \high\().2d, #32
    add         \low\().2d, \low\().2d, v30.2d
    add         \high\().2d, \high\().2d, v31.2d
    srshl       \low\().2d, \low\().2d, v4.2d   // one rounding, half up
    srshl       \high\().2d, \high\().2d, v5.2d
    xtn         \result\().2s, \low\().2d
    xtn2        \result\().4s, \high\().2d
    smax        \result\().4s, \result\().4s, v2.4s
    smin        \result\().4s, \result\().4s, v3.4s
    xtn         \result\().4h, \result\().4s
.endm

// One depth of eight columns by lane of four rows in v0..v3, into v16..v23; the columns pass through weights.
.macro one_depth weights, loaded, lane
    ldr         \loaded, [x5], #8
    sxtl        \weights\().8h, \weights\().8b
    smlal       v16.4s, \weights\().4h, v0.h[\lane]
    smlal2      v17.4s, \weights\().8h, v0.h[\lane]
    smlal       v18.4s, \weights\().4h, v1.h[\lane]
    smlal2      v19.4s, \weights\().8h, v1.h[\lane]
    smlal       v20.4s, \weights\().4h, v2.h[\lane]
    smlal2      v21.4s, \weights\().8h, v2.h[\lane]
    smlal       v22.4s, \weights\().4h, v3.h[\lane]
    smlal2      v23.4s, \weights\().8h, v3.h[\lane]
.endm

// One depth of four columns by lane of four rows of 32 bits in v0..v3, into v16..v23.
.macro long_depth weights, lane
    smlal       v16.2d, \weights\().2s, v0.s[\lane]
    smlal2      v17.2d, \weights\().4s, v0.s[\lane]
    smlal       v18.2d, \weights\().2s, v1.s[\lane]
    smlal2      v19.2d, \weights\().4s, v1.s[\lane]
    smlal       v20.2d, \weights\().2s, v2.s[\lane]
    smlal2      v21.2d, \weights\().4s, v2.s[\lane]
    smlal       v22.2d, \weights\().2s, v3.s[\lane]
    smlal2      v23.2d, \weights\().4s, v3.s[\lane]
.endm

// Products of upper halves, 32 bits of them, to those of lower halves; v0 is lost.
.macro join_halves low, high, upper
    shll        v0.2d, \upper\().2s, #32
    add         \low\().2d, \low\().2d, v0.2d
    shll2       v0.2d, \upper\().4s, #32
    add         \high\().2d, \high\().2d, v0.2d
.endm

// Limits of eight columns of 32 bits: v0, v1 lower, v2, v3 upper.
.macro limit_row first, second
    smax        \first\().4s, \first\().4s, v0.4s
    smax        \second\().4s, \second\().4s, v1.4s
    smin        \first\().4s, \first\().4s, v2.4s
    smin        \second\().4s, \second\().4s, v3.4s
.endm

// Limits of four columns of 64 bits: v0, v1 lower, v2, v3 upper. There is no SMAX of 64 bits: mask is where to take the limit.
.macro limit_wide first, second, mask
    cmgt        \mask\().2d, v0.2d, \first\().2d
    bit         \first\().16b, v0.16b, \mask\().16b
    cmgt        \mask\().2d, v1.2d, \second\().2d
    bit         \second\().16b, v1.16b, \mask\().16b
    cmgt        \mask\().2d, \first\().2d, v2.2d
    bit         \first\().16b, v2.16b, \mask\().16b
    cmgt        \mask\().2d, \second\().2d, v3.2d
    bit         \second\().16b, v3.16b, \mask\().16b
.endm
