/* void checked_call(struct call *call): see call.h. */
#if defined(__APPLE__)
#define checked_call _checked_call
#else
    .section .note.GNU-stack, "", %progbits
#endif

#if defined(__aarch64__)
    .text
    .p2align 4
    .global checked_call
checked_call:
    stp     x29, x30, [sp, #-160]!
    stp     x19, x20, [sp, #16]
    stp     x21, x22, [sp, #32]
    stp     x23, x24, [sp, #48]
    stp     x25, x26, [sp, #64]
    stp     x27, x28, [sp, #80]
    stp     d8, d9, [sp, #96]
    stp     d10, d11, [sp, #112]
    stp     d12, d13, [sp, #128]
    stp     d14, d15, [sp, #144]

    // Eight stack arguments, and above them where to find the struct again.
    sub     sp, sp, #80
    str     x0, [sp, #64]
    .irp n, 0,16,32,48
    ldp     x1, x2, [x0, #72 + \n]
    stp     x1, x2, [sp, #\n]
    .endr

    // The caller's registers.
    add     x1, x0, #136
    ldp     x19, x20, [x1], #16
    ldp     x21, x22, [x1], #16
    ldp     x23, x24, [x1], #16
    ldp     x25, x26, [x1], #16
    ldp     x27, x28, [x1], #16
    // Rubbish where nothing is defined; the upper halves of v8..v15 are not protected either.
    ldr     x9, [x0, #280]
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    dup     v\n\().2d, x9
    add     x9, x9, x9, lsl #3
    .endr
    .irp n, 8,9,10,11,12,13,14,15
    ldr     x10, [x1], #8
    mov     v\n\().d[0], x10
    .endr
    ldr     x16, [x0]
    mov     x10, x9
    mvn     x11, x9
    mov     x12, x9
    mvn     x13, x9
    mov     x14, x9
    mvn     x15, x9
    mov     x17, x9
    mvn     x8, x9
    ldp     x2, x3, [x0, #24]
    ldp     x4, x5, [x0, #40]
    ldp     x6, x7, [x0, #56]
    ldp     x0, x1, [x0, #8]
    blr     x16

    ldr     x0, [sp, #64]
    add     x1, x0, #136
    stp     x19, x20, [x1], #16
    stp     x21, x22, [x1], #16
    stp     x23, x24, [x1], #16
    stp     x25, x26, [x1], #16
    stp     x27, x28, [x1], #16
    stp     d8, d9, [x1], #16
    stp     d10, d11, [x1], #16
    stp     d12, d13, [x1], #16
    stp     d14, d15, [x1], #16
    add     sp, sp, #80
    ldp     d14, d15, [sp, #144]
    ldp     d12, d13, [sp, #128]
    ldp     d10, d11, [sp, #112]
    ldp     d8, d9, [sp, #96]
    ldp     x27, x28, [sp, #80]
    ldp     x25, x26, [sp, #64]
    ldp     x23, x24, [sp, #48]
    ldp     x21, x22, [sp, #32]
    ldp     x19, x20, [sp, #16]
    ldp     x29, x30, [sp], #160
    ret

#elif defined(__arm__)
    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global checked_call
    .type   checked_call, %function
checked_call:
    push    {r4-r11, r12, lr}
    vpush   {d8-d15}

    // Twelve stack arguments, and above them where to find the struct again.
    sub     sp, sp, #56
    str     r0, [sp, #48]
    add     r1, r0, #20
    mov     r2, sp
    ldm     r1!, {r4-r11}
    stm     r2!, {r4-r11}
    ldm     r1, {r4-r7}
    stm     r2, {r4-r7}

    // Rubbish where nothing is defined.
    add     r1, r0, #176
    vld1.32 {d0}, [r1]
    vmvn    d1, d0
    .irp n, 1,2,3,8,9,10,11,12,13,14,15
    vmov    q\n, q0
    .endr
    // The caller's registers.
    add     r1, r0, #112
    vldmia  r1, {d8-d15}
    add     r1, r0, #68
    ldm     r1, {r4-r11}
    ldr     r12, [r0]
    ldr     lr, [r0, #176]
    ldr     r3, [r0, #16]
    ldr     r2, [r0, #12]
    ldr     r1, [r0, #8]
    ldr     r0, [r0, #4]
    blx     r12

    ldr     r0, [sp, #48]
    add     r1, r0, #112
    vstmia  r1, {d8-d15}
    add     r1, r0, #68
    stm     r1, {r4-r11}
    add     sp, sp, #56
    vpop    {d8-d15}
    pop     {r4-r11, r12, pc}
    .size   checked_call, . - checked_call
#endif
