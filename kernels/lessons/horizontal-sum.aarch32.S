// Pairs of bytes, pairs of those, in four 32-bit sums; across the register once.
horizontal_sum:
        vmov.i32    q0, #0
0:
        vld1.8      {q1}, [r1]!
        vpaddl.u8   q1, q1
        vpadal.u16  q0, q1
        subs        r0, r0, #16
        bne         0b
        vadd.i32    d0, d0, d1
        vpadd.i32   d0, d0, d0
        vst1.32     {d0[0]}, [r2]
        bx          lr
