//! Look bytes up and divide by their sum, with one division and two multiplications for each.
//! contract: u8_lut32norm
//! tile: 1x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          bytes, at least 1
//! in   x           r1          uint8 [n]
//! in   t           r2          uint32 [256], below 2**23
//! in   y           r3          uint8 [n], may be x
//!
//! reg  px          r4          where x is read next
//! reg  count       r5          bytes left, then bits left
//! reg  sum         r6          sum of all entries, then half of it plus 1
//! reg  value       r7          one entry
//! reg  inverse     r8-r9       (2**64 - 1) / sum, rounded down: low and high word
//! reg  rest        r10         what is left of the dividend, less than the sum
//! reg  t0..t1      r11-r12     scratch
//!
//!   q = v / s  for every v < 2**32 and one s:   r = (2**64 - 1) / s, once;   q = ((v + 1) * r) >> 64
//!                                                    ARMv7 need not have a division: it is done here bit by bit,
//!                (v + 1) * r[low]      | hi | lo |   64 times the same steps, whatever the numbers are.
//!       +        (v + 1) * r[high]  | hi | lo |
//!       =        q is the highest of three words


    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global u8_lut32norm_1x__aarch32_umlal
    .type   u8_lut32norm_1x__aarch32_umlal, %function
u8_lut32norm_1x__aarch32_umlal:
    // ---- Save what belongs to the caller; add up what all bytes stand for.
    push        {r4-r11}
    mov         r4, r1
    mov         r5, r0
    mov         r6, #0
0:
    ldrb        r7, [r4], #1
    ldr         r7, [r2, r7, lsl #2]
    add         r6, r6, r7
    subs        r5, r5, #1
    bne         0b

    // ---- Divide once: 64 ones by the sum.
    mov         r8, #0
    mov         r9, #0
    mov         r10, #0
    mov         r5, #64
1:
    cmp         r5, r5                          // carry: the next bit of the dividend, always 1
    adcs        r10, r10, r10                   // r10: rest and that bit; its 33rd bit is the carry
    mov         r11, #0
    adc         r11, r11, #0                    // r11: 1 if the 33rd bit is set
    subs        r12, r10, r6                    // r12: rest less the sum
    adc         r11, r11, #0                    // r11: 1 if the sum went into the rest, one way or the other
    rsb         r12, r11, #0                    // r12: all ones if so
    and         r12, r12, r6
    sub         r10, r10, r12                   // r10: what is left
    adds        r8, r8, r8                      // and one bit more of the quotient
    adc         r9, r9, r9
    orr         r8, r8, r11
    subs        r5, r5, #1
    bne         1b
    mov         r6, r6, lsr #1
    add         r6, r6, #1                      // r6: half of the sum, for rounding, and the 1 of v + 1

    // ---- Look every byte up again: 256 times its entry over the sum, to nearest, at most 255.
2:
    ldrb        r7, [r1], #1
    ldr         r7, [r2, r7, lsl #2]
    add         r7, r6, r7, lsl #8
    umull       r11, r12, r7, r8
    mov         r11, #0
    umlal       r12, r11, r7, r9                // r11: the quotient
    usat        r11, #8, r11                    // at most 255
    strb        r11, [r3], #1
    subs        r0, r0, #1
    bne         2b

    // ---- Give back what was saved.
    pop         {r4-r11}
    bx          lr
    .size   u8_lut32norm_1x__aarch32_umlal, . - u8_lut32norm_1x__aarch32_umlal
