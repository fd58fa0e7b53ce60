// The store interleaves.
interleave:
0:
        ldr     q0, [x1], #16
        ldr     q1, [x2], #16
        st2     {v0.16b, v1.16b}, [x3], #32
        subs    x0, x0, #16
        b.ne    0b
        ret
