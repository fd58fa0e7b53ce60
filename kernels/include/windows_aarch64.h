// Windows of up to nine rows on AArch64: pointers in x8..x16.

// Up to nine pointers from the table at t; those that do not exist read the row of zero points. Nothing behind the
// last pointer is read.
.macro pointers_up_to_9 t, ks, zero
    mov         x9, \zero
    mov         x10, \zero
    mov         x11, \zero
    mov         x12, \zero
    mov         x13, \zero
    mov         x14, \zero
    mov         x15, \zero
    mov         x16, \zero
    ldr         x8, [\t]
    cmp         \ks, #2
    b.lo        20f
    ldr         x9, [\t, #8]
    b.eq        20f
    ldr         x10, [\t, #16]
    cmp         \ks, #4
    b.lo        20f
    ldr         x11, [\t, #24]
    b.eq        20f
    ldr         x12, [\t, #32]
    cmp         \ks, #6
    b.lo        20f
    ldr         x13, [\t, #40]
    b.eq        20f
    ldr         x14, [\t, #48]
    cmp         \ks, #8
    b.lo        20f
    ldr         x15, [\t, #56]
    b.eq        20f
    ldr         x16, [\t, #64]
20:
.endm
