// Bytes less their zero point, as 16-bit values.
subtract_zero_point:
        dup     v1.8b, w2
0:
        ldr     d0, [x1], #8
        usubl   v0.8h, v0.8b, v1.8b
        str     q0, [x3], #16
        subs    x0, x0, #8
        b.ne    0b
        ret
