// Around depthwise kernels of int8 on AArch64: pointers of a pixel, blocks of channels. What multiplies is in another file:
// two_taps and last_tap of 8 channels, and of 16 (wide_two_taps, wide_last_tap). What requantises too: finish_8, finish_16.
//
//   x0 channels   x1 pixels left   x2 pointers   x3 weights   x4 output   x7 input_offset   x17 the row of zeros
//   x19 where the weights are read next   x20 channels done: offset into every row   x21 channels left, less 8 (or 16)
//   v0-v7 taps and products   v16-v19 sums   v31 minus the bits to shift out of the last channels

// A pointer of the table, moved by input_offset unless it is the row of zeros.
.macro moved p, t
    cmp         \p, x17
    add         \t, \p, x7
    csel        \p, \p, \t, eq
.endm

// Nine pointers to x8..x16.
.macro nine_rows
    ldp         x8, x9, [x2]
    ldp         x10, x11, [x2, #16]
    ldp         x12, x13, [x2, #32]
    ldp         x14, x15, [x2, #48]
    ldr         x16, [x2, #64]
    .irp p, x8, x9, x10, x11, x12, x13, x14, x15, x16
    moved       \p, x19
    .endr
.endm

// Twenty-five pointers, moved, to the stack: there are not as many registers.
.macro rows_to_stack
    .irp at, 0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176
    ldp         x8, x9, [x2, #\at]
    moved       x8, x10
    moved       x9, x10
    stp         x8, x9, [sp, #\at]
    .endr
    ldr         x8, [x2, #192]
    moved       x8, x10
    str         x8, [sp, #192]
.endm

// Eight channels of a row; last: the 8 bytes that end with it, the old ones shifted out.
.macro input_8 x, p, last
    ldr         d\x, [\p, x20]
    .if \last
    ushl        d\x, d\x, d31
    .endif
.endm

// Eight weights of a tap, and on to the next tap: step is the channels of a block.
.macro weights_8 x, step
    ldr         d\x, [x19], #\step
.endm

// Eight channels of nine taps in x8..x16.
.macro nine_taps last, step
    two_taps    x8, x9, \last, \step
    two_taps    x10, x11, \last, \step
    two_taps    x12, x13, \last, \step
    two_taps    x14, x15, \last, \step
    last_tap    x16, \last, \step
.endm

// Eight channels of twenty-five taps on the stack.
.macro many_taps last
    .irp at, 0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176
    ldp         x8, x9, [sp, #\at]
    two_taps    x8, x9, \last, 8
    .endr
    ldr         x8, [sp, #192]
    last_tap    x8, \last, 8
.endm

.macro sums_from_bias_8
    ldp         q16, q17, [x19], #32
.endm

// Sixteen channels of nine taps.
.macro wide_nine_taps
    ldp         q16, q17, [x19], #32            // biases of channels 0..7
    ldp         q18, q19, [x19], #32            // 8..15
    wide_two_taps x8, x9
    wide_two_taps x10, x11
    wide_two_taps x12, x13
    wide_two_taps x14, x15
    wide_last_tap x16
.endm

// Half of a block of sixteen channels: x22 is the block, x23 the first channel in it, 0 or 8.
.macro half_block last
    add         x19, x22, x23, lsl #2
    ldp         q16, q17, [x19]                 // their biases
    add         x19, x22, x23
    add         x19, x19, #64                   // x19: their weights, 16 bytes from tap to tap
    nine_taps   \last, 16
    add         x19, x22, x23, lsl #2
    add         x19, x19, #208                  // x19: their scales, if there are any
    finish_8
.endm
