//! Depthwise convolution of 9 taps in one pass, 8 channels at a time, with ten pointers.
//! contract: qu8_dwconv_q31
//! tile: 8x9
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   channels           r0          at least 1
//! in   output_width       r1          output pixels, at least 1
//! in   input              r2          pointers: nine rows of channels for each pixel, column by column
//! in   w                  r3          packed weights: per 8 channels 8 int32 biases, then 9 taps of 8 bytes
//! in   output             [sp]        uint8 [output_width, channels]
//! in   input_stride       [sp, #4]    bytes from one pixel's pointers to the next pixel's
//! in   output_increment   [sp, #8]    bytes between two pixels of the output
//! in   params             [sp, #12]   neonsim_q31_params, 16 bytes
//!
//! reg  count       r0          channels left, less 8
//! reg  width       r1          pixels left
//! reg  table       r2          this pixel's pointers
//! reg  pw          r3          where the weights are read next: one pointer for all nine rows of them
//! reg  pi0..pi8    r4-r12      where the nine rows of the input are read next
//! reg  out         r14         where the output is written next
//! reg  va0..va1    q0-q1       8 channels of one tap of the input, as int16; by turns
//! reg  vb0..vb1    q2-q3       8 channels of one tap of the weights, less their zero point, as int16
//! reg  vwzp        d14         the zero point of w, 8 times
//! reg  vacc        q8-q9       int32 sums of 8 channels
//! reg  vq31        q10-q13     multiplier, left shift, where nothing is shifted, zero point of the output
//! reg  vlimits     d28-d29     largest and smallest value allowed
//! reg  vt0..vt1    q4-q5       scratch
//!
//!     pixel 0        pixel 1                    AArch32 has 14 general registers to work with: r0..r12 and lr.
//!   +---+---+---+ - +                           Nine rows of input and nine of weights would be 18 pointers.
//!   | 0 | 3 | 6 | 9    <- taps, in the order    Packed as here, the weights lie in the order of their use,
//!   | 1 | 4 | 7 |10       of their pointers     and one pointer that only moves forwards serves them all:
//!   | 2 | 5 | 8 |11                             nine and one, and four more to count and to store with.
//!   +---+---+---+ - +

#include "include/q31_aarch32.h"

    multiplier  .req q10
    leftshift   .req q11
    unshifted   .req q12
    zeropoint   .req q13
    upper       .req d28
    lower       .req d29

// One tap: eight channels of the input times eight weights. a, b: a q register and its halves for each.
.macro tap pi, a, a0, a1, b, b0, b1
    vld1.8      {\a0}, [\pi]!
    vld1.8      {\b0}, [r3]!
    vmovl.u8    \a, \a0
    vsubl.u8    \b, \b0, d14
    vmlal.s16   q8, \a0, \b0
    vmlal.s16   q9, \a1, \b1
.endm

// The same for the last channels: up to 7 bytes back, the old ones shifted out. d15: minus the bits to shift.
.macro last_tap pi, a, a0, a1, b, b0, b1
    add         \pi, \pi, r0
    vld1.8      {\a0}, [\pi]
    vld1.8      {\b0}, [r3]!
    vshl.u64    \a0, \a0, d15
    vmovl.u8    \a, \a0
    vsubl.u8    \b, \b0, d14
    vmlal.s16   q8, \a0, \b0
    vmlal.s16   q9, \a1, \b1
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_dwconv_q31_8x9__aarch32_neon_mlal
    .type   qu8_dwconv_q31_8x9__aarch32_neon_mlal, %function
qu8_dwconv_q31_8x9__aarch32_neon_mlal:
    // ---- Save what belongs to the caller, and two arguments that each pixel needs again: 48 + 64 bytes.
    push        {r0, r3-r12, lr}                // channels at sp + 64, w at sp + 68
    vpush       {d8-d15}
    ldr         r12, [sp, #124]                 // r12: parameters
    add         r4, r12, #12
    vld1.8      {d14[]}, [r4]                   // d14: zero point of w, 8 times
    load_q31    r12, d20, d21, d22, d23, d26, d27
    ldr         lr, [sp, #112]                  // lr: output

    // ---- For each pixel: fetch its nine pointers and start the weights from their beginning.
0:
    ldr         r0, [sp, #116]                  // r0: input_stride
    ldm         r2, {r4-r12}                    // r4..r12: rows of taps 0..8
    add         r2, r2, r0
    ldr         r3, [sp, #68]                   // r3: packed weights
    ldr         r0, [sp, #64]                   // r0: channels
    subs        r0, r0, #8
    blo         2f

    // ---- Eight channels at a time: nine products each, and the sums never leave their registers.
1:
    vld1.8      {d16-d19}, [r3]!                // q8, q9: biases
    tap         r4, q0, d0, d1, q2, d4, d5
    tap         r5, q1, d2, d3, q3, d6, d7
    tap         r6, q0, d0, d1, q2, d4, d5
    tap         r7, q1, d2, d3, q3, d6, d7
    tap         r8, q0, d0, d1, q2, d4, d5
    tap         r9, q1, d2, d3, q3, d6, d7
    tap         r10, q0, d0, d1, q2, d4, d5
    tap         r11, q1, d2, d3, q3, d6, d7
    tap         r12, q0, d0, d1, q2, d4, d5
    requantize_q31 q8, q9, d16, d17, q4, q5
    vst1.8      {d16}, [lr]!
    subs        r0, r0, #8
    bhs         1b

    // ---- The last 1..7 channels: read the 8 bytes that end with the row and shift the old ones out.
2:
    cmp         r0, #-8
    beq         5f                              // none left
    vld1.8      {d16-d19}, [r3]!
    vdup.32     d15, r0
    vshl.i32    d15, d15, #3                    // d15: minus the bits to shift out
    last_tap    r4, q0, d0, d1, q2, d4, d5
    last_tap    r5, q1, d2, d3, q3, d6, d7
    last_tap    r6, q0, d0, d1, q2, d4, d5
    last_tap    r7, q1, d2, d3, q3, d6, d7
    last_tap    r8, q0, d0, d1, q2, d4, d5
    last_tap    r9, q1, d2, d3, q3, d6, d7
    last_tap    r10, q0, d0, d1, q2, d4, d5
    last_tap    r11, q1, d2, d3, q3, d6, d7
    last_tap    r12, q0, d0, d1, q2, d4, d5
    requantize_q31 q8, q9, d16, d17, q4, q5
    tst         r0, #4                          // the low three bits of r0 are those of the channels left
    beq         3f
    vst1.32     {d16[0]}, [lr]!
    vext.8      d16, d16, d16, #4               // the next channels first
3:
    tst         r0, #2
    beq         4f
    vst1.16     {d16[0]}, [lr]!
    vext.8      d16, d16, d16, #2
4:
    tst         r0, #1
    beq         5f
    vst1.8      {d16[0]}, [lr]!

    // ---- On to the next pixel.
5:
    ldr         r0, [sp, #120]
    add         lr, lr, r0                      // lr: the next pixel's output
    subs        r1, r1, #1
    bne         0b

    // ---- Give back what was saved.
    vpop        {d8-d15}
    pop         {r0, r3-r12, pc}
    .size   qu8_dwconv_q31_8x9__aarch32_neon_mlal, . - qu8_dwconv_q31_8x9__aarch32_neon_mlal
