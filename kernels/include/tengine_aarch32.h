// Requantisation "tengine" (F10) on AArch32: VQRDMULH by a multiplier, VRSHL by a shift, of each column its own.
//
// Multiplier and shift are what C's frexp says of the column's scale, and that is what the bits of a float are: 24 bits of
// mantissa, an exponent. To the right VRSHL rounds, ties up; to the left, for scales of 1 and more, what leaves 32 bits is lost.
//
// The kernel names by .req: zeropoint upper lower (q3, q4, q5). q2, q3 and q6 are used: fill those afterwards.

// All but the scales, which lie behind the weights, from neonsim_qc8w_params.
.macro load_qc8w params
    add         \params, \params, #12
    vld1.16     {d6[], d7[]}, [\params]!       // q3: zero point
    vld1.8      {d8[], d9[]}, [\params]!       // q4: largest value allowed
    vld1.8      {d10[], d11[]}, [\params]      // q5: smallest
.endm

// Four scales in s: their shifts to the left in e, their multipliers in m (which may be s); t is a scratch register.
.macro frexp_of s, m, e, t
    vshr.u32    \e, \s, #23                    // biased exponents; scales have no sign
    vmov.i32    \t, #126                       // that of 0.5
    vshl.i32    \m, \s, #8                     // mantissas, on top
    vsub.i32    \e, \e, \t
    vorr.i32    \m, #0x80000000                // and their hidden bits
    vshr.u32    \m, \m, #1                     // times 2**31
.endm

// Four columns of rows a, b, c, d: sums times the scales in s.
.macro scale_columns s, a, b, c, d
    frexp_of    \s, q2, q3, q6
    vqrdmulh.s32 \a, \a, q2
    vqrdmulh.s32 \b, \b, q2
    vqrdmulh.s32 \c, \c, q2
    vqrdmulh.s32 \d, \d, q2
    vrshl.s32   \a, \a, q3
    vrshl.s32   \b, \b, q3
    vrshl.s32   \c, \c, q3
    vrshl.s32   \d, \d, q3
.endm
