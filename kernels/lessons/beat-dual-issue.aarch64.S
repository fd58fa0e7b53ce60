// Four depths of one row, times four depths of four columns: one UDOT.
.macro four_depths group, lower, upper
        udot    v16.4s, \lower\().16b, v0.4b[\group]
        udot    v17.4s, \upper\().16b, v0.4b[\group]
        udot    v18.4s, \lower\().16b, v1.4b[\group]
        udot    v19.4s, \upper\().16b, v1.4b[\group]
        udot    v20.4s, \lower\().16b, v2.4b[\group]
        udot    v21.4s, \upper\().16b, v2.4b[\group]
        udot    v22.4s, \lower\().16b, v3.4b[\group]
        udot    v23.4s, \upper\().16b, v3.4b[\group]
.endm

beat_dual_issue:
        add     x4, x1, x0              // x4..x6: rows 1 to 3
        add     x5, x4, x0
        add     x6, x5, x0
        movi    v16.4s, #0              // v16..v23: sums, two registers per row
        movi    v17.4s, #0
        movi    v18.4s, #0
        movi    v19.4s, #0
        movi    v20.4s, #0
        movi    v21.4s, #0
        movi    v22.4s, #0
        movi    v23.4s, #0
0:
        ldr     q0, [x1], #16
        ldr     q1, [x4], #16
        ldr     q2, [x5], #16
        ldr     q3, [x6], #16
        ldp     q4, q5, [x2], #32
        ldp     q6, q7, [x2], #32
        ldp     q24, q25, [x2], #32
        ldp     q26, q27, [x2], #32
        four_depths 0, v4, v5
        four_depths 1, v6, v7
        four_depths 2, v24, v25
        four_depths 3, v26, v27
        subs    x0, x0, #16
        b.ne    0b
        stp     q16, q17, [x3]
        stp     q18, q19, [x3, #32]
        stp     q20, q21, [x3, #64]
        stp     q22, q23, [x3, #96]
        ret
