// Numbers as ncnn has them, on AArch32: bytes by steps per unit (F03), sums of channels to floats (F04).
//
// No conversion of Armv7 rounds half away from zero: VCVT cuts off. So it is asked for twice the number, cut off (one fraction bit), less
// one where it is negative; rounded half up when it is halved (VQRSHRN), that is half away from zero for every float, exactly:
//
//   x          0.49999997   0.5   1.5   -0.5   -1.5   -1.49
//   2x, cut    0            1     3     -1     -3     -2
//   less sign  0            1     3     -2     -4     -3
//   halved     0            1     2     -1     -2     -1
//
// Adding a half before cutting off is not: 0.49999997 + 0.5 is 1 in single precision. All is done in 16 bits, to which twice the number
// saturates first, beyond any byte.
//
// The kernel names by .req: steps (q), lower (d or q, -127, bytes), and of sums: low high (q, limits of the activation). q2, q3: scratch.

// Eight floats in q2 and q3 to bytes in d4.
.macro bytes_of_8
    vmul.f32    q2, q2, steps
    vmul.f32    q3, q3, steps
    vcvt.s32.f32 q2, q2, #1                     // twice the number, cut off; 0 of a NaN
    vcvt.s32.f32 q3, q3, #1
    vqmovn.s32  d4, q2
    vqmovn.s32  d5, q3
    vshr.s16    q3, q2, #15                     // -1 where it is negative
    vqadd.s16   q2, q2, q3
    vqrshrn.s16 d4, q2, #1
    vmax.s8     d4, d4, lower
.endm

// Four floats, or one, in q2 to bytes in the lower half of d4.
.macro bytes_of_4
    vmul.f32    q2, q2, steps
    vcvt.s32.f32 q2, q2, #1
    vqmovn.s32  d4, q2
    vmov        d5, d4
    vshr.s16    q3, q2, #15
    vqadd.s16   q2, q2, q3
    vqrshrn.s16 d4, q2, #1
    vmax.s8     d4, d4, lower
.endm

// Eight sums in q0 and q1 to floats in q2 and q3: times the factors q8 and q9, plus the biases q10 and q11, rounded once; limits.
.macro reals_of_8
    vcvt.f32.s32 q0, q0                         // above 2**24 this rounds
    vcvt.f32.s32 q1, q1
    vmov        q2, q10
    vmov        q3, q11
    vfma.f32    q2, q0, q8
    vfma.f32    q3, q1, q9
    vmax.f32    q2, q2, low
    vmax.f32    q3, q3, low
    vmin.f32    q2, q2, high
    vmin.f32    q3, q3, high
.endm

// Four of them, or one, in q0 to q2.
.macro reals_of_4
    vcvt.f32.s32 q0, q0
    vmov        q2, q10
    vfma.f32    q2, q0, q8
    vmax.f32    q2, q2, low
    vmin.f32    q2, q2, high
.endm

// All rows of a block of a few channels, whose factors and biases are in q8 and q10: two rows at a time, then one. load: of a row of x
// at r8 to the registers named; store, store_2: of one row and of two, to y at r9.
.macro few_channels load, store, store_2
    vmov        q9, q8
    vmov        q11, q10
    mov         r8, r2                          // r8: where x is read next
    mov         r9, r6                          // r9: where y is written next
    subs        r10, r0, #2                     // r10: rows left, less two
    blo         31f
30:
    \load       d0, d1
    \load       d2, d3
    reals_of_8
    \store_2
    subs        r10, r10, #2
    bhs         30b
31:
    cmn         r10, #2                         // none left?
    beq         33f
    \load       d0, d1
    reals_of_4
    \store
33:
.endm

.macro load_4_channels a, b
    vld1.8      {\a-\b}, [r8], r3
.endm

.macro load_1_channel a, b
    vld1.32     {\a[], \b[]}, [r8], r3
.endm

// All rows, eight channels at a time, then four, then one: what becomes of a row of them is store_8, store_4 and store_1, of two rows
// store_4_of_2 and store_1_of_2, which also go on to the next row at r9; to_8, to_4, to_1: bytes from one block of channels of y to the
// next.
.macro all_channels to_8, to_4, to_1
    // ---- Eight channels, whose factors and biases stay in registers, of every row.
    subs        r1, r1, #8                      // r1: channels left, less 8
    blo         22f
20:
    vld1.8      {d16-d19}, [r4]!
    vld1.8      {d20-d23}, [r5]!
    mov         r10, r0                         // r10: rows left
    mov         r8, r2                          // r8: where x is read next
    mov         r9, r6                          // r9: where y is written next
21:
    vld1.8      {d0-d3}, [r8], r3
    reals_of_8
    store_8
    subs        r10, r10, #1
    bne         21b
    add         r2, r2, #32
    add         r6, r6, #\to_8
    subs        r1, r1, #8
    bhs         20b

    // ---- Four channels, if four are left.
22:
    adds        r1, r1, #4                      // r1: channels left, less 4
    bmi         25f
    vld1.8      {d16-d17}, [r4]!
    vld1.8      {d20-d21}, [r5]!
    few_channels load_4_channels, store_4, store_4_of_2
    add         r2, r2, #16
    add         r6, r6, #\to_4
    sub         r1, r1, #4

    // ---- The last 1..3, one by one.
25:
    adds        r1, r1, #4                      // r1: channels left
    beq         28f
26:
    vld1.32     {d16[], d17[]}, [r4]!
    vld1.32     {d20[], d21[]}, [r5]!
    few_channels load_1_channel, store_1, store_1_of_2
    add         r2, r2, #4
    add         r6, r6, #\to_1
    subs        r1, r1, #1
    bne         26b
28:
.endm
