// Sums of depthwise kernels on AArch32 to bytes in single precision, each channel by its scale, which lies behind the taps:
// with int8_aarch32.h and dwconv_fp32_aarch32.h.
//
// The kernel names magic magiczero (q10, q11), upper lower (d).

.macro load_scheme params
    add         \params, \params, #8
    vld1.32     {d22[], d23[]}, [\params]!     // q11: bits of 12582912, less the zero point of the output
    add         \params, \params, #2
    vmov.i32    q10, #0x4b000000                // bits of 12582912
    vorr.i32    q10, #0x400000
    vld1.8      {upper[]}, [\params]!
    vld1.8      {lower[]}, [\params]
.endm

// The scales of eight channels, to stay until they are needed.
.macro scales_8
    vld1.32     {d24-d27}, [r3]!
.endm
