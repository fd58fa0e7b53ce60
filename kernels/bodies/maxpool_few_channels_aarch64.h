// The largest byte of a window, up to 8 channels, row after row, on AArch64: the whole way of a call. Whether bytes are signed
// is in int8 or uint8.
// KERNEL is the kernel's name.

    .text
    .p2align 4
    .global KERNEL
KERNEL:
    // ---- Fetch the limits.
    ld1r        {upper.16b}, [x7], #1
    ld1r        {lower.16b}, [x7]
    movi        v0.16b, #0                      // lanes that are never loaded must not be undefined

    // ---- For each pixel: the largest of row after row.
0:
    mov         x8, x3
    mov         x10, x1
    mov         v1.16b, lower.16b               // v1: largest so far; no result is smaller
1:
    ldr         x9, [x8], #8
    add         x9, x9, x2                      // x9: end of the row
    load_row    x9
    larger      v1, v1, v0
    subs        x10, x10, #1
    b.ne        1b
    smaller     v1, v1, upper

    // ---- Store 8, 4, 2, 1 channels.
    tbz         x2, #3, 2f
    st1         {v1.d}[0], [x4], #8
    ext         v1.16b, v1.16b, v1.16b, #8      // the next ones first
2:
    tbz         x2, #2, 3f
    st1         {v1.s}[0], [x4], #4
    ext         v1.16b, v1.16b, v1.16b, #4
3:
    tbz         x2, #1, 4f
    st1         {v1.h}[0], [x4], #2
    ext         v1.16b, v1.16b, v1.16b, #2
4:
    tbz         x2, #0, 5f
    st1         {v1.b}[0], [x4], #1

    // ---- On to the next pixel.
5:
    add         x3, x3, x5                      // x3: the next pixel's pointers
    add         x4, x4, x6
    subs        x0, x0, #1                      // one less to go
    b.ne        0b
    ret
