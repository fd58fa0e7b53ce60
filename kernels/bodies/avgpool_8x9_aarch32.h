// Means of int8 of up to nine rows, on AArch32. A kernel includes its macros and names its registers first, then it defines
// KERNEL, its name, FINISH, the macro that makes bytes of eight sums, and RNDNA, if ties are rounded away from zero.

#include "bodies/arch_aarch32.h"
    .text
    .p2align 4
    .global KERNEL
    .type   KERNEL, %function
KERNEL:
    // ---- Save what belongs to the caller: 40 + 16 bytes, so stack arguments now start at sp + 56.
    push        {r0, r4-r11, lr}                // pixels left at sp + 16
    vpush       {d8-d9}
    ldr         r12, [sp, #72]                  // r12: parameters
#ifdef RNDNA
    load_average r12, d28, d29, d22, d23, d26, d27
#else
    load_mean   r12
#endif
    ldr         lr, [sp, #60]                   // lr: y

    // ---- For each pixel: fetch its pointers.
0:
    ldr         r0, [sp, #56]                   // r0: row of zero points
    pointers_up_to_9 r1, r0
    subs        r0, r2, #8                      // r0: all channels, less 8
    blo         2f

    // ---- Eight channels at a time, as long as eight are left.
1:
    add_nine_rows bias, 0
    FINISH                                      // d16: 8 bytes
    vst1.8      {d16}, [lr]!
    subs        r0, r0, #8
    bhs         1b

    // ---- The last 1..7 channels: the 8 bytes that end with each row.
2:
    cmp         r0, #-8                         // none left?
    beq         3f
    shift_of_rest r0, d30
    add_nine_rows bias, 1
    FINISH
    store_rest  d16, lr, r0

    // ---- On to the next pixel.
3:
    ldr         r4, [sp, #64]                   // r4: x_increment
    ldr         r5, [sp, #68]                   // r5: y_increment
    ldr         r6, [sp, #16]                   // r6: pixels left
    add         r3, r3, r4
    add         lr, lr, r5
    subs        r6, r6, #1
    str         r6, [sp, #16]
    bne         0b

    // ---- Give back what was saved.
    vpop        {d8-d9}
    pop         {r0, r4-r11, pc}
    .size   KERNEL, . - KERNEL
