//! Average of windows of int8 through real numbers, row after row; 8 channels at a time, then 1.
//! contract: qs8_avgpool_quotient
//! tile: 8x
//! isa: aarch32
//! feature: neonv8
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          output pixels, at least 1
//! in   ks          r1          rows of each, at least 1
//! in   kc          r2          channels, at least 1
//! in   input       r3          pointers: ks rows of channels for each pixel
//! in   y           [sp]        int8 [n, kc]
//! in   x_increment [sp, #4]    bytes from one pixel's pointers to the next pixel's
//! in   y_increment [sp, #8]    bytes between two pixels of y
//! in   params      [sp, #12]   neonsim_divide_params, 32 bytes
//!
//! reg  out         r4          where y is written next
//! reg  next        r5          x_increment
//! reg  between     r6          y_increment
//! reg  done        r7          channels of a row done: offset into every row
//! reg  left        r8          channels left, less 8
//! reg  table       r9          where the pointers are read next
//! reg  rows        r10         rows left
//! reg  row         r11         where one row is read
//! reg  sum         r12         of one channel; where the parameters are read
//! reg  byte        r14         one channel of a row
//! reg  vx          q2          8 channels of one row
//! reg  vmean       q0-q1       means of 4 channels each
//! reg  divisor     s12         scale of the result
//! reg  count       s14         rows
//! reg  vlimits     q8-q9       smallest and largest value allowed
//! reg  vacc        q10-q11     sums of 4 channels each
//! reg  vscale      q12         scale of x
//!
//!   q10 | c0 .. c3 | q11 | c4 .. c7 |   <-  plus 8 channels of a row (VMOVL, VADDW);  VCVT, VMUL, VDIV by the rows, VDIV by the scale

#include "include/convert_aarch32.h"

    least       .req q8
    most        .req q9
    scale       .req q12

    .syntax unified
    .arch   armv8-a
    .fpu    neon-fp-armv8
    .arm
    .text
    .p2align 4
    .global qs8_avgpool_quotient_8x__aarch32_neonv8_row_by_row
    .type   qs8_avgpool_quotient_8x__aarch32_neonv8_row_by_row, %function
qs8_avgpool_quotient_8x__aarch32_neonv8_row_by_row:
    // ---- Save what belongs to the caller, fetch what came on the stack, and the parameters.
    push        {r4-r11, lr}
    ldr         r4, [sp, #36]                   // r4: the fifth argument
    ldr         r5, [sp, #40]                   // r5: the sixth
    ldr         r6, [sp, #44]                   // r6: the seventh
    ldr         r12, [sp, #48]                  // r12: parameters
    vld1.32     {d6[]}, [r12]!                  // s12: scale of the result
    vld1.32     {d16[], d17[]}, [r12]!          // q8: the first
    vld1.32     {d18[], d19[]}, [r12]!          // q9: a limit
    vld1.32     {d24[], d25[]}, [r12]           // a scale or a limit
    add         r12, r12, #8                    // behind the second scale
    vld1.32     {d7[]}, [r12]                   // s14: how many rows

    // ---- For each pixel: eight channels at a time.
0:
    mov         r7, #0                          // r7: offset into every row
    subs        r8, r2, #8                      // r8: channels left, less 8
    blo         3f
1:
    mov         r9, r3                          // r9: the pixel's pointers
    mov         r10, r1                         // r10: rows left
    vmov.i32    q10, #0                         // nothing added yet
    vmov.i32    q11, #0
2:
    ldr         r11, [r9], #4                   // r11: a row of the window
    add         r11, r11, r7
    subs        r10, r10, #1
    vld1.8      {d4}, [r11]
    vmovl.s8    q2, d4                          // 16 bits each
    vaddw.s16   q10, q10, d4                    // sums of channels 0..3
    vaddw.s16   q11, q11, d5                    // and of 4..7
    bne         2b
    vcvt.f32.s32 q0, q10                        // real numbers
    vcvt.f32.s32 q1, q11
    vmul.f32    q0, q0, scale                   // times the scale
    vmul.f32    q1, q1, scale
    divided_0   s14                             // means
    divided_1   s14
    quotients_8                                 // q0: integers of 16 bits
    vmovn.i16   d0, q0                          // d0: 8 bytes
    vst1.8      {d0}, [r4]!
    add         r7, r7, #8
    subs        r8, r8, #8
    bhs         1b

    // ---- The last 1..7, one by one.
3:
    adds        r8, r8, #8                      // r8: channels left
    beq         6f
4:
    mov         r9, r3
    mov         r10, r1
    mov         r12, #0                         // nothing added yet
5:
    ldr         r11, [r9], #4                   // r11: a row of the window
    subs        r10, r10, #1
    ldrsb       lr, [r11, r7]                   // one channel of it
    add         r12, r12, lr
    bne         5b
    vdup.32     q0, r12
    vcvt.f32.s32 q0, q0                         // real numbers
    vmul.f32    q0, q0, scale                   // times the scale
    vdiv.f32    s0, s0, s14                     // a mean
    quotient_1                                  // q0: integers
    vst1.8      {d0[0]}, [r4]!
    add         r7, r7, #1
    subs        r8, r8, #1
    bne         4b

    // ---- On to the next pixel.
6:
    add         r3, r3, r5
    add         r4, r4, r6
    subs        r0, r0, #1
    bne         0b

    // ---- Give back what was saved.
    pop         {r4-r11, lr}
    bx          lr
    .size   qs8_avgpool_quotient_8x__aarch32_neonv8_row_by_row, . - qs8_avgpool_quotient_8x__aarch32_neonv8_row_by_row
