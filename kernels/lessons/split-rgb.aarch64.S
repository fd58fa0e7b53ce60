// The load takes apart.
split_rgb:
        add     x3, x2, x0
        add     x4, x3, x0
0:
        ld3     {v0.16b, v1.16b, v2.16b}, [x1], #48
        str     q0, [x2], #16
        str     q1, [x3], #16
        str     q2, [x4], #16
        subs    x0, x0, #16
        b.ne    0b
        ret
