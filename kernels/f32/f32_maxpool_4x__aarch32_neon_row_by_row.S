//! Largest of windows of float32, row after row; 4 channels at a time, then 1.
//! contract: f32_maxpool
//! tile: 4x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          output pixels, at least 1
//! in   ks          r1          rows of each, at least 1
//! in   kc          r2          channels, at least 1
//! in   input       r3          pointers: ks rows of channels for each pixel
//! in   y           [sp]        float32 [n, kc]
//! in   x_increment [sp, #4]    bytes from one pixel's pointers to the next pixel's
//! in   y_increment [sp, #8]    bytes between two pixels of y
//! in   params      [sp, #12]   neonsim_float_params, 8 bytes
//!
//! reg  out         r4          where y is written next
//! reg  done        r5          bytes of a row done: offset into every row
//! reg  left        r6          channels left, less 4
//! reg  table       r7          where the pointers are read next
//! reg  rows        r8          rows left
//! reg  row         r9          where a row is read
//! reg  vacc        q0          largest of 4 channels
//! reg  vx          q1          4 channels of one row
//! reg  vlimits     q14-q15     smallest and largest value allowed
//!
//!   q0  | c0 | c1 | c2 | c3 |    <-  q0 or q1, a row after the other from row 0 on
//!   q1  | c0 | c1 | c2 | c3 |    row t of the pixel

#include "include/f32_vector_aarch32.h"
#include "include/f32_windows_aarch32.h"

.macro with_row
    vmax.f32    q0, q0, q1
.endm

.macro finished
    clamped     q0
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global f32_maxpool_4x__aarch32_neon_row_by_row
    .type   f32_maxpool_4x__aarch32_neon_row_by_row, %function
f32_maxpool_4x__aarch32_neon_row_by_row:
    // ---- Save what belongs to the caller: 32 bytes, so stack arguments now start at sp + 32. Fetch them.
    push        {r4-r10, lr}
    ldr         r4, [sp, #32]                   // r4: y
    ldr         r10, [sp, #44]                  // r10: parameters
    limits_from r10
    ldr         r10, [sp, #36]                  // r10: x_increment
    ldr         r12, [sp, #40]                  // r12: y_increment

    // ---- For each pixel: four channels at a time, then one.
0:
    mov         r5, #0                          // r5: offset into every row
    subs        r6, r2, #4                      // r6: channels left, less 4
    blo         2f
1:
    rows_of     d0-d1, d2-d3, d0-d1, 16
    subs        r6, r6, #4
    bhs         1b
2:
    adds        r6, r6, #4                      // r6: 0..3 channels left
    beq         4f
3:
    rows_of     "d0[], d1[]", "d2[], d3[]", d0[0], 4
    subs        r6, r6, #1
    bne         3b

    // ---- On to the next pixel.
4:
    add         r3, r3, r10
    add         r4, r4, r12
    subs        r0, r0, #1
    bne         0b

    // ---- Give back what was saved.
    pop         {r4-r10, pc}
    .size   f32_maxpool_4x__aarch32_neon_row_by_row, . - f32_maxpool_4x__aarch32_neon_row_by_row
