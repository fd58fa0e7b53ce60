//! Largest of any number of gathered rows per pixel: nine, then eight at a time, 16 channels each.
//! contract: u8_maxpool
//! tile: 16x9
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          output pixels, at least 1
//! in   ks          r1          rows of each, at least 1
//! in   kc          r2          channels, at least 16
//! in   input       r3          pointers: ks rows of channels for each pixel
//! in   y           [sp]        uint8 [n, kc]
//! in   x_increment [sp, #4]    bytes from one pixel's pointers to the next pixel's
//! in   y_increment [sp, #8]    bytes between two pixels of y
//! in   params      [sp, #12]   neonsim_clamp_params, 4 bytes
//!
//! reg  count       r0          channels left, less 16; pixels left are on the stack
//! reg  rows        r1          rows left of this pixel
//! reg  table       r3          the next pass's pointers
//! reg  i0..i8      r4-r12      where the rows of this pass are read next
//! reg  out         r14         where the maxima are written next
//! reg  vx          q0-q3       16 channels of some rows each, then the largest of them
//! reg  vlimits     q14-q15     largest and smallest value allowed
//!
//!   i0..i8      -> y           first pass; pointers that do not exist repeat the first one
//!   y, i0..i7   -> y           as long as rows are left: y itself holds the largest so far
//!   Clamping twice is clamping once, and so is taking the last 16 channels once more with some before them.

    upper       .req q14
    lower       .req q15

// Up to nine pointers from the table at r3; those that do not exist repeat the first one. Nothing behind
// the last pointer is read.
.macro pointers_up_to_9 ks
    ldr         r4, [r3]
    cmp         \ks, #2
    ldrhs       r5, [r3, #4]
    movlo       r5, r4
    ldrhi       r6, [r3, #8]
    movls       r6, r4
    cmp         \ks, #4
    ldrhs       r7, [r3, #12]
    movlo       r7, r4
    ldrhi       r8, [r3, #16]
    movls       r8, r4
    cmp         \ks, #6
    ldrhs       r9, [r3, #20]
    movlo       r9, r4
    ldrhi       r10, [r3, #24]
    movls       r10, r4
    cmp         \ks, #8
    ldrhs       r11, [r3, #28]
    movlo       r11, r4
    ldrhi       r12, [r3, #32]
    movls       r12, r4
.endm

// Up to eight pointers from the table at r3; those that do not exist repeat the first one. Nothing behind
// the last pointer is read.
.macro pointers_up_to_8 ks
    ldr         r4, [r3]
    cmp         \ks, #2
    ldrhs       r5, [r3, #4]
    movlo       r5, r4
    ldrhi       r6, [r3, #8]
    movls       r6, r4
    cmp         \ks, #4
    ldrhs       r7, [r3, #12]
    movlo       r7, r4
    ldrhi       r8, [r3, #16]
    movls       r8, r4
    cmp         \ks, #6
    ldrhs       r9, [r3, #20]
    movlo       r9, r4
    ldrhi       r10, [r3, #24]
    movls       r10, r4
    cmp         \ks, #8
    ldrhs       r11, [r3, #28]
    movlo       r11, r4
.endm

// Sixteen channels: the largest of nine rows, in pairs, clamped.
.macro largest_9
    vld1.8      {d0-d1}, [r4]!
    vld1.8      {d2-d3}, [r5]!
    vld1.8      {d4-d5}, [r6]!
    vld1.8      {d6-d7}, [r7]!
    vmax.u8     q0, q0, q1
    vmax.u8     q2, q2, q3
    vld1.8      {d2-d3}, [r8]!
    vld1.8      {d6-d7}, [r9]!
    vmax.u8     q0, q0, q1
    vmax.u8     q2, q2, q3
    vld1.8      {d2-d3}, [r10]!
    vld1.8      {d6-d7}, [r11]!
    vmax.u8     q0, q0, q1
    vmax.u8     q2, q2, q3
    vld1.8      {d2-d3}, [r12]!
    vmax.u8     q0, q0, q2
    vmax.u8     q0, q0, q1
    vmin.u8     q0, q0, upper
    vmax.u8     q0, q0, lower
.endm

// Sixteen channels: the largest of eight rows and of what y holds, in pairs, clamped.
.macro largest_8
    vld1.8      {d0-d1}, [r4]!
    vld1.8      {d2-d3}, [r5]!
    vld1.8      {d4-d5}, [r6]!
    vld1.8      {d6-d7}, [r7]!
    vmax.u8     q0, q0, q1
    vmax.u8     q2, q2, q3
    vld1.8      {d2-d3}, [r8]!
    vld1.8      {d6-d7}, [r9]!
    vmax.u8     q0, q0, q1
    vmax.u8     q2, q2, q3
    vld1.8      {d2-d3}, [r10]!
    vld1.8      {d6-d7}, [r11]!
    vmax.u8     q0, q0, q1
    vmax.u8     q2, q2, q3
    vld1.8      {d2-d3}, [lr]
    vmax.u8     q0, q0, q2
    vmax.u8     q0, q0, q1
    vmin.u8     q0, q0, upper
    vmax.u8     q0, q0, lower
.endm

// Back to the 16 bytes that end with each row; kc >= 16, so they lie within it.
.macro back_up_8 count
    add         r4, r4, \count
    add         r5, r5, \count
    add         r6, r6, \count
    add         r7, r7, \count
    add         r8, r8, \count
    add         r9, r9, \count
    add         r10, r10, \count
    add         r11, r11, \count
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global u8_maxpool_16x9__aarch32_neon
    .type   u8_maxpool_16x9__aarch32_neon, %function
u8_maxpool_16x9__aarch32_neon:
    // ---- Save what belongs to the caller and what each pixel needs again: 48 bytes.
    push        {r0, r1, r3-r11, lr}            // pixels left at sp, ks at sp + 4, its pointers at sp + 8
    ldr         r12, [sp, #60]                  // r12: parameters
    vld1.8      {d28[], d29[]}, [r12]!          // q14: largest value allowed
    vld1.8      {d30[], d31[]}, [r12]           // q15: smallest

    // ---- First pass of a pixel: up to nine rows.
0:
    pointers_up_to_9 r1
    add         r3, r3, #36
    subs        r1, r1, #9                      // r1: rows left; none if this borrows
    movlo       r1, #0
    ldr         lr, [sp, #48]                   // lr: y
    subs        r0, r2, #16                     // r0: all channels, less 16
1:
    largest_9                                   // q0: 16 maxima
    vst1.8      {d0-d1}, [lr]!                  // 16 bytes
    subs        r0, r0, #16                     // r0: channels left, less 16
    bhs         1b
    cmp         r0, #-16                        // none left?
    beq         2f
    back_up_8   r0                              // to the last channels of each row
    add         r12, r12, r0
    add         lr, lr, r0
    largest_9                                   // q0: 16 maxima
    vst1.8      {d0-d1}, [lr]!                  // 16 bytes

    // ---- Further passes: up to eight rows and what y holds.
2:
    cmp         r1, #0
    beq         4f
    pointers_up_to_8 r1
    add         r3, r3, #32
    subs        r1, r1, #8
    movlo       r1, #0
    ldr         lr, [sp, #48]
    subs        r0, r2, #16                     // r0: all channels, less 16
3:
    largest_8                                   // q0: 16 maxima
    vst1.8      {d0-d1}, [lr]!                  // 16 bytes
    subs        r0, r0, #16                     // r0: channels left, less 16
    bhs         3b
    cmp         r0, #-16                        // none left?
    beq         2b
    back_up_8   r0                              // to the last channels of each row
    add         lr, lr, r0
    largest_8                                   // q0: 16 maxima
    vst1.8      {d0-d1}, [lr]!                  // 16 bytes
    b           2b

    // ---- On to the next pixel.
4:
    ldr         r4, [sp, #56]                   // r4: y_increment
    add         lr, lr, r4
    str         lr, [sp, #48]
    ldr         r3, [sp, #8]
    ldr         r4, [sp, #52]                   // r4: x_increment
    add         r3, r3, r4
    str         r3, [sp, #8]
    ldr         r1, [sp, #4]                    // r1: ks
    ldr         r4, [sp]                        // r4: pixels left
    subs        r4, r4, #1
    str         r4, [sp]
    bne         0b

    // ---- Give back what was saved.
    pop         {r0, r1, r3-r11, pc}
    .size   u8_maxpool_16x9__aarch32_neon, . - u8_maxpool_16x9__aarch32_neon
