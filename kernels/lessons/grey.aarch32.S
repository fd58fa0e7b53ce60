// Weighted sums of three colours in 16 bits, rounded to bytes.
grey:
        vmov.i8     d20, #77
        vmov.i8     d21, #150
        vmov.i8     d22, #29
0:
        vld4.8      {d0-d3}, [r1]!
        vmull.u8    q8, d0, d20
        vmlal.u8    q8, d1, d21
        vmlal.u8    q8, d2, d22
        vrshrn.i16  d16, q8, #8
        vst1.8      {d16}, [r2]!
        subs        r0, r0, #8
        bne         0b
        bx          lr
