// Sums and differences of four rows: long instructions widen on the way.
winograd_source:
        mov     x3, x0
        lsl     x4, x0, #1
0:
        mov     x9, x1
        mov     x10, x2
        ld1     {v0.8b}, [x9], x0
        ld1     {v1.8b}, [x9], x0
        ld1     {v2.8b}, [x9], x0
        ld1     {v3.8b}, [x9]
        ssubl   v4.8h, v2.8b, v0.8b
        saddl   v5.8h, v1.8b, v2.8b
        ssubl   v6.8h, v2.8b, v1.8b
        ssubl   v7.8h, v3.8b, v1.8b
        st1     {v4.8h}, [x10], x4
        st1     {v5.8h}, [x10], x4
        st1     {v6.8h}, [x10], x4
        st1     {v7.8h}, [x10]
        add     x1, x1, #8
        add     x2, x2, #16
        subs    x3, x3, #8
        b.ne    0b
        ret
