//! Average of up to 9 gathered rows of int8 per pixel in one pass, 8 channels at a time; ties away from zero.
//! contract: qs8_avgpool_rndna
//! tile: 8x9
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           r0          output pixels, at least 1
//! in   ks          r1          rows of each, 1..9
//! in   kc          r2          channels, at least 1
//! in   input       r3          pointers: ks rows of channels for each pixel
//! in   zero        [sp]        int8 [kc], zero points of the input
//! in   y           [sp, #4]    int8 [n, kc]
//! in   x_increment [sp, #8]    bytes from one pixel's pointers to the next pixel's
//! in   y_increment [sp, #12]   bytes between two pixels of y
//! in   params      [sp, #16]   neonsim_avgpool_params, 24 bytes
//!
//! reg  count       r0          channels left, less 8; pixels left are on the stack
//! reg  i0..i8      r4-r12      where the nine rows of this pixel are read next
//! reg  out         r14         where the averages are written next
//! reg  vrow        d0-d7       8 channels of each row, the ninth in d16; then products of 64 bits
//! reg  vsum        q8-q9       int32 sums of 8 channels
//! reg  vparams     q11, q13    minus the shift, zero point of y; d20: multiplier
//! reg  vbias       q14         minus nine zero points of the input
//! reg  vs          d30         minus the bits to shift out of the last channels
//! reg  vlimits     d8-d9       largest and smallest value allowed
//!
//!   input  | i0 | i1 | ... | i(ks-1) |     one pixel: ks pointers; the rest of the nine is the row of zero points,
//!                                          and the bias takes away nine zero points, whatever ks is

#include "include/windows_aarch32.h"
#include "include/int8_aarch32.h"
#include "include/elementwise_aarch32.h"
#include "include/mean_aarch32.h"
#include "include/average_aarch32.h"

    bias        .req q14                        // minus so many zero points of the input
    multiplier  .req d20                        // 24 bits of the scale
    rightshift  .req q11                        // minus the shift to the right, of 64 bits
    zeropoint   .req q13                        // zero point of y
    upper       .req d8                         // largest value allowed
    lower       .req d9                         // smallest

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qs8_avgpool_rndna_8x9__aarch32_neon
    .type   qs8_avgpool_rndna_8x9__aarch32_neon, %function
qs8_avgpool_rndna_8x9__aarch32_neon:
    // ---- Save what belongs to the caller: 40 + 16 bytes, so stack arguments now start at sp + 56.
    push        {r0, r4-r11, lr}                // pixels left at sp + 16
    vpush       {d8-d9}
    ldr         r12, [sp, #72]                  // r12: parameters
    load_average r12, d28, d29, d22, d23, d26, d27
    ldr         lr, [sp, #60]                   // lr: y

    // ---- For each pixel: fetch its pointers.
0:
    ldr         r0, [sp, #56]                   // r0: row of zero points
    pointers_up_to_9 r1, r0
    subs        r0, r2, #8                      // r0: all channels, less 8
    blo         2f

    // ---- Eight channels at a time, as long as eight are left.
1:
    add_nine_rows bias, 0
    finish_away_8                               // d16: 8 bytes
    vst1.8      {d16}, [lr]!
    subs        r0, r0, #8
    bhs         1b

    // ---- The last 1..7 channels: the 8 bytes that end with each row.
2:
    cmp         r0, #-8                         // none left?
    beq         3f
    shift_of_rest r0, d30
    add_nine_rows bias, 1
    finish_away_8
    store_rest  d16, lr, r0

    // ---- On to the next pixel.
3:
    ldr         r4, [sp, #64]                   // r4: x_increment
    ldr         r5, [sp, #68]                   // r5: y_increment
    ldr         r6, [sp, #16]                   // r6: pixels left
    add         r3, r3, r4
    add         lr, lr, r5
    subs        r6, r6, #1
    str         r6, [sp, #16]
    bne         0b

    // ---- Give back what was saved.
    vpop        {d8-d9}
    pop         {r0, r4-r11, pc}
    .size   qs8_avgpool_rndna_8x9__aarch32_neon, . - qs8_avgpool_rndna_8x9__aarch32_neon
