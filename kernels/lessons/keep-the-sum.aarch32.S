// Products of 32-bit values in two 64-bit sums, added up at the end.
keep_the_sum:
        vmov.i64    q0, #0
0:
        vld1.32     {q1}, [r1]!
        vld1.32     {q2}, [r2]!
        vmlal.s32   q0, d2, d4
        vmlal.s32   q0, d3, d5
        subs        r0, r0, #4
        bne         0b
        vadd.i64    d0, d0, d1
        vst1.64     {d0}, [r3]
        bx          lr
