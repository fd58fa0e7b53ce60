// Around averages of int8 on AArch64: seven rows of a matrix at a time, windows of nine rows, row after row.
//
//   x2 and x8..x13 rows   x14 channels done: offset into every row   x15 channels left, less 8   v31 bits to shift out
//   x8..x16 rows of a window, x17 channels left, less 8

// Rows 1 to 6 behind row 0; zero stands for those that are not there.
.macro seven_pointers m, stride, zero
    cmp         \m, #2
    add         x8, x2, \stride
    csel        x8, \zero, x8, lo
    add         x9, x8, \stride
    csel        x9, \zero, x9, ls               // m <= 2
    cmp         \m, #4
    add         x10, x9, \stride
    csel        x10, \zero, x10, lo
    add         x11, x10, \stride
    csel        x11, \zero, x11, ls             // m <= 4
    cmp         \m, #6
    add         x12, x11, \stride
    csel        x12, \zero, x12, lo
    add         x13, x12, \stride
    csel        x13, \zero, x13, ls             // m <= 6
.endm

// Eight channels of a row; last: the 8 bytes that end with it, the old ones shifted out.
.macro row_8 x, p, last
    ldr         d\x, [\p, x14]
    .if \last
    ushl        d\x, d\x, d31
    .endif
.endm

// Eight channels of seven rows, added to the sums in a and b (.4s): seven bytes add up in 16 bits.
.macro add_seven_rows a, b, last
    row_8       0, x2, \last
    row_8       1, x8, \last
    row_8       2, x9, \last
    row_8       3, x10, \last
    row_8       4, x11, \last
    row_8       5, x12, \last
    row_8       6, x13, \last
    saddl       v0.8h, v0.8b, v1.8b
    saddl       v2.8h, v2.8b, v3.8b
    saddl       v4.8h, v4.8b, v5.8b
    saddw       v0.8h, v0.8h, v6.8b
    add         v2.8h, v2.8h, v4.8h
    add         v0.8h, v0.8h, v2.8h
    saddw2      v17.4s, \b\().4s, v0.8h         // v16, v17: sums of channels 0..3, 4..7
    saddw       v16.4s, \a\().4s, v0.4h
.endm

// Eight sums to bytes in v16.
.macro finish_8
    scale_half_row_rndnu v16, v17
    narrow_half_row v16, v17
.endm

// Eight channels of a row of a window, and on to the next; last: the 8 bytes that end with it, the old ones shifted out.
.macro window_row_8 x, p, last
    .if \last
    ldr         d\x, [\p, x17]
    ushl        d\x, d\x, d31
    .else
    ldr         d\x, [\p], #8
    .endif
.endm

// Eight channels of nine rows, added to the sums in b (.4s): nine bytes add up in 16 bits, 9 * 128 < 2**15.
.macro add_nine_rows b, last
    window_row_8 0, x8, \last
    window_row_8 1, x9, \last
    window_row_8 2, x10, \last
    window_row_8 3, x11, \last
    window_row_8 4, x12, \last
    window_row_8 5, x13, \last
    window_row_8 6, x14, \last
    window_row_8 7, x15, \last
    window_row_8 16, x16, \last
    saddl       v0.8h, v0.8b, v1.8b
    saddl       v2.8h, v2.8b, v3.8b
    saddl       v4.8h, v4.8b, v5.8b
    saddl       v6.8h, v6.8b, v7.8b
    saddw       v0.8h, v0.8h, v16.8b
    add         v2.8h, v2.8h, v4.8h
    add         v0.8h, v0.8h, v6.8h
    add         v0.8h, v0.8h, v2.8h
    saddw2      v17.4s, \b\().4s, v0.8h         // v16, v17: sums of channels 0..3, 4..7
    saddw       v16.4s, \b\().4s, v0.4h
.endm

// Eight channels of all rows of a window, one by one, added to the sums in v16 and v17: from the table at t, rows of
// them, offset bytes into each; p is a scratch register.
.macro add_row_by_row t, rows, offset, p, last
10:
    ldr         \p, [\t], #8
    ldr         d0, [\p, \offset]
    .if \last
    ushl        d0, d0, d31
    .endif
    sxtl        v0.8h, v0.8b
    subs        \rows, \rows, #1
    saddw2      v17.4s, v17.4s, v0.8h
    saddw       v16.4s, v16.4s, v0.4h
    b.ne        10b
.endm

// Eight sums in v16 and v17 to bytes in v16, ties away from zero: with average_aarch64.h.
.macro finish_away_8
    scale_average v16, v18, v19, v27
    scale_average v17, v18, v19, v27
    narrow_half_row v16, v17
.endm
