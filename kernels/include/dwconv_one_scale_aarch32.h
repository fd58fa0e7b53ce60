// Sums of depthwise kernels on AArch32 to bytes in single precision, all channels by one scale: with dwconv_fp32_aarch32.h.
//
// The kernel names magic magiczero (q10, q11), upper lower wzp (d).

.macro load_scheme params
    vld1.32     {d24[], d25[]}, [\params]     // q12: the scale
    vmov        q13, q12
    add         \params, \params, #12
    vld1.32     {d22[], d23[]}, [\params]!    // q11: bits of 12582912, less the zero point of the output
    add         \params, \params, #2
    vmov.i32    q10, #0x4b000000                // bits of 12582912
    vorr.i32    q10, #0x400000
    vld1.8      {upper[]}, [\params]!
    vld1.8      {lower[]}, [\params]!
    vld1.8      {wzp[]}, [\params]
.endm

.macro scales_8
.endm
