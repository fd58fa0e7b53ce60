// The loads take neighbours apart; products fit 16 bits, their sums are held there.
saturating_pairs:
        ld2     {v0.8b, v1.8b}, [x1], #16
        ld2     {v2.8b, v3.8b}, [x2], #16
        uxtl    v0.8h, v0.8b
        uxtl    v1.8h, v1.8b
        sxtl    v2.8h, v2.8b
        sxtl    v3.8h, v3.8b
        mul     v0.8h, v0.8h, v2.8h
        mul     v1.8h, v1.8h, v3.8h
        sqadd   v0.8h, v0.8h, v1.8h
        str     q0, [x3], #16
        subs    x0, x0, #8
        b.ne    saturating_pairs
        ret
