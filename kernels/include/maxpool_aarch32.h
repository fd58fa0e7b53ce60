// The largest of rows of bytes on AArch32, 16 channels at a time; what is larger, signed or not, is in another file.
//
//   r4..r12 rows     r3 the table of pointers     lr where the maxima go (largest_8)     r2 channels (load_row)
//   q0..q3 channels of some rows
// The kernel names by .req: upper, lower (limits, q).

// Up to nine pointers from the table at r3; those that do not exist repeat the first one. Nothing behind
// the last pointer is read.
.macro pointers_up_to_9 ks
    ldr         r4, [r3]
    cmp         \ks, #2
    ldrhs       r5, [r3, #4]
    movlo       r5, r4
    ldrhi       r6, [r3, #8]
    movls       r6, r4
    cmp         \ks, #4
    ldrhs       r7, [r3, #12]
    movlo       r7, r4
    ldrhi       r8, [r3, #16]
    movls       r8, r4
    cmp         \ks, #6
    ldrhs       r9, [r3, #20]
    movlo       r9, r4
    ldrhi       r10, [r3, #24]
    movls       r10, r4
    cmp         \ks, #8
    ldrhs       r11, [r3, #28]
    movlo       r11, r4
    ldrhi       r12, [r3, #32]
    movls       r12, r4
.endm

// Up to eight pointers from the table at r3; those that do not exist repeat the first one. Nothing behind
// the last pointer is read.
.macro pointers_up_to_8 ks
    ldr         r4, [r3]
    cmp         \ks, #2
    ldrhs       r5, [r3, #4]
    movlo       r5, r4
    ldrhi       r6, [r3, #8]
    movls       r6, r4
    cmp         \ks, #4
    ldrhs       r7, [r3, #12]
    movlo       r7, r4
    ldrhi       r8, [r3, #16]
    movls       r8, r4
    cmp         \ks, #6
    ldrhs       r9, [r3, #20]
    movlo       r9, r4
    ldrhi       r10, [r3, #24]
    movls       r10, r4
    cmp         \ks, #8
    ldrhs       r11, [r3, #28]
    movlo       r11, r4
.endm

// Sixteen channels: the largest of nine rows, in pairs, clamped.
.macro largest_9
    vld1.8      {d0-d1}, [r4]!
    vld1.8      {d2-d3}, [r5]!
    vld1.8      {d4-d5}, [r6]!
    vld1.8      {d6-d7}, [r7]!
    larger      q0, q0, q1
    larger      q2, q2, q3
    vld1.8      {d2-d3}, [r8]!
    vld1.8      {d6-d7}, [r9]!
    larger      q0, q0, q1
    larger      q2, q2, q3
    vld1.8      {d2-d3}, [r10]!
    vld1.8      {d6-d7}, [r11]!
    larger      q0, q0, q1
    larger      q2, q2, q3
    vld1.8      {d2-d3}, [r12]!
    larger      q0, q0, q2
    larger      q0, q0, q1
    smaller     q0, q0, upper
    larger      q0, q0, lower
.endm

// Sixteen channels: the largest of eight rows and of what y holds, in pairs, clamped.
.macro largest_8
    vld1.8      {d0-d1}, [r4]!
    vld1.8      {d2-d3}, [r5]!
    vld1.8      {d4-d5}, [r6]!
    vld1.8      {d6-d7}, [r7]!
    larger      q0, q0, q1
    larger      q2, q2, q3
    vld1.8      {d2-d3}, [r8]!
    vld1.8      {d6-d7}, [r9]!
    larger      q0, q0, q1
    larger      q2, q2, q3
    vld1.8      {d2-d3}, [r10]!
    vld1.8      {d6-d7}, [r11]!
    larger      q0, q0, q1
    larger      q2, q2, q3
    vld1.8      {d2-d3}, [lr]
    larger      q0, q0, q2
    larger      q0, q0, q1
    smaller     q0, q0, upper
    larger      q0, q0, lower
.endm

// Back to the 16 bytes that end with each row; kc >= 16, so they lie within it.
.macro back_up_8 count
    add         r4, r4, \count
    add         r5, r5, \count
    add         r6, r6, \count
    add         r7, r7, \count
    add         r8, r8, \count
    add         r9, r9, \count
    add         r10, r10, \count
    add         r11, r11, \count
.endm

// A row of r2 bytes that ends before p, to the first lanes of q0; what is in the other lanes does not matter.
.macro load_row p
    tst         r2, #1
    beq         20f
    sub         \p, \p, #1
    vld1.8      {d0[0]}, [\p]
20:
    tst         r2, #2
    beq         21f
    sub         \p, \p, #2
    vext.8      q0, q0, q0, #14                 // two lanes up
    vld1.16     {d0[0]}, [\p]
21:
    tst         r2, #4
    beq         22f
    sub         \p, \p, #4
    vext.8      q0, q0, q0, #12                 // four lanes up
    vld1.32     {d0[0]}, [\p]
22:
    tst         r2, #8
    beq         23f
    sub         \p, \p, #8
    vext.8      q0, q0, q0, #8                  // eight lanes up
    vld1.8      {d0}, [\p]
23:
.endm
