// Base instructions as kernels are written by hand: copies, bit writers, range decoders, wide arithmetic, tables.
    .arch armv8-a
    .text
    .macro function name
    .global \name
    .type \name, %function
    .p2align 4
\name:
    .endm
// cortex-strings style memcpy
#define dstin x0
#define src x1
#define count x2
#define dst x3
#define srcend x4
#define dstend x5
#define A_l x6
#define A_lw w6
#define A_h x7
#define A_hw w7
#define B_l x8
#define B_lw w8
#define B_h x9
#define C_l x10
#define C_h x11
#define D_l x12
#define D_h x13
#define tmp1 x14
function copy
    prfm PLDL1KEEP, [src]
    add srcend, src, count
    add dstend, dstin, count
    cmp count, 16
    b.ls .Lcopy16
    cmp count, 96
    b.hi .Lcopy_long
    sub tmp1, count, 1
    ldp A_l, A_h, [src]
    tbnz tmp1, 6, .Lcopy96
    ldp D_l, D_h, [srcend, -16]
    tbz tmp1, 5, 1f
    ldp B_l, B_h, [src, 16]
    ldp C_l, C_h, [srcend, -32]
    stp B_l, B_h, [dstin, 16]
    stp C_l, C_h, [dstend, -32]
1:
    stp A_l, A_h, [dstin]
    stp D_l, D_h, [dstend, -16]
    ret
    .p2align 4
.Lcopy16:
    cmp count, 8
    b.lo 1f
    ldr A_l, [src]
    ldr A_h, [srcend, -8]
    str A_l, [dstin]
    str A_h, [dstend, -8]
    ret
    .p2align 4
1:
    tbz count, 2, 1f
    ldr A_lw, [src]
    ldr A_hw, [srcend, -4]
    str A_lw, [dstin]
    str A_hw, [dstend, -4]
    ret
1:
    cbz count, 2f
    lsr tmp1, count, 1
    ldrb A_lw, [src]
    ldrb A_hw, [srcend, -1]
    ldrb B_lw, [src, tmp1]
    strb A_lw, [dstin]
    strb B_lw, [dstin, tmp1]
    strb A_hw, [dstend, -1]
2:  ret
    .p2align 4
.Lcopy96:
    ldp B_l, B_h, [src, 16]
    ldp C_l, C_h, [src, 32]
    ldp D_l, D_h, [src, 48]
    stp A_l, A_h, [dstin]
    stp B_l, B_h, [dstin, 16]
    stp C_l, C_h, [dstin, 32]
    stp D_l, D_h, [dstin, 48]
    ldp A_l, A_h, [srcend, -48]
    ldp B_l, B_h, [srcend, -32]
    ldp C_l, C_h, [srcend, -16]
    stp A_l, A_h, [dstend, -48]
    stp B_l, B_h, [dstend, -32]
    stp C_l, C_h, [dstend, -16]
    ret
.Lcopy_long:
    and tmp1, dstin, 15
    bic dst, dstin, 15
    ldp D_l, D_h, [src]
    sub src, src, tmp1
    add count, count, tmp1
    ldp A_l, A_h, [src, 16]
    stp D_l, D_h, [dstin]
    ldp B_l, B_h, [src, 32]
    ldp C_l, C_h, [src, 48]
    ldp D_l, D_h, [src, 64]!
    subs count, count, 128 + 16
    b.ls 2f
1:
    stp A_l, A_h, [dst, 16]
    ldp A_l, A_h, [src, 16]
    stp B_l, B_h, [dst, 32]
    ldp B_l, B_h, [src, 32]
    stp C_l, C_h, [dst, 48]
    ldp C_l, C_h, [src, 48]
    stp D_l, D_h, [dst, 64]!
    ldp D_l, D_h, [src, 64]!
    subs count, count, 64
    b.hi 1b
2:
    stp A_l, A_h, [dst, 16]
    ldp A_l, A_h, [srcend, -64]
    stp B_l, B_h, [dst, 32]
    ldp B_l, B_h, [srcend, -48]
    stp C_l, C_h, [dst, 48]
    ldp C_l, C_h, [srcend, -32]
    stp D_l, D_h, [dst, 64]
    ldp D_l, D_h, [srcend, -16]
    stp A_l, A_h, [dstend, -64]
    stp B_l, B_h, [dstend, -48]
    stp C_l, C_h, [dstend, -32]
    stp D_l, D_h, [dstend, -16]
    ret
    .size copy, . - copy

// strlen with the 0x0101 trick
#define REP8_01 0x0101010101010101
#define REP8_7f 0x7f7f7f7f7f7f7f7f
function length
    mov x5, REP8_01
    bic x1, x0, 7
    ldr x2, [x1], 8
    and x3, x0, 7
    lsl x3, x3, 3
    mov x4, -1
    lsl x4, x4, x3
    orn x2, x2, x4
1:  sub x6, x2, x5
    orr x7, x2, REP8_7f
    bics x6, x6, x7
    b.ne 2f
    ldr x2, [x1], #8
    b 1b
2:  rev x6, x6
    clz x6, x6
    sub x1, x1, 8
    sub x0, x1, x0
    add x0, x0, x6, lsr 3
    ret

// bit writer like a JPEG huffman coder: x0 out, x1 codes (u16 code, u16 bits), x2 n
function bits
    mov x8, #0
    mov w9, #64
    mov x11, x0
    cbz x2, 9f
0:  ldrh w3, [x1], #2
    ldrh w4, [x1], #2
    and w4, w4, #15
    subs w9, w9, w4
    b.lt 1f
    lsl x8, x8, x4
    ubfx w3, w3, #0, #15
    mov w5, #1
    lsl w5, w5, w4
    sub w5, w5, #1
    and w3, w3, w5
    orr x8, x8, x3
    subs x2, x2, #1
    b.ne 0b
    b 9f
1:  neg w5, w9
    sub w6, w4, w5
    lsl x8, x8, x6
    lsr w7, w3, w5
    orr x8, x8, x7
    rev x8, x8
    str x8, [x11], #8
    add w9, w9, #64
    mov x8, x3
    subs x2, x2, #1
    bne 0b
9:  lsl x8, x8, x9
    rev x8, x8
    str x8, [x11], #8
    sub x0, x11, x0
    ret

// arithmetic decoder step as in video codecs: clz normalisation, csel/ccmp chains
function range
    // x0 = {dif, rng}, w1 = prob
    ldp w2, w3, [x0]
    lsr w4, w3, 8
    lsr w5, w1, 6
    mul w4, w4, w5
    lsr w4, w4, 1
    add w4, w4, 4
    lsr w6, w2, 16
    cmp w6, w4
    sub w7, w3, w4
    csel w3, w7, w4, hs
    cset w8, hs
    lsl w9, w4, 16
    csel w9, w9, wzr, hs
    sub w2, w2, w9
    clz w10, w3
    sub w10, w10, 16
    cmp w10, 0
    csinc w10, w10, wzr, ge
    and w10, w10, 31
    lsl w2, w2, w10
    lslv w3, w3, w10
    stp w2, w3, [x0]
    ccmp w2, w3, #0b0100, ne
    cinc w8, w8, le
    cneg w8, w8, mi
    eon w8, w8, w3, ror 3
    mov w0, w8
    ret

// 128-bit arithmetic and division
function wide
    ldp x2, x3, [x0]
    ldp x4, x5, [x1]
    adds x6, x2, x4
    adcs x7, x3, x5
    cset x8, cs
    subs x9, x2, x4
    sbcs x10, x3, x5
    ngc x11, xzr
    umulh x12, x2, x4
    mul x13, x2, x4
    smulh x14, x3, x5
    umaddl x15, w2, w4, x13
    smsubl x16, w3, w5, x14
    smnegl x17, w2, w5
    udiv x2, x2, x5
    sdiv x3, x3, x4
    extr x4, x6, x7, #23
    ror x5, x5, #7
    stp x6, x7, [x0], #16
    stp x8, x9, [x0], #16
    stp x10, x11, [x0], #16
    stp x12, x13, [x0], #16
    stp x14, x15, [x0], #16
    stp x16, x17, [x0], #16
    stp x2, x3, [x0], #16
    stnp x4, x5, [x0]
    ret

// jump table by distances
function table
    adr x2, .Lbase
    adrp x3, .Loffsets
    add x3, x3, :lo12:.Loffsets
    cmp w0, #3
    mov w4, #3
    csel w0, w0, w4, ls
    ldrsh w3, [x3, w0, uxtw #1]
    add x2, x2, w3, sxth #2
    br x2
.Lbase:
.L0: add w0, w1, #1
    ret
.L1: eor w0, w1, w1, lsl #5
    ret
.L2: sbfx w0, w1, #3, #9
    ret
.L3: bfi w1, w1, #16, #5
    bfxil w1, w1, #9, #3
    sbfiz w0, w1, #4, #20
    ret
    .section .rodata
    .p2align 1
.Loffsets: .hword (.L0 - .Lbase) / 4, (.L1 - .Lbase) / 4, (.L2 - .Lbase) / 4, (.L3 - .Lbase) / 4
    .text
function pairs
    mov x3, xzr
    movz w4, #0
1:  ldpsw x5, x6, [x0], #8
    ldursb x7, [x0, #-3]
    ldurh w8, [x0, #-7]
    ldrsw x9, [x0, #-8]!
    add x0, x0, #8
    madd x3, x5, x6, x3
    add x3, x3, w7, sxtw
    add x3, x3, x8, lsl #3
    add w4, w4, w9, uxtb #1
    subs w1, w1, #1
    cbnz w1, 1b
    uxtb w4, w4
    sxth x4, w4
    rev16 w5, w3
    rev32 x3, x3
    rbit w6, w5
    cls x7, x3
    eor x0, x3, x4
    eor x0, x0, x5
    eor x0, x0, x6
    eor x0, x0, x7
    ret
