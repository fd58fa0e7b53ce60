// Four sums that do not wait for each other.
break_the_chain:
        vmov.i32    q0, #0
        vmov.i32    q1, #0
        vmov.i32    q2, #0
        vmov.i32    q3, #0
0:
        vld1.32     {q8, q9}, [r1]!
        vld1.32     {q10, q11}, [r1]!
        vadd.i32    q0, q0, q8
        vadd.i32    q1, q1, q9
        vadd.i32    q2, q2, q10
        vadd.i32    q3, q3, q11
        subs        r0, r0, #16
        bne         0b
        vadd.i32    q0, q0, q1
        vadd.i32    q2, q2, q3
        vadd.i32    q0, q0, q2
        vadd.i32    d0, d0, d1
        vpadd.i32   d0, d0, d0
        vst1.32     {d0[0]}, [r2]
        bx          lr
