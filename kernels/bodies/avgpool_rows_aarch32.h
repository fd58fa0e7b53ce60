// Means of int8 of any number of rows, row by row, on AArch32. A kernel includes its macros and names its registers first, then it defines
// KERNEL, its name, FINISH, the macro that makes bytes of eight sums, and RNDNA, if ties are rounded away from zero.

#include "bodies/arch_aarch32.h"
    .text
    .p2align 4
    .global KERNEL
    .type   KERNEL, %function
KERNEL:
    // ---- Save what belongs to the caller: 32 + 16 bytes, so stack arguments now start at sp + 48.
    push        {r4-r10, lr}
    vpush       {d8-d9}
    ldr         r12, [sp, #64]                  // r12: parameters
#ifdef RNDNA
    load_average r12, d28, d29, d22, d23, d26, d27
#else
    load_mean   r12
#endif
    ldr         r8, [sp, #52]                   // r8: y
    ldr         r9, [sp, #56]                   // r9: x_increment
    ldr         r10, [sp, #60]                  // r10: y_increment

    // ---- For each pixel, eight channels at a time: all rows.
0:
    mov         r7, #0
    subs        r12, r2, #8                     // r12: all channels, less 8
    blo         2f
1:
    mov         r4, r3
    mov         r6, r1
    vmov        q8, bias
    vmov        q9, bias
    add_row_by_row r4, r6, r7, r5, 0
    FINISH                                      // d16: 8 bytes
    vst1.8      {d16}, [r8]!
    add         r7, r7, #8
    subs        r12, r12, #8
    bhs         1b

    // ---- The last 1..7 channels: the 8 bytes that end with each row.
2:
    cmp         r12, #-8                        // none left?
    beq         3f
    sub         r7, r2, #8
    shift_of_rest r12, d30
    mov         r4, r3
    mov         r6, r1
    vmov        q8, bias
    vmov        q9, bias
    add_row_by_row r4, r6, r7, r5, 1
    FINISH
    store_rest  d16, r8, r12

    // ---- On to the next pixel.
3:
    add         r3, r3, r9
    add         r8, r8, r10
    subs        r0, r0, #1                      // one less to go
    bne         0b

    // ---- Give back what was saved.
    vpop        {d8-d9}
    pop         {r4-r10, pc}
    .size   KERNEL, . - KERNEL
