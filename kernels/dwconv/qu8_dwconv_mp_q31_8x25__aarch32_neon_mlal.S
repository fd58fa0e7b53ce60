//! Depthwise convolution of 25 taps in three passes of 10, 10 and 5, 8 channels at a time.
//! contract: qu8_dwconv_mp_q31
//! tile: 8x25
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   channels           r0          at least 1
//! in   output_width       r1          output pixels, at least 1
//! in   input              r2          pointers: 25 rows of channels for each pixel, column by column
//! in   w                  r3          packed weights in three regions: columns 0-1 with the biases, 2-3, 4
//! in   buffer             [sp]        int32 [channels rounded up to 8]
//! in   output             [sp, #4]    uint8 [output_width, channels]
//! in   input_stride       [sp, #8]    bytes from one pixel's pointers to the next pixel's
//! in   output_increment   [sp, #12]   bytes between two pixels of the output
//! in   params             [sp, #16]   neonsim_q31_params, 16 bytes
//!
//! reg  count       r0          channels left, less 8
//! reg  sums        r1          where the buffer is read and written next
//! reg  table       r2          the next pass's pointers
//! reg  pw          r3          where the weights are read next
//! reg  pi0..pi8    r4-r12      where nine rows of the input are read next
//! reg  pi9         r14         the same for row 9
//! reg  va          q0          8 channels of one tap of the input, less their zero point, as int16
//! reg  vb          q1          8 channels of one tap of the weights, less their zero point, as int16
//! reg  vt0..vt1    q2-q3       scratch
//! reg  vazp        d13         the zero point of the input, 8 times
//! reg  vwzp        d14         the zero point of w, 8 times
//! reg  vs          d15         minus the bits to shift out of the last channels
//! reg  vacc        q8-q9       int32 sums of 8 channels
//! reg  vq31        q10-q13     multiplier, left shift, where nothing is shifted, zero point of the output
//! reg  vlimits     d28-d29     largest and smallest value allowed
//!
//!   taps        pass 0   pass 1   pass 2      25 rows are more than there are registers for pointers. Each pass
//!   0  5 | 10 15 | 20    biases   buffer      runs over all channels of a pixel with the pointers of its taps;
//!   1  6 | 11 16 | 21      |        |         between two passes the sums wait in the buffer. Ten pointers, the
//!   2  7 | 12 17 | 22    buffer   buffer      weights, the table, the buffer and the count are all 14 registers:
//!   3  8 | 13 18 | 23                         what else there is to remember lies on the stack.
//!   4  9 | 14 19 | 24

#include "include/q31_aarch32.h"

    multiplier  .req q10
    leftshift   .req q11
    unshifted   .req q12
    zeropoint   .req q13
    upper       .req d28
    lower       .req d29

// One tap. last: the last 1..7 channels, the 8 bytes that end with them, the old ones shifted out.
.macro tap pi, last
    .if \last
    add         \pi, \pi, r0
    vld1.8      {d0}, [\pi]
    vshl.u64    d0, d0, d15
    .else
    vld1.8      {d0}, [\pi]!
    .endif
    vld1.8      {d2}, [r3]!
    vsubl.u8    q0, d0, d13
    vsubl.u8    q1, d2, d14
    vmlal.s16   q8, d0, d2
    vmlal.s16   q9, d1, d3
.endm

.macro five_taps last
    tap         r4, \last
    tap         r5, \last
    tap         r6, \last
    tap         r7, \last
    tap         r8, \last
.endm

.macro ten_taps last
    five_taps   \last
    tap         r9, \last
    tap         r10, \last
    tap         r11, \last
    tap         r12, \last
    tap         lr, \last
.endm

// What each pass begins with: buffer and channels from the stack.
.macro begin_pass none
    ldr         r1, [sp, #112]                  // r1: buffer
    ldr         r0, [sp, #64]
    subs        r0, r0, #8                      // r0: channels left after the next eight
    blo         \none
.endm

// What the last channels of each pass begin with; goes to done if there are none.
.macro begin_last done
    cmp         r0, #-8                         // none left?
    beq         \done
    vdup.32     d15, r0
    vshl.i32    d15, d15, #3
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_dwconv_mp_q31_8x25__aarch32_neon_mlal
    .type   qu8_dwconv_mp_q31_8x25__aarch32_neon_mlal, %function
qu8_dwconv_mp_q31_8x25__aarch32_neon_mlal:
    // ---- Save what belongs to the caller and what each pixel needs again: 48 + 64 bytes.
    push        {r0, r1, r3-r11, lr}            // channels at sp + 64, pixels left at sp + 68, w at sp + 72
    vpush       {d8-d15}
    ldr         r12, [sp, #128]                 // r12: parameters
    add         r4, r12, #12
    vld1.8      {d14[]}, [r4]!                  // d14: zero point of w
    vld1.8      {d13[]}, [r4]                   // d13: zero point of the input
    load_q31    r12, d20, d21, d22, d23, d26, d27

    // ---- Pass 0: taps 0..9, from the biases to the buffer.
0:
    ldr         r3, [sp, #72]                   // r3: packed weights
    ldm         r2!, {r4-r12, lr}               // ten rows
    begin_pass  2f
1:
    vld1.8      {d16-d19}, [r3]!                // q8, q9: biases
    ten_taps    0
    vst1.32     {d16-d19}, [r1]!
    subs        r0, r0, #8                      // r0: channels left, less 8
    bhs         1b
2:
    begin_last  3f
    vld1.8      {d16-d19}, [r3]!
    ten_taps    1
    vst1.32     {d16-d19}, [r1]                 // the buffer has room for 8 channels, also where there are fewer

    // ---- Pass 1: taps 10..19, from the buffer to the buffer.
3:
    ldm         r2!, {r4-r12, lr}
    begin_pass  5f
4:
    vld1.32     {d16-d19}, [r1]                 // q8, q9: sums so far
    ten_taps    0
    vst1.32     {d16-d19}, [r1]!
    subs        r0, r0, #8                      // r0: channels left, less 8
    bhs         4b
5:
    begin_last  6f
    vld1.32     {d16-d19}, [r1]
    ten_taps    1
    vst1.32     {d16-d19}, [r1]

    // ---- Pass 2: taps 20..24, from the buffer to the output.
6:
    ldm         r2!, {r4-r8}
    ldr         r9, [sp, #116]                  // r9: output
    begin_pass  8f
7:
    vld1.32     {d16-d19}, [r1]!
    five_taps   0
    requantize_q31 q8, q9, d16, d17, q2, q3
    vst1.8      {d16}, [r9]!
    subs        r0, r0, #8                      // r0: channels left, less 8
    bhs         7b
8:
    begin_last  9f
    vld1.32     {d16-d19}, [r1]
    five_taps   1
    requantize_q31 q8, q9, d16, d17, q2, q3
    tst         r0, #4                          // the low three bits of r0 are those of the channels left
    beq         11f
    vst1.32     {d16[0]}, [r9]!
    vext.8      d16, d16, d16, #4
11:
    tst         r0, #2
    beq         12f
    vst1.16     {d16[0]}, [r9]!
    vext.8      d16, d16, d16, #2
12:
    tst         r0, #1
    beq         9f
    vst1.8      {d16[0]}, [r9]!

    // ---- On to the next pixel.
9:
    ldr         r4, [sp, #120]                  // r4: input_stride
    ldr         r5, [sp, #124]                  // r5: output_increment
    ldr         r6, [sp, #68]                   // r6: pixels left
    sub         r2, r2, #100                    // back over 25 pointers
    add         r2, r2, r4
    add         r9, r9, r5
    str         r9, [sp, #116]
    subs        r6, r6, #1
    str         r6, [sp, #68]
    bne         0b

    // ---- Give back what was saved.
    vpop        {d8-d15}
    pop         {r0, r1, r3-r11, pc}
    .size   qu8_dwconv_mp_q31_8x25__aarch32_neon_mlal, . - qu8_dwconv_mp_q31_8x25__aarch32_neon_mlal
