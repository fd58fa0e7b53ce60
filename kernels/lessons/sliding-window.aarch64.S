// Eight bytes and the next eight; behind the last come zeros.
sliding_window:
        ldr     d0, [x1], #8
0:
        movi    v1.8b, #0
        subs    x0, x0, #8
        b.eq    1f
        ldr     d1, [x1], #8
1:
        ext     v2.8b, v0.8b, v1.8b, #1
        ext     v3.8b, v0.8b, v1.8b, #2
        uaddl   v4.8h, v0.8b, v3.8b
        uaddw   v4.8h, v4.8h, v2.8b
        uaddw   v4.8h, v4.8h, v2.8b
        str     q4, [x2], #16
        mov     v0.8b, v1.8b
        cbnz    x0, 0b
        ret
