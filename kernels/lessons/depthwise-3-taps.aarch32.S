// Eight channels at a time, three taps each.
depthwise_3_taps:
        push        {r4-r7}
        ldr         r12, [sp, #16]          // the fifth argument, above what has been pushed
        vdup.8      d31, r3
        add         r4, r1, r0              // second and third pixel
        add         r5, r4, r0
        add         r6, r2, r0, lsl #1      // second and third taps
        add         r7, r6, r0, lsl #1
0:
        vld1.8      {d0}, [r1]!
        vld1.8      {d1}, [r4]!
        vld1.8      {d2}, [r5]!
        vld1.16     {q8}, [r2]!
        vld1.16     {q9}, [r6]!
        vld1.16     {q10}, [r7]!
        vsubl.u8    q11, d0, d31
        vsubl.u8    q12, d1, d31
        vsubl.u8    q13, d2, d31
        vmull.s16   q2, d22, d16
        vmull.s16   q3, d23, d17
        vmlal.s16   q2, d24, d18
        vmlal.s16   q3, d25, d19
        vmlal.s16   q2, d26, d20
        vmlal.s16   q3, d27, d21
        vst1.32     {q2, q3}, [r12]!
        subs        r0, r0, #8
        bne         0b
        pop         {r4-r7}
        bx          lr
