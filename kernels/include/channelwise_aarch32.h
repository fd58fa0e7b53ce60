// Around depthwise kernels of int8 on AArch32: pointers of a pixel, eight channels at a time. What multiplies is in another
// file (two_taps, last_tap), what requantises too (load_scheme, finish_8).
//
//   r0 channels left, less 8   r2 pointers   r3 where the weights are read next   lr output
//   d0-d3 taps   q2-q3 products   q8-q9 sums   d30 minus the bits to shift out of the last channels

// Nine pointers to r4..r12, moved by input_offset (r3) unless they are the row of zeros (r0).
.macro nine_rows
    ldm         r2, {r4-r12}
    .irp p, r4, r5, r6, r7, r8, r9, r10, r11, r12
    cmp         \p, r0
    addne       \p, \p, r3
    .endr
.endm

// Twenty-five pointers, moved, to the stack: there are not as many registers.
.macro rows_to_stack
    .irp at, 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76, 80, 84, 88, 92, 96
    ldr         r4, [r2, #\at]
    cmp         r4, r0
    addne       r4, r4, r3
    str         r4, [sp, #\at]
    .endr
.endm

// Eight channels of a row, and on to the next; last: the 8 bytes that end with it, the old ones shifted out.
.macro input_8 d, p, last
    .if \last
    add         \p, \p, r0
    vld1.8      {\d}, [\p]
    vshl.u64    \d, \d, d30
    .else
    vld1.8      {\d}, [\p]!
    .endif
.endm

// Eight channels of nine taps in r4..r12.
.macro nine_taps last
    two_taps    r4, r5, \last
    two_taps    r6, r7, \last
    two_taps    r8, r9, \last
    two_taps    r10, r11, \last
    last_tap    r12, \last
.endm

// Eight channels of twenty-five taps; r6: channels done, offset into every row.
.macro many_taps last
    .irp at, 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88
    ldrd        r4, r5, [sp, #\at]
    add         r4, r4, r6
    add         r5, r5, r6
    two_taps    r4, r5, \last
    .endr
    ldr         r4, [sp, #96]
    add         r4, r4, r6
    last_tap    r4, \last
.endm
