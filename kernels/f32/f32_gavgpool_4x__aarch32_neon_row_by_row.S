//! Average of all rows of a matrix of float32, row after row; 4 channels at a time, then 1.
//! contract: f32_gavgpool
//! tile: 4x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   m           r0          rows, at least 1
//! in   n           r1          channels, at least 1
//! in   x           r2          float32 [m, n]
//! in   x_stride    r3          bytes from one row of x to the next
//! in   y           [sp]        float32 [n]
//! in   params      [sp, #4]    neonsim_float_mean_params, 12 bytes
//!
//! reg  out         r4          where y is written next
//! reg  done        r5          bytes of a row done: offset into every row
//! reg  left        r6          channels left, less 4
//! reg  rows        r8          rows left
//! reg  row         r9          where a row is read
//! reg  vacc        q0          sums, then means of 4 channels
//! reg  vx          q1          4 channels of one row
//! reg  vscale      q2          1 / rows
//! reg  vlimits     q14-q15     smallest and largest value allowed
//!
//!   q0  | c0 | c1 | c2 | c3 |    <-  q0 + q1, a row after the other from row 0 on
//!   q1  | c0 | c1 | c2 | c3 |    row i

#include "include/f32_vector_aarch32.h"
#include "include/f32_windows_aarch32.h"

.macro with_row
    vadd.f32    q0, q0, q1
.endm

.macro finished
    vmul.f32    q0, q0, q2
    clamped     q0
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global f32_gavgpool_4x__aarch32_neon_row_by_row
    .type   f32_gavgpool_4x__aarch32_neon_row_by_row, %function
f32_gavgpool_4x__aarch32_neon_row_by_row:
    // ---- Save what belongs to the caller: 32 bytes, so stack arguments now start at sp + 32. Fetch them.
    push        {r4-r10, lr}
    ldr         r4, [sp, #32]                   // r4: y
    ldr         r10, [sp, #36]                  // r10: parameters
    vld1.32     {d4[], d5[]}, [r10]!
    limits_from r10

    // ---- Four channels at a time, then one.
    mov         r5, #0                          // r5: offset into every row
    subs        r6, r1, #4                      // r6: channels left, less 4
    blo         2f
1:
    matrix_of   d0-d1, d2-d3, d0-d1, 16
    subs        r6, r6, #4
    bhs         1b
2:
    adds        r6, r6, #4                      // r6: 0..3 channels left
    beq         4f
3:
    matrix_of   "d0[], d1[]", "d2[], d3[]", d0[0], 4
    subs        r6, r6, #1
    bne         3b

    // ---- Give back what was saved.
4:
    pop         {r4-r10, pc}
    .size   f32_gavgpool_4x__aarch32_neon_row_by_row, . - f32_gavgpool_4x__aarch32_neon_row_by_row
