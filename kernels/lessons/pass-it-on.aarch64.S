// A turn multiplies what the one before it has loaded, and loads for the next; the sum is handed on within SMLAL.
pass_it_on:
        movi    v0.4s, #0
        ldr     d1, [x1], #8
        subs    x0, x0, #2
0:
        smlal   v0.4s, v1.4h, v1.4h
        ldr     d1, [x1], #8
        subs    x0, x0, #1
        b.hs    0b
        smlal   v0.4s, v1.4h, v1.4h
        str     q0, [x2]
        ret
