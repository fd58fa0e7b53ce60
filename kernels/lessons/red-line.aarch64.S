// A pixel of eight channels a turn.
red_line:
        ld1     {v16.4s, v17.4s}, [x2]
        ld1     {v18.4s, v19.4s}, [x3]
        ld1r    {v20.4s}, [x4]
        // -127: bytes have no use for -128.
        movi    v21.8b, #129
0:
        ld1     {v0.4s, v1.4s}, [x1], #32
        mov     v2.16b, v18.16b
        mov     v3.16b, v19.16b
        scvtf   v0.4s, v0.4s
        scvtf   v1.4s, v1.4s
        fmla    v2.4s, v0.4s, v16.4s
        fmla    v3.4s, v1.4s, v17.4s
        fmul    v2.4s, v2.4s, v20.4s
        fmul    v3.4s, v3.4s, v20.4s
        fcvtas  v2.4s, v2.4s
        fcvtas  v3.4s, v3.4s
        sqxtn   v2.4h, v2.4s
        sqxtn2  v2.8h, v3.4s
        sqxtn   v2.8b, v2.8h
        smax    v2.8b, v2.8b, v21.8b
        str     d2, [x5], #8
        subs    x0, x0, #1
        b.ne    0b
        ret
