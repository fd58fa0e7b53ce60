// Made of library.c by tests/asm/library/record.py, for aarch64.

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
.Lneonsim_L14:
    asr w3, w5, 5
    and w1, w5, 31
    mov w7, 0
    tbnz w5, #31, .Lneonsim_L10
    ldr w7, [x9, w3, sxtw 2]
.Lneonsim_L10:
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
    cbz w8, .Lneonsim_L12
    ldr w7, [x6, -4]
    mov x1, x6
    sub w8, w8, #1
    mov w3, w8
    madd x4, x4, x14, x7
    add x0, x4, x0, lsr 32
    str w0, [x1, -4]
    cbz w3, .Lneonsim_L35
.Lneonsim_L13:
    ldr w4, [x1, -8]
    sub x1, x1, #4
    sub w3, w3, #1
    add x0, x4, x0, lsr 32
    str w0, [x1, -4]
    cbnz w3, .Lneonsim_L13
.Lneonsim_L35:
    ldr w0, [x6, -4]!
    sub w5, w5, #32
    b .Lneonsim_L14
.Lneonsim_L12:
    ldr w3, [sp, 8]
    add x4, sp, 8
    mov x1, x4
    lsr w0, w3, 30
    b .Lneonsim_L17
.Lneonsim_L36:
    mov x3, x5
.Lneonsim_L17:
    ldr w5, [x1, 4]
    extr w3, w3, w5, 30
    str w3, [x1], 4
    cmp x11, x1
    bne .Lneonsim_L36
    ldr w1, [sp, 8]
    lsr w3, w1, 31
    tbz w1, #31, .Lneonsim_L18
    add w0, w0, 1
    b .Lneonsim_L20
.Lneonsim_L19:
    ldr w1, [x4]
.Lneonsim_L20:
    mvn w1, w1
    str w1, [x4], 4
    cmp x11, x4
    bne .Lneonsim_L19
    ldr w1, [sp, 8]
    and w0, w0, 3
.Lneonsim_L18:
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
    bgt .Lneonsim_L27
    movi d0, #0
    b .Lneonsim_L21
.Lneonsim_L27:
    fsub d1, d4, d1
    fsub d0, d0, d1
.Lneonsim_L21:
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
    cbz w3, .Lneonsim_L26
    fneg d6, d3
    fmov d5, -1.0e+0
.Lneonsim_L23:
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
.Lneonsim_L26:
    fmov d6, d3
    fmov d5, 1.0e+0
    b .Lneonsim_L23

.text
.Lneonsim_reduced:
    fabs d2, d0
    mov x1, 4719772409484279808
    fmov d1, x1
    mov x2, x0
    fcmpe d2, d1
    bmi .Lneonsim_L41
    fmov x15, d0
    stp x29, x30, [sp, -16]!
    mov x29, sp
    and x0, x15, 4503599627370495
    ubfx x1, x15, 52, 11
    orr x0, x0, 4503599627370496
    sub w1, w1, #1075
    bl .Lneonsim_far_reduced
    tbz x15, #63, .Lneonsim_L37
    ldp d1, d0, [x2]
    neg w0, w0
    and w0, w0, 3
    fneg d1, d1
    fneg d0, d0
    stp d1, d0, [x2]
.Lneonsim_L37:
    ldp x29, x30, [sp], 16
    ret
.Lneonsim_L41:
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
    tbz x0, 0, .Lneonsim_L48
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
.Lneonsim_L48:
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
    bge .Lneonsim_L54
    frintz d3, d2
    mov w2, 0
    fcmp d2, d3
    bne .Lneonsim_L54
    fcvtzs x2, d2
    mov x3, 2
    and x2, x2, 1
    sub w2, w3, w2
.Lneonsim_L54:
    fcmp d1, #0.0
    fmov d2, 1.0e+0
    fccmp d0, d2, 4, ne
    beq .Lneonsim_L75
    fcmp d0, d0
    fccmp d1, d1, 0, eq
    bne .Lneonsim_L88
    mov x0, 9218868437227405312
    fmov d4, x0
    mov x0, -4503599627370496
    fmov d5, x0
    fcmp d1, d4
    fabs d3, d0
    fccmp d1, d5, 4, ne
    beq .Lneonsim_L89
    cmp w2, 1
    beq .Lneonsim_L90
    fcmp d0, #0.0
    beq .Lneonsim_L62
    fcmp d3, d4
    beq .Lneonsim_L63
    fcmpe d0, #0.0
    ccmp w2, 0, 0, mi
    beq .Lneonsim_L91
.Lneonsim_L64:
    mov w0, 0
    str d2, [x1]
    ret
.Lneonsim_L88:
    fadd d3, d1, d0
.Lneonsim_L55:
    mov w0, 1
    str d3, [x4]
    ret
.Lneonsim_L75:
    fmov d3, d2
    b .Lneonsim_L55
.Lneonsim_L90:
    fmov x0, d0
    tbnz x0, #63, .Lneonsim_L92
    fcmp d0, #0.0
    beq .Lneonsim_L62
.Lneonsim_L87:
    fcmp d3, d4
    bne .Lneonsim_L64
.Lneonsim_L63:
    fcmpe d1, #0.0
    bgt .Lneonsim_L83
.Lneonsim_L86:
    movi d3, #0
    fmul d3, d2, d3
    b .Lneonsim_L55
.Lneonsim_L89:
    fcmp d3, d2
    beq .Lneonsim_L55
    fcmpe d3, d2
    movi d3, #0
    cset w1, gt
    fcmpe d1, d3
    cset w0, gt
    cmp w1, w0
    fcsel d3, d3, d4, ne
    b .Lneonsim_L55
.Lneonsim_L92:
    fcmp d0, #0.0
    fmov d2, -1.0e+0
    bne .Lneonsim_L87
.Lneonsim_L62:
    fcmpe d1, #0.0
    bgt .Lneonsim_L86
    movi d3, #0
    fdiv d3, d2, d3
    b .Lneonsim_L55
.Lneonsim_L83:
    mov x0, 9218868437227405312
    fmov d3, x0
    fmul d3, d2, d3
    b .Lneonsim_L55
.Lneonsim_L91:
    fsub d0, d0, d0
    fdiv d3, d0, d0
    b .Lneonsim_L55

.text
.Lneonsim_logarithm:
    mov x0, 4503599627370496
    fmov d1, x0
    fcmpe d0, d1
    bmi .Lneonsim_L97
    mov w4, 0
.Lneonsim_L94:
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
.Lneonsim_L97:
    mov x0, 4850376798678024192
    fmov d1, x0
    mov w4, 54
    fmul d0, d0, d1
    b .Lneonsim_L94

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
    bls .Lneonsim_L106
    sub x4, x2, #16
    mov x3, 0
    and x4, x4, -16
    add x4, x4, 16
.Lneonsim_L103:
    ldr q0, [x1, x3]
    str q0, [x0, x3]
    add x3, x3, 16
    cmp x3, x4
    bne .Lneonsim_L103
    add x1, x1, x3
    and x2, x2, 15
    add x3, x0, x3
.Lneonsim_L102:
    cbz x2, .Lneonsim_L104
    mov x4, 0
.Lneonsim_L105:
    ldrb w5, [x1, x4]
    strb w5, [x3, x4]
    add x4, x4, 1
    cmp x2, x4
    bne .Lneonsim_L105
.Lneonsim_L104:
    ret
.Lneonsim_L106:
    mov x3, x0
    b .Lneonsim_L102

.text
memmove:
    sub x3, x0, x1
    cmp x3, x2
    bcs .Lneonsim_L113
    tst x2, 15
    beq .Lneonsim_L120
.Lneonsim_L114:
    sub x2, x2, #1
    ldrb w3, [x1, x2]
    strb w3, [x0, x2]
    tst x2, 15
    bne .Lneonsim_L114
    cbz x2, .Lneonsim_L118
.Lneonsim_L120:
    sub x2, x2, #16
    ldr q0, [x1, x2]
    str q0, [x0, x2]
    cbnz x2, .Lneonsim_L120
.Lneonsim_L118:
    ret
.Lneonsim_L113:
    cmp x2, 15
    bls .Lneonsim_L121
    sub x4, x2, #16
    mov x3, 0
    and x4, x4, -16
    add x4, x4, 16
.Lneonsim_L117:
    ldr q0, [x1, x3]
    str q0, [x0, x3]
    add x3, x3, 16
    cmp x4, x3
    bne .Lneonsim_L117
    add x1, x1, x4
    and x2, x2, 15
    add x4, x0, x4
.Lneonsim_L116:
    cbz x2, .Lneonsim_L118
    mov x3, 0
.Lneonsim_L119:
    ldrb w5, [x1, x3]
    strb w5, [x4, x3]
    add x3, x3, 1
    cmp x2, x3
    bne .Lneonsim_L119
    ret
.Lneonsim_L121:
    mov x4, x0
    b .Lneonsim_L116

.text
memset:
    dup v0.16b, w1
    and w4, w1, 255
    cmp x2, 15
    bls .Lneonsim_L139
    sub x1, x2, #16
    mov x3, x0
    and x1, x1, -16
    add x1, x1, 16
    add x1, x0, x1
.Lneonsim_L136:
    str q0, [x3], 16
    cmp x3, x1
    bne .Lneonsim_L136
    and x2, x2, 15
.Lneonsim_L135:
    cbz x2, .Lneonsim_L137
    add x2, x1, x2
.Lneonsim_L138:
    strb w4, [x1], 1
    cmp x2, x1
    bne .Lneonsim_L138
.Lneonsim_L137:
    ret
.Lneonsim_L139:
    mov x1, x0
    b .Lneonsim_L135

.text
memcmp:
    cbz x2, .Lneonsim_L149
    mov x3, 0
    b .Lneonsim_L148
.Lneonsim_L147:
    cmp x3, x2
    beq .Lneonsim_L149
.Lneonsim_L148:
    ldrb w4, [x0, x3]
    ldrb w5, [x1, x3]
    add x3, x3, 1
    cmp w4, w5
    beq .Lneonsim_L147
    sub w0, w4, w5
    ret
.Lneonsim_L149:
    mov w0, 0
    ret

.text
bcmp:
    cbz x2, .Lneonsim_L155
    mov x3, 0
    b .Lneonsim_L154
.Lneonsim_L153:
    cmp x2, x3
    beq .Lneonsim_L155
.Lneonsim_L154:
    ldrb w4, [x0, x3]
    ldrb w5, [x1, x3]
    add x3, x3, 1
    cmp w4, w5
    beq .Lneonsim_L153
    sub w0, w4, w5
    ret
.Lneonsim_L155:
    mov w0, 0
    ret

.text
strlen:
    ldrb w1, [x0]
    cbz w1, .Lneonsim_L160
    mov x1, x0
.Lneonsim_L159:
    ldrb w2, [x1, 1]!
    cbnz w2, .Lneonsim_L159
    sub x0, x1, x0
    ret
.Lneonsim_L160:
    mov x0, 0
    ret

.text
strcmp:
    ldrb w2, [x0]
    cbnz w2, .Lneonsim_L163
    b .Lneonsim_L168
.Lneonsim_L165:
    ldrb w2, [x0, 1]!
    cbz w2, .Lneonsim_L169
    mov x1, x4
.Lneonsim_L163:
    ldrb w3, [x1]
    add x4, x1, 1
    cmp w3, w2
    beq .Lneonsim_L165
.Lneonsim_L164:
    sub w0, w2, w3
    ret
.Lneonsim_L169:
    ldrb w3, [x1, 1]
    sub w0, w2, w3
    ret
.Lneonsim_L168:
    ldrb w3, [x1]
    b .Lneonsim_L164

.text
strcpy:
    mov x2, 0
.Lneonsim_L171:
    ldrb w3, [x1, x2]
    strb w3, [x0, x2]
    add x2, x2, 1
    cbnz w3, .Lneonsim_L171
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
    bls .Lneonsim_L198
    fmul d0, d0, d1
    fdiv d0, d0, d0
.Lneonsim_L197:
    ret
.Lneonsim_L198:
    cmp x1, x2
    bcc .Lneonsim_L197
    lsr x1, x1, 52
    lsr x2, x2, 52
    and x3, x3, 4503599627370495
    and x0, x5, 4503599627370495
    cbnz x1, .Lneonsim_L236
    mov w1, 1
.Lneonsim_L200:
    lsl x0, x0, 1
    sub w1, w1, #1
    cmp xzr, x0, lsr 52
    beq .Lneonsim_L200
    cbz x2, .Lneonsim_L202
.Lneonsim_L201:
    orr x3, x3, 4503599627370496
.Lneonsim_L203:
    cmp w1, w2
    ble .Lneonsim_L237
.Lneonsim_L206:
    cmp x3, x0
    sub x4, x0, x3
    csel x0, x4, x0, ls
    sub w1, w1, #1
    lsl x0, x0, 1
    cmp w1, w2
    bne .Lneonsim_L206
    cmp x0, x3
    bcs .Lneonsim_L215
.Lneonsim_L209:
    and x1, x5, -9223372036854775808
    fmov d0, x1
    cbnz x0, .Lneonsim_L235
    b .Lneonsim_L197
.Lneonsim_L211:
    lsl x0, x0, 1
    sub w2, w2, #1
.Lneonsim_L235:
    cmp xzr, x0, lsr 52
    beq .Lneonsim_L211
.Lneonsim_L212:
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
.Lneonsim_L236:
    orr x0, x0, 4503599627370496
    cbnz x2, .Lneonsim_L201
.Lneonsim_L202:
    mov w2, 1
.Lneonsim_L204:
    lsl x3, x3, 1
    sub w2, w2, #1
    cmp xzr, x3, lsr 52
    beq .Lneonsim_L204
    b .Lneonsim_L203
.Lneonsim_L237:
    mov w2, w1
    cmp x3, x0
    bhi .Lneonsim_L212
.Lneonsim_L215:
    sub x0, x0, x3
    b .Lneonsim_L209

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
exp:
    mov x0, 52776558133248
    fmov d1, d0
    movk x0, 0x4086, lsl 48
    fmov d2, x0
    fcmpe d0, d2
    bmi .Lneonsim_L241
    fcmp d0, d0
    bne .Lneonsim_L242
    adrp x0, .Lneonsim_LC33
    ldr d0, [x0, #:lo12:.Lneonsim_LC33]
    fcmpe d1, d0
    bgt .Lneonsim_L242
    mov x0, 9214364837600034816
    fmov d0, x0
    fadd d0, d0, d0
    ret
.Lneonsim_L241:
    mov x0, 87960930222080
    movk x0, 0xc087, lsl 48
    fmov d2, x0
    fcmpe d0, d2
    bmi .Lneonsim_L246
    movi d1, #0
    b .Lneonsim_exponential
.Lneonsim_L246:
    movi d0, #0
    ret
.Lneonsim_L242:
    fadd d0, d1, d1
    ret

.text
expf:
    mov w0, 1118961664
    fmov s2, w0
    fmov s1, s0
    fcmpe s0, s2
    bmi .Lneonsim_L249
    fcmp s0, s0
    bne .Lneonsim_L250
    mov w0, 2139095039
    fmov s0, w0
    fcmpe s1, s0
    bgt .Lneonsim_L250
    mov w0, 2139095040
    fmov s0, w0
    ret
.Lneonsim_L249:
    mov w0, -1026555904
    fmov s2, w0
    movi v0.2s, #0
    fcmpe s1, s2
    bmi .Lneonsim_L257
    fcvt d0, s1
    movi d1, #0
    stp x29, x30, [sp, -16]!
    mov x29, sp
    bl .Lneonsim_exponential
    fcvt s0, d0
    ldp x29, x30, [sp], 16
    ret
.Lneonsim_L257:
    ret
.Lneonsim_L250:
    fadd s0, s1, s1
    ret

.text
exp2f:
    movi v2.2s, 0x43, lsl 24
    fmov s1, s0
    fcmpe s0, s2
    bmi .Lneonsim_L261
    fcmp s0, s0
    bne .Lneonsim_L262
    mov w0, 2139095039
    fmov s0, w0
    fcmpe s1, s0
    bgt .Lneonsim_L262
    mov w0, 2139095040
    fmov s0, w0
.Lneonsim_L260:
    ret
.Lneonsim_L261:
    mov w0, -1021902848
    fmov s2, w0
    movi v0.2s, #0
    fcmpe s1, s2
    bmi .Lneonsim_L260
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
.Lneonsim_L262:
    fadd s0, s1, s1
    ret

.text
log:
    fcmpe d0, #0.0
    fmov d1, d0
    bgt .Lneonsim_L272
    fmov d0, d1
    b .Lneonsim_log_of_odd
.Lneonsim_L272:
    mov x0, 9218868437227405311
    fmov d2, x0
    fcmpe d0, d2
    bls .Lneonsim_L273
    fmov d0, d1
    b .Lneonsim_log_of_odd
.Lneonsim_L273:
    b .Lneonsim_logarithm

.text
logf:
    fcmpe s0, #0.0
    stp x29, x30, [sp, -16]!
    fmov s1, s0
    mov x29, sp
    fcvt d0, s0
    bgt .Lneonsim_L279
.Lneonsim_L275:
    bl .Lneonsim_log_of_odd
    fcvt s0, d0
    ldp x29, x30, [sp], 16
    ret
.Lneonsim_L279:
    mov w0, 2139095039
    fmov s2, w0
    fcmpe s1, s2
    bls .Lneonsim_L280
    b .Lneonsim_L275
.Lneonsim_L280:
    bl .Lneonsim_logarithm
    fcvt s0, d0
    ldp x29, x30, [sp], 16
    ret

.text
log2f:
    fcmpe s0, #0.0
    fmov s1, s0
    fcvt d0, s0
    bgt .Lneonsim_L290
    stp x29, x30, [sp, -16]!
    mov x29, sp
    bl .Lneonsim_log_of_odd
    fcvt s0, d0
    ldp x29, x30, [sp], 16
    ret
.Lneonsim_L290:
    mov w0, 2139095039
    fmov s2, w0
    fcmpe s1, s2
    bls .Lneonsim_L285
    stp x29, x30, [sp, -16]!
    mov x29, sp
    bl .Lneonsim_log_of_odd
    fcvt s0, d0
    ldp x29, x30, [sp], 16
    ret
.Lneonsim_L285:
    mov x0, 4503599627370496
    fmov d1, x0
    fcmpe d0, d1
    bmi .Lneonsim_L291
    mov w4, 0
.Lneonsim_L287:
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
.Lneonsim_L291:
    mov x0, 4850376798678024192
    fmov d1, x0
    mov w4, 54
    fmul d0, d0, d1
    b .Lneonsim_L287

.text
log10f:
    fcmpe s0, #0.0
    stp x29, x30, [sp, -16]!
    fmov s1, s0
    mov x29, sp
    fcvt d0, s0
    bgt .Lneonsim_L301
.Lneonsim_L297:
    bl .Lneonsim_log_of_odd
    fcvt s0, d0
    ldp x29, x30, [sp], 16
    ret
.Lneonsim_L301:
    mov w0, 2139095039
    fmov s2, w0
    fcmpe s1, s2
    bls .Lneonsim_L302
    b .Lneonsim_L297
.Lneonsim_L302:
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
    cbnz w0, .Lneonsim_L326
    fabs d0, d6
    fmov d7, d1
    mov x1, 4503599627370496
    fmov d1, x1
    stp d8, d9, [sp, 16]
    fcmpe d0, d1
    stp d10, d11, [sp, 32]
    bmi .Lneonsim_L317
.Lneonsim_L307:
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
    cbz w0, .Lneonsim_L309
    fsub d21, d24, d21
    fsub d16, d26, d21
.Lneonsim_L309:
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
    bgt .Lneonsim_L318
    mov x0, 87960930222080
    movk x0, 0xc087, lsl 48
    fmov d3, x0
    fcmpe d0, d3
    bmi .Lneonsim_L319
    fabs d5, d0
    mov x0, 4336966441157787648
    fmov d3, x0
    fcmpe d5, d3
    bmi .Lneonsim_L320
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
.Lneonsim_L317:
    mov x0, 4850376798678024192
    fmov d1, x0
    mov w0, 54
    fmul d0, d0, d1
    b .Lneonsim_L307
.Lneonsim_L318:
    mov x0, 9214364837600034816
    fmov d0, x0
    ldp d8, d9, [sp, 16]
    fmul d0, d28, d0
    ldp d10, d11, [sp, 32]
    fadd d0, d0, d0
.Lneonsim_L304:
    ldp x29, x30, [sp], 64
    ret
.Lneonsim_L326:
    ldr d0, [sp, 48]
    ldp x29, x30, [sp], 64
    ret
.Lneonsim_L320:
    fmov d1, 1.0e+0
    ldp d8, d9, [sp, 16]
    fadd d0, d0, d1
    ldp d10, d11, [sp, 32]
    fmul d0, d0, d28
    b .Lneonsim_L304
.Lneonsim_L319:
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
    cbnz w0, .Lneonsim_L339
    fabs s0, s6
    fcvt d0, s0
    bl .Lneonsim_logarithm
    fmul d0, d26, d0
    mov x0, 52776558133248
    ldr d28, [sp, 24]
    movk x0, 0x4086, lsl 48
    fmov d1, x0
    fcmpe d0, d1
    bgt .Lneonsim_L334
    mov x0, 87960930222080
    movk x0, 0xc087, lsl 48
    fmov d1, x0
    fcmpe d0, d1
    bmi .Lneonsim_L335
    movi d1, #0
    bl .Lneonsim_exponential
    fmul d0, d0, d28
    ldp x29, x30, [sp], 32
    fcvt s0, d0
    ret
.Lneonsim_L334:
    mov x0, 9110782046170513408
    fmov d0, x0
    ldp x29, x30, [sp], 32
    fmul d28, d28, d0
    fcvt s0, d28
    ret
.Lneonsim_L339:
    ldr d0, [sp, 16]
    ldp x29, x30, [sp], 32
    fcvt s0, d0
    ret
.Lneonsim_L335:
    mov x0, 103582791429521408
    fmov d0, x0
    ldp x29, x30, [sp], 32
    fmul d28, d28, d0
    fcvt s0, d28
    ret

.text
tanh:
    fcmp d0, d0
    bne .Lneonsim_L351
    fabs d2, d0
    mov x0, 4481081629233643520
    fmov d1, x0
    fcmpe d2, d1
    bmi .Lneonsim_L348
    fmov d1, 2.2e+1
    fmov x0, d0
    fcmpe d2, d1
    and x1, x0, -9223372036854775808
    orr x0, x1, 4607182418800017408
    fmov d0, x0
    bgt .Lneonsim_L348
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
.Lneonsim_L348:
    ret
.Lneonsim_L351:
    fadd d0, d0, d0
    ret

.text
tanhf:
    fcmp s0, s0
    bne .Lneonsim_L365
    fcvt d2, s0
    mov x0, 4481081629233643520
    fmov d1, x0
    fabs d3, d2
    fcmpe d3, d1
    bmi .Lneonsim_L362
    fmov d0, 2.2e+1
    fmov x0, d2
    fcmpe d3, d0
    and x1, x0, -9223372036854775808
    bgt .Lneonsim_L359
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
.Lneonsim_L362:
    ret
.Lneonsim_L365:
    fadd s0, s0, s0
    ret
.Lneonsim_L359:
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
    bls .Lneonsim_L367
    fsub d1, d0, d0
.Lneonsim_L371:
    fmov d0, d1
    ret
.Lneonsim_L367:
    mov x0, 4485585228861014016
    fmov d2, x0
    fcmpe d3, d2
    bmi .Lneonsim_L371
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
    bls .Lneonsim_L375
    fsub d0, d0, d0
    ret
.Lneonsim_L375:
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
    bls .Lneonsim_L381
    fsub s0, s0, s0
    ret
.Lneonsim_L381:
    fcvt d3, s0
    mov x0, 9218868437227405311
    fmov d1, x0
    fabs d2, d3
    fcmpe d2, d1
    bls .Lneonsim_L383
    fsub s0, s0, s0
    ret
.Lneonsim_L383:
    mov x0, 4485585228861014016
    fmov d1, x0
    fcmpe d2, d1
    bmi .Lneonsim_L387
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
.Lneonsim_L387:
    ret

.text
cosf:
    fabs s2, s0
    mov w0, 2139095039
    fmov s1, w0
    fcmpe s2, s1
    bls .Lneonsim_L392
    fsub s0, s0, s0
    ret
.Lneonsim_L392:
    fcvt d0, s0
    mov x0, 9218868437227405311
    fmov d1, x0
    fabs d2, d0
    fcmpe d2, d1
    bls .Lneonsim_L394
    fsub d0, d0, d0
    fcvt s0, d0
    ret
.Lneonsim_L394:
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
    bls .Lneonsim_L401
    fsub s0, s0, s0
    ret
.Lneonsim_L401:
    movi v1.2s, 0x39, lsl 24
    fcmpe s2, s1
    bmi .Lneonsim_L405
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
.Lneonsim_L405:
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
