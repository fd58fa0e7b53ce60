// The loads take neighbours apart; products fit 16 bits, their sums are held there.
saturating_pairs:
        vld2.8      {d0, d1}, [r1]!
        vld2.8      {d2, d3}, [r2]!
        vmovl.u8    q2, d0
        vmovl.u8    q3, d1
        vmovl.s8    q8, d2
        vmovl.s8    q9, d3
        vmul.i16    q2, q2, q8
        vmul.i16    q3, q3, q9
        vqadd.s16   q2, q2, q3
        vst1.16     {q2}, [r3]!
        subs        r0, r0, #8
        bne         saturating_pairs
        bx          lr
