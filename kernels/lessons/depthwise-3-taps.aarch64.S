// Eight channels at a time, three taps each.
depthwise_3_taps:
        dup     v16.8b, w3
        add     x5, x1, x0              // second and third pixel
        add     x6, x5, x0
        add     x7, x2, x0, lsl #1      // second and third taps
        add     x8, x7, x0, lsl #1
0:
        ldr     d0, [x1], #8
        ldr     d1, [x5], #8
        ldr     d2, [x6], #8
        ldr     q3, [x2], #16
        ldr     q4, [x7], #16
        ldr     q5, [x8], #16
        usubl   v0.8h, v0.8b, v16.8b
        usubl   v1.8h, v1.8b, v16.8b
        usubl   v2.8h, v2.8b, v16.8b
        smull   v6.4s, v0.4h, v3.4h
        smull2  v7.4s, v0.8h, v3.8h
        smlal   v6.4s, v1.4h, v4.4h
        smlal2  v7.4s, v1.8h, v4.8h
        smlal   v6.4s, v2.4h, v5.4h
        smlal2  v7.4s, v2.8h, v5.8h
        stp     q6, q7, [x4], #32
        subs    x0, x0, #8
        b.ne    0b
        ret
