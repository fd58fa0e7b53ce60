// Four sums, one for each pair of loads: no MLA waits for another, and loads run ahead. Added up at the end, in pairs.
prove_your_schedule:
        movi    v0.4s, #0
        movi    v1.4s, #0
        movi    v4.4s, #0
        movi    v5.4s, #0
0:
        ldr     q2, [x1]
        ldr     q3, [x2]
        ldr     q6, [x1, #16]
        ldr     q7, [x2, #16]
        ldr     q16, [x1, #32]
        mla     v0.4s, v2.4s, v3.4s
        ldr     q17, [x2, #32]
        ldr     q18, [x1, #48]
        mla     v1.4s, v6.4s, v7.4s
        ldr     q19, [x2, #48]
        add     x1, x1, #64
        mla     v4.4s, v16.4s, v17.4s
        add     x2, x2, #64
        subs    x0, x0, #16
        mla     v5.4s, v18.4s, v19.4s
        b.ne    0b
        add     v0.4s, v0.4s, v1.4s
        add     v4.4s, v4.4s, v5.4s
        add     v0.4s, v0.4s, v4.4s
        str     q0, [x3]
        ret
