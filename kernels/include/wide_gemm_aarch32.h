// Products wider than bytes on AArch32: tiles of four rows.

// Sums of four rows from four biases of 64 bits, at p.
.macro wide_bias p
    vld1.64     {d16-d19}, [\p]                 // row 0: columns 0, 1 and 2, 3
    vmov        q10, q8                         // and three more rows
    vmov        q11, q9
    vmov        q12, q8
    vmov        q13, q9
    vmov        q14, q8
    vmov        q15, q9
.endm

// Two columns of a row of 16x8: sums of 64 bits in sums become 32 bits in result. A product with 64 bits is made of those
// with its halves.
.macro scale_pair sums, result, multiplier, shift
    vmovn.i64   d15, \sums                      // d15: lower halves, unsigned
    vshrn.i64   d14, \sums, #32                 // d14: upper halves, signed
    vmull.u32   q0, d15, \multiplier
    vmull.s32   q1, d14, \multiplier
    vshl.i64    q1, q1, #32
    vadd.i64    q0, q0, q1
    vrshl.s64   q0, q0, \shift                  // one rounding, half up
    vmovn.i64   \result, q0
.endm

// One row of 16x8: four sums in low and high become int16 in first, which with second is low. q4: multipliers, q2, q3: minus
// the shifts, q5, q6: limits.
.macro scale_row low, high, first, second
    scale_pair  \low, \first, d8, q2
    scale_pair  \high, \second, d9, q3
    vmax.s32    \low, \low, q5
    vmin.s32    \low, \low, q6
    vmovn.i32   \first, \low
.endm

// One depth of eight columns by lane of four rows, into q8..q15; the columns pass through weights, low and high of it.
.macro one_depth weights, low, high, a0, a1, a2, a3, lane
    vld1.8      {\low}, [r7]!
    vmovl.s8    \weights, \low
    vmlal.s16   q8, \low, \a0[\lane]
    vmlal.s16   q9, \high, \a0[\lane]
    vmlal.s16   q10, \low, \a1[\lane]
    vmlal.s16   q11, \high, \a1[\lane]
    vmlal.s16   q12, \low, \a2[\lane]
    vmlal.s16   q13, \high, \a2[\lane]
    vmlal.s16   q14, \low, \a3[\lane]
    vmlal.s16   q15, \high, \a3[\lane]
.endm

// One depth of four columns, low and high, by lane of four rows of 32 bits, into q8..q15.
.macro long_depth low, high, a0, a1, a2, a3, lane
    vmlal.s32   q8, \low, \a0[\lane]
    vmlal.s32   q9, \high, \a0[\lane]
    vmlal.s32   q10, \low, \a1[\lane]
    vmlal.s32   q11, \high, \a1[\lane]
    vmlal.s32   q12, \low, \a2[\lane]
    vmlal.s32   q13, \high, \a2[\lane]
    vmlal.s32   q14, \low, \a3[\lane]
    vmlal.s32   q15, \high, \a3[\lane]
.endm

// Products of upper halves, 32 bits of them, to those of lower halves; q0 is lost.
.macro join_halves low, high, first, second
    vshll.i32   q0, \first, #32
    vadd.i64    \low, \low, q0
    vshll.i32   q0, \second, #32
    vadd.i64    \high, \high, q0
.endm

// Limits of eight columns of 32 bits: q0, q1 lower, q2, q3 upper.
.macro limit_row first, second
    vmax.s32    \first, \first, q0
    vmax.s32    \second, \second, q1
    vmin.s32    \first, \first, q2
    vmin.s32    \second, \second, q3
.endm

// Where a limit is less than sums, or greater: nothing compares 64 bits here, so the sign of a saturating difference tells.
.macro take_where limit, sums, n, m
    vqsub.s64   q0, \n, \m
    vshr.s64    q0, q0, #63
    vbit        \sums, \limit, q0
.endm

// Limits of four columns of 64 bits: q2, q3 lower, q4, q5 upper; q0 is lost.
.macro limit_wide first, second
    take_where  q2, \first, \first, q2
    take_where  q3, \second, \second, q3
    take_where  q4, \first, q4, \first
    take_where  q5, \second, q5, \second
.endm
