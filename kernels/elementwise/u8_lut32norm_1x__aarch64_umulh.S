//! Look bytes up and divide by their sum, with one division and a multiplication for each.
//! contract: u8_lut32norm
//! tile: 1x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          bytes, at least 1
//! in   x           x1          uint8 [n]
//! in   t           x2          uint32 [256], below 2**23
//! in   y           x3          uint8 [n], may be x
//!
//! reg  px          x4          where x is read next
//! reg  count       x5          bytes left
//! reg  sum         x6          sum of all entries, 32 bits
//! reg  value       x7          one entry, then what it becomes
//! reg  inverse     x8          (2**64 - 1) / sum, rounded down
//! reg  half        x9          sum / 2 plus 1
//! reg  most        x10         255
//!
//!   q = v / s  for every v < 2**32 and one s:   r = (2**64 - 1) / s, once;   q = ((v + 1) * r) >> 64, UMULH
//!   r is too small by less than 1, so (v + 1) * r / 2**64 lies at or above the true quotient of v, and below the next
//!   integer: v + 1 <= 2**32 keeps the error under one part in s.


    .text
    .p2align 4
    .global u8_lut32norm_1x__aarch64_umulh
u8_lut32norm_1x__aarch64_umulh:
    // ---- Add up what all bytes stand for.
    mov         x4, x1
    mov         x5, x0
    mov         w6, #0
0:
    ldrb        w7, [x4], #1
    ldr         w7, [x2, x7, lsl #2]            // w7: its entry
    add         w6, w6, w7
    subs        x5, x5, #1
    b.ne        0b

    // ---- Divide once.
    mov         x8, #-1
    udiv        x8, x8, x6                      // x8: (2**64 - 1) / sum
    lsr         x9, x6, #1
    add         x9, x9, #1                      // x9: half of the sum, for rounding, and the 1 of v + 1
    mov         w10, #255

    // ---- Look every byte up again: 256 times its entry over the sum, to nearest, at most 255.
1:
    ldrb        w7, [x1], #1
    ldr         w7, [x2, x7, lsl #2]            // w7: its entry
    add         x7, x9, x7, lsl #8
    umulh       x7, x7, x8
    cmp         x7, #255
    csel        w7, w10, w7, hi
    strb        w7, [x3], #1
    subs        x0, x0, #1                      // one less to go
    b.ne        1b
    ret
