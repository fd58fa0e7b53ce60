//isa aarch64

.inst 0x1f123405
nop
