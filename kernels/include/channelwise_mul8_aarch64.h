// Depthwise products on AArch64: bytes multiplied to 16 bits, each product added to 32-bit sums (SMULL, SADDW).

// Eight channels of two taps.
.macro two_taps pa, pb, last, step
    input_8     0, \pa, \last
    weights_8   1, \step
    input_8     2, \pb, \last
    weights_8   3, \step
    smull       v4.8h, v0.8b, v1.8b
    smull       v5.8h, v2.8b, v3.8b
    saddw       v16.4s, v16.4s, v4.4h
    saddw2      v17.4s, v17.4s, v4.8h
    saddw       v16.4s, v16.4s, v5.4h
    saddw2      v17.4s, v17.4s, v5.8h
.endm

// Of the one that is left over.
.macro last_tap pa, last, step
    input_8     0, \pa, \last
    weights_8   1, \step
    smull       v4.8h, v0.8b, v1.8b
    saddw       v16.4s, v16.4s, v4.4h
    saddw2      v17.4s, v17.4s, v4.8h
.endm

// Sixteen channels of two taps, and of one.
.macro wide_two_taps pa, pb
    wide_last_tap \pa
    wide_last_tap \pb
.endm

.macro wide_last_tap pa
    ldr         q0, [\pa, x20]
    ldr         q1, [x19], #16
    smull       v4.8h, v0.8b, v1.8b
    smull2      v5.8h, v0.16b, v1.16b
    saddw       v16.4s, v16.4s, v4.4h
    saddw2      v17.4s, v17.4s, v4.8h
    saddw       v18.4s, v18.4s, v5.4h
    saddw2      v19.4s, v19.4s, v5.8h
.endm
