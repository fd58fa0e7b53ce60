//! Depthwise convolution of 9 taps the classic way: one pass per tap, every sum updated nine times. For teaching.
//! contract: qu8_dwconv_mp_q31
//! tile: 8x9
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   channels           r0          at least 1
//! in   output_width       r1          output pixels, at least 1
//! in   input              r2          pointers: nine rows of channels for each pixel, column by column
//! in   w                  r3          packed weights in nine regions of one tap, the first one with the biases
//! in   buffer             [sp]        int32 [channels rounded up to 8]
//! in   output             [sp, #4]    uint8 [output_width, channels]
//! in   input_stride       [sp, #8]    bytes from one pixel's pointers to the next pixel's
//! in   output_increment   [sp, #12]   bytes between two pixels of the output
//! in   params             [sp, #16]   neonsim_q31_params, 16 bytes
//!
//! reg  pi          r4          where this tap's row of the input is read next
//! reg  pw          r5          where the weights are read next
//! reg  sums        r6          where the buffer is read and written next
//! reg  count       r7          channels left, less 8
//! reg  table       r8          the next tap's pointer
//! reg  taps        r9          taps left
//! reg  out         r10         where the output is written next
//! reg  buffer      r11         int32 [channels]
//! reg  va          q0          8 channels of one tap of the input, less their zero point, as int16
//! reg  vb          q1          8 channels of one tap of the weights, less their zero point, as int16
//! reg  vt0..vt1    q2-q3       scratch
//! reg  vacc        q8-q9       int32 sums of 8 channels
//! reg  vq31        q10-q13     multiplier, left shift, where nothing is shifted, zero point of the output
//! reg  vlimits     d28-d29     largest and smallest value allowed
//! reg  vazp        d30         the zero point of the input, 8 times
//! reg  vwzp        d31         the zero point of w, 8 times
//!
//!   for each tap:                     for each 8 channels:            One pointer to the input and one to the
//!     for each 8 channels:              for each tap:                 weights are enough: that is why it was done
//!       sums <- memory      9 times       sums += input * w           so. The price is the traffic of the sums:
//!       sums += input * w               output <- sums       once     nine loads and nine stores of 32 bits per
//!       memory <- sums      9 times                                   channel, where one pass over all nine taps
//!           (this kernel)                  (8x9 in one pass)          needs none.

#include "include/q31_aarch32.h"

    multiplier  .req q10
    leftshift   .req q11
    unshifted   .req q12
    zeropoint   .req q13
    upper       .req d28
    lower       .req d29

// Eight channels of one tap, whose input is in d0 and whose weights come next.
.macro multiply
    vld1.8      {d2}, [r5]!
    vsubl.u8    q0, d0, d30
    vsubl.u8    q1, d2, d31
    vmlal.s16   q8, d0, d2
    vmlal.s16   q9, d1, d3
.endm

// The last 1..7 channels of the input: the 8 bytes that end with them, the old ones shifted out.
.macro last_input
    add         r4, r4, r7
    vdup.32     d4, r7
    vld1.8      {d0}, [r4]
    vshl.i32    d4, d4, #3
    vshl.u64    d0, d0, d4
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_dwconv_mp_q31_8x9__aarch32_neon_tap_by_tap
    .type   qu8_dwconv_mp_q31_8x9__aarch32_neon_tap_by_tap, %function
qu8_dwconv_mp_q31_8x9__aarch32_neon_tap_by_tap:
    // ---- Save what belongs to the caller: 32 bytes, so stack arguments now start at sp + 32.
    push        {r4-r11}
    ldr         r12, [sp, #48]                  // r12: parameters
    add         r4, r12, #12
    vld1.8      {d31[]}, [r4]!                  // d31: zero point of w
    vld1.8      {d30[]}, [r4]                   // d30: zero point of the input
    load_q31    r12, d20, d21, d22, d23, d26, d27
    ldr         r11, [sp, #32]                  // r11: buffer
    ldr         r10, [sp, #36]                  // r10: output

    // ---- The first tap starts from the biases.
0:
    mov         r8, r2
    ldr         r4, [r8], #4
    mov         r5, r3
    mov         r6, r11
    subs        r7, r0, #8                      // r7: all channels, less 8
    blo         2f
1:
    vld1.8      {d16-d19}, [r5]!                // q8, q9: biases
    vld1.8      {d0}, [r4]!
    multiply
    vst1.32     {d16-d19}, [r6]!
    subs        r7, r7, #8                      // r7: channels left, less 8
    bhs         1b
2:
    cmp         r7, #-8                         // none left?
    beq         3f
    vld1.8      {d16-d19}, [r5]!
    last_input
    multiply
    vst1.32     {d16-d19}, [r6]

    // ---- Eight more taps, each of which loads and stores all sums.
3:
    mov         r9, #8
4:
    ldr         r4, [r8], #4
    mov         r6, r11
    subs        r7, r0, #8                      // r7: all channels, less 8
    blo         6f
5:
    vld1.32     {d16-d19}, [r6]
    vld1.8      {d0}, [r4]!
    multiply
    vst1.32     {d16-d19}, [r6]!
    subs        r7, r7, #8                      // r7: channels left, less 8
    bhs         5b
6:
    cmp         r7, #-8                         // none left?
    beq         7f
    vld1.32     {d16-d19}, [r6]
    last_input
    multiply
    vst1.32     {d16-d19}, [r6]
7:
    subs        r9, r9, #1
    bne         4b

    // ---- And once more over the sums, to requantise them.
    mov         r6, r11
    subs        r7, r0, #8                      // r7: all channels, less 8
    blo         9f
8:
    vld1.32     {d16-d19}, [r6]!
    requantize_q31 q8, q9, d16, d17, q2, q3
    vst1.8      {d16}, [r10]!
    subs        r7, r7, #8                      // r7: channels left, less 8
    bhs         8b
9:
    cmp         r7, #-8                         // none left?
    beq         13f
    vld1.32     {d16-d19}, [r6]
    requantize_q31 q8, q9, d16, d17, q2, q3
    tst         r7, #4                          // the low three bits of r7 are those of the channels left
    beq         11f
    vst1.32     {d16[0]}, [r10]!
    vext.8      d16, d16, d16, #4
11:
    tst         r7, #2
    beq         12f
    vst1.16     {d16[0]}, [r10]!
    vext.8      d16, d16, d16, #2
12:
    tst         r7, #1
    beq         13f
    vst1.8      {d16[0]}, [r10]!

    // ---- On to the next pixel.
13:
    ldr         r4, [sp, #40]                   // r4: input_stride
    ldr         r5, [sp, #44]                   // r5: output_increment
    add         r2, r2, r4
    add         r10, r10, r5
    subs        r1, r1, #1
    bne         0b

    // ---- Give back what was saved.
    pop         {r4-r11}
    bx          lr
    .size   qu8_dwconv_mp_q31_8x9__aarch32_neon_tap_by_tap, . - qu8_dwconv_mp_q31_8x9__aarch32_neon_tap_by_tap
