// Sums of depthwise kernels on AArch32 to bytes by rndnu: with int8_aarch32.h and elementwise_aarch32.h.
//
// The kernel names multiplier preshift postshift zeropoint (q10..q13), upper lower (d).

.macro load_scheme params
    vld1.32     {d20[], d21[]}, [\params]!     // q10: multiplier
    vld1.32     {d22[], d23[]}, [\params]!     // q11: to the left: what the right shift is too far
    vld1.32     {d24[], d25[]}, [\params]!     // q12: minus the shift to the right, which is 1 at least
    vld1.16     {d26[], d27[]}, [\params]!     // q13: zero point of the output
    vld1.8      {upper[]}, [\params]!
    vld1.8      {lower[]}, [\params]
.endm

// Eight sums in q8 and q9 to eight bytes in d16.
.macro finish_8
    scale_products_rndnu d16
.endm
