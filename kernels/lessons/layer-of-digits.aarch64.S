// One pixel a turn: 32 sums in eight registers, 24 depths, each one lane times a row of weights.
        .macro  depth x, lane
        ld1     {v6.16b, v7.16b}, [x11], #32
        sxtl    v4.8h, v6.8b
        sxtl2   v5.8h, v6.16b
        sxtl    v6.8h, v7.8b
        sxtl2   v7.8h, v7.16b
        smlal   v16.4s, v4.4h, \x\().h[\lane]
        smlal2  v17.4s, v4.8h, \x\().h[\lane]
        smlal   v18.4s, v5.4h, \x\().h[\lane]
        smlal2  v19.4s, v5.8h, \x\().h[\lane]
        smlal   v20.4s, v6.4h, \x\().h[\lane]
        smlal2  v21.4s, v6.8h, \x\().h[\lane]
        smlal   v22.4s, v7.4h, \x\().h[\lane]
        smlal2  v23.4s, v7.8h, \x\().h[\lane]
        .endm
        .macro  scaled sum, scale
        scvtf   v\sum\().4s, v\sum\().4s
        fmul    v\sum\().4s, v\sum\().4s, v\scale\().4s
        fcvtns  v\sum\().4s, v\sum\().4s
        .endm
layer_of_digits:
        movi    v31.8h, #128, lsl #0
        neg     v31.8h, v31.8h
0:
        mov     x9, x3
        mov     x10, x4
        mov     x11, x2
        ld1     {v16.4s-v19.4s}, [x9], #64
        ld1     {v20.4s-v23.4s}, [x9]
        ld1     {v0.8b-v2.8b}, [x1], #24
        sxtl    v0.8h, v0.8b
        sxtl    v1.8h, v1.8b
        sxtl    v2.8h, v2.8b
        .irp    lane, 0,1,2,3,4,5,6,7
        depth   v0, \lane
        .endr
        .irp    lane, 0,1,2,3,4,5,6,7
        depth   v1, \lane
        .endr
        .irp    lane, 0,1,2,3,4,5,6,7
        depth   v2, \lane
        .endr
        ld1     {v24.4s-v27.4s}, [x10], #64
        scaled  16, 24
        scaled  17, 25
        scaled  18, 26
        scaled  19, 27
        ld1     {v24.4s-v27.4s}, [x10]
        scaled  20, 24
        scaled  21, 25
        scaled  22, 26
        scaled  23, 27
        // 16 bits, the zero point, 8 bits: everything saturates.
        sqxtn   v16.4h, v16.4s
        sqxtn2  v16.8h, v17.4s
        sqxtn   v18.4h, v18.4s
        sqxtn2  v18.8h, v19.4s
        sqxtn   v20.4h, v20.4s
        sqxtn2  v20.8h, v21.4s
        sqxtn   v22.4h, v22.4s
        sqxtn2  v22.8h, v23.4s
        sqadd   v16.8h, v16.8h, v31.8h
        sqadd   v18.8h, v18.8h, v31.8h
        sqadd   v20.8h, v20.8h, v31.8h
        sqadd   v22.8h, v22.8h, v31.8h
        sqxtn   v16.8b, v16.8h
        sqxtn2  v16.16b, v18.8h
        sqxtn   v20.8b, v20.8h
        sqxtn2  v20.16b, v22.8h
        stp     q16, q20, [x5], #32
        subs    x0, x0, #1
        b.ne    0b
        ret
