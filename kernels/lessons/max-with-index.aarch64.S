// The largest of each lane and its number; then the largest of eight lanes, and the smallest number that has it.
max_with_index:
        mov     x9, #0x10000            // v3.8h: numbers 0..7
        movk    x9, #2, lsl #32
        movk    x9, #3, lsl #48
        fmov    d3, x9
        movi    v4.4h, #4
        add     v4.4h, v3.4h, v4.4h
        mov     v3.d[1], v4.d[0]
        mov     v4.16b, v3.16b          // v4: where the largest were
        movi    v2.8h, #8
        ldr     q0, [x1], #16           // v0: the largest so far
        b       1f
0:
        ldr     q5, [x1], #16
        add     v3.8h, v3.8h, v2.8h
        cmgt    v6.8h, v5.8h, v0.8h
        bit     v0.16b, v5.16b, v6.16b
        bit     v4.16b, v3.16b, v6.16b
1:
        subs    x0, x0, #8
        b.ne    0b
        smaxv   h16, v0.8h
        dup     v17.8h, v16.h[0]
        cmeq    v18.8h, v0.8h, v17.8h
        orn     v19.16b, v4.16b, v18.16b        // all ones where the lane has lost
        uminv   h20, v19.8h
        str     h16, [x2]
        umov    w9, v20.h[0]
        str     w9, [x3]
        ret
