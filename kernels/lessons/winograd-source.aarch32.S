// Sums and differences of four rows: long instructions widen on the way.
winograd_source:
        push        {r4, r5}
        mov         r3, r0
        lsl         r4, r0, #1
0:
        mov         r12, r1
        mov         r5, r2
        vld1.8      {d0}, [r12], r0
        vld1.8      {d1}, [r12], r0
        vld1.8      {d2}, [r12], r0
        vld1.8      {d3}, [r12]
        vsubl.s8    q2, d2, d0
        vaddl.s8    q3, d1, d2
        vsubl.s8    q8, d2, d1
        vsubl.s8    q9, d3, d1
        vst1.16     {q2}, [r5], r4
        vst1.16     {q3}, [r5], r4
        vst1.16     {q8}, [r5], r4
        vst1.16     {q9}, [r5]
        add         r1, r1, #8
        add         r2, r2, #16
        subs        r3, r3, #8
        bne         0b
        pop         {r4, r5}
        bx          lr
