// Windows of up to nine rows on AArch32: pointers in r4..r12, out of the table at r3.

// Up to nine pointers from the table at r3; those that do not exist read the row of zero points, zero. Nothing behind
// the last pointer is read.
.macro pointers_up_to_9 ks, zero
    ldr         r4, [r3]
    cmp         \ks, #2
    ldrhs       r5, [r3, #4]
    movlo       r5, \zero
    ldrhi       r6, [r3, #8]
    movls       r6, \zero
    cmp         \ks, #4
    ldrhs       r7, [r3, #12]
    movlo       r7, \zero
    ldrhi       r8, [r3, #16]
    movls       r8, \zero
    cmp         \ks, #6
    ldrhs       r9, [r3, #20]
    movlo       r9, \zero
    ldrhi       r10, [r3, #24]
    movls       r10, \zero
    cmp         \ks, #8
    ldrhs       r11, [r3, #28]
    movlo       r11, \zero
    ldrhi       r12, [r3, #32]
    movls       r12, \zero
.endm
