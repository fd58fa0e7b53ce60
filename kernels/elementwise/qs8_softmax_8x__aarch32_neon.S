//! Softmax of a row of int8: shares of exponentials by table, in single precision and in order.
//! contract: qs8_softmax
//! tile: 8x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n       r0          bytes, at least 1
//! in   x       r1          int8 [n]
//! in   t       r2          float [256], exponentials of what bytes fall short of the largest
//! in   buffer  r3          float [n], rounded up to 8
//! in   y       [sp]        int8 [n], may be x
//!
//! reg  px      r4          where x is read next
//! reg  count   r5          bytes left
//! reg  most    r6          the largest byte
//! reg  pb      r7          where exponentials are kept
//! reg  index   r8          what a byte falls short of the largest
//! reg  out     r9          where the result is written next
//! reg  vshare  q0-q1       8 exponentials; 16 bytes
//! reg  vfactor q8          256 over the sum of the exponentials
//! reg  vconst  q9          128, the distance to the zero point
//!
//!   x[i]  --->  t[largest - x[i]]  --->  buffer[i]         one at a time: there is no load that gathers, and sums of single
//!                       |                   |              precision depend on their order
//!                       +---> sum           +---> * 256 / sum, rounded: eight at a time

#include "include/elementwise_aarch32.h"
#include "include/int8_aarch32.h"

.macro larger_pairs d
    vpmax.s8    \d, \d, \d
.endm

.macro largest_lane r
    vmov.s8     \r, d0[0]
.endm

.macro load_byte r, p
    ldrsb       \r, [\p], #1
.endm

.macro byte_constants
    vmov.i16    q9, #128
.endm

// Halves of an integer by cutting off, then half of that rounded up: to nearest, exactly. 0 is at -128.
.macro shares_8
    vmul.f32    q0, q0, q8
    vmul.f32    q1, q1, q8
    vcvt.s32.f32 q0, q0, #1
    vcvt.s32.f32 q1, q1, #1
    vrshr.s32   q0, q0, #1
    vrshr.s32   q1, q1, #1
    vmovn.i32   d0, q0
    vmovn.i32   d1, q1
    vsub.i16    q0, q0, q9
    vqmovn.s16  d0, q0
.endm

#define KERNEL qs8_softmax_8x__aarch32_neon
#include "bodies/softmax_aarch32.h"
