// Numbers as ncnn has them, on AArch64: bytes by steps per unit (F03), sums of channels to floats (F04).
//
// The kernel names by .req: steps lower (-127, bytes), and of sums: low high (.4s, limits of the activation).

// Sixteen floats in a, b, c, d to bytes in a: half away from zero, within -127 and 127.
.macro bytes_of_16 a, b, c, d
    fmul        \a\().4s, \a\().4s, steps.4s
    fmul        \b\().4s, \b\().4s, steps.4s
    fmul        \c\().4s, \c\().4s, steps.4s
    fmul        \d\().4s, \d\().4s, steps.4s
    fcvtas      \a\().4s, \a\().4s              // half away from zero; 0 of a NaN
    fcvtas      \b\().4s, \b\().4s
    fcvtas      \c\().4s, \c\().4s
    fcvtas      \d\().4s, \d\().4s
    sqxtn       \a\().4h, \a\().4s
    sqxtn       \c\().4h, \c\().4s
    sqxtn2      \a\().8h, \b\().4s
    sqxtn2      \c\().8h, \d\().4s
    sqxtn       \a\().8b, \a\().8h
    sqxtn2      \a\().16b, \c\().8h
    smax        \a\().16b, \a\().16b, lower.16b
.endm

// Four floats, or one, in a to bytes in its lowest lanes.
.macro bytes_of_4 a
    fmul        \a\().4s, \a\().4s, steps.4s
    fcvtas      \a\().4s, \a\().4s
    sqxtn       \a\().4h, \a\().4s
    sqxtn       \a\().8b, \a\().8h
    smax        \a\().8b, \a\().8b, lower.8b
.endm

// Sixteen sums in v0..v3 to floats in v4..v7: times the factors v16..v19, plus the biases v20..v23, rounded once; limits.
.macro reals_of_16
    scvtf       v0.4s, v0.4s                    // above 2**24 this rounds
    scvtf       v1.4s, v1.4s
    scvtf       v2.4s, v2.4s
    scvtf       v3.4s, v3.4s
    mov         v4.16b, v20.16b
    mov         v5.16b, v21.16b
    mov         v6.16b, v22.16b
    mov         v7.16b, v23.16b
    fmla        v4.4s, v0.4s, v16.4s
    fmla        v5.4s, v1.4s, v17.4s
    fmla        v6.4s, v2.4s, v18.4s
    fmla        v7.4s, v3.4s, v19.4s
    fmax        v4.4s, v4.4s, low.4s
    fmax        v5.4s, v5.4s, low.4s
    fmax        v6.4s, v6.4s, low.4s
    fmax        v7.4s, v7.4s, low.4s
    fmin        v4.4s, v4.4s, high.4s
    fmin        v5.4s, v5.4s, high.4s
    fmin        v6.4s, v6.4s, high.4s
    fmin        v7.4s, v7.4s, high.4s
.endm

// Four of them, or one, in v0 to v4.
.macro reals_of_4
    scvtf       v0.4s, v0.4s
    mov         v4.16b, v20.16b
    fmla        v4.4s, v0.4s, v16.4s
    fmax        v4.4s, v4.4s, low.4s
    fmin        v4.4s, v4.4s, high.4s
.endm

// The factors and biases of four channels, or of one, for four rows at a time.
.macro alike
    mov         v17.16b, v16.16b
    mov         v18.16b, v16.16b
    mov         v19.16b, v16.16b
    mov         v21.16b, v20.16b
    mov         v22.16b, v20.16b
    mov         v23.16b, v20.16b
.endm

// All rows of a block of a few channels, whose factors and biases are in v16 and v20: four rows at a time, that none waits for the one
// before, then one. load, load_4: of a row of x at x10, of four; store, store_4: to y at x11.
.macro few_channels load_4, store_4, load, store
    alike
    mov         x10, x2                         // x10: where x is read next
    mov         x11, x6                         // x11: where y is written next
    subs        x9, x0, #4                      // x9: rows left, less four
    b.lo        31f
30:
    \load_4
    reals_of_16
    \store_4
    subs        x9, x9, #4
    b.hs        30b
31:
    adds        x9, x9, #4                      // x9: rows left
    b.eq        33f
32:
    \load
    reals_of_4
    \store
    subs        x9, x9, #1
    b.ne        32b
33:
.endm

.macro load_4_channels
    ld1         {v0.4s}, [x10], x3
.endm

.macro load_4_channels_of_4
    ld1         {v0.4s}, [x10], x3
    ld1         {v1.4s}, [x10], x3
    ld1         {v2.4s}, [x10], x3
    ld1         {v3.4s}, [x10], x3
.endm

.macro load_1_channel
    ld1r        {v0.4s}, [x10], x3
.endm

.macro load_1_channel_of_4
    ld1r        {v0.4s}, [x10], x3
    ld1r        {v1.4s}, [x10], x3
    ld1r        {v2.4s}, [x10], x3
    ld1r        {v3.4s}, [x10], x3
.endm

// All rows, sixteen channels at a time, then four, then one: what becomes of a row of them is store_16, store_4 and store_1, of four rows
// store_4_of_4 and store_1_of_4, which also go on to the next row at x11; to_16, to_4, to_1: bytes from one block of channels of y to
// the next.
.macro all_channels to_16, to_4, to_1
    // ---- Sixteen channels, whose factors and biases stay in registers, of every row.
    subs        x1, x1, #16                     // x1: channels left, less 16
    b.lo        22f
20:
    ldp         q16, q17, [x4], #32
    ldp         q18, q19, [x4], #32
    ldp         q20, q21, [x5], #32
    ldp         q22, q23, [x5], #32
    mov         x9, x0                          // x9: rows left
    mov         x10, x2                         // x10: where x is read next
    mov         x11, x6                         // x11: where y is written next
21:
    ldp         q0, q1, [x10]
    ldp         q2, q3, [x10, #32]
    add         x10, x10, x3
    reals_of_16
    store_16
    subs        x9, x9, #1
    b.ne        21b
    add         x2, x2, #64
    add         x6, x6, #\to_16
    subs        x1, x1, #16
    b.hs        20b

    // ---- Four channels.
22:
    adds        x1, x1, #12                     // x1: channels left, less 4
    b.mi        25f
23:
    ldr         q16, [x4], #16
    ldr         q20, [x5], #16
    few_channels load_4_channels_of_4, store_4_of_4, load_4_channels, store_4
    add         x2, x2, #16
    add         x6, x6, #\to_4
    subs        x1, x1, #4
    b.pl        23b

    // ---- The last 1..3, one by one.
25:
    adds        x1, x1, #4                      // x1: channels left
    b.eq        28f
26:
    ld1r        {v16.4s}, [x4], #4
    ld1r        {v20.4s}, [x5], #4
    few_channels load_1_channel_of_4, store_1_of_4, load_1_channel, store_1
    add         x2, x2, #4
    add         x6, x6, #\to_1
    subs        x1, x1, #1
    b.ne        26b
28:
.endm
