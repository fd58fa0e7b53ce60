//! Shares of exponentials of a row of float32: exp by a polynomial of fused multiply-adds; 4 at a time, then 1.
//! contract: f32_softmax
//! tile: 4x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          elements, at least 1
//! in   x           x1          float32 [n]
//! in   y           x2          float32 [n], may be x
//! in   params      x3          neonsim_float_share_params, 44 bytes
//!
//! reg  px          x4          where x is read next
//! reg  left        x5          elements left, less 4
//! reg  out         x6          where exponentials are kept next
//! reg  vmost       v0          the largest
//! reg  vsum        v1          sum of the exponentials, in the first lane; then in all
//! reg  vx          v2          4 elements, then their exponentials
//! reg  vn          v3          whole multiples of ln 2, then powers of two
//! reg  vt          v4          what is left of the exponent, |t| <= ln 2 / 2
//! reg  vp          v5-v6       the polynomial, one coefficient after the other
//! reg  vbelow      v7          where the exponential is 0
//! reg  vbeta       v16         of differences
//! reg  vconst      v17-v21     smallest exponent, 1 / ln 2, 1.5 * 2**23, minus ln 2 in two parts
//! reg  vpoly       v22-v26     coefficients, the last first
//! reg  vbias       v27         127
//!
//!   x -> x - largest -> * beta -> n ln 2 + t -> 2**n (1 + t + t^2 p(t)),  where p is  ((((c4 t + c3) t + c2) t + c1) t + c0)

    .text
    .p2align 4
    .global f32_softmax_4x__aarch64_neon_fma

// Exponentials of v2, in v2.
.macro exponentials
    fsub        v2.4s, v2.4s, v0.4s             // not above 0
    fmul        v2.4s, v2.4s, v16.4s
    fcmgt       v7.4s, v17.4s, v2.4s            // too small: 0 in the end
    fmax        v4.4s, v2.4s, v17.4s
    mov         v3.16b, v19.16b
    fmla        v3.4s, v4.4s, v18.4s            // rounded to an integer by being added
    fsub        v3.4s, v3.4s, v19.4s            // n, an integer
    fmla        v4.4s, v3.4s, v20.4s
    fmla        v4.4s, v3.4s, v21.4s            // t
    mov         v5.16b, v23.16b                 // c3
    fmla        v5.4s, v22.4s, v4.4s
    mov         v6.16b, v24.16b                 // c2
    fmla        v6.4s, v5.4s, v4.4s
    mov         v5.16b, v25.16b                 // c1
    fmla        v5.4s, v6.4s, v4.4s
    mov         v6.16b, v26.16b                 // c0
    fmla        v6.4s, v5.4s, v4.4s             // p
    fmul        v5.4s, v4.4s, v4.4s             // t^2
    fmla        v4.4s, v5.4s, v6.4s             // t + t^2 p
    fcvtzs      v3.4s, v3.4s
    add         v3.4s, v3.4s, v27.4s
    shl         v3.4s, v3.4s, #23               // 2**n
    mov         v2.16b, v3.16b
    fmla        v2.4s, v3.4s, v4.4s             // 2**n + 2**n (t + t^2 p)
    bic         v2.16b, v2.16b, v7.16b          // 0 below the smallest
.endm

f32_softmax_4x__aarch64_neon_fma:
    // ---- Fetch the parameters.
    ld1r        {v16.4s}, [x3], #4              // v16: beta
    ld1r        {v17.4s}, [x3], #4              // v17: smallest exponent
    ld1r        {v18.4s}, [x3], #4              // v18: 1 / ln 2
    ld1r        {v19.4s}, [x3], #4              // v19: 1.5 * 2**23
    ld1r        {v20.4s}, [x3], #4              // v20, v21: minus ln 2
    ld1r        {v21.4s}, [x3], #4
    ld1r        {v22.4s}, [x3], #4              // v22-v26: coefficients
    ld1r        {v23.4s}, [x3], #4
    ld1r        {v24.4s}, [x3], #4
    ld1r        {v25.4s}, [x3], #4
    ld1r        {v26.4s}, [x3]
    movi        v27.4s, #127                    // v27: what exponents are kept with

    // ---- Find the largest element; of a NaN comes a NaN.
    ld1r        {v0.4s}, [x1]
    mov         x4, x1
    subs        x5, x0, #4
    b.lo        1f
0:
    ldr         q2, [x4], #16
    subs        x5, x5, #4
    fmax        v0.4s, v0.4s, v2.4s
    b.hs        0b
1:
    adds        x5, x5, #4                      // x5: elements left
    b.eq        3f
2:
    ld1r        {v2.4s}, [x4], #4
    subs        x5, x5, #1
    fmax        v0.4s, v0.4s, v2.4s
    b.ne        2b
3:
    fmaxv       s0, v0.4s                       // s0: the largest
    dup         v0.4s, v0.s[0]

    // ---- Exponentials, kept, and added up one after another: the order is part of the contract.
    movi        v1.4s, #0
    mov         x6, x2
    subs        x5, x0, #4
    b.lo        5f
4:
    ldr         q2, [x1], #16
    exponentials
    str         q2, [x6], #16
    fadd        s1, s1, s2                      // lane 0, then the others
    dup         s3, v2.s[1]
    fadd        s1, s1, s3
    dup         s3, v2.s[2]
    fadd        s1, s1, s3
    dup         s3, v2.s[3]
    fadd        s1, s1, s3
    subs        x5, x5, #4
    b.hs        4b
5:
    adds        x5, x5, #4
    b.eq        7f
6:
    ldr         s2, [x1], #4
    exponentials
    str         s2, [x6], #4
    fadd        s1, s1, s2                      // lane 0, then the others
    subs        x5, x5, #1
    b.ne        6b
7:
    dup         v1.4s, v1.s[0]

    // ---- Each divided by the sum.
    subs        x5, x0, #4
    b.lo        9f
8:
    ldr         q2, [x2]
    fdiv        v2.4s, v2.4s, v1.4s             // a share
    str         q2, [x2], #16
    subs        x5, x5, #4
    b.hs        8b
9:
    adds        x5, x5, #4
    b.eq        11f
10:
    ldr         s2, [x2]
    fdiv        s2, s2, s1                      // a share
    str         s2, [x2], #4
    subs        x5, x5, #1
    b.ne        10b
11:
    ret
