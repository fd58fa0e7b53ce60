//! Softmax of a row of int8: shares of exponentials by table, in single precision and in order.
//! contract: qs8_softmax
//! tile: 8x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n       x0          bytes, at least 1
//! in   x       x1          int8 [n]
//! in   t       x2          float [256], exponentials of what bytes fall short of the largest
//! in   buffer  x3          float [n], rounded up to 8
//! in   y       x4          int8 [n], may be x
//!
//! reg  px      x5          where x is read next
//! reg  count   x6          bytes left
//! reg  most    x7          the largest byte
//! reg  pb      x8          where exponentials are kept
//! reg  index   x9          what a byte falls short of the largest
//! reg  vshare  v0-v1       8 exponentials; 16 bytes
//! reg  vsum    v2          sum of the exponentials; then 256 over it
//! reg  vconst  v3          128, the distance to the zero point
//!
//!   x[i]  --->  t[largest - x[i]]  --->  buffer[i]         one at a time: there is no load that gathers, and sums of single
//!                       |                   |              precision depend on their order
//!                       +---> sum           +---> * 256 / sum, rounded: eight at a time

#include "include/elementwise_aarch64.h"
#include "include/int8_aarch64.h"

.macro largest_lane w
    smaxv       b0, v0.16b
    smov        \w, v0.b[0]
.endm

.macro load_byte w, p
    ldrsb       \w, [\p], #1
.endm

.macro byte_constants
    movi        v3.8h, #128
.endm

// Halves of an integer by cutting off, then half of that rounded up: to nearest, exactly. 0 is at -128.
.macro shares_8
    fmul        v0.4s, v0.4s, v2.4s
    fmul        v1.4s, v1.4s, v2.4s
    fcvtzs      v0.4s, v0.4s, #1
    fcvtzs      v1.4s, v1.4s, #1
    srshr       v0.4s, v0.4s, #1
    srshr       v1.4s, v1.4s, #1
    xtn         v0.4h, v0.4s
    xtn2        v0.8h, v1.4s
    sub         v0.8h, v0.8h, v3.8h
    sqxtn       v0.8b, v0.8h
.endm

#define KERNEL qs8_softmax_8x__aarch64_neon
#include "bodies/softmax_aarch64.h"
