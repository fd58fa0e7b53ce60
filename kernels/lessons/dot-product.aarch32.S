// Products of 16-bit values in four 32-bit sums, added up at the end.
dot_product:
        vmov.i32    q0, #0
0:
        vld1.16     {q1}, [r1]!
        vld1.16     {q2}, [r2]!
        vmlal.s16   q0, d2, d4
        vmlal.s16   q0, d3, d5
        subs        r0, r0, #8
        bne         0b
        vadd.i32    d0, d0, d1
        vpadd.i32   d0, d0, d0
        vst1.32     {d0[0]}, [r3]
        bx          lr
