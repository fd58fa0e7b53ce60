// Pairs of bytes, pairs of those, in four 32-bit sums; across the register once.
horizontal_sum:
        movi    v0.4s, #0
0:
        ldr     q1, [x1], #16
        uaddlp  v1.8h, v1.16b
        uadalp  v0.4s, v1.8h
        subs    x0, x0, #16
        b.ne    0b
        addv    s0, v0.4s
        str     s0, [x2]
        ret
