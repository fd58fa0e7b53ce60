// Between real numbers and integers on AArch64: the walk over elements, and what all kernels do in the end.
//
// A kernel defines before: sixteen, four, one, what becomes of as many elements, and registers that it names by .req: for bytes and short
// integers by a quotient divisor, least, most.

// All elements: sixteen at a time, then four, then one; left: a register with their number.
.macro every_element left
    subs        \left, \left, #16
    b.lo        11f
10:
    sixteen
    subs        \left, \left, #16
    b.hs        10b
11:
    adds        \left, \left, #12               // left, less 4
    b.mi        13f
12:
    four
    subs        \left, \left, #4
    b.pl        12b
13:
    adds        \left, \left, #4                // left: 0..3
    b.eq        15f
14:
    one
    subs        \left, \left, #1
    b.ne        14b
15:
.endm

// The same operation on four registers and one other, lanes of 32 bits.
.macro on_each op, a, b, c, d, by
    \op         \a\().4s, \a\().4s, \by\().4s
    \op         \b\().4s, \b\().4s, \by\().4s
    \op         \c\().4s, \c\().4s, \by\().4s
    \op         \d\().4s, \d\().4s, \by\().4s
.endm

// The same conversion of four registers.
.macro each op, a, b, c, d
    \op         \a\().4s, \a\().4s
    \op         \b\().4s, \b\().4s
    \op         \c\().4s, \c\().4s
    \op         \d\().4s, \d\().4s
.endm

// Sixteen integers of 32 bits, that fit, to bytes in a; four, or one, to the lowest bytes of a.
.macro narrowed_16 a, b, c, d
    uzp1        \a\().8h, \a\().8h, \b\().8h
    uzp1        \c\().8h, \c\().8h, \d\().8h
    uzp1        \a\().16b, \a\().16b, \c\().16b
.endm

.macro narrowed_4 a
    xtn         \a\().4h, \a\().4s
    xtn         \a\().8b, \a\().8h
.endm

// Sixteen real numbers to whole ones: divided, cut off, to nearest, ties away from zero.
.macro quotients_16 a, b, c, d
    on_each     fdiv, \a, \b, \c, \d, divisor
    on_each     fmax, \a, \b, \c, \d, least
    on_each     fmin, \a, \b, \c, \d, most
    each        fcvtas, \a, \b, \c, \d
.endm

.macro quotients_4 a
    fdiv        \a\().4s, \a\().4s, divisor.4s
    fmax        \a\().4s, \a\().4s, least.4s
    fmin        \a\().4s, \a\().4s, most.4s
    fcvtas      \a\().4s, \a\().4s
.endm

// Sixteen signed bytes in a to real numbers in a, b, c, d.
.macro reals_of_bytes a, b, c, d
    sshll2      \c\().8h, \a\().16b, #0
    sshll       \a\().8h, \a\().8b, #0
    sshll2      \d\().4s, \c\().8h, #0
    sshll       \c\().4s, \c\().4h, #0
    sshll2      \b\().4s, \a\().8h, #0
    sshll       \a\().4s, \a\().4h, #0
    each        scvtf, \a, \b, \c, \d
.endm

// The lowest four bytes of a.
.macro reals_of_4_bytes a
    sshll       \a\().8h, \a\().8b, #0
    sshll       \a\().4s, \a\().4h, #0
    scvtf       \a\().4s, \a\().4s
.endm
