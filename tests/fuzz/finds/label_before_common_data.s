//isa aarch32
    // ---- Save what belongs to the caller, 16 bytes, and start from the bias.
    push        {r4-r7}
    ldr         r4, [sp, #20]                   // r4: packed weights
    ldr         r12, [sp, #32]                  // r12: parameters
    ldr         r5, [r4], #4
    ldrb        r6, [r12, #12]                  // r6: zero point of w

    // ---- One product after the other.
0:
.comm c, 8, 4
