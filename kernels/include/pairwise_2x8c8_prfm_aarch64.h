// The products of a 2x8c8 tile on AArch64 with weights fetched ahead: used with pairwise_2x8c8_aarch64.h.
//
// Weights are used once in a call and come from far away; rows are few and stay near. Sixteen depths take 128 bytes of
// weights, two lines of the cache: each line is asked for 448 bytes, seven lines, before it is read.
// Where all is in L1 already it costs 4 % on Cortex-A72 (modelled), nothing or 1 % elsewhere.
// The kernel names by .req: pa0, pa1 (rows of a), pw (weights).

.macro multiply_mlal_prfm count, depth
    subs        \count, \depth, #16
    b.lo        21f
20:
    ld2r        {v0.2d, v1.2d}, [pa0], #16
    ld2r        {v2.2d, v3.2d}, [pa1], #16
    prfm        pldl1keep, [pw, #448]
    prfm        pldl1keep, [pw, #512]
    two_groups
    subs        \count, \count, #16
    b.hs        20b
21:
    add         \count, \count, #16             // depths left: 0..15
    subs        \count, \count, #8
    rest_of_depth \count
.endm
