// Bytes, pairs of bytes, groups of four: VTRN does in place what TRN1 and TRN2 do together.
transpose_8x8:
        vld1.8      {d0-d3}, [r0]!
        vld1.8      {d4-d7}, [r0]
        vtrn.8      d0, d1
        vtrn.8      d2, d3
        vtrn.8      d4, d5
        vtrn.8      d6, d7
        vtrn.16     d0, d2
        vtrn.16     d1, d3
        vtrn.16     d4, d6
        vtrn.16     d5, d7
        vtrn.32     d0, d4
        vtrn.32     d1, d5
        vtrn.32     d2, d6
        vtrn.32     d3, d7
        vst1.8      {d0-d3}, [r1]!
        vst1.8      {d4-d7}, [r1]
        bx          lr
