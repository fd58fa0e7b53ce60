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
3:      ldr     h0, [x0], #2            // an element at a time
        sqneg   h0, h0
        str     h0, [x1], #2
        subs    x2, x2, #1
        b.ne    3b
4:      ret
