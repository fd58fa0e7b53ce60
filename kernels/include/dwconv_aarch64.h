// Around depthwise kernels of int8 on AArch64: pointers of a pixel, blocks of channels, taps two by two. What multiplies is in
// another file (pair_8, one_8, last_8; wide_pair, wide_one, wide_last), what requantises too (part_8, finish_8, finish_16).
//
//   x0 channels   x1 pixels left   x2 pointers   x3 weights   x4 output   x7 input_offset   x17 the row of zeros
//   x19 where the weights are read next   x20 channels done: offset into every row   x21 channels left, less 8 (or 16)
//   v16-v19 sums   v31 minus the bits to shift out of the last channels
//
// Cores that issue in order stand still when an instruction waits for the one before. So three pairs of taps are under way
// at once: the next is loaded and the one before is added while this one is multiplied. Registers take turns:
//   even pairs: taps and weights v0-v3, products v26, v27      odd pairs: v4-v7, v28, v29

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

// Eight channels of a row, if there is one; last: the 8 bytes that end with it, the old ones shifted out.
.macro input_8 x, p, last
    .ifnc \p, none
    ldr         d\x, [\p, x20]
    .if \last
    ushl        d\x, d\x, d31
    .endif
    .endif
.endm

// Eight weights of that row's tap, and on to the next tap: step is the channels of a block.
.macro weights_8 x, p, step
    .ifnc \p, none
    ldr         d\x, [x19], #\step
    .endif
.endm

// One pointer from the stack, beside a multiplication.
.macro pointer p, at
    .ifnc \at, none
    ldr         \p, [sp, #\at]
    .endif
.endm

// Eight channels of the first pair of taps, to where even pairs are.
.macro first_8 pa, pb, last, step
    input_8     0, \pa, \last
    weights_8   1, \pa, \step
    input_8     2, \pb, \last
    weights_8   3, \pb, \step
.endm

// An even pair is multiplied, the odd one with rows pa, pb is loaded; an odd one, and the even one is loaded.
// behind: whether there is a pair before, to be added. part: of the sums before that are made bytes meanwhile, or none.
// xa, xb: the pointers for the pair after the next are fetched from the stack at these places, if they are there.
.macro even pa, pb, last, step, behind, part=none, half=none, xa=none, xb=none
    pair_8      0, 1, 2, 3, 26, 27,  4, 5, 6, 7, 28, 29,  \pa, \pb, \last, \step, \behind, \part, \half, x8, \xa, x9, \xb
.endm

.macro odd pa, pb, last, step, behind, part=none, half=none, xa=none, xb=none
    pair_8      4, 5, 6, 7, 28, 29,  0, 1, 2, 3, 26, 27,  \pa, \pb, \last, \step, \behind, \part, \half, x10, \xa, x11, \xb
.endm

// Eight channels of nine taps in x8..x16.
.macro nine_taps last, step
    first_8     x8, x9, \last, \step
    even        x10, x11, \last, \step, 0
    odd         x12, x13, \last, \step, 1
    even        x14, x15, \last, \step, 1
    odd         x16, none, \last, \step, 1
    one_8
    last_8
.endm

// The same, while eight sums in v18 and v19 become bytes.
.macro nine_taps_and_bytes
    first_8     x8, x9, 0, 8
    even        x10, x11, 0, 8, 0, 0, 1
    odd         x12, x13, 0, 8, 1, 2, 3
    even        x14, x15, 0, 8, 1, 4, 5
    odd         x16, none, 0, 8, 1, 6, 7
    one_8       8, 9
    last_8
.endm

// Eight channels of twenty-five taps on the stack.
.macro many_taps last
    ldp         x8, x9, [sp]
    ldp         x10, x11, [sp, #16]
    first_8     x8, x9, \last, 8
    even        x10, x11, \last, 8, 0, none, none, 32, 40
    odd         x8, x9, \last, 8, 1, none, none, 48, 56
    twenty_taps \last
.endm

.macro many_taps_and_bytes
    ldp         x8, x9, [sp]
    ldp         x10, x11, [sp, #16]
    first_8     x8, x9, 0, 8
    even        x10, x11, 0, 8, 0, 0, 1, 32, 40
    odd         x8, x9, 0, 8, 1, 2, 3, 48, 56
    twenty_taps 0, 4, 5, 6, 7, 8, 9
.endm

// All but the first two pairs.
.macro twenty_taps last, a=none, b=none, c=none, d=none, e=none, f=none
    even        x10, x11, \last, 8, 1, \a, \b, 64, 72
    odd         x8, x9, \last, 8, 1, \c, \d, 80, 88
    even        x10, x11, \last, 8, 1, \e, \f, 96, 104
    odd         x8, x9, \last, 8, 1, none, none, 112, 120
    even        x10, x11, \last, 8, 1, none, none, 128, 136
    odd         x8, x9, \last, 8, 1, none, none, 144, 152
    even        x10, x11, \last, 8, 1, none, none, 160, 168
    odd         x8, x9, \last, 8, 1, none, none, 176, 184
    even        x10, x11, \last, 8, 1, none, none, 192
    odd         x8, none, \last, 8, 1
    one_8
    last_8
.endm

.macro sums_from_bias_8
    ldp         q16, q17, [x19], #32
.endm

// Sixteen channels of a row, if there is one, and its weights.
.macro wide_input x, w, p
    .ifnc \p, none
    ldr         q\x, [\p, x20]
    ldr         q\w, [x19], #16
    .endif
.endm

.macro wide_even pa, pb, behind, part=none, half=none
    wide_pair   0, 1, 2, 3, 26, 27,  4, 5, 6, 7, 28, 29,  \pa, \pb, \behind, \part, \half
.endm

.macro wide_odd pa, pb, behind, part=none, half=none
    wide_pair   4, 5, 6, 7, 28, 29,  0, 1, 2, 3, 26, 27,  \pa, \pb, \behind, \part, \half
.endm

// Sixteen channels of nine taps.
.macro wide_nine_taps
    wide_input  0, 1, x8
    wide_input  2, 3, x9
    wide_even   x10, x11, 0
    wide_odd    x12, x13, 1
    wide_even   x14, x15, 1
    wide_odd    x16, none, 1
    wide_one
    wide_last
.endm

// The same, while the sixteen before, in v30 and v31, become bytes.
.macro wide_nine_taps_and_bytes
    wide_input  0, 1, x8
    wide_input  2, 3, x9
    wide_even   x10, x11, 0, 0, 1
    wide_odd    x12, x13, 1, 2, 3
    wide_even   x14, x15, 1, 4, 5
    wide_odd    x16, none, 1
    wide_one
    wide_last
.endm

// Sixteen scaled sums in v16..v19 to int16 in v30 and v31; then the parts 0 to 5: sixteen bytes in v30 (X28).
.macro narrow_16
    sqxtn       v30.4h, v16.4s
    sqxtn       v31.4h, v18.4s
    sqxtn2      v30.8h, v17.4s
    sqxtn2      v31.8h, v19.4s
.endm

.macro wide_part part
    .ifc \part, 0
    sqadd       v30.8h, v30.8h, zeropoint.8h
    .endif
    .ifc \part, 1
    sqadd       v31.8h, v31.8h, zeropoint.8h
    .endif
    .ifc \part, 2
    sqxtn       v30.8b, v30.8h
    .endif
    .ifc \part, 3
    sqxtn2      v30.16b, v31.8h
    .endif
    .ifc \part, 4
    smax        v30.16b, v30.16b, lower.16b
    .endif
    .ifc \part, 5
    smin        v30.16b, v30.16b, upper.16b
    .endif
.endm

.macro all_wide_parts
    .irp part, 0, 1, 2, 3, 4, 5
    wide_part   \part
    .endr
.endm

.macro wide_sums_from_bias
    ldp         q16, q17, [x19], #32            // biases of channels 0..7
    ldp         q18, q19, [x19], #32            // 8..15
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
    scales_8
    finish_8
.endm

// The parts 4 to 9 of what follows scaling: scaled sums in v18 and v19 to bytes in v18 (X28).
.macro narrow_part_8 part
    .ifc \part, 4
    sqxtn       v18.4h, v18.4s
    .endif
    .ifc \part, 5
    sqxtn2      v18.8h, v19.4s
    .endif
    .ifc \part, 6
    sqadd       v18.8h, v18.8h, zeropoint.8h
    .endif
    .ifc \part, 7
    narrow_8    v18
    .endif
    .ifc \part, 8
    not_below   v18
    .endif
    .ifc \part, 9
    not_above   v18
    .endif
.endm

.macro all_parts_8
    .irp part, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    part_8      \part
    .endr
.endm
