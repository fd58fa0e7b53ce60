// Products of 32-bit values in two 64-bit sums, added up at the end.
keep_the_sum:
        movi    v0.2d, #0
0:
        ldr     q1, [x1], #16
        ldr     q2, [x2], #16
        smlal   v0.2d, v1.2s, v2.2s
        smlal2  v0.2d, v1.4s, v2.4s
        subs    x0, x0, #4
        b.ne    0b
        addp    d0, v0.2d
        str     d0, [x3]
        ret
