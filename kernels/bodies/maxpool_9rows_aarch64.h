// The largest byte of a window, nine rows at a time, on AArch64: the whole way of a call. Whether bytes are signed
// is in int8 or uint8.
// KERNEL is the kernel's name.

    .text
    .p2align 4
    .global KERNEL
KERNEL:
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
