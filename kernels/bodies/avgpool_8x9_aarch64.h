// Means of int8 of up to nine rows, on AArch64. A kernel includes its macros and names its registers first, then it defines
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

    // ---- For each pixel: fetch its pointers.
0:
    pointers_up_to_9 x3, x1, x4
    subs        x17, x2, #8                     // x17: all channels, less 8
    b.lo        2f

    // ---- Eight channels at a time, as long as eight are left.
1:
    add_nine_rows bias, 0
    FINISH                                      // v16: 8 bytes
    str         d16, [x5], #8
    subs        x17, x17, #8
    b.hs        1b

    // ---- The last 1..7 channels: the 8 bytes that end with each row.
2:
    cmp         x17, #-8                        // none left?
    b.eq        3f
    shift_of_rest x17
    add_nine_rows bias, 1
    FINISH
    store_rest  16, x5, x17

    // ---- On to the next pixel.
3:
    add         x3, x3, x6
    add         x5, x5, x7
    subs        x0, x0, #1                      // one less to go
    b.ne        0b
    ret
