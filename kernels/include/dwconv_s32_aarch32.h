// Depthwise kernels on AArch32 whose sums stay as they are: nothing is done beside the multiplications, and words are stored.

.macro part_8 part
.endm

// The last 1..7 sums, in q8 and q9; count: channels left, less 8, whose low three bits are those of the channels left.
.macro store_rest_of_sums p, count
    tst         \count, #4
    beq         12f
    vst1.8      {d16-d17}, [\p]!
    vmov        q8, q9                          // the next ones first
12:
    tst         \count, #2
    beq         11f
    vst1.8      {d16}, [\p]!
    vmov        d16, d17
11:
    tst         \count, #1
    beq         10f
    vst1.32     {d16[0]}, [\p]!
10:
.endm
