// Sums of depthwise kernels on AArch64 to bytes in single precision, by the scales in v20 and v21.

// Eight sums in v16 and v17 are on their way to bytes: in v18 and v19, so that others can follow; then the parts 0 to 9, far
// enough from one another that none waits for the one before; eight bytes in v18.
.macro start_8
    scvtf       v18.4s, v16.4s
    scvtf       v19.4s, v17.4s
.endm

.macro part_8 part
    .ifc \part, 0
    fmul        v18.4s, v18.4s, v20.4s
    .endif
    .ifc \part, 1
    fmul        v19.4s, v19.4s, v21.4s
    .endif
    .ifc \part, 2
    fcvtns      v18.4s, v18.4s              // to nearest, ties to even, saturating
    .endif
    .ifc \part, 3
    fcvtns      v19.4s, v19.4s
    .endif
    narrow_part_8 \part
.endm

.macro finish_8
    start_8
    all_parts_8
.endm
