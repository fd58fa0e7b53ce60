//! Depthwise convolution of float32, 9 taps, 8 channels at a time, then 4, then 1; fused multiply-add.
//! contract: f32_dwconv
//! tile: 8x9
//! isa: aarch32
//! feature: neonv8
//! reads-before: 0
//! source: own work
//!
//! in   channels         r0          at least 1
//! in   output_width     r1          output pixels, at least 1
//! in   input            r2          pointers: 9 rows of channels for each pixel, in the order of the weights
//! in   w                r3          packed weights: per 8 channels 8 biases, 9 taps of 8 weights
//! in   output           [sp]        float32 [output_width, channels]
//! in   input_stride     [sp, #4]    bytes from one pixel's pointers to the next pixel's
//! in   output_increment [sp, #8]    bytes between two pixels of the output
//! in   input_offset     [sp, #12]   bytes added to every pointer but zero
//! in   zero             [sp, #16]   float32 [channels], what taps outside the image point at
//! in   params           [sp, #20]   neonsim_float_params, 8 bytes
//!
//! reg  pi0..pi8         r4-r12      where nine rows are read next
//! reg  pw               r14         where the weights are read next
//! reg  left             r0          channels left
//! reg  rest             r1          weights of the last channels
//! reg  out              r3          where the output is written next
//! reg  vx               q0-q1       8 channels of one tap
//! reg  vw               q2-q3       their weights
//! reg  vacc             q8-q9       sums of 8 channels
//! reg  vlimits          q14-q15     smallest and largest value allowed
//!
//!   row t   | x0 .. x3 | x4 .. x7 |      9 taps, 18 VFMA; nine pointers and one for all weights leave four general
//!   tap t   | w0 .. w3 | w4 .. w7 |      registers: what is counted once a pixel lies on the stack
//!   sums    |    q8    |    q9    |

#include "include/f32_dwconv_aarch32.h"

    .syntax unified
    .arch   armv8-a
    .fpu    neon-fp-armv8
    .arm
    .text
    .p2align 4
    .global f32_dwconv_8x9__aarch32_neonv8_fma
    .type   f32_dwconv_8x9__aarch32_neonv8_fma, %function
f32_dwconv_8x9__aarch32_neonv8_fma:
    // ---- Save what belongs to the caller, and the first four arguments: 56 bytes, where stack arguments now start.
    push        {r0-r12, lr}
    ldr         r12, [sp, #76]                  // r12: parameters
    vld1.32     {d28[], d29[]}, [r12]!
    vld1.32     {d30[], d31[]}, [r12]
    ldr         r3, [sp, #56]                   // r3: output

    // ---- For each pixel: fetch its pointers and move them, start the weights from their beginning.
0:
    nine_rows
    ldr         r14, [sp, #12]                  // r14: weights
    ldr         r0, [sp]
    subs        r0, r0, #8                      // r0: channels left, less 8
    blo         2f

    // ---- Eight channels at a time.
1:
    nine_taps_of_8
    vst1.32     {d16-d19}, [r3]!
    subs        r0, r0, #8
    bhs         1b

    // ---- Four of the last 1..7 channels.
2:
    mov         r1, r14                         // r1: their block of weights
    mov         r2, #32                         // r2: from one weight of a channel to the next
    tst         r0, #4
    beq         3f
    nine_taps_of d0-d1, d4-d5, d16-d17
    vst1.32     {d16-d17}, [r3]!
    add         r1, r1, #16

    // ---- The last 1..3 channels, one by one.
3:
    ands        r0, r0, #3
    beq         5f
4:
    mov         r14, r1
    nine_taps_of d0[], d4[], d16[]
    vst1.32     {d16[0]}, [r3]!
    add         r1, r1, #4
    subs        r0, r0, #1
    bne         4b

    // ---- On to the next pixel. The pixels left are counted where output_width was saved.
5:
    ldr         r0, [sp, #64]                   // r0: output_increment
    ldr         r1, [sp, #4]
    add         r3, r3, r0
    subs        r1, r1, #1
    str         r1, [sp, #4]
    bne         0b

    // ---- Give back what was saved.
    add         sp, sp, #16
    pop         {r4-r12, pc}
    .size   f32_dwconv_8x9__aarch32_neonv8_fma, . - f32_dwconv_8x9__aarch32_neonv8_fma
