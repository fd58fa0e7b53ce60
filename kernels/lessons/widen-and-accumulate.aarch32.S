// Rows of eight bytes, added up by columns in 16 bits.
widen_and_accumulate:
        vmov.i16    q0, #0
0:
        vld1.8      {d2}, [r1]!
        vaddw.u8    q0, q0, d2
        subs        r0, r0, #1
        bne         0b
        vst1.16     {q0}, [r2]
        bx          lr
