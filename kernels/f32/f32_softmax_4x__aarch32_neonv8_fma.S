//! Shares of exponentials of a row of float32: exp by a polynomial of fused multiply-adds; 4 at a time, then 1.
//! contract: f32_softmax
//! tile: 4x
//! isa: aarch32
//! feature: neonv8
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   x           r1          float32 [n]
//! in   y           r2          float32 [n], may be x
//! in   params      r3          neonsim_float_share_params, 44 bytes
//!
//! reg  px          r4          where x is read next
//! reg  left        r5          elements left, less 4
//! reg  out         r6          where exponentials are kept next
//! reg  pp          r7          where coefficients are read next
//! reg  vx          q0          4 elements, then the polynomial, then exponentials
//! reg  vt          q1          what is left of the exponent, |t| <= ln 2 / 2
//! reg  vn          q2          whole multiples of ln 2, then powers of two
//! reg  vp          q3          the polynomial, every other coefficient
//! reg  sum         s16         of the exponentials
//! reg  vmost       q8          the largest
//! reg  vbeta       q9          of differences
//! reg  vconst      q10-q14     smallest exponent, 1 / ln 2, 1.5 * 2**23, minus ln 2 in two parts
//! reg  vbelow      q15         where the exponential is 0
//!
//!   x -> x - largest -> * beta -> n ln 2 + t -> 2**n (1 + t + t^2 p(t)),  where p is  ((((c4 t + c3) t + c2) t + c1) t + c0)
//!   
//!   coefficients are fetched where they are needed: registers are not enough for all numbers

// Exponentials of q0, in q0.
.macro exponentials
    add         r7, r3, #24                     // r7: the last coefficient
    vsub.f32    q0, q0, q8                      // not above 0
    vmul.f32    q0, q0, q9
    vcgt.f32    q15, q10, q0                    // too small: 0 in the end
    vmax.f32    q1, q0, q10
    vmov        q2, q12
    vfma.f32    q2, q1, q11                     // rounded to an integer by being added
    vsub.f32    q2, q2, q12                     // n, an integer
    vfma.f32    q1, q2, q13
    vfma.f32    q1, q2, q14                     // t
    vld1.32     {d0[], d1[]}, [r7]!             // a coefficient
    vld1.32     {d6[], d7[]}, [r7]!             // the next one
    vfma.f32    q3, q0, q1
    vld1.32     {d0[], d1[]}, [r7]!             // a coefficient
    vfma.f32    q0, q3, q1
    vld1.32     {d6[], d7[]}, [r7]!             // the next one
    vfma.f32    q3, q0, q1
    vld1.32     {d0[], d1[]}, [r7]              // a coefficient
    vfma.f32    q0, q3, q1                      // p
    vmul.f32    q3, q1, q1                      // t^2
    vfma.f32    q1, q3, q0                      // t + t^2 p
    vmov.i32    q0, #127                        // what exponents are kept with
    vcvt.s32.f32 q2, q2
    vadd.i32    q2, q2, q0
    vshl.i32    q2, q2, #23                     // 2**n
    vmov        q0, q2
    vfma.f32    q0, q2, q1                      // 2**n + 2**n (t + t^2 p)
    vbic        q0, q0, q15                     // 0 below the smallest
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon-vfpv4
    .arm
    .text
    .p2align 4
    .global f32_softmax_4x__aarch32_neonv8_fma
    .type   f32_softmax_4x__aarch32_neonv8_fma, %function
f32_softmax_4x__aarch32_neonv8_fma:
    // ---- Save what belongs to the caller, fetch the parameters.
    push        {r4-r7}
    vpush       {d8}
    mov         r4, r3
    vld1.32     {d18[], d19[]}, [r4]!           // q9: beta
    vld1.32     {d20[], d21[]}, [r4]!           // q10: smallest exponent
    vld1.32     {d22[], d23[]}, [r4]!           // q11: 1 / ln 2
    vld1.32     {d24[], d25[]}, [r4]!           // q12: 1.5 * 2**23
    vld1.32     {d26[], d27[]}, [r4]!           // q13: minus ln 2
    vld1.32     {d28[], d29[]}, [r4]            // q14: its second part

    // ---- Find the largest element; of a NaN comes a NaN.
    vld1.32     {d16[], d17[]}, [r1]            // q8: the first
    mov         r4, r1
    subs        r5, r0, #4
    blo         1f
0:
    vld1.8      {d0-d1}, [r4]!
    subs        r5, r5, #4
    vmax.f32    q8, q8, q0
    bhs         0b
1:
    adds        r5, r5, #4                      // r5: elements left
    beq         3f
2:
    vld1.32     {d0[], d1[]}, [r4]!
    subs        r5, r5, #1
    vmax.f32    q8, q8, q0
    bne         2b
3:
    vpmax.f32   d16, d16, d17                   // two left
    vpmax.f32   d16, d16, d16
    vmov        d17, d16                        // q8: the largest, four times

    // ---- Exponentials, kept, and added up one after another: the order is part of the contract.
    vmov.i32    d8, #0                          // s16: the sum
    mov         r6, r2
    subs        r5, r0, #4
    blo         5f
4:
    vld1.8      {d0-d1}, [r1]!                  // 8 of x, or 4
    exponentials
    vst1.8      {d0-d1}, [r6]!
    vadd.f32    s16, s16, s0                    // lane 0, then the others
    vadd.f32    s16, s16, s1
    vadd.f32    s16, s16, s2
    vadd.f32    s16, s16, s3
    subs        r5, r5, #4
    bhs         4b
5:
    adds        r5, r5, #4
    beq         7f
6:
    vld1.32     {d0[], d1[]}, [r1]!             // one, four times
    exponentials
    vst1.32     {d0[0]}, [r6]!
    vadd.f32    s16, s16, s0                    // lane 0, then the others
    subs        r5, r5, #1
    bne         6b
7:

    // ---- Each divided by the sum, lane by lane.
    subs        r5, r0, #4
    blo         9f
8:
    vld1.8      {d0-d1}, [r2]
    vdiv.f32    s0, s0, s16                     // shares
    vdiv.f32    s1, s1, s16
    vdiv.f32    s2, s2, s16
    vdiv.f32    s3, s3, s16
    vst1.8      {d0-d1}, [r2]!
    subs        r5, r5, #4
    bhs         8b
9:
    adds        r5, r5, #4
    beq         11f
10:
    vldr        s0, [r2]
    vdiv.f32    s0, s0, s16                     // shares
    vst1.32     {d0[0]}, [r2]!
    subs        r5, r5, #1
    bne         10b

    // ---- Give back what was saved.
11:
    vpop        {d8}
    pop         {r4-r7}
    bx          lr
    .size   f32_softmax_4x__aarch32_neonv8_fma, . - f32_softmax_4x__aarch32_neonv8_fma
