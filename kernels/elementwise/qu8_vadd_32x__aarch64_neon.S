//! Add two vectors of bytes with their scales; 32 at a time, then 8, then the rest.
//! contract: qu8_vadd
//! tile: 32x
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           x0          bytes, at least 1
//! in   a           x1          uint8 [n]
//! in   b           x2          uint8 [n]
//! in   y           x3          uint8 [n], may be a or b
//! in   params      x4          neonsim_add_params, 20 bytes
//!
//! reg  count       x0          bytes left, less 32 or 8
//! reg  pa          x1          where a is read next
//! reg  pb          x2          where b is read next
//! reg  out         x3          where y is written next
//! reg  va          v0-v3       8 bytes of a each, then of y
//! reg  vb          v4-v7       8 bytes of b each
//! reg  vt          v18-v21     scratch
//! reg  vparams     v23-v30     zero points of a and b, factors of a and b, minus the shift, zero point, limits
//! reg  vs          v31         minus the bits to shift out of the last bytes
//!
//!   a - za   9 bits   x   22 bits      int32; one rounding shift for the sum of both
//!   b - zb   9 bits   x   22 bits

    azp         .req v23
    bzp         .req v24
    amul        .req v25
    bmul        .req v26
    rightshift  .req v27
    zeropoint   .req v28
    upper       .req v29
    lower       .req v30

// Eight sums: a and b are eight bytes each, the result eight bytes in a.
.macro add_8 a, b
    usubl       v18.8h, \a\().8b, azp.8b        // v18: a less its zero point, as int16
    usubl       v19.8h, \b\().8b, bzp.8b        // v19: b, likewise
    sxtl        v20.4s, v18.4h
    sxtl2       v21.4s, v18.8h
    mul         v20.4s, v20.4s, amul.4s         // v20, v21: a times its factor, as int32
    mul         v21.4s, v21.4s, amul.4s
    sxtl        v18.4s, v19.4h
    sxtl2       v19.4s, v19.8h
    mla         v20.4s, v18.4s, bmul.4s         // plus b times its factor
    mla         v21.4s, v19.4s, bmul.4s
    ssra        v20.4s, v20.4s, #31             // minus 1 where negative: SRSHL then takes ties away from zero
    ssra        v21.4s, v21.4s, #31
    srshl       v20.4s, v20.4s, rightshift.4s
    srshl       v21.4s, v21.4s, rightshift.4s
    sqxtn       v20.4h, v20.4s
    sqxtn2      v20.8h, v21.4s
    sqadd       v20.8h, v20.8h, zeropoint.8h
    sqxtun      \a\().8b, v20.8h
    umin        \a\().8b, \a\().8b, upper.8b
    umax        \a\().8b, \a\().8b, lower.8b
.endm

    .text
    .p2align 4
    .global qu8_vadd_32x__aarch64_neon
qu8_vadd_32x__aarch64_neon:
    // ---- Fetch the parameters.
    ld1r        {azp.8b}, [x4], #1
    ld1r        {bzp.8b}, [x4], #1
    ld1r        {zeropoint.8h}, [x4], #2
    ld1r        {amul.4s}, [x4], #4
    ld1r        {bmul.4s}, [x4], #4
    ld1r        {rightshift.4s}, [x4], #4
    ld1r        {upper.8b}, [x4], #1
    ld1r        {lower.8b}, [x4]

    // ---- Thirty-two bytes at a time, as long as that many are left.
    subs        x0, x0, #32
    b.lo        1f
0:
    ldp         d0, d1, [x1], #16
    ldp         d2, d3, [x1], #16
    ldp         d4, d5, [x2], #16
    ldp         d6, d7, [x2], #16
    add_8       v0, v4                          // 8 sums
    add_8       v1, v5                          // 8 sums
    add_8       v2, v6                          // 8 sums
    add_8       v3, v7                          // 8 sums
    stp         d0, d1, [x3], #16
    stp         d2, d3, [x3], #16
    subs        x0, x0, #32
    b.hs        0b

    // ---- Eight bytes at a time.
1:
    adds        x0, x0, #24                     // x0: bytes left, less 8
    b.mi        3f
2:
    ldr         d0, [x1], #8
    ldr         d4, [x2], #8
    add_8       v0, v4                          // 8 sums
    str         d0, [x3], #8
    subs        x0, x0, #8
    b.pl        2b

    // ---- The last 1..7 bytes: read the 8 bytes that end with them and shift the old ones out.
3:
    cmp         x0, #-8                         // none left?
    b.eq        6f
    fmov        d31, x0
    shl         d31, d31, #3                    // v31: minus the bits to shift out
    ldr         d0, [x1, x0]                    // up to 7 bytes back, for n < 8 before the vector
    ldr         d4, [x2, x0]
    ushl        d0, d0, d31
    ushl        d4, d4, d31
    add_8       v0, v4                          // 8 sums
    tbz         x0, #2, 4f                      // the low three bits of x0 are those of the bytes left
    str         s0, [x3], #4                    // 4 bytes
    ushr        d0, d0, #32                     // the next ones first
4:
    tbz         x0, #1, 5f
    str         h0, [x3], #2                    // 2 bytes
    ushr        d0, d0, #16
5:
    tbz         x0, #0, 6f
    str         b0, [x3]
6:
    ret
