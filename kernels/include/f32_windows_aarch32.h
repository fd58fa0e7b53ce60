// Windows of float32 on AArch32, row after row: the kernel says what becomes of q0 and a further row in q1 (with_row), and of
// q0 in the end (finished). A single channel is four times the same.

// Channels of all rows of a pixel, those at offset r5: x, further, to: {d0-d1} {d2-d3} {d0-d1}, or one of them.
.macro rows_of first, further, to, bytes
    mov         r7, r3
    ldr         r9, [r7], #4
    add         r9, r9, r5
    vld1.32     {\first}, [r9]                  // row 0, as it is
    subs        r8, r1, #1                      // r8: rows left
    beq         11f
10:
    ldr         r9, [r7], #4
    add         r9, r9, r5
    vld1.32     {\further}, [r9]
    with_row
    subs        r8, r8, #1
    bne         10b
11:
    finished
    vst1.32     {\to}, [r4]!
    add         r5, r5, #\bytes
.endm

// The same of a matrix: r0 rows from r2 on, r3 bytes apart, results to r4.
.macro matrix_of first, further, to, bytes
    add         r9, r2, r5
    vld1.32     {\first}, [r9], r3              // row 0, as it is
    subs        r8, r0, #1                      // r8: rows left
    beq         11f
10:
    vld1.32     {\further}, [r9], r3
    with_row
    subs        r8, r8, #1
    bne         10b
11:
    finished
    vst1.32     {\to}, [r4]!
    add         r5, r5, #\bytes
.endm
