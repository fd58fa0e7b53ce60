/* Integers of 1, 2, 4 and 8 bytes as int64, and what becomes of sums of 64 bits: kernels of contracts and layers share it. */
#ifndef NEONSIM_INT64_ACCUM_H
#define NEONSIM_INT64_ACCUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The signed number of `size` bytes at a place that need not be aligned. */
static inline int64_t neonsim_read_int(const void *place, size_t size) {
  int8_t one;
  int16_t two;
  int32_t four;
  int64_t eight;
  switch (size) {
    case 1: memcpy(&one, place, sizeof one); return one;
    case 2: memcpy(&two, place, sizeof two); return two;
    case 4: memcpy(&four, place, sizeof four); return four;
    default: memcpy(&eight, place, sizeof eight); return eight;
  }
}

/* A sum, wrapped to `size` bytes, 4 or 8, within limits. */
static inline void neonsim_store_clamped(void *place, size_t size, uint64_t sum, int64_t least, int64_t most) {
  int64_t value;
  memcpy(&value, &sum, sizeof value);
  if (size == sizeof(int32_t)) {
    int32_t low;
    const uint32_t bits = (uint32_t)sum;
    memcpy(&low, &bits, sizeof low);
    value = low;
  }
  value = value < least ? least : value;
  value = value > most ? most : value;
  if (size == sizeof(int32_t)) {
    const int32_t low = (int32_t)value;
    memcpy(place, &low, sizeof low);
  } else {
    memcpy(place, &value, sizeof value);
  }
}

/* 16x8: (sum * multiplier + 2**(shift - 1)) >> shift, wrapped to 32 bits, within limits of int16. The product wraps at 64 bits, the
 * rounding does not. shift: 8 .. 46. */
static inline int16_t neonsim_requantize_s64(uint64_t sum, int64_t multiplier, int shift, int32_t least, int32_t most) {
  const uint64_t product = sum * (uint64_t)multiplier;
  int64_t value;
  memcpy(&value, &product, sizeof value);
  value = ((value >> (shift - 1)) + 1) >> 1;
  const uint32_t bits = (uint32_t)value;
  int32_t scaled;
  memcpy(&scaled, &bits, sizeof scaled);
  scaled = scaled < least ? least : scaled;
  return (int16_t)(scaled > most ? most : scaled);
}

#endif
