// Made of library.c by tests/arm/asm/library/record.py, for aarch32.

.text
.Lneonsim_log_of_odd:
    vcmp.f64 d0, d0
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L2
    vcmpe.f64 d0, #0
    vmov.i64 d16, #0
    vmrs APSR_nzcv, FPSCR
    ble .Lneonsim_L7
.Lneonsim_L2:
    vadd.f64 d0, d0, d0
    bx lr
.Lneonsim_L7:
    vcmp.f64 d0, #0
    vmrs APSR_nzcv, FPSCR
    vmuleq.f64 d16, d0, d0
    vsubne.f64 d17, d0, d0
    vmoveq.f64 d17, #-1.0e+0
    vdiv.f64 d0, d17, d16
    bx lr

.text
.Lneonsim_series_of_exp:
    vldr.64 d17, .Lneonsim_L10
    vmov.f64 d16, d0
    vldr.64 d29, .Lneonsim_L10+8
    vmla.f64 d1, d0, d1
    vldr.64 d28, .Lneonsim_L10+16
    vmul.f64 d26, d0, d0
    vfma.f64 d29, d0, d17
    vldr.64 d27, .Lneonsim_L10+24
    vldr.64 d25, .Lneonsim_L10+32
    vmov.f64 d17, #5.0e-1
    vldr.64 d24, .Lneonsim_L10+40
    vldr.64 d23, .Lneonsim_L10+48
    vldr.64 d22, .Lneonsim_L10+56
    vldr.64 d21, .Lneonsim_L10+64
    vldr.64 d20, .Lneonsim_L10+72
    vmov.f64 d0, d1
    vldr.64 d19, .Lneonsim_L10+80
    vfma.f64 d28, d16, d29
    vldr.64 d18, .Lneonsim_L10+88
    vfma.f64 d27, d16, d28
    vfma.f64 d25, d16, d27
    vfma.f64 d24, d16, d25
    vfma.f64 d23, d16, d24
    vfma.f64 d22, d16, d23
    vfma.f64 d21, d16, d22
    vfma.f64 d20, d16, d21
    vfma.f64 d19, d16, d20
    vfma.f64 d18, d16, d19
    vfma.f64 d17, d16, d18
    vfma.f64 d0, d26, d17
    vadd.f64 d0, d16, d0
    bx lr
.Lneonsim_L11:
    .align 3
.Lneonsim_L10:
    .word -1463780195
    .word 1034500468
    .word 329805065
    .word 1038488134
    .word -268904296
    .word 1042411224
    .word 1744127204
    .word 1046144581
    .word -1216831652
    .word 1049787983
    .word -1521039564
    .word 1053236707
    .word 436314138
    .word 1056571808
    .word 436314138
    .word 1059717536
    .word 381774871
    .word 1062650220
    .word 286331153
    .word 1065423121
    .word 1431655765
    .word 1067799893
    .word 1431655765
    .word 1069897045

.text
.Lneonsim_exponential:
    vldr.64 d17, .Lneonsim_L14
    vmov.f64 d16, d0
    vldr.64 d20, .Lneonsim_L14+8
    mov r0, #0
    vldr.64 d19, .Lneonsim_L14+16
    vmov.f64 d30, d17
    vldr.64 d18, .Lneonsim_L14+24
    vfma.f64 d30, d0, d20
    push {r4, r5, r6, lr}
    mov r4, r0
    vsub.f64 d30, d30, d17
    vfms.f64 d16, d30, d19
    vfms.f64 d1, d30, d18
    vcvt.s32.f64 s15, d30
    vmov r3, s15
    vadd.f64 d0, d1, d16
    asr r2, r3, #1
    sub r3, r3, r2
    vsub.f64 d16, d16, d0
    vadd.f64 d1, d16, d1
    bl .Lneonsim_series_of_exp
    vmov.f64 d16, #1.0e+0
    movw ip, #1023
    add r2, r2, ip
    vadd.f64 d0, d0, d16
    add r3, r3, ip
    lsl r1, r2, #20
    vmov d16, r0, r1
    lsl r5, r3, #20
    vmul.f64 d0, d0, d16
    vmov d16, r4, r5
    vmul.f64 d0, d0, d16
    pop {r4, r5, r6, pc}
.Lneonsim_L15:
    .align 3
.Lneonsim_L14:
    .word 0
    .word 1127743488
    .word 1697350398
    .word 1073157447
    .word -17170432
    .word 1072049730
    .word -1130480838
    .word 1031600026

.text
.Lneonsim_rest_of_log:
    vmov.f64 d16, d0
    vldr.64 d25, .Lneonsim_L17
    vldr.64 d24, .Lneonsim_L17+8
    vldr.64 d23, .Lneonsim_L17+16
    vldr.64 d22, .Lneonsim_L17+24
    vfma.f64 d24, d16, d25
    vldr.64 d21, .Lneonsim_L17+32
    vldr.64 d20, .Lneonsim_L17+40
    vmul.f64 d25, d16, d16
    vldr.64 d19, .Lneonsim_L17+48
    vldr.64 d18, .Lneonsim_L17+56
    vldr.64 d17, .Lneonsim_L17+64
    vldr.64 d0, .Lneonsim_L17+72
    vfma.f64 d23, d16, d24
    vfma.f64 d22, d16, d23
    vfma.f64 d21, d16, d22
    vfma.f64 d20, d16, d21
    vfma.f64 d19, d16, d20
    vfma.f64 d18, d16, d19
    vfma.f64 d17, d16, d18
    vfma.f64 d0, d16, d17
    vmul.f64 d0, d25, d0
    bx lr
.Lneonsim_L18:
    .align 3
.Lneonsim_L17:
    .word 1493901668
    .word 1068909256
    .word 409044504
    .word 1069048198
    .word -1130254552
    .word 1069216390
    .word 505290270
    .word 1069424158
    .word 286331153
    .word 1069617425
    .word 330382100
    .word 1069789499
    .word 1952257862
    .word 1070024145
    .word 477218588
    .word 1070363079
    .word -1840700270
    .word 1070745892
    .word -1717986918
    .word 1071225241

.text
.Lneonsim_exponential_less_one:
    vldr.64 d18, .Lneonsim_L21
    vmov.f64 d17, d0
    vldr.64 d20, .Lneonsim_L21+8
    mov r0, #0
    vldr.64 d19, .Lneonsim_L21+16
    vmov.f64 d16, d18
    vldr.64 d1, .Lneonsim_L21+24
    vfma.f64 d16, d0, d20
    push {r4, lr}
    vsub.f64 d16, d16, d18
    vfms.f64 d17, d16, d19
    vnmul.f64 d1, d16, d1
    vcvt.s32.f64 s15, d16
    vmov r3, s15
    vadd.f64 d0, d1, d17
    add r3, r3, #1020
    add r3, r3, #3
    vsub.f64 d17, d17, d0
    lsl r1, r3, #20
    vmov d30, r0, r1
    vadd.f64 d1, d17, d1
    bl .Lneonsim_series_of_exp
    vmov.f64 d16, #1.0e+0
    vsub.f64 d16, d30, d16
    vfma.f64 d16, d0, d30
    vmov.f64 d0, d16
    pop {r4, pc}
.Lneonsim_L22:
    .align 3
.Lneonsim_L21:
    .word 0
    .word 1127743488
    .word 1697350398
    .word 1073157447
    .word -17170432
    .word 1072049730
    .word -1130480838
    .word 1031600026

.text
.Lneonsim_far_reduced:
    push {r4, r5, r6, r7, r8, r9, r10, fp, lr}
    mov r5, #0
    mov r4, r0
    sub sp, sp, #36
    movw r7, #:lower16:.Lneonsim_two_over_pi
    movt r7, #:upper16:.Lneonsim_two_over_pi
    add r9, sp, #28
    vmov.i32 q8, #0
    add ip, sp, #8
    add r2, r2, #158
    mov r0, r9
    mov r10, r5
    mov r6, #5
    mov lr, r5
    str r1, [sp]
    str r3, [sp, #4]
    vst1.8 {q8}, [ip:64]
    vstr d16, [ip, #16]
.Lneonsim_L28:
    asrs r1, r2, #5
    and r8, r2, #31
    movmi r3, #0
    ldrpl r3, [r7, r1, lsl #2]
    add r1, r1, #1
    cmp r8, #0
    ldr r1, [r7, r1, lsl #2]
    lslne r3, r3, r8
    rsbne r8, r8, #32
    orrne r3, r3, r1, lsr r8
    umull r1, fp, r3, r4
    mul r8, r3, r5
    adds r1, r1, r10
    str r1, [r0]
    adc r10, fp, #0
    cmp r6, #0
    beq .Lneonsim_L26
    ldr r1, [sp]
    sub r6, r6, #1
    ldr fp, [r0, #-4]!
    umull r3, r1, r3, r1
    adds r3, r3, fp
    adc r1, r1, r8
    mov r8, r0
    adds r3, r3, r10
    adc r1, r1, #0
    cmp ip, r8
    str r3, [r8]
    beq .Lneonsim_L51
.Lneonsim_L27:
    ldr r3, [r8, #-4]!
    adds r3, r3, r1
    str r3, [r8]
    adc r1, lr, lr
    cmp ip, r8
    bne .Lneonsim_L27
.Lneonsim_L51:
    ldr r10, [r0]
    sub r2, r2, #32
    b .Lneonsim_L28
.Lneonsim_L26:
    ldr r3, [sp, #8]
    mov r2, ip
    ldr r8, [sp, #4]
    lsr r0, r3, #30
    b .Lneonsim_L31
.Lneonsim_L52:
    mov r3, r1
.Lneonsim_L31:
    ldr r1, [r2, #4]
    lsl r3, r3, #2
    orr r3, r3, r1, lsr #30
    str r3, [r2], #4
    cmp r9, r2
    bne .Lneonsim_L52
    ldr r3, [sp, #8]
    lsrs r2, r3, #31
    beq .Lneonsim_L32
    add r0, r0, #1
    b .Lneonsim_L34
.Lneonsim_L33:
    ldr r3, [ip]
.Lneonsim_L34:
    mvn r3, r3
    str r3, [ip], #4
    cmp r9, ip
    bne .Lneonsim_L33
    ldr r3, [sp, #8]
    and r0, r0, #3
.Lneonsim_L32:
    vmov s15, r3
    vldr.64 d16, .Lneonsim_L53
    vldr.64 d24, .Lneonsim_L53+8
    vcvt.f64.u32 d17, s15
    vldr.32 s15, [sp, #24]
    vldr.64 d23, .Lneonsim_L53+16
    vldr.64 d21, .Lneonsim_L53+24
    vcvt.f64.u32 d18, s15
    vldr.32 s15, [sp, #16]
    vmul.f64 d17, d17, d16
    vldr.64 d22, .Lneonsim_L53+32
    vcvt.f64.u32 d19, s15
    vldr.32 s15, [sp, #12]
    vmul.f64 d18, d18, d23
    vcmpe.f64 d17, #0
    vcvt.f64.u32 d16, s15
    vldr.32 s15, [sp, #20]
    vmul.f64 d19, d19, d22
    vcvt.f64.u32 d20, s15
    vmrs APSR_nzcv, FPSCR
    vmul.f64 d16, d16, d24
    vmla.f64 d18, d20, d21
    vadd.f64 d20, d17, d16
    vldrle.64 d16, .Lneonsim_L53+40
    vsubgt.f64 d17, d20, d17
    vadd.f64 d21, d19, d18
    vsubgt.f64 d16, d16, d17
    vldr.64 d17, .Lneonsim_L53+48
    cmp r2, #0
    vadd.f64 d16, d16, d21
    vsub.f64 d21, d21, d19
    vmovne.f64 d22, #-1.0e+0
    vmoveq.f64 d22, #1.0e+0
    vadd.f64 d19, d16, d20
    vsub.f64 d18, d18, d21
    vldr.64 d21, .Lneonsim_L53+56
    vsub.f64 d20, d19, d20
    vmul.f64 d17, d19, d17
    vsub.f64 d16, d16, d20
    vldr.64 d20, .Lneonsim_L53+48
    vadd.f64 d16, d16, d18
    vnegne.f64 d18, d17
    vnegeq.f64 d18, d17
    vmul.f64 d16, d16, d20
    vmovne.f64 d17, d18
    vmla.f64 d16, d19, d21
    vfma.f64 d18, d19, d20
    vstr.64 d17, [r8]
    vadd.f64 d16, d16, d18
    vmul.f64 d16, d16, d22
    vstr.64 d16, [r8, #8]
    add sp, sp, #36
    pop {r4, r5, r6, r7, r8, r9, r10, fp, pc}
.Lneonsim_L54:
    .align 3
.Lneonsim_L53:
    .word 0
    .word 1039138816
    .word 0
    .word 1005584384
    .word 0
    .word 904921088
    .word 0
    .word 938475520
    .word 0
    .word 972029952
    .word 0
    .word 0
    .word 1413754136
    .word 1073291771
    .word 856972295
    .word 1016178214

.text
.Lneonsim_reduced:
    vabs.f64 d17, d0
    vldr.64 d16, .Lneonsim_L62
    push {r4, r5, r6, lr}
    mov r4, r0
    vcmpe.f64 d17, d16
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L60
    vldr.64 d18, .Lneonsim_L62+8
    vldr.64 d21, .Lneonsim_L62+16
    vldr.64 d19, .Lneonsim_L62+24
    vmov.f64 d16, d18
    vldr.64 d17, .Lneonsim_L62+32
    vfma.f64 d16, d0, d21
    vldr.64 d20, .Lneonsim_L62+40
    vsub.f64 d16, d16, d18
    vfms.f64 d0, d16, d19
    vmul.f64 d19, d16, d17
    vcvt.s32.f64 s15, d16
    vmov.f64 d21, d19
    vfnms.f64 d21, d16, d17
    vmov r0, s15
    vsub.f64 d17, d0, d19
    and r0, r0, #3
    vsub.f64 d18, d0, d17
    vstr.64 d17, [r4]
    vadd.f64 d17, d17, d18
    vsub.f64 d18, d18, d19
    vsub.f64 d0, d0, d17
    vadd.f64 d0, d0, d18
    vsub.f64 d0, d0, d21
    vmla.f64 d0, d16, d20
    vstr.64 d0, [r4, #8]
    pop {r4, r5, r6, pc}
.Lneonsim_L60:
    vmov r5, s1
    vmov r0, s0
    mov r3, r4
    ubfx r2, r5, #20, #11
    ubfx r1, r5, #0, #20
    sub r2, r2, #1072
    orr r1, r1, #1048576
    sub r2, r2, #3
    bl .Lneonsim_far_reduced
    cmp r5, #0
    popge {r4, r5, r6, pc}
    vldr.64 d17, [r4, #8]
    rsb r0, r0, #0
    vldr.64 d16, [r4]
    and r0, r0, #3
    vneg.f64 d17, d17
    vneg.f64 d16, d16
    vstr.64 d17, [r4, #8]
    vstr.64 d16, [r4]
    pop {r4, r5, r6, pc}
.Lneonsim_L63:
    .align 3
.Lneonsim_L62:
    .word 0
    .word 1098907648
    .word 0
    .word 1127743488
    .word 1841940611
    .word 1071931184
    .word 1413754136
    .word 1073291771
    .word 856972295
    .word 1016178214
    .word -1209167940
    .word 958339446

.text
.Lneonsim_turned:
    vldr.64 d17, [r1]
    tst r0, #1
    vldr.64 d0, [r1, #8]
    vmul.f64 d16, d17, d17
    beq .Lneonsim_L65
    vldr.64 d18, .Lneonsim_L71
    vmov.f64 d19, #5.0e-1
    vldr.64 d27, .Lneonsim_L71+8
    vnmul.f64 d17, d17, d0
    vldr.64 d26, .Lneonsim_L71+16
    vmul.f64 d19, d16, d19
    vfma.f64 d27, d16, d18
    vldr.64 d25, .Lneonsim_L71+24
    vldr.64 d23, .Lneonsim_L71+32
    vmov.f64 d18, #1.0e+0
    vldr.64 d22, .Lneonsim_L71+40
    vmul.f64 d24, d16, d16
    vldr.64 d21, .Lneonsim_L71+48
    vsub.f64 d0, d18, d19
    vldr.64 d20, .Lneonsim_L71+56
    vsub.f64 d18, d18, d0
    vfma.f64 d26, d16, d27
    vsub.f64 d18, d18, d19
    vfma.f64 d25, d16, d26
    vfma.f64 d23, d16, d25
    vfma.f64 d22, d16, d23
    vfma.f64 d21, d16, d22
    vfma.f64 d20, d16, d21
    vfma.f64 d17, d20, d24
    vadd.f64 d17, d18, d17
    vadd.f64 d0, d17, d0
.Lneonsim_L66:
    tst r0, #2
    vnegne.f64 d0, d0
    bx lr
.Lneonsim_L65:
    vldr.64 d18, .Lneonsim_L71+64
    vmov.f64 d25, #-5.0e-1
    vldr.64 d24, .Lneonsim_L71+72
    vmul.f64 d26, d16, d17
    vldr.64 d23, .Lneonsim_L71+80
    vmul.f64 d25, d16, d25
    vfma.f64 d24, d16, d18
    vldr.64 d22, .Lneonsim_L71+88
    vldr.64 d21, .Lneonsim_L71+96
    vldr.64 d20, .Lneonsim_L71+104
    vldr.64 d19, .Lneonsim_L71+112
    vfma.f64 d0, d0, d25
    vldr.64 d18, .Lneonsim_L71+120
    vfma.f64 d23, d16, d24
    vfma.f64 d22, d16, d23
    vfma.f64 d21, d16, d22
    vfma.f64 d20, d16, d21
    vfma.f64 d19, d16, d20
    vfma.f64 d18, d16, d19
    vfma.f64 d0, d18, d26
    vadd.f64 d0, d0, d17
    b .Lneonsim_L66
.Lneonsim_L72:
    .align 3
.Lneonsim_L71:
    .word 1673100695
    .word -1129938312
    .word -416040929
    .word 1026222067
    .word -1463780195
    .word -1112983180
    .word -268904296
    .word 1042411224
    .word -1216831652
    .word -1097695665
    .word 436314138
    .word 1056571808
    .word 381774871
    .word -1084833428
    .word 1431655765
    .word 1067799893
    .word 1882238282
    .word 1021924039
    .word -416040929
    .word -1117067277
    .word 329805065
    .word 1038488134
    .word 1744127204
    .word -1101339067
    .word -1521039564
    .word 1053236707
    .word 436314138
    .word -1087766112
    .word 286331153
    .word 1065423121
    .word 1431655765
    .word -1077586603

.text
.Lneonsim_odd_power:
    vabs.f64 d16, d1
    vldr.64 d17, .Lneonsim_L110
    push {r4, r5, r6, lr}
    mov r2, #0
    mov r3, #0
    movt r3, 16368
    vpush.64 {d8, d9}
    vcmpe.f64 d16, d17
    strd r2, [r1]
    vmov.f64 d8, d1
    vmov.f64 d9, d0
    mov r4, r1
    mov r5, r0
    vmrs APSR_nzcv, FPSCR
    movge r2, #2
    bge .Lneonsim_L74
    vrintz.f64 d17, d16
    vcmp.f64 d16, d17
    vmrs APSR_nzcv, FPSCR
    movne r2, #0
    bne .Lneonsim_L74
    vmov r0, r1, d16
    bl __aeabi_d2lz
    and r3, r0, #1
    rsbs r2, r3, #2
.Lneonsim_L74:
    vcmp.f64 d8, #0
    vmov.f64 d16, #1.0e+0
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d9, d16
    moveq r3, #1
    movne r3, #0
    vmrs APSR_nzcv, FPSCR
    orreq r3, r3, #1
    cmp r3, #0
    bne .Lneonsim_L95
    vcmp.f64 d9, d9
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d8, d8
    movne r3, #1
    moveq r3, #0
    vmrs APSR_nzcv, FPSCR
    orrne r3, r3, #1
    cmp r3, #0
    vaddne.f64 d17, d8, d9
    bne .Lneonsim_L75
    vldr.64 d18, .Lneonsim_L110+8
    vabs.f64 d17, d9
    vldr.64 d19, .Lneonsim_L110+16
    vcmp.f64 d8, d18
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d8, d19
    moveq r3, #1
    movne r3, #0
    vmrs APSR_nzcv, FPSCR
    orreq r3, r3, #1
    cmp r3, #0
    bne .Lneonsim_L107
    cmp r2, #1
    beq .Lneonsim_L108
    vcmp.f64 d9, #0
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L82
    vcmp.f64 d17, d18
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L83
    vcmpe.f64 d9, #0
    vmrs APSR_nzcv, FPSCR
    movmi r3, #1
    movpl r3, #0
    cmp r2, #0
    movne r3, #0
    andeq r3, r3, #1
    cmp r3, #0
    bne .Lneonsim_L109
.Lneonsim_L84:
    vldm sp!, {d8-d9}
    mov r0, #0
    vstr.64 d16, [r4]
    pop {r4, r5, r6, pc}
.Lneonsim_L95:
    vmov.f64 d17, d16
.Lneonsim_L75:
    vldm sp!, {d8-d9}
    mov r0, #1
    vstr.64 d17, [r5]
    pop {r4, r5, r6, pc}
.Lneonsim_L108:
    vmov r3, s19
    vcmp.f64 d9, #0
    cmp r3, #0
    bge .Lneonsim_L81
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L97
    vcmp.f64 d17, d18
    vmov.f64 d16, #-1.0e+0
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L84
.Lneonsim_L83:
    vcmpe.f64 d8, #0
    vmov.i64 d17, #0
    vmrs APSR_nzcv, FPSCR
    vldrgt.64 d17, .Lneonsim_L110+8
    vmul.f64 d17, d16, d17
    b .Lneonsim_L75
.Lneonsim_L107:
    vcmp.f64 d17, d16
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L75
    vcmpe.f64 d17, d16
    vmov.i64 d17, #0
    vmrs APSR_nzcv, FPSCR
    vcmpe.f64 d8, d17
    movgt r2, #1
    movle r2, #0
    vmrs APSR_nzcv, FPSCR
    movgt r3, #1
    movle r3, #0
    cmp r2, r3
    vseleq.f64 d17, d18, d17
    b .Lneonsim_L75
.Lneonsim_L97:
    vmov.f64 d16, #-1.0e+0
.Lneonsim_L82:
    vcmpe.f64 d8, #0
    vmov.i64 d18, #0
    vmrs APSR_nzcv, FPSCR
    vdivle.f64 d17, d16, d18
    vmulgt.f64 d17, d16, d18
    b .Lneonsim_L75
.Lneonsim_L81:
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L82
    vcmp.f64 d17, d18
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L84
    b .Lneonsim_L83
.Lneonsim_L109:
    vsub.f64 d9, d9, d9
    vdiv.f64 d17, d9, d9
    b .Lneonsim_L75
.Lneonsim_L111:
    .align 3
.Lneonsim_L110:
    .word 0
    .word 1128267776
    .word 0
    .word 2146435072
    .word 0
    .word -1048576

.text
.Lneonsim_divided:
    push {r4, r5, r6, r7, r8, r9, lr}
    mov lr, r1
    ldr r8, [sp, #28]
    orrs r1, r2, r3
    beq .Lneonsim_L127
    mov r6, r0
    orrs r1, lr, r3
    beq .Lneonsim_L128
    cmp r0, r2
    sbcs r1, lr, r3
    movcc r0, #0
    movcc r1, r0
    bcc .Lneonsim_L115
    cmp r3, #0
    mov r0, #0
    clzeq ip, r2
    clzne ip, r3
    addeq ip, ip, #32
    cmp lr, #0
    clzeq r1, r6
    clzne r1, lr
    addeq r1, r1, #32
    subs ip, ip, r1
    bmi .Lneonsim_L124
    mov r7, #1
    mov r1, r0
.Lneonsim_L122:
    rsb r9, ip, #32
    sub r5, ip, #32
    lsr r4, r6, ip
    orr r4, r4, lr, lsl r9
    orr r4, r4, lr, lsr r5
    cmp r4, r2
    lsr r4, lr, ip
    sbcs r4, r4, r3
    bcc .Lneonsim_L121
    lsl r4, r3, ip
    orr r4, r4, r2, lsl r5
    lsl r5, r7, r5
    orr r5, r5, r7, lsr r9
    orr r1, r5, r1
    lsl r5, r2, ip
    subs r5, r6, r5
    orr r4, r4, r2, lsr r9
    sbc r4, lr, r4
    orr r0, r0, r7, lsl ip
    mov r6, r5
    mov lr, r4
.Lneonsim_L121:
    subs ip, ip, #1
    bcs .Lneonsim_L122
.Lneonsim_L115:
    stm r8, {r6, lr}
    pop {r4, r5, r6, r7, r8, r9, pc}
.Lneonsim_L128:
    udiv r0, r0, r2
    mov lr, r1
    mls r6, r2, r0, r6
    stm r8, {r6, lr}
    pop {r4, r5, r6, r7, r8, r9, pc}
.Lneonsim_L124:
    mov r1, r0
    b .Lneonsim_L115
.Lneonsim_L127:
    .inst 0xe7f000f0

.text
.Lneonsim_logarithm:
    vldr.64 d16, .Lneonsim_L136
    movw r2, #15309
    movt r2, 26239
    push {r4, lr}
    vmov.f64 d28, #1.0e+0
    vcmpe.f64 d0, d16
    vmov.f64 d27, #5.0e-1
    vldr.64 d29, .Lneonsim_L136+8
    vmrs APSR_nzcv, FPSCR
    vldrmi.64 d16, .Lneonsim_L136+16
    movmi lr, #54
    movpl lr, #0
    vmulmi.f64 d0, d0, d16
    vmov.f64 d16, #2.0e+0
    vmov r0, s0
    vmov r3, s1
    cmp r0, r2
    ubfx ip, r3, #0, #20
    movw r2, #41118
    movt r2, 6
    lsr r3, r3, #20
    sbcs r2, ip, r2
    sub r3, r3, #1020
    movcs r1, #1
    movcc r1, #0
    sub r3, r3, #3
    add r3, r3, r1
    rsb r1, r1, #1020
    add r1, r1, #3
    sub r3, r3, lr
    mov r2, r0
    vmov s15, r3
    orr r3, ip, r1, lsl #20
    vmov d17, r2, r3
    vcvt.f64.s32 d26, s15
    vsub.f64 d28, d17, d28
    vmul.f64 d29, d26, d29
    vadd.f64 d16, d28, d16
    vmul.f64 d27, d28, d27
    vdiv.f64 d30, d28, d16
    vmul.f64 d27, d27, d28
    vmul.f64 d31, d30, d30
    vmov.f64 d0, d31
    bl .Lneonsim_rest_of_log
    vldr.64 d17, .Lneonsim_L136+24
    vldr.64 d16, .Lneonsim_L136+32
    vfma.f64 d0, d31, d17
    vmul.f64 d26, d26, d16
    vadd.f64 d0, d27, d0
    vfma.f64 d26, d0, d30
    vsub.f64 d0, d27, d26
    vsub.f64 d0, d0, d28
    vsub.f64 d0, d29, d0
    pop {r4, pc}
.Lneonsim_L137:
    .align 3
.Lneonsim_L136:
    .word 0
    .word 1048576
    .word -17170432
    .word 1072049730
    .word 0
    .word 1129316352
    .word 1431655765
    .word 1071994197
    .word -1130480838
    .word 1031600026

.text
memcpy:
    cmp r2, #15
    bls .Lneonsim_L143
    push {r4, lr}
    sub r4, r2, #16
    bic r4, r4, #15
    add r4, r4, #16
    mov lr, r1
    add r3, r0, r4
    mov ip, r0
.Lneonsim_L140:
    vld1.8 {d16-d17}, [lr]!
    vst1.8 {d16-d17}, [ip]!
    cmp ip, r3
    bne .Lneonsim_L140
    and r2, r2, #15
    add r1, r1, r4
    cmp r2, #0
    popeq {r4, pc}
    sub r3, r3, #1
    add r2, r1, r2
.Lneonsim_L142:
    ldrb ip, [r1], #1
    strb ip, [r3, #1]!
    cmp r1, r2
    bne .Lneonsim_L142
    pop {r4, pc}
.Lneonsim_L143:
    cmp r2, #0
    bxeq lr
    sub r3, r0, #1
    add r2, r1, r2
.Lneonsim_L153:
    ldrb ip, [r1], #1
    strb ip, [r3, #1]!
    cmp r1, r2
    bne .Lneonsim_L153
    bx lr

.text
memmove:
    sub r3, r0, r1
    str lr, [sp, #-4]!
    cmp r3, r2
    bcs .Lneonsim_L159
    tst r2, #15
    addne r3, r1, r2
    addne ip, r0, r2
    beq .Lneonsim_L167
.Lneonsim_L166:
    sub r2, r3, r1
    ldrb lr, [r3, #-1]!
    sub r2, r2, #1
    strb lr, [ip, #-1]!
    tst r2, #15
    bne .Lneonsim_L166
    cmp r2, #0
    ldreq pc, [sp], #4
.Lneonsim_L167:
    sub r2, r2, #16
    add ip, r1, r2
    add r3, r0, r2
    cmp r2, #0
    vld1.8 {d16-d17}, [ip]
    vst1.8 {d16-d17}, [r3]
    bne .Lneonsim_L167
    ldr pc, [sp], #4
.Lneonsim_L159:
    cmp r2, #15
    bls .Lneonsim_L168
    sub ip, r2, #16
    mov lr, r0
    bic ip, ip, #15
    add ip, ip, #16
    add r3, r1, ip
.Lneonsim_L163:
    vld1.8 {d16-d17}, [r1]!
    cmp r1, r3
    vst1.8 {d16-d17}, [lr]!
    bne .Lneonsim_L163
    add ip, r0, ip
    and r2, r2, #15
.Lneonsim_L162:
    cmp r2, #0
    ldreq pc, [sp], #4
    sub r1, ip, #1
    add r2, r3, r2
.Lneonsim_L165:
    ldrb ip, [r3], #1
    strb ip, [r1, #1]!
    cmp r2, r3
    bne .Lneonsim_L165
    ldr pc, [sp], #4
.Lneonsim_L168:
    mov ip, r0
    mov r3, r1
    b .Lneonsim_L162

.text
memset:
    vdup.8 q8, r1
    cmp r2, #15
    uxtb r1, r1
    bls .Lneonsim_L187
    sub r3, r2, #16
    mov ip, r0
    bic r3, r3, #15
    add r3, r3, #16
    add r3, r0, r3
.Lneonsim_L183:
    vst1.8 {d16-d17}, [ip]!
    cmp ip, r3
    bne .Lneonsim_L183
    and r2, r2, #15
    cmp r2, #0
    bxeq lr
.Lneonsim_L191:
    add r2, r3, r2
.Lneonsim_L185:
    strb r1, [r3], #1
    cmp r2, r3
    bne .Lneonsim_L185
    bx lr
.Lneonsim_L187:
    cmp r2, #0
    mov r3, r0
    bne .Lneonsim_L191
    bx lr

.text
memcmp:
    cmp r2, #0
    beq .Lneonsim_L198
    sub r2, r2, #1
    sub r3, r0, #1
    sub r1, r1, #1
    add ip, r0, r2
    b .Lneonsim_L195
.Lneonsim_L194:
    cmp r3, ip
    beq .Lneonsim_L198
.Lneonsim_L195:
    ldrb r0, [r3, #1]!
    ldrb r2, [r1, #1]!
    cmp r0, r2
    beq .Lneonsim_L194
    sub r0, r0, r2
    bx lr
.Lneonsim_L198:
    mov r0, #0
    bx lr

.text
bcmp:
    cmp r2, #0
    beq .Lneonsim_L205
    sub r2, r2, #1
    sub r3, r0, #1
    sub r1, r1, #1
    add ip, r0, r2
    b .Lneonsim_L202
.Lneonsim_L201:
    cmp r3, ip
    beq .Lneonsim_L205
.Lneonsim_L202:
    ldrb r0, [r3, #1]!
    ldrb r2, [r1, #1]!
    cmp r0, r2
    beq .Lneonsim_L201
    sub r0, r0, r2
    bx lr
.Lneonsim_L205:
    mov r0, #0
    bx lr

.text
strlen:
    ldrb r3, [r0]
    cmp r3, #0
    beq .Lneonsim_L209
    mov r3, r0
.Lneonsim_L208:
    ldrb r2, [r3, #1]!
    cmp r2, #0
    bne .Lneonsim_L208
    sub r0, r3, r0
    bx lr
.Lneonsim_L209:
    mov r0, r3
    bx lr

.text
strcmp:
    ldrb r3, [r0]
    cmp r3, #0
    ldrbeq r2, [r1]
    bne .Lneonsim_L214
    b .Lneonsim_L213
.Lneonsim_L215:
    ldrb r3, [r0, #1]!
    cmp r3, #0
    beq .Lneonsim_L217
.Lneonsim_L214:
    mov ip, r1
    ldrb r2, [r1], #1
    cmp r2, r3
    beq .Lneonsim_L215
.Lneonsim_L213:
    sub r0, r3, r2
    bx lr
.Lneonsim_L217:
    ldrb r2, [ip, #1]
    sub r0, r3, r2
    bx lr

.text
strcpy:
    sub r2, r0, #1
.Lneonsim_L219:
    ldrb r3, [r1], #1
    strb r3, [r2, #1]!
    cmp r3, #0
    bne .Lneonsim_L219
    bx lr

.text
sqrtf:
    vsqrt.f32 s0, s0
    bx lr

.text
sqrt:
    vsqrt.f64 d0, d0
    bx lr

.text
fmaf:
    vfma.f32 s2, s0, s1
    vmov.f32 s0, s2
    bx lr

.text
fma:
    vfma.f64 d2, d0, d1
    vmov.f64 d0, d2
    bx lr

.text
fabsf:
    vabs.f32 s0, s0
    bx lr

.text
fabs:
    vabs.f64 d0, d0
    bx lr

.text
floorf:
    vrintm.f32 s0, s0
    bx lr

.text
floor:
    vrintm.f64 d0, d0
    bx lr

.text
ceilf:
    vrintp.f32 s0, s0
    bx lr

.text
ceil:
    vrintp.f64 d0, d0
    bx lr

.text
truncf:
    vrintz.f32 s0, s0
    bx lr

.text
trunc:
    vrintz.f64 d0, d0
    bx lr

.text
rintf:
    vrintx.f32 s0, s0
    bx lr

.text
rint:
    vrintx.f64 d0, d0
    bx lr

.text
nearbyintf:
    vrintr.f32 s0, s0
    bx lr

.text
nearbyint:
    vrintr.f64 d0, d0
    bx lr

.text
roundf:
    vrinta.f32 s0, s0
    bx lr

.text
round:
    vrinta.f64 d0, d0
    bx lr

.text
copysignf:
    vmov r3, s0
    vmov r2, s1
    bic r3, r3, #-2147483648
    and r2, r2, #-2147483648
    orr r3, r3, r2
    vmov s0, r3
    bx lr

.text
copysign:
    vmov r3, s3
    push {r4, r5}
    vmov r4, r5, d0
    and ip, r3, #-2147483648
    bic r1, r5, #-2147483648
    mov r2, r4
    orr r3, r1, ip
    vmov d0, r2, r3
    pop {r4, r5}
    bx lr

.text
fminf:
    vminnm.f32 s0, s0, s1
    bx lr

.text
fmaxf:
    vmaxnm.f32 s0, s0, s1
    bx lr

.text
fmin:
    vminnm.f64 d0, d0, d1
    bx lr

.text
fmax:
    vmaxnm.f64 d0, d0, d1
    bx lr

.text
fmod:
    push {r4, r5, lr}
    vmov r2, s2
    vmov r5, s3
    vmov ip, s1
    mov r1, #0
    movt r1, 32752
    subs r3, r2, #1
    bic lr, r5, #-2147483648
    bic r0, ip, #-2147483648
    sbc r4, lr, #0
    cmp r0, r1
    cmpcc r4, r1
    bcc .Lneonsim_L248
    vmul.f64 d1, d0, d1
    vdiv.f64 d0, d1, d1
    pop {r4, r5, pc}
.Lneonsim_L248:
    vmov r3, s0
    cmp r3, r2
    sbcs r1, r0, lr
    popcc {r4, r5, pc}
    mov r4, r2
    lsr lr, lr, #20
    ubfx r5, r5, #0, #20
    lsrs r0, r0, #20
    ubfx r2, ip, #0, #20
    beq .Lneonsim_L267
    cmp lr, #0
    orr r2, r2, #1048576
    orrne r5, r5, #1048576
    bne .Lneonsim_L254
.Lneonsim_L252:
    mov lr, #1
.Lneonsim_L255:
    adds r4, r4, r4
    sub lr, lr, #1
    adc r1, r5, r5
    mov r5, r1
    lsrs r1, r5, #20
    beq .Lneonsim_L255
.Lneonsim_L254:
    cmp lr, r0
    bge .Lneonsim_L253
.Lneonsim_L257:
    cmp r3, r4
    sub r0, r0, #1
    sbcs r1, r2, r5
    bcc .Lneonsim_L256
    subs r3, r3, r4
    sbc r2, r2, r5
.Lneonsim_L256:
    adds r3, r3, r3
    adc r2, r2, r2
    cmp r0, lr
    bne .Lneonsim_L257
    cmp r3, r4
    sbcs r1, r2, r5
    bcc .Lneonsim_L259
.Lneonsim_L265:
    subs r4, r3, r4
    mov r3, r4
    sbc r2, r2, r5
.Lneonsim_L259:
    orrs r1, r3, r2
    bne .Lneonsim_L280
    b .Lneonsim_L260
.Lneonsim_L261:
    adds r3, r3, r3
    sub lr, lr, #1
    adc r2, r2, r2
.Lneonsim_L280:
    lsrs r1, r2, #20
    beq .Lneonsim_L261
.Lneonsim_L262:
    cmp lr, #0
    and ip, ip, #-2147483648
    rsble r4, lr, #1
    addle lr, lr, #31
    ubfxgt r0, r2, #0, #20
    movgt r1, r3
    lsrle r1, r3, r4
    orrgt r0, r0, lr, lsl #20
    lsrle r0, r2, r4
    suble r4, r4, #32
    orrle r1, r1, r2, lsl lr
    orr r3, ip, r0
    orrle r1, r1, r2, lsr r4
    mov r2, r1
    vmov d0, r2, r3
    pop {r4, r5, pc}
.Lneonsim_L267:
    mov r0, #1
.Lneonsim_L250:
    adds r3, r3, r3
    sub r0, r0, #1
    adc r2, r2, r2
    lsrs r1, r2, #20
    beq .Lneonsim_L250
    cmp lr, #0
    orrne r5, r5, #1048576
    beq .Lneonsim_L252
.Lneonsim_L253:
    cmp r3, r4
    mov lr, r0
    sbcs r1, r2, r5
    bcs .Lneonsim_L265
    b .Lneonsim_L262
.Lneonsim_L260:
    mov r2, #0
    and r3, ip, #-2147483648
    vmov d0, r2, r3
    pop {r4, r5, pc}

.text
.Lneonsim_nearest_rest:
    vcmp.f64 d1, #0
    push {r4, lr}
    vmov.f64 d6, d0
    vmov.f64 d7, d1
    mov r4, r0
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d1, d1
    moveq r3, #1
    movne r3, #0
    vmrs APSR_nzcv, FPSCR
    orrne r3, r3, #1
    cmp r3, #0
    bne .Lneonsim_L282
    vabs.f64 d16, d0
    vldr.64 d17, .Lneonsim_L319
    vcmpe.f64 d16, d17
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L282
    vabs.f64 d17, d1
    vldr.64 d18, .Lneonsim_L319+8
    vcmpe.f64 d17, d18
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L285
    vmov.f64 d1, #8.0e+0
    vmul.f64 d1, d17, d1
    bl fmod
    vabs.f64 d16, d0
.Lneonsim_L285:
    vldr.64 d18, .Lneonsim_L319+16
    vcmpe.f64 d17, d18
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L313
    vmov.f64 d18, #4.0e+0
    vmul.f64 d18, d17, d18
    vcmpe.f64 d18, d16
    vmrs APSR_nzcv, FPSCR
    bls .Lneonsim_L318
.Lneonsim_L313:
    mov r3, #0
.Lneonsim_L287:
    vldr.64 d18, .Lneonsim_L319+24
    vcmpe.f64 d17, d18
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L290
    vadd.f64 d18, d17, d17
    vcmpe.f64 d18, d16
    vmrs APSR_nzcv, FPSCR
    vsubls.f64 d16, d16, d18
    addls r3, r3, #2
.Lneonsim_L290:
    vldr.64 d18, .Lneonsim_L319+32
    vcmpe.f64 d17, d18
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L314
    vadd.f64 d18, d16, d16
    vcmpe.f64 d18, d17
    vmrs APSR_nzcv, FPSCR
    ble .Lneonsim_L296
    vsub.f64 d16, d16, d17
    vadd.f64 d18, d16, d16
    vcmpe.f64 d18, d17
    vmrs APSR_nzcv, FPSCR
    bge .Lneonsim_L298
.Lneonsim_L317:
    add r3, r3, #1
.Lneonsim_L296:
    vmov r2, s13
    vmov r1, s15
    and r2, r2, #-2147483648
    and r1, r1, #-2147483648
    cmp r2, r1
    rsbne r3, r3, #0
    cmp r2, #0
    vnegne.f64 d16, d16
    b .Lneonsim_L284
.Lneonsim_L282:
    vmul.f64 d6, d7, d6
    mov r3, #0
    vdiv.f64 d16, d6, d6
.Lneonsim_L284:
    vmov.f64 d0, d16
    str r3, [r4]
    pop {r4, pc}
.Lneonsim_L314:
    vmov.f64 d18, #5.0e-1
    vmul.f64 d18, d17, d18
    vcmpe.f64 d18, d16
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L296
    vsub.f64 d16, d16, d17
    vcmpe.f64 d18, d16
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L317
.Lneonsim_L298:
    add r3, r3, #2
    vsub.f64 d16, d16, d17
    and r3, r3, #7
    b .Lneonsim_L296
.Lneonsim_L318:
    vsub.f64 d16, d16, d18
    mov r3, #4
    b .Lneonsim_L287
.Lneonsim_L320:
    .align 3
.Lneonsim_L319:
    .word -1
    .word 2146435071
    .word 0
    .word 2143289344
    .word 0
    .word 2144337920
    .word 0
    .word 2145386496
    .word 0
    .word 2097152

.text
fmodf:
    vcvt.f64.f32 d1, s1
    push {r4, lr}
    vcvt.f64.f32 d0, s0
    bl fmod
    vcvt.f32.f64 s0, d0
    pop {r4, pc}

.text
nextafterf:
    vcmp.f32 s0, s0
    vmrs APSR_nzcv, FPSCR
    vcmp.f32 s1, s1
    movne r3, #1
    moveq r3, #0
    vmrs APSR_nzcv, FPSCR
    orrne r3, r3, #1
    cmp r3, #0
    bne .Lneonsim_L330
    vcmp.f32 s0, s1
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L329
    vcmp.f32 s0, #0
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L331
    vcmpe.f32 s0, s1
    vmov r3, s0
    vmrs APSR_nzcv, FPSCR
    vcmpe.f32 s0, #0
    movmi r1, #1
    movpl r1, #0
    vmrs APSR_nzcv, FPSCR
    movgt r2, #1
    movle r2, #0
    cmp r1, r2
    addeq r3, r3, #1
    subne r3, r3, #1
    vmov s0, r3
    bx lr
.Lneonsim_L329:
    vmov.f32 s0, s1
    bx lr
.Lneonsim_L330:
    vadd.f32 s0, s0, s1
    bx lr
.Lneonsim_L331:
    vmov r3, s1
    and r3, r3, #-2147483648
    orr r3, r3, #1
    vmov s0, r3
    bx lr

.text
scalbnf:
    movw r3, #65028
    movt r3, 65535
    cmp r0, r3
    movge r3, r0
    cmp r3, #508
    movge r3, #508
    cmp r0, #127
    ble .Lneonsim_L333
    vldr.32 s15, .Lneonsim_L339
.Lneonsim_L334:
    sub r3, r3, #127
    vmul.f32 s0, s0, s15
    cmp r3, #127
    bgt .Lneonsim_L334
.Lneonsim_L335:
    add r3, r3, #127
    lsl r3, r3, #23
    vmov s15, r3
    vmul.f32 s0, s0, s15
    bx lr
.Lneonsim_L333:
    cmn r0, #126
    bge .Lneonsim_L335
    vldr.32 s15, .Lneonsim_L339+4
.Lneonsim_L336:
    add r3, r3, #102
    vmul.f32 s0, s0, s15
    cmn r3, #126
    blt .Lneonsim_L336
    b .Lneonsim_L335
.Lneonsim_L340:
.Lneonsim_L339:
    .word 2130706432
    .word 209715200

.text
ldexpf:
    movw r3, #65028
    movt r3, 65535
    cmp r0, r3
    movge r3, r0
    cmp r3, #508
    movge r3, #508
    cmp r0, #127
    ble .Lneonsim_L342
    vldr.32 s15, .Lneonsim_L348
.Lneonsim_L343:
    sub r3, r3, #127
    vmul.f32 s0, s0, s15
    cmp r3, #127
    bgt .Lneonsim_L343
.Lneonsim_L344:
    add r3, r3, #127
    lsl r3, r3, #23
    vmov s15, r3
    vmul.f32 s0, s0, s15
    bx lr
.Lneonsim_L342:
    cmn r0, #126
    bge .Lneonsim_L344
    vldr.32 s15, .Lneonsim_L348+4
.Lneonsim_L345:
    add r3, r3, #102
    vmul.f32 s0, s0, s15
    cmn r3, #126
    blt .Lneonsim_L345
    b .Lneonsim_L344
.Lneonsim_L349:
.Lneonsim_L348:
    .word 2130706432
    .word 209715200

.text
scalblnf:
    movw r3, #31073
    movt r3, 65534
    cmp r0, r3
    movw r1, #34463
    movt r1, 1
    movge r3, r0
    cmp r3, r1
    movw r2, #65028
    movt r2, 65535
    movge r3, r1
    cmp r3, r2
    movlt r3, r2
    cmp r3, #508
    movge r3, #508
    cmp r0, #127
    ble .Lneonsim_L351
    vldr.32 s15, .Lneonsim_L357
.Lneonsim_L352:
    sub r3, r3, #127
    vmul.f32 s0, s0, s15
    cmp r3, #127
    bgt .Lneonsim_L352
.Lneonsim_L353:
    add r3, r3, #127
    lsl r3, r3, #23
    vmov s15, r3
    vmul.f32 s0, s0, s15
    bx lr
.Lneonsim_L351:
    cmn r0, #126
    bge .Lneonsim_L353
    vldr.32 s15, .Lneonsim_L357+4
.Lneonsim_L354:
    add r3, r3, #102
    vmul.f32 s0, s0, s15
    cmn r3, #126
    blt .Lneonsim_L354
    b .Lneonsim_L353
.Lneonsim_L358:
.Lneonsim_L357:
    .word 2130706432
    .word 209715200

.text
frexpf:
    vcmp.f32 s0, #0
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L360
    vabs.f32 s15, s0
    vldr.32 s14, .Lneonsim_L368
    vcmpe.f32 s15, s14
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L360
    vldr.32 s14, .Lneonsim_L368+4
    vcmpe.f32 s15, s14
    vmrs APSR_nzcv, FPSCR
    vldrmi.32 s15, .Lneonsim_L368+8
    movpl r1, #0
    mvnmi r1, #23
    vmulmi.f32 s0, s0, s15
    vmov r3, s0
    bic r2, r3, #2130706432
    ubfx r3, r3, #23, #8
    bic r2, r2, #8388608
    sub r3, r3, #126
    orr r2, r2, #1056964608
    add r3, r3, r1
    vmov s0, r2
    str r3, [r0]
    bx lr
.Lneonsim_L360:
    mov r3, #0
    vadd.f32 s0, s0, s0
    str r3, [r0]
    bx lr
.Lneonsim_L369:
.Lneonsim_L368:
    .word 2139095039
    .word 8388608
    .word 1266679808

.text
modff:
    vabs.f32 s13, s0
    vldr.32 s14, .Lneonsim_L376
    vrintz.f32 s15, s0
    vmov r3, s0
    vcmp.f32 s13, s14
    vstr.32 s15, [r0]
    and r3, r3, #-2147483648
    vmrs APSR_nzcv, FPSCR
    vsuble.f32 s15, s0, s15
    movgt r2, #0
    vmovle r2, s15
    bicle r2, r2, #-2147483648
    orr r3, r3, r2
    vmov s0, r3
    bx lr
.Lneonsim_L377:
.Lneonsim_L376:
    .word 2139095039

.text
ilogbf:
    vcmp.f32 s0, #0
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L383
    vabs.f32 s15, s0
    vldr.32 s14, .Lneonsim_L390
    vcmpe.f32 s15, s14
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L388
    vldr.32 s14, .Lneonsim_L390+4
    vcmpe.f32 s15, s14
    vmrs APSR_nzcv, FPSCR
    vldrmi.32 s15, .Lneonsim_L390+8
    movpl r0, #0
    mvnmi r0, #23
    vmulmi.f32 s0, s0, s15
    vmov r3, s0
    ubfx r3, r3, #23, #8
    add r0, r0, r3
    sub r0, r0, #127
    bx lr
.Lneonsim_L388:
    mvn r0, #-2147483648
    bx lr
.Lneonsim_L383:
    mov r0, #-2147483647
    bx lr
.Lneonsim_L391:
.Lneonsim_L390:
    .word 2139095039
    .word 8388608
    .word 1266679808

.text
logbf:
    vcmp.f32 s0, #0
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L393
    vmul.f32 s15, s0, s0
    vmov.f32 s14, #-1.0e+0
    vdiv.f32 s0, s14, s15
    bx lr
.Lneonsim_L393:
    vabs.f32 s15, s0
    vldr.32 s14, .Lneonsim_L401
    vcmpe.f32 s15, s14
    vmrs APSR_nzcv, FPSCR
    bls .Lneonsim_L395
    vmul.f32 s0, s0, s0
    bx lr
.Lneonsim_L395:
    vldr.32 s14, .Lneonsim_L401+4
    vcmpe.f32 s15, s14
    vmrs APSR_nzcv, FPSCR
    vldrmi.32 s15, .Lneonsim_L401+8
    movpl r2, #0
    mvnmi r2, #23
    vmulmi.f32 s0, s0, s15
    vmov r3, s0
    ubfx r3, r3, #23, #8
    add r3, r2, r3
    sub r3, r3, #127
    vmov s0, r3
    vcvt.f32.s32 s0, s0
    bx lr
.Lneonsim_L402:
.Lneonsim_L401:
    .word 2139095039
    .word 8388608
    .word 1266679808

.text
fdimf:
    vcmpe.f32 s0, s1
    vmrs APSR_nzcv, FPSCR
    vsubhi.f32 s0, s0, s1
    vldrls.32 s0, .Lneonsim_L406
    bx lr
.Lneonsim_L407:
.Lneonsim_L406:
    .word 0

.text
lrintf:
    vrintx.f32 s0, s0
    sub sp, sp, #8
    vstr.32 s0, [sp, #4]
    vldr.32 s15, [sp, #4]
    vcvt.s32.f32 s15, s15
    vmov r0, s15
    add sp, sp, #8
    bx lr

.text
lroundf:
    vrinta.f32 s0, s0
    sub sp, sp, #8
    vstr.32 s0, [sp, #4]
    vldr.32 s15, [sp, #4]
    vcvt.s32.f32 s15, s15
    vmov r0, s15
    add sp, sp, #8
    bx lr

.text
llrintf:
    str lr, [sp, #-4]!
    vrintx.f32 s0, s0
    sub sp, sp, #12
    vstr.32 s0, [sp, #4]
    ldr r0, [sp, #4]
    bl __aeabi_f2lz
    add sp, sp, #12
    ldr pc, [sp], #4

.text
llroundf:
    str lr, [sp, #-4]!
    vrinta.f32 s0, s0
    sub sp, sp, #12
    vstr.32 s0, [sp, #4]
    ldr r0, [sp, #4]
    bl __aeabi_f2lz
    add sp, sp, #12
    ldr pc, [sp], #4

.text
nextafter:
    vcmp.f64 d0, d0
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d1, d1
    movne r3, #1
    moveq r3, #0
    vmrs APSR_nzcv, FPSCR
    orrne r3, r3, #1
    cmp r3, #0
    bne .Lneonsim_L423
    vcmp.f64 d0, d1
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L422
    vcmp.f64 d0, #0
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L424
    vcmpe.f64 d0, d1
    vmov r1, s0
    vmov r0, s1
    vmrs APSR_nzcv, FPSCR
    vcmpe.f64 d0, #0
    movmi r2, #1
    movpl r2, #0
    vmrs APSR_nzcv, FPSCR
    movgt r3, #1
    movle r3, #0
    cmp r2, r3
    beq .Lneonsim_L425
    subs r2, r1, #1
    sbc r3, r0, #0
.Lneonsim_L421:
    vmov d0, r2, r3
    bx lr
.Lneonsim_L422:
    vmov.f64 d0, d1
    bx lr
.Lneonsim_L423:
    vadd.f64 d0, d0, d1
    bx lr
.Lneonsim_L425:
    adds r2, r1, #1
    adc r3, r0, #0
    b .Lneonsim_L421
.Lneonsim_L424:
    vmov r1, s3
    mov r2, #1
    and r3, r1, #-2147483648
    vmov d0, r2, r3
    bx lr

.text
scalbn:
    movw r3, #61444
    movt r3, 65535
    cmp r0, r3
    movw r2, #4092
    movge r3, r0
    cmp r3, r2
    movge r3, r2
    cmp r0, #1024
    blt .Lneonsim_L427
    vldr.64 d16, .Lneonsim_L433
.Lneonsim_L428:
    sub r3, r3, #1020
    vmul.f64 d0, d0, d16
    sub r3, r3, #3
    cmp r3, #1024
    bge .Lneonsim_L428
.Lneonsim_L429:
    add r3, r3, #1020
    mov r0, #0
    add r3, r3, #3
    lsl r1, r3, #20
    vmov d16, r0, r1
    vmul.f64 d0, d0, d16
    bx lr
.Lneonsim_L427:
    movw r2, #64514
    movt r2, 65535
    cmp r0, r2
    bge .Lneonsim_L429
    vldr.64 d16, .Lneonsim_L433+8
    movw r1, #969
.Lneonsim_L430:
    add r3, r3, r1
    vmul.f64 d0, d0, d16
    cmp r3, r2
    blt .Lneonsim_L430
    b .Lneonsim_L429
.Lneonsim_L434:
    .align 3
.Lneonsim_L433:
    .word 0
    .word 2145386496
    .word 0
    .word 56623104

.text
ldexp:
    movw r3, #61444
    movt r3, 65535
    cmp r0, r3
    movw r2, #4092
    movge r3, r0
    cmp r3, r2
    movge r3, r2
    cmp r0, #1024
    blt .Lneonsim_L436
    vldr.64 d16, .Lneonsim_L442
.Lneonsim_L437:
    sub r3, r3, #1020
    vmul.f64 d0, d0, d16
    sub r3, r3, #3
    cmp r3, #1024
    bge .Lneonsim_L437
.Lneonsim_L438:
    add r3, r3, #1020
    mov r0, #0
    add r3, r3, #3
    lsl r1, r3, #20
    vmov d16, r0, r1
    vmul.f64 d0, d0, d16
    bx lr
.Lneonsim_L436:
    movw r2, #64514
    movt r2, 65535
    cmp r0, r2
    bge .Lneonsim_L438
    vldr.64 d16, .Lneonsim_L442+8
    movw r1, #969
.Lneonsim_L439:
    add r3, r3, r1
    vmul.f64 d0, d0, d16
    cmp r3, r2
    blt .Lneonsim_L439
    b .Lneonsim_L438
.Lneonsim_L443:
    .align 3
.Lneonsim_L442:
    .word 0
    .word 2145386496
    .word 0
    .word 56623104

.text
scalbln:
    movw r3, #31073
    movt r3, 65534
    cmp r0, r3
    movw r2, #34463
    movt r2, 1
    movge r3, r0
    cmp r3, r2
    movw r1, #4092
    movge r3, r2
    movw r2, #61444
    movt r2, 65535
    cmp r3, r2
    movlt r3, r2
    cmp r3, r1
    movge r3, r1
    cmp r0, #1024
    blt .Lneonsim_L445
    vldr.64 d16, .Lneonsim_L451
.Lneonsim_L446:
    sub r3, r3, #1020
    vmul.f64 d0, d0, d16
    sub r3, r3, #3
    cmp r3, #1024
    bge .Lneonsim_L446
.Lneonsim_L447:
    add r3, r3, #1020
    mov r0, #0
    add r3, r3, #3
    lsl r1, r3, #20
    vmov d16, r0, r1
    vmul.f64 d0, d0, d16
    bx lr
.Lneonsim_L445:
    movw r2, #64514
    movt r2, 65535
    cmp r0, r2
    bge .Lneonsim_L447
    vldr.64 d16, .Lneonsim_L451+8
    movw r1, #969
.Lneonsim_L448:
    add r3, r3, r1
    vmul.f64 d0, d0, d16
    cmp r3, r2
    blt .Lneonsim_L448
    b .Lneonsim_L447
.Lneonsim_L452:
    .align 3
.Lneonsim_L451:
    .word 0
    .word 2145386496
    .word 0
    .word 56623104

.text
frexp:
    vcmp.f64 d0, #0
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L454
    vabs.f64 d16, d0
    vldr.64 d17, .Lneonsim_L462
    vcmpe.f64 d16, d17
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L454
    vldr.64 d17, .Lneonsim_L462+8
    vcmpe.f64 d16, d17
    vmrs APSR_nzcv, FPSCR
    vldrmi.64 d16, .Lneonsim_L462+16
    movpl r1, #0
    mvnmi r1, #52
    vmulmi.f64 d0, d0, d16
    vmov ip, s1
    vmov r3, s0
    ubfx r2, ip, #20, #11
    bic ip, ip, #2130706432
    sub r2, r2, #1020
    bic ip, ip, #15728640
    sub r2, r2, #2
    add r2, r2, r1
    orr r1, ip, #1069547520
    orr r1, r1, #2097152
    str r2, [r0]
    mov r0, r3
    vmov d0, r0, r1
    bx lr
.Lneonsim_L454:
    mov r3, #0
    vadd.f64 d0, d0, d0
    str r3, [r0]
    bx lr
.Lneonsim_L463:
    .align 3
.Lneonsim_L462:
    .word -1
    .word 2146435071
    .word 0
    .word 1048576
    .word 0
    .word 1128267776

.text
modf:
    vabs.f64 d18, d0
    vldr.64 d17, .Lneonsim_L470
    vrintz.f64 d16, d0
    vmov ip, s1
    vcmp.f64 d18, d17
    vstr.64 d16, [r0]
    and ip, ip, #-2147483648
    vmrs APSR_nzcv, FPSCR
    vsuble.f64 d16, d0, d16
    movgt r1, #0
    movgt r0, r1
    vmovle r2, r3, d16
    movle r1, r2
    bicle r0, r3, #-2147483648
    mov r2, r1
    orr r3, ip, r0
    vmov d0, r2, r3
    bx lr
.Lneonsim_L471:
    .align 3
.Lneonsim_L470:
    .word -1
    .word 2146435071

.text
ilogb:
    vcmp.f64 d0, #0
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L477
    vabs.f64 d16, d0
    vldr.64 d17, .Lneonsim_L484
    vcmpe.f64 d16, d17
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L482
    vldr.64 d17, .Lneonsim_L484+8
    vcmpe.f64 d16, d17
    vmrs APSR_nzcv, FPSCR
    vldrmi.64 d16, .Lneonsim_L484+16
    movpl r0, #0
    mvnmi r0, #52
    vmulmi.f64 d0, d0, d16
    vmov r3, s1
    ubfx r3, r3, #20, #11
    add r0, r0, r3
    sub r0, r0, #1020
    sub r0, r0, #3
    bx lr
.Lneonsim_L482:
    mvn r0, #-2147483648
    bx lr
.Lneonsim_L477:
    mov r0, #-2147483647
    bx lr
.Lneonsim_L485:
    .align 3
.Lneonsim_L484:
    .word -1
    .word 2146435071
    .word 0
    .word 1048576
    .word 0
    .word 1128267776

.text
logb:
    vcmp.f64 d0, #0
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L487
    vmul.f64 d16, d0, d0
    vmov.f64 d17, #-1.0e+0
    vdiv.f64 d0, d17, d16
    bx lr
.Lneonsim_L487:
    vabs.f64 d16, d0
    vldr.64 d17, .Lneonsim_L495
    vcmpe.f64 d16, d17
    vmrs APSR_nzcv, FPSCR
    bls .Lneonsim_L489
    vmul.f64 d0, d0, d0
    bx lr
.Lneonsim_L489:
    vldr.64 d17, .Lneonsim_L495+8
    vcmpe.f64 d16, d17
    vmrs APSR_nzcv, FPSCR
    vldrmi.64 d16, .Lneonsim_L495+16
    movpl r3, #0
    mvnmi r3, #52
    vmulmi.f64 d0, d0, d16
    vmov r2, s1
    ubfx r2, r2, #20, #11
    add r3, r3, r2
    sub r3, r3, #1020
    sub r3, r3, #3
    vmov s15, r3
    vcvt.f64.s32 d0, s15
    bx lr
.Lneonsim_L496:
    .align 3
.Lneonsim_L495:
    .word -1
    .word 2146435071
    .word 0
    .word 1048576
    .word 0
    .word 1128267776

.text
fdim:
    vcmpe.f64 d0, d1
    vmrs APSR_nzcv, FPSCR
    vsubhi.f64 d0, d0, d1
    vldrls.64 d0, .Lneonsim_L500
    bx lr
.Lneonsim_L501:
    .align 3
.Lneonsim_L500:
    .word 0
    .word 0

.text
lrint:
    vrintx.f64 d0, d0
    sub sp, sp, #8
    vstr.64 d0, [sp]
    vldr.64 d16, [sp]
    vcvt.s32.f64 s15, d16
    vmov r0, s15
    add sp, sp, #8
    bx lr

.text
lround:
    vrinta.f64 d0, d0
    sub sp, sp, #8
    vstr.64 d0, [sp]
    vldr.64 d16, [sp]
    vcvt.s32.f64 s15, d16
    vmov r0, s15
    add sp, sp, #8
    bx lr

.text
llrint:
    str lr, [sp, #-4]!
    vrintx.f64 d0, d0
    sub sp, sp, #12
    vstr.64 d0, [sp]
    ldrd r0, [sp]
    bl __aeabi_d2lz
    add sp, sp, #12
    ldr pc, [sp], #4

.text
llround:
    str lr, [sp, #-4]!
    vrinta.f64 d0, d0
    sub sp, sp, #12
    vstr.64 d0, [sp]
    ldrd r0, [sp]
    bl __aeabi_d2lz
    add sp, sp, #12
    ldr pc, [sp], #4

.text
remainder:
    str lr, [sp, #-4]!
    sub sp, sp, #12
    add r0, sp, #4
    bl .Lneonsim_nearest_rest
    add sp, sp, #12
    ldr pc, [sp], #4

.text
remainderf:
    str lr, [sp, #-4]!
    vcvt.f64.f32 d1, s1
    vcvt.f64.f32 d0, s0
    sub sp, sp, #12
    add r0, sp, #4
    bl .Lneonsim_nearest_rest
    vcvt.f32.f64 s0, d0
    add sp, sp, #12
    ldr pc, [sp], #4

.text
exp:
    vldr.64 d17, .Lneonsim_L523
    vmov.f64 d16, d0
    vcmpe.f64 d0, d17
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L522
    vldr.64 d17, .Lneonsim_L523+8
    vcmpe.f64 d0, d17
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L520
    vmov.i64 d1, #0
    b .Lneonsim_exponential
.Lneonsim_L520:
    vmov.i64 d0, #0
    bx lr
.Lneonsim_L522:
    vcmp.f64 d0, d0
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L516
    vldr.64 d17, .Lneonsim_L523+16
    vcmpe.f64 d0, d17
    vmrs APSR_nzcv, FPSCR
    bgt .Lneonsim_L516
    vldr.64 d0, .Lneonsim_L523+24
    vadd.f64 d0, d0, d0
    bx lr
.Lneonsim_L516:
    vadd.f64 d0, d16, d16
    bx lr
.Lneonsim_L524:
    .align 3
.Lneonsim_L523:
    .word 0
    .word 1082535936
    .word 0
    .word -1064873984
    .word -2048145248
    .word 2145504499
    .word 0
    .word 2145386496

.text
expf:
    vldr.32 s15, .Lneonsim_L538
    vcmpe.f32 s0, s15
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L537
    vldr.32 s15, .Lneonsim_L538+4
    vcmpe.f32 s0, s15
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L531
    vmov.i64 d1, #0
    push {r4, lr}
    vcvt.f64.f32 d0, s0
    bl .Lneonsim_exponential
    vcvt.f32.f64 s0, d0
    pop {r4, pc}
.Lneonsim_L531:
    vldr.32 s0, .Lneonsim_L538+8
    bx lr
.Lneonsim_L537:
    vcmp.f32 s0, s0
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L527
    vldr.32 s15, .Lneonsim_L538+12
    vcmpe.f32 s0, s15
    vmrs APSR_nzcv, FPSCR
    bgt .Lneonsim_L527
    vldr.32 s0, .Lneonsim_L538+16
    bx lr
.Lneonsim_L527:
    vadd.f32 s0, s0, s0
    bx lr
.Lneonsim_L539:
.Lneonsim_L538:
    .word 1118961664
    .word -1026555904
    .word 0
    .word 2139095039
    .word 2139095040

.text
exp2f:
    vldr.32 s15, .Lneonsim_L553+16
    vcmpe.f32 s0, s15
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L552
    vldr.32 s15, .Lneonsim_L553+20
    vcmpe.f32 s0, s15
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L546
    vcvt.f64.f32 d0, s0
    vldr.64 d16, .Lneonsim_L553
    vldr.64 d17, .Lneonsim_L553+8
    vmov.i64 d1, #0
    push {r4, lr}
    mov r0, #0
    vadd.f64 d30, d0, d16
    vsub.f64 d30, d30, d16
    vcvt.s32.f64 s15, d30
    vsub.f64 d0, d0, d30
    vmul.f64 d0, d0, d17
    vmov r3, s15
    bl .Lneonsim_series_of_exp
    vmov.f64 d16, #1.0e+0
    vadd.f64 d0, d0, d16
    add r3, r3, #1020
    add r3, r3, #3
    lsl r1, r3, #20
    vmov d16, r0, r1
    vmul.f64 d0, d0, d16
    vcvt.f32.f64 s0, d0
    pop {r4, pc}
.Lneonsim_L546:
    vldr.32 s0, .Lneonsim_L553+24
    bx lr
.Lneonsim_L552:
    vcmp.f32 s0, s0
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L542
    vldr.32 s15, .Lneonsim_L553+28
    vcmpe.f32 s0, s15
    vmrs APSR_nzcv, FPSCR
    bgt .Lneonsim_L542
    vldr.32 s0, .Lneonsim_L553+32
    bx lr
.Lneonsim_L542:
    vadd.f32 s0, s0, s0
    bx lr
.Lneonsim_L554:
    .align 3
.Lneonsim_L553:
    .word 0
    .word 1127743488
    .word -17155601
    .word 1072049730
    .word 1124073472
    .word -1021902848
    .word 0
    .word 2139095039
    .word 2139095040

.text
log:
    vcmpe.f64 d0, #0
    vmov.f64 d16, d0
    vmrs APSR_nzcv, FPSCR
    ble .Lneonsim_L556
    vldr.64 d17, .Lneonsim_L561
    vcmpe.f64 d0, d17
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L556
    b .Lneonsim_logarithm
.Lneonsim_L556:
    vmov.f64 d0, d16
    b .Lneonsim_log_of_odd
.Lneonsim_L562:
    .align 3
.Lneonsim_L561:
    .word -1
    .word 2146435071

.text
logf:
    vcmpe.f32 s0, #0
    vmov.f32 s15, s0
    push {r4, lr}
    vcvt.f64.f32 d0, s0
    vmrs APSR_nzcv, FPSCR
    ble .Lneonsim_L564
    vldr.32 s14, .Lneonsim_L572
    vcmpe.f32 s15, s14
    vmrs APSR_nzcv, FPSCR
    bls .Lneonsim_L571
.Lneonsim_L564:
    bl .Lneonsim_log_of_odd
    vcvt.f32.f64 s0, d0
    pop {r4, pc}
.Lneonsim_L571:
    bl .Lneonsim_logarithm
    vcvt.f32.f64 s0, d0
    pop {r4, pc}
.Lneonsim_L573:
.Lneonsim_L572:
    .word 2139095039

.text
log2f:
    vcmpe.f32 s0, #0
    vmov.f32 s15, s0
    push {r4, lr}
    vcvt.f64.f32 d0, s0
    vmrs APSR_nzcv, FPSCR
    ble .Lneonsim_L575
    vldr.32 s14, .Lneonsim_L586+32
    vcmpe.f32 s15, s14
    vmrs APSR_nzcv, FPSCR
    bls .Lneonsim_L577
.Lneonsim_L575:
    bl .Lneonsim_log_of_odd
    vcvt.f32.f64 s0, d0
    pop {r4, pc}
.Lneonsim_L577:
    vldr.64 d16, .Lneonsim_L586
    movw r1, #15309
    movt r1, 26239
    vmov.f64 d17, #2.0e+0
    vcmpe.f64 d0, d16
    vmrs APSR_nzcv, FPSCR
    vldrmi.64 d16, .Lneonsim_L586+8
    movmi r0, #54
    movpl r0, #0
    vmulmi.f64 d0, d0, d16
    vmov.f64 d16, #1.0e+0
    vmov r2, s0
    vmov r3, s1
    cmp r2, r1
    ubfx lr, r3, #0, #20
    movw r1, #41118
    movt r1, 6
    lsr r3, r3, #20
    sbcs r1, lr, r1
    sub r3, r3, #1020
    movcs ip, #1
    movcc ip, #0
    sub r3, r3, #3
    add r3, r3, ip
    rsb ip, ip, #1020
    add ip, ip, #3
    sub r3, r3, r0
    mov r0, r2
    vmov s15, r3
    orr r1, lr, ip, lsl #20
    vmov d18, r0, r1
    vsub.f64 d16, d18, d16
    vadd.f64 d17, d16, d17
    vdiv.f64 d26, d16, d17
    vmul.f64 d27, d26, d26
    vmov.f64 d0, d27
    bl .Lneonsim_rest_of_log
    vldr.64 d19, .Lneonsim_L586+16
    vadd.f64 d17, d26, d26
    vldr.64 d18, .Lneonsim_L586+24
    vcvt.f64.s32 d16, s15
    vfma.f64 d0, d27, d19
    vfma.f64 d17, d26, d0
    vfma.f64 d16, d17, d18
    vcvt.f32.f64 s0, d16
    pop {r4, pc}
.Lneonsim_L587:
    .align 3
.Lneonsim_L586:
    .word 0
    .word 1048576
    .word 0
    .word 1129316352
    .word 1431655765
    .word 1071994197
    .word 1697350398
    .word 1073157447
    .word 2139095039

.text
log10f:
    vcmpe.f32 s0, #0
    vmov.f32 s15, s0
    push {r4, lr}
    vcvt.f64.f32 d0, s0
    vmrs APSR_nzcv, FPSCR
    ble .Lneonsim_L589
    vldr.32 s14, .Lneonsim_L597+8
    vcmpe.f32 s15, s14
    vmrs APSR_nzcv, FPSCR
    bls .Lneonsim_L596
.Lneonsim_L589:
    bl .Lneonsim_log_of_odd
    vcvt.f32.f64 s0, d0
    pop {r4, pc}
.Lneonsim_L596:
    bl .Lneonsim_logarithm
    vldr.64 d16, .Lneonsim_L597
    vmul.f64 d0, d0, d16
    vcvt.f32.f64 s0, d0
    pop {r4, pc}
.Lneonsim_L598:
    .align 3
.Lneonsim_L597:
    .word 354870542
    .word 1071369083
    .word 2139095039

.text
pow:
    str lr, [sp, #-4]!
    vpush.64 {d8, d9}
    sub sp, sp, #20
    add r1, sp, #8
    mov r0, sp
    vmov.f64 d9, d0
    vmov.f64 d8, d1
    bl .Lneonsim_odd_power
    cmp r0, #0
    vldrne.64 d0, [sp]
    bne .Lneonsim_L599
    vabs.f64 d9, d9
    vldr.64 d16, .Lneonsim_L623
    movw r1, #15309
    movt r1, 26239
    vmov.f64 d17, #2.0e+0
    vldr.64 d24, .Lneonsim_L623+8
    vldr.64 d22, .Lneonsim_L623+16
    vcmpe.f64 d9, d16
    vmrs APSR_nzcv, FPSCR
    vldrmi.64 d16, .Lneonsim_L623+24
    movmi r0, #54
    vmulmi.f64 d9, d9, d16
    vmov.f64 d16, #1.0e+0
    vmov r3, s19
    vmov r2, s18
    ubfx lr, r3, #0, #20
    cmp r2, r1
    lsr r3, r3, #20
    movw r1, #41118
    movt r1, 6
    sub r3, r3, #1020
    sbcs r1, lr, r1
    sub r3, r3, #3
    movcs ip, #1
    movcc ip, #0
    add r3, r3, ip
    rsb ip, ip, #1020
    add ip, ip, #3
    sub r3, r3, r0
    mov r0, r2
    vmov s15, r3
    orr r1, lr, ip, lsl #20
    vmov d18, r0, r1
    vsub.f64 d16, d18, d16
    vadd.f64 d20, d16, d17
    vdiv.f64 d30, d16, d20
    vsub.f64 d17, d20, d17
    vsub.f64 d17, d16, d17
    vfms.f64 d16, d30, d20
    vmul.f64 d19, d30, d24
    vmul.f64 d21, d30, d30
    vadd.f64 d29, d30, d30
    vmls.f64 d16, d17, d30
    vmov.f64 d18, d19
    vfnms.f64 d18, d30, d24
    vmov.f64 d23, d21
    vfnms.f64 d23, d30, d30
    vmul.f64 d28, d21, d19
    vmov.f64 d0, d21
    vmov.f64 d26, d28
    vfnms.f64 d26, d21, d19
    vdiv.f64 d27, d16, d20
    vmov.f64 d16, d18
    vmla.f64 d23, d27, d29
    vmla.f64 d16, d27, d24
    vadd.f64 d27, d27, d27
    vmla.f64 d16, d30, d22
    vmla.f64 d26, d23, d19
    vmla.f64 d26, d16, d21
    bl .Lneonsim_rest_of_log
    vcvt.f64.s32 d19, s15
    vldr.64 d17, .Lneonsim_L623+32
    cmp r3, #0
    vmul.f64 d0, d30, d0
    vldr.64 d20, .Lneonsim_L623+40
    vldr.64 d31, [sp, #8]
    vmul.f64 d16, d19, d17
    vmov.f64 d18, d16
    vfnms.f64 d18, d19, d17
    vadd.f64 d17, d29, d16
    vldreq.64 d29, .Lneonsim_L623+48
    vsubne.f64 d16, d17, d16
    vmla.f64 d18, d19, d20
    vadd.f64 d19, d28, d17
    vldr.64 d20, .Lneonsim_L623+56
    vsubne.f64 d29, d29, d16
    vadd.f64 d16, d26, d0
    vsub.f64 d17, d19, d17
    vadd.f64 d16, d16, d27
    vsub.f64 d28, d28, d17
    vadd.f64 d16, d16, d18
    vadd.f64 d16, d16, d28
    vadd.f64 d16, d16, d29
    vadd.f64 d17, d19, d16
    vmul.f64 d0, d8, d17
    vcmpe.f64 d0, d20
    vmrs APSR_nzcv, FPSCR
    bgt .Lneonsim_L620
    vldr.64 d18, .Lneonsim_L623+64
    vcmpe.f64 d0, d18
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L621
    vabs.f64 d18, d0
    vldr.64 d20, .Lneonsim_L623+72
    vcmpe.f64 d18, d20
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L622
    vsub.f64 d19, d17, d19
    vmov.f64 d1, d0
    vfnms.f64 d1, d8, d17
    vsub.f64 d16, d16, d19
    vmla.f64 d1, d16, d8
    bl .Lneonsim_exponential
    vmul.f64 d0, d0, d31
.Lneonsim_L599:
    add sp, sp, #20
    vldm sp!, {d8-d9}
    ldr pc, [sp], #4
.Lneonsim_L620:
    vldr.64 d0, .Lneonsim_L623+80
    vmul.f64 d0, d31, d0
    vadd.f64 d0, d0, d0
    add sp, sp, #20
    vldm sp!, {d8-d9}
    ldr pc, [sp], #4
.Lneonsim_L622:
    vmov.f64 d16, #1.0e+0
    vadd.f64 d0, d0, d16
    vmul.f64 d0, d0, d31
    b .Lneonsim_L599
.Lneonsim_L621:
    vldr.64 d16, .Lneonsim_L623+88
    vmul.f64 d0, d31, d16
    vmul.f64 d0, d0, d16
    add sp, sp, #20
    vldm sp!, {d8-d9}
    ldr pc, [sp], #4
.Lneonsim_L624:
    .align 3
.Lneonsim_L623:
    .word 0
    .word 1048576
    .word 1431655765
    .word 1071994197
    .word 1431655765
    .word 1015371093
    .word 0
    .word 1129316352
    .word -17155601
    .word 1072049730
    .word 993624127
    .word 1014676638
    .word 0
    .word 0
    .word 0
    .word 1082535936
    .word 0
    .word -1064873984
    .word 0
    .word 1009778688
    .word 0
    .word 2145386496
    .word 0
    .word 24117248

.text
powf:
    str lr, [sp, #-4]!
    vpush.64 {d8, d9}
    vcvt.f64.f32 d8, s1
    sub sp, sp, #20
    vmov.f32 s18, s0
    add r1, sp, #8
    vcvt.f64.f32 d0, s0
    mov r0, sp
    vmov.f64 d1, d8
    bl .Lneonsim_odd_power
    cmp r0, #0
    bne .Lneonsim_L637
    vabs.f32 s0, s18
    vcvt.f64.f32 d0, s0
    bl .Lneonsim_logarithm
    vmul.f64 d0, d8, d0
    vldr.64 d16, .Lneonsim_L640
    vldr.64 d31, [sp, #8]
    vcmpe.f64 d0, d16
    vmrs APSR_nzcv, FPSCR
    bgt .Lneonsim_L638
    vldr.64 d16, .Lneonsim_L640+8
    vcmpe.f64 d0, d16
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L639
    vmov.i64 d1, #0
    bl .Lneonsim_exponential
    vmul.f64 d0, d0, d31
    vcvt.f32.f64 s0, d0
    add sp, sp, #20
    vldm sp!, {d8-d9}
    ldr pc, [sp], #4
.Lneonsim_L638:
    vldr.64 d16, .Lneonsim_L640+16
    vmul.f64 d31, d31, d16
    vcvt.f32.f64 s0, d31
    add sp, sp, #20
    vldm sp!, {d8-d9}
    ldr pc, [sp], #4
.Lneonsim_L637:
    vldr.64 d0, [sp]
    vcvt.f32.f64 s0, d0
    add sp, sp, #20
    vldm sp!, {d8-d9}
    ldr pc, [sp], #4
.Lneonsim_L639:
    vldr.64 d16, .Lneonsim_L640+24
    vmul.f64 d31, d31, d16
    vcvt.f32.f64 s0, d31
    add sp, sp, #20
    vldm sp!, {d8-d9}
    ldr pc, [sp], #4
.Lneonsim_L641:
    .align 3
.Lneonsim_L640:
    .word 0
    .word 1082535936
    .word 0
    .word -1064873984
    .word 0
    .word 2121269248
    .word 0
    .word 24117248

.text
tanh:
    vcmp.f64 d0, d0
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L654
    vabs.f64 d16, d0
    vldr.64 d17, .Lneonsim_L656
    vcmpe.f64 d16, d17
    vmrs APSR_nzcv, FPSCR
    bxmi lr
    vmov.f64 d17, #2.2e+1
    vmov r3, s1
    push {r4, lr}
    mov r1, #0
    vcmpe.f64 d16, d17
    and r4, r3, #-2147483648
    vmrs APSR_nzcv, FPSCR
    bgt .Lneonsim_L655
    vadd.f64 d0, d16, d16
    bl .Lneonsim_exponential_less_one
    vmov.f64 d16, #2.0e+0
    vadd.f64 d16, d0, d16
    vdiv.f64 d16, d0, d16
    vmov r2, r3, d16
    bic r1, r3, #-2147483648
    orr r3, r1, r4
    vmov d0, r2, r3
    pop {r4, pc}
.Lneonsim_L654:
    vadd.f64 d0, d0, d0
    bx lr
.Lneonsim_L655:
    orr r3, r4, #1069547520
    mov r2, r1
    orr r3, r3, #3145728
    vmov d0, r2, r3
    pop {r4, pc}
.Lneonsim_L657:
    .align 3
.Lneonsim_L656:
    .word 0
    .word 1043333120

.text
tanhf:
    vcmp.f32 s0, s0
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L671
    vcvt.f64.f32 d7, s0
    vldr.64 d17, .Lneonsim_L673
    vabs.f64 d16, d7
    vcmpe.f64 d16, d17
    vmrs APSR_nzcv, FPSCR
    bxmi lr
    vmov.f64 d17, #2.2e+1
    vmov r3, s15
    push {r4, lr}
    mov r1, #0
    vcmpe.f64 d16, d17
    and r4, r3, #-2147483648
    vmrs APSR_nzcv, FPSCR
    bgt .Lneonsim_L672
    vadd.f64 d0, d16, d16
    bl .Lneonsim_exponential_less_one
    vmov.f64 d16, #2.0e+0
    vadd.f64 d16, d0, d16
    vdiv.f64 d16, d0, d16
    vmov r2, r3, d16
    bic r1, r3, #-2147483648
    orr r3, r1, r4
    vmov d16, r2, r3
    vcvt.f32.f64 s0, d16
    pop {r4, pc}
.Lneonsim_L671:
    vadd.f32 s0, s0, s0
    bx lr
.Lneonsim_L672:
    orr r3, r4, #1069547520
    mov r2, r1
    orr r3, r3, #3145728
    vmov d16, r2, r3
    vcvt.f32.f64 s0, d16
    pop {r4, pc}
.Lneonsim_L674:
    .align 3
.Lneonsim_L673:
    .word 0
    .word 1043333120

.text
sin:
    vabs.f64 d17, d0
    vldr.64 d18, .Lneonsim_L684
    vcmpe.f64 d17, d18
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L683
    vldr.64 d18, .Lneonsim_L684+8
    vcmpe.f64 d17, d18
    vmrs APSR_nzcv, FPSCR
    bxmi lr
    str lr, [sp, #-4]!
    sub sp, sp, #20
    mov r0, sp
    bl .Lneonsim_reduced
    mov r1, sp
    bl .Lneonsim_turned
    add sp, sp, #20
    ldr pc, [sp], #4
.Lneonsim_L683:
    vsub.f64 d0, d0, d0
    bx lr
.Lneonsim_L685:
    .align 3
.Lneonsim_L684:
    .word -1
    .word 2146435071
    .word 0
    .word 1044381696

.text
cos:
    vabs.f64 d18, d0
    vldr.64 d17, .Lneonsim_L692
    vcmpe.f64 d18, d17
    vmrs APSR_nzcv, FPSCR
    bls .Lneonsim_L687
    vsub.f64 d0, d0, d0
    bx lr
.Lneonsim_L687:
    str lr, [sp, #-4]!
    sub sp, sp, #20
    mov r0, sp
    bl .Lneonsim_reduced
    mov r1, sp
    add r0, r0, #1
    bl .Lneonsim_turned
    add sp, sp, #20
    ldr pc, [sp], #4
.Lneonsim_L693:
    .align 3
.Lneonsim_L692:
    .word -1
    .word 2146435071

.text
sinf:
    vabs.f32 s14, s0
    vldr.32 s15, .Lneonsim_L705+16
    vcmpe.f32 s14, s15
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L704
    vcvt.f64.f32 d17, s0
    vldr.64 d18, .Lneonsim_L705
    vabs.f64 d16, d17
    vcmpe.f64 d16, d18
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L704
    vldr.64 d18, .Lneonsim_L705+8
    vcmpe.f64 d16, d18
    vmrs APSR_nzcv, FPSCR
    bxmi lr
    str lr, [sp, #-4]!
    vmov.f64 d0, d17
    sub sp, sp, #20
    mov r0, sp
    bl .Lneonsim_reduced
    mov r1, sp
    bl .Lneonsim_turned
    vcvt.f32.f64 s0, d0
    add sp, sp, #20
    ldr pc, [sp], #4
.Lneonsim_L704:
    vsub.f32 s0, s0, s0
    bx lr
.Lneonsim_L706:
    .align 3
.Lneonsim_L705:
    .word -1
    .word 2146435071
    .word 0
    .word 1044381696
    .word 2139095039

.text
cosf:
    vabs.f32 s14, s0
    vldr.32 s15, .Lneonsim_L716+8
    vcmpe.f32 s14, s15
    vmrs APSR_nzcv, FPSCR
    bls .Lneonsim_L708
    vsub.f32 s0, s0, s0
    bx lr
.Lneonsim_L708:
    vcvt.f64.f32 d0, s0
    vldr.64 d16, .Lneonsim_L716
    vabs.f64 d17, d0
    vcmpe.f64 d17, d16
    vmrs APSR_nzcv, FPSCR
    bls .Lneonsim_L710
    vsub.f64 d0, d0, d0
    vcvt.f32.f64 s0, d0
    bx lr
.Lneonsim_L710:
    str lr, [sp, #-4]!
    sub sp, sp, #20
    mov r0, sp
    bl .Lneonsim_reduced
    mov r1, sp
    add r0, r0, #1
    bl .Lneonsim_turned
    vcvt.f32.f64 s0, d0
    add sp, sp, #20
    ldr pc, [sp], #4
.Lneonsim_L717:
    .align 3
.Lneonsim_L716:
    .word -1
    .word 2146435071
    .word 2139095039

.text
tanf:
    vabs.f32 s15, s0
    vldr.32 s14, .Lneonsim_L727
    vcmpe.f32 s15, s14
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L726
    vldr.32 s14, .Lneonsim_L727+4
    vcmpe.f32 s15, s14
    vmrs APSR_nzcv, FPSCR
    bxmi lr
    str lr, [sp, #-4]!
    vcvt.f64.f32 d0, s0
    sub sp, sp, #20
    mov r0, sp
    bl .Lneonsim_reduced
    mov r1, sp
    bl .Lneonsim_turned
    vmov.f64 d28, d0
    add r0, r0, #1
    bl .Lneonsim_turned
    vdiv.f64 d16, d28, d0
    vcvt.f32.f64 s0, d16
    add sp, sp, #20
    ldr pc, [sp], #4
.Lneonsim_L726:
    vsub.f32 s0, s0, s0
    bx lr
.Lneonsim_L728:
.Lneonsim_L727:
    .word 2139095039
    .word 956301312

.text
__popcountsi2:
    movw r3, #21845
    movt r3, 21845
    and r3, r3, r0, lsr #1
    movw ip, #13107
    movt ip, 13107
    subs r0, r0, r3
    sbc r1, r1, r1
    and r2, r0, ip
    lsr r3, r0, #2
    and r0, r1, ip
    orr r3, r3, r1, lsl #30
    and r1, ip, r1, lsr #2
    and r3, r3, ip
    movw ip, #3855
    movt ip, 3855
    adds r2, r2, r3
    adc r0, r0, r1
    lsr r3, r2, #4
    orr r3, r3, r0, lsl #28
    adds r3, r3, r2
    and r3, r3, ip
    adc r0, r0, r0, lsr #4
    and r0, r0, ip
    lsr r2, r3, #8
    orr r2, r2, r0, lsl #24
    adds r3, r3, r2
    adc r0, r0, r0, lsr #8
    lsr r2, r3, #16
    orr r2, r2, r0, lsl #16
    adds r3, r3, r2
    adc r0, r0, r0, lsr #16
    add r0, r0, r3
    and r0, r0, #127
    bx lr

.text
__popcountdi2:
    lsr r3, r0, #1
    movw r2, #21845
    movt r2, 21845
    orr r3, r3, r1, lsl #31
    and r3, r3, r2
    str lr, [sp, #-4]!
    subs r0, r0, r3
    and lr, r2, r1, lsr #1
    movw ip, #13107
    movt ip, 13107
    sbc r1, r1, lr
    lsr r3, r0, #2
    and r2, r0, ip
    orr r3, r3, r1, lsl #30
    and r0, r1, ip
    and r3, r3, ip
    and ip, ip, r1, lsr #2
    adds r2, r2, r3
    movw r1, #3855
    movt r1, 3855
    adc r0, r0, ip
    lsr r3, r2, #4
    orr r3, r3, r0, lsl #28
    adds r3, r3, r2
    and r3, r3, r1
    adc r0, r0, r0, lsr #4
    and r0, r0, r1
    lsr r2, r3, #8
    orr r2, r2, r0, lsl #24
    adds r3, r3, r2
    adc r0, r0, r0, lsr #8
    lsr r2, r3, #16
    orr r2, r2, r0, lsl #16
    adds r3, r3, r2
    adc r0, r0, r0, lsr #16
    add r0, r0, r3
    and r0, r0, #127
    ldr pc, [sp], #4

.text
__paritysi2:
    movw r3, #21845
    movt r3, 21845
    and r3, r3, r0, lsr #1
    movw ip, #13107
    movt ip, 13107
    subs r0, r0, r3
    sbc r1, r1, r1
    and r2, r0, ip
    lsr r3, r0, #2
    and r0, r1, ip
    orr r3, r3, r1, lsl #30
    and r1, ip, r1, lsr #2
    and r3, r3, ip
    movw ip, #3855
    movt ip, 3855
    adds r2, r2, r3
    adc r0, r0, r1
    lsr r3, r2, #4
    orr r3, r3, r0, lsl #28
    adds r3, r3, r2
    and r3, r3, ip
    adc r0, r0, r0, lsr #4
    and r0, r0, ip
    lsr r2, r3, #8
    orr r2, r2, r0, lsl #24
    adds r3, r3, r2
    adc r0, r0, r0, lsr #8
    lsr r2, r3, #16
    orr r2, r2, r0, lsl #16
    adds r3, r3, r2
    adc r0, r0, r0, lsr #16
    add r0, r0, r3
    and r0, r0, #1
    bx lr

.text
__paritydi2:
    lsr r3, r0, #1
    movw r2, #21845
    movt r2, 21845
    orr r3, r3, r1, lsl #31
    and r3, r3, r2
    str lr, [sp, #-4]!
    subs r0, r0, r3
    and lr, r2, r1, lsr #1
    movw ip, #13107
    movt ip, 13107
    sbc r1, r1, lr
    lsr r3, r0, #2
    and r2, r0, ip
    orr r3, r3, r1, lsl #30
    and r0, r1, ip
    and r3, r3, ip
    and ip, ip, r1, lsr #2
    adds r2, r2, r3
    movw r1, #3855
    movt r1, 3855
    adc r0, r0, ip
    lsr r3, r2, #4
    orr r3, r3, r0, lsl #28
    adds r3, r3, r2
    and r3, r3, r1
    adc r0, r0, r0, lsr #4
    and r0, r0, r1
    lsr r2, r3, #8
    orr r2, r2, r0, lsl #24
    adds r3, r3, r2
    adc r0, r0, r0, lsr #8
    lsr r2, r3, #16
    orr r2, r2, r0, lsl #16
    adds r3, r3, r2
    adc r0, r0, r0, lsr #16
    add r0, r0, r3
    and r0, r0, #1
    ldr pc, [sp], #4

.text
__clzsi2:
    clz r0, r0
    bx lr

.text
__clzdi2:
    cmp r1, #0
    clzne r0, r1
    clzeq r0, r0
    addeq r0, r0, #32
    bx lr

.text
__ctzsi2:
    rbit r0, r0
    clz r0, r0
    bx lr

.text
__ctzdi2:
    cmp r0, #0
    rbiteq r1, r1
    rbitne r0, r0
    clzeq r1, r1
    clzne r0, r0
    addeq r0, r1, #32
    bx lr

.text
__ffssi2:
    cmp r0, #0
    rbitne r0, r0
    clzne r0, r0
    addne r0, r0, #1
    bx lr

.text
__ffsdi2:
    orrs r3, r0, r1
    beq .Lneonsim_L750
    cmp r0, #0
    rbiteq r0, r1
    rbitne r0, r0
    clzeq r0, r0
    clzne r0, r0
    addeq r0, r0, #32
    add r0, r0, #1
    bx lr
.Lneonsim_L750:
    mov r0, #0
    bx lr

.text
__clrsbsi2:
    eor r0, r0, r0, asr #31
    lsl r0, r0, #1
    orr r0, r0, #1
    clz r0, r0
    bx lr

.text
__clrsbdi2:
    asr r3, r1, #31
    eor r0, r0, r3
    eor r3, r3, r1
    adds r0, r0, r0
    adc r3, r3, r3
    orr r0, r0, #1
    orrs r2, r3, #0
    clzne r0, r3
    clzeq r0, r0
    addeq r0, r0, #32
    bx lr

.text
__bswapsi2:
    rev r0, r0
    bx lr

.text
__bswapdi2:
    mov r3, r0
    rev r0, r1
    rev r1, r3
    bx lr

.text
__addvsi3:
    adds r0, r0, r1
    bxvc lr
    .inst 0xe7f000f0

.text
__subvsi3:
    subs r0, r0, r1
    bxvc lr
    .inst 0xe7f000f0

.text
__mulvsi3:
    smull r0, r1, r0, r1
    cmp r1, r0, asr #31
    bxeq lr
    .inst 0xe7f000f0

.text
__negvsi2:
    rsbs r0, r0, #0
    bxvc lr
    .inst 0xe7f000f0

.text
__absvsi2:
    cmp r0, #0
    bxge lr
    rsbs r0, r0, #0
    bxvc lr
    .inst 0xe7f000f0

.text
__mulosi4:
    smull r0, r1, r0, r1
    cmp r1, r0, asr #31
    movne r3, #1
    moveq r3, #0
    str r3, [r2]
    bx lr

.text
__addvdi3:
    adds r0, r0, r2
    mov r2, #0
    adcs r1, r1, r3
    movvs r2, #1
    cmp r2, #0
    bxeq lr
    .inst 0xe7f000f0

.text
__subvdi3:
    subs r0, r0, r2
    mov r2, #0
    sbcs r1, r1, r3
    movvs r2, #1
    cmp r2, #0
    bxeq lr
    .inst 0xe7f000f0

.text
__mulvdi3:
    push {r4, r5, r6, r7, r8, r9, r10, lr}
    cmp r1, r0, asr #31
    mov r4, r1
    mov r5, #0
    asr r1, r2, #31
    bne .Lneonsim_L799
    cmp r1, r3
    bne .Lneonsim_L800
    smull r0, r1, r0, r2
.Lneonsim_L797:
    cmp r5, #0
    popeq {r4, r5, r6, r7, r8, r9, r10, pc}
.Lneonsim_L809:
    .inst 0xe7f000f0
.Lneonsim_L799:
    cmp r1, r3
    bne .Lneonsim_L802
    mov r10, r0
    mov r9, r4
    mov r6, r4
    mov r7, r2
.Lneonsim_L801:
    cmp r6, #0
    umull r1, r6, r7, r6
    umull lr, r8, r0, r2
    sublt r6, r6, r7
    mov ip, r1
    cmp r7, #0
    bge .Lneonsim_L804
    subs ip, r1, r10
    sbc r6, r6, r9
.Lneonsim_L804:
    adds r1, ip, r8
    adc r6, r6, #0
    cmp r6, r1, asr #31
    bne .Lneonsim_L805
    cmp r5, #0
    mov r0, lr
    popeq {r4, r5, r6, r7, r8, r9, r10, pc}
    b .Lneonsim_L809
.Lneonsim_L800:
    mov r10, r2
    mov r9, r3
    mov r6, r3
    mov r7, r0
    b .Lneonsim_L801
.Lneonsim_L802:
    mul ip, r0, r3
    mla ip, r2, r4, ip
    umull r0, r2, r0, r2
    add r1, ip, r2
    add r2, r4, #1
    cmp r2, #1
    bhi .Lneonsim_L798
    add r2, r3, #1
    cmp r2, #1
    bhi .Lneonsim_L798
    cmp r4, r3
    bne .Lneonsim_L806
    cmp r0, #1
    sbcs r3, r1, #0
    bge .Lneonsim_L797
.Lneonsim_L798:
    mov r5, #1
    b .Lneonsim_L797
.Lneonsim_L806:
    cmp r1, #0
    blt .Lneonsim_L797
    b .Lneonsim_L798
.Lneonsim_L805:
    mul r3, r0, r3
    umull lr, ip, r0, r2
    mla r3, r2, r4, r3
    mov r0, lr
    add r1, r3, ip
    b .Lneonsim_L798

.text
__negvdi2:
    mov r3, #0
    rsbs r0, r0, #0
    sbcs r1, r3, r1
    movvs r3, #1
    cmp r3, #0
    bxeq lr
    .inst 0xe7f000f0

.text
__absvdi2:
    cmp r1, #0
    bxge lr
    mov r3, #0
    rsbs r0, r0, #0
    sbcs r1, r3, r1
    movvs r3, #1
    cmp r3, #0
    bxeq lr
    .inst 0xe7f000f0

.text
__mulodi4:
    push {r4, r5, r6, r7, r8, r9, r10, lr}
    cmp r1, r0, asr #31
    mov lr, r1
    mov r5, #0
    asr r1, r2, #31
    bne .Lneonsim_L824
    cmp r1, r3
    bne .Lneonsim_L825
    smull r0, r1, r0, r2
.Lneonsim_L822:
    ldr r3, [sp, #32]
    str r5, [r3]
    pop {r4, r5, r6, r7, r8, r9, r10, pc}
.Lneonsim_L824:
    cmp r1, r3
    bne .Lneonsim_L827
    mov r9, r0
    mov r8, lr
    mov r4, lr
    mov r1, r2
.Lneonsim_L826:
    cmp r4, #0
    umull r10, r4, r1, r4
    umull r6, r7, r0, r2
    sublt r4, r4, r1
    mov ip, r10
    cmp r1, #0
    bge .Lneonsim_L829
    subs ip, r10, r9
    sbc r4, r4, r8
.Lneonsim_L829:
    adds r1, ip, r7
    adc r4, r4, #0
    cmp r4, r1, asr #31
    bne .Lneonsim_L830
    mov r0, r6
    b .Lneonsim_L822
.Lneonsim_L825:
    mov r9, r2
    mov r8, r3
    mov r4, r3
    mov r1, r0
    b .Lneonsim_L826
.Lneonsim_L827:
    mul ip, r0, r3
    mla ip, r2, lr, ip
    umull r0, r2, r0, r2
    add r1, ip, r2
    add r2, lr, #1
    cmp r2, #1
    bhi .Lneonsim_L823
    add r2, r3, #1
    cmp r2, #1
    bhi .Lneonsim_L823
    cmp lr, r3
    bne .Lneonsim_L831
    cmp r0, #1
    sbcs r3, r1, #0
    bge .Lneonsim_L822
.Lneonsim_L823:
    mov r5, #1
    b .Lneonsim_L822
.Lneonsim_L831:
    cmp r1, #0
    blt .Lneonsim_L822
    b .Lneonsim_L823
.Lneonsim_L830:
    mul r3, r0, r3
    mla r3, r2, lr, r3
    umull r0, r2, r0, r2
    add r1, r3, r2
    b .Lneonsim_L823

.text
__powisf2:
    eor r3, r0, r0, asr #31
    vmov.f32 s14, #1.0e+0
    sub r3, r3, r0, asr #31
    vmov.f32 s15, s0
    tst r3, #1
    vseleq.f32 s0, s14, s0
    b .Lneonsim_L848
.Lneonsim_L849:
    vmul.f32 s15, s15, s15
    tst r3, #1
    vmulne.f32 s0, s0, s15
.Lneonsim_L848:
    lsrs r3, r3, #1
    bne .Lneonsim_L849
    cmp r0, #0
    vmovlt.f32 s15, #1.0e+0
    vdivlt.f32 s0, s15, s0
    bx lr

.text
__powidf2:
    eor r3, r0, r0, asr #31
    vmov.f64 d17, #1.0e+0
    sub r3, r3, r0, asr #31
    vmov.f64 d16, d0
    tst r3, #1
    vseleq.f64 d0, d17, d0
    b .Lneonsim_L865
.Lneonsim_L866:
    vmul.f64 d16, d16, d16
    tst r3, #1
    vmulne.f64 d0, d0, d16
.Lneonsim_L865:
    lsrs r3, r3, #1
    bne .Lneonsim_L866
    cmp r0, #0
    vmovlt.f64 d16, #1.0e+0
    vdivlt.f64 d0, d16, d0
    bx lr

.text
__mulsc3:
    vmul.f32 s13, s0, s2
    vmul.f32 s12, s1, s3
    vmul.f32 s11, s0, s3
    vmul.f32 s10, s2, s1
    vsub.f32 s15, s13, s12
    vadd.f32 s14, s11, s10
    vcmp.f32 s15, s15
    vmrs APSR_nzcv, FPSCR
    vcmp.f32 s14, s14
    movne r3, #1
    moveq r3, #0
    vmrs APSR_nzcv, FPSCR
    moveq r3, #0
    andne r3, r3, #1
    cmp r3, #0
    beq .Lneonsim_L888
    vabs.f32 s9, s0
    vldr.32 s8, .Lneonsim_L894
    vabs.f32 s7, s1
    vcmp.f32 s9, s8
    vmrs APSR_nzcv, FPSCR
    vcmp.f32 s7, s8
    bne .Lneonsim_L892
    vmrs APSR_nzcv, FPSCR
    vmov r3, s0
    and r3, r3, #-2147483648
    orr r3, r3, #1065353216
    vmov s0, r3
    movne r3, #0
    moveq r3, #1065353216
.Lneonsim_L872:
    vcmp.f32 s2, s2
    vmov r2, s1
    vmrs APSR_nzcv, FPSCR
    bfi r2, r3, #0, #31
    vcmp.f32 s3, s3
    vmov s1, r2
    vmovne r3, s2
    andne r3, r3, #-2147483648
    vmovne s2, r3
    vmrs APSR_nzcv, FPSCR
    vmovne r3, s3
    andne r3, r3, #-2147483648
    vmovne s3, r3
    mov r3, #1
.Lneonsim_L871:
    vabs.f32 s9, s2
    vldr.32 s8, .Lneonsim_L894
    vabs.f32 s7, s3
    vcmp.f32 s9, s8
    vmrs APSR_nzcv, FPSCR
    vcmp.f32 s7, s8
    beq .Lneonsim_L874
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L875
    cmp r3, #0
    bne .Lneonsim_L879
    vabs.f32 s13, s13
    vcmp.f32 s13, s8
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L880
    vabs.f32 s12, s12
    vcmp.f32 s12, s8
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L880
    vabs.f32 s11, s11
    vcmp.f32 s11, s8
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L893
.Lneonsim_L880:
    vcmp.f32 s0, s0
    vmrs APSR_nzcv, FPSCR
    vcmp.f32 s1, s1
    vmovne r3, s0
    andne r3, r3, #-2147483648
    vmovne s0, r3
    vmrs APSR_nzcv, FPSCR
    vcmp.f32 s2, s2
    vmovne r3, s1
    andne r3, r3, #-2147483648
    vmovne s1, r3
    vmrs APSR_nzcv, FPSCR
    vcmp.f32 s3, s3
    vmovne r3, s2
    andne r3, r3, #-2147483648
    vmovne s2, r3
    vmrs APSR_nzcv, FPSCR
    vmovne r3, s3
    andne r3, r3, #-2147483648
    vmovne s3, r3
.Lneonsim_L879:
    vmul.f32 s15, s1, s3
    vmul.f32 s1, s1, s2
    vmla.f32 s1, s0, s3
    vldr.32 s13, .Lneonsim_L894
    vnmls.f32 s15, s0, s2
    vmul.f32 s14, s1, s13
    vmul.f32 s15, s15, s13
.Lneonsim_L888:
    vmov.f32 s0, s15
    vmov.f32 s1, s14
    bx lr
.Lneonsim_L892:
    vmrs APSR_nzcv, FPSCR
    movne r3, #0
    bne .Lneonsim_L871
    vmov r3, s0
    and r3, r3, #-2147483648
    vmov s0, r3
    mov r3, #1065353216
    b .Lneonsim_L872
.Lneonsim_L874:
    vmrs APSR_nzcv, FPSCR
    vmov r3, s2
    and r3, r3, #-2147483648
    orr r3, r3, #1065353216
    vmov s2, r3
    movne r3, #0
    moveq r3, #1065353216
.Lneonsim_L877:
    vcmp.f32 s0, s0
    vmov r2, s3
    vmrs APSR_nzcv, FPSCR
    bfi r2, r3, #0, #31
    vcmp.f32 s1, s1
    vmov s3, r2
    vmovne r3, s0
    andne r3, r3, #-2147483648
    vmovne s0, r3
    vmrs APSR_nzcv, FPSCR
    vmovne r3, s1
    andne r3, r3, #-2147483648
    vmovne s1, r3
    b .Lneonsim_L879
.Lneonsim_L875:
    vmov r3, s2
    and r3, r3, #-2147483648
    vmov s2, r3
    mov r3, #1065353216
    b .Lneonsim_L877
.Lneonsim_L893:
    vabs.f32 s10, s10
    vcmp.f32 s10, s8
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L888
    b .Lneonsim_L880
.Lneonsim_L895:
.Lneonsim_L894:
    .word 2139095040

.text
__muldc3:
    vmul.f64 d18, d0, d2
    vmul.f64 d19, d1, d3
    vmul.f64 d20, d0, d3
    vmul.f64 d21, d2, d1
    vsub.f64 d17, d18, d19
    vadd.f64 d16, d20, d21
    vcmp.f64 d17, d17
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d16, d16
    movne r3, #1
    moveq r3, #0
    vmrs APSR_nzcv, FPSCR
    moveq r3, #0
    andne r3, r3, #1
    cmp r3, #0
    beq .Lneonsim_L922
    vabs.f64 d22, d0
    vldr.64 d23, .Lneonsim_L927
    vabs.f64 d24, d1
    str lr, [sp, #-4]!
    vcmp.f64 d22, d23
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d24, d23
    bne .Lneonsim_L925
    vmrs APSR_nzcv, FPSCR
    vmov r2, s1
    mov r3, #0
    mov r0, r3
    and r2, r2, #-2147483648
    orr r1, r2, #1069547520
    moveq r2, r3
    movteq r2, 16368
    movne r2, r3
    orr r1, r1, #3145728
    vmov d0, r0, r1
.Lneonsim_L901:
    vcmp.f64 d2, d2
    vmov r1, s3
    mov r0, r3
    mov lr, #0
    vmrs APSR_nzcv, FPSCR
    and ip, r1, #-2147483648
    orr r1, ip, r2
    vcmp.f64 d3, d3
    vmov d1, r0, r1
    vmovne r1, s5
    movne r2, lr
    andne r3, r1, #-2147483648
    vmovne d2, r2, r3
    vmrs APSR_nzcv, FPSCR
    vmovne r2, s7
    movne r3, #1
    moveq r3, #1
    movne r0, #0
    andne r1, r2, #-2147483648
    vmovne d3, r0, r1
.Lneonsim_L900:
    vabs.f64 d22, d2
    vldr.64 d23, .Lneonsim_L927
    vabs.f64 d24, d3
    vcmp.f64 d22, d23
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d24, d23
    beq .Lneonsim_L903
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L904
    cmp r3, #0
    bne .Lneonsim_L908
    vabs.f64 d18, d18
    vcmp.f64 d18, d23
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L909
    vabs.f64 d19, d19
    vcmp.f64 d19, d23
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L909
    vabs.f64 d20, d20
    vcmp.f64 d20, d23
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L926
.Lneonsim_L909:
    vcmp.f64 d0, d0
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d1, d1
    vmovne r1, s1
    movne r2, #0
    andne r3, r1, #-2147483648
    vmovne d0, r2, r3
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d2, d2
    vmovne r1, s3
    movne r2, #0
    andne r3, r1, #-2147483648
    vmovne d1, r2, r3
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d3, d3
    vmovne r1, s5
    movne r2, #0
    andne r3, r1, #-2147483648
    vmovne d2, r2, r3
    vmrs APSR_nzcv, FPSCR
    vmovne r1, s7
    movne r2, #0
    andne r3, r1, #-2147483648
    vmovne d3, r2, r3
.Lneonsim_L908:
    vmul.f64 d17, d1, d3
    vmul.f64 d16, d1, d2
    vmla.f64 d16, d0, d3
    vldr.64 d18, .Lneonsim_L927
    vnmls.f64 d17, d0, d2
    vmul.f64 d16, d16, d18
    vmul.f64 d17, d17, d18
.Lneonsim_L917:
    vmov.f64 d0, d17
    vmov.f64 d1, d16
    ldr pc, [sp], #4
.Lneonsim_L922:
    vmov.f64 d0, d17
    vmov.f64 d1, d16
    bx lr
.Lneonsim_L925:
    vmrs APSR_nzcv, FPSCR
    movne r3, #0
    bne .Lneonsim_L900
    vmov ip, s1
    mov r0, #0
    mov r2, #0
    movt r2, 16368
    mov r3, #0
    and r1, ip, #-2147483648
    vmov d0, r0, r1
    b .Lneonsim_L901
.Lneonsim_L903:
    vmrs APSR_nzcv, FPSCR
    vmov r2, s5
    mov r3, #0
    mov r0, r3
    and r2, r2, #-2147483648
    orr r1, r2, #1069547520
    moveq r2, r3
    movteq r2, 16368
    movne r2, r3
    orr r1, r1, #3145728
    vmov d2, r0, r1
.Lneonsim_L906:
    vcmp.f64 d0, d0
    vmov r1, s7
    mov r0, r3
    mov lr, #0
    vmrs APSR_nzcv, FPSCR
    and ip, r1, #-2147483648
    orr r1, ip, r2
    vcmp.f64 d1, d1
    vmov d3, r0, r1
    vmovne r1, s1
    movne r2, lr
    andne r3, r1, #-2147483648
    vmovne d0, r2, r3
    vmrs APSR_nzcv, FPSCR
    vmovne r1, s3
    movne r2, #0
    andne r3, r1, #-2147483648
    vmovne d1, r2, r3
    b .Lneonsim_L908
.Lneonsim_L904:
    vmov ip, s5
    mov r0, #0
    mov r2, #0
    movt r2, 16368
    mov r3, #0
    and r1, ip, #-2147483648
    vmov d2, r0, r1
    b .Lneonsim_L906
.Lneonsim_L926:
    vabs.f64 d21, d21
    vcmp.f64 d21, d23
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L917
    b .Lneonsim_L909
.Lneonsim_L928:
    .align 3
.Lneonsim_L927:
    .word 0
    .word 2146435072

.text
__divsc3:
    vcvt.f64.f32 d16, s3
    vcvt.f64.f32 d18, s1
    vcvt.f64.f32 d17, s2
    vcvt.f64.f32 d21, s0
    vmul.f64 d19, d16, d16
    vmul.f64 d20, d16, d18
    vmla.f64 d19, d17, d17
    vmla.f64 d20, d17, d21
    vmul.f64 d16, d16, d21
    vnmls.f64 d16, d17, d18
    vdiv.f64 d7, d20, d19
    vdiv.f64 d17, d16, d19
    vcvt.f32.f64 s14, d7
    vcmp.f32 s14, s14
    vcvt.f32.f64 s15, d17
    vmrs APSR_nzcv, FPSCR
    vcmp.f32 s15, s15
    movne r3, #1
    moveq r3, #0
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d19, #0
    moveq r3, #0
    andne r3, r3, #1
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L959
    cmp r3, #0
    beq .Lneonsim_L955
.Lneonsim_L932:
    vabs.f32 s13, s0
    vldr.32 s11, .Lneonsim_L962
    vabs.f32 s12, s2
    vcmp.f32 s13, s11
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L960
.Lneonsim_L934:
    vldr.32 s11, .Lneonsim_L962+4
    vcmpe.f32 s12, s11
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L935
    vabs.f32 s10, s3
    vcmpe.f32 s10, s11
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L935
    vldr.32 s14, .Lneonsim_L962
    vabs.f32 s15, s1
    vmov r3, s0
    vmov r2, s1
    vcmp.f32 s13, s14
    and r3, r3, #-2147483648
    and r2, r2, #-2147483648
    vmrs APSR_nzcv, FPSCR
    vcmp.f32 s15, s14
    movne r1, #0
    moveq r1, #1065353216
    vmrs APSR_nzcv, FPSCR
    orr r3, r3, r1
    vmov s13, r3
    vmul.f32 s15, s3, s13
    movne r3, #0
    moveq r3, #1065353216
    orr r3, r2, r3
    vmov s12, r3
    vmul.f32 s3, s3, s12
    vnmls.f32 s15, s2, s12
    vmla.f32 s3, s2, s13
    vmul.f32 s15, s15, s14
    vmul.f32 s14, s3, s14
.Lneonsim_L955:
    vmov.f32 s0, s14
    vmov.f32 s1, s15
    bx lr
.Lneonsim_L959:
    cmp r3, #0
    beq .Lneonsim_L955
    vcmp.f32 s0, s0
    vmrs APSR_nzcv, FPSCR
    vcmp.f32 s1, s1
    moveq r3, #1
    movne r3, #0
    vmrs APSR_nzcv, FPSCR
    orreq r3, r3, #1
    cmp r3, #0
    beq .Lneonsim_L932
    vmov r3, s2
    and r3, r3, #-2147483648
    orr r3, r3, #2130706432
    orr r3, r3, #8388608
    vmov s15, r3
    vmul.f32 s14, s0, s15
    vmul.f32 s15, s1, s15
    b .Lneonsim_L955
.Lneonsim_L960:
    vabs.f32 s10, s1
    vcmp.f32 s10, s11
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L934
.Lneonsim_L935:
    vldr.32 s11, .Lneonsim_L962
    vcmp.f32 s12, s11
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L961
.Lneonsim_L940:
    vldr.32 s11, .Lneonsim_L962+4
    vcmpe.f32 s13, s11
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L955
    vabs.f32 s13, s1
    vcmpe.f32 s13, s11
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L955
    vldr.32 s15, .Lneonsim_L962
    vabs.f32 s14, s3
    vmov r2, s2
    vmov r3, s3
    vldr.32 s11, .Lneonsim_L962+8
    vcmp.f32 s12, s15
    and r2, r2, #-2147483648
    and r3, r3, #-2147483648
    vmrs APSR_nzcv, FPSCR
    vcmp.f32 s14, s15
    movne r1, #0
    moveq r1, #1065353216
    vmrs APSR_nzcv, FPSCR
    orr r2, r2, r1
    vmov s13, r2
    movne r2, #0
    moveq r2, #1065353216
    orr r3, r3, r2
    vmov s14, r3
    vmul.f32 s15, s0, s14
    vmul.f32 s14, s1, s14
    vmla.f32 s14, s0, s13
    vnmls.f32 s15, s1, s13
    vmul.f32 s14, s14, s11
    vmul.f32 s15, s15, s11
    b .Lneonsim_L955
.Lneonsim_L961:
    vabs.f32 s10, s3
    vcmp.f32 s10, s11
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L955
    b .Lneonsim_L940
.Lneonsim_L963:
.Lneonsim_L962:
    .word 2139095040
    .word 2139095039
    .word 0

.text
__divdc3:
    vabs.f64 d19, d2
    vabs.f64 d20, d3
    vldr.64 d16, .Lneonsim_L1033
    vcmpe.f64 d19, d20
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L965
    vcmpe.f64 d19, d16
    vmrs APSR_nzcv, FPSCR
    blt .Lneonsim_L1022
    vmov.f64 d16, #5.0e-1
    vmul.f64 d24, d0, d16
    vmul.f64 d23, d1, d16
    vmul.f64 d25, d2, d16
    vmul.f64 d16, d3, d16
    b .Lneonsim_L968
.Lneonsim_L965:
    vcmpe.f64 d20, d16
    vmrs APSR_nzcv, FPSCR
    vmovlt.f64 d16, d20
    blt .Lneonsim_L966
    vmov.f64 d16, #5.0e-1
    vmul.f64 d24, d0, d16
    vmul.f64 d23, d1, d16
    vmul.f64 d25, d2, d16
    vmul.f64 d16, d3, d16
.Lneonsim_L996:
    vdiv.f64 d17, d25, d16
    vldr.64 d18, .Lneonsim_L1033+8
    vmov.f64 d21, d16
    vabs.f64 d22, d17
    vmla.f64 d21, d17, d25
    vcmpe.f64 d22, d18
    vmrs APSR_nzcv, FPSCR
    vdivle.f64 d18, d24, d16
    vmovgt.f64 d16, d23
    vdivle.f64 d17, d23, d16
    vmlagt.f64 d16, d17, d24
    vnmlsgt.f64 d24, d17, d23
    vdivgt.f64 d18, d16, d21
    vmlale.f64 d23, d18, d25
    vnmlsle.f64 d24, d17, d25
    vdivle.f64 d18, d23, d21
    vdiv.f64 d16, d24, d21
    b .Lneonsim_L980
.Lneonsim_L1022:
    vmov.f64 d16, d19
.Lneonsim_L966:
    vldr.64 d17, .Lneonsim_L1033+16
    vcmpe.f64 d16, d17
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L1023
.Lneonsim_L974:
    vldr.64 d16, .Lneonsim_L1033+24
    vmul.f64 d24, d0, d16
    vmul.f64 d23, d1, d16
    vmul.f64 d25, d2, d16
    vmul.f64 d16, d3, d16
.Lneonsim_L968:
    vcmpe.f64 d19, d20
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L996
    vdiv.f64 d17, d16, d25
    vldr.64 d18, .Lneonsim_L1033+8
    vmov.f64 d22, d25
    vabs.f64 d21, d17
    vmla.f64 d22, d17, d16
    vcmpe.f64 d21, d18
    vmrs APSR_nzcv, FPSCR
    vdivle.f64 d18, d23, d25
    vmovgt.f64 d16, d24
    vdivle.f64 d17, d24, d25
    vmlagt.f64 d16, d17, d23
    vmlsgt.f64 d23, d17, d24
    vdivgt.f64 d18, d16, d22
    vmlale.f64 d24, d18, d16
    vmlsle.f64 d23, d17, d16
    vdivle.f64 d18, d24, d22
    vdiv.f64 d16, d23, d22
.Lneonsim_L980:
    vcmp.f64 d18, d18
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d16, d16
    movne r2, #1
    moveq r2, #0
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d3, #0
    moveq r2, #0
    andne r2, r2, #1
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d2, #0
    movne r3, #1
    moveq r3, #0
    vmrs APSR_nzcv, FPSCR
    orrne r3, r3, #1
    cmp r3, #0
    beq .Lneonsim_L983
    cmp r2, #0
    beq .Lneonsim_L1030
.Lneonsim_L984:
    vabs.f64 d21, d0
    vldr.64 d17, .Lneonsim_L1033+32
    push {r4, lr}
    vcmp.f64 d21, d17
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L1032
.Lneonsim_L986:
    vldr.64 d17, .Lneonsim_L1033+40
    vcmpe.f64 d19, d17
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L987
    vcmpe.f64 d20, d17
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L987
    vldr.64 d16, .Lneonsim_L1033+32
    vmov ip, s1
    vldr.64 d20, .Lneonsim_L1033+32
    vcmp.f64 d21, d16
    vabs.f64 d16, d1
    and lr, ip, #-2147483648
    mov ip, #0
    movt ip, 16368
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d16, d20
    moveq r1, #0
    movne r0, #0
    movne r1, r0
    movteq r1, 16368
    moveq r0, #0
    vmrs APSR_nzcv, FPSCR
    orr r3, lr, r1
    mov r2, r0
    vmov d17, r2, r3
    vmov r3, s3
    mov r0, #0
    vmul.f64 d16, d3, d17
    movne ip, #0
    and r3, r3, #-2147483648
    orr r1, r3, ip
    vmov d19, r0, r1
    vmul.f64 d18, d3, d19
    vnmls.f64 d16, d2, d19
    vmla.f64 d18, d2, d17
    vmul.f64 d16, d16, d20
    vmul.f64 d18, d18, d20
.Lneonsim_L1017:
    vmov.f64 d0, d18
    vmov.f64 d1, d16
    pop {r4, pc}
.Lneonsim_L1023:
    vldr.64 d17, .Lneonsim_L1033+48
    vcmpe.f64 d16, d17
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L1025
    vabs.f64 d16, d0
    vldr.64 d21, .Lneonsim_L1033+8
    vabs.f64 d18, d1
    vcmpe.f64 d16, d21
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L972
    vcmpe.f64 d18, d17
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L974
.Lneonsim_L972:
    vldr.64 d17, .Lneonsim_L1033+8
    vcmpe.f64 d18, d17
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L1025
    vldr.64 d17, .Lneonsim_L1033+48
    vcmpe.f64 d16, d17
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L974
.Lneonsim_L1025:
    vmov.f64 d16, d3
    vmov.f64 d25, d2
    vmov.f64 d23, d1
    vmov.f64 d24, d0
    b .Lneonsim_L968
.Lneonsim_L1032:
    vabs.f64 d22, d1
    vcmp.f64 d22, d17
    vmrs APSR_nzcv, FPSCR
    beq .Lneonsim_L986
.Lneonsim_L987:
    vldr.64 d17, .Lneonsim_L1033+40
    vcmp.f64 d19, d17
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d20, d17
    movle r3, #1
    movgt r3, #0
    vmrs APSR_nzcv, FPSCR
    movgt r3, #0
    andle r3, r3, #1
    cmp r3, #0
    bne .Lneonsim_L1017
    vcmpe.f64 d21, d17
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L1017
    vabs.f64 d21, d1
    vcmpe.f64 d21, d17
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L1017
    vldr.64 d16, .Lneonsim_L1033+32
    mov r2, #0
    movt r2, 16368
    vmov r1, s5
    vmov ip, s7
    mov r0, r3
    vcmp.f64 d19, d16
    vmov.i64 d21, #0
    and r4, r1, #-2147483648
    and ip, ip, #-2147483648
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d20, d16
    movne lr, #0
    moveq lr, r2
    vmrs APSR_nzcv, FPSCR
    orr r1, r4, lr
    vmov d18, r0, r1
    movne r2, #0
    orr r1, ip, r2
    vmov d17, r0, r1
    vmul.f64 d16, d0, d17
    vmul.f64 d17, d1, d17
    vmla.f64 d17, d0, d18
    vnmls.f64 d16, d1, d18
    vmul.f64 d18, d17, d21
    vmul.f64 d16, d16, d21
    b .Lneonsim_L1017
.Lneonsim_L983:
    cmp r2, #0
    beq .Lneonsim_L1030
    vcmp.f64 d0, d0
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d1, d1
    moveq r2, #1
    movne r2, #0
    vmrs APSR_nzcv, FPSCR
    orreq r2, r2, #1
    cmp r2, #0
    beq .Lneonsim_L984
    vmov r2, s5
    mov r0, r3
    and r2, r2, #-2147483648
    orr r1, r2, #2130706432
    orr r1, r1, #15728640
    vmov d16, r0, r1
    vmul.f64 d18, d0, d16
    vmul.f64 d16, d1, d16
.Lneonsim_L1030:
    vmov.f64 d0, d18
    vmov.f64 d1, d16
    bx lr
.Lneonsim_L1034:
    .align 3
.Lneonsim_L1033:
    .word 0
    .word 2144337920
    .word 0
    .word 1048576
    .word 0
    .word 1018167296
    .word 0
    .word 1127219200
    .word 0
    .word 2146435072
    .word -1
    .word 2146435071
    .word 0
    .word 2089811968

.text
__aeabi_memcpy:
    cmp r2, #15
    bls .Lneonsim_L1040
    str lr, [sp, #-4]!
    sub lr, r2, #16
    bic lr, lr, #15
    add lr, lr, #16
    mov ip, r0
    add r3, r1, lr
.Lneonsim_L1037:
    vld1.8 {d16-d17}, [r1]!
    cmp r1, r3
    vst1.8 {d16-d17}, [ip]!
    bne .Lneonsim_L1037
    and r2, r2, #15
    add r0, r0, lr
    cmp r2, #0
    ldreq pc, [sp], #4
    sub r0, r0, #1
    add r2, r3, r2
.Lneonsim_L1039:
    ldrb r1, [r3], #1
    strb r1, [r0, #1]!
    cmp r3, r2
    bne .Lneonsim_L1039
    ldr pc, [sp], #4
.Lneonsim_L1040:
    cmp r2, #0
    mov r3, r1
    bxeq lr
    sub r0, r0, #1
    add r2, r1, r2
.Lneonsim_L1050:
    ldrb r1, [r3], #1
    strb r1, [r0, #1]!
    cmp r3, r2
    bne .Lneonsim_L1050
    bx lr

.text
__aeabi_memcpy4:
    cmp r2, #15
    bls .Lneonsim_L1060
    str lr, [sp, #-4]!
    sub lr, r2, #16
    bic lr, lr, #15
    add lr, lr, #16
    mov ip, r0
    add r3, r1, lr
.Lneonsim_L1057:
    vld1.8 {d16-d17}, [r1]!
    cmp r1, r3
    vst1.8 {d16-d17}, [ip]!
    bne .Lneonsim_L1057
    and r2, r2, #15
    add r0, r0, lr
    cmp r2, #0
    ldreq pc, [sp], #4
    sub r0, r0, #1
    add r2, r3, r2
.Lneonsim_L1059:
    ldrb r1, [r3], #1
    strb r1, [r0, #1]!
    cmp r3, r2
    bne .Lneonsim_L1059
    ldr pc, [sp], #4
.Lneonsim_L1060:
    cmp r2, #0
    mov r3, r1
    bxeq lr
    sub r0, r0, #1
    add r2, r1, r2
.Lneonsim_L1070:
    ldrb r1, [r3], #1
    strb r1, [r0, #1]!
    cmp r3, r2
    bne .Lneonsim_L1070
    bx lr

.text
__aeabi_memcpy8:
    cmp r2, #15
    bls .Lneonsim_L1080
    str lr, [sp, #-4]!
    sub lr, r2, #16
    bic lr, lr, #15
    add lr, lr, #16
    mov ip, r0
    add r3, r1, lr
.Lneonsim_L1077:
    vld1.8 {d16-d17}, [r1]!
    cmp r1, r3
    vst1.8 {d16-d17}, [ip]!
    bne .Lneonsim_L1077
    and r2, r2, #15
    add r0, r0, lr
    cmp r2, #0
    ldreq pc, [sp], #4
    sub r0, r0, #1
    add r2, r3, r2
.Lneonsim_L1079:
    ldrb r1, [r3], #1
    strb r1, [r0, #1]!
    cmp r3, r2
    bne .Lneonsim_L1079
    ldr pc, [sp], #4
.Lneonsim_L1080:
    cmp r2, #0
    mov r3, r1
    bxeq lr
    sub r0, r0, #1
    add r2, r1, r2
.Lneonsim_L1090:
    ldrb r1, [r3], #1
    strb r1, [r0, #1]!
    cmp r3, r2
    bne .Lneonsim_L1090
    bx lr

.text
__aeabi_memmove:
    b memmove

.text
__aeabi_memmove4:
    b memmove

.text
__aeabi_memmove8:
    b memmove

.text
__aeabi_memset:
    vdup.8 q8, r2
    cmp r1, #15
    uxtb r2, r2
    bls .Lneonsim_L1104
    sub r3, r1, #16
    bic r3, r3, #15
    add r3, r3, #16
    add r3, r0, r3
.Lneonsim_L1100:
    vst1.8 {d16-d17}, [r0]!
    cmp r0, r3
    bne .Lneonsim_L1100
    and r1, r1, #15
    cmp r1, #0
    bxeq lr
.Lneonsim_L1107:
    add r1, r3, r1
.Lneonsim_L1102:
    strb r2, [r3], #1
    cmp r3, r1
    bne .Lneonsim_L1102
    bx lr
.Lneonsim_L1104:
    mov r3, r0
    cmp r1, #0
    bne .Lneonsim_L1107
    bx lr

.text
__aeabi_memset4:
    vdup.8 q8, r2
    cmp r1, #15
    uxtb r2, r2
    bls .Lneonsim_L1114
    sub r3, r1, #16
    bic r3, r3, #15
    add r3, r3, #16
    add r3, r0, r3
.Lneonsim_L1110:
    vst1.8 {d16-d17}, [r0]!
    cmp r0, r3
    bne .Lneonsim_L1110
    and r1, r1, #15
    cmp r1, #0
    bxeq lr
.Lneonsim_L1117:
    add r1, r3, r1
.Lneonsim_L1112:
    strb r2, [r3], #1
    cmp r3, r1
    bne .Lneonsim_L1112
    bx lr
.Lneonsim_L1114:
    mov r3, r0
    cmp r1, #0
    bne .Lneonsim_L1117
    bx lr

.text
__aeabi_memset8:
    vdup.8 q8, r2
    cmp r1, #15
    uxtb r2, r2
    bls .Lneonsim_L1124
    sub r3, r1, #16
    bic r3, r3, #15
    add r3, r3, #16
    add r3, r0, r3
.Lneonsim_L1120:
    vst1.8 {d16-d17}, [r0]!
    cmp r0, r3
    bne .Lneonsim_L1120
    and r1, r1, #15
    cmp r1, #0
    bxeq lr
.Lneonsim_L1127:
    add r1, r3, r1
.Lneonsim_L1122:
    strb r2, [r3], #1
    cmp r3, r1
    bne .Lneonsim_L1122
    bx lr
.Lneonsim_L1124:
    mov r3, r0
    cmp r1, #0
    bne .Lneonsim_L1127
    bx lr

.text
__aeabi_memclr:
    cmp r1, #15
    bls .Lneonsim_L1133
    vmov.i32 q8, #0
    sub r3, r1, #16
    bic r3, r3, #15
    add r3, r3, #16
    add r3, r0, r3
.Lneonsim_L1130:
    vst1.8 {d16-d17}, [r0]!
    cmp r0, r3
    bne .Lneonsim_L1130
    and r1, r1, #15
    cmp r1, #0
    bxeq lr
.Lneonsim_L1139:
    add r1, r3, r1
    mov r2, #0
.Lneonsim_L1132:
    strb r2, [r3], #1
    cmp r3, r1
    bne .Lneonsim_L1132
    bx lr
.Lneonsim_L1133:
    mov r3, r0
    cmp r1, #0
    bne .Lneonsim_L1139
    bx lr

.text
__aeabi_memclr4:
    cmp r1, #15
    bls .Lneonsim_L1145
    vmov.i32 q8, #0
    sub r3, r1, #16
    bic r3, r3, #15
    add r3, r3, #16
    add r3, r0, r3
.Lneonsim_L1142:
    vst1.8 {d16-d17}, [r0]!
    cmp r0, r3
    bne .Lneonsim_L1142
    and r1, r1, #15
    cmp r1, #0
    bxeq lr
.Lneonsim_L1151:
    add r1, r3, r1
    mov r2, #0
.Lneonsim_L1144:
    strb r2, [r3], #1
    cmp r3, r1
    bne .Lneonsim_L1144
    bx lr
.Lneonsim_L1145:
    mov r3, r0
    cmp r1, #0
    bne .Lneonsim_L1151
    bx lr

.text
__aeabi_memclr8:
    cmp r1, #15
    bls .Lneonsim_L1157
    vmov.i32 q8, #0
    sub r3, r1, #16
    bic r3, r3, #15
    add r3, r3, #16
    add r3, r0, r3
.Lneonsim_L1154:
    vst1.8 {d16-d17}, [r0]!
    cmp r0, r3
    bne .Lneonsim_L1154
    and r1, r1, #15
    cmp r1, #0
    bxeq lr
.Lneonsim_L1163:
    add r1, r3, r1
    mov r2, #0
.Lneonsim_L1156:
    strb r2, [r3], #1
    cmp r3, r1
    bne .Lneonsim_L1156
    bx lr
.Lneonsim_L1157:
    mov r3, r0
    cmp r1, #0
    bne .Lneonsim_L1163
    bx lr

.text
__aeabi_idiv:
    sdiv r0, r0, r1
    bx lr

.text
__aeabi_uidiv:
    udiv r0, r0, r1
    bx lr

.text
__aeabi_idivmod:
    mov r3, r0
    sdiv r0, r0, r1
    mls r1, r1, r0, r3
    bx lr

.text
__aeabi_uidivmod:
    mov r3, r0
    udiv r0, r0, r1
    mls r1, r1, r0, r3
    bx lr

.text
__aeabi_lmul:
    mul r3, r0, r3
    mla r1, r2, r1, r3
    umull r0, ip, r0, r2
    add r1, r1, ip
    bx lr

.text
__aeabi_llsl:
    cmp r2, #0
    bxeq lr
    cmp r2, #31
    rsble ip, r2, #32
    subgt r2, r2, #32
    lslle r3, r0, r2
    movgt r3, #0
    lsrle r0, r0, ip
    lslgt r1, r0, r2
    orrle r1, r0, r1, lsl r2
    mov r0, r3
    bx lr

.text
__aeabi_llsr:
    cmp r2, #0
    bxeq lr
    cmp r2, #31
    subgt r0, r2, #32
    rsble r3, r2, #32
    lsrle r0, r0, r2
    movgt r2, #0
    lsrle r2, r1, r2
    lsrgt r0, r1, r0
    orrle r0, r0, r1, lsl r3
    mov r1, r2
    bx lr

.text
__aeabi_lasr:
    cmp r2, #0
    bxeq lr
    cmp r2, #31
    subgt r0, r2, #32
    rsble r3, r2, #32
    lsrle r0, r0, r2
    asrgt r2, r1, #31
    asrle r2, r1, r2
    asrgt r0, r1, r0
    orrle r0, r0, r1, lsl r3
    mov r1, r2
    bx lr

.text
__aeabi_lcmp:
    cmp r2, r0
    sbcs ip, r3, r1
    movlt ip, #1
    movge ip, #0
    cmp r0, r2
    sbcs r1, r1, r3
    movlt r0, #1
    movge r0, #0
    sub r0, ip, r0
    bx lr

.text
__aeabi_ulcmp:
    cmp r2, r0
    sbcs ip, r3, r1
    movcc ip, #1
    movcs ip, #0
    cmp r0, r2
    sbcs r1, r1, r3
    movcc r0, #1
    movcs r0, #0
    sub r0, ip, r0
    bx lr

.text
__aeabi_uldivmod:
    str lr, [sp, #-4]!
    sub sp, sp, #20
    add ip, sp, #8
    str ip, [sp]
    bl .Lneonsim_divided
    vldr.64 d16, [sp, #8]
    vmov d17, r0, r1
    vswp d16, d17
    vmov r0, r1, d16
    vmov r2, r3, d17
    add sp, sp, #20
    ldr pc, [sp], #4

.text
__aeabi_ldivmod:
    push {r4, r5, lr}
    cmp r1, #0
    mov r4, r1
    sub sp, sp, #20
    mov r5, r3
    bge .Lneonsim_L1195
    rsbs r0, r0, #0
    rsc r1, r1, #0
.Lneonsim_L1195:
    cmp r5, #0
    mov r3, r5
    bge .Lneonsim_L1196
    rsbs r2, r2, #0
    rsc r3, r5, #0
.Lneonsim_L1196:
    add ip, sp, #8
    str ip, [sp]
    bl .Lneonsim_divided
    teq r4, r5
    mov r2, r0
    mov r3, r1
    bpl .Lneonsim_L1197
    rsbs r0, r0, #0
    rsc r1, r1, #0
    mov r2, r0
    mov r3, r1
.Lneonsim_L1197:
    ldrd r0, [sp, #8]
    cmp r4, #0
    bge .Lneonsim_L1198
    rsbs lr, r0, #0
    rsc ip, r1, #0
    mov r0, lr
    mov r1, ip
.Lneonsim_L1198:
    vmov d16, r2, r3
    vmov d17, r0, r1
    vmov r0, r1, d16
    vmov r2, r3, d17
    add sp, sp, #20
    pop {r4, r5, pc}

.text
__aeabi_fadd:
    vmov s14, r0
    vmov s15, r1
    vadd.f32 s15, s14, s15
    vmov r0, s15
    bx lr

.text
__aeabi_fsub:
    vmov s14, r0
    vmov s15, r1
    vsub.f32 s15, s14, s15
    vmov r0, s15
    bx lr

.text
__aeabi_frsub:
    vmov s15, r0
    vmov s14, r1
    vsub.f32 s15, s14, s15
    vmov r0, s15
    bx lr

.text
__aeabi_fmul:
    vmov s14, r0
    vmov s15, r1
    vmul.f32 s15, s14, s15
    vmov r0, s15
    bx lr

.text
__aeabi_fdiv:
    vmov s14, r0
    vmov s15, r1
    vdiv.f32 s15, s14, s15
    vmov r0, s15
    bx lr

.text
__aeabi_dadd:
    vmov d17, r0, r1
    vmov d16, r2, r3
    vadd.f64 d16, d17, d16
    vmov r0, r1, d16
    bx lr

.text
__aeabi_dsub:
    vmov d17, r0, r1
    vmov d16, r2, r3
    vsub.f64 d16, d17, d16
    vmov r0, r1, d16
    bx lr

.text
__aeabi_drsub:
    vmov d16, r0, r1
    vmov d17, r2, r3
    vsub.f64 d16, d17, d16
    vmov r0, r1, d16
    bx lr

.text
__aeabi_dmul:
    vmov d17, r0, r1
    vmov d16, r2, r3
    vmul.f64 d16, d17, d16
    vmov r0, r1, d16
    bx lr

.text
__aeabi_ddiv:
    vmov d17, r0, r1
    vmov d16, r2, r3
    vdiv.f64 d16, d17, d16
    vmov r0, r1, d16
    bx lr

.text
__aeabi_fcmpeq:
    vmov s14, r0
    vmov s15, r1
    vcmp.f32 s14, s15
    vmrs APSR_nzcv, FPSCR
    moveq r0, #1
    movne r0, #0
    bx lr

.text
__aeabi_fcmplt:
    vmov s14, r0
    vmov s15, r1
    vcmpe.f32 s14, s15
    vmrs APSR_nzcv, FPSCR
    movmi r0, #1
    movpl r0, #0
    bx lr

.text
__aeabi_fcmple:
    vmov s14, r0
    vmov s15, r1
    vcmpe.f32 s14, s15
    vmrs APSR_nzcv, FPSCR
    movls r0, #1
    movhi r0, #0
    bx lr

.text
__aeabi_fcmpge:
    vmov s14, r0
    vmov s15, r1
    vcmpe.f32 s14, s15
    vmrs APSR_nzcv, FPSCR
    movge r0, #1
    movlt r0, #0
    bx lr

.text
__aeabi_fcmpgt:
    vmov s14, r0
    vmov s15, r1
    vcmpe.f32 s14, s15
    vmrs APSR_nzcv, FPSCR
    movgt r0, #1
    movle r0, #0
    bx lr

.text
__aeabi_fcmpun:
    vmov s14, r0
    vmov s15, r1
    vcmp.f32 s14, s14
    vmrs APSR_nzcv, FPSCR
    vcmp.f32 s15, s15
    movne r0, #1
    moveq r0, #0
    vmrs APSR_nzcv, FPSCR
    orrne r0, r0, #1
    bx lr

.text
__aeabi_dcmpeq:
    vmov d17, r0, r1
    vmov d16, r2, r3
    vcmp.f64 d17, d16
    vmrs APSR_nzcv, FPSCR
    moveq r0, #1
    movne r0, #0
    bx lr

.text
__aeabi_dcmplt:
    vmov d17, r0, r1
    vmov d16, r2, r3
    vcmpe.f64 d17, d16
    vmrs APSR_nzcv, FPSCR
    movmi r0, #1
    movpl r0, #0
    bx lr

.text
__aeabi_dcmple:
    vmov d17, r0, r1
    vmov d16, r2, r3
    vcmpe.f64 d17, d16
    vmrs APSR_nzcv, FPSCR
    movls r0, #1
    movhi r0, #0
    bx lr

.text
__aeabi_dcmpge:
    vmov d17, r0, r1
    vmov d16, r2, r3
    vcmpe.f64 d17, d16
    vmrs APSR_nzcv, FPSCR
    movge r0, #1
    movlt r0, #0
    bx lr

.text
__aeabi_dcmpgt:
    vmov d17, r0, r1
    vmov d16, r2, r3
    vcmpe.f64 d17, d16
    vmrs APSR_nzcv, FPSCR
    movgt r0, #1
    movle r0, #0
    bx lr

.text
__aeabi_dcmpun:
    vmov d17, r0, r1
    vmov d16, r2, r3
    vcmp.f64 d17, d17
    vmrs APSR_nzcv, FPSCR
    vcmp.f64 d16, d16
    movne r0, #1
    moveq r0, #0
    vmrs APSR_nzcv, FPSCR
    orrne r0, r0, #1
    bx lr

.text
__aeabi_f2d:
    vmov s15, r0
    vcvt.f64.f32 d16, s15
    vmov r0, r1, d16
    bx lr

.text
__aeabi_d2f:
    vmov d16, r0, r1
    vcvt.f32.f64 s15, d16
    vmov r0, s15
    bx lr

.text
__aeabi_i2f:
    vmov s15, r0
    vcvt.f32.s32 s15, s15
    vmov r0, s15
    bx lr

.text
__aeabi_i2d:
    vmov s15, r0
    vcvt.f64.s32 d16, s15
    vmov r0, r1, d16
    bx lr

.text
__aeabi_ui2f:
    vmov s15, r0
    vcvt.f32.u32 s15, s15
    vmov r0, s15
    bx lr

.text
__aeabi_ui2d:
    vmov s15, r0
    vcvt.f64.u32 d16, s15
    vmov r0, r1, d16
    bx lr

.text
__aeabi_f2iz:
    vmov s15, r0
    vcvt.s32.f32 s15, s15
    vmov r0, s15
    bx lr

.text
__aeabi_f2uiz:
    vmov s15, r0
    vcvt.u32.f32 s15, s15
    vmov r0, s15
    bx lr

.text
__aeabi_d2iz:
    vmov d16, r0, r1
    vcvt.s32.f64 s15, d16
    vmov r0, s15
    bx lr

.text
__aeabi_d2uiz:
    vmov d7, r0, r1
    vcvt.u32.f64 s15, d7
    vmov r0, s15
    bx lr

.text
__aeabi_l2d:
    vmov s14, r1
    vmov s15, r0
    vldr.64 d18, .Lneonsim_L1233
    vcvt.f64.s32 d17, s14
    vcvt.f64.u32 d16, s15
    vfma.f64 d16, d17, d18
    vmov r0, r1, d16
    bx lr
.Lneonsim_L1234:
    .align 3
.Lneonsim_L1233:
    .word 0
    .word 1106247680

.text
__aeabi_ul2d:
    vmov s14, r1
    vmov s15, r0
    vldr.64 d18, .Lneonsim_L1236
    vcvt.f64.u32 d17, s14
    vcvt.f64.u32 d16, s15
    vfma.f64 d16, d17, d18
    vmov r0, r1, d16
    bx lr
.Lneonsim_L1237:
    .align 3
.Lneonsim_L1236:
    .word 0
    .word 1106247680

.text
__aeabi_l2f:
    add r3, r1, #2097152
    cmp r3, #4194304
    bcc .Lneonsim_L1239
    ubfx r3, r0, #0, #11
    orrs r3, r3, #0
    bicne r0, r0, #4080
    bicne r0, r0, #15
    orrne r0, r0, #2048
.Lneonsim_L1239:
    vmov s15, r1
    vldr.64 d18, .Lneonsim_L1240
    vcvt.f64.s32 d17, s15
    vmov s15, r0
    vcvt.f64.u32 d16, s15
    vfma.f64 d16, d17, d18
    vcvt.f32.f64 s15, d16
    vmov r0, s15
    bx lr
.Lneonsim_L1241:
    .align 3
.Lneonsim_L1240:
    .word 0
    .word 1106247680

.text
__aeabi_ul2f:
    cmp r1, #2097152
    bcc .Lneonsim_L1243
    ubfx r3, r0, #0, #11
    orrs r3, r3, #0
    bicne r0, r0, #4080
    bicne r0, r0, #15
    orrne r0, r0, #2048
.Lneonsim_L1243:
    vmov s15, r1
    vldr.64 d18, .Lneonsim_L1244
    vcvt.f64.u32 d17, s15
    vmov s15, r0
    vcvt.f64.u32 d16, s15
    vfma.f64 d16, d17, d18
    vcvt.f32.f64 s15, d16
    vmov r0, s15
    bx lr
.Lneonsim_L1245:
    .align 3
.Lneonsim_L1244:
    .word 0
    .word 1106247680

.text
__aeabi_d2ulz:
    vldr.64 d7, .Lneonsim_L1247
    vmov d16, r0, r1
    vldr.64 d17, .Lneonsim_L1247+8
    vmul.f64 d7, d16, d7
    vcvt.u32.f64 s14, d7
    vcvt.f64.u32 d18, s14
    vmov r1, s14
    vfma.f64 d16, d18, d17
    vmov.f64 d7, d16
    vcvt.u32.f64 s15, d7
    vmov r0, s15
    bx lr
.Lneonsim_L1248:
    .align 3
.Lneonsim_L1247:
    .word 0
    .word 1039138816
    .word 0
    .word -1041235968

.text
__aeabi_f2ulz:
    vmov s15, r0
    vldr.64 d17, .Lneonsim_L1250
    vldr.64 d18, .Lneonsim_L1250+8
    vcvt.f64.f32 d16, s15
    vmul.f64 d7, d16, d17
    vcvt.u32.f64 s14, d7
    vcvt.f64.u32 d17, s14
    vmov r1, s14
    vfma.f64 d16, d17, d18
    vmov.f64 d7, d16
    vcvt.u32.f64 s15, d7
    vmov r0, s15
    bx lr
.Lneonsim_L1251:
    .align 3
.Lneonsim_L1250:
    .word 0
    .word 1039138816
    .word 0
    .word -1041235968

.text
__aeabi_d2lz:
    vmov d16, r0, r1
    vldr.64 d7, .Lneonsim_L1259
    vldr.64 d17, .Lneonsim_L1259+8
    vcmpe.f64 d16, #0
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L1258
    vmul.f64 d7, d16, d7
    vcvt.u32.f64 s14, d7
    vcvt.f64.u32 d18, s14
    vmov r1, s14
    vfma.f64 d16, d18, d17
    vmov.f64 d7, d16
    vcvt.u32.f64 s15, d7
    vmov r0, s15
    bx lr
.Lneonsim_L1258:
    vnmul.f64 d7, d16, d7
    vcvt.u32.f64 s14, d7
    vcvt.f64.u32 d18, s14
    vmov r3, s14
    vfnms.f64 d16, d18, d17
    vmov.f64 d6, d16
    vcvt.u32.f64 s15, d6
    vmov r0, s15
    rsbs r0, r0, #0
    rsc r1, r3, #0
    bx lr
.Lneonsim_L1260:
    .align 3
.Lneonsim_L1259:
    .word 0
    .word 1039138816
    .word 0
    .word -1041235968

.text
__aeabi_f2lz:
    vmov s15, r0
    vldr.64 d17, .Lneonsim_L1268
    vcmpe.f32 s15, #0
    vcvt.f64.f32 d16, s15
    vldr.64 d7, .Lneonsim_L1268+8
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L1267
    vmul.f64 d7, d16, d7
    vcvt.u32.f64 s14, d7
    vcvt.f64.u32 d18, s14
    vmov r1, s14
    vfma.f64 d16, d18, d17
    vmov.f64 d7, d16
    vcvt.u32.f64 s15, d7
    vmov r0, s15
    bx lr
.Lneonsim_L1267:
    vnmul.f64 d7, d16, d7
    vcvt.u32.f64 s14, d7
    vcvt.f64.u32 d18, s14
    vmov r3, s14
    vfnms.f64 d16, d18, d17
    vmov.f64 d6, d16
    vcvt.u32.f64 s15, d6
    vmov r0, s15
    rsbs r0, r0, #0
    rsc r1, r3, #0
    bx lr
.Lneonsim_L1269:
    .align 3
.Lneonsim_L1268:
    .word 0
    .word -1041235968
    .word 0
    .word 1039138816

.text
__gnu_h2f_ieee:
    vmov s15, r0
    vcvtb.f32.f16 s15, s15
    vmov r0, s15
    bx lr

.text
__aeabi_h2f:
    vmov s15, r0
    vcvtb.f32.f16 s15, s15
    vmov r0, s15
    bx lr

.text
__gnu_f2h_ieee:
    vmov s15, r0
    vcvtb.f16.f32 s15, s15
    vmov r3, s15
    uxth r0, r3
    bx lr

.text
__aeabi_f2h:
    vmov s15, r0
    vcvtb.f16.f32 s15, s15
    vmov r3, s15
    uxth r0, r3
    bx lr

.text
__gnu_d2h_ieee:
    vmov d16, r0, r1
    vcvtb.f16.f64 s15, d16
    vmov r0, s15
    uxth r0, r0
    bx lr

.text
__aeabi_d2h:
    vmov d16, r0, r1
    vcvtb.f16.f64 s15, d16
    vmov r0, s15
    uxth r0, r0
    bx lr

.text
__fixhfdi:
    vcvtb.f32.f16 s14, s0
    vcvtb.f64.f16 d16, s0
    vldr.64 d17, .Lneonsim_L1283
    vcmpe.f32 s14, #0
    vldr.64 d7, .Lneonsim_L1283+8
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L1282
    vmul.f64 d7, d16, d7
    vcvt.u32.f64 s14, d7
    vcvt.f64.u32 d18, s14
    vmov r1, s14
    vfma.f64 d16, d18, d17
    vmov.f64 d7, d16
    vcvt.u32.f64 s15, d7
    vmov r0, s15
    bx lr
.Lneonsim_L1282:
    vnmul.f64 d7, d16, d7
    vcvt.u32.f64 s14, d7
    vcvt.f64.u32 d18, s14
    vmov r3, s14
    vfnms.f64 d16, d18, d17
    vmov.f64 d6, d16
    vcvt.u32.f64 s15, d6
    vmov r0, s15
    rsbs r0, r0, #0
    rsc r1, r3, #0
    bx lr
.Lneonsim_L1284:
    .align 3
.Lneonsim_L1283:
    .word 0
    .word -1041235968
    .word 0
    .word 1039138816

.text
__fixunshfdi:
    vcvtb.f64.f16 d16, s0
    vldr.64 d17, .Lneonsim_L1286
    vldr.64 d18, .Lneonsim_L1286+8
    vmul.f64 d7, d16, d17
    vcvt.u32.f64 s14, d7
    vcvt.f64.u32 d17, s14
    vmov r1, s14
    vfma.f64 d16, d17, d18
    vmov.f64 d7, d16
    vcvt.u32.f64 s15, d7
    vmov r0, s15
    bx lr
.Lneonsim_L1287:
    .align 3
.Lneonsim_L1286:
    .word 0
    .word 1039138816
    .word 0
    .word -1041235968

.text
__floatdihf:
    rsbs r3, r0, #65536
    rscs r3, r1, #0
    blt .Lneonsim_L1290
    cmn r0, #65536
    adcs r1, r1, #0
    blt .Lneonsim_L1291
    vmov s15, r0
    vcvt.f32.s32 s0, s15
    vcvtb.f16.f32 s0, s0
    vmov r3, s0
    uxth r3, r3
    vmov s0, r3
    bx lr
.Lneonsim_L1290:
    vldr.32 s0, .Lneonsim_L1292
    bx lr
.Lneonsim_L1291:
    vldr.32 s0, .Lneonsim_L1292+4
    bx lr
.Lneonsim_L1293:
.Lneonsim_L1292:
    .word 31744
    .word 64512

.text
__floatundihf:
    rsbs r3, r0, #65536
    rscs r1, r1, #0
    vmovcs s15, r0
    vcvtcs.f32.s32 s0, s15
    vcvtbcs.f16.f32 s0, s0
    vmovcs r3, s0
    uxthcs r3, r3
    vmovcs s0, r3
    vldrcc.32 s0, .Lneonsim_L1297
    bx lr
.Lneonsim_L1298:
.Lneonsim_L1297:
    .word 31744

.section .neonsim.two_over_pi,"a"
    .align 2
.Lneonsim_two_over_pi:
    .word -1560706194
    .word 1313084713
    .word -64530479
    .word -181084736
    .word -614296167
    .word 1011060801
    .word -28220501
    .word -558119583
    .word -1222349254
    .word 1112396512
    .word 105459434
    .word 164729372
    .word -31593700
    .word -1322670274
    .word -394119691
    .word 784024708
    .word -375623642
    .word -1268810175
    .word 965858873
    .word -2091697676
    .word -1669046389
    .word -1107744709
    .word 536385535
    .word -570058737
    .word -282127989
    .word 1510632735
    .word 1832287951
    .word 667617719
    .word 1330003814
    .word -1637881299
    .word 1965537991
    .word -337251973
    .word 1023883767
    .word -1974299926
    .word 1811636145
    .word 529358088
    .word 1443049542
    .word -59020373
