// Depthwise products on AArch64: taps widened to 16 bits first, products added to 32-bit sums (SXTL, SMLAL).

// Eight channels of two taps.
.macro two_taps pa, pb, last, step
    input_8     0, \pa, \last
    weights_8   1, \step
    input_8     2, \pb, \last
    weights_8   3, \step
    sxtl        v0.8h, v0.8b
    sxtl        v1.8h, v1.8b
    sxtl        v2.8h, v2.8b
    sxtl        v3.8h, v3.8b
    smlal       v16.4s, v0.4h, v1.4h
    smlal2      v17.4s, v0.8h, v1.8h
    smlal       v16.4s, v2.4h, v3.4h
    smlal2      v17.4s, v2.8h, v3.8h
.endm

// Of the one that is left over.
.macro last_tap pa, last, step
    input_8     0, \pa, \last
    weights_8   1, \step
    sxtl        v0.8h, v0.8b
    sxtl        v1.8h, v1.8b
    smlal       v16.4s, v0.4h, v1.4h
    smlal2      v17.4s, v0.8h, v1.8h
.endm

// Sixteen channels of two taps, and of one.
.macro wide_two_taps pa, pb
    wide_last_tap \pa
    wide_last_tap \pb
.endm

.macro wide_last_tap pa
    ldr         q0, [\pa, x20]
    ldr         q1, [x19], #16
    sxtl        v4.8h, v0.8b
    sxtl        v5.8h, v1.8b
    sxtl2       v6.8h, v0.16b
    sxtl2       v7.8h, v1.16b
    smlal       v16.4s, v4.4h, v5.4h
    smlal2      v17.4s, v4.8h, v5.8h
    smlal       v18.4s, v6.4h, v7.4h
    smlal2      v19.4s, v6.8h, v7.8h
.endm
