// Four registers, each with the largest of its own numbers.
largest_size:
        movi    v16.4s, #0
        movi    v17.4s, #0
        movi    v18.4s, #0
        movi    v19.4s, #0
0:
        ld1     {v0.4s-v3.4s}, [x1], #64
        fabs    v0.4s, v0.4s
        fabs    v1.4s, v1.4s
        fabs    v2.4s, v2.4s
        fabs    v3.4s, v3.4s
        fmax    v16.4s, v16.4s, v0.4s
        fmax    v17.4s, v17.4s, v1.4s
        fmax    v18.4s, v18.4s, v2.4s
        fmax    v19.4s, v19.4s, v3.4s
        subs    x0, x0, #16
        b.ne    0b
        // Two by two, and across the lanes of what is left.
        fmax    v16.4s, v16.4s, v17.4s
        fmax    v18.4s, v18.4s, v19.4s
        fmax    v16.4s, v16.4s, v18.4s
        fmaxv   s16, v16.4s
        str     s16, [x2]
        ret
