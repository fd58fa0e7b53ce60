// Around averages of int8 on AArch32: seven rows of a matrix at a time, windows of nine rows, row after row.
//
//   r2 and r4..r9 rows   r12 channels left, less 8   d30 bits to shift out
//   r4..r12 rows of a window, r0 channels left, less 8

// Rows 1 to 6 behind row 0; zero stands for those that are not there.
.macro seven_pointers m, stride, zero
    cmp         \m, #2
    add         r4, r2, \stride
    movlo       r4, \zero
    add         r5, r4, \stride
    movls       r5, \zero                       // m <= 2
    cmp         \m, #4
    add         r6, r5, \stride
    movlo       r6, \zero
    add         r7, r6, \stride
    movls       r7, \zero                       // m <= 4
    cmp         \m, #6
    add         r8, r7, \stride
    movlo       r8, \zero
    add         r9, r8, \stride
    movls       r9, \zero                       // m <= 6
.endm

// Eight channels of a row, and on to the next; last: the 8 bytes that end with it, the old ones shifted out.
.macro row_8 d, p, last
    .if \last
    add         \p, \p, r12
    vld1.8      {\d}, [\p]
    vshl.u64    \d, \d, d30
    .else
    vld1.8      {\d}, [\p]!
    .endif
.endm

// Eight channels of seven rows, added to the sums in a and b (q): seven bytes add up in 16 bits.
.macro add_seven_rows a, b, last
    row_8       d0, r2, \last
    row_8       d1, r4, \last
    row_8       d2, r5, \last
    row_8       d3, r6, \last
    row_8       d4, r7, \last
    row_8       d5, r8, \last
    row_8       d6, r9, \last
    vaddl.s8    q0, d0, d1
    vaddl.s8    q1, d2, d3
    vaddl.s8    q2, d4, d5
    vaddw.s8    q0, q0, d6
    vadd.i16    q1, q1, q2
    vadd.i16    q0, q0, q1
    vaddw.s16   q9, \b, d1                      // q8, q9: sums of channels 0..3, 4..7
    vaddw.s16   q8, \a, d0
.endm

// Bias and parameters of rndnu (neonsim_mean_params): q14, q10..q13, limits in d names.
.macro load_mean params
    vld1.32     {d28[], d29[]}, [\params]!     // q14: bias
    vld1.32     {d20[], d21[]}, [\params]!     // q10: multiplier
    vld1.32     {d22[], d23[]}, [\params]!     // q11: to the left: what the right shift is too far
    vld1.32     {d24[], d25[]}, [\params]!     // q12: minus the shift to the right, which is 1 at least
    vld1.16     {d26[], d27[]}, [\params]!     // q13: zero point of y
    vld1.8      {upper[]}, [\params]!
    vld1.8      {lower[]}, [\params]
.endm

// Eight channels of a row of a window, and on to the next; last: the 8 bytes that end with it, the old ones shifted out.
.macro window_row_8 d, p, last
    .if \last
    add         \p, \p, r0
    vld1.8      {\d}, [\p]
    vshl.u64    \d, \d, d30
    .else
    vld1.8      {\d}, [\p]!
    .endif
.endm

// Eight channels of nine rows, added to the sums in b (q): nine bytes add up in 16 bits, 9 * 128 < 2**15.
.macro add_nine_rows b, last
    window_row_8 d0, r4, \last
    window_row_8 d1, r5, \last
    window_row_8 d2, r6, \last
    window_row_8 d3, r7, \last
    window_row_8 d4, r8, \last
    window_row_8 d5, r9, \last
    window_row_8 d6, r10, \last
    window_row_8 d7, r11, \last
    window_row_8 d16, r12, \last
    vaddl.s8    q0, d0, d1
    vaddl.s8    q1, d2, d3
    vaddl.s8    q2, d4, d5
    vaddl.s8    q3, d6, d7
    vaddw.s8    q0, q0, d16
    vadd.i16    q1, q1, q2
    vadd.i16    q0, q0, q3
    vadd.i16    q0, q0, q1
    vaddw.s16   q9, \b, d1                      // q8, q9: sums of channels 0..3, 4..7
    vaddw.s16   q8, \b, d0
.endm

// Eight channels of all rows of a window, one by one, added to the sums in q8 and q9: from the table at t, rows of
// them, offset bytes into each; p is a scratch register.
.macro add_row_by_row t, rows, offset, p, last
10:
    ldr         \p, [\t], #4
    add         \p, \p, \offset
    vld1.8      {d0}, [\p]
    .if \last
    vshl.u64    d0, d0, d30
    .endif
    vmovl.s8    q0, d0
    subs        \rows, \rows, #1
    vaddw.s16   q9, q9, d1
    vaddw.s16   q8, q8, d0
    bne         10b
.endm

// Eight sums in q8 and q9 to bytes in d16, ties away from zero: with average_aarch32.h.
.macro finish_away_8
    scale_average q8, d16, d17, q0, q1, q2, d4, d5
    scale_average q9, d18, d19, q0, q1, q2, d4, d5
    narrow_sums d16
.endm
