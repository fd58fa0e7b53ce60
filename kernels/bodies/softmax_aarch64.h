// Softmax of a row of bytes on AArch64: the whole way of a call, but for what depends on the sign of bytes. A kernel defines
// before: larger, largest_lane, load_byte, byte_constants, shares_8.
// KERNEL is the kernel's name.

    .text
    .p2align 4
    .global KERNEL
KERNEL:
    // ---- Find the largest byte: sixteen at a time, in the end some once more; fewer than sixteen one at a time.
    mov         x5, x1                          // x5: where x is read next
    ld1r        {v0.16b}, [x1]
    subs        x6, x0, #16                     // x6: left, less 16
    b.lo        2f
0:
    ldr         q1, [x5], #16
    larger      v0, v0, v1
    subs        x6, x6, #16
    b.hs        0b
    cmp         x6, #-16                        // none left?
    b.eq        1f
    ldr         q1, [x5, x6]
    larger      v0, v0, v1
    b           1f
2:
    add         x6, x6, #16
3:
    ld1r        {v1.16b}, [x5], #1
    larger      v0, v0, v1
    subs        x6, x6, #1
    b.ne        3b
1:
    largest_lane w7                             // w7: the largest

    // ---- One after another, so that the sum is rounded as it is there: exponentials by table, kept, added up.
    mov         x5, x1
    mov         x6, x0
    mov         x8, x3                          // x8: where exponentials are kept
    fmov        s2, wzr                         // s2: their sum
4:
    load_byte   w9, x5
    sub         w9, w7, w9                      // w9: what it falls short of the largest, 0..255
    ldr         s1, [x2, x9, lsl #2]
    fadd        s2, s2, s1
    str         s1, [x8], #4
    subs        x6, x6, #1                      // one less to go
    b.ne        4b

    // ---- Divide once: 1 / (sum / 256).
    movz        w9, #0x3b80, lsl #16            // bits of 1 / 256
    fmov        s3, w9
    fmul        s2, s2, s3
    fmov        s3, #1.0
    fdiv        s2, s3, s2
    dup         v2.4s, v2.s[0]                  // v2: the factor
    byte_constants

    // ---- Eight shares at a time: times the factor, to the nearest integer, to bytes.
    subs        x0, x0, #8                      // x0: left, less 8
    b.lo        6f
5:
    ldp         q0, q1, [x3], #32
    shares_8                                    // v0: 8 bytes
    str         d0, [x4], #8
    subs        x0, x0, #8
    b.hs        5b

    // ---- The last 1..7: the buffer is as long as eight.
6:
    cmp         x0, #-8                         // none left?
    b.eq        7f
    ldp         q0, q1, [x3]
    shares_8
    store_rest  0, x4, x0
7:
    ret
