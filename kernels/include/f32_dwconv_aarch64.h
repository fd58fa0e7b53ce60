// Nine taps of float32 on AArch64, pointers in x8..x16, weights at x19 in blocks of 8 channels, limits in v18 and v19.

// Eight channels of a row, and their weights: to v0..v3 or to v4..v7.
.macro tap_of_8 p, x0, x1, w0, w1
    ldp         q\x0, q\x1, [\p], #32
    ldp         q\w0, q\w1, [x19], #32
.endm

.macro even_tap
    fmla        v16.4s, v0.4s, v2.4s
    fmla        v17.4s, v1.4s, v3.4s
.endm

.macro odd_tap
    fmla        v16.4s, v4.4s, v6.4s
    fmla        v17.4s, v5.4s, v7.4s
.endm

// Sums of eight channels, clamped, in v16 and v17.
.macro nine_taps_of_8
    ldp         q16, q17, [x19], #32            // biases
    tap_of_8    x8, 0, 1, 2, 3
    tap_of_8    x9, 4, 5, 6, 7
    even_tap
    tap_of_8    x10, 0, 1, 2, 3
    odd_tap
    tap_of_8    x11, 4, 5, 6, 7
    even_tap
    tap_of_8    x12, 0, 1, 2, 3
    odd_tap
    tap_of_8    x13, 4, 5, 6, 7
    even_tap
    tap_of_8    x14, 0, 1, 2, 3
    odd_tap
    tap_of_8    x15, 4, 5, 6, 7
    even_tap
    tap_of_8    x16, 0, 1, 2, 3
    odd_tap
    even_tap
    fmax        v16.4s, v16.4s, v18.4s
    fmax        v17.4s, v17.4s, v18.4s
    fmin        v16.4s, v16.4s, v19.4s
    fmin        v17.4s, v17.4s, v19.4s
.endm

// Fewer channels of the block, q: four, s: one; bytes: theirs. Their weights lie 32 bytes apart. Sums, clamped, in v16.
.macro nine_taps_of r, bytes
    ldr         \r\()16, [x19], #32
    .irp p, x8, x9, x10, x11, x12, x13, x14, x15, x16
    ldr         \r\()0, [\p], #\bytes
    ldr         \r\()2, [x19], #32
    fmla        v16.4s, v0.4s, v2.4s
    .endr
    fmax        v16.4s, v16.4s, v18.4s
    fmin        v16.4s, v16.4s, v19.4s
.endm
