//! Add two vectors of bytes with their scales; 16 at a time, then 8, then the rest.
//! contract: qu8_vadd
//! tile: 16x
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           r0          bytes, at least 1
//! in   a           r1          uint8 [n]
//! in   b           r2          uint8 [n]
//! in   y           r3          uint8 [n], may be a or b
//! in   params      [sp]        neonsim_add_params, 20 bytes
//!
//! reg  count       r0          bytes left, less 16 or 8
//! reg  pa          r1          where a is read next
//! reg  pb          r2          where b is read next
//! reg  out         r3          where y is written next
//! reg  pp          r12         where the parameters are read next
//! reg  va          d0-d1       8 bytes of a each, then of y
//! reg  vb          d2-d3       8 bytes of b each
//! reg  vt          q2-q3       scratch
//! reg  vsum        q8-q9       int32 sums of 8 elements
//! reg  vparams     q10-q13     factors of a and b, minus the shift, zero point
//! reg  vbytes      d28-d31     zero points of a and b, limits
//!
//!   a - za   9 bits   x   22 bits      int32; one rounding shift for the sum of both
//!   b - zb   9 bits   x   22 bits

    amul        .req q10
    bmul        .req q11
    rightshift  .req q12
    zeropoint   .req q13
    azp         .req d28
    bzp         .req d29
    upper       .req d30
    lower       .req d31

// Eight sums: a and b are eight bytes each, the result eight bytes in a.
.macro add_8 a, b
    vsubl.u8    q2, \a, azp                     // q2: a less its zero point, as int16
    vsubl.u8    q3, \b, bzp                     // q3: b, likewise
    vmovl.s16   q8, d4
    vmovl.s16   q9, d5
    vmul.i32    q8, q8, amul                    // q8, q9: a times its factor, as int32
    vmul.i32    q9, q9, amul
    vmovl.s16   q2, d6
    vmovl.s16   q3, d7
    vmla.i32    q8, q2, bmul                    // plus b times its factor
    vmla.i32    q9, q3, bmul
    vsra.s32    q8, q8, #31                     // minus 1 where negative: VRSHL then takes ties away from zero
    vsra.s32    q9, q9, #31
    vrshl.s32   q8, q8, rightshift
    vrshl.s32   q9, q9, rightshift
    vqmovn.s32  d16, q8
    vqmovn.s32  d17, q9
    vqadd.s16   q8, q8, zeropoint
    vqmovun.s16 \a, q8
    vmin.u8     \a, \a, upper
    vmax.u8     \a, \a, lower
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_vadd_16x__aarch32_neon
    .type   qu8_vadd_16x__aarch32_neon, %function
qu8_vadd_16x__aarch32_neon:
    // ---- Fetch the parameters.
    ldr         r12, [sp]
    vld1.8      {azp[]}, [r12]!
    vld1.8      {bzp[]}, [r12]!
    vld1.16     {d26[], d27[]}, [r12]!          // q13: zero point of y
    vld1.32     {d20[], d21[]}, [r12]!          // q10: factor of a
    vld1.32     {d22[], d23[]}, [r12]!          // q11: factor of b
    vld1.32     {d24[], d25[]}, [r12]!          // q12: minus the shift
    vld1.8      {upper[]}, [r12]!
    vld1.8      {lower[]}, [r12]

    // ---- Sixteen bytes at a time, as long as that many are left.
    subs        r0, r0, #16
    blo         1f
0:
    vld1.8      {d0-d1}, [r1]!
    vld1.8      {d2-d3}, [r2]!
    add_8       d0, d2
    add_8       d1, d3
    vst1.8      {d0-d1}, [r3]!
    subs        r0, r0, #16
    bhs         0b

    // ---- Eight bytes, if eight are left.
1:
    adds        r0, r0, #8                      // r0: bytes left, less 8
    bmi         2f
    vld1.8      {d0}, [r1]!
    vld1.8      {d2}, [r2]!
    add_8       d0, d2
    vst1.8      {d0}, [r3]!
    sub         r0, r0, #8

    // ---- The last 1..7 bytes: read the 8 bytes that end with them and shift the old ones out.
2:
    cmp         r0, #-8
    beq         5f
    add         r1, r1, r0                      // up to 7 bytes back, for n < 8 before the vector
    add         r2, r2, r0
    vdup.32     d4, r0
    vshl.i32    d4, d4, #3                      // d4: minus the bits to shift out
    vld1.8      {d0}, [r1]
    vld1.8      {d2}, [r2]
    vshl.u64    d0, d0, d4
    vshl.u64    d2, d2, d4
    add_8       d0, d2
    tst         r0, #4                          // the low three bits of r0 are those of the bytes left
    beq         3f
    vst1.32     {d0[0]}, [r3]!
    vext.8      d0, d0, d0, #4                  // the next ones first
3:
    tst         r0, #2
    beq         4f
    vst1.16     {d0[0]}, [r3]!
    vext.8      d0, d0, d0, #2
4:
    tst         r0, #1
    beq         5f
    vst1.8      {d0[0]}, [r3]
5:
    bx          lr
    .size   qu8_vadd_16x__aarch32_neon, . - qu8_vadd_16x__aarch32_neon
