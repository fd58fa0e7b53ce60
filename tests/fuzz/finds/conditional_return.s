//isa aarch32
// A conditional return, taken and not.
    cmp r0, r0
    bxne lr
    bxeq lr
