// Sums of bytes that stay at 255.
saturating_add:
0:
        vld1.8      {q0}, [r1]!
        vld1.8      {q1}, [r2]!
        vqadd.u8    q0, q0, q1
        vst1.8      {q0}, [r3]!
        subs        r0, r0, #16
        bne         0b
        bx          lr
