//isa aarch64
// A conditional branch to the end of the program, taken.
    cmp x0, x0
    b.eq after
    ret
after:
