// The store interleaves: q0 with q1.
interleave:
0:
        vld1.8      {q0}, [r1]!
        vld1.8      {q1}, [r2]!
        vst2.8      {d0-d3}, [r3]!
        subs        r0, r0, #16
        bne         0b
        bx          lr
