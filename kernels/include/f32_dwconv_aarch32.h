// Nine taps of float32 on AArch32, pointers in r4..r12, weights at r14 in blocks of 8 channels, limits in q14 and q15.

// The pointers of a pixel, moved by input_offset unless they are the row of zeros; those of the next pixel are kept where
// the argument was saved, at sp + 8.
.macro nine_rows
    ldr         r2, [sp, #8]
    ldr         r0, [sp, #60]                   // r0: input_stride
    ldm         r2, {r4-r12}
    add         r2, r2, r0
    str         r2, [sp, #8]
    ldr         r0, [sp, #72]                   // r0: the row of zeros
    ldr         r1, [sp, #68]                   // r1: input_offset
    .irp p, r4, r5, r6, r7, r8, r9, r10, r11, r12
    cmp         \p, r0
    addne       \p, \p, r1
    .endr
.endm

// Sums of eight channels, clamped, in q8 and q9.
.macro nine_taps_of_8
    vld1.32     {d16-d19}, [r14]!               // biases
    .irp p, r4, r5, r6, r7, r8, r9, r10, r11, r12
    vld1.32     {d0-d3}, [\p]!
    vld1.32     {d4-d7}, [r14]!
    vfma.f32    q8, q0, q2
    vfma.f32    q9, q1, q3
    .endr
    vmax.f32    q8, q8, q14
    vmax.f32    q9, q9, q14
    vmin.f32    q8, q8, q15
    vmin.f32    q9, q9, q15
.endm

// Fewer channels of the block, four of them or one repeated: x, w, acc. Their weights lie r2 bytes apart. Sums in q8.
.macro nine_taps_of x, w, acc
    vld1.32     {\acc}, [r14], r2
    .irp p, r4, r5, r6, r7, r8, r9, r10, r11, r12
    vld1.32     {\x}, [\p]!
    vld1.32     {\w}, [r14], r2
    .ifc \x, d0[]
    vfma.f32    d16, d0, d4
    .else
    vfma.f32    q8, q0, q2
    .endif
    .endr
    .ifc \x, d0[]
    vmax.f32    d16, d16, d28
    vmin.f32    d16, d16, d30
    .else
    vmax.f32    q8, q8, q14
    vmin.f32    q8, q8, q15
    .endif
.endm
