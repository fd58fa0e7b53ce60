// Bytes less their zero point, as 16-bit values.
subtract_zero_point:
        vdup.8      d1, r2
0:
        vld1.8      {d0}, [r1]!
        vsubl.u8    q1, d0, d1
        vst1.16     {q1}, [r3]!
        subs        r0, r0, #8
        bne         0b
        bx          lr
