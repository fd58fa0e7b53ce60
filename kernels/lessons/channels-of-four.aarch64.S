// Four channels of a pixel are one register: the scales and biases stay where they are.
channels_of_four:
        ld1     {v1.4s}, [x2]
        ld1     {v2.4s}, [x3]
        movi    v4.4s, #0
0:
        ld1     {v0.4s}, [x1], #16
        mov     v3.16b, v2.16b
        mla     v3.4s, v0.4s, v1.4s
        smax    v3.4s, v3.4s, v4.4s
        st1     {v3.4s}, [x4], #16
        subs    x0, x0, #1
        b.ne    0b
        ret
