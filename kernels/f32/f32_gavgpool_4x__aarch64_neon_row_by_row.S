//! Average of all rows of a matrix of float32, row after row; 4 channels at a time, then 1.
//! contract: f32_gavgpool
//! tile: 4x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   m           x0          rows, at least 1
//! in   n           x1          channels, at least 1
//! in   x           x2          float32 [m, n]
//! in   x_stride    x3          bytes from one row of x to the next
//! in   y           x4          float32 [n]
//! in   params      x5          neonsim_float_mean_params, 12 bytes
//!
//! reg  done        x8          bytes of a row done: offset into every row
//! reg  left        x9          channels left, less 4
//! reg  rows        x11         rows left
//! reg  row         x12         where the row is read
//! reg  vacc        v0          sums, then means of 4 channels
//! reg  vx          v1          4 channels of one row
//! reg  vscale      v2          1 / rows
//! reg  vlimits     v6-v7       smallest and largest value allowed
//!
//!   v0  | c0 | c1 | c2 | c3 |    <-  v0 + v1, a row after the other from row 0 on
//!   v1  | c0 | c1 | c2 | c3 |    row i

#include "include/f32_vector_aarch64.h"
#include "include/f32_windows_aarch64.h"

.macro with_row
    fadd        v0.4s, v0.4s, v1.4s
.endm

.macro finished
    fmul        v0.4s, v0.4s, v2.4s
    clamped     v0
.endm

    .text
    .p2align 4
    .global f32_gavgpool_4x__aarch64_neon_row_by_row
f32_gavgpool_4x__aarch64_neon_row_by_row:
    // ---- Fetch the parameters.
    ld1r        {v2.4s}, [x5], #4
    limits_from x5

    // ---- Four channels at a time, then one.
    mov         x8, #0                          // x8: offset into every row
    subs        x9, x1, #4                      // x9: channels left, less 4
    b.lo        2f                              // fewer than four
1:
    matrix_of   q, 16
    subs        x9, x9, #4
    b.hs        1b
2:
    adds        x9, x9, #4                      // x9: 0..3 channels left
    b.eq        4f                              // none
3:
    matrix_of   s, 4
    subs        x9, x9, #1
    b.ne        3b
4:
    ret
