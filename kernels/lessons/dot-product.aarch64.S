// Products of 16-bit values in four 32-bit sums, added up at the end.
dot_product:
        movi    v0.4s, #0
0:
        ldr     q1, [x1], #16
        ldr     q2, [x2], #16
        smlal   v0.4s, v1.4h, v2.4h
        smlal2  v0.4s, v1.8h, v2.8h
        subs    x0, x0, #8
        b.ne    0b
        addv    s0, v0.4s
        str     s0, [x3]
        ret
