// The loads take apart: eight pixels each, the colours in every other register.
split_rgb:
        add         r3, r2, r0
        add         r12, r3, r0
0:
        vld3.8      {d0, d2, d4}, [r1]!
        vld3.8      {d1, d3, d5}, [r1]!
        vst1.8      {q0}, [r2]!
        vst1.8      {q1}, [r3]!
        vst1.8      {q2}, [r12]!
        subs        r0, r0, #16
        bne         0b
        bx          lr
