// Sixteen bytes plus sixteen bytes.
add_two_vectors:
        vld1.8      {q0}, [r0]
        vld1.8      {q1}, [r1]
        vadd.i8     q0, q0, q1
        vst1.8      {q0}, [r2]
        bx          lr
