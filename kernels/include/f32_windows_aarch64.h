// Windows of float32 on AArch64, row after row: the kernel says what becomes of v0 and a further row in v1 (with_row), and of
// v0 in the end (finished). Channels beside a single one are zeros and go nowhere.

// Four channels (q) or one (s) of all rows of a pixel, those at offset x8; bytes: theirs.
.macro rows_of r, bytes
    mov         x10, x3
    ldr         x12, [x10], #8
    ldr         \r\()0, [x12, x8]               // row 0, as it is
    subs        x11, x1, #1                     // x11: rows left
    b.eq        11f
10:
    ldr         x12, [x10], #8
    ldr         \r\()1, [x12, x8]
    with_row
    subs        x11, x11, #1
    b.ne        10b
11:
    finished
    str         \r\()0, [x4], #\bytes
    add         x8, x8, #\bytes
.endm

// The same of a matrix: x0 rows from x2 on, x3 bytes apart, results to x4.
.macro matrix_of r, bytes
    add         x12, x2, x8
    ldr         \r\()0, [x12]                   // row 0, as it is
    subs        x11, x0, #1                     // x11: rows left
    b.eq        11f
10:
    add         x12, x12, x3
    ldr         \r\()1, [x12]
    with_row
    subs        x11, x11, #1
    b.ne        10b
11:
    finished
    str         \r\()0, [x4], #\bytes
    add         x8, x8, #\bytes
.endm
