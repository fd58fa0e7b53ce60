//! Largest of windows of float32, row after row; 4 channels at a time, then 1.
//! contract: f32_maxpool
//! tile: 4x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          output pixels, at least 1
//! in   ks          x1          rows of each, at least 1
//! in   kc          x2          channels, at least 1
//! in   input       x3          pointers: ks rows of channels for each pixel
//! in   y           x4          float32 [n, kc]
//! in   x_increment x5          bytes from one pixel's pointers to the next pixel's
//! in   y_increment x6          bytes between two pixels of y
//! in   params      x7          neonsim_float_params, 8 bytes
//!
//! reg  done        x8          bytes of a row done: offset into every row
//! reg  left        x9          channels left, less 4
//! reg  table       x10         where the pointers are read next
//! reg  rows        x11         rows left
//! reg  row         x12         where one row begins
//! reg  vacc        v0          largest of 4 channels
//! reg  vx          v1          4 channels of one row
//! reg  vlimits     v6-v7       smallest and largest value allowed
//!
//!   v0  | c0 | c1 | c2 | c3 |    <-  v0 or v1, a row after the other from row 0 on
//!   v1  | c0 | c1 | c2 | c3 |    row t of the pixel

#include "include/f32_vector_aarch64.h"
#include "include/f32_windows_aarch64.h"

.macro with_row
    fmax        v0.4s, v0.4s, v1.4s
.endm

.macro finished
    clamped     v0
.endm

    .text
    .p2align 4
    .global f32_maxpool_4x__aarch64_neon_row_by_row
f32_maxpool_4x__aarch64_neon_row_by_row:
    // ---- Fetch the parameters.
    limits_from x7

    // ---- For each pixel: four channels at a time, then one.
0:
    mov         x8, #0                          // x8: offset into every row
    subs        x9, x2, #4                      // x9: channels left, less 4
    b.lo        2f                              // fewer than four
1:
    rows_of     q, 16
    subs        x9, x9, #4
    b.hs        1b
2:
    adds        x9, x9, #4                      // x9: 0..3 channels left
    b.eq        4f                              // none
3:
    rows_of     s, 4
    subs        x9, x9, #1
    b.ne        3b

    // ---- On to the next pixel.
4:
    add         x3, x3, x5
    add         x4, x4, x6
    subs        x0, x0, #1
    b.ne        0b
    ret
