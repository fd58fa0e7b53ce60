// Made of library.c by tests/asm/library/record.py, for aarch32.

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
fmodf:
    vcvt.f64.f32 d1, s1
    push {r4, lr}
    vcvt.f64.f32 d0, s0
    bl fmod
    vcvt.f32.f64 s0, d0
    pop {r4, pc}

.text
exp:
    vldr.64 d17, .Lneonsim_L292
    vmov.f64 d16, d0
    vcmpe.f64 d0, d17
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L291
    vldr.64 d17, .Lneonsim_L292+8
    vcmpe.f64 d0, d17
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L289
    vmov.i64 d1, #0
    b .Lneonsim_exponential
.Lneonsim_L289:
    vmov.i64 d0, #0
    bx lr
.Lneonsim_L291:
    vcmp.f64 d0, d0
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L285
    vldr.64 d17, .Lneonsim_L292+16
    vcmpe.f64 d0, d17
    vmrs APSR_nzcv, FPSCR
    bgt .Lneonsim_L285
    vldr.64 d0, .Lneonsim_L292+24
    vadd.f64 d0, d0, d0
    bx lr
.Lneonsim_L285:
    vadd.f64 d0, d16, d16
    bx lr
.Lneonsim_L293:
    .align 3
.Lneonsim_L292:
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
    vldr.32 s15, .Lneonsim_L307
    vcmpe.f32 s0, s15
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L306
    vldr.32 s15, .Lneonsim_L307+4
    vcmpe.f32 s0, s15
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L300
    vmov.i64 d1, #0
    push {r4, lr}
    vcvt.f64.f32 d0, s0
    bl .Lneonsim_exponential
    vcvt.f32.f64 s0, d0
    pop {r4, pc}
.Lneonsim_L300:
    vldr.32 s0, .Lneonsim_L307+8
    bx lr
.Lneonsim_L306:
    vcmp.f32 s0, s0
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L296
    vldr.32 s15, .Lneonsim_L307+12
    vcmpe.f32 s0, s15
    vmrs APSR_nzcv, FPSCR
    bgt .Lneonsim_L296
    vldr.32 s0, .Lneonsim_L307+16
    bx lr
.Lneonsim_L296:
    vadd.f32 s0, s0, s0
    bx lr
.Lneonsim_L308:
.Lneonsim_L307:
    .word 1118961664
    .word -1026555904
    .word 0
    .word 2139095039
    .word 2139095040

.text
exp2f:
    vldr.32 s15, .Lneonsim_L322+16
    vcmpe.f32 s0, s15
    vmrs APSR_nzcv, FPSCR
    bpl .Lneonsim_L321
    vldr.32 s15, .Lneonsim_L322+20
    vcmpe.f32 s0, s15
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L315
    vcvt.f64.f32 d0, s0
    vldr.64 d16, .Lneonsim_L322
    vldr.64 d17, .Lneonsim_L322+8
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
.Lneonsim_L315:
    vldr.32 s0, .Lneonsim_L322+24
    bx lr
.Lneonsim_L321:
    vcmp.f32 s0, s0
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L311
    vldr.32 s15, .Lneonsim_L322+28
    vcmpe.f32 s0, s15
    vmrs APSR_nzcv, FPSCR
    bgt .Lneonsim_L311
    vldr.32 s0, .Lneonsim_L322+32
    bx lr
.Lneonsim_L311:
    vadd.f32 s0, s0, s0
    bx lr
.Lneonsim_L323:
    .align 3
.Lneonsim_L322:
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
    ble .Lneonsim_L325
    vldr.64 d17, .Lneonsim_L330
    vcmpe.f64 d0, d17
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L325
    b .Lneonsim_logarithm
.Lneonsim_L325:
    vmov.f64 d0, d16
    b .Lneonsim_log_of_odd
.Lneonsim_L331:
    .align 3
.Lneonsim_L330:
    .word -1
    .word 2146435071

.text
logf:
    vcmpe.f32 s0, #0
    vmov.f32 s15, s0
    push {r4, lr}
    vcvt.f64.f32 d0, s0
    vmrs APSR_nzcv, FPSCR
    ble .Lneonsim_L333
    vldr.32 s14, .Lneonsim_L341
    vcmpe.f32 s15, s14
    vmrs APSR_nzcv, FPSCR
    bls .Lneonsim_L340
.Lneonsim_L333:
    bl .Lneonsim_log_of_odd
    vcvt.f32.f64 s0, d0
    pop {r4, pc}
.Lneonsim_L340:
    bl .Lneonsim_logarithm
    vcvt.f32.f64 s0, d0
    pop {r4, pc}
.Lneonsim_L342:
.Lneonsim_L341:
    .word 2139095039

.text
log2f:
    vcmpe.f32 s0, #0
    vmov.f32 s15, s0
    push {r4, lr}
    vcvt.f64.f32 d0, s0
    vmrs APSR_nzcv, FPSCR
    ble .Lneonsim_L344
    vldr.32 s14, .Lneonsim_L355+32
    vcmpe.f32 s15, s14
    vmrs APSR_nzcv, FPSCR
    bls .Lneonsim_L346
.Lneonsim_L344:
    bl .Lneonsim_log_of_odd
    vcvt.f32.f64 s0, d0
    pop {r4, pc}
.Lneonsim_L346:
    vldr.64 d16, .Lneonsim_L355
    movw r1, #15309
    movt r1, 26239
    vmov.f64 d17, #2.0e+0
    vcmpe.f64 d0, d16
    vmrs APSR_nzcv, FPSCR
    vldrmi.64 d16, .Lneonsim_L355+8
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
    vldr.64 d19, .Lneonsim_L355+16
    vadd.f64 d17, d26, d26
    vldr.64 d18, .Lneonsim_L355+24
    vcvt.f64.s32 d16, s15
    vfma.f64 d0, d27, d19
    vfma.f64 d17, d26, d0
    vfma.f64 d16, d17, d18
    vcvt.f32.f64 s0, d16
    pop {r4, pc}
.Lneonsim_L356:
    .align 3
.Lneonsim_L355:
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
    ble .Lneonsim_L358
    vldr.32 s14, .Lneonsim_L366+8
    vcmpe.f32 s15, s14
    vmrs APSR_nzcv, FPSCR
    bls .Lneonsim_L365
.Lneonsim_L358:
    bl .Lneonsim_log_of_odd
    vcvt.f32.f64 s0, d0
    pop {r4, pc}
.Lneonsim_L365:
    bl .Lneonsim_logarithm
    vldr.64 d16, .Lneonsim_L366
    vmul.f64 d0, d0, d16
    vcvt.f32.f64 s0, d0
    pop {r4, pc}
.Lneonsim_L367:
    .align 3
.Lneonsim_L366:
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
    bne .Lneonsim_L368
    vabs.f64 d9, d9
    vldr.64 d16, .Lneonsim_L392
    movw r1, #15309
    movt r1, 26239
    vmov.f64 d17, #2.0e+0
    vldr.64 d24, .Lneonsim_L392+8
    vldr.64 d22, .Lneonsim_L392+16
    vcmpe.f64 d9, d16
    vmrs APSR_nzcv, FPSCR
    vldrmi.64 d16, .Lneonsim_L392+24
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
    vldr.64 d17, .Lneonsim_L392+32
    cmp r3, #0
    vmul.f64 d0, d30, d0
    vldr.64 d20, .Lneonsim_L392+40
    vldr.64 d31, [sp, #8]
    vmul.f64 d16, d19, d17
    vmov.f64 d18, d16
    vfnms.f64 d18, d19, d17
    vadd.f64 d17, d29, d16
    vldreq.64 d29, .Lneonsim_L392+48
    vsubne.f64 d16, d17, d16
    vmla.f64 d18, d19, d20
    vadd.f64 d19, d28, d17
    vldr.64 d20, .Lneonsim_L392+56
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
    bgt .Lneonsim_L389
    vldr.64 d18, .Lneonsim_L392+64
    vcmpe.f64 d0, d18
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L390
    vabs.f64 d18, d0
    vldr.64 d20, .Lneonsim_L392+72
    vcmpe.f64 d18, d20
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L391
    vsub.f64 d19, d17, d19
    vmov.f64 d1, d0
    vfnms.f64 d1, d8, d17
    vsub.f64 d16, d16, d19
    vmla.f64 d1, d16, d8
    bl .Lneonsim_exponential
    vmul.f64 d0, d0, d31
.Lneonsim_L368:
    add sp, sp, #20
    vldm sp!, {d8-d9}
    ldr pc, [sp], #4
.Lneonsim_L389:
    vldr.64 d0, .Lneonsim_L392+80
    vmul.f64 d0, d31, d0
    vadd.f64 d0, d0, d0
    add sp, sp, #20
    vldm sp!, {d8-d9}
    ldr pc, [sp], #4
.Lneonsim_L391:
    vmov.f64 d16, #1.0e+0
    vadd.f64 d0, d0, d16
    vmul.f64 d0, d0, d31
    b .Lneonsim_L368
.Lneonsim_L390:
    vldr.64 d16, .Lneonsim_L392+88
    vmul.f64 d0, d31, d16
    vmul.f64 d0, d0, d16
    add sp, sp, #20
    vldm sp!, {d8-d9}
    ldr pc, [sp], #4
.Lneonsim_L393:
    .align 3
.Lneonsim_L392:
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
    bne .Lneonsim_L406
    vabs.f32 s0, s18
    vcvt.f64.f32 d0, s0
    bl .Lneonsim_logarithm
    vmul.f64 d0, d8, d0
    vldr.64 d16, .Lneonsim_L409
    vldr.64 d31, [sp, #8]
    vcmpe.f64 d0, d16
    vmrs APSR_nzcv, FPSCR
    bgt .Lneonsim_L407
    vldr.64 d16, .Lneonsim_L409+8
    vcmpe.f64 d0, d16
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L408
    vmov.i64 d1, #0
    bl .Lneonsim_exponential
    vmul.f64 d0, d0, d31
    vcvt.f32.f64 s0, d0
    add sp, sp, #20
    vldm sp!, {d8-d9}
    ldr pc, [sp], #4
.Lneonsim_L407:
    vldr.64 d16, .Lneonsim_L409+16
    vmul.f64 d31, d31, d16
    vcvt.f32.f64 s0, d31
    add sp, sp, #20
    vldm sp!, {d8-d9}
    ldr pc, [sp], #4
.Lneonsim_L406:
    vldr.64 d0, [sp]
    vcvt.f32.f64 s0, d0
    add sp, sp, #20
    vldm sp!, {d8-d9}
    ldr pc, [sp], #4
.Lneonsim_L408:
    vldr.64 d16, .Lneonsim_L409+24
    vmul.f64 d31, d31, d16
    vcvt.f32.f64 s0, d31
    add sp, sp, #20
    vldm sp!, {d8-d9}
    ldr pc, [sp], #4
.Lneonsim_L410:
    .align 3
.Lneonsim_L409:
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
    bne .Lneonsim_L423
    vabs.f64 d16, d0
    vldr.64 d17, .Lneonsim_L425
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
    bgt .Lneonsim_L424
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
.Lneonsim_L423:
    vadd.f64 d0, d0, d0
    bx lr
.Lneonsim_L424:
    orr r3, r4, #1069547520
    mov r2, r1
    orr r3, r3, #3145728
    vmov d0, r2, r3
    pop {r4, pc}
.Lneonsim_L426:
    .align 3
.Lneonsim_L425:
    .word 0
    .word 1043333120

.text
tanhf:
    vcmp.f32 s0, s0
    vmrs APSR_nzcv, FPSCR
    bne .Lneonsim_L440
    vcvt.f64.f32 d7, s0
    vldr.64 d17, .Lneonsim_L442
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
    bgt .Lneonsim_L441
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
.Lneonsim_L440:
    vadd.f32 s0, s0, s0
    bx lr
.Lneonsim_L441:
    orr r3, r4, #1069547520
    mov r2, r1
    orr r3, r3, #3145728
    vmov d16, r2, r3
    vcvt.f32.f64 s0, d16
    pop {r4, pc}
.Lneonsim_L443:
    .align 3
.Lneonsim_L442:
    .word 0
    .word 1043333120

.text
sin:
    vabs.f64 d17, d0
    vldr.64 d18, .Lneonsim_L453
    vcmpe.f64 d17, d18
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L452
    vldr.64 d18, .Lneonsim_L453+8
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
.Lneonsim_L452:
    vsub.f64 d0, d0, d0
    bx lr
.Lneonsim_L454:
    .align 3
.Lneonsim_L453:
    .word -1
    .word 2146435071
    .word 0
    .word 1044381696

.text
cos:
    vabs.f64 d18, d0
    vldr.64 d17, .Lneonsim_L461
    vcmpe.f64 d18, d17
    vmrs APSR_nzcv, FPSCR
    bls .Lneonsim_L456
    vsub.f64 d0, d0, d0
    bx lr
.Lneonsim_L456:
    str lr, [sp, #-4]!
    sub sp, sp, #20
    mov r0, sp
    bl .Lneonsim_reduced
    mov r1, sp
    add r0, r0, #1
    bl .Lneonsim_turned
    add sp, sp, #20
    ldr pc, [sp], #4
.Lneonsim_L462:
    .align 3
.Lneonsim_L461:
    .word -1
    .word 2146435071

.text
sinf:
    vabs.f32 s14, s0
    vldr.32 s15, .Lneonsim_L474+16
    vcmpe.f32 s14, s15
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L473
    vcvt.f64.f32 d17, s0
    vldr.64 d18, .Lneonsim_L474
    vabs.f64 d16, d17
    vcmpe.f64 d16, d18
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L473
    vldr.64 d18, .Lneonsim_L474+8
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
.Lneonsim_L473:
    vsub.f32 s0, s0, s0
    bx lr
.Lneonsim_L475:
    .align 3
.Lneonsim_L474:
    .word -1
    .word 2146435071
    .word 0
    .word 1044381696
    .word 2139095039

.text
cosf:
    vabs.f32 s14, s0
    vldr.32 s15, .Lneonsim_L485+8
    vcmpe.f32 s14, s15
    vmrs APSR_nzcv, FPSCR
    bls .Lneonsim_L477
    vsub.f32 s0, s0, s0
    bx lr
.Lneonsim_L477:
    vcvt.f64.f32 d0, s0
    vldr.64 d16, .Lneonsim_L485
    vabs.f64 d17, d0
    vcmpe.f64 d17, d16
    vmrs APSR_nzcv, FPSCR
    bls .Lneonsim_L479
    vsub.f64 d0, d0, d0
    vcvt.f32.f64 s0, d0
    bx lr
.Lneonsim_L479:
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
.Lneonsim_L486:
    .align 3
.Lneonsim_L485:
    .word -1
    .word 2146435071
    .word 2139095039

.text
tanf:
    vabs.f32 s15, s0
    vldr.32 s14, .Lneonsim_L496
    vcmpe.f32 s15, s14
    vmrs APSR_nzcv, FPSCR
    bhi .Lneonsim_L495
    vldr.32 s14, .Lneonsim_L496+4
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
.Lneonsim_L495:
    vsub.f32 s0, s0, s0
    bx lr
.Lneonsim_L497:
.Lneonsim_L496:
    .word 2139095039
    .word 956301312

.text
__aeabi_memcpy:
    cmp r2, #15
    bls .Lneonsim_L503
    str lr, [sp, #-4]!
    sub lr, r2, #16
    bic lr, lr, #15
    add lr, lr, #16
    mov ip, r0
    add r3, r1, lr
.Lneonsim_L500:
    vld1.8 {d16-d17}, [r1]!
    cmp r1, r3
    vst1.8 {d16-d17}, [ip]!
    bne .Lneonsim_L500
    and r2, r2, #15
    add r0, r0, lr
    cmp r2, #0
    ldreq pc, [sp], #4
    sub r0, r0, #1
    add r2, r3, r2
.Lneonsim_L502:
    ldrb r1, [r3], #1
    strb r1, [r0, #1]!
    cmp r3, r2
    bne .Lneonsim_L502
    ldr pc, [sp], #4
.Lneonsim_L503:
    cmp r2, #0
    mov r3, r1
    bxeq lr
    sub r0, r0, #1
    add r2, r1, r2
.Lneonsim_L513:
    ldrb r1, [r3], #1
    strb r1, [r0, #1]!
    cmp r3, r2
    bne .Lneonsim_L513
    bx lr

.text
__aeabi_memcpy4:
    cmp r2, #15
    bls .Lneonsim_L523
    str lr, [sp, #-4]!
    sub lr, r2, #16
    bic lr, lr, #15
    add lr, lr, #16
    mov ip, r0
    add r3, r1, lr
.Lneonsim_L520:
    vld1.8 {d16-d17}, [r1]!
    cmp r1, r3
    vst1.8 {d16-d17}, [ip]!
    bne .Lneonsim_L520
    and r2, r2, #15
    add r0, r0, lr
    cmp r2, #0
    ldreq pc, [sp], #4
    sub r0, r0, #1
    add r2, r3, r2
.Lneonsim_L522:
    ldrb r1, [r3], #1
    strb r1, [r0, #1]!
    cmp r3, r2
    bne .Lneonsim_L522
    ldr pc, [sp], #4
.Lneonsim_L523:
    cmp r2, #0
    mov r3, r1
    bxeq lr
    sub r0, r0, #1
    add r2, r1, r2
.Lneonsim_L533:
    ldrb r1, [r3], #1
    strb r1, [r0, #1]!
    cmp r3, r2
    bne .Lneonsim_L533
    bx lr

.text
__aeabi_memcpy8:
    cmp r2, #15
    bls .Lneonsim_L543
    str lr, [sp, #-4]!
    sub lr, r2, #16
    bic lr, lr, #15
    add lr, lr, #16
    mov ip, r0
    add r3, r1, lr
.Lneonsim_L540:
    vld1.8 {d16-d17}, [r1]!
    cmp r1, r3
    vst1.8 {d16-d17}, [ip]!
    bne .Lneonsim_L540
    and r2, r2, #15
    add r0, r0, lr
    cmp r2, #0
    ldreq pc, [sp], #4
    sub r0, r0, #1
    add r2, r3, r2
.Lneonsim_L542:
    ldrb r1, [r3], #1
    strb r1, [r0, #1]!
    cmp r3, r2
    bne .Lneonsim_L542
    ldr pc, [sp], #4
.Lneonsim_L543:
    cmp r2, #0
    mov r3, r1
    bxeq lr
    sub r0, r0, #1
    add r2, r1, r2
.Lneonsim_L553:
    ldrb r1, [r3], #1
    strb r1, [r0, #1]!
    cmp r3, r2
    bne .Lneonsim_L553
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
    bls .Lneonsim_L567
    sub r3, r1, #16
    bic r3, r3, #15
    add r3, r3, #16
    add r3, r0, r3
.Lneonsim_L563:
    vst1.8 {d16-d17}, [r0]!
    cmp r0, r3
    bne .Lneonsim_L563
    and r1, r1, #15
    cmp r1, #0
    bxeq lr
.Lneonsim_L570:
    add r1, r3, r1
.Lneonsim_L565:
    strb r2, [r3], #1
    cmp r3, r1
    bne .Lneonsim_L565
    bx lr
.Lneonsim_L567:
    mov r3, r0
    cmp r1, #0
    bne .Lneonsim_L570
    bx lr

.text
__aeabi_memset4:
    vdup.8 q8, r2
    cmp r1, #15
    uxtb r2, r2
    bls .Lneonsim_L577
    sub r3, r1, #16
    bic r3, r3, #15
    add r3, r3, #16
    add r3, r0, r3
.Lneonsim_L573:
    vst1.8 {d16-d17}, [r0]!
    cmp r0, r3
    bne .Lneonsim_L573
    and r1, r1, #15
    cmp r1, #0
    bxeq lr
.Lneonsim_L580:
    add r1, r3, r1
.Lneonsim_L575:
    strb r2, [r3], #1
    cmp r3, r1
    bne .Lneonsim_L575
    bx lr
.Lneonsim_L577:
    mov r3, r0
    cmp r1, #0
    bne .Lneonsim_L580
    bx lr

.text
__aeabi_memset8:
    vdup.8 q8, r2
    cmp r1, #15
    uxtb r2, r2
    bls .Lneonsim_L587
    sub r3, r1, #16
    bic r3, r3, #15
    add r3, r3, #16
    add r3, r0, r3
.Lneonsim_L583:
    vst1.8 {d16-d17}, [r0]!
    cmp r0, r3
    bne .Lneonsim_L583
    and r1, r1, #15
    cmp r1, #0
    bxeq lr
.Lneonsim_L590:
    add r1, r3, r1
.Lneonsim_L585:
    strb r2, [r3], #1
    cmp r3, r1
    bne .Lneonsim_L585
    bx lr
.Lneonsim_L587:
    mov r3, r0
    cmp r1, #0
    bne .Lneonsim_L590
    bx lr

.text
__aeabi_memclr:
    cmp r1, #15
    bls .Lneonsim_L596
    vmov.i32 q8, #0
    sub r3, r1, #16
    bic r3, r3, #15
    add r3, r3, #16
    add r3, r0, r3
.Lneonsim_L593:
    vst1.8 {d16-d17}, [r0]!
    cmp r0, r3
    bne .Lneonsim_L593
    and r1, r1, #15
    cmp r1, #0
    bxeq lr
.Lneonsim_L602:
    add r1, r3, r1
    mov r2, #0
.Lneonsim_L595:
    strb r2, [r3], #1
    cmp r3, r1
    bne .Lneonsim_L595
    bx lr
.Lneonsim_L596:
    mov r3, r0
    cmp r1, #0
    bne .Lneonsim_L602
    bx lr

.text
__aeabi_memclr4:
    cmp r1, #15
    bls .Lneonsim_L608
    vmov.i32 q8, #0
    sub r3, r1, #16
    bic r3, r3, #15
    add r3, r3, #16
    add r3, r0, r3
.Lneonsim_L605:
    vst1.8 {d16-d17}, [r0]!
    cmp r0, r3
    bne .Lneonsim_L605
    and r1, r1, #15
    cmp r1, #0
    bxeq lr
.Lneonsim_L614:
    add r1, r3, r1
    mov r2, #0
.Lneonsim_L607:
    strb r2, [r3], #1
    cmp r3, r1
    bne .Lneonsim_L607
    bx lr
.Lneonsim_L608:
    mov r3, r0
    cmp r1, #0
    bne .Lneonsim_L614
    bx lr

.text
__aeabi_memclr8:
    cmp r1, #15
    bls .Lneonsim_L620
    vmov.i32 q8, #0
    sub r3, r1, #16
    bic r3, r3, #15
    add r3, r3, #16
    add r3, r0, r3
.Lneonsim_L617:
    vst1.8 {d16-d17}, [r0]!
    cmp r0, r3
    bne .Lneonsim_L617
    and r1, r1, #15
    cmp r1, #0
    bxeq lr
.Lneonsim_L626:
    add r1, r3, r1
    mov r2, #0
.Lneonsim_L619:
    strb r2, [r3], #1
    cmp r3, r1
    bne .Lneonsim_L619
    bx lr
.Lneonsim_L620:
    mov r3, r0
    cmp r1, #0
    bne .Lneonsim_L626
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
    bge .Lneonsim_L658
    rsbs r0, r0, #0
    rsc r1, r1, #0
.Lneonsim_L658:
    cmp r5, #0
    mov r3, r5
    bge .Lneonsim_L659
    rsbs r2, r2, #0
    rsc r3, r5, #0
.Lneonsim_L659:
    add ip, sp, #8
    str ip, [sp]
    bl .Lneonsim_divided
    teq r4, r5
    mov r2, r0
    mov r3, r1
    bpl .Lneonsim_L660
    rsbs r0, r0, #0
    rsc r1, r1, #0
    mov r2, r0
    mov r3, r1
.Lneonsim_L660:
    ldrd r0, [sp, #8]
    cmp r4, #0
    bge .Lneonsim_L661
    rsbs lr, r0, #0
    rsc ip, r1, #0
    mov r0, lr
    mov r1, ip
.Lneonsim_L661:
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
    vldr.64 d18, .Lneonsim_L696
    vcvt.f64.s32 d17, s14
    vcvt.f64.u32 d16, s15
    vfma.f64 d16, d17, d18
    vmov r0, r1, d16
    bx lr
.Lneonsim_L697:
    .align 3
.Lneonsim_L696:
    .word 0
    .word 1106247680

.text
__aeabi_ul2d:
    vmov s14, r1
    vmov s15, r0
    vldr.64 d18, .Lneonsim_L699
    vcvt.f64.u32 d17, s14
    vcvt.f64.u32 d16, s15
    vfma.f64 d16, d17, d18
    vmov r0, r1, d16
    bx lr
.Lneonsim_L700:
    .align 3
.Lneonsim_L699:
    .word 0
    .word 1106247680

.text
__aeabi_l2f:
    add r3, r1, #2097152
    cmp r3, #4194304
    bcc .Lneonsim_L702
    ubfx r3, r0, #0, #11
    orrs r3, r3, #0
    bicne r0, r0, #4080
    bicne r0, r0, #15
    orrne r0, r0, #2048
.Lneonsim_L702:
    vmov s15, r1
    vldr.64 d18, .Lneonsim_L703
    vcvt.f64.s32 d17, s15
    vmov s15, r0
    vcvt.f64.u32 d16, s15
    vfma.f64 d16, d17, d18
    vcvt.f32.f64 s15, d16
    vmov r0, s15
    bx lr
.Lneonsim_L704:
    .align 3
.Lneonsim_L703:
    .word 0
    .word 1106247680

.text
__aeabi_ul2f:
    cmp r1, #2097152
    bcc .Lneonsim_L706
    ubfx r3, r0, #0, #11
    orrs r3, r3, #0
    bicne r0, r0, #4080
    bicne r0, r0, #15
    orrne r0, r0, #2048
.Lneonsim_L706:
    vmov s15, r1
    vldr.64 d18, .Lneonsim_L707
    vcvt.f64.u32 d17, s15
    vmov s15, r0
    vcvt.f64.u32 d16, s15
    vfma.f64 d16, d17, d18
    vcvt.f32.f64 s15, d16
    vmov r0, s15
    bx lr
.Lneonsim_L708:
    .align 3
.Lneonsim_L707:
    .word 0
    .word 1106247680

.text
__aeabi_d2ulz:
    vldr.64 d7, .Lneonsim_L710
    vmov d16, r0, r1
    vldr.64 d17, .Lneonsim_L710+8
    vmul.f64 d7, d16, d7
    vcvt.u32.f64 s14, d7
    vcvt.f64.u32 d18, s14
    vmov r1, s14
    vfma.f64 d16, d18, d17
    vmov.f64 d7, d16
    vcvt.u32.f64 s15, d7
    vmov r0, s15
    bx lr
.Lneonsim_L711:
    .align 3
.Lneonsim_L710:
    .word 0
    .word 1039138816
    .word 0
    .word -1041235968

.text
__aeabi_f2ulz:
    vmov s15, r0
    vldr.64 d17, .Lneonsim_L713
    vldr.64 d18, .Lneonsim_L713+8
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
.Lneonsim_L714:
    .align 3
.Lneonsim_L713:
    .word 0
    .word 1039138816
    .word 0
    .word -1041235968

.text
__aeabi_d2lz:
    vmov d16, r0, r1
    vldr.64 d7, .Lneonsim_L722
    vldr.64 d17, .Lneonsim_L722+8
    vcmpe.f64 d16, #0
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L721
    vmul.f64 d7, d16, d7
    vcvt.u32.f64 s14, d7
    vcvt.f64.u32 d18, s14
    vmov r1, s14
    vfma.f64 d16, d18, d17
    vmov.f64 d7, d16
    vcvt.u32.f64 s15, d7
    vmov r0, s15
    bx lr
.Lneonsim_L721:
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
.Lneonsim_L723:
    .align 3
.Lneonsim_L722:
    .word 0
    .word 1039138816
    .word 0
    .word -1041235968

.text
__aeabi_f2lz:
    vmov s15, r0
    vldr.64 d17, .Lneonsim_L731
    vcmpe.f32 s15, #0
    vcvt.f64.f32 d16, s15
    vldr.64 d7, .Lneonsim_L731+8
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L730
    vmul.f64 d7, d16, d7
    vcvt.u32.f64 s14, d7
    vcvt.f64.u32 d18, s14
    vmov r1, s14
    vfma.f64 d16, d18, d17
    vmov.f64 d7, d16
    vcvt.u32.f64 s15, d7
    vmov r0, s15
    bx lr
.Lneonsim_L730:
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
.Lneonsim_L732:
    .align 3
.Lneonsim_L731:
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
    vldr.64 d17, .Lneonsim_L746
    vcmpe.f32 s14, #0
    vldr.64 d7, .Lneonsim_L746+8
    vmrs APSR_nzcv, FPSCR
    bmi .Lneonsim_L745
    vmul.f64 d7, d16, d7
    vcvt.u32.f64 s14, d7
    vcvt.f64.u32 d18, s14
    vmov r1, s14
    vfma.f64 d16, d18, d17
    vmov.f64 d7, d16
    vcvt.u32.f64 s15, d7
    vmov r0, s15
    bx lr
.Lneonsim_L745:
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
.Lneonsim_L747:
    .align 3
.Lneonsim_L746:
    .word 0
    .word -1041235968
    .word 0
    .word 1039138816

.text
__fixunshfdi:
    vcvtb.f64.f16 d16, s0
    vldr.64 d17, .Lneonsim_L749
    vldr.64 d18, .Lneonsim_L749+8
    vmul.f64 d7, d16, d17
    vcvt.u32.f64 s14, d7
    vcvt.f64.u32 d17, s14
    vmov r1, s14
    vfma.f64 d16, d17, d18
    vmov.f64 d7, d16
    vcvt.u32.f64 s15, d7
    vmov r0, s15
    bx lr
.Lneonsim_L750:
    .align 3
.Lneonsim_L749:
    .word 0
    .word 1039138816
    .word 0
    .word -1041235968

.text
__floatdihf:
    rsbs r3, r0, #65536
    rscs r3, r1, #0
    blt .Lneonsim_L753
    cmn r0, #65536
    adcs r1, r1, #0
    blt .Lneonsim_L754
    vmov s15, r0
    vcvt.f32.s32 s0, s15
    vcvtb.f16.f32 s0, s0
    vmov r3, s0
    uxth r3, r3
    vmov s0, r3
    bx lr
.Lneonsim_L753:
    vldr.32 s0, .Lneonsim_L755
    bx lr
.Lneonsim_L754:
    vldr.32 s0, .Lneonsim_L755+4
    bx lr
.Lneonsim_L756:
.Lneonsim_L755:
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
    vldrcc.32 s0, .Lneonsim_L760
    bx lr
.Lneonsim_L761:
.Lneonsim_L760:
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
