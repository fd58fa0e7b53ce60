// Limits of float32 on AArch64, in v6 (smallest value allowed) and v7 (largest).

.macro limits_from params
    ld1r        {v6.4s}, [\params], #4
    ld1r        {v7.4s}, [\params]
.endm

.macro clamped v
    fmax        \v\().4s, \v\().4s, v6.4s
    fmin        \v\().4s, \v\().4s, v7.4s
.endm

// Two of them, one beside the other.
.macro both_clamped v, w
    fmax        \v\().4s, \v\().4s, v6.4s
    fmax        \w\().4s, \w\().4s, v6.4s
    fmin        \v\().4s, \v\().4s, v7.4s
    fmin        \w\().4s, \w\().4s, v7.4s
.endm
