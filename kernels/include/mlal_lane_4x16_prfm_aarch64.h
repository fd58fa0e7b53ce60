// The products of a 4x16 tile on AArch64 with weights fetched ahead: used with mlal_lane_4x16_aarch64.h.
//
// Weights are used once in a call and come from far away; rows are few and stay near. Eight depths take 128 bytes of
// weights, two lines of the cache: each line is asked for 448 bytes, seven lines, before it is read.
// The kernel names by .req: pa0..pa3 (rows of a), pw (weights).

.macro multiply_prfm count, depth
    subs        \count, \depth, #8
    b.lo        11f
10:
    ldr         d0, [pa0], #8
    ldr         d1, [pa1], #8
    ldr         d2, [pa2], #8
    ldr         d3, [pa3], #8
    widen_row   v0
    widen_row   v1
    widen_row   v2
    widen_row   v3
    prfm        pldl1keep, [pw, #448]
    one_depth   0
    one_depth   1
    one_depth   2
    one_depth   3
    prfm        pldl1keep, [pw, #448]
    one_depth   4
    one_depth   5
    one_depth   6
    one_depth   7
    subs        \count, \count, #8
    b.hs        10b
11:
    rest_of_group \count
.endm
