// Weighted sums of three colours in 16 bits, rounded to bytes.
grey:
        movi    v4.8b, #77
        movi    v5.8b, #150
        movi    v6.8b, #29
0:
        ld4     {v0.8b, v1.8b, v2.8b, v3.8b}, [x1], #32
        umull   v7.8h, v0.8b, v4.8b
        umlal   v7.8h, v1.8b, v5.8b
        umlal   v7.8h, v2.8b, v6.8b
        rshrn   v7.8b, v7.8h, #8
        str     d7, [x2], #8
        subs    x0, x0, #8
        b.ne    0b
        ret
