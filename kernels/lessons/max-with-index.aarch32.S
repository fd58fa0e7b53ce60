// The largest of each lane and its number; then the largest of eight lanes, and the smallest number that has it.
max_with_index:
        mov         r12, #0x10000           // q3: numbers 0..7
        vmov.32     d6[0], r12
        movw        r12, #2
        movt        r12, #3
        vmov.32     d6[1], r12
        vmov.i16    d7, #4
        vadd.i16    d7, d6, d7
        vmov        q9, q3                  // q9: where the largest were
        vmov.i16    q10, #8
        vld1.16     {q8}, [r1]!             // q8: the largest so far
        b           1f
0:
        vld1.16     {q11}, [r1]!
        vadd.i16    q3, q3, q10
        vcgt.s16    q12, q11, q8
        vbit        q8, q11, q12
        vbit        q9, q3, q12
1:
        subs        r0, r0, #8
        bne         0b
        vmax.s16    d0, d16, d17            // pairs, until every lane has the largest of all
        vpmax.s16   d0, d0, d0
        vpmax.s16   d0, d0, d0
        vdup.16     q13, d0[0]
        vceq.i16    q12, q8, q13
        vorn        q9, q9, q12             // all ones where the lane has lost
        vmin.u16    d2, d18, d19
        vpmin.u16   d2, d2, d2
        vpmin.u16   d2, d2, d2
        vst1.16     {d0[0]}, [r2]
        vmov.u16    r12, d2[0]
        str         r12, [r3]
        bx          lr
