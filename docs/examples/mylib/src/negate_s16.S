//! isa: aarch64
//! prototype: void negate_s16(const int16_t x[n], int16_t y[n], size_t n)
// y[i] = -x[i], and 32767 for -32768.
        .text
        .global negate_s16
negate_s16:
        subs    x2, x2, #8
        b.lo    2f
1:      ldr     q0, [x0], #16
        sqneg   v0.8h, v0.8h
        str     q0, [x1], #16
        subs    x2, x2, #8
        b.hs    1b
2:      adds    x2, x2, #8
        b.eq    4f
        ldr     q0, [x0]                // the rest in one go, and what lies behind it
        sqneg   v0.8h, v0.8h
3:      str     h0, [x1], #2
        ext     v0.16b, v0.16b, v0.16b, #2
        subs    x2, x2, #1
        b.ne    3b
4:      ret
