//isa aarch64
prfm plil2strm, [x9, x12]
prfm pstl2keep, [x9, x12, lsl #3]
.set z, . - -128
