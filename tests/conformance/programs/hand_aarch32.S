// Arm state as kernels are written by hand: block copies, products of halfwords, packed bytes, flags, tables, calls.
    .syntax unified
    .arch armv7-a
    .fpu neon
    .arm
    .text
    .macro func name
    .global \name
    .type \name, %function
\name:
    .endm
func copy
    push {r0, r4-r9, lr}
    pld [r1]
    rsb r3, r0, #0
    ands r3, r3, #3
    beq 1f
    cmp r3, r2
    movhi r3, r2
    sub r2, r2, r3
    lsls r3, r3, #31
    ldrbmi r4, [r1], #1
    ldrbcs r5, [r1], #1
    ldrbcs r6, [r1], #1
    strbmi r4, [r0], #1
    strbcs r5, [r0], #1
    strbcs r6, [r0], #1
1:  subs r2, r2, #32
    blo 3f
2:  pld [r1, #96]
    ldr r3, [r1], #4
    ldr r4, [r1], #4
    ldmia r1!, {r5-r9, lr}
    subs r2, r2, #32
    stmia r0!, {r3-r9, lr}
    bhs 2b
3:  adds r2, r2, #32
    beq 9f
    movs ip, r2, lsl #28
    ldmcs r1!, {r3, r4, r5, r6}
    stmcs r0!, {r3, r4, r5, r6}
    ldmmi r1!, {r3, r4}
    stmmi r0!, {r3, r4}
    lsls ip, r2, #30
    ldrcs r3, [r1], #4
    strcs r3, [r0], #4
    ldrhmi r4, [r1], #2
    strhmi r4, [r0], #2
    tst r2, #1
    ldrbne r5, [r1]
    strbne r5, [r0]
9:  pop {r0, r4-r9, pc}


func dot
    stmfd sp!, {r4-r8, lr}
    mov r3, #0
    mov r12, #0
    mov lr, #0
0:  ldrd r4, r5, [r0], #8
    ldr r6, [r1], #4
    ldr r7, [r1], #4
    smlad r3, r4, r6, r3
    smladx r3, r5, r7, r3
    smlald r12, lr, r4, r7
    smlsldx r12, lr, r5, r6
    smlabt r3, r4, r5, r3
    smlawb r3, r6, r7, r3
    smulwt r8, r3, r4
    smmlar r3, r4, r5, r3
    smmls r8, r6, r7, r8
    add r3, r3, r8, asr #3
    umaal r12, lr, r4, r5
    subs r2, r2, #4
    bgt 0b
    ssat r0, #17, r3, asr #4
    usat r1, #9, lr, lsl #1
    pkhbt r0, r0, r1, lsl #13
    pkhtb r12, r12, r3, asr #11
    eor r0, r0, r12, ror #3
    rsc r0, r0, #0
    sbcs r0, r0, lr
    ldmfd sp!, {r4-r8, pc}


func bytes
    push {r4-r10, lr}
    mov r12, #0
    mov lr, #0
    ldr r10, =0x01010101
1:  ldr r4, [r0], #4
    ldr r5, [r1], #4
    usada8 r12, r4, r5, r12
    usub8 r6, r4, r5
    sel r7, r4, r5
    sel r8, r5, r4
    uhadd8 r9, r7, r8
    uqadd8 r6, r6, r10
    uxtab16 lr, lr, r9
    uxtab16 lr, lr, r9, ror #8
    shsub8 r9, r9, r4
    qsub16 r6, r6, r9
    sadd16 r6, r6, r4
    sel r4, r6, r9
    uasx r4, r4, r5
    sel r9, r4, r6
    str r7, [r3], #4
    stmib r3, {r4, r6, r8}
    stmda r3!, {r9}
    add r3, r3, #20
    subs r2, r2, #1
    bne 1b
    usad8 r4, r12, lr
    add r0, r12, lr
    qadd r0, r0, r4
    qdsub r0, r0, r12
    pop {r4-r10, pc}


func odds
    push {r4-r11, lr}
    ldm r0, {r1-r4}
    umull r5, r6, r1, r2
    smlal r5, r6, r3, r4
    umlals r5, r6, r4, r4
    movmi r7, #1
    mvnpl r7, #0
    adds r8, r5, r6, lsr #32
    adcs r9, r6, r7, rrx
    rsbs r10, r9, r8, asr r1
    rscs r11, r10, #0xff00
    ubfx r12, r1, #5, #11
    sbfx lr, r2, #20, #12
    bfi r12, r3, #7, #9
    bfc lr, #3, #4
    rev r1, r1
    rev16 r2, r2
    revsh r3, r3
    rbit r4, r4
    clz r5, r5
    sxtab r6, r6, r12, ror #16
    uxtah r7, r7, lr, ror #8
    sxtb16 r8, r8, ror #24
    teq r8, r9, ror #1
    addeq r8, r8, #1
    cmn r8, r9, lsl #2
    sbcvs r8, r8, r9
    tst r10, #0x80000000
    eorne r10, r10, r11, ror r1
    orrs r11, r11, r10, lsl r2
    bics r12, r12, #0xf0
    mul r1, r1, r2
    muls r2, r3, r2
    mla r3, r4, r5, r3
    mls r4, r5, r6, r4
    movw r5, #0xbeef
    movt r5, #0xdead
    stmdb sp!, {r1-r4}
    add sp, sp, #16
    stm r0!, {r1-r12}
    str lr, [r0]
    mov r0, r10
    pop {r4-r11, pc}

func table
    cmp r0, #3
    addls pc, pc, r0, lsl #2
    b 5f
    b 1f
    b 2f
    b 3f
    b 4f
1:  add r0, r1, #1
    bx lr
2:  rsb r0, r1, r1, lsl #4
    bx lr
3:  push {lr}
    bl helper
    ldr pc, [sp], #4
4:  ldr r12, =helper
    push {r4, lr}
    blx r12
    add r0, r0, #7
    pop {r4, pc}
5:  mvn r0, #0
    mov pc, lr
helper:
    eor r0, r1, r1, lsr #7
    bx lr
    .ltorg

func halves
    push {r4, lr}
    mov r12, #0
1:  ldrsh r3, [r0], #2
    ldrsb r4, [r0, #-1]
    ldrh lr, [r0, -r2]!
    add r0, r0, r2
    strh r3, [r1, r2]
    add r12, r12, r3
    eor r12, r12, r4, lsl #8
    sub r12, r12, lr
    strd r4, r5, [r1, #8]
    ldrd r2, r3, [r1, #-8]!
    add r1, r1, #12
    mov r2, #0
    cmp r12, #0
    it eq
    moveq r12, #3
    ldrb r3, [r0]
    cmp r3, #0
    bne 1b
    mov r0, r12
    pop {r4, pc}
    .section .note.GNU-stack, "", %progbits
