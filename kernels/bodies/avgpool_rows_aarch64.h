// Means of int8 of any number of rows, row by row, on AArch64. A kernel includes its macros and names its registers first, then it defines
// KERNEL, its name, FINISH, the macro that makes bytes of eight sums, and RNDNA, if ties are rounded away from zero.

    .text
    .p2align 4
    .global KERNEL
KERNEL:
    // ---- Fetch the parameters.
    ldr         x8, [sp]
#ifdef RNDNA
    load_average x8
#else
    ld1r        {bias.4s}, [x8], #4
    load_rndnu  x8
#endif

    // ---- For each pixel, eight channels at a time: all rows.
0:
    mov         x14, #0
    subs        x15, x2, #8                     // x15: all channels, less 8
    b.lo        2f
1:
    mov         x8, x3
    mov         x10, x1
    mov         v16.16b, bias.16b
    mov         v17.16b, bias.16b
    add_row_by_row x8, x10, x14, x9, 0
    FINISH                                      // v16: 8 bytes
    str         d16, [x5], #8
    add         x14, x14, #8
    subs        x15, x15, #8
    b.hs        1b

    // ---- The last 1..7 channels: the 8 bytes that end with each row.
2:
    cmp         x15, #-8                        // none left?
    b.eq        3f
    sub         x14, x2, #8
    shift_of_rest x15
    mov         x8, x3
    mov         x10, x1
    mov         v16.16b, bias.16b
    mov         v17.16b, bias.16b
    add_row_by_row x8, x10, x14, x9, 1
    FINISH
    store_rest  16, x5, x15

    // ---- On to the next pixel.
3:
    add         x3, x3, x6
    add         x5, x5, x7
    subs        x0, x0, #1                      // one less to go
    b.ne        0b
    ret
