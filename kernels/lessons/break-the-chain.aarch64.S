// Four sums that do not wait for each other.
break_the_chain:
        movi    v0.4s, #0
        movi    v1.4s, #0
        movi    v2.4s, #0
        movi    v3.4s, #0
0:
        ldp     q4, q5, [x1], #32
        ldp     q6, q7, [x1], #32
        add     v0.4s, v0.4s, v4.4s
        add     v1.4s, v1.4s, v5.4s
        add     v2.4s, v2.4s, v6.4s
        add     v3.4s, v3.4s, v7.4s
        subs    x0, x0, #16
        b.ne    0b
        add     v0.4s, v0.4s, v1.4s
        add     v2.4s, v2.4s, v3.4s
        add     v0.4s, v0.4s, v2.4s
        addv    s0, v0.4s
        str     s0, [x2]
        ret
