// Words, then pairs of words.
transpose_4x4:
        ld1     {v0.4s, v1.4s, v2.4s, v3.4s}, [x0]
        trn1    v4.4s, v0.4s, v1.4s
        trn2    v5.4s, v0.4s, v1.4s
        trn1    v6.4s, v2.4s, v3.4s
        trn2    v7.4s, v2.4s, v3.4s
        trn1    v0.2d, v4.2d, v6.2d
        trn1    v1.2d, v5.2d, v7.2d
        trn2    v2.2d, v4.2d, v6.2d
        trn2    v3.2d, v5.2d, v7.2d
        st1     {v0.4s, v1.4s, v2.4s, v3.4s}, [x1]
        ret
