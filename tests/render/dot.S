// A dot product of bytes, four sums at a time: the smallest program with everything the stepper shows.
//   x0 a uint8 [8 n]   x1 w uint8 [8 n]   x2 n   x3 c int32 [4]   x4 zero point, one byte
        .text
        .global dot
dot:
        ld1r    {v2.8b}, [x4]           // the zero point, 8 times
        ld1     {v16.4s}, [x3]          // <img src=x onerror="window.stolen = 1"> & what the sums start from
loop:
        ld1     {v0.8b}, [x0], #8
        ld1     {v1.8b}, [x1], #8
        uxtl    v0.8h, v0.8b
        usubl   v1.8h, v1.8b, v2.8b
        smlal   v16.4s, v1.4h, v0.h[2]
        smlal2  v16.4s, v1.8h, v0.h[5]
        subs    x2, x2, #1
        b.ne    loop
        st1     {v16.4s}, [x3]
        ret
