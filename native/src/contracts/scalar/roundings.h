/* Sums times a scale, rounded, before zero point and limits: bodies of neonsim.quant.rounding, as C.
 * Written by `python -m neonsim.ukernel.kernelgen.roundings_c`; do not change it by hand.
 *
 * multiplier is one of 31 bits and shift one to the right: scale = multiplier / 2**(31 + shift). The right shift of a
 * negative number is arithmetic in every compiler we know; the C standard leaves it to the compiler. */
#ifndef NEONSIM_ROUNDINGS_H
#define NEONSIM_ROUNDINGS_H

/* clang-format off */

NEONSIM_INLINE int64_t neonsim_round_precise(int32_t acc, int32_t multiplier, int32_t shift) {
  const int64_t p = (int64_t)acc * (int64_t)multiplier;
  return ((p + (p >> 63)) + (INT64_C(1) << (30 + shift))) >> (31 + shift);
}

NEONSIM_INLINE int64_t neonsim_round_rndnu(int32_t acc, int32_t multiplier, int32_t shift) {
  return (((int64_t)acc * (int64_t)multiplier) + (INT64_C(1) << (30 + shift))) >> (31 + shift);
}

NEONSIM_INLINE int64_t neonsim_round_q31(int32_t acc, int32_t multiplier, int32_t shift) {
  const int64_t p = (((int64_t)acc * (int64_t)multiplier) + (INT64_C(1) << 30)) >> 31;
  return (p >> shift) + (((p & ((INT64_C(1) << shift) - 1)) + (p >> 63)) > (((INT64_C(1) << shift) - 1) >> 1));
}

NEONSIM_INLINE int64_t neonsim_round_gemmlowp(int32_t acc, int32_t multiplier, int32_t shift) {
  const int32_t left = shift < 0 ? -shift : 0;
  const int32_t right = shift > 0 ? shift : 0;
  const int64_t p = (((int64_t)(int32_t)((uint32_t)acc << left) * (int64_t)multiplier) + (INT64_C(1) << 30)) >> 31;
  return (p >> right) + (((p & ((INT64_C(1) << right) - 1)) + (p >> 63)) > (((INT64_C(1) << right) - 1) >> 1));
}

NEONSIM_INLINE int64_t neonsim_round_tengine(int32_t acc, int32_t multiplier, int32_t shift) {
  const int32_t left = shift < 0 ? -shift : 0;
  const int32_t right = shift > 0 ? shift : 0;
  const int32_t p = (int32_t)((((int64_t)acc * (int64_t)multiplier) + (INT64_C(1) << 30)) >> 31);
  return ((int64_t)(int32_t)((uint32_t)p << left) + ((INT64_C(1) << right) >> 1)) >> right;
}

#endif
