// Around depthwise kernels of int8 on AArch32: pointers of a pixel, eight channels at a time, taps two by two. What multiplies
// is in another file (pair_8, one_8, last_8), what requantises too (load_scheme, scales_8, start_8, part_8).
//
//   r0 channels left, less 8   r2 pointers   r3 where the weights are read next   lr output
//   q8-q9 sums   d30 minus the bits to shift out of the last channels
//
// Cores that issue in order stand still when an instruction waits for the one before. So three pairs of taps are under way
// at once: the next is loaded and the one before is added while this one is multiplied. Registers take turns:
//   even pairs: taps and weights d0-d3, products q4       odd pairs: d4-d7, q5
//
// No kernel here takes 16 channels, as those of AArch64 do: sums 4 registers, parameters and limits 5, taps and weights as
// they are loaded 2 and widened 4, bits to shift out half of one. That is all sixteen: no pair could be under way, and sums
// that become bytes meanwhile (4 more) would have to wait. Eight channels twice are faster.

// Nine pointers to r4..r12, moved by input_offset (r3) unless they are the row of zeros (r0).
.macro nine_rows
    ldm         r2, {r4-r12}
    .irp p, r4, r5, r6, r7, r8, r9, r10, r11, r12
    cmp         \p, r0
    addne       \p, \p, r3
    .endr
.endm

// Twenty-five pointers, moved, to the stack: there are not as many registers.
.macro rows_to_stack
    .irp at, 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76, 80, 84, 88, 92, 96
    ldr         r4, [r2, #\at]
    cmp         r4, r0
    addne       r4, r4, r3
    str         r4, [sp, #\at]
    .endr
.endm

// Eight channels of a row, if there is one, and on to the next; last: the 8 bytes that end with it, the old ones shifted out.
.macro input_8 d, p, last
    .ifnc \p, none
    .if \last
    add         \p, \p, r0
    vld1.8      {\d}, [\p]
    vshl.u64    \d, \d, d30
    .else
    vld1.8      {\d}, [\p]!
    .endif
    .endif
.endm

// Eight weights of that row's tap.
.macro weights_8 d, p
    .ifnc \p, none
    vld1.8      {\d}, [r3]!
    .endif
.endm

// A pointer from the stack, beside a multiplication; and where its channels are: r6 channels done, offset into every row.
.macro pointer p, at
    .ifnc \at, none
    ldr         \p, [sp, #\at]
    .endif
.endm

.macro pointer_on p, at
    .ifnc \at, none
    add         \p, \p, r6
    .endif
.endm

// The first pair of taps, to where even pairs are.
.macro first_8 pa, pb, last
    input_8     d0, \pa, \last
    weights_8   d1, \pa
    input_8     d2, \pb, \last
    weights_8   d3, \pb
.endm

// An even pair is multiplied, the odd one with rows pa, pb is loaded; an odd one, and the even one is loaded.
// behind: whether there is a pair before, to be added. part, half: of the sums before that are made bytes meanwhile, or none.
// xa, xb: the pointers for the pair after the next are fetched from the stack at these places, if they are there.
.macro even pa, pb, last, behind, part=none, half=none, xa=none, xb=none
    pair_8      d0, d1, d2, d3, q4,  d4, d5, d6, d7, d10, d11,  \pa, \pb, \last, \behind, \part, \half, r4, \xa, r5, \xb
.endm

.macro odd pa, pb, last, behind, part=none, half=none, xa=none, xb=none
    pair_8      d4, d5, d6, d7, q5,  d0, d1, d2, d3, d8, d9,  \pa, \pb, \last, \behind, \part, \half, r7, \xa, r8, \xb
.endm

// Eight channels of nine taps in r4..r12.
.macro nine_taps last
    first_8     r4, r5, \last
    even        r6, r7, \last, 0
    odd         r8, r9, \last, 1
    even        r10, r11, \last, 1
    odd         r12, none, \last, 1
    one_8
    last_8
.endm

// The same, while eight sums in q6 and q7 become bytes.
.macro nine_taps_and_bytes
    first_8     r4, r5, 0
    even        r6, r7, 0, 0, 0, 1
    odd         r8, r9, 0, 1, 2, 3
    even        r10, r11, 0, 1, 4, 5
    odd         r12, none, 0, 1, 6, 7
    one_8       8, 9
    last_8
.endm

// Eight channels of twenty-five taps on the stack.
.macro many_taps last
    first_pointers
    first_8     r4, r5, \last
    even        r7, r8, \last, 0, none, none, 16, 20
    odd         r4, r5, \last, 1, none, none, 24, 28
    twenty_taps \last
.endm

.macro many_taps_and_bytes
    first_pointers
    first_8     r4, r5, 0
    even        r7, r8, 0, 0, 0, 1, 16, 20
    odd         r4, r5, 0, 1, 2, 3, 24, 28
    twenty_taps 0, 4, 5, 6, 7, 8, 9
.endm

.macro first_pointers
    ldrd        r4, r5, [sp]
    ldr         r7, [sp, #8]
    ldr         r8, [sp, #12]
    add         r4, r4, r6
    add         r5, r5, r6
    add         r7, r7, r6
    add         r8, r8, r6
.endm

// All but the first two pairs.
.macro twenty_taps last, a=none, b=none, c=none, d=none, e=none, f=none
    even        r7, r8, \last, 1, \a, \b, 32, 36
    odd         r4, r5, \last, 1, \c, \d, 40, 44
    even        r7, r8, \last, 1, \e, \f, 48, 52
    odd         r4, r5, \last, 1, none, none, 56, 60
    even        r7, r8, \last, 1, none, none, 64, 68
    odd         r4, r5, \last, 1, none, none, 72, 76
    even        r7, r8, \last, 1, none, none, 80, 84
    odd         r4, r5, \last, 1, none, none, 88, 92
    even        r7, r8, \last, 1, none, none, 96
    odd         r4, none, \last, 1
    one_8
    last_8
.endm

// The parts 7 to 9 of what follows scaling: int16 in q6 to bytes in d12 (X28).
.macro narrow_part_8 part
    .ifc \part, 7
    bytes_8     d12, q6
    .endif
    .ifc \part, 8
    not_below   d12
    .endif
    .ifc \part, 9
    not_above   d12
    .endif
.endm

// Eight sums in q8 and q9 to eight bytes in d12.
.macro finish_8
    start_8
    .irp part, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    part_8      \part
    .endr
.endm
