// Loads run ahead of the products; every gap between two loads holds a product that is ready.
schedule_for_a53:
        movi    v0.4s, #0
        movi    v1.4s, #0
0:
        ldr     q2, [x1]
        ldr     q3, [x2]
        ldr     q4, [x1, #16]
        ldr     q5, [x2, #16]
        ldr     q6, [x1, #32]
        smlal   v0.4s, v2.4h, v3.4h
        ldr     q7, [x2, #32]
        smlal2  v1.4s, v2.8h, v3.8h
        ldr     q16, [x1, #48]
        smlal   v0.4s, v4.4h, v5.4h
        ldr     q17, [x2, #48]
        smlal2  v1.4s, v4.8h, v5.8h
        add     x1, x1, #64
        smlal   v0.4s, v6.4h, v7.4h
        add     x2, x2, #64
        smlal2  v1.4s, v6.8h, v7.8h
        subs    x0, x0, #32
        smlal   v0.4s, v16.4h, v17.4h
        smlal2  v1.4s, v16.8h, v17.8h
        b.ne    0b
        add     v0.4s, v0.4s, v1.4s
        addv    s0, v0.4s
        str     s0, [x3]
        ret
