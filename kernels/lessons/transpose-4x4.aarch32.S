// Words, then pairs of words.
transpose_4x4:
        vld1.32     {d0-d3}, [r0]!
        vld1.32     {d4-d7}, [r0]
        vtrn.32     q0, q1
        vtrn.32     q2, q3
        vswp        d1, d4
        vswp        d3, d6
        vst1.32     {d0-d3}, [r1]!
        vst1.32     {d4-d7}, [r1]
        bx          lr
