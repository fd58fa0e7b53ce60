//! Average of more than 9 gathered rows per pixel: nine, then eight at a time, sums kept in memory.
//! contract: qu8_avgpool_mp
//! tile: 8x9
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          output pixels, at least 1
//! in   ks          x1          rows of each, at least 10
//! in   kc          x2          channels, at least 8
//! in   input       x3          pointers: ks rows of channels for each pixel
//! in   zero        x4          kc zero points of the input
//! in   buffer      x5          int32 [kc rounded up to 8]
//! in   y           x6          uint8 [n, kc]
//! in   x_increment x7          bytes from one pixel's pointers to the next pixel's
//! in   y_increment [sp]        bytes between two pixels of y
//! in   params      [sp, #8]    neonsim_average_pool_params, 24 bytes
//!
//! reg  i0..i8      x8-x16      where the rows of this pass are read next
//! reg  count       x17         channels left, less 8
//! reg  table       x19         the next pass's pointers
//! reg  rows        x20         rows left of this pixel
//! reg  sums        x21         where the buffer is read and written next
//! reg  gap         x22         bytes between two pixels of y
//! reg  vsum        v0          sums of 8 channels, as uint16
//! reg  vx          v1-v2       8 channels of one row each
//! reg  vacc        v16-v17     int32 sums of 8 channels
//! reg  vt          v18-v20     scratch
//! reg  vparams     v24-v29     bias, multiplier, minus the shift, zero point, largest and smallest value
//!
//!   i0..i8          bias   -> buffer       first pass
//!   eight more      buffer -> buffer       as long as more than eight are left
//!   the rest        buffer -> y            1..8 rows; those that do not exist are the row of zero points

#include "include/average_aarch64.h"

    bias        .req v24
    multiplier  .req v25
    rightshift  .req v26
    zeropoint   .req v27
    upper       .req v28
    lower       .req v29

// Up to eight pointers from the table at t; those that do not exist read the row of zero points. Nothing behind the
// last pointer is read.
.macro pointers_up_to_8 t, ks, zero
    mov         x9, \zero
    mov         x10, \zero
    mov         x11, \zero
    mov         x12, \zero
    mov         x13, \zero
    mov         x14, \zero
    mov         x15, \zero
    ldr         x8, [\t]
    cmp         \ks, #2
    b.lo        20f
    ldr         x9, [\t, #8]
    b.eq        20f
    ldr         x10, [\t, #16]
    cmp         \ks, #4
    b.lo        20f
    ldr         x11, [\t, #24]
    b.eq        20f
    ldr         x12, [\t, #32]
    cmp         \ks, #6
    b.lo        20f
    ldr         x13, [\t, #40]
    b.eq        20f
    ldr         x14, [\t, #48]
    cmp         \ks, #8
    b.lo        20f
    ldr         x15, [\t, #56]
20:
.endm

// Eight channels of 8 rows, added up in 16 bits: 8 * 255 fits.
.macro sum_8
    ld1         {v1.8b}, [x8], #8
    ld1         {v2.8b}, [x9], #8
    uaddl       v0.8h, v1.8b, v2.8b             // v0: rows 0 and 1, as uint16
    ld1         {v1.8b}, [x10], #8
    uaddw       v0.8h, v0.8h, v1.8b
    ld1         {v2.8b}, [x11], #8
    uaddw       v0.8h, v0.8h, v2.8b
    ld1         {v1.8b}, [x12], #8
    uaddw       v0.8h, v0.8h, v1.8b
    ld1         {v2.8b}, [x13], #8
    uaddw       v0.8h, v0.8h, v2.8b
    ld1         {v1.8b}, [x14], #8
    uaddw       v0.8h, v0.8h, v1.8b
    ld1         {v2.8b}, [x15], #8
    uaddw       v0.8h, v0.8h, v2.8b
.endm

// And of nine.
.macro sum_9
    sum_8
    ld1         {v1.8b}, [x16], #8
    uaddw       v0.8h, v0.8h, v1.8b
.endm

// Back to the 8 bytes that end with each row; kc >= 8, so they lie within it.
.macro back_up count
    add         x8, x8, \count
    add         x9, x9, \count
    add         x10, x10, \count
    add         x11, x11, \count
    add         x12, x12, \count
    add         x13, x13, \count
    add         x14, x14, \count
    add         x15, x15, \count
    add         x16, x16, \count
.endm

    .text
    .p2align 4
    .global qu8_avgpool_mp_8x9__aarch64_neon
qu8_avgpool_mp_8x9__aarch64_neon:
    // ---- Fetch the parameters, and save what belongs to the caller.
    ldp         x9, x8, [sp]
    stp         x19, x20, [sp, #-32]!
    stp         x21, x22, [sp, #16]
    mov         x22, x9
    load_average x8

    // ---- First pass of a pixel: nine rows and the bias, to the buffer.
0:
    ldp         x8, x9, [x3]
    ldp         x10, x11, [x3, #16]
    ldp         x12, x13, [x3, #32]
    ldp         x14, x15, [x3, #48]
    ldr         x16, [x3, #64]
    add         x19, x3, #72
    sub         x20, x1, #9
    mov         x21, x5
    subs        x17, x2, #8                     // x17: all channels, less 8
1:
    sum_9
    uaddw       v16.4s, bias.4s, v0.4h          // v16: plus channels 0..3 of these rows
    uaddw2      v17.4s, bias.4s, v0.8h
    st1         {v16.4s, v17.4s}, [x21], #32    // sums back to the buffer
    subs        x17, x17, #8                    // x17: channels left, less 8
    b.hs        1b
    cmp         x17, #-8                        // none left?
    b.eq        2f
    back_up     x17                             // the last eight channels have eight sums of their own in the buffer
    sum_9
    uaddw       v16.4s, bias.4s, v0.4h          // v16: plus channels 0..3 of these rows
    uaddw2      v17.4s, bias.4s, v0.8h
    st1         {v16.4s, v17.4s}, [x21]         // sums back to the buffer

    // ---- Middle passes: eight more rows each, from the buffer to the buffer.
2:
    cmp         x20, #8
    b.ls        4f
    ldp         x8, x9, [x19]
    ldp         x10, x11, [x19, #16]
    ldp         x12, x13, [x19, #32]
    ldp         x14, x15, [x19, #48]
    add         x19, x19, #64
    sub         x20, x20, #8
    mov         x21, x5
    subs        x17, x2, #8                     // x17: all channels, less 8
3:
    sum_8
    ld1         {v16.4s, v17.4s}, [x21]         // v16, v17: sums so far
    uaddw       v16.4s, v16.4s, v0.4h           // v16: plus channels 0..3 of these rows
    uaddw2      v17.4s, v17.4s, v0.8h
    st1         {v16.4s, v17.4s}, [x21], #32    // sums back to the buffer
    subs        x17, x17, #8                    // x17: channels left, less 8
    b.hs        3b
    cmp         x17, #-8                        // none left?
    b.eq        2b
    back_up     x17
    sum_8
    ld1         {v16.4s, v17.4s}, [x21]         // v16, v17: sums so far
    uaddw       v16.4s, v16.4s, v0.4h           // v16: plus channels 0..3 of these rows
    uaddw2      v17.4s, v17.4s, v0.8h
    st1         {v16.4s, v17.4s}, [x21]         // sums back to the buffer
    b           2b

    // ---- Last pass: the rows that are left, scaled and stored.
4:
    pointers_up_to_8 x19, x20, x4
    mov         x21, x5
    subs        x17, x2, #8                     // x17: all channels, less 8
5:
    sum_8
    ld1         {v16.4s, v17.4s}, [x21], #32    // v16, v17: sums so far
    uaddw       v16.4s, v16.4s, v0.4h           // v16: plus channels 0..3 of these rows
    uaddw2      v17.4s, v17.4s, v0.8h
    average     v16, v17, v18, v19, v20
    str         d16, [x6], #8
    subs        x17, x17, #8                    // x17: channels left, less 8
    b.hs        5b
    cmp         x17, #-8                        // none left?
    b.eq        6f
    back_up     x17
    sum_8
    ld1         {v16.4s, v17.4s}, [x21]         // v16, v17: sums so far
    uaddw       v16.4s, v16.4s, v0.4h           // v16: plus channels 0..3 of these rows
    uaddw2      v17.4s, v17.4s, v0.8h
    average     v16, v17, v18, v19, v20
    add         x6, x6, x17                     // the channels before them are written again, with the same bytes
    str         d16, [x6], #8

    // ---- On to the next pixel.
6:
    add         x3, x3, x7
    add         x6, x6, x22
    subs        x0, x0, #1                      // one less to go
    b.ne        0b

    // ---- Give back what was saved.
    ldp         x21, x22, [sp, #16]
    ldp         x19, x20, [sp], #32
    ret
