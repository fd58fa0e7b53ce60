//! Each channel of float32 times its gain, plus its offset, clamped; 4 channels at a time, then 1; fused multiply-add.
//! contract: f32_vmulcaddc
//! tile: 4x
//! isa: aarch32
//! feature: neonv8
//! reads-before: 0
//! source: own work
//!
//! in   m           r0          rows, at least 1
//! in   n           r1          channels, at least 1
//! in   x           r2          float32 [m, n]
//! in   x_stride    r3          bytes from one row of x to the next
//! in   w           [sp]        per 4 channels 4 offsets, 4 gains
//! in   y           [sp, #4]    float32 [m, n]
//! in   y_stride    [sp, #8]    bytes from one row of y to the next
//! in   params      [sp, #12]   neonsim_float_params, 8 bytes
//!
//! reg  px          r4          where a row of x is read next
//! reg  out         r5          where a row of y is written next
//! reg  pw          r6          where offsets and gains are read next
//! reg  left        r7          channels left, less 4
//! reg  first       r8, r9, r10 where weights, y and rows of y begin: w, y, y_stride
//! reg  vx          q0          4 channels of x
//! reg  vacc        q1          their offsets, then results
//! reg  vw          q2          their gains
//! reg  vlimits     q14-q15     smallest and largest value allowed
//!
//!   q1 | offset0 .. offset3 |   +   q0 | x0 .. x3 |   *   q2 | gain0 .. gain3 |      rounded once

#include "include/f32_vector_aarch32.h"

    .syntax unified
    .arch   armv8-a
    .fpu    neon-fp-armv8
    .arm
    .text
    .p2align 4
    .global f32_vmulcaddc_4x__aarch32_neonv8_fma
    .type   f32_vmulcaddc_4x__aarch32_neonv8_fma, %function
f32_vmulcaddc_4x__aarch32_neonv8_fma:
    // ---- Save what belongs to the caller: 32 bytes, so stack arguments now start at sp + 32. Fetch them.
    push        {r4-r10, lr}
    ldr         r12, [sp, #44]                  // r12: parameters
    limits_from r12
    ldr         r8, [sp, #32]                   // r8: offsets and gains
    ldr         r9, [sp, #36]                   // r9: y
    ldr         r10, [sp, #40]                  // r10: y_stride

    // ---- For each row: four channels at a time.
0:
    mov         r4, r2
    mov         r5, r9
    mov         r6, r8
    subs        r7, r1, #4                      // r7: channels left, less 4
    blo         2f
1:
    vld1.32     {d0-d1}, [r4]!
    vld1.32     {d2-d5}, [r6]!
    vfma.f32    q1, q0, q2
    clamped     q1
    subs        r7, r7, #4
    vst1.32     {d2-d3}, [r5]!
    bhs         1b

    // ---- The last 1..3 channels, one by one.
2:
    adds        r7, r7, #4                      // r7: channels left
    beq         4f
3:
    add         r12, r6, #16                    // r12: its gain, four words behind its offset
    vld1.32     {d0[], d1[]}, [r4]!
    vld1.32     {d2[], d3[]}, [r6]!
    vld1.32     {d4[], d5[]}, [r12]
    vfma.f32    q1, q0, q2
    clamped     q1
    subs        r7, r7, #1
    vst1.32     {d2[0]}, [r5]!
    bne         3b

    // ---- On to the next row.
4:
    add         r2, r2, r3
    add         r9, r9, r10
    subs        r0, r0, #1
    bne         0b

    // ---- Give back what was saved.
    pop         {r4-r10, pc}
    .size   f32_vmulcaddc_4x__aarch32_neonv8_fma, . - f32_vmulcaddc_4x__aarch32_neonv8_fma
