// Sums of bytes that stay at 255.
saturating_add:
0:
        ldr     q0, [x1], #16
        ldr     q1, [x2], #16
        uqadd   v0.16b, v0.16b, v1.16b
        str     q0, [x3], #16
        subs    x0, x0, #16
        b.ne    0b
        ret
