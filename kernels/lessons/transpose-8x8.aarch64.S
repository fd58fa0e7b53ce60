// Bytes, pairs of bytes, groups of four.
transpose_8x8:
        ld1     {v0.8b, v1.8b, v2.8b, v3.8b}, [x0], #32
        ld1     {v4.8b, v5.8b, v6.8b, v7.8b}, [x0]
        trn1    v16.8b, v0.8b, v1.8b
        trn2    v17.8b, v0.8b, v1.8b
        trn1    v18.8b, v2.8b, v3.8b
        trn2    v19.8b, v2.8b, v3.8b
        trn1    v20.8b, v4.8b, v5.8b
        trn2    v21.8b, v4.8b, v5.8b
        trn1    v22.8b, v6.8b, v7.8b
        trn2    v23.8b, v6.8b, v7.8b
        trn1    v0.4h, v16.4h, v18.4h
        trn1    v1.4h, v17.4h, v19.4h
        trn2    v2.4h, v16.4h, v18.4h
        trn2    v3.4h, v17.4h, v19.4h
        trn1    v4.4h, v20.4h, v22.4h
        trn1    v5.4h, v21.4h, v23.4h
        trn2    v6.4h, v20.4h, v22.4h
        trn2    v7.4h, v21.4h, v23.4h
        trn1    v16.2s, v0.2s, v4.2s
        trn1    v17.2s, v1.2s, v5.2s
        trn1    v18.2s, v2.2s, v6.2s
        trn1    v19.2s, v3.2s, v7.2s
        trn2    v20.2s, v0.2s, v4.2s
        trn2    v21.2s, v1.2s, v5.2s
        trn2    v22.2s, v2.2s, v6.2s
        trn2    v23.2s, v3.2s, v7.2s
        st1     {v16.8b, v17.8b, v18.8b, v19.8b}, [x1], #32
        st1     {v20.8b, v21.8b, v22.8b, v23.8b}, [x1]
        ret
