// Rows of eight bytes, added up by columns in 16 bits.
widen_and_accumulate:
        movi    v0.8h, #0
0:
        ldr     d1, [x1], #8
        uaddw   v0.8h, v0.8h, v1.8b
        subs    x0, x0, #1
        b.ne    0b
        str     q0, [x2]
        ret
