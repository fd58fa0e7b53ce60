//! Largest of any number of gathered rows per pixel: nine, then eight at a time, 16 channels each.
//! contract: s8_maxpool
//! tile: 16x9
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          output pixels, at least 1
//! in   ks          x1          rows of each, at least 1
//! in   kc          x2          channels, at least 16
//! in   input       x3          pointers: ks rows of channels for each pixel
//! in   y           x4          int8 [n, kc]
//! in   x_increment x5          bytes from one pixel's pointers to the next pixel's
//! in   y_increment x6          bytes between two pixels of y
//! in   params      x7          neonsim_clamp_params, 4 bytes
//!
//! reg  i0..i8      x8-x16      where the rows of this pass are read next
//! reg  count       x17         channels left, less 16
//! reg  out         x5          where the maxima are written next
//! reg  table       x19         the next pass's pointers
//! reg  rows        x20         rows left of this pixel
//! reg  step        x21         bytes from one pixel's pointers to the next pixel's
//! reg  vx          v0-v3       16 channels of some rows each, then the largest of them
//! reg  vlimits     v6-v7       largest and smallest value allowed
//!
//!   i0..i8      -> y           first pass; pointers that do not exist repeat the first one
//!   y, i0..i7   -> y           as long as rows are left: y itself holds the largest so far
//!   Clamping twice is clamping once, and so is taking the last 16 channels once more with some before them.

#include "include/int8_aarch64.h"
#include "include/maxpool_aarch64.h"

    upper       .req v6
    lower       .req v7

    .text
    .p2align 4
    .global s8_maxpool_16x9__aarch64_neon
s8_maxpool_16x9__aarch64_neon:
    // ---- Fetch the limits, and save what belongs to the caller.
    stp         x19, x20, [sp, #-32]!
    str         x21, [sp, #16]
    ld1r        {upper.16b}, [x7], #1
    ld1r        {lower.16b}, [x7]
    mov         x21, x5                         // x21: y, from its beginning

    // ---- First pass of a pixel: up to nine rows.
0:
    pointers_up_to_9 x3, x1
    add         x19, x3, #72
    subs        x20, x1, #9                     // x20: rows left; none if this borrows
    csel        x20, xzr, x20, lo
    mov         x5, x4                          // x5: y, from its beginning
    subs        x17, x2, #16                    // x17: all channels, less 16
1:
    largest_9                                   // v0: 16 maxima
    str         q0, [x5], #16                   // 16 bytes
    subs        x17, x17, #16                   // x17: channels left, less 16
    b.hs        1b
    cmp         x17, #-16                       // none left?
    b.eq        2f
    back_up     x17                             // to the last channels of each row
    add         x5, x5, x17
    largest_9                                   // v0: 16 maxima
    str         q0, [x5], #16                   // 16 bytes

    // ---- Further passes: up to eight rows and what y holds.
2:
    cbz         x20, 5f
    pointers_up_to_8 x19, x20
    add         x19, x19, #64
    subs        x20, x20, #8
    csel        x20, xzr, x20, lo
    mov         x5, x4                          // x5: y, from its beginning
    subs        x17, x2, #16                    // x17: all channels, less 16
3:
    largest_8                                   // v0: 16 maxima
    str         q0, [x5], #16                   // 16 bytes
    subs        x17, x17, #16                   // x17: channels left, less 16
    b.hs        3b
    cmp         x17, #-16                       // none left?
    b.eq        2b
    back_up     x17                             // to the last channels of each row
    add         x5, x5, x17
    largest_8                                   // v0: 16 maxima
    str         q0, [x5], #16                   // 16 bytes
    b           2b

    // ---- On to the next pixel.
5:
    add         x3, x3, x21
    add         x4, x5, x6                      // x5 stands behind the last channel
    subs        x0, x0, #1                      // one less to go
    b.ne        0b

    // ---- Give back what was saved.
    ldr         x21, [sp, #16]
    ldp         x19, x20, [sp], #32
    ret
