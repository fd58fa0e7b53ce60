// Sixteen numbers a turn.
quantize:
        ld1r    {v16.4s}, [x2]
        dup     v17.8h, w3
0:
        ld1     {v0.4s-v3.4s}, [x1], #64
        .irp    r, 0,1,2,3
        fmul    v\r\().4s, v\r\().4s, v16.4s
        fcvtns  v\r\().4s, v\r\().4s
        .endr
        sqxtn   v0.4h, v0.4s
        sqxtn2  v0.8h, v1.4s
        sqxtn   v2.4h, v2.4s
        sqxtn2  v2.8h, v3.4s
        // In 16 bits nothing is lost yet: the zero point first, then the ends.
        sqadd   v0.8h, v0.8h, v17.8h
        sqadd   v2.8h, v2.8h, v17.8h
        sqxtn   v0.8b, v0.8h
        sqxtn2  v0.16b, v2.8h
        str     q0, [x4], #16
        subs    x0, x0, #16
        b.ne    0b
        ret
