//isa aarch64
// Leading zeros of a register that is always zero.
    clz x8, xzr
    cls w2, wzr
    ret
