/* What Clang calls for half precision in registers and libgcc has not: here of what libgcc has, for the guest. */
#include <stdint.h>

typedef union { float s0; uint16_t bits; __fp16 half; } Register;

int64_t __fixhfdi(float s0) { return (int64_t)(float)((Register){s0}).half; }
uint64_t __fixunshfdi(float s0) { return (uint64_t)(float)((Register){s0}).half; }

/* All integers below 2**24 are exact in single precision, and the greatest half is 65504. */
static float rounded(float x) { return ((Register){.half = (__fp16)x}).s0; }
float __floatdihf(int64_t x) { return rounded(x > 1 << 24 ? 0x1p24f : x < -(1 << 24) ? -0x1p24f : (float)x); }
float __floatundihf(uint64_t x) { return rounded(x > 1 << 24 ? 0x1p24f : (float)x); }
