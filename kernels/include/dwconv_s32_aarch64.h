// Depthwise kernels on AArch64 whose sums stay as they are: nothing is done beside the multiplications, and words are stored.

.macro part_8 part
.endm

// The last 1..7 sums, in v16 and v17; count: channels left, less 8, whose low three bits are those of the channels left.
.macro store_rest_of_sums p, count
    tbz         \count, #2, 12f
    str         q16, [\p], #16
    mov         v16.16b, v17.16b                // the next ones first
12:
    tbz         \count, #1, 11f
    str         d16, [\p], #8
    dup         d16, v16.d[1]
11:
    tbz         \count, #0, 10f
    str         s16, [\p], #4
10:
.endm
