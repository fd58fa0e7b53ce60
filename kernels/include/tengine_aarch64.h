// Requantisation "tengine" (F10) on AArch64: SQRDMULH by a multiplier, SRSHL by a shift, of each column its own.
//
// Multiplier and shift are what C's frexp says of the column's scale, and that is what the bits of a float are: 24 bits of
// mantissa, an exponent. To the right SRSHL rounds, ties up; to the left, for scales of 1 and more, what leaves 32 bits is lost.
//
// The kernel names by .req: zeropoint (.8h), upper lower (.16b). v4, v5 and v7 are used: fill those afterwards.

// All but the scales, which lie behind the weights, from neonsim_qc8w_params.
.macro load_qc8w params
    add         \params, \params, #12
    ld1r        {zeropoint.8h}, [\params], #2
    ld1r        {upper.16b}, [\params], #1
    ld1r        {lower.16b}, [\params]
.endm

// Four scales in s: their shifts to the left in e, their multipliers in m (which may be s); t is a scratch register.
.macro frexp_of s, m, e, t
    ushr        \e\().4s, \s\().4s, #23         // biased exponents; scales have no sign
    movi        \t\().4s, #126                  // that of 0.5
    shl         \m\().4s, \s\().4s, #8          // mantissas, on top
    sub         \e\().4s, \e\().4s, \t\().4s
    orr         \m\().4s, #0x80, lsl #24         // and their hidden bits
    ushr        \m\().4s, \m\().4s, #1          // times 2**31
.endm

// Four columns of rows a, b, c, d: sums times the scales in s.
.macro scale_columns s, a, b, c, d
    frexp_of    \s, v4, v5, v7
    sqrdmulh    \a\().4s, \a\().4s, v4.4s
    sqrdmulh    \b\().4s, \b\().4s, v4.4s
    sqrdmulh    \c\().4s, \c\().4s, v4.4s
    sqrdmulh    \d\().4s, \d\().4s, v4.4s
    srshl       \a\().4s, \a\().4s, v5.4s
    srshl       \b\().4s, \b\().4s, v5.4s
    srshl       \c\().4s, \c\().4s, v5.4s
    srshl       \d\().4s, \d\().4s, v5.4s
.endm
