// The products of a 4x8c4 tile on AArch32: dot products of four bytes each, by element.
//
//   d0..d3    eight depths of one row each            q8..q15  sums, two registers per row
//   q4, q5    four depths of columns 0..3, 4..7
// The kernel names by .req: pa0..pa3 (rows of a), pw (weights).

// Four depths: the weights of eight columns, times one lane of four bytes of each row: 128 products in 8 instructions.
.macro one_group lane
    vld1.8      {d8-d11}, [pw]!
    vsdot.s8    q8, q4, d0[\lane]
    vsdot.s8    q9, q5, d0[\lane]
    vsdot.s8    q10, q4, d1[\lane]
    vsdot.s8    q11, q5, d1[\lane]
    vsdot.s8    q12, q4, d2[\lane]
    vsdot.s8    q13, q5, d2[\lane]
    vsdot.s8    q14, q4, d3[\lane]
    vsdot.s8    q15, q5, d3[\lane]
.endm

// All depths, 8 at a time, then 4, then the last 1..3: the 4 bytes that end with the row, old ones shifted out.
.macro multiply count, depth
    subs        \count, \depth, #8
    blo         11f
10:
    vld1.8      {d0}, [pa0]!
    vld1.8      {d1}, [pa1]!
    vld1.8      {d2}, [pa2]!
    vld1.8      {d3}, [pa3]!
    one_group   0
    one_group   1
    subs        \count, \count, #8
    bhs         10b
11:
    add         \count, \count, #8              // depths left: 0..7
    subs        \count, \count, #4
    blo         12f
    vmov.i8     q0, #0
    vmov.i8     q1, #0
    vld1.32     {d0[0]}, [pa0]!
    vld1.32     {d1[0]}, [pa1]!
    vld1.32     {d2[0]}, [pa2]!
    vld1.32     {d3[0]}, [pa3]!
    one_group   0
    sub         \count, \count, #4
12:
    cmp         \count, #-4
    beq         13f                             // none left
    add         pa0, pa0, \count                // up to 3 bytes back, for kc < 4 before the row
    add         pa1, pa1, \count
    add         pa2, pa2, \count
    add         pa3, pa3, \count
    vdup.32     d10, \count
    vshl.i32    d10, d10, #3                    // minus the bits to shift out
    vmov.i8     q0, #0
    vmov.i8     q1, #0
    vld1.32     {d0[0]}, [pa0]!
    vld1.32     {d1[0]}, [pa1]!
    vld1.32     {d2[0]}, [pa2]!
    vld1.32     {d3[0]}, [pa3]!
    vshl.u32    d0, d0, d10                     // the last depths of row 0, then zeros
    vshl.u32    d1, d1, d10
    vshl.u32    d2, d2, d10
    vshl.u32    d3, d3, d10
    one_group   0
13:
.endm
