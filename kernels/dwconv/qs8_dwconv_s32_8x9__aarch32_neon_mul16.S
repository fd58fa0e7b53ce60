//! Depthwise convolution of int8, 9 taps, 8 channels at a time, sums stay; taps widened to 16 bits.
//! contract: qs8_dwconv_s32
//! tile: 8x9
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   channels         r0          at least 1
//! in   output_width     r1          output pixels, at least 1
//! in   input            r2          pointers: 9 rows of channels for each pixel, column by column
//! in   w                r3          packed weights: per 8 channels 8 int32 biases, 9 taps of 8 bytes
//! in   output           [sp]        int32 [output_width, channels]
//! in   input_stride     [sp, #4]    bytes from one pixel's pointers to the next pixel's
//! in   output_increment [sp, #8]    bytes between two pixels of the output
//! in   input_offset     [sp, #12]   bytes added to every pointer but zero
//! in   zero             [sp, #16]   int8 [channels], what taps outside the image point at
//!
//! reg  left             r0          channels left, less 8; between pixels the row of zeros
//! reg  pixels           r1          pixels left
//! reg  table            r2          this pixel's pointers
//! reg  pw               r3          where the weights are read next; between pixels input_offset
//! reg  pi0..pi8         r4-r12      where the rows of nine taps are read next
//! reg  out              r14         where the output is written next
//! reg  vtap             q0-q3       taps and weights of two pairs
//! reg  vwide            q4-q5       taps and weights of 16 bits
//! reg  vacc             q8-q9       int32 sums of 8 channels
//! reg  vs               d30         minus the bits to shift out of the last channels
//!
//!   x, w   8 bits -> 16 bits;  x * w added to 32 bits:  per 8 channels and tap 2 widenings and 2 multiplications

#include "include/int8_aarch32.h"
#include "include/elementwise_aarch32.h"
#include "include/dwconv_aarch32.h"
#include "include/dwconv_mul16_aarch32.h"
#include "include/dwconv_s32_aarch32.h"

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qs8_dwconv_s32_8x9__aarch32_neon_mul16
    .type   qs8_dwconv_s32_8x9__aarch32_neon_mul16, %function
qs8_dwconv_s32_8x9__aarch32_neon_mul16:
    // ---- Save what belongs to the caller, and two arguments that each pixel needs again.
    push        {r0, r3-r12, lr}                // channels at sp + 64, w at sp + 68
    vpush       {d8-d15}
    ldr         lr, [sp, #112]                  // lr: output

    // ---- For each pixel: fetch its pointers, start the weights from their beginning.
0:
    ldr         r0, [sp, #128]                  // r0: the row of zeros
    ldr         r3, [sp, #124]                  // r3: input_offset
    nine_rows
    ldr         r0, [sp, #116]                  // r0: input_stride
    add         r2, r2, r0
    ldr         r3, [sp, #68]                   // r3: packed weights
    ldr         r0, [sp, #64]                   // r0: channels
    subs        r0, r0, #8
    blo         2f

    // ---- Eight channels at a time: from the biases, over the taps, to memory.
1:
    vld1.8      {d16-d19}, [r3]!                // q8, q9: biases
    nine_taps   0
    vst1.8      {d16-d19}, [lr]!
    subs        r0, r0, #8
    bhs         1b

    // ---- The last 1..7 channels: the 8 bytes that end with each row.
2:
    cmp         r0, #-8                         // none left?
    beq         3f
    shift_of_rest r0, d30
    vld1.8      {d16-d19}, [r3]!
    nine_taps   1
    store_rest_of_sums lr, r0

    // ---- On to the next pixel.
3:
    ldr         r0, [sp, #120]
    add         lr, lr, r0                      // lr: the next pixel's output
    subs        r1, r1, #1
    bne         0b

    // ---- Give back what was saved.
    vpop        {d8-d15}
    pop         {r0, r3-r12, pc}
    .size   qs8_dwconv_s32_8x9__aarch32_neon_mul16, . - qs8_dwconv_s32_8x9__aarch32_neon_mul16
