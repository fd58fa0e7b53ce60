// Limits of float32 on AArch32, in q14 (smallest value allowed) and q15 (largest).

.macro limits_from params
    vld1.32     {d28[], d29[]}, [\params]!
    vld1.32     {d30[], d31[]}, [\params]
.endm

.macro clamped q
    vmax.f32    \q, \q, q14
    vmin.f32    \q, \q, q15
.endm

// Of a d register.
.macro clamped_half d
    vmax.f32    \d, \d, d28
    vmin.f32    \d, \d, d30
.endm

// Two of them, one beside the other.
.macro both_clamped q, r
    vmax.f32    \q, \q, q14
    vmax.f32    \r, \r, q14
    vmin.f32    \q, \q, q15
    vmin.f32    \r, \r, q15
.endm
