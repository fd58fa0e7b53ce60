// Made of library.c by tests/arm/asm/library/record.py, for aarch64.

.text
.Lneonsim_log_of_odd:
    fcmp d0, d0
    bne .Lneonsim_L2
    fcmpe d0, #0.0
    bgt .Lneonsim_L2
    fcmp d0, #0.0
    bne .Lneonsim_L6
    fmul d0, d0, d0
    fmov d1, -1.0e+0
    fdiv d0, d1, d0
    ret
.Lneonsim_L2:
    fadd d0, d0, d0
    ret
.Lneonsim_L6:
    movi d1, #0
    fsub d0, d0, d0
    fdiv d0, d0, d1
    ret

.text
.Lneonsim_wide_of:
    fmov d1, 1.0e+0
    fcmpe d0, d1
    bge .Lneonsim_L15
    mov x0, 0
    mov x1, 0
    ret
.Lneonsim_L15:
    fmov x0, d0
    lsr x1, x0, 52
    sub w2, w1, #1075
    cmp w2, 75
    bgt .Lneonsim_L14
    and x0, x0, 4503599627370495
    orr x0, x0, 4503599627370496
    tbnz w2, #31, .Lneonsim_L17
    subs w1, w1, #1139
    lsr x3, x0, 1
    mov w4, 63
    sub w4, w4, w2
    lsl x1, x0, x1
    lsl x0, x0, x2
    csel x0, xzr, x0, pl
    lsr x2, x3, x4
    csel x1, x1, x2, pl
    ret
.Lneonsim_L14:
    mov x0, -1
    mov x1, x0
    ret
.Lneonsim_L17:
    mov w2, 1075
    sub w2, w2, w1
    cmp w2, #64
    mov x1, 0
    lsr x0, x0, x2
    csel x0, xzr, x0, pl
    ret

.text
.Lneonsim_far_reduced:
    sub sp, sp, #32
    adrp x9, .Lneonsim_two_over_pi
    add x11, sp, 28
    add w5, w1, 158
    mov x6, x11
    add x9, x9, :lo12:.Lneonsim_two_over_pi
    lsr x14, x0, 32
    and x12, x0, 4294967295
    mov w8, 5
    mov w0, 0
    mov w13, 32
    stp xzr, xzr, [sp, 8]
    str xzr, [sp, 24]
.Lneonsim_L23:
    asr w3, w5, 5
    and w1, w5, 31
    mov w7, 0
    tbnz w5, #31, .Lneonsim_L19
    ldr w7, [x9, w3, sxtw 2]
.Lneonsim_L19:
    add w3, w3, 1
    sub w10, w13, w1
    cmp w1, 0
    lsl w1, w7, w1
    uxtw x0, w0
    ldr w4, [x9, w3, sxtw 2]
    lsr w4, w4, w10
    orr w4, w4, w1
    csel w4, w4, w7, ne
    madd x0, x4, x12, x0
    str w0, [x6]
    cbz w8, .Lneonsim_L21
    ldr w7, [x6, -4]
    mov x1, x6
    sub w8, w8, #1
    mov w3, w8
    madd x4, x4, x14, x7
    add x0, x4, x0, lsr 32
    str w0, [x1, -4]
    cbz w3, .Lneonsim_L44
.Lneonsim_L22:
    ldr w4, [x1, -8]
    sub x1, x1, #4
    sub w3, w3, #1
    add x0, x4, x0, lsr 32
    str w0, [x1, -4]
    cbnz w3, .Lneonsim_L22
.Lneonsim_L44:
    ldr w0, [x6, -4]!
    sub w5, w5, #32
    b .Lneonsim_L23
.Lneonsim_L21:
    ldr w3, [sp, 8]
    add x4, sp, 8
    mov x1, x4
    lsr w0, w3, 30
    b .Lneonsim_L26
.Lneonsim_L45:
    mov x3, x5
.Lneonsim_L26:
    ldr w5, [x1, 4]
    extr w3, w3, w5, 30
    str w3, [x1], 4
    cmp x11, x1
    bne .Lneonsim_L45
    ldr w1, [sp, 8]
    lsr w3, w1, 31
    tbz w1, #31, .Lneonsim_L27
    add w0, w0, 1
    b .Lneonsim_L29
.Lneonsim_L28:
    ldr w1, [x4]
.Lneonsim_L29:
    mvn w1, w1
    str w1, [x4], 4
    cmp x11, x4
    bne .Lneonsim_L28
    ldr w1, [sp, 8]
    and w0, w0, 3
.Lneonsim_L27:
    ldr w4, [sp, 12]
    ucvtf d1, w1, #32
    ldp w6, w5, [sp, 20]
    mov x1, 4318952042648305664
    ucvtf d0, w4
    fmov d6, x1
    ucvtf d2, w6
    ucvtf d3, w5
    mov x1, 4030721666496593920
    ldr w4, [sp, 16]
    fmov d5, x1
    mov x1, 3886606478420738048
    fmov d4, x1
    fmul d0, d0, d6
    fmul d2, d2, d5
    fcmpe d1, #0.0
    fmul d3, d3, d4
    ucvtf d5, w4
    mov x1, 4174836854572449792
    fmov d6, x1
    fadd d4, d1, d0
    fadd d2, d2, d3
    fmul d5, d5, d6
    bgt .Lneonsim_L36
    movi d0, #0
    b .Lneonsim_L30
.Lneonsim_L36:
    fsub d1, d4, d1
    fsub d0, d0, d1
.Lneonsim_L30:
    fadd d1, d5, d2
    adrp x1, .Lneonsim_LC0
    ldr d3, [x1, #:lo12:.Lneonsim_LC0]
    fadd d0, d0, d1
    fsub d5, d1, d5
    fadd d1, d0, d4
    fsub d2, d2, d5
    fsub d4, d1, d4
    fmul d3, d1, d3
    fsub d0, d0, d4
    fadd d0, d0, d2
    cbz w3, .Lneonsim_L35
    fneg d6, d3
    fmov d5, -1.0e+0
.Lneonsim_L32:
    adrp x1, .Lneonsim_LC0
    ldr d2, [x1, #:lo12:.Lneonsim_LC0]
    adrp x1, .Lneonsim_LC1
    ldr d4, [x1, #:lo12:.Lneonsim_LC1]
    fnmsub d3, d1, d2, d3
    fmul d0, d0, d2
    fmul d1, d1, d4
    fadd d0, d1, d0
    fadd d0, d0, d3
    fmul d0, d0, d5
    stp d6, d0, [x2]
    add sp, sp, 32
    ret
.Lneonsim_L35:
    fmov d6, d3
    fmov d5, 1.0e+0
    b .Lneonsim_L32

.text
.Lneonsim_reduced:
    fabs d2, d0
    mov x1, 4719772409484279808
    fmov d1, x1
    mov x2, x0
    fcmpe d2, d1
    bmi .Lneonsim_L50
    fmov x15, d0
    stp x29, x30, [sp, -16]!
    mov x29, sp
    and x0, x15, 4503599627370495
    ubfx x1, x15, 52, 11
    orr x0, x0, 4503599627370496
    sub w1, w1, #1075
    bl .Lneonsim_far_reduced
    tbz x15, #63, .Lneonsim_L46
    ldp d1, d0, [x2]
    neg w0, w0
    and w0, w0, 3
    fneg d1, d1
    fneg d0, d0
    stp d1, d0, [x2]
.Lneonsim_L46:
    ldp x29, x30, [sp], 16
    ret
.Lneonsim_L50:
    adrp x0, .Lneonsim_LC2
    ldr d1, [x0, #:lo12:.Lneonsim_LC2]
    mov x0, 4843621399236968448
    fmov d3, x0
    adrp x0, .Lneonsim_LC0
    fmadd d1, d0, d1, d3
    ldr d5, [x0, #:lo12:.Lneonsim_LC0]
    adrp x0, .Lneonsim_LC1
    ldr d2, [x0, #:lo12:.Lneonsim_LC1]
    adrp x0, .Lneonsim_LC3
    ldr d4, [x0, #:lo12:.Lneonsim_LC3]
    fsub d1, d1, d3
    fmsub d0, d1, d5, d0
    fmul d5, d1, d2
    fnmsub d2, d1, d2, d5
    fmul d4, d1, d4
    fcvtzs w0, d1
    and w0, w0, 3
    fsub d1, d0, d5
    fsub d3, d0, d1
    str d1, [x2]
    fadd d1, d1, d3
    fsub d3, d3, d5
    fsub d0, d0, d1
    fadd d0, d0, d3
    fsub d0, d0, d2
    fadd d0, d0, d4
    str d0, [x2, 8]
    ret

.text
.Lneonsim_turned:
    ldp d2, d0, [x1]
    fmul d1, d2, d2
    tbz x0, 0, .Lneonsim_L57
    adrp x1, .Lneonsim_LC4
    fnmul d0, d2, d0
    fmov d5, 5.0e-1
    fmul d20, d1, d1
    ldr d3, [x1, #:lo12:.Lneonsim_LC4]
    adrp x1, .Lneonsim_LC5
    fmul d5, d1, d5
    tst x0, 2
    ldr d19, [x1, #:lo12:.Lneonsim_LC5]
    adrp x1, .Lneonsim_LC6
    fmadd d19, d1, d3, d19
    fmov d3, 1.0e+0
    ldr d18, [x1, #:lo12:.Lneonsim_LC6]
    adrp x1, .Lneonsim_LC7
    ldr d17, [x1, #:lo12:.Lneonsim_LC7]
    adrp x1, .Lneonsim_LC8
    ldr d16, [x1, #:lo12:.Lneonsim_LC8]
    adrp x1, .Lneonsim_LC9
    ldr d7, [x1, #:lo12:.Lneonsim_LC9]
    adrp x1, .Lneonsim_LC10
    fmadd d2, d1, d19, d18
    fsub d18, d3, d5
    ldr d6, [x1, #:lo12:.Lneonsim_LC10]
    mov x1, 6148914691236517205
    movk x1, 0x3fa5, lsl 48
    fmov d4, x1
    fsub d3, d3, d18
    fmadd d2, d1, d2, d17
    fsub d3, d3, d5
    fmadd d2, d1, d2, d16
    fmadd d2, d1, d2, d7
    fmadd d2, d1, d2, d6
    fmadd d1, d1, d2, d4
    fmadd d0, d1, d20, d0
    fadd d3, d3, d0
    fadd d0, d3, d18
    fneg d1, d0
    fcsel d0, d1, d0, ne
    ret
.Lneonsim_L57:
    adrp x1, .Lneonsim_LC11
    fmov d17, -5.0e-1
    fmul d19, d1, d2
    tst x0, 2
    ldr d3, [x1, #:lo12:.Lneonsim_LC11]
    adrp x1, .Lneonsim_LC12
    fmul d17, d1, d17
    ldr d18, [x1, #:lo12:.Lneonsim_LC12]
    adrp x1, .Lneonsim_LC13
    fmadd d18, d1, d3, d18
    ldr d16, [x1, #:lo12:.Lneonsim_LC13]
    adrp x1, .Lneonsim_LC14
    fmadd d0, d0, d17, d0
    ldr d7, [x1, #:lo12:.Lneonsim_LC14]
    adrp x1, .Lneonsim_LC15
    ldr d6, [x1, #:lo12:.Lneonsim_LC15]
    adrp x1, .Lneonsim_LC16
    ldr d5, [x1, #:lo12:.Lneonsim_LC16]
    mov x1, 1229782938247303441
    fmadd d16, d1, d18, d16
    movk x1, 0x3f81, lsl 48
    fmov d4, x1
    mov x1, 6148914691236517205
    movk x1, 0xbfc5, lsl 48
    fmov d3, x1
    fmadd d7, d1, d16, d7
    fmadd d6, d1, d7, d6
    fmadd d5, d1, d6, d5
    fmadd d4, d1, d5, d4
    fmadd d1, d1, d4, d3
    fmadd d0, d1, d19, d0
    fadd d0, d0, d2
    fneg d1, d0
    fcsel d0, d1, d0, ne
    ret

.text
.Lneonsim_odd_power:
    fmov d2, 1.0e+0
    mov x2, 4845873199050653696
    fmov d3, x2
    mov x4, x0
    str d2, [x1]
    fabs d2, d1
    mov w2, 2
    fcmpe d2, d3
    bge .Lneonsim_L63
    frintz d3, d2
    mov w2, 0
    fcmp d2, d3
    bne .Lneonsim_L63
    fcvtzs x2, d2
    mov x3, 2
    and x2, x2, 1
    sub w2, w3, w2
.Lneonsim_L63:
    fcmp d1, #0.0
    fmov d2, 1.0e+0
    fccmp d0, d2, 4, ne
    beq .Lneonsim_L84
    fcmp d0, d0
    fccmp d1, d1, 0, eq
    bne .Lneonsim_L97
    mov x0, 9218868437227405312
    fmov d4, x0
    mov x0, -4503599627370496
    fmov d5, x0
    fcmp d1, d4
    fabs d3, d0
    fccmp d1, d5, 4, ne
    beq .Lneonsim_L98
    cmp w2, 1
    beq .Lneonsim_L99
    fcmp d0, #0.0
    beq .Lneonsim_L71
    fcmp d3, d4
    beq .Lneonsim_L72
    fcmpe d0, #0.0
    ccmp w2, 0, 0, mi
    beq .Lneonsim_L100
.Lneonsim_L73:
    mov w0, 0
    str d2, [x1]
    ret
.Lneonsim_L97:
    fadd d3, d1, d0
.Lneonsim_L64:
    mov w0, 1
    str d3, [x4]
    ret
.Lneonsim_L84:
    fmov d3, d2
    b .Lneonsim_L64
.Lneonsim_L99:
    fmov x0, d0
    tbnz x0, #63, .Lneonsim_L101
    fcmp d0, #0.0
    beq .Lneonsim_L71
.Lneonsim_L96:
    fcmp d3, d4
    bne .Lneonsim_L73
.Lneonsim_L72:
    fcmpe d1, #0.0
    bgt .Lneonsim_L92
.Lneonsim_L95:
    movi d3, #0
    fmul d3, d2, d3
    b .Lneonsim_L64
.Lneonsim_L98:
    fcmp d3, d2
    beq .Lneonsim_L64
    fcmpe d3, d2
    movi d3, #0
    cset w1, gt
    fcmpe d1, d3
    cset w0, gt
    cmp w1, w0
    fcsel d3, d3, d4, ne
    b .Lneonsim_L64
.Lneonsim_L101:
    fcmp d0, #0.0
    fmov d2, -1.0e+0
    bne .Lneonsim_L96
.Lneonsim_L71:
    fcmpe d1, #0.0
    bgt .Lneonsim_L95
    movi d3, #0
    fdiv d3, d2, d3
    b .Lneonsim_L64
.Lneonsim_L92:
    mov x0, 9218868437227405312
    fmov d3, x0
    fmul d3, d2, d3
    b .Lneonsim_L64
.Lneonsim_L100:
    fsub d0, d0, d0
    fdiv d3, d0, d0
    b .Lneonsim_L64

.text
.Lneonsim_divided_wide:
    mov x11, x0
    mov x7, x1
    orr x0, x2, x3
    cbz x0, .Lneonsim_L116
    orr x0, x1, x3
    cbz x0, .Lneonsim_L123
    cbz x1, .Lneonsim_L106
    clz x1, x1
    mov w0, w1
    cbnz x3, .Lneonsim_L107
    clz x5, x2
    add w5, w5, 64
    sub w5, w5, w1
.Lneonsim_L111:
    lsr x15, x2, 1
    mov x0, 0
    mov x1, 0
    mov w13, 63
    mov x14, 1
.Lneonsim_L115:
    sub w10, w13, w5
    lsl x6, x7, 1
    subs w9, w5, #64
    lsr x8, x11, x5
    lsl x6, x6, x10
    orr x8, x6, x8
    lsr x10, x7, x5
    csel x10, xzr, x10, pl
    lsr x6, x7, x9
    csel x8, x6, x8, pl
    cmp x3, x10
    bhi .Lneonsim_L113
    sub w12, w13, w5
    lsl x10, x3, x5
    lsl x6, x2, x5
    bne .Lneonsim_L119
    cmp x2, x8
    bhi .Lneonsim_L113
.Lneonsim_L119:
    cmp w9, 0
    lsr x8, x15, x12
    csel x6, xzr, x6, ge
    orr x10, x8, x10
    lsl x8, x2, x9
    csel x10, x8, x10, ge
    subs x6, x11, x6
    lsl x8, x14, x9
    sbc x7, x7, x10
    cmp w9, 0
    csel x9, x8, xzr, ge
    lsl x8, x14, x5
    csel x8, xzr, x8, ge
    mov x11, x6
    orr x1, x1, x9
    orr x0, x0, x8
.Lneonsim_L113:
    sub w5, w5, #1
    cmn w5, #1
    bne .Lneonsim_L115
    b .Lneonsim_L109
.Lneonsim_L123:
    udiv x5, x11, x2
    mov x3, 0
    mov x1, 0
    msub x2, x5, x2, x11
    mov x0, x5
    stp x2, x3, [x4]
    ret
.Lneonsim_L116:
    mov x0, x2
    mov x1, x3
    stp x2, x3, [x4]
    ret
.Lneonsim_L106:
    cbz x3, .Lneonsim_L124
.Lneonsim_L118:
    mov x0, 0
    mov x1, 0
.Lneonsim_L109:
    mov x2, x11
    mov x3, x7
    stp x2, x3, [x4]
    ret
.Lneonsim_L107:
    clz x5, x3
.Lneonsim_L112:
    subs w5, w5, w0
    bpl .Lneonsim_L111
    b .Lneonsim_L118
.Lneonsim_L124:
    orr x0, x11, 1
    clz x5, x2
    clz x0, x0
    add w5, w5, 64
    add w0, w0, 64
    b .Lneonsim_L112

.text
.Lneonsim_single_of_wide:
    cbz x1, .Lneonsim_L128
    clz x6, x1
    mov w3, 64
    sub w3, w3, w6
    lsl x4, x1, 1
    lsl x2, x0, x6
    mov w5, 63
    cmp x2, 0
    sub w5, w5, w3
    mov w2, 1087
    sub w2, w2, w6
    fmov d0, x2
    sub w7, w3, #64
    lsl x4, x4, x5
    shl d1, d0, 52
    lsr x0, x0, x3
    cset x3, ne
    orr x0, x4, x0
    cmp w7, 0
    lsr x1, x1, x7
    csel x0, x1, x0, ge
    orr x0, x3, x0
    fcvt s1, d1
    ucvtf s0, x0
    fmul s0, s0, s1
    ret
.Lneonsim_L128:
    ucvtf s0, x0
    ret

.text
.Lneonsim_double_of_wide:
    fmov d0, x0
    cbz x1, .Lneonsim_L132
    clz x3, x1
    mov w0, 64
    sub w0, w0, w3
    lsl x4, x1, 1
    mov w2, 63
    sub w2, w2, w0
    fmov x6, d0
    sub w5, w0, #64
    lsl x4, x4, x2
    fmov x2, d0
    lsr x1, x1, x5
    lsl x6, x6, x3
    cmp x6, 0
    lsr x0, x2, x0
    cset x2, ne
    orr x0, x4, x0
    cmp w5, 0
    csel x0, x1, x0, ge
    mov w1, 1087
    orr x0, x2, x0
    sub w1, w1, w3
    fmov d1, x1
    ucvtf d0, x0
    shl d1, d1, 52
    fmul d0, d0, d1
    ret
.Lneonsim_L132:
    ucvtf d0, d0
    ret

.text
.Lneonsim_logarithm:
    mov x0, 4503599627370496
    fmov d1, x0
    fcmpe d0, d1
    bmi .Lneonsim_L137
    mov w4, 0
.Lneonsim_L134:
    fmov x0, d0
    mov x3, 15308
    movk x3, 0x667f, lsl 16
    mov w2, 1023
    movk x3, 0xa09e, lsl 32
    fmov d0, 1.0e+0
    movk x3, 0x6, lsl 48
    fmov d23, 2.0e+0
    and x1, x0, 4503599627370495
    lsr x0, x0, 52
    cmp x1, x3
    sub w0, w0, #1023
    cset w3, hi
    adrp x5, .Lneonsim_LC17
    sub w2, w2, w3
    add w0, w0, w3
    sub w0, w0, w4
    ldr d4, [x5, #:lo12:.Lneonsim_LC17]
    orr x2, x1, x2, lsl 52
    fmov d1, x2
    mov x1, 2170205185142300190
    adrp x5, .Lneonsim_LC18
    fsub d2, d1, d0
    movk x1, 0x3fbe, lsl 48
    fmov d7, x1
    mov x1, 1229782938247303441
    movk x1, 0x3fc1, lsl 48
    fmov d6, x1
    adrp x1, .Lneonsim_LC20
    scvtf d0, w0
    fadd d23, d2, d23
    ldr d22, [x5, #:lo12:.Lneonsim_LC18]
    ldr d20, [x1, #:lo12:.Lneonsim_LC20]
    adrp x1, .Lneonsim_LC21
    adrp x5, .Lneonsim_LC19
    fmov d3, 5.0e-1
    ldr d19, [x1, #:lo12:.Lneonsim_LC21]
    adrp x1, .Lneonsim_LC22
    fdiv d23, d2, d23
    ldr d21, [x5, #:lo12:.Lneonsim_LC19]
    ldr d18, [x1, #:lo12:.Lneonsim_LC22]
    adrp x1, .Lneonsim_LC23
    fmul d3, d2, d3
    ldr d17, [x1, #:lo12:.Lneonsim_LC23]
    adrp x1, .Lneonsim_LC24
    ldr d16, [x1, #:lo12:.Lneonsim_LC24]
    mov x1, 6148914691236517205
    movk x1, 0x3fe5, lsl 48
    fmov d24, x1
    adrp x1, .Lneonsim_LC25
    fmul d3, d3, d2
    ldr d1, [x1, #:lo12:.Lneonsim_LC25]
    adrp x1, .Lneonsim_LC26
    ldr d25, [x1, #:lo12:.Lneonsim_LC26]
    fmul d5, d0, d1
    fmul d0, d0, d25
    fmul d1, d23, d23
    fmadd d22, d1, d4, d22
    fmul d4, d1, d1
    fmadd d21, d1, d22, d21
    fmadd d7, d1, d21, d7
    fmadd d6, d1, d7, d6
    fmadd d6, d1, d6, d20
    fmadd d6, d1, d6, d19
    fmadd d6, d1, d6, d18
    fmadd d6, d1, d6, d17
    fmadd d6, d1, d6, d16
    fmul d4, d4, d6
    fmadd d1, d1, d24, d4
    fadd d1, d3, d1
    fmadd d1, d1, d23, d5
    fsub d3, d3, d1
    fsub d3, d3, d2
    fsub d0, d0, d3
    ret
.Lneonsim_L137:
    mov x0, 4850376798678024192
    fmov d1, x0
    mov w4, 54
    fmul d0, d0, d1
    b .Lneonsim_L134

.text
.Lneonsim_exponential_less_one:
    adrp x0, .Lneonsim_LC27
    fmov d16, 5.0e-1
    fmov d26, 1.0e+0
    ldr d1, [x0, #:lo12:.Lneonsim_LC27]
    mov x0, 4843621399236968448
    fmov d2, x0
    adrp x0, .Lneonsim_LC26
    ldr d3, [x0, #:lo12:.Lneonsim_LC26]
    adrp x0, .Lneonsim_LC25
    fmadd d1, d0, d1, d2
    ldr d4, [x0, #:lo12:.Lneonsim_LC25]
    adrp x0, .Lneonsim_LC28
    ldr d25, [x0, #:lo12:.Lneonsim_LC28]
    adrp x0, .Lneonsim_LC13
    ldr d24, [x0, #:lo12:.Lneonsim_LC13]
    adrp x0, .Lneonsim_LC7
    ldr d23, [x0, #:lo12:.Lneonsim_LC7]
    adrp x0, .Lneonsim_LC29
    fsub d1, d1, d2
    ldr d22, [x0, #:lo12:.Lneonsim_LC29]
    adrp x0, .Lneonsim_LC30
    ldr d21, [x0, #:lo12:.Lneonsim_LC30]
    adrp x0, .Lneonsim_LC15
    fmsub d2, d1, d3, d0
    fnmul d4, d1, d4
    ldr d20, [x0, #:lo12:.Lneonsim_LC15]
    adrp x0, .Lneonsim_LC9
    ldr d19, [x0, #:lo12:.Lneonsim_LC9]
    adrp x0, .Lneonsim_LC31
    ldr d18, [x0, #:lo12:.Lneonsim_LC31]
    adrp x0, .Lneonsim_LC32
    ldr d17, [x0, #:lo12:.Lneonsim_LC32]
    mov x0, 1229782938247303441
    movk x0, 0x3f81, lsl 48
    fmov d7, x0
    mov x0, 6148914691236517205
    movk x0, 0x3fa5, lsl 48
    fmov d6, x0
    mov x0, 6148914691236517205
    movk x0, 0x3fc5, lsl 48
    fmov d5, x0
    fcvtzs w0, d1
    fadd d1, d4, d2
    fmadd d24, d1, d25, d24
    fsub d2, d2, d1
    fmul d25, d1, d1
    add w0, w0, 1023
    fmov d0, x0
    fadd d2, d2, d4
    shl d3, d0, 52
    fmadd d23, d1, d24, d23
    fmul d4, d2, d1
    fsub d0, d3, d26
    fadd d2, d4, d2
    fmadd d4, d1, d23, d22
    fmadd d4, d1, d4, d21
    fmadd d4, d1, d4, d20
    fmadd d4, d1, d4, d19
    fmadd d4, d1, d4, d18
    fmadd d4, d1, d4, d17
    fmadd d7, d1, d4, d7
    fmadd d6, d1, d7, d6
    fmadd d5, d1, d6, d5
    fmadd d4, d1, d5, d16
    fmadd d2, d4, d25, d2
    fadd d1, d1, d2
    fmadd d0, d3, d1, d0
    ret

.text
.Lneonsim_exponential:
    adrp x0, .Lneonsim_LC27
    fmov d16, 5.0e-1
    fmov d21, 1.0e+0
    ldr d2, [x0, #:lo12:.Lneonsim_LC27]
    mov x0, 4843621399236968448
    fmov d3, x0
    adrp x0, .Lneonsim_LC25
    ldr d27, [x0, #:lo12:.Lneonsim_LC25]
    adrp x0, .Lneonsim_LC26
    fmadd d2, d0, d2, d3
    ldr d7, [x0, #:lo12:.Lneonsim_LC26]
    adrp x0, .Lneonsim_LC28
    ldr d26, [x0, #:lo12:.Lneonsim_LC28]
    adrp x0, .Lneonsim_LC13
    ldr d25, [x0, #:lo12:.Lneonsim_LC13]
    adrp x0, .Lneonsim_LC7
    ldr d24, [x0, #:lo12:.Lneonsim_LC7]
    adrp x0, .Lneonsim_LC29
    fsub d2, d2, d3
    ldr d23, [x0, #:lo12:.Lneonsim_LC29]
    adrp x0, .Lneonsim_LC30
    ldr d22, [x0, #:lo12:.Lneonsim_LC30]
    adrp x0, .Lneonsim_LC15
    fmsub d1, d2, d27, d1
    fmsub d0, d2, d7, d0
    ldr d20, [x0, #:lo12:.Lneonsim_LC15]
    adrp x0, .Lneonsim_LC9
    ldr d19, [x0, #:lo12:.Lneonsim_LC9]
    adrp x0, .Lneonsim_LC31
    ldr d18, [x0, #:lo12:.Lneonsim_LC31]
    adrp x0, .Lneonsim_LC32
    ldr d17, [x0, #:lo12:.Lneonsim_LC32]
    mov x0, 1229782938247303441
    movk x0, 0x3f81, lsl 48
    fmov d6, x0
    mov x0, 6148914691236517205
    movk x0, 0x3fa5, lsl 48
    fmov d5, x0
    mov x0, 6148914691236517205
    movk x0, 0x3fc5, lsl 48
    fmov d4, x0
    fcvtzs w0, d2
    fadd d2, d1, d0
    fmadd d25, d2, d26, d25
    fsub d0, d0, d2
    fmul d26, d2, d2
    asr w1, w0, 1
    add w2, w1, 1023
    fmov d3, x2
    sub w0, w0, w1
    fadd d1, d0, d1
    add w0, w0, 1023
    shl d7, d3, 52
    fmov d3, x0
    shl d3, d3, 52
    fmadd d24, d2, d25, d24
    fmul d0, d1, d2
    fadd d0, d0, d1
    fmadd d23, d2, d24, d23
    fmadd d22, d2, d23, d22
    fmadd d20, d2, d22, d20
    fmadd d19, d2, d20, d19
    fmadd d18, d2, d19, d18
    fmadd d17, d2, d18, d17
    fmadd d6, d2, d17, d6
    fmadd d5, d2, d6, d5
    fmadd d5, d2, d5, d4
    fmadd d4, d2, d5, d16
    fmadd d0, d4, d26, d0
    fadd d2, d2, d0
    fadd d2, d2, d21
    fmul d2, d2, d7
    fmul d0, d2, d3
    ret

.text
memcpy:
    cmp x2, 15
    bls .Lneonsim_L146
    sub x4, x2, #16
    mov x3, 0
    and x4, x4, -16
    add x4, x4, 16
.Lneonsim_L143:
    ldr q0, [x1, x3]
    str q0, [x0, x3]
    add x3, x3, 16
    cmp x3, x4
    bne .Lneonsim_L143
    add x1, x1, x3
    and x2, x2, 15
    add x3, x0, x3
.Lneonsim_L142:
    cbz x2, .Lneonsim_L144
    mov x4, 0
.Lneonsim_L145:
    ldrb w5, [x1, x4]
    strb w5, [x3, x4]
    add x4, x4, 1
    cmp x2, x4
    bne .Lneonsim_L145
.Lneonsim_L144:
    ret
.Lneonsim_L146:
    mov x3, x0
    b .Lneonsim_L142

.text
memmove:
    sub x3, x0, x1
    cmp x3, x2
    bcs .Lneonsim_L153
    tst x2, 15
    beq .Lneonsim_L160
.Lneonsim_L154:
    sub x2, x2, #1
    ldrb w3, [x1, x2]
    strb w3, [x0, x2]
    tst x2, 15
    bne .Lneonsim_L154
    cbz x2, .Lneonsim_L158
.Lneonsim_L160:
    sub x2, x2, #16
    ldr q0, [x1, x2]
    str q0, [x0, x2]
    cbnz x2, .Lneonsim_L160
.Lneonsim_L158:
    ret
.Lneonsim_L153:
    cmp x2, 15
    bls .Lneonsim_L161
    sub x4, x2, #16
    mov x3, 0
    and x4, x4, -16
    add x4, x4, 16
.Lneonsim_L157:
    ldr q0, [x1, x3]
    str q0, [x0, x3]
    add x3, x3, 16
    cmp x4, x3
    bne .Lneonsim_L157
    add x1, x1, x4
    and x2, x2, 15
    add x4, x0, x4
.Lneonsim_L156:
    cbz x2, .Lneonsim_L158
    mov x3, 0
.Lneonsim_L159:
    ldrb w5, [x1, x3]
    strb w5, [x4, x3]
    add x3, x3, 1
    cmp x2, x3
    bne .Lneonsim_L159
    ret
.Lneonsim_L161:
    mov x4, x0
    b .Lneonsim_L156

.text
memset:
    dup v0.16b, w1
    and w4, w1, 255
    cmp x2, 15
    bls .Lneonsim_L179
    sub x1, x2, #16
    mov x3, x0
    and x1, x1, -16
    add x1, x1, 16
    add x1, x0, x1
.Lneonsim_L176:
    str q0, [x3], 16
    cmp x3, x1
    bne .Lneonsim_L176
    and x2, x2, 15
.Lneonsim_L175:
    cbz x2, .Lneonsim_L177
    add x2, x1, x2
.Lneonsim_L178:
    strb w4, [x1], 1
    cmp x2, x1
    bne .Lneonsim_L178
.Lneonsim_L177:
    ret
.Lneonsim_L179:
    mov x1, x0
    b .Lneonsim_L175

.text
memcmp:
    cbz x2, .Lneonsim_L189
    mov x3, 0
    b .Lneonsim_L188
.Lneonsim_L187:
    cmp x3, x2
    beq .Lneonsim_L189
.Lneonsim_L188:
    ldrb w4, [x0, x3]
    ldrb w5, [x1, x3]
    add x3, x3, 1
    cmp w4, w5
    beq .Lneonsim_L187
    sub w0, w4, w5
    ret
.Lneonsim_L189:
    mov w0, 0
    ret

.text
bcmp:
    cbz x2, .Lneonsim_L195
    mov x3, 0
    b .Lneonsim_L194
.Lneonsim_L193:
    cmp x2, x3
    beq .Lneonsim_L195
.Lneonsim_L194:
    ldrb w4, [x0, x3]
    ldrb w5, [x1, x3]
    add x3, x3, 1
    cmp w4, w5
    beq .Lneonsim_L193
    sub w0, w4, w5
    ret
.Lneonsim_L195:
    mov w0, 0
    ret

.text
strlen:
    ldrb w1, [x0]
    cbz w1, .Lneonsim_L200
    mov x1, x0
.Lneonsim_L199:
    ldrb w2, [x1, 1]!
    cbnz w2, .Lneonsim_L199
    sub x0, x1, x0
    ret
.Lneonsim_L200:
    mov x0, 0
    ret

.text
strcmp:
    ldrb w2, [x0]
    cbnz w2, .Lneonsim_L203
    b .Lneonsim_L208
.Lneonsim_L205:
    ldrb w2, [x0, 1]!
    cbz w2, .Lneonsim_L209
    mov x1, x4
.Lneonsim_L203:
    ldrb w3, [x1]
    add x4, x1, 1
    cmp w3, w2
    beq .Lneonsim_L205
.Lneonsim_L204:
    sub w0, w2, w3
    ret
.Lneonsim_L209:
    ldrb w3, [x1, 1]
    sub w0, w2, w3
    ret
.Lneonsim_L208:
    ldrb w3, [x1]
    b .Lneonsim_L204

.text
strcpy:
    mov x2, 0
.Lneonsim_L211:
    ldrb w3, [x1, x2]
    strb w3, [x0, x2]
    add x2, x2, 1
    cbnz w3, .Lneonsim_L211
    ret

.text
sqrtf:
    fsqrt s0, s0
    ret

.text
sqrt:
    fsqrt d0, d0
    ret

.text
fmaf:
    fmadd s0, s0, s1, s2
    ret

.text
fma:
    fmadd d0, d0, d1, d2
    ret

.text
fabsf:
    fabs s0, s0
    ret

.text
fabs:
    fabs d0, d0
    ret

.text
floorf:
    frintm s0, s0
    ret

.text
floor:
    frintm d0, d0
    ret

.text
ceilf:
    frintp s0, s0
    ret

.text
ceil:
    frintp d0, d0
    ret

.text
truncf:
    frintz s0, s0
    ret

.text
trunc:
    frintz d0, d0
    ret

.text
rintf:
    frintx s0, s0
    ret

.text
rint:
    frintx d0, d0
    ret

.text
nearbyintf:
    frinti s0, s0
    ret

.text
nearbyint:
    frinti d0, d0
    ret

.text
roundf:
    frinta s0, s0
    ret

.text
round:
    frinta d0, d0
    ret

.text
copysignf:
    fmov w1, s0
    fmov w0, s1
    bfi w0, w1, 0, 31
    fmov s0, w0
    ret

.text
copysign:
    fmov x1, d0
    fmov x0, d1
    bfi x0, x1, 0, 63
    fmov d0, x0
    ret

.text
fminf:
    fminnm s0, s0, s1
    ret

.text
fmaxf:
    fmaxnm s0, s0, s1
    ret

.text
fmin:
    fminnm d0, d0, d1
    ret

.text
fmax:
    fmaxnm d0, d0, d1
    ret

.text
fmod:
    fmov x3, d1
    fmov x5, d0
    mov x0, 9218868437227405311
    and x2, x3, 9223372036854775807
    and x1, x5, 9223372036854775807
    sub x4, x2, #1
    cmp x4, x0
    ccmp x1, x0, 2, ls
    bls .Lneonsim_L238
    fmul d0, d0, d1
    fdiv d0, d0, d0
.Lneonsim_L237:
    ret
.Lneonsim_L238:
    cmp x1, x2
    bcc .Lneonsim_L237
    lsr x1, x1, 52
    lsr x2, x2, 52
    and x3, x3, 4503599627370495
    and x0, x5, 4503599627370495
    cbnz x1, .Lneonsim_L276
    mov w1, 1
.Lneonsim_L240:
    lsl x0, x0, 1
    sub w1, w1, #1
    cmp xzr, x0, lsr 52
    beq .Lneonsim_L240
    cbz x2, .Lneonsim_L242
.Lneonsim_L241:
    orr x3, x3, 4503599627370496
.Lneonsim_L243:
    cmp w1, w2
    ble .Lneonsim_L277
.Lneonsim_L246:
    cmp x3, x0
    sub x4, x0, x3
    csel x0, x4, x0, ls
    sub w1, w1, #1
    lsl x0, x0, 1
    cmp w1, w2
    bne .Lneonsim_L246
    cmp x0, x3
    bcs .Lneonsim_L255
.Lneonsim_L249:
    and x1, x5, -9223372036854775808
    fmov d0, x1
    cbnz x0, .Lneonsim_L275
    b .Lneonsim_L237
.Lneonsim_L251:
    lsl x0, x0, 1
    sub w2, w2, #1
.Lneonsim_L275:
    cmp xzr, x0, lsr 52
    beq .Lneonsim_L251
.Lneonsim_L252:
    mov x3, x0
    mov w1, 1
    sub w1, w1, w2
    cmp w2, 0
    bfi x3, x2, 52, 12
    and x5, x5, -9223372036854775808
    lsr x0, x0, x1
    csel x0, x0, x3, le
    orr x0, x5, x0
    fmov d0, x0
    ret
.Lneonsim_L276:
    orr x0, x0, 4503599627370496
    cbnz x2, .Lneonsim_L241
.Lneonsim_L242:
    mov w2, 1
.Lneonsim_L244:
    lsl x3, x3, 1
    sub w2, w2, #1
    cmp xzr, x3, lsr 52
    beq .Lneonsim_L244
    b .Lneonsim_L243
.Lneonsim_L277:
    mov w2, w1
    cmp x3, x0
    bhi .Lneonsim_L252
.Lneonsim_L255:
    sub x0, x0, x3
    b .Lneonsim_L249

.text
.Lneonsim_nearest_rest:
    fcmp d1, #0.0
    fmov d2, d1
    fmov d3, d0
    mov x6, x0
    fccmp d1, d1, 0, ne
    bne .Lneonsim_L279
    fabs d1, d0
    mov x0, 9218868437227405311
    fmov d4, x0
    fcmpe d1, d4
    bls .Lneonsim_L280
.Lneonsim_L279:
    fmul d1, d2, d3
    mov w3, 0
    str w3, [x6]
    fdiv d1, d1, d1
    fmov d0, d1
    ret
.Lneonsim_L280:
    fabs d4, d2
    mov x0, 9205357638345293824
    fmov d5, x0
    stp x29, x30, [sp, -16]!
    mov x29, sp
    fcmpe d4, d5
    bmi .Lneonsim_L299
.Lneonsim_L282:
    mov x0, 9209861237972664320
    fmov d0, x0
    fcmpe d4, d0
    bmi .Lneonsim_L300
.Lneonsim_L309:
    mov w3, 0
.Lneonsim_L284:
    mov x0, 9214364837600034816
    fmov d0, x0
    fcmpe d4, d0
    bmi .Lneonsim_L302
.Lneonsim_L287:
    mov x0, 9007199254740992
    fmov d0, x0
    fcmpe d4, d0
    bmi .Lneonsim_L304
    fmov d0, 5.0e-1
    fmul d0, d4, d0
    fcmpe d0, d1
    bmi .Lneonsim_L305
.Lneonsim_L293:
    fmov x2, d3
    fmov x1, d2
    fneg d0, d1
    lsr x2, x2, 63
    lsr x1, x1, 63
    cmp w2, w1
    csneg w3, w3, w3, eq
    cmp w2, 0
    str w3, [x6]
    fcsel d1, d0, d1, ne
    ldp x29, x30, [sp], 16
    fmov d0, d1
    ret
.Lneonsim_L300:
    fmov d0, 4.0e+0
    fmul d0, d4, d0
    fcmpe d0, d1
    bls .Lneonsim_L301
    b .Lneonsim_L309
.Lneonsim_L299:
    fmov d1, 8.0e+0
    fmul d1, d4, d1
    bl fmod
    fabs d1, d0
    b .Lneonsim_L282
.Lneonsim_L304:
    fadd d0, d1, d1
    fcmpe d0, d4
    bgt .Lneonsim_L292
    b .Lneonsim_L293
.Lneonsim_L302:
    fadd d0, d4, d4
    fcmpe d0, d1
    bls .Lneonsim_L303
    b .Lneonsim_L287
.Lneonsim_L303:
    fsub d1, d1, d0
    add w3, w3, 2
    b .Lneonsim_L287
.Lneonsim_L292:
    fsub d1, d1, d4
    fadd d0, d1, d1
    fcmpe d0, d4
    bge .Lneonsim_L295
    add w3, w3, 1
    b .Lneonsim_L293
.Lneonsim_L301:
    fsub d1, d1, d0
    mov w3, 4
    b .Lneonsim_L284
.Lneonsim_L305:
    fsub d1, d1, d4
    fcmpe d0, d1
    bls .Lneonsim_L295
    add w3, w3, 1
    b .Lneonsim_L293
.Lneonsim_L295:
    add w3, w3, 2
    fsub d1, d1, d4
    and w3, w3, 7
    b .Lneonsim_L293

.text
fmodf:
    fcvt d1, s1
    fcvt d0, s0
    stp x29, x30, [sp, -16]!
    mov x29, sp
    bl fmod
    fcvt s0, d0
    ldp x29, x30, [sp], 16
    ret

.text
nextafterf:
    fcmp s0, s0
    fmov s2, s0
    fccmp s1, s1, 0, eq
    bne .Lneonsim_L325
    fcmp s2, s1
    fmov s0, s1
    beq .Lneonsim_L318
    fcmp s2, #0.0
    beq .Lneonsim_L326
    fcmpe s2, s1
    fmov w0, s2
    cset w3, mi
    fcmpe s2, #0.0
    sub w1, w0, #1
    cset w2, gt
    cmp w3, w2
    csinc w0, w1, w0, ne
    fmov s0, w0
.Lneonsim_L318:
    ret
.Lneonsim_L325:
    fadd s0, s0, s1
    ret
.Lneonsim_L326:
    fmov w0, s1
    and w0, w0, -2147483648
    orr w0, w0, 1
    fmov s0, w0
    ret

.text
scalbnf:
    mov w1, -508
    cmp w0, w1
    csel w1, w0, w1, ge
    mov w2, 508
    cmp w1, w2
    csel w1, w1, w2, le
    cmp w0, 127
    ble .Lneonsim_L328
    movi v1.2s, 0x7f, lsl 24
.Lneonsim_L329:
    sub w1, w1, #127
    fmul s0, s0, s1
    cmp w1, 127
    bgt .Lneonsim_L329
.Lneonsim_L330:
    add w1, w1, 127
    fmov s1, w1
    shl v1.2s, v1.2s, 23
    fmul s0, s0, s1
    ret
.Lneonsim_L328:
    cmn w0, #126
    bge .Lneonsim_L330
    mov w0, 209715200
    fmov s1, w0
.Lneonsim_L331:
    add w1, w1, 102
    fmul s0, s0, s1
    cmn w1, #126
    blt .Lneonsim_L331
    add w1, w1, 127
    fmov s1, w1
    shl v1.2s, v1.2s, 23
    fmul s0, s0, s1
    ret

.text
ldexpf:
    mov w1, -508
    cmp w0, w1
    csel w1, w0, w1, ge
    mov w2, 508
    cmp w1, w2
    csel w1, w1, w2, le
    cmp w0, 127
    ble .Lneonsim_L335
    movi v1.2s, 0x7f, lsl 24
.Lneonsim_L336:
    sub w1, w1, #127
    fmul s0, s0, s1
    cmp w1, 127
    bgt .Lneonsim_L336
.Lneonsim_L337:
    add w1, w1, 127
    fmov s1, w1
    shl v1.2s, v1.2s, 23
    fmul s0, s0, s1
    ret
.Lneonsim_L335:
    cmn w0, #126
    bge .Lneonsim_L337
    mov w0, 209715200
    fmov s1, w0
.Lneonsim_L338:
    add w1, w1, 102
    fmul s0, s0, s1
    cmn w1, #126
    blt .Lneonsim_L338
    add w1, w1, 127
    fmov s1, w1
    shl v1.2s, v1.2s, 23
    fmul s0, s0, s1
    ret

.text
scalblnf:
    mov x1, 34463
    movk x1, 0x1, lsl 16
    cmp x0, x1
    bgt .Lneonsim_L348
    mov x1, -34463
    movk x1, 0xfffe, lsl 16
    cmp x0, x1
    bge .Lneonsim_L352
    mov w1, -508
.Lneonsim_L343:
    mov w0, 209715200
    fmov s1, w0
.Lneonsim_L347:
    add w1, w1, 102
    fmul s0, s0, s1
    cmn w1, #126
    blt .Lneonsim_L347
.Lneonsim_L346:
    add w1, w1, 127
    fmov s1, w1
    shl v1.2s, v1.2s, 23
    fmul s0, s0, s1
    ret
.Lneonsim_L348:
    mov w1, 508
.Lneonsim_L342:
    movi v1.2s, 0x7f, lsl 24
.Lneonsim_L345:
    sub w1, w1, #127
    fmul s0, s0, s1
    cmp w1, 127
    bgt .Lneonsim_L345
    add w1, w1, 127
    fmov s1, w1
    shl v1.2s, v1.2s, 23
    fmul s0, s0, s1
    ret
.Lneonsim_L352:
    cmn w0, #508
    mov w1, -508
    csel w1, w0, w1, ge
    mov w2, 508
    cmp w1, w2
    csel w1, w1, w2, le
    cmp w0, 127
    bgt .Lneonsim_L342
    cmn w0, #126
    blt .Lneonsim_L343
    b .Lneonsim_L346

.text
frexpf:
    fcmp s0, #0.0
    beq .Lneonsim_L354
    fabs s2, s0
    mov w1, 2139095039
    fmov s1, w1
    fcmpe s2, s1
    bls .Lneonsim_L355
.Lneonsim_L354:
    fadd s0, s0, s0
    str wzr, [x0]
    ret
.Lneonsim_L355:
    movi v1.2s, 0x80, lsl 16
    fcmpe s2, s1
    bmi .Lneonsim_L360
    mov w3, 0
.Lneonsim_L357:
    fmov w1, s0
    and w2, w1, -2139095041
    ubfx x1, x1, 23, 8
    sub w1, w1, #126
    orr w2, w2, 1056964608
    add w1, w1, w3
    fmov s0, w2
    str w1, [x0]
    ret
.Lneonsim_L360:
    mov w1, 1266679808
    fmov s1, w1
    mov w3, -24
    fmul s0, s0, s1
    b .Lneonsim_L357

.text
modff:
    fabs s3, s0
    mov w1, 2139095039
    fmov s2, w1
    frintz s1, s0
    fcmp s3, s2
    str s1, [x0]
    ble .Lneonsim_L366
    fmov w0, s0
    mov w1, 0
    and w0, w0, -2147483648
    orr w0, w0, w1
    fmov s0, w0
    ret
.Lneonsim_L366:
    fsub s1, s0, s1
    fmov w0, s1
    and w1, w0, 2147483647
    fmov w0, s0
    and w0, w0, -2147483648
    orr w0, w0, w1
    fmov s0, w0
    ret

.text
ilogbf:
    fcmp s0, #0.0
    beq .Lneonsim_L373
    fabs s2, s0
    mov w0, 2139095039
    fmov s1, w0
    fcmpe s2, s1
    bls .Lneonsim_L376
    mov w0, 2147483647
    ret
.Lneonsim_L376:
    movi v1.2s, 0x80, lsl 16
    fcmpe s2, s1
    bmi .Lneonsim_L377
    mov w0, 0
.Lneonsim_L371:
    fmov x1, d0
    ubfx x1, x1, 23, 8
    add w0, w0, w1
    sub w0, w0, #127
    ret
.Lneonsim_L377:
    mov w0, 1266679808
    fmov s1, w0
    mov w0, -24
    fmul s0, s0, s1
    b .Lneonsim_L371
.Lneonsim_L373:
    mov w0, -2147483647
    ret

.text
logbf:
    fcmp s0, #0.0
    bne .Lneonsim_L381
    fmul s0, s0, s0
    fmov s1, -1.0e+0
    fdiv s0, s1, s0
    ret
.Lneonsim_L381:
    fabs s2, s0
    mov w0, 2139095039
    fmov s1, w0
    fcmpe s2, s1
    bls .Lneonsim_L383
    fmul s0, s0, s0
    ret
.Lneonsim_L383:
    movi v1.2s, 0x80, lsl 16
    fcmpe s2, s1
    bmi .Lneonsim_L387
    mov w1, 0
.Lneonsim_L384:
    fmov x0, d0
    ubfx x0, x0, 23, 8
    add w0, w1, w0
    sub w0, w0, #127
    scvtf s0, w0
    ret
.Lneonsim_L387:
    mov w0, 1266679808
    fmov s1, w0
    mov w1, -24
    fmul s0, s0, s1
    b .Lneonsim_L384

.text
fdimf:
    fcmpe s0, s1
    bls .Lneonsim_L391
    fsub s0, s0, s1
    ret
.Lneonsim_L391:
    movi v0.2s, #0
    ret

.text
lrintf:
    frintx s0, s0
    sub sp, sp, #16
    str s0, [sp, 12]
    ldr s0, [sp, 12]
    add sp, sp, 16
    fcvtzs x0, s0
    ret

.text
lroundf:
    frinta s0, s0
    sub sp, sp, #16
    str s0, [sp, 12]
    ldr s0, [sp, 12]
    add sp, sp, 16
    fcvtzs x0, s0
    ret

.text
llrintf:
    frintx s0, s0
    sub sp, sp, #16
    str s0, [sp, 12]
    ldr s0, [sp, 12]
    add sp, sp, 16
    fcvtzs x0, s0
    ret

.text
llroundf:
    frinta s0, s0
    sub sp, sp, #16
    str s0, [sp, 12]
    ldr s0, [sp, 12]
    add sp, sp, 16
    fcvtzs x0, s0
    ret

.text
nextafter:
    fcmp d0, d0
    fmov d2, d0
    fccmp d1, d1, 0, eq
    bne .Lneonsim_L407
    fcmp d2, d1
    fmov d0, d1
    beq .Lneonsim_L400
    fcmp d2, #0.0
    beq .Lneonsim_L408
    fcmpe d2, d1
    fmov x0, d2
    cset w3, mi
    fcmpe d2, #0.0
    sub x1, x0, #1
    cset w2, gt
    cmp w3, w2
    csinc x0, x1, x0, ne
    fmov d0, x0
.Lneonsim_L400:
    ret
.Lneonsim_L407:
    fadd d0, d0, d1
    ret
.Lneonsim_L408:
    fmov x0, d1
    and x0, x0, -9223372036854775808
    orr x0, x0, 1
    fmov d0, x0
    ret

.text
scalbn:
    mov w1, -4092
    cmp w0, w1
    csel w1, w0, w1, ge
    mov w2, 4092
    cmp w1, w2
    csel w1, w1, w2, le
    cmp w0, 1023
    ble .Lneonsim_L410
    mov x0, 9214364837600034816
    fmov d1, x0
.Lneonsim_L411:
    sub w1, w1, #1023
    fmul d0, d0, d1
    cmp w1, 1023
    bgt .Lneonsim_L411
.Lneonsim_L412:
    add w1, w1, 1023
    fmov d1, x1
    shl d1, d1, 52
    fmul d0, d0, d1
    ret
.Lneonsim_L410:
    cmn w0, #1022
    bge .Lneonsim_L412
    mov x0, 243194379878006784
    fmov d1, x0
.Lneonsim_L413:
    add w1, w1, 969
    fmul d0, d0, d1
    cmn w1, #1022
    blt .Lneonsim_L413
    add w1, w1, 1023
    fmov d1, x1
    shl d1, d1, 52
    fmul d0, d0, d1
    ret

.text
ldexp:
    mov w1, -4092
    cmp w0, w1
    csel w1, w0, w1, ge
    mov w2, 4092
    cmp w1, w2
    csel w1, w1, w2, le
    cmp w0, 1023
    ble .Lneonsim_L417
    mov x0, 9214364837600034816
    fmov d1, x0
.Lneonsim_L418:
    sub w1, w1, #1023
    fmul d0, d0, d1
    cmp w1, 1023
    bgt .Lneonsim_L418
.Lneonsim_L419:
    add w1, w1, 1023
    fmov d1, x1
    shl d1, d1, 52
    fmul d0, d0, d1
    ret
.Lneonsim_L417:
    cmn w0, #1022
    bge .Lneonsim_L419
    mov x0, 243194379878006784
    fmov d1, x0
.Lneonsim_L420:
    add w1, w1, 969
    fmul d0, d0, d1
    cmn w1, #1022
    blt .Lneonsim_L420
    add w1, w1, 1023
    fmov d1, x1
    shl d1, d1, 52
    fmul d0, d0, d1
    ret

.text
scalbln:
    mov x1, 34463
    movk x1, 0x1, lsl 16
    cmp x0, x1
    bgt .Lneonsim_L430
    mov x1, -34463
    movk x1, 0xfffe, lsl 16
    cmp x0, x1
    bge .Lneonsim_L434
    mov w1, -4092
.Lneonsim_L425:
    mov x0, 243194379878006784
    fmov d1, x0
.Lneonsim_L429:
    add w1, w1, 969
    fmul d0, d0, d1
    cmn w1, #1022
    blt .Lneonsim_L429
.Lneonsim_L428:
    add w1, w1, 1023
    fmov d1, x1
    shl d1, d1, 52
    fmul d0, d0, d1
    ret
.Lneonsim_L430:
    mov w1, 4092
.Lneonsim_L424:
    mov x0, 9214364837600034816
    fmov d1, x0
.Lneonsim_L427:
    sub w1, w1, #1023
    fmul d0, d0, d1
    cmp w1, 1023
    bgt .Lneonsim_L427
    add w1, w1, 1023
    fmov d1, x1
    shl d1, d1, 52
    fmul d0, d0, d1
    ret
.Lneonsim_L434:
    cmn w0, #4092
    mov w1, -4092
    csel w1, w0, w1, ge
    mov w2, 4092
    cmp w1, w2
    csel w1, w1, w2, le
    cmp w0, 1023
    bgt .Lneonsim_L424
    cmn w0, #1022
    blt .Lneonsim_L425
    b .Lneonsim_L428

.text
frexp:
    fcmp d0, #0.0
    beq .Lneonsim_L436
    fabs d2, d0
    mov x1, 9218868437227405311
    fmov d1, x1
    fcmpe d2, d1
    bls .Lneonsim_L437
.Lneonsim_L436:
    fadd d0, d0, d0
    str wzr, [x0]
    ret
.Lneonsim_L437:
    mov x1, 4503599627370496
    fmov d1, x1
    fcmpe d2, d1
    bmi .Lneonsim_L442
    mov w3, 0
.Lneonsim_L439:
    fmov x1, d0
    and x2, x1, -9218868437227405313
    ubfx x1, x1, 52, 11
    sub w1, w1, #1022
    orr x2, x2, 4602678819172646912
    add w1, w1, w3
    fmov d0, x2
    str w1, [x0]
    ret
.Lneonsim_L442:
    mov x1, 4845873199050653696
    fmov d1, x1
    mov w3, -53
    fmul d0, d0, d1
    b .Lneonsim_L439

.text
modf:
    fabs d3, d0
    mov x1, 9218868437227405311
    fmov d2, x1
    frintz d1, d0
    fcmp d3, d2
    str d1, [x0]
    ble .Lneonsim_L448
    fmov x0, d0
    mov x1, 0
    and x0, x0, -9223372036854775808
    orr x0, x0, x1
    fmov d0, x0
    ret
.Lneonsim_L448:
    fsub d1, d0, d1
    fmov x0, d1
    and x1, x0, 9223372036854775807
    fmov x0, d0
    and x0, x0, -9223372036854775808
    orr x0, x0, x1
    fmov d0, x0
    ret

.text
ilogb:
    fcmp d0, #0.0
    beq .Lneonsim_L455
    fabs d2, d0
    mov x0, 9218868437227405311
    fmov d1, x0
    fcmpe d2, d1
    bls .Lneonsim_L458
    mov w0, 2147483647
    ret
.Lneonsim_L458:
    mov x0, 4503599627370496
    fmov d1, x0
    fcmpe d2, d1
    bmi .Lneonsim_L459
    mov w0, 0
.Lneonsim_L453:
    fmov x1, d0
    ubfx x1, x1, 52, 11
    add w0, w0, w1
    sub w0, w0, #1023
    ret
.Lneonsim_L459:
    mov x0, 4845873199050653696
    fmov d1, x0
    mov w0, -53
    fmul d0, d0, d1
    b .Lneonsim_L453
.Lneonsim_L455:
    mov w0, -2147483647
    ret

.text
logb:
    fcmp d0, #0.0
    bne .Lneonsim_L463
    fmul d0, d0, d0
    fmov d1, -1.0e+0
    fdiv d0, d1, d0
    ret
.Lneonsim_L463:
    fabs d2, d0
    mov x0, 9218868437227405311
    fmov d1, x0
    fcmpe d2, d1
    bls .Lneonsim_L465
    fmul d0, d0, d0
    ret
.Lneonsim_L465:
    mov x0, 4503599627370496
    fmov d1, x0
    fcmpe d2, d1
    bmi .Lneonsim_L469
    mov w1, 0
.Lneonsim_L466:
    fmov x0, d0
    ubfx x0, x0, 52, 11
    add w0, w1, w0
    sub w0, w0, #1023
    scvtf d0, w0
    ret
.Lneonsim_L469:
    mov x0, 4845873199050653696
    fmov d1, x0
    mov w1, -53
    fmul d0, d0, d1
    b .Lneonsim_L466

.text
fdim:
    fcmpe d0, d1
    bls .Lneonsim_L473
    fsub d0, d0, d1
    ret
.Lneonsim_L473:
    movi d0, #0
    ret

.text
lrint:
    frintx d0, d0
    sub sp, sp, #16
    str d0, [sp, 8]
    ldr d0, [sp, 8]
    add sp, sp, 16
    fcvtzs x0, d0
    ret

.text
lround:
    frinta d0, d0
    sub sp, sp, #16
    str d0, [sp, 8]
    ldr d0, [sp, 8]
    add sp, sp, 16
    fcvtzs x0, d0
    ret

.text
llrint:
    frintx d0, d0
    sub sp, sp, #16
    str d0, [sp, 8]
    ldr d0, [sp, 8]
    add sp, sp, 16
    fcvtzs x0, d0
    ret

.text
llround:
    frinta d0, d0
    sub sp, sp, #16
    str d0, [sp, 8]
    ldr d0, [sp, 8]
    add sp, sp, 16
    fcvtzs x0, d0
    ret

.text
remainder:
    stp x29, x30, [sp, -32]!
    mov x29, sp
    add x0, sp, 28
    bl .Lneonsim_nearest_rest
    ldp x29, x30, [sp], 32
    ret

.text
remainderf:
    fcvt d1, s1
    fcvt d0, s0
    stp x29, x30, [sp, -32]!
    mov x29, sp
    add x0, sp, 28
    bl .Lneonsim_nearest_rest
    fcvt s0, d0
    ldp x29, x30, [sp], 32
    ret

.text
exp:
    mov x0, 52776558133248
    fmov d1, d0
    movk x0, 0x4086, lsl 48
    fmov d2, x0
    fcmpe d0, d2
    bmi .Lneonsim_L487
    fcmp d0, d0
    bne .Lneonsim_L488
    adrp x0, .Lneonsim_LC33
    ldr d0, [x0, #:lo12:.Lneonsim_LC33]
    fcmpe d1, d0
    bgt .Lneonsim_L488
    mov x0, 9214364837600034816
    fmov d0, x0
    fadd d0, d0, d0
    ret
.Lneonsim_L487:
    mov x0, 87960930222080
    movk x0, 0xc087, lsl 48
    fmov d2, x0
    fcmpe d0, d2
    bmi .Lneonsim_L492
    movi d1, #0
    b .Lneonsim_exponential
.Lneonsim_L492:
    movi d0, #0
    ret
.Lneonsim_L488:
    fadd d0, d1, d1
    ret

.text
expf:
    mov w0, 1118961664
    fmov s2, w0
    fmov s1, s0
    fcmpe s0, s2
    bmi .Lneonsim_L495
    fcmp s0, s0
    bne .Lneonsim_L496
    mov w0, 2139095039
    fmov s0, w0
    fcmpe s1, s0
    bgt .Lneonsim_L496
    mov w0, 2139095040
    fmov s0, w0
    ret
.Lneonsim_L495:
    mov w0, -1026555904
    fmov s2, w0
    movi v0.2s, #0
    fcmpe s1, s2
    bmi .Lneonsim_L503
    fcvt d0, s1
    movi d1, #0
    stp x29, x30, [sp, -16]!
    mov x29, sp
    bl .Lneonsim_exponential
    fcvt s0, d0
    ldp x29, x30, [sp], 16
    ret
.Lneonsim_L503:
    ret
.Lneonsim_L496:
    fadd s0, s1, s1
    ret

.text
exp2f:
    movi v2.2s, 0x43, lsl 24
    fmov s1, s0
    fcmpe s0, s2
    bmi .Lneonsim_L507
    fcmp s0, s0
    bne .Lneonsim_L508
    mov w0, 2139095039
    fmov s0, w0
    fcmpe s1, s0
    bgt .Lneonsim_L508
    mov w0, 2139095040
    fmov s0, w0
.Lneonsim_L506:
    ret
.Lneonsim_L507:
    mov w0, -1021902848
    fmov s2, w0
    movi v0.2s, #0
    fcmpe s1, s2
    bmi .Lneonsim_L506
    mov x0, 4843621399236968448
    fmov d3, x0
    adrp x0, .Lneonsim_LC34
    fcvt d1, s1
    movi d25, #0
    fmov d6, 5.0e-1
    ldr d0, [x0, #:lo12:.Lneonsim_LC34]
    adrp x0, .Lneonsim_LC28
    fmov d22, 1.0e+0
    ldr d26, [x0, #:lo12:.Lneonsim_LC28]
    adrp x0, .Lneonsim_LC13
    fadd d2, d1, d3
    ldr d23, [x0, #:lo12:.Lneonsim_LC13]
    adrp x0, .Lneonsim_LC7
    ldr d21, [x0, #:lo12:.Lneonsim_LC7]
    adrp x0, .Lneonsim_LC29
    fsub d2, d2, d3
    ldr d20, [x0, #:lo12:.Lneonsim_LC29]
    adrp x0, .Lneonsim_LC30
    ldr d19, [x0, #:lo12:.Lneonsim_LC30]
    adrp x0, .Lneonsim_LC15
    fsub d1, d1, d2
    ldr d18, [x0, #:lo12:.Lneonsim_LC15]
    adrp x0, .Lneonsim_LC9
    ldr d17, [x0, #:lo12:.Lneonsim_LC9]
    adrp x0, .Lneonsim_LC31
    fmul d0, d1, d0
    ldr d16, [x0, #:lo12:.Lneonsim_LC31]
    adrp x0, .Lneonsim_LC32
    ldr d7, [x0, #:lo12:.Lneonsim_LC32]
    mov x0, 1229782938247303441
    movk x0, 0x3f81, lsl 48
    fmov d5, x0
    mov x0, 6148914691236517205
    movk x0, 0x3fa5, lsl 48
    fmov d4, x0
    mov x0, 6148914691236517205
    movk x0, 0x3fc5, lsl 48
    fmov d3, x0
    fcvtzs w0, d2
    fmadd d2, d0, d26, d23
    fmul d23, d0, d0
    add w0, w0, 1023
    fmov d1, x0
    shl d24, d1, 52
    fmul d1, d0, d25
    fmadd d2, d0, d2, d21
    fadd d1, d1, d25
    fmadd d2, d0, d2, d20
    fmadd d2, d0, d2, d19
    fmadd d2, d0, d2, d18
    fmadd d2, d0, d2, d17
    fmadd d2, d0, d2, d16
    fmadd d2, d0, d2, d7
    fmadd d5, d0, d2, d5
    fmadd d4, d0, d5, d4
    fmadd d3, d0, d4, d3
    fmadd d2, d0, d3, d6
    fmadd d1, d2, d23, d1
    fadd d0, d0, d1
    fadd d0, d0, d22
    fmul d0, d0, d24
    fcvt s0, d0
    ret
.Lneonsim_L508:
    fadd s0, s1, s1
    ret

.text
log:
    fcmpe d0, #0.0
    fmov d1, d0
    bgt .Lneonsim_L518
    fmov d0, d1
    b .Lneonsim_log_of_odd
.Lneonsim_L518:
    mov x0, 9218868437227405311
    fmov d2, x0
    fcmpe d0, d2
    bls .Lneonsim_L519
    fmov d0, d1
    b .Lneonsim_log_of_odd
.Lneonsim_L519:
    b .Lneonsim_logarithm

.text
logf:
    fcmpe s0, #0.0
    stp x29, x30, [sp, -16]!
    fmov s1, s0
    mov x29, sp
    fcvt d0, s0
    bgt .Lneonsim_L525
.Lneonsim_L521:
    bl .Lneonsim_log_of_odd
    fcvt s0, d0
    ldp x29, x30, [sp], 16
    ret
.Lneonsim_L525:
    mov w0, 2139095039
    fmov s2, w0
    fcmpe s1, s2
    bls .Lneonsim_L526
    b .Lneonsim_L521
.Lneonsim_L526:
    bl .Lneonsim_logarithm
    fcvt s0, d0
    ldp x29, x30, [sp], 16
    ret

.text
log2f:
    fcmpe s0, #0.0
    fmov s1, s0
    fcvt d0, s0
    bgt .Lneonsim_L536
    stp x29, x30, [sp, -16]!
    mov x29, sp
    bl .Lneonsim_log_of_odd
    fcvt s0, d0
    ldp x29, x30, [sp], 16
    ret
.Lneonsim_L536:
    mov w0, 2139095039
    fmov s2, w0
    fcmpe s1, s2
    bls .Lneonsim_L531
    stp x29, x30, [sp, -16]!
    mov x29, sp
    bl .Lneonsim_log_of_odd
    fcvt s0, d0
    ldp x29, x30, [sp], 16
    ret
.Lneonsim_L531:
    mov x0, 4503599627370496
    fmov d1, x0
    fcmpe d0, d1
    bmi .Lneonsim_L537
    mov w4, 0
.Lneonsim_L533:
    fmov x0, d0
    mov x3, 15308
    movk x3, 0x667f, lsl 16
    mov w1, 1023
    movk x3, 0xa09e, lsl 32
    fmov d1, 1.0e+0
    movk x3, 0x6, lsl 48
    fmov d0, 2.0e+0
    and x2, x0, 4503599627370495
    adrp x5, .Lneonsim_LC17
    cmp x2, x3
    lsr x0, x0, 52
    cset w3, hi
    ldr d3, [x5, #:lo12:.Lneonsim_LC17]
    sub w1, w1, w3
    adrp x5, .Lneonsim_LC18
    sub w0, w0, #1023
    orr x1, x2, x1, lsl 52
    fmov d2, x1
    ldr d22, [x5, #:lo12:.Lneonsim_LC18]
    adrp x5, .Lneonsim_LC19
    fsub d1, d2, d1
    mov x2, 2170205185142300190
    ldr d21, [x5, #:lo12:.Lneonsim_LC19]
    movk x2, 0x3fbe, lsl 48
    fmov d5, x2
    mov x2, 1229782938247303441
    movk x2, 0x3fc1, lsl 48
    fmov d4, x2
    fadd d0, d1, d0
    adrp x2, .Lneonsim_LC20
    adrp x1, .Lneonsim_LC21
    add w0, w0, w3
    ldr d20, [x2, #:lo12:.Lneonsim_LC20]
    sub w0, w0, w4
    ldr d19, [x1, #:lo12:.Lneonsim_LC21]
    adrp x1, .Lneonsim_LC22
    fdiv d1, d1, d0
    scvtf d0, w0
    ldr d18, [x1, #:lo12:.Lneonsim_LC22]
    adrp x1, .Lneonsim_LC23
    ldr d17, [x1, #:lo12:.Lneonsim_LC23]
    adrp x1, .Lneonsim_LC24
    ldr d16, [x1, #:lo12:.Lneonsim_LC24]
    mov x1, 6148914691236517205
    movk x1, 0x3fe5, lsl 48
    fmov d7, x1
    adrp x1, .Lneonsim_LC27
    ldr d23, [x1, #:lo12:.Lneonsim_LC27]
    fmul d2, d1, d1
    fadd d6, d1, d1
    fmadd d22, d2, d3, d22
    fmul d3, d2, d2
    fmadd d21, d2, d22, d21
    fmadd d5, d2, d21, d5
    fmadd d4, d2, d5, d4
    fmadd d4, d2, d4, d20
    fmadd d4, d2, d4, d19
    fmadd d4, d2, d4, d18
    fmadd d4, d2, d4, d17
    fmadd d4, d2, d4, d16
    fmul d3, d3, d4
    fmadd d2, d2, d7, d3
    fmadd d1, d1, d2, d6
    fmadd d0, d1, d23, d0
    fcvt s0, d0
    ret
.Lneonsim_L537:
    mov x0, 4850376798678024192
    fmov d1, x0
    mov w4, 54
    fmul d0, d0, d1
    b .Lneonsim_L533

.text
log10f:
    fcmpe s0, #0.0
    stp x29, x30, [sp, -16]!
    fmov s1, s0
    mov x29, sp
    fcvt d0, s0
    bgt .Lneonsim_L547
.Lneonsim_L543:
    bl .Lneonsim_log_of_odd
    fcvt s0, d0
    ldp x29, x30, [sp], 16
    ret
.Lneonsim_L547:
    mov w0, 2139095039
    fmov s2, w0
    fcmpe s1, s2
    bls .Lneonsim_L548
    b .Lneonsim_L543
.Lneonsim_L548:
    bl .Lneonsim_logarithm
    adrp x0, .Lneonsim_LC35
    ldp x29, x30, [sp], 16
    ldr d1, [x0, #:lo12:.Lneonsim_LC35]
    fmul d0, d0, d1
    fcvt s0, d0
    ret

.text
pow:
    stp x29, x30, [sp, -64]!
    fmov d6, d0
    mov x29, sp
    add x1, sp, 56
    add x0, sp, 48
    bl .Lneonsim_odd_power
    cbnz w0, .Lneonsim_L572
    fabs d0, d6
    fmov d7, d1
    mov x1, 4503599627370496
    fmov d1, x1
    stp d8, d9, [sp, 16]
    fcmpe d0, d1
    stp d10, d11, [sp, 32]
    bmi .Lneonsim_L563
.Lneonsim_L553:
    fmov x1, d0
    mov x4, 15308
    movk x4, 0x667f, lsl 16
    mov w2, 1023
    movk x4, 0xa09e, lsl 32
    fmov d0, 1.0e+0
    movk x4, 0x6, lsl 48
    fmov d2, 2.0e+0
    and x3, x1, 4503599627370495
    lsr x1, x1, 52
    cmp x3, x4
    sub w1, w1, #1023
    cset w4, hi
    cinc w1, w1, hi
    sub w2, w2, w4
    sub w0, w1, w0
    adrp x1, .Lneonsim_LC24
    adrp x4, .Lneonsim_LC17
    orr x2, x3, x2, lsl 52
    fmov d1, x2
    ldr d22, [x1, #:lo12:.Lneonsim_LC24]
    adrp x1, .Lneonsim_LC34
    fsub d0, d1, d0
    scvtf d1, w0
    ldr d4, [x1, #:lo12:.Lneonsim_LC34]
    adrp x1, .Lneonsim_LC36
    ldr d17, [x4, #:lo12:.Lneonsim_LC17]
    adrp x4, .Lneonsim_LC18
    ldr d6, [x1, #:lo12:.Lneonsim_LC36]
    mov x3, 2170205185142300190
    fadd d28, d0, d2
    fmul d21, d1, d4
    ldr d11, [x4, #:lo12:.Lneonsim_LC18]
    adrp x4, .Lneonsim_LC19
    fmul d6, d1, d6
    fnmsub d1, d1, d4, d21
    ldr d8, [x4, #:lo12:.Lneonsim_LC19]
    movk x3, 0x3fbe, lsl 48
    fdiv d5, d0, d28
    fsub d2, d28, d2
    fmov d20, x3
    mov x3, 1229782938247303441
    movk x3, 0x3fc1, lsl 48
    fmov d19, x3
    adrp x3, .Lneonsim_LC20
    adrp x2, .Lneonsim_LC21
    fsub d2, d0, d2
    movi d16, #0
    ldr d30, [x3, #:lo12:.Lneonsim_LC20]
    ldr d29, [x2, #:lo12:.Lneonsim_LC21]
    adrp x2, .Lneonsim_LC22
    fadd d6, d6, d1
    ldr d25, [x2, #:lo12:.Lneonsim_LC22]
    mov x2, 6148914691236517205
    movk x2, 0x3fe5, lsl 48
    fmov d3, x2
    adrp x2, .Lneonsim_LC23
    ldr d23, [x2, #:lo12:.Lneonsim_LC23]
    mov x2, 6148914691236517205
    movk x2, 0x3c85, lsl 48
    fmov d18, x2
    fmul d4, d5, d5
    fmsub d0, d28, d5, d0
    fmul d2, d2, d5
    fmul d27, d5, d3
    fnmsub d9, d5, d3, d27
    fadd d26, d5, d5
    fnmsub d10, d5, d5, d4
    fmul d18, d5, d18
    fmadd d11, d4, d17, d11
    fmul d17, d4, d4
    fmul d1, d4, d27
    fnmsub d31, d4, d27, d1
    fadd d24, d26, d21
    fsub d0, d0, d2
    fdiv d0, d0, d28
    fmadd d8, d4, d11, d8
    fmadd d20, d4, d8, d20
    fmadd d19, d4, d20, d19
    fmadd d30, d4, d19, d30
    fmul d2, d0, d26
    fmul d3, d0, d3
    fmadd d19, d4, d30, d29
    fadd d2, d2, d10
    fadd d3, d3, d9
    fmul d2, d2, d27
    fadd d3, d3, d18
    fmadd d25, d4, d19, d25
    fmul d3, d4, d3
    fadd d2, d2, d31
    fadd d2, d2, d3
    fmadd d23, d4, d25, d23
    fmadd d22, d4, d23, d22
    fmul d3, d17, d22
    fmul d3, d3, d5
    cbz w0, .Lneonsim_L555
    fsub d21, d24, d21
    fsub d16, d26, d21
.Lneonsim_L555:
    fadd d4, d1, d24
    fadd d2, d2, d3
    fadd d0, d0, d0
    mov x0, 52776558133248
    movk x0, 0x4086, lsl 48
    fmov d3, x0
    ldr d28, [sp, 56]
    fsub d24, d4, d24
    fadd d2, d2, d0
    fsub d1, d1, d24
    fadd d2, d2, d6
    fadd d2, d2, d1
    fadd d2, d2, d16
    fadd d1, d4, d2
    fmul d0, d7, d1
    fcmpe d0, d3
    bgt .Lneonsim_L564
    mov x0, 87960930222080
    movk x0, 0xc087, lsl 48
    fmov d3, x0
    fcmpe d0, d3
    bmi .Lneonsim_L565
    fabs d5, d0
    mov x0, 4336966441157787648
    fmov d3, x0
    fcmpe d5, d3
    bmi .Lneonsim_L566
    fsub d4, d1, d4
    fnmsub d3, d7, d1, d0
    fsub d2, d2, d4
    fmul d1, d2, d7
    fadd d1, d1, d3
    bl .Lneonsim_exponential
    fmul d0, d0, d28
    ldp d8, d9, [sp, 16]
    ldp d10, d11, [sp, 32]
    ldp x29, x30, [sp], 64
    ret
.Lneonsim_L563:
    mov x0, 4850376798678024192
    fmov d1, x0
    mov w0, 54
    fmul d0, d0, d1
    b .Lneonsim_L553
.Lneonsim_L564:
    mov x0, 9214364837600034816
    fmov d0, x0
    ldp d8, d9, [sp, 16]
    fmul d0, d28, d0
    ldp d10, d11, [sp, 32]
    fadd d0, d0, d0
.Lneonsim_L550:
    ldp x29, x30, [sp], 64
    ret
.Lneonsim_L572:
    ldr d0, [sp, 48]
    ldp x29, x30, [sp], 64
    ret
.Lneonsim_L566:
    fmov d1, 1.0e+0
    ldp d8, d9, [sp, 16]
    fadd d0, d0, d1
    ldp d10, d11, [sp, 32]
    fmul d0, d0, d28
    b .Lneonsim_L550
.Lneonsim_L565:
    mov x0, 103582791429521408
    fmov d1, x0
    ldp d8, d9, [sp, 16]
    fmul d0, d28, d1
    ldp d10, d11, [sp, 32]
    ldp x29, x30, [sp], 64
    fmul d0, d0, d1
    ret

.text
powf:
    fcvt d26, s1
    fmov s6, s0
    fcvt d0, s0
    stp x29, x30, [sp, -32]!
    mov x29, sp
    add x1, sp, 24
    fmov d1, d26
    add x0, sp, 16
    bl .Lneonsim_odd_power
    cbnz w0, .Lneonsim_L585
    fabs s0, s6
    fcvt d0, s0
    bl .Lneonsim_logarithm
    fmul d0, d26, d0
    mov x0, 52776558133248
    ldr d28, [sp, 24]
    movk x0, 0x4086, lsl 48
    fmov d1, x0
    fcmpe d0, d1
    bgt .Lneonsim_L580
    mov x0, 87960930222080
    movk x0, 0xc087, lsl 48
    fmov d1, x0
    fcmpe d0, d1
    bmi .Lneonsim_L581
    movi d1, #0
    bl .Lneonsim_exponential
    fmul d0, d0, d28
    ldp x29, x30, [sp], 32
    fcvt s0, d0
    ret
.Lneonsim_L580:
    mov x0, 9110782046170513408
    fmov d0, x0
    ldp x29, x30, [sp], 32
    fmul d28, d28, d0
    fcvt s0, d28
    ret
.Lneonsim_L585:
    ldr d0, [sp, 16]
    ldp x29, x30, [sp], 32
    fcvt s0, d0
    ret
.Lneonsim_L581:
    mov x0, 103582791429521408
    fmov d0, x0
    ldp x29, x30, [sp], 32
    fmul d28, d28, d0
    fcvt s0, d28
    ret

.text
tanh:
    fcmp d0, d0
    bne .Lneonsim_L597
    fabs d2, d0
    mov x0, 4481081629233643520
    fmov d1, x0
    fcmpe d2, d1
    bmi .Lneonsim_L594
    fmov d1, 2.2e+1
    fmov x0, d0
    fcmpe d2, d1
    and x1, x0, -9223372036854775808
    orr x0, x1, 4607182418800017408
    fmov d0, x0
    bgt .Lneonsim_L594
    fadd d0, d2, d2
    stp x29, x30, [sp, -16]!
    mov x29, sp
    bl .Lneonsim_exponential_less_one
    fmov d1, 2.0e+0
    ldp x29, x30, [sp], 16
    fadd d1, d0, d1
    fdiv d0, d0, d1
    fmov x0, d0
    and x0, x0, 9223372036854775807
    orr x0, x0, x1
    fmov d0, x0
    ret
.Lneonsim_L594:
    ret
.Lneonsim_L597:
    fadd d0, d0, d0
    ret

.text
tanhf:
    fcmp s0, s0
    bne .Lneonsim_L611
    fcvt d2, s0
    mov x0, 4481081629233643520
    fmov d1, x0
    fabs d3, d2
    fcmpe d3, d1
    bmi .Lneonsim_L608
    fmov d0, 2.2e+1
    fmov x0, d2
    fcmpe d3, d0
    and x1, x0, -9223372036854775808
    bgt .Lneonsim_L605
    fadd d0, d3, d3
    stp x29, x30, [sp, -16]!
    mov x29, sp
    bl .Lneonsim_exponential_less_one
    fmov d1, 2.0e+0
    ldp x29, x30, [sp], 16
    fadd d1, d0, d1
    fdiv d0, d0, d1
    fmov x0, d0
    and x0, x0, 9223372036854775807
    orr x0, x0, x1
    fmov d0, x0
    fcvt s0, d0
    ret
.Lneonsim_L608:
    ret
.Lneonsim_L611:
    fadd s0, s0, s0
    ret
.Lneonsim_L605:
    orr x0, x1, 4607182418800017408
    fmov d0, x0
    fcvt s0, d0
    ret

.text
sin:
    fabs d3, d0
    mov x0, 9218868437227405311
    fmov d2, x0
    fmov d1, d0
    fcmpe d3, d2
    bls .Lneonsim_L613
    fsub d1, d0, d0
.Lneonsim_L617:
    fmov d0, d1
    ret
.Lneonsim_L613:
    mov x0, 4485585228861014016
    fmov d2, x0
    fcmpe d3, d2
    bmi .Lneonsim_L617
    stp x29, x30, [sp, -32]!
    mov x29, sp
    add x0, sp, 16
    bl .Lneonsim_reduced
    add x1, sp, 16
    bl .Lneonsim_turned
    ldp x29, x30, [sp], 32
    ret

.text
cos:
    fabs d3, d0
    mov x0, 9218868437227405311
    fmov d2, x0
    fcmpe d3, d2
    bls .Lneonsim_L621
    fsub d0, d0, d0
    ret
.Lneonsim_L621:
    stp x29, x30, [sp, -32]!
    mov x29, sp
    add x0, sp, 16
    bl .Lneonsim_reduced
    add x1, sp, 16
    add w0, w0, 1
    bl .Lneonsim_turned
    ldp x29, x30, [sp], 32
    ret

.text
sinf:
    fabs s2, s0
    mov w0, 2139095039
    fmov s1, w0
    fcmpe s2, s1
    bls .Lneonsim_L627
    fsub s0, s0, s0
    ret
.Lneonsim_L627:
    fcvt d3, s0
    mov x0, 9218868437227405311
    fmov d1, x0
    fabs d2, d3
    fcmpe d2, d1
    bls .Lneonsim_L629
    fsub s0, s0, s0
    ret
.Lneonsim_L629:
    mov x0, 4485585228861014016
    fmov d1, x0
    fcmpe d2, d1
    bmi .Lneonsim_L633
    fmov d0, d3
    stp x29, x30, [sp, -32]!
    mov x29, sp
    add x0, sp, 16
    bl .Lneonsim_reduced
    add x1, sp, 16
    bl .Lneonsim_turned
    fcvt s0, d0
    ldp x29, x30, [sp], 32
    ret
.Lneonsim_L633:
    ret

.text
cosf:
    fabs s2, s0
    mov w0, 2139095039
    fmov s1, w0
    fcmpe s2, s1
    bls .Lneonsim_L638
    fsub s0, s0, s0
    ret
.Lneonsim_L638:
    fcvt d0, s0
    mov x0, 9218868437227405311
    fmov d1, x0
    fabs d2, d0
    fcmpe d2, d1
    bls .Lneonsim_L640
    fsub d0, d0, d0
    fcvt s0, d0
    ret
.Lneonsim_L640:
    stp x29, x30, [sp, -32]!
    mov x29, sp
    add x0, sp, 16
    bl .Lneonsim_reduced
    add x1, sp, 16
    add w0, w0, 1
    bl .Lneonsim_turned
    fcvt s0, d0
    ldp x29, x30, [sp], 32
    ret

.text
tanf:
    fabs s2, s0
    mov w0, 2139095039
    fmov s1, w0
    fcmpe s2, s1
    bls .Lneonsim_L647
    fsub s0, s0, s0
    ret
.Lneonsim_L647:
    movi v1.2s, 0x39, lsl 24
    fcmpe s2, s1
    bmi .Lneonsim_L651
    fcvt d0, s0
    stp x29, x30, [sp, -32]!
    mov x29, sp
    add x0, sp, 16
    bl .Lneonsim_reduced
    add x1, sp, 16
    bl .Lneonsim_turned
    fmov d21, d0
    add x1, sp, 16
    add w0, w0, 1
    bl .Lneonsim_turned
    ldp x29, x30, [sp], 32
    fdiv d0, d21, d0
    fcvt s0, d0
    ret
.Lneonsim_L651:
    ret

.text
__popcountsi2:
    uxtw x1, w0
    lsr w0, w0, 1
    and x0, x0, 6148914691236517205
    sub x0, x1, x0
    and x1, x0, 3689348814741910323
    lsr x0, x0, 2
    and x0, x0, 3689348814741910323
    add x1, x1, x0
    add x1, x1, x1, lsr 4
    and x1, x1, 1085102592571150095
    add x1, x1, x1, lsr 8
    add x1, x1, x1, lsr 16
    lsr x0, x1, 32
    add w0, w0, w1
    and w0, w0, 127
    ret

.text
__popcountdi2:
    lsr x1, x0, 1
    and x1, x1, 6148914691236517205
    sub x0, x0, x1
    and x1, x0, 3689348814741910323
    lsr x0, x0, 2
    and x0, x0, 3689348814741910323
    add x1, x1, x0
    add x1, x1, x1, lsr 4
    and x1, x1, 1085102592571150095
    add x1, x1, x1, lsr 8
    add x1, x1, x1, lsr 16
    lsr x0, x1, 32
    add w0, w0, w1
    and w0, w0, 127
    ret

.text
__paritysi2:
    uxtw x1, w0
    lsr w0, w0, 1
    and x0, x0, 6148914691236517205
    sub x0, x1, x0
    and x1, x0, 3689348814741910323
    lsr x0, x0, 2
    and x0, x0, 3689348814741910323
    add x1, x1, x0
    add x1, x1, x1, lsr 4
    and x1, x1, 1085102592571150095
    add x1, x1, x1, lsr 8
    add x1, x1, x1, lsr 16
    lsr x0, x1, 32
    add w0, w0, w1
    and w0, w0, 1
    ret

.text
__paritydi2:
    lsr x1, x0, 1
    and x1, x1, 6148914691236517205
    sub x0, x0, x1
    and x1, x0, 3689348814741910323
    lsr x0, x0, 2
    and x0, x0, 3689348814741910323
    add x1, x1, x0
    add x1, x1, x1, lsr 4
    and x1, x1, 1085102592571150095
    add x1, x1, x1, lsr 8
    add x1, x1, x1, lsr 16
    lsr x0, x1, 32
    add w0, w0, w1
    and w0, w0, 1
    ret

.text
__clzsi2:
    clz w0, w0
    ret

.text
__clzdi2:
    lsr x1, x0, 32
    clz w2, w0
    cmp x1, 0
    add w0, w2, 32
    clz w1, w1
    csel w0, w0, w1, eq
    ret

.text
__ctzsi2:
    rbit w0, w0
    clz w0, w0
    ret

.text
__ctzdi2:
    cmp w0, 0
    rbit w1, w0
    lsr x0, x0, 32
    clz w1, w1
    rbit w0, w0
    clz w0, w0
    add w0, w0, 32
    csel w0, w0, w1, eq
    ret

.text
__ffssi2:
    rbit w1, w0
    cmp w0, 0
    clz w1, w1
    csinc w0, wzr, w1, eq
    ret

.text
__ffsdi2:
    cbz x0, .Lneonsim_L673
    lsr x1, x0, 32
    cmp w0, 0
    rbit w1, w1
    rbit w0, w0
    clz w1, w1
    clz w0, w0
    add w1, w1, 32
    csel w0, w1, w0, eq
    add w0, w0, 1
    ret
.Lneonsim_L673:
    mov w0, 0
    ret

.text
__clrsbsi2:
    eor w0, w0, w0, asr 31
    lsl w0, w0, 1
    orr w0, w0, 1
    clz w0, w0
    ret

.text
__clrsbdi2:
    eor x1, x0, x0, asr 63
    lsl x1, x1, 1
    orr x0, x1, 1
    clz w0, w0
    lsr x1, x1, 32
    cmp x1, 0
    add w0, w0, 32
    clz w1, w1
    csel w0, w0, w1, eq
    ret

.text
__bswapsi2:
    rev w0, w0
    ret

.text
__bswapdi2:
    rev x0, x0
    ret

.text
__addvsi3:
    adds w0, w0, w1
    bvs .Lneonsim_L685
    ret
.Lneonsim_L685:
    brk #1000

.text
__subvsi3:
    subs w0, w0, w1
    bvs .Lneonsim_L691
    ret
.Lneonsim_L691:
    brk #1000

.text
__mulvsi3:
    smull x0, w0, w1
    asr x1, x0, 32
    cmp w1, w0, asr 31
    bne .Lneonsim_L698
    ret
.Lneonsim_L698:
    brk #1000

.text
__negvsi2:
    negs w0, w0
    bvs .Lneonsim_L704
    ret
.Lneonsim_L704:
    brk #1000

.text
__absvsi2:
    tbnz w0, #31, .Lneonsim_L712
.Lneonsim_L706:
    ret
.Lneonsim_L712:
    negs w0, w0
    bvc .Lneonsim_L706
    brk #1000

.text
__mulosi4:
    smull x1, w0, w1
    mov w0, w1
    asr x3, x1, 32
    cmp w3, w1, asr 31
    cset w1, ne
    str w1, [x2]
    ret

.text
__addvdi3:
    adds x0, x0, x1
    bvs .Lneonsim_L721
    ret
.Lneonsim_L721:
    brk #1000

.text
__subvdi3:
    subs x0, x0, x1
    bvs .Lneonsim_L727
    ret
.Lneonsim_L727:
    brk #1000

.text
__mulvdi3:
    mov x2, x0
    mul x0, x0, x1
    smulh x2, x2, x1
    cmp x2, x0, asr 63
    bne .Lneonsim_L734
    ret
.Lneonsim_L734:
    brk #1000

.text
__negvdi2:
    negs x0, x0
    bvs .Lneonsim_L740
    ret
.Lneonsim_L740:
    brk #1000

.text
__absvdi2:
    tbnz x0, #63, .Lneonsim_L748
.Lneonsim_L742:
    ret
.Lneonsim_L748:
    negs x0, x0
    bvc .Lneonsim_L742
    brk #1000

.text
__mulodi4:
    mov x3, x0
    mul x0, x0, x1
    smulh x3, x3, x1
    cmp x3, x0, asr 63
    cset x1, ne
    str w1, [x2]
    ret

.text
__powisf2:
    cmp w0, 0
    fmov s2, 1.0e+0
    csneg w1, w0, w0, ge
    tst x0, 1
    fmov s1, s0
    lsr w1, w1, 1
    fcsel s0, s0, s2, ne
    cbz w1, .Lneonsim_L755
.Lneonsim_L757:
    fmul s1, s1, s1
    tbz x1, 0, .Lneonsim_L756
    fmul s0, s0, s1
.Lneonsim_L756:
    lsr w1, w1, 1
    cbnz w1, .Lneonsim_L757
.Lneonsim_L755:
    tbnz w0, #31, .Lneonsim_L767
    ret
.Lneonsim_L767:
    fmov s1, 1.0e+0
    fdiv s0, s1, s0
    ret

.text
__powidf2:
    cmp w0, 0
    fmov d2, 1.0e+0
    csneg w1, w0, w0, ge
    tst x0, 1
    fmov d1, d0
    lsr w1, w1, 1
    fcsel d0, d0, d2, ne
    cbz w1, .Lneonsim_L771
.Lneonsim_L773:
    fmul d1, d1, d1
    tbz x1, 0, .Lneonsim_L772
    fmul d0, d0, d1
.Lneonsim_L772:
    lsr w1, w1, 1
    cbnz w1, .Lneonsim_L773
.Lneonsim_L771:
    tbnz w0, #31, .Lneonsim_L783
    ret
.Lneonsim_L783:
    fmov d1, 1.0e+0
    fdiv d0, d1, d0
    ret

.text
__mulsc3:
    fmul s16, s1, s3
    fmul s7, s0, s2
    fmul s17, s0, s3
    fmov s4, s0
    fmul s18, s2, s1
    fmov s5, s1
    fsub s0, s7, s16
    fadd s1, s17, s18
    fcmp s0, s0
    fccmp s1, s1, 4, ne
    beq .Lneonsim_L805
    fabs s20, s4
    mov w0, 2139095040
    fmov s6, w0
    fabs s19, s5
    fcmp s20, s6
    bne .Lneonsim_L809
    fmov w0, s4
    fcmp s19, s6
    mov w1, 1065353216
    and w0, w0, -2147483648
    orr w0, w0, w1
    csel w1, wzr, w1, ne
    fmov s4, w0
.Lneonsim_L789:
    fmov w4, s2
    fcmp s2, s2
    fmov w2, s3
    fmov w5, s5
    and w0, w4, -2147483648
    csel w0, w0, w4, ne
    fcmp s3, s3
    and w3, w2, -2147483648
    bfi w5, w1, 0, 31
    fmov s2, w0
    fmov s5, w5
    mov w1, 1
    csel w0, w3, w2, ne
    fmov s3, w0
.Lneonsim_L788:
    fabs s20, s2
    mov w0, 2139095040
    fmov s6, w0
    fabs s19, s3
    fcmp s20, s6
    beq .Lneonsim_L791
    fcmp s19, s6
    beq .Lneonsim_L792
    cbnz w1, .Lneonsim_L796
    fabs s7, s7
    fcmp s7, s6
    beq .Lneonsim_L797
    fabs s16, s16
    fcmp s16, s6
    beq .Lneonsim_L797
    fabs s17, s17
    fcmp s17, s6
    bne .Lneonsim_L810
.Lneonsim_L797:
    fmov w2, s4
    fcmp s4, s4
    fmov w5, s5
    fmov w3, s2
    fmov w1, s3
    and w0, w2, -2147483648
    csel w0, w0, w2, ne
    fcmp s5, s5
    and w6, w5, -2147483648
    fmov s4, w0
    and w4, w3, -2147483648
    and w2, w1, -2147483648
    csel w0, w6, w5, ne
    fcmp s2, s2
    fmov s5, w0
    csel w0, w4, w3, ne
    fcmp s3, s3
    fmov s2, w0
    csel w0, w2, w1, ne
    fmov s3, w0
    b .Lneonsim_L796
.Lneonsim_L791:
    fmov w0, s2
    fcmp s19, s6
    mov w1, 1065353216
    and w0, w0, -2147483648
    orr w0, w0, w1
    csel w1, wzr, w1, ne
    fmov s2, w0
.Lneonsim_L794:
    fmov w4, s4
    fcmp s4, s4
    fmov w2, s5
    fmov w5, s3
    and w0, w4, -2147483648
    csel w0, w0, w4, ne
    fcmp s5, s5
    and w3, w2, -2147483648
    bfi w5, w1, 0, 31
    fmov s4, w0
    fmov s3, w5
    csel w0, w3, w2, ne
    fmov s5, w0
.Lneonsim_L796:
    fmul s0, s4, s2
    fmul s4, s4, s3
    fmul s3, s5, s3
    fmul s5, s5, s2
    mov w0, 2139095040
    fmov s1, w0
    fsub s0, s0, s3
    fadd s4, s4, s5
    fmul s0, s0, s1
    fmul s1, s4, s1
.Lneonsim_L805:
    ret
.Lneonsim_L809:
    fcmp s19, s6
    mov w1, 0
    bne .Lneonsim_L788
    movi v6.2s, 0x80, lsl 24
    mov w1, 1065353216
    and v4.8b, v4.8b, v6.8b
    b .Lneonsim_L789
.Lneonsim_L792:
    movi v0.2s, 0x80, lsl 24
    mov w1, 1065353216
    and v2.8b, v2.8b, v0.8b
    b .Lneonsim_L794
.Lneonsim_L810:
    fabs s18, s18
    fcmp s18, s6
    bne .Lneonsim_L805
    b .Lneonsim_L797

.text
__muldc3:
    fmul d16, d1, d3
    fmul d7, d0, d2
    fmul d17, d0, d3
    fmov d4, d0
    fmul d18, d2, d1
    fmov d5, d1
    fsub d0, d7, d16
    fadd d1, d17, d18
    fcmp d0, d0
    fccmp d1, d1, 4, ne
    beq .Lneonsim_L832
    fabs d20, d4
    mov x0, 9218868437227405312
    fmov d6, x0
    fabs d19, d5
    fcmp d20, d6
    bne .Lneonsim_L836
    fmov x0, d4
    fcmp d19, d6
    mov x1, 4607182418800017408
    and x0, x0, -9223372036854775808
    orr x0, x0, x1
    csel x1, xzr, x1, ne
    fmov d4, x0
.Lneonsim_L816:
    fmov x4, d2
    fcmp d2, d2
    fmov x2, d3
    fmov x5, d5
    and x0, x4, -9223372036854775808
    csel x0, x0, x4, ne
    fcmp d3, d3
    and x3, x2, -9223372036854775808
    bfi x5, x1, 0, 63
    fmov d2, x0
    fmov d5, x5
    mov w1, 1
    csel x0, x3, x2, ne
    fmov d3, x0
.Lneonsim_L815:
    fabs d20, d2
    mov x0, 9218868437227405312
    fmov d6, x0
    fabs d19, d3
    fcmp d20, d6
    beq .Lneonsim_L818
    fcmp d19, d6
    beq .Lneonsim_L819
    cbnz w1, .Lneonsim_L823
    fabs d7, d7
    fcmp d7, d6
    beq .Lneonsim_L824
    fabs d16, d16
    fcmp d16, d6
    beq .Lneonsim_L824
    fabs d17, d17
    fcmp d17, d6
    bne .Lneonsim_L837
.Lneonsim_L824:
    fmov x2, d4
    fcmp d4, d4
    fmov x5, d5
    fmov x3, d2
    fmov x1, d3
    and x0, x2, -9223372036854775808
    csel x0, x0, x2, ne
    fcmp d5, d5
    and x6, x5, -9223372036854775808
    fmov d4, x0
    and x4, x3, -9223372036854775808
    and x2, x1, -9223372036854775808
    csel x0, x6, x5, ne
    fcmp d2, d2
    fmov d5, x0
    csel x0, x4, x3, ne
    fcmp d3, d3
    fmov d2, x0
    csel x0, x2, x1, ne
    fmov d3, x0
    b .Lneonsim_L823
.Lneonsim_L818:
    fmov x0, d2
    fcmp d19, d6
    mov x1, 4607182418800017408
    and x0, x0, -9223372036854775808
    orr x0, x0, x1
    csel x1, xzr, x1, ne
    fmov d2, x0
.Lneonsim_L821:
    fmov x4, d4
    fcmp d4, d4
    fmov x2, d5
    fmov x5, d3
    and x0, x4, -9223372036854775808
    csel x0, x0, x4, ne
    fcmp d5, d5
    and x3, x2, -9223372036854775808
    bfi x5, x1, 0, 63
    fmov d4, x0
    fmov d3, x5
    csel x0, x3, x2, ne
    fmov d5, x0
.Lneonsim_L823:
    fmul d0, d4, d2
    fmul d4, d4, d3
    fmul d3, d5, d3
    fmul d5, d5, d2
    mov x0, 9218868437227405312
    fmov d1, x0
    fsub d0, d0, d3
    fadd d4, d4, d5
    fmul d0, d0, d1
    fmul d1, d4, d1
.Lneonsim_L832:
    ret
.Lneonsim_L836:
    fcmp d19, d6
    mov w1, 0
    bne .Lneonsim_L815
    mov x0, -9223372036854775808
    fmov d6, x0
    mov x1, 4607182418800017408
    and v4.8b, v4.8b, v6.8b
    b .Lneonsim_L816
.Lneonsim_L819:
    mov x0, -9223372036854775808
    fmov d0, x0
    mov x1, 4607182418800017408
    and v2.8b, v2.8b, v0.8b
    b .Lneonsim_L821
.Lneonsim_L837:
    fabs d18, d18
    fcmp d18, d6
    bne .Lneonsim_L832
    b .Lneonsim_L824

.text
__divsc3:
    fmov s17, s1
    fcvt d4, s2
    fcvt d1, s0
    fcvt d6, s3
    fmov s16, s0
    fcvt d0, s17
    fmul d7, d4, d4
    fmul d5, d4, d1
    fmul d19, d6, d6
    fmul d18, d6, d0
    fmul d4, d4, d0
    fadd d7, d7, d19
    fmul d6, d6, d1
    fadd d5, d5, d18
    fsub d4, d4, d6
    fdiv d5, d5, d7
    fdiv d4, d4, d7
    fcvt s0, d5
    fcvt s1, d4
    fcmp s0, s0
    cset w0, ne
    fcmp s1, s1
    cset w1, ne
    fcmp d7, #0.0
    and w0, w0, w1
    beq .Lneonsim_L868
    cbz w0, .Lneonsim_L864
.Lneonsim_L841:
    fabs s5, s16
    mov w0, 2139095040
    fmov s4, w0
    fabs s6, s2
    fcmp s5, s4
    bne .Lneonsim_L869
.Lneonsim_L843:
    mov w0, 2139095039
    fmov s4, w0
    fcmpe s6, s4
    bls .Lneonsim_L859
.Lneonsim_L844:
    mov w0, 2139095040
    fmov s4, w0
    fcmp s6, s4
    bne .Lneonsim_L870
.Lneonsim_L849:
    mov w0, 2139095039
    fmov s4, w0
    fcmpe s5, s4
    bls .Lneonsim_L861
.Lneonsim_L864:
    ret
.Lneonsim_L868:
    cbz w0, .Lneonsim_L864
    fcmp s16, s16
    fccmp s17, s17, 4, ne
    bne .Lneonsim_L841
    fmov w0, s2
    and w0, w0, -2147483648
    orr w0, w0, 2139095040
    fmov s2, w0
    fmul s1, s17, s2
    fmul s0, s16, s2
    ret
.Lneonsim_L869:
    fabs s7, s17
    fcmp s7, s4
    bne .Lneonsim_L844
    b .Lneonsim_L843
.Lneonsim_L870:
    fabs s7, s3
    fcmp s7, s4
    bne .Lneonsim_L864
    b .Lneonsim_L849
.Lneonsim_L859:
    fabs s7, s3
    fcmpe s7, s4
    bls .Lneonsim_L860
    b .Lneonsim_L844
.Lneonsim_L861:
    fabs s5, s17
    fcmpe s5, s4
    bls .Lneonsim_L862
    ret
.Lneonsim_L860:
    mov w0, 2139095040
    fmov s4, w0
    fabs s0, s17
    fmov w0, s16
    fcmp s5, s4
    mov w2, 1065353216
    and w1, w0, -2147483648
    fmov w0, s17
    csel w3, wzr, w2, ne
    fcmp s0, s4
    orr w1, w1, w3
    fmov s5, w1
    and w0, w0, -2147483648
    fmul s0, s2, s5
    csel w2, wzr, w2, ne
    fmul s5, s3, s5
    orr w0, w0, w2
    fmov s1, w0
    fmul s3, s3, s1
    fmul s2, s2, s1
    fadd s3, s0, s3
    fsub s1, s2, s5
    fmul s0, s3, s4
    fmul s1, s1, s4
    ret
.Lneonsim_L862:
    mov w0, 2139095040
    fmov s0, w0
    fabs s1, s3
    fmov w0, s2
    fcmp s6, s0
    fmov w1, s3
    mov w2, 1065353216
    movi v4.2s, #0
    and w0, w0, -2147483648
    csel w3, wzr, w2, ne
    fcmp s1, s0
    orr w0, w0, w3
    and w1, w1, -2147483648
    fmov s2, w0
    csel w2, wzr, w2, ne
    fmul s3, s16, s2
    orr w0, w1, w2
    fmov s0, w0
    fmul s2, s17, s2
    fmul s17, s17, s0
    fmul s0, s16, s0
    fadd s1, s3, s17
    fsub s2, s2, s0
    fmul s0, s1, s4
    fmul s1, s2, s4
    ret

.text
__divdc3:
    fabs d17, d2
    fabs d18, d3
    fmov d7, d0
    mov x0, 9209861237972664320
    fmov d16, d1
    fmov d0, x0
    fcmpe d17, d18
    bmi .Lneonsim_L872
    fcmpe d17, d0
    bge .Lneonsim_L912
    fmov d1, d17
    b .Lneonsim_L873
.Lneonsim_L872:
    fcmpe d18, d0
    bge .Lneonsim_L904
    fmov d1, d18
.Lneonsim_L873:
    mov x0, 4372995238176751616
    fmov d0, x0
    fcmpe d1, d0
    bmi .Lneonsim_L881
    mov x0, 8975674057349398528
    fmov d0, x0
    fcmpe d1, d0
    bmi .Lneonsim_L913
.Lneonsim_L932:
    fmov d5, d3
    fmov d0, d2
    fmov d19, d16
    fmov d20, d7
    b .Lneonsim_L875
.Lneonsim_L904:
    fmov d5, 5.0e-1
    fmul d20, d7, d5
    fmul d19, d16, d5
    fmul d0, d2, d5
    fmul d5, d3, d5
.Lneonsim_L903:
    fdiv d1, d0, d5
    mov x0, 4503599627370496
    fmov d6, x0
    fabs d21, d1
    fmul d4, d1, d0
    fcmpe d21, d6
    fadd d4, d4, d5
    bgt .Lneonsim_L916
    fdiv d6, d20, d5
    fdiv d5, d19, d5
    fmul d6, d6, d0
    fmul d5, d5, d0
    fadd d6, d6, d19
    fsub d5, d5, d20
    fdiv d0, d6, d4
    fdiv d1, d5, d4
.Lneonsim_L887:
    fcmp d0, d0
    movi d4, #0
    cset w0, ne
    fcmp d1, d1
    cset w1, ne
    fcmp d3, d4
    and w0, w0, w1
    fccmp d2, d4, 0, eq
    beq .Lneonsim_L890
    cbz w0, .Lneonsim_L924
.Lneonsim_L891:
    fabs d5, d7
    mov x0, 9218868437227405312
    fmov d4, x0
    fcmp d5, d4
    bne .Lneonsim_L936
.Lneonsim_L893:
    mov x0, 9218868437227405311
    fmov d4, x0
    fcmpe d17, d4
    bls .Lneonsim_L918
.Lneonsim_L894:
    mov x0, 9218868437227405311
    fmov d4, x0
    fcmp d17, d4
    fccmp d18, d4, 0, le
    ble .Lneonsim_L924
    fcmpe d5, d4
    bls .Lneonsim_L920
.Lneonsim_L924:
    ret
.Lneonsim_L912:
    fmov d5, 5.0e-1
    fmul d20, d7, d5
    fmul d19, d1, d5
    fmul d0, d2, d5
    fmul d5, d3, d5
.Lneonsim_L875:
    fcmpe d17, d18
    bmi .Lneonsim_L903
    fdiv d1, d5, d0
    mov x0, 4503599627370496
    fmov d6, x0
    fabs d21, d1
    fmul d4, d1, d5
    fcmpe d21, d6
    fadd d4, d4, d0
    bgt .Lneonsim_L917
    fdiv d6, d19, d0
    fdiv d1, d20, d0
    fmul d6, d6, d5
    fmul d1, d1, d5
    fadd d5, d6, d20
    fsub d1, d19, d1
    fdiv d0, d5, d4
    fdiv d1, d1, d4
    b .Lneonsim_L887
.Lneonsim_L881:
    mov x0, 4841369599423283200
    fmov d5, x0
    fmul d20, d7, d5
    fmul d19, d16, d5
    fmul d0, d2, d5
    fmul d5, d3, d5
    b .Lneonsim_L875
.Lneonsim_L917:
    fmul d5, d1, d19
    fmul d1, d1, d20
    fadd d5, d5, d20
    fsub d1, d19, d1
    fdiv d0, d5, d4
    fdiv d1, d1, d4
    b .Lneonsim_L887
.Lneonsim_L890:
    cbz w0, .Lneonsim_L924
    fcmp d7, d7
    fccmp d16, d16, 4, ne
    bne .Lneonsim_L891
    fmov x0, d2
    and x0, x0, -9223372036854775808
    orr x0, x0, 9218868437227405312
    fmov d2, x0
    fmul d1, d16, d2
    fmul d0, d7, d2
    ret
.Lneonsim_L916:
    fmul d5, d1, d20
    fmul d1, d1, d19
    fadd d5, d5, d19
    fsub d1, d1, d20
    fdiv d0, d5, d4
    fdiv d1, d1, d4
    b .Lneonsim_L887
.Lneonsim_L936:
    fabs d6, d16
    fcmp d6, d4
    bne .Lneonsim_L894
    b .Lneonsim_L893
.Lneonsim_L918:
    fcmpe d18, d4
    bls .Lneonsim_L919
    b .Lneonsim_L894
.Lneonsim_L913:
    fabs d4, d7
    mov x0, 4503599627370496
    fmov d1, x0
    fabs d5, d16
    fcmpe d4, d1
    bmi .Lneonsim_L914
.Lneonsim_L879:
    mov x0, 4503599627370496
    fmov d0, x0
    fcmpe d5, d0
    bmi .Lneonsim_L915
    b .Lneonsim_L932
.Lneonsim_L920:
    fabs d5, d16
    fcmpe d5, d4
    bls .Lneonsim_L921
    ret
.Lneonsim_L919:
    mov x0, 9218868437227405312
    fmov d4, x0
    fabs d0, d16
    fmov x0, d7
    fcmp d5, d4
    mov x2, 4607182418800017408
    and x1, x0, -9223372036854775808
    fmov x0, d16
    csel x3, xzr, x2, ne
    fcmp d0, d4
    orr x1, x1, x3
    fmov d5, x1
    and x0, x0, -9223372036854775808
    fmul d0, d2, d5
    csel x2, xzr, x2, ne
    fmul d5, d3, d5
    orr x0, x0, x2
    fmov d1, x0
    fmul d3, d3, d1
    fmul d2, d2, d1
    fadd d3, d0, d3
    fsub d1, d2, d5
    fmul d0, d3, d4
    fmul d1, d1, d4
    ret
.Lneonsim_L921:
    mov x0, 9218868437227405312
    fmov d0, x0
    fmov x0, d2
    fmov x1, d3
    fcmp d17, d0
    mov x2, 4607182418800017408
    movi d4, #0
    and x0, x0, -9223372036854775808
    and x1, x1, -9223372036854775808
    csel x3, xzr, x2, ne
    fcmp d18, d0
    orr x0, x0, x3
    fmov d2, x0
    fmul d3, d7, d2
    fmul d2, d16, d2
    csel x2, xzr, x2, ne
    orr x0, x1, x2
    fmov d0, x0
    fmul d16, d16, d0
    fmul d0, d7, d0
    fadd d1, d3, d16
    fsub d2, d2, d0
    fmul d0, d1, d4
    fmul d1, d2, d4
    ret
.Lneonsim_L914:
    fcmpe d5, d0
    bmi .Lneonsim_L881
    b .Lneonsim_L879
.Lneonsim_L915:
    mov x0, 8975674057349398528
    fmov d0, x0
    fcmpe d4, d0
    bmi .Lneonsim_L881
    b .Lneonsim_L932

.text
__udivti3:
    stp x29, x30, [sp, -32]!
    mov x29, sp
    add x4, sp, 16
    bl .Lneonsim_divided_wide
    ldp x29, x30, [sp], 32
    ret

.text
__umodti3:
    stp x29, x30, [sp, -32]!
    mov x29, sp
    add x4, sp, 16
    bl .Lneonsim_divided_wide
    ldp x0, x1, [sp, 16]
    ldp x29, x30, [sp], 32
    ret

.text
__udivmodti4:
    stp x29, x30, [sp, -32]!
    mov x18, x4
    mov x29, sp
    add x4, sp, 16
    bl .Lneonsim_divided_wide
    cbz x18, .Lneonsim_L941
    ldp x2, x3, [sp, 16]
    stp x2, x3, [x18]
.Lneonsim_L941:
    ldp x29, x30, [sp], 32
    ret

.text
__divti3:
    stp x29, x30, [sp, -48]!
    mov x18, x1
    mov x29, sp
    str x19, [sp, 16]
    mov x19, x3
    tbz x1, #63, .Lneonsim_L948
    negs x0, x0
    sbc x1, xzr, x1
.Lneonsim_L948:
    mov x3, x19
    tbz x19, #63, .Lneonsim_L950
    negs x2, x2
    sbc x3, xzr, x19
.Lneonsim_L950:
    add x4, sp, 32
    eor x18, x18, x19
    bl .Lneonsim_divided_wide
    tbz x18, #63, .Lneonsim_L947
    negs x0, x0
    sbc x1, xzr, x1
.Lneonsim_L947:
    ldr x19, [sp, 16]
    ldp x29, x30, [sp], 48
    ret

.text
__modti3:
    stp x29, x30, [sp, -32]!
    mov x29, sp
    tbnz x1, #63, .Lneonsim_L969
    tbnz x3, #63, .Lneonsim_L970
    add x4, sp, 16
    bl .Lneonsim_divided_wide
.Lneonsim_L963:
    ldp x0, x1, [sp, 16]
    ldp x29, x30, [sp], 32
    ret
.Lneonsim_L970:
    negs x2, x2
    add x4, sp, 16
    sbc x3, xzr, x3
    bl .Lneonsim_divided_wide
    b .Lneonsim_L963
.Lneonsim_L969:
    negs x0, x0
    sbc x1, xzr, x1
    tbz x3, #63, .Lneonsim_L968
    negs x2, x2
    sbc x3, xzr, x3
.Lneonsim_L968:
    add x4, sp, 16
    bl .Lneonsim_divided_wide
    ldp x0, x1, [sp, 16]
    ldp x29, x30, [sp], 32
    negs x0, x0
    sbc x1, xzr, x1
    ret

.text
__divmodti4:
    stp x29, x30, [sp, -48]!
    mov x18, x1
    mov x6, x2
    mov x29, sp
    stp x19, x20, [sp, 16]
    mov x20, x4
    mov x19, x3
    tbnz x1, #63, .Lneonsim_L988
    mov x4, x0
    mov x7, x1
    tbnz x3, #63, .Lneonsim_L983
    add x4, sp, 32
    bl .Lneonsim_divided_wide
    ldp x2, x3, [sp, 32]
    stp x2, x3, [x20]
.Lneonsim_L971:
    ldp x19, x20, [sp, 16]
    ldp x29, x30, [sp], 48
    ret
.Lneonsim_L983:
    negs x2, x6
    mov x0, x4
    sbc x3, xzr, x19
    mov x1, x7
    add x4, sp, 32
    bl .Lneonsim_divided_wide
    ldp x2, x3, [sp, 32]
    tbz x18, #63, .Lneonsim_L978
    negs x2, x2
    sbc x3, xzr, x3
.Lneonsim_L978:
    stp x2, x3, [x20]
    eor x19, x18, x19
    tbz x19, #63, .Lneonsim_L971
.Lneonsim_L982:
    negs x0, x0
    ldp x19, x20, [sp, 16]
    sbc x1, xzr, x1
    ldp x29, x30, [sp], 48
    ret
.Lneonsim_L988:
    negs x0, x0
    sbc x1, xzr, x1
    mov x4, x0
    mov x7, x1
    tbnz x3, #63, .Lneonsim_L983
    add x4, sp, 32
    bl .Lneonsim_divided_wide
    ldp x2, x3, [sp, 32]
    negs x2, x2
    sbc x3, xzr, x3
    stp x2, x3, [x20]
    b .Lneonsim_L982

.text
__popcountti2:
    lsr x3, x0, 1
    lsr x2, x1, 1
    and x3, x3, 6148914691236517205
    and x2, x2, 6148914691236517205
    sub x0, x0, x3
    sub x3, x1, x2
    and x1, x3, 3689348814741910323
    and x2, x0, 3689348814741910323
    lsr x3, x3, 2
    lsr x0, x0, 2
    and x0, x0, 3689348814741910323
    and x3, x3, 3689348814741910323
    add x2, x2, x0
    add x1, x1, x3
    add x2, x2, x2, lsr 4
    add x1, x1, x1, lsr 4
    and x2, x2, 1085102592571150095
    and x1, x1, 1085102592571150095
    add x2, x2, x2, lsr 8
    add x1, x1, x1, lsr 8
    add x2, x2, x2, lsr 16
    add x1, x1, x1, lsr 16
    lsr x0, x2, 32
    lsr x3, x1, 32
    add w2, w0, w2
    add w0, w3, w1
    and w2, w2, 127
    and w0, w0, 127
    add w0, w0, w2
    ret

.text
__clzti2:
    cbz x1, .Lneonsim_L991
    lsr x0, x1, 32
    clz w1, w1
    cmp x0, 0
    add w1, w1, 32
    clz w0, w0
    csel w0, w1, w0, eq
    ret
.Lneonsim_L991:
    lsr x1, x0, 32
    clz w0, w0
    cmp x1, 0
    add w0, w0, 32
    clz w1, w1
    csel w0, w0, w1, eq
    add w0, w0, 64
    ret

.text
__ctzti2:
    cbz x0, .Lneonsim_L998
    lsr x1, x0, 32
    cmp w0, 0
    rbit w1, w1
    rbit w0, w0
    clz w1, w1
    clz w0, w0
    add w1, w1, 32
    csel w0, w1, w0, eq
    ret
.Lneonsim_L998:
    lsr x0, x1, 32
    cmp w1, 0
    rbit w0, w0
    rbit w1, w1
    clz w0, w0
    clz w1, w1
    add w0, w0, 32
    csel w0, w0, w1, eq
    add w0, w0, 64
    ret

.text
__floatuntisf:
    b .Lneonsim_single_of_wide

.text
__floatuntidf:
    b .Lneonsim_double_of_wide

.text
__floattisf:
    tbnz x1, #63, .Lneonsim_L1010
    b .Lneonsim_single_of_wide
.Lneonsim_L1010:
    stp x29, x30, [sp, -16]!
    negs x0, x0
    sbc x1, xzr, x1
    mov x29, sp
    bl .Lneonsim_single_of_wide
    fneg s0, s0
    ldp x29, x30, [sp], 16
    ret

.text
__floattidf:
    tbnz x1, #63, .Lneonsim_L1018
    b .Lneonsim_double_of_wide
.Lneonsim_L1018:
    stp x29, x30, [sp, -16]!
    negs x0, x0
    sbc x1, xzr, x1
    mov x29, sp
    bl .Lneonsim_double_of_wide
    fneg d0, d0
    ldp x29, x30, [sp], 16
    ret

.text
__fixunsdfti:
    b .Lneonsim_wide_of

.text
__fixunssfti:
    fcvt d0, s0
    b .Lneonsim_wide_of

.text
__fixdfti:
    fabs d3, d0
    mov x0, 5179139571476070400
    fmov d2, x0
    fcmpe d3, d2
    bge .Lneonsim_L1032
    fcmpe d0, #0.0
    bmi .Lneonsim_L1034
    b .Lneonsim_wide_of
.Lneonsim_L1032:
    fcmpe d0, #0.0
    bmi .Lneonsim_L1033
    adrp x1, .Lneonsim_LC37+8
    mov x0, -1
    ldr x1, [x1, #:lo12:.Lneonsim_LC37+8]
    ret
.Lneonsim_L1034:
    fneg d0, d0
    stp x29, x30, [sp, -16]!
    mov x29, sp
    bl .Lneonsim_wide_of
    negs x0, x0
    sbc x1, xzr, x1
    ldp x29, x30, [sp], 16
    ret
.Lneonsim_L1033:
    adrp x1, .Lneonsim_LC38+8
    mov x0, 0
    ldr x1, [x1, #:lo12:.Lneonsim_LC38+8]
    ret

.text
__fixsfti:
    fmov s1, s0
    fcvt d0, s0
    mov x0, 5179139571476070400
    fmov d2, x0
    fabs d3, d0
    fcmpe d3, d2
    bge .Lneonsim_L1050
    fcmpe s1, #0.0
    bmi .Lneonsim_L1052
    b .Lneonsim_wide_of
.Lneonsim_L1050:
    fcmpe s1, #0.0
    bmi .Lneonsim_L1051
    adrp x1, .Lneonsim_LC37+8
    mov x0, -1
    ldr x1, [x1, #:lo12:.Lneonsim_LC37+8]
    ret
.Lneonsim_L1052:
    fneg d0, d0
    stp x29, x30, [sp, -16]!
    mov x29, sp
    bl .Lneonsim_wide_of
    negs x0, x0
    sbc x1, xzr, x1
    ldp x29, x30, [sp], 16
    ret
.Lneonsim_L1051:
    adrp x1, .Lneonsim_LC38+8
    mov x0, 0
    ldr x1, [x1, #:lo12:.Lneonsim_LC38+8]
    ret

.text
__aarch64_ldadd1_relax:
    ldrb w2, [x1]
    add w3, w2, w0, uxtb
    mov w0, w2
    strb w3, [x1]
    ret

.text
__aarch64_ldclr1_relax:
    and w2, w0, 255
    ldrb w0, [x1]
    bic w2, w0, w2
    strb w2, [x1]
    ret

.text
__aarch64_ldeor1_relax:
    ldrb w2, [x1]
    eor w3, w0, w2
    mov w0, w2
    strb w3, [x1]
    ret

.text
__aarch64_ldset1_relax:
    ldrb w2, [x1]
    orr w3, w0, w2
    mov w0, w2
    strb w3, [x1]
    ret

.text
__aarch64_swp1_relax:
    ldrb w2, [x1]
    strb w0, [x1]
    mov w0, w2
    ret

.text
__aarch64_cas1_relax:
    ldrb w3, [x2]
    and w1, w1, 255
    cmp w3, w0, uxtb
    bne .Lneonsim_L1065
    strb w1, [x2]
.Lneonsim_L1065:
    mov w0, w3
    ret

.text
__aarch64_ldadd2_relax:
    ldrh w2, [x1]
    add w3, w2, w0, uxth
    mov w0, w2
    strh w3, [x1]
    ret

.text
__aarch64_ldclr2_relax:
    and w2, w0, 65535
    ldrh w0, [x1]
    bic w2, w0, w2
    strh w2, [x1]
    ret

.text
__aarch64_ldeor2_relax:
    ldrh w2, [x1]
    eor w3, w0, w2
    mov w0, w2
    strh w3, [x1]
    ret

.text
__aarch64_ldset2_relax:
    ldrh w2, [x1]
    orr w3, w0, w2
    mov w0, w2
    strh w3, [x1]
    ret

.text
__aarch64_swp2_relax:
    ldrh w2, [x1]
    strh w0, [x1]
    mov w0, w2
    ret

.text
__aarch64_cas2_relax:
    ldrh w3, [x2]
    and w1, w1, 65535
    cmp w3, w0, uxth
    bne .Lneonsim_L1072
    strh w1, [x2]
.Lneonsim_L1072:
    mov w0, w3
    ret

.text
__aarch64_ldadd4_relax:
    mov w2, w0
    ldr w0, [x1]
    add w2, w0, w2
    str w2, [x1]
    ret

.text
__aarch64_ldclr4_relax:
    mov w2, w0
    ldr w0, [x1]
    bic w2, w0, w2
    str w2, [x1]
    ret

.text
__aarch64_ldeor4_relax:
    mov w2, w0
    ldr w0, [x1]
    eor w2, w0, w2
    str w2, [x1]
    ret

.text
__aarch64_ldset4_relax:
    mov w2, w0
    ldr w0, [x1]
    orr w2, w0, w2
    str w2, [x1]
    ret

.text
__aarch64_swp4_relax:
    mov w2, w0
    ldr w0, [x1]
    str w2, [x1]
    ret

.text
__aarch64_cas4_relax:
    mov w3, w0
    ldr w0, [x2]
    cmp w0, w3
    beq .Lneonsim_L1080
    ret
.Lneonsim_L1080:
    str w1, [x2]
    ret

.text
__aarch64_ldadd8_relax:
    mov x2, x0
    ldr x0, [x1]
    add x2, x0, x2
    str x2, [x1]
    ret

.text
__aarch64_ldclr8_relax:
    mov x2, x0
    ldr x0, [x1]
    bic x2, x0, x2
    str x2, [x1]
    ret

.text
__aarch64_ldeor8_relax:
    mov x2, x0
    ldr x0, [x1]
    eor x2, x0, x2
    str x2, [x1]
    ret

.text
__aarch64_ldset8_relax:
    mov x2, x0
    ldr x0, [x1]
    orr x2, x0, x2
    str x2, [x1]
    ret

.text
__aarch64_swp8_relax:
    mov x2, x0
    ldr x0, [x1]
    str x2, [x1]
    ret

.text
__aarch64_cas8_relax:
    mov x3, x0
    ldr x0, [x2]
    cmp x0, x3
    beq .Lneonsim_L1088
    ret
.Lneonsim_L1088:
    str x1, [x2]
    ret

.text
__aarch64_ldadd1_acq:
    ldrb w2, [x1]
    add w3, w2, w0, uxtb
    mov w0, w2
    strb w3, [x1]
    ret

.text
__aarch64_ldclr1_acq:
    and w2, w0, 255
    ldrb w0, [x1]
    bic w2, w0, w2
    strb w2, [x1]
    ret

.text
__aarch64_ldeor1_acq:
    ldrb w2, [x1]
    eor w3, w0, w2
    mov w0, w2
    strb w3, [x1]
    ret

.text
__aarch64_ldset1_acq:
    ldrb w2, [x1]
    orr w3, w0, w2
    mov w0, w2
    strb w3, [x1]
    ret

.text
__aarch64_swp1_acq:
    ldrb w2, [x1]
    strb w0, [x1]
    mov w0, w2
    ret

.text
__aarch64_cas1_acq:
    ldrb w3, [x2]
    and w1, w1, 255
    cmp w3, w0, uxtb
    bne .Lneonsim_L1095
    strb w1, [x2]
.Lneonsim_L1095:
    mov w0, w3
    ret

.text
__aarch64_ldadd2_acq:
    ldrh w2, [x1]
    add w3, w2, w0, uxth
    mov w0, w2
    strh w3, [x1]
    ret

.text
__aarch64_ldclr2_acq:
    and w2, w0, 65535
    ldrh w0, [x1]
    bic w2, w0, w2
    strh w2, [x1]
    ret

.text
__aarch64_ldeor2_acq:
    ldrh w2, [x1]
    eor w3, w0, w2
    mov w0, w2
    strh w3, [x1]
    ret

.text
__aarch64_ldset2_acq:
    ldrh w2, [x1]
    orr w3, w0, w2
    mov w0, w2
    strh w3, [x1]
    ret

.text
__aarch64_swp2_acq:
    ldrh w2, [x1]
    strh w0, [x1]
    mov w0, w2
    ret

.text
__aarch64_cas2_acq:
    ldrh w3, [x2]
    and w1, w1, 65535
    cmp w3, w0, uxth
    bne .Lneonsim_L1102
    strh w1, [x2]
.Lneonsim_L1102:
    mov w0, w3
    ret

.text
__aarch64_ldadd4_acq:
    mov w2, w0
    ldr w0, [x1]
    add w2, w2, w0
    str w2, [x1]
    ret

.text
__aarch64_ldclr4_acq:
    mov w2, w0
    ldr w0, [x1]
    bic w2, w0, w2
    str w2, [x1]
    ret

.text
__aarch64_ldeor4_acq:
    mov w2, w0
    ldr w0, [x1]
    eor w2, w2, w0
    str w2, [x1]
    ret

.text
__aarch64_ldset4_acq:
    mov w2, w0
    ldr w0, [x1]
    orr w2, w2, w0
    str w2, [x1]
    ret

.text
__aarch64_swp4_acq:
    mov w2, w0
    ldr w0, [x1]
    str w2, [x1]
    ret

.text
__aarch64_cas4_acq:
    mov w3, w0
    ldr w0, [x2]
    cmp w3, w0
    beq .Lneonsim_L1110
    ret
.Lneonsim_L1110:
    str w1, [x2]
    ret

.text
__aarch64_ldadd8_acq:
    mov x2, x0
    ldr x0, [x1]
    add x2, x2, x0
    str x2, [x1]
    ret

.text
__aarch64_ldclr8_acq:
    mov x2, x0
    ldr x0, [x1]
    bic x2, x0, x2
    str x2, [x1]
    ret

.text
__aarch64_ldeor8_acq:
    mov x2, x0
    ldr x0, [x1]
    eor x2, x2, x0
    str x2, [x1]
    ret

.text
__aarch64_ldset8_acq:
    mov x2, x0
    ldr x0, [x1]
    orr x2, x2, x0
    str x2, [x1]
    ret

.text
__aarch64_swp8_acq:
    mov x2, x0
    ldr x0, [x1]
    str x2, [x1]
    ret

.text
__aarch64_cas8_acq:
    mov x3, x0
    ldr x0, [x2]
    cmp x3, x0
    beq .Lneonsim_L1118
    ret
.Lneonsim_L1118:
    str x1, [x2]
    ret

.text
__aarch64_ldadd1_rel:
    ldrb w2, [x1]
    add w3, w2, w0, uxtb
    mov w0, w2
    strb w3, [x1]
    ret

.text
__aarch64_ldclr1_rel:
    and w2, w0, 255
    ldrb w0, [x1]
    bic w2, w0, w2
    strb w2, [x1]
    ret

.text
__aarch64_ldeor1_rel:
    ldrb w2, [x1]
    eor w3, w0, w2
    mov w0, w2
    strb w3, [x1]
    ret

.text
__aarch64_ldset1_rel:
    ldrb w2, [x1]
    orr w3, w0, w2
    mov w0, w2
    strb w3, [x1]
    ret

.text
__aarch64_swp1_rel:
    ldrb w2, [x1]
    strb w0, [x1]
    mov w0, w2
    ret

.text
__aarch64_cas1_rel:
    ldrb w3, [x2]
    and w1, w1, 255
    cmp w3, w0, uxtb
    bne .Lneonsim_L1125
    strb w1, [x2]
.Lneonsim_L1125:
    mov w0, w3
    ret

.text
__aarch64_ldadd2_rel:
    ldrh w2, [x1]
    add w3, w2, w0, uxth
    mov w0, w2
    strh w3, [x1]
    ret

.text
__aarch64_ldclr2_rel:
    and w2, w0, 65535
    ldrh w0, [x1]
    bic w2, w0, w2
    strh w2, [x1]
    ret

.text
__aarch64_ldeor2_rel:
    ldrh w2, [x1]
    eor w3, w0, w2
    mov w0, w2
    strh w3, [x1]
    ret

.text
__aarch64_ldset2_rel:
    ldrh w2, [x1]
    orr w3, w0, w2
    mov w0, w2
    strh w3, [x1]
    ret

.text
__aarch64_swp2_rel:
    ldrh w2, [x1]
    strh w0, [x1]
    mov w0, w2
    ret

.text
__aarch64_cas2_rel:
    ldrh w3, [x2]
    and w1, w1, 65535
    cmp w3, w0, uxth
    bne .Lneonsim_L1132
    strh w1, [x2]
.Lneonsim_L1132:
    mov w0, w3
    ret

.text
__aarch64_ldadd4_rel:
    mov w2, w0
    ldr w0, [x1]
    add w2, w2, w0
    str w2, [x1]
    ret

.text
__aarch64_ldclr4_rel:
    mov w2, w0
    ldr w0, [x1]
    bic w2, w0, w2
    str w2, [x1]
    ret

.text
__aarch64_ldeor4_rel:
    mov w2, w0
    ldr w0, [x1]
    eor w2, w2, w0
    str w2, [x1]
    ret

.text
__aarch64_ldset4_rel:
    mov w2, w0
    ldr w0, [x1]
    orr w2, w2, w0
    str w2, [x1]
    ret

.text
__aarch64_swp4_rel:
    mov w2, w0
    ldr w0, [x1]
    str w2, [x1]
    ret

.text
__aarch64_cas4_rel:
    mov w3, w0
    ldr w0, [x2]
    cmp w3, w0
    beq .Lneonsim_L1140
    ret
.Lneonsim_L1140:
    str w1, [x2]
    ret

.text
__aarch64_ldadd8_rel:
    mov x2, x0
    ldr x0, [x1]
    add x2, x2, x0
    str x2, [x1]
    ret

.text
__aarch64_ldclr8_rel:
    mov x2, x0
    ldr x0, [x1]
    bic x2, x0, x2
    str x2, [x1]
    ret

.text
__aarch64_ldeor8_rel:
    mov x2, x0
    ldr x0, [x1]
    eor x2, x2, x0
    str x2, [x1]
    ret

.text
__aarch64_ldset8_rel:
    mov x2, x0
    ldr x0, [x1]
    orr x2, x2, x0
    str x2, [x1]
    ret

.text
__aarch64_swp8_rel:
    mov x2, x0
    ldr x0, [x1]
    str x2, [x1]
    ret

.text
__aarch64_cas8_rel:
    mov x3, x0
    ldr x0, [x2]
    cmp x3, x0
    beq .Lneonsim_L1148
    ret
.Lneonsim_L1148:
    str x1, [x2]
    ret

.text
__aarch64_ldadd1_acq_rel:
    ldrb w2, [x1]
    add w3, w2, w0, uxtb
    mov w0, w2
    strb w3, [x1]
    ret

.text
__aarch64_ldclr1_acq_rel:
    and w2, w0, 255
    ldrb w0, [x1]
    bic w2, w0, w2
    strb w2, [x1]
    ret

.text
__aarch64_ldeor1_acq_rel:
    ldrb w2, [x1]
    eor w3, w0, w2
    mov w0, w2
    strb w3, [x1]
    ret

.text
__aarch64_ldset1_acq_rel:
    ldrb w2, [x1]
    orr w3, w0, w2
    mov w0, w2
    strb w3, [x1]
    ret

.text
__aarch64_swp1_acq_rel:
    ldrb w2, [x1]
    strb w0, [x1]
    mov w0, w2
    ret

.text
__aarch64_cas1_acq_rel:
    ldrb w3, [x2]
    and w1, w1, 255
    cmp w3, w0, uxtb
    bne .Lneonsim_L1155
    strb w1, [x2]
.Lneonsim_L1155:
    mov w0, w3
    ret

.text
__aarch64_ldadd2_acq_rel:
    ldrh w2, [x1]
    add w3, w2, w0, uxth
    mov w0, w2
    strh w3, [x1]
    ret

.text
__aarch64_ldclr2_acq_rel:
    and w2, w0, 65535
    ldrh w0, [x1]
    bic w2, w0, w2
    strh w2, [x1]
    ret

.text
__aarch64_ldeor2_acq_rel:
    ldrh w2, [x1]
    eor w3, w0, w2
    mov w0, w2
    strh w3, [x1]
    ret

.text
__aarch64_ldset2_acq_rel:
    ldrh w2, [x1]
    orr w3, w0, w2
    mov w0, w2
    strh w3, [x1]
    ret

.text
__aarch64_swp2_acq_rel:
    ldrh w2, [x1]
    strh w0, [x1]
    mov w0, w2
    ret

.text
__aarch64_cas2_acq_rel:
    ldrh w3, [x2]
    and w1, w1, 65535
    cmp w3, w0, uxth
    bne .Lneonsim_L1162
    strh w1, [x2]
.Lneonsim_L1162:
    mov w0, w3
    ret

.text
__aarch64_ldadd4_acq_rel:
    mov w2, w0
    ldr w0, [x1]
    add w2, w2, w0
    str w2, [x1]
    ret

.text
__aarch64_ldclr4_acq_rel:
    mov w2, w0
    ldr w0, [x1]
    bic w2, w0, w2
    str w2, [x1]
    ret

.text
__aarch64_ldeor4_acq_rel:
    mov w2, w0
    ldr w0, [x1]
    eor w2, w2, w0
    str w2, [x1]
    ret

.text
__aarch64_ldset4_acq_rel:
    mov w2, w0
    ldr w0, [x1]
    orr w2, w2, w0
    str w2, [x1]
    ret

.text
__aarch64_swp4_acq_rel:
    mov w2, w0
    ldr w0, [x1]
    str w2, [x1]
    ret

.text
__aarch64_cas4_acq_rel:
    mov w3, w0
    ldr w0, [x2]
    cmp w3, w0
    beq .Lneonsim_L1170
    ret
.Lneonsim_L1170:
    str w1, [x2]
    ret

.text
__aarch64_ldadd8_acq_rel:
    mov x2, x0
    ldr x0, [x1]
    add x2, x2, x0
    str x2, [x1]
    ret

.text
__aarch64_ldclr8_acq_rel:
    mov x2, x0
    ldr x0, [x1]
    bic x2, x0, x2
    str x2, [x1]
    ret

.text
__aarch64_ldeor8_acq_rel:
    mov x2, x0
    ldr x0, [x1]
    eor x2, x2, x0
    str x2, [x1]
    ret

.text
__aarch64_ldset8_acq_rel:
    mov x2, x0
    ldr x0, [x1]
    orr x2, x2, x0
    str x2, [x1]
    ret

.text
__aarch64_swp8_acq_rel:
    mov x2, x0
    ldr x0, [x1]
    str x2, [x1]
    ret

.text
__aarch64_cas8_acq_rel:
    mov x3, x0
    ldr x0, [x2]
    cmp x3, x0
    beq .Lneonsim_L1178
    ret
.Lneonsim_L1178:
    str x1, [x2]
    ret

.text
__aarch64_ldadd1_sync:
    ldrb w2, [x1]
    add w3, w2, w0, uxtb
    mov w0, w2
    strb w3, [x1]
    ret

.text
__aarch64_ldclr1_sync:
    and w2, w0, 255
    ldrb w0, [x1]
    bic w2, w0, w2
    strb w2, [x1]
    ret

.text
__aarch64_ldeor1_sync:
    ldrb w2, [x1]
    eor w3, w0, w2
    mov w0, w2
    strb w3, [x1]
    ret

.text
__aarch64_ldset1_sync:
    ldrb w2, [x1]
    orr w3, w0, w2
    mov w0, w2
    strb w3, [x1]
    ret

.text
__aarch64_swp1_sync:
    ldrb w2, [x1]
    strb w0, [x1]
    mov w0, w2
    ret

.text
__aarch64_cas1_sync:
    ldrb w3, [x2]
    and w1, w1, 255
    cmp w3, w0, uxtb
    bne .Lneonsim_L1185
    strb w1, [x2]
.Lneonsim_L1185:
    mov w0, w3
    ret

.text
__aarch64_ldadd2_sync:
    ldrh w2, [x1]
    add w3, w2, w0, uxth
    mov w0, w2
    strh w3, [x1]
    ret

.text
__aarch64_ldclr2_sync:
    and w2, w0, 65535
    ldrh w0, [x1]
    bic w2, w0, w2
    strh w2, [x1]
    ret

.text
__aarch64_ldeor2_sync:
    ldrh w2, [x1]
    eor w3, w0, w2
    mov w0, w2
    strh w3, [x1]
    ret

.text
__aarch64_ldset2_sync:
    ldrh w2, [x1]
    orr w3, w0, w2
    mov w0, w2
    strh w3, [x1]
    ret

.text
__aarch64_swp2_sync:
    ldrh w2, [x1]
    strh w0, [x1]
    mov w0, w2
    ret

.text
__aarch64_cas2_sync:
    ldrh w3, [x2]
    and w1, w1, 65535
    cmp w3, w0, uxth
    bne .Lneonsim_L1192
    strh w1, [x2]
.Lneonsim_L1192:
    mov w0, w3
    ret

.text
__aarch64_ldadd4_sync:
    mov w2, w0
    ldr w0, [x1]
    add w2, w2, w0
    str w2, [x1]
    ret

.text
__aarch64_ldclr4_sync:
    mov w2, w0
    ldr w0, [x1]
    bic w2, w0, w2
    str w2, [x1]
    ret

.text
__aarch64_ldeor4_sync:
    mov w2, w0
    ldr w0, [x1]
    eor w2, w2, w0
    str w2, [x1]
    ret

.text
__aarch64_ldset4_sync:
    mov w2, w0
    ldr w0, [x1]
    orr w2, w2, w0
    str w2, [x1]
    ret

.text
__aarch64_swp4_sync:
    mov w2, w0
    ldr w0, [x1]
    str w2, [x1]
    ret

.text
__aarch64_cas4_sync:
    mov w3, w0
    ldr w0, [x2]
    cmp w3, w0
    beq .Lneonsim_L1200
    ret
.Lneonsim_L1200:
    str w1, [x2]
    ret

.text
__aarch64_ldadd8_sync:
    mov x2, x0
    ldr x0, [x1]
    add x2, x2, x0
    str x2, [x1]
    ret

.text
__aarch64_ldclr8_sync:
    mov x2, x0
    ldr x0, [x1]
    bic x2, x0, x2
    str x2, [x1]
    ret

.text
__aarch64_ldeor8_sync:
    mov x2, x0
    ldr x0, [x1]
    eor x2, x2, x0
    str x2, [x1]
    ret

.text
__aarch64_ldset8_sync:
    mov x2, x0
    ldr x0, [x1]
    orr x2, x2, x0
    str x2, [x1]
    ret

.text
__aarch64_swp8_sync:
    mov x2, x0
    ldr x0, [x1]
    str x2, [x1]
    ret

.text
__aarch64_cas8_sync:
    mov x3, x0
    ldr x0, [x2]
    cmp x3, x0
    beq .Lneonsim_L1208
    ret
.Lneonsim_L1208:
    str x1, [x2]
    ret

.section .neonsim.two_over_pi,"a"
    .align 3
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

.section .neonsim.LC0,"a"
    .align 3
.Lneonsim_LC0:
    .word 1413754136
    .word 1073291771
    .align 3

.section .neonsim.LC1,"a"
    .align 3
.Lneonsim_LC1:
    .word 856972295
    .word 1016178214
    .align 3

.section .neonsim.LC2,"a"
    .align 3
.Lneonsim_LC2:
    .word 1841940611
    .word 1071931184
    .align 3

.section .neonsim.LC3,"a"
    .align 3
.Lneonsim_LC3:
    .word -1209167940
    .word 958339446
    .align 3

.section .neonsim.LC4,"a"
    .align 3
.Lneonsim_LC4:
    .word 1673100695
    .word -1129938312
    .align 3

.section .neonsim.LC5,"a"
    .align 3
.Lneonsim_LC5:
    .word -416040929
    .word 1026222067
    .align 3

.section .neonsim.LC6,"a"
    .align 3
.Lneonsim_LC6:
    .word -1463780195
    .word -1112983180
    .align 3

.section .neonsim.LC7,"a"
    .align 3
.Lneonsim_LC7:
    .word -268904296
    .word 1042411224
    .align 3

.section .neonsim.LC8,"a"
    .align 3
.Lneonsim_LC8:
    .word -1216831652
    .word -1097695665
    .align 3

.section .neonsim.LC9,"a"
    .align 3
.Lneonsim_LC9:
    .word 436314138
    .word 1056571808
    .align 3

.section .neonsim.LC10,"a"
    .align 3
.Lneonsim_LC10:
    .word 381774871
    .word -1084833428
    .align 3

.section .neonsim.LC11,"a"
    .align 3
.Lneonsim_LC11:
    .word 1882238282
    .word 1021924039
    .align 3

.section .neonsim.LC12,"a"
    .align 3
.Lneonsim_LC12:
    .word -416040929
    .word -1117067277
    .align 3

.section .neonsim.LC13,"a"
    .align 3
.Lneonsim_LC13:
    .word 329805065
    .word 1038488134
    .align 3

.section .neonsim.LC14,"a"
    .align 3
.Lneonsim_LC14:
    .word 1744127204
    .word -1101339067
    .align 3

.section .neonsim.LC15,"a"
    .align 3
.Lneonsim_LC15:
    .word -1521039564
    .word 1053236707
    .align 3

.section .neonsim.LC16,"a"
    .align 3
.Lneonsim_LC16:
    .word 436314138
    .word -1087766112
    .align 3

.section .neonsim.LC17,"a"
    .align 3
.Lneonsim_LC17:
    .word 1493901668
    .word 1068909256
    .align 3

.section .neonsim.LC18,"a"
    .align 3
.Lneonsim_LC18:
    .word 409044504
    .word 1069048198
    .align 3

.section .neonsim.LC19,"a"
    .align 3
.Lneonsim_LC19:
    .word -1130254552
    .word 1069216390
    .align 3

.section .neonsim.LC20,"a"
    .align 3
.Lneonsim_LC20:
    .word 330382100
    .word 1069789499
    .align 3

.section .neonsim.LC21,"a"
    .align 3
.Lneonsim_LC21:
    .word 1952257862
    .word 1070024145
    .align 3

.section .neonsim.LC22,"a"
    .align 3
.Lneonsim_LC22:
    .word 477218588
    .word 1070363079
    .align 3

.section .neonsim.LC23,"a"
    .align 3
.Lneonsim_LC23:
    .word -1840700270
    .word 1070745892
    .align 3

.section .neonsim.LC24,"a"
    .align 3
.Lneonsim_LC24:
    .word -1717986918
    .word 1071225241
    .align 3

.section .neonsim.LC25,"a"
    .align 3
.Lneonsim_LC25:
    .word -1130480838
    .word 1031600026
    .align 3

.section .neonsim.LC26,"a"
    .align 3
.Lneonsim_LC26:
    .word -17170432
    .word 1072049730
    .align 3

.section .neonsim.LC27,"a"
    .align 3
.Lneonsim_LC27:
    .word 1697350398
    .word 1073157447
    .align 3

.section .neonsim.LC28,"a"
    .align 3
.Lneonsim_LC28:
    .word -1463780195
    .word 1034500468
    .align 3

.section .neonsim.LC29,"a"
    .align 3
.Lneonsim_LC29:
    .word 1744127204
    .word 1046144581
    .align 3

.section .neonsim.LC30,"a"
    .align 3
.Lneonsim_LC30:
    .word -1216831652
    .word 1049787983
    .align 3

.section .neonsim.LC31,"a"
    .align 3
.Lneonsim_LC31:
    .word 436314138
    .word 1059717536
    .align 3

.section .neonsim.LC32,"a"
    .align 3
.Lneonsim_LC32:
    .word 381774871
    .word 1062650220
    .align 3

.section .neonsim.LC33,"a"
    .align 3
.Lneonsim_LC33:
    .word -2048145248
    .word 2145504499
    .align 3

.section .neonsim.LC34,"a"
    .align 3
.Lneonsim_LC34:
    .word -17155601
    .word 1072049730
    .align 3

.section .neonsim.LC35,"a"
    .align 3
.Lneonsim_LC35:
    .word 354870542
    .word 1071369083
    .align 3

.section .neonsim.LC36,"a"
    .align 3
.Lneonsim_LC36:
    .word 993624127
    .word 1014676638

.section .neonsim.LC37,"a"
    .align 4
.Lneonsim_LC37:
    .xword -1
    .xword 9223372036854775807
    .align 4

.section .neonsim.LC38,"a"
    .align 4
.Lneonsim_LC38:
    .xword 0
    .xword -9223372036854775808
