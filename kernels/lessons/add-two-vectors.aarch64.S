// Sixteen bytes plus sixteen bytes.
add_two_vectors:
        ldr     q0, [x0]
        ldr     q1, [x1]
        add     v0.16b, v0.16b, v1.16b
        str     q0, [x2]
        ret
