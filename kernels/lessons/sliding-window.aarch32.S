// Eight bytes and the next eight; behind the last come zeros.
sliding_window:
        vld1.8      {d0}, [r1]!
0:
        vmov.i8     d1, #0
        subs        r0, r0, #8
        beq         1f
        vld1.8      {d1}, [r1]!
1:
        vext.8      d2, d0, d1, #1
        vext.8      d3, d0, d1, #2
        vaddl.u8    q8, d0, d3
        vaddw.u8    q8, q8, d2
        vaddw.u8    q8, q8, d2
        vst1.16     {q8}, [r2]!
        vmov        d0, d1
        cmp         r0, #0
        bne         0b
        bx          lr
