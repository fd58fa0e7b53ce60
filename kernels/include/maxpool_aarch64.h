// The largest of rows of bytes on AArch64, 16 channels at a time; what is larger, signed or not, is in another file.
//
//   x8..x16 rows     x5 where the maxima go (largest_8)     x2 channels (load_row)     v0..v3 channels of some rows
// The kernel names by .req: upper, lower (limits, .16b).

// Up to nine pointers from the table at t; those that do not exist repeat the first one. Nothing behind the last
// pointer is read.
.macro pointers_up_to_9 t, ks
    ldr         x8, [\t]
    mov         x9, x8
    mov         x10, x8
    mov         x11, x8
    mov         x12, x8
    mov         x13, x8
    mov         x14, x8
    mov         x15, x8
    mov         x16, x8
    cmp         \ks, #2
    b.lo        20f
    ldr         x9, [\t, #8]                    // row 1
    b.eq        20f
    ldr         x10, [\t, #16]                  // row 2
    cmp         \ks, #4
    b.lo        20f
    ldr         x11, [\t, #24]                  // row 3
    b.eq        20f
    ldr         x12, [\t, #32]                  // row 4
    cmp         \ks, #6
    b.lo        20f
    ldr         x13, [\t, #40]                  // row 5
    b.eq        20f
    ldr         x14, [\t, #48]                  // row 6
    cmp         \ks, #8
    b.lo        20f
    ldr         x15, [\t, #56]                  // row 7
    b.eq        20f
    ldr         x16, [\t, #64]                  // row 8
20:
.endm

// Up to eight pointers from the table at t; those that do not exist repeat the first one. Nothing behind the last
// pointer is read.
.macro pointers_up_to_8 t, ks
    ldr         x8, [\t]
    mov         x9, x8
    mov         x10, x8
    mov         x11, x8
    mov         x12, x8
    mov         x13, x8
    mov         x14, x8
    mov         x15, x8
    cmp         \ks, #2
    b.lo        20f
    ldr         x9, [\t, #8]                    // row 1
    b.eq        20f
    ldr         x10, [\t, #16]                  // row 2
    cmp         \ks, #4
    b.lo        20f
    ldr         x11, [\t, #24]                  // row 3
    b.eq        20f
    ldr         x12, [\t, #32]                  // row 4
    cmp         \ks, #6
    b.lo        20f
    ldr         x13, [\t, #40]                  // row 5
    b.eq        20f
    ldr         x14, [\t, #48]                  // row 6
    cmp         \ks, #8
    b.lo        20f
    ldr         x15, [\t, #56]                  // row 7
20:
.endm

// Sixteen channels: the largest of nine rows, in pairs, clamped.
.macro largest_9
    ldr         q0, [x8], #16
    ldr         q1, [x9], #16
    ldr         q2, [x10], #16
    ldr         q3, [x11], #16
    larger      v0, v0, v1
    larger      v2, v2, v3
    ldr         q1, [x12], #16
    ldr         q3, [x13], #16
    larger      v0, v0, v1
    larger      v2, v2, v3
    ldr         q1, [x14], #16
    ldr         q3, [x15], #16
    larger      v0, v0, v1
    larger      v2, v2, v3
    ldr         q1, [x16], #16
    larger      v0, v0, v2
    larger      v0, v0, v1
    smaller     v0, v0, upper
    larger      v0, v0, lower
.endm

// Sixteen channels: the largest of eight rows and of what y holds, in pairs, clamped.
.macro largest_8
    ldr         q0, [x8], #16
    ldr         q1, [x9], #16
    ldr         q2, [x10], #16
    ldr         q3, [x11], #16
    larger      v0, v0, v1
    larger      v2, v2, v3
    ldr         q1, [x12], #16
    ldr         q3, [x13], #16
    larger      v0, v0, v1
    larger      v2, v2, v3
    ldr         q1, [x14], #16
    ldr         q3, [x15], #16
    larger      v0, v0, v1
    larger      v2, v2, v3
    ldr         q1, [x5]
    larger      v0, v0, v2
    larger      v0, v0, v1
    smaller     v0, v0, upper
    larger      v0, v0, lower
.endm

// Back to the 16 bytes that end with each row; kc >= 16, so they lie within it.
.macro back_up count
    add         x8, x8, \count
    add         x9, x9, \count
    add         x10, x10, \count
    add         x11, x11, \count
    add         x12, x12, \count
    add         x13, x13, \count
    add         x14, x14, \count
    add         x15, x15, \count
    add         x16, x16, \count
.endm

// A row of x2 bytes that ends before p, to the first lanes of v0; what is in the other lanes does not matter.
.macro load_row p
    tbz         x2, #0, 20f
    sub         \p, \p, #1
    ld1         {v0.b}[0], [\p]
20:
    tbz         x2, #1, 21f
    sub         \p, \p, #2
    ext         v0.16b, v0.16b, v0.16b, #14     // two lanes up
    ld1         {v0.h}[0], [\p]
21:
    tbz         x2, #2, 22f
    sub         \p, \p, #4
    ext         v0.16b, v0.16b, v0.16b, #12     // four lanes up
    ld1         {v0.s}[0], [\p]
22:
    tbz         x2, #3, 23f
    sub         \p, \p, #8
    ext         v0.16b, v0.16b, v0.16b, #8      // eight lanes up
    ld1         {v0.d}[0], [\p]
23:
.endm
