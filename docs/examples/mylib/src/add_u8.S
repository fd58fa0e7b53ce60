//! isa: aarch64
//! prototype: void add_u8(const uint8_t a[n], const uint8_t b[n], uint8_t sum[n], size_t n)
// sum[i] = a[i] + b[i], 255 at most.
        .text
        .global add_u8
add_u8:
        subs    x3, x3, #16
        b.lo    2f
1:      ldr     q0, [x0], #16
        ldr     q1, [x1], #16
        uqadd   v0.16b, v0.16b, v1.16b
        str     q0, [x2], #16
        subs    x3, x3, #16
        b.hs    1b
2:      adds    x3, x3, #16
        b.eq    4f
3:      ldr     b0, [x0], #1
        ldr     b1, [x1], #1
        uqadd   b0, b0, b1
        str     b0, [x2], #1
        subs    x3, x3, #1
        b.ne    3b
4:      ret
