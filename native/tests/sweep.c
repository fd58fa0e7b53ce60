/* Every variant that can run here against the definition, over all tile sizes and depths, with adversarial data.
 *
 * The definition works on the unpacked matrices and the original bias, in 64 bits, so a wrong fold of a zero point or a wrong
 * packing cannot hide; its rounding is written with divisions, not with the shifts of the kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { MAX_ROWS = 8, NR = 8, MAX_DEPTH = 257, MAX_STRIDE = MAX_DEPTH + 64 };

static uint64_t random_state;

static uint32_t random32(void) {
  random_state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t x = random_state;
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (uint32_t)(x >> 32);
}

static uint32_t below(uint32_t n) { return random32() % n; }

/* ---- the definition ------------------------------------------------------------------------------------------------ */

static int32_t wrap(int64_t x) {
  const int64_t low = (int64_t)((uint64_t)x & UINT32_MAX);
  return (int32_t)(low >= (INT64_C(1) << 31) ? low - (INT64_C(1) << 32) : low);
}

static int64_t floor_division(int64_t x, int64_t y) {
  const int64_t quotient = x / y;
  return quotient - (x % y != 0 && (x < 0) != (y < 0));
}

static uint8_t requantize(int32_t x, const struct neonsim_q31_params *p) {
  const int64_t product = floor_division((int64_t)x * p->multiplier + (INT64_C(1) << 30), INT64_C(1) << 31);
  const int64_t divisor = INT64_C(1) << -p->left_shift;
  /* To nearest, ties away from zero. */
  int64_t y = product < 0 ? -((-2 * product + divisor) / (2 * divisor)) : (2 * product + divisor) / (2 * divisor);
  y += p->output_zero_point;
  y = y < p->output_min ? p->output_min : y;
  return (uint8_t)(y > p->output_max ? p->output_max : y);
}

/* ---- a problem ------------------------------------------------------------------------------------------------------ */

struct problem {
  uint8_t a[MAX_ROWS * MAX_STRIDE];
  uint8_t w[NR][MAX_DEPTH];
  int32_t bias[NR];
  uint8_t a_zero_point, w_zero_point;
};

/* Bytes with intent: uniform, near the zero point, only extremes, all alike. */
static void fill(uint8_t *bytes, size_t count, uint8_t zero_point) {
  const uint32_t kind = below(8);
  for (size_t i = 0; i < count; i++) {
    switch (kind) {
      case 0: bytes[i] = 0; break;
      case 1: bytes[i] = 255; break;
      case 2: bytes[i] = below(2) ? 255 : 0; break;
      case 3: bytes[i] = zero_point; break;
      case 4: bytes[i] = (uint8_t)(zero_point + below(3) - 1); break;
      default: bytes[i] = (uint8_t)below(256);
    }
  }
}

static uint8_t zero_point(void) {
  static const uint8_t points[] = {0, 1, 127, 128, 254, 255};
  return below(2) ? points[below(sizeof points)] : (uint8_t)below(256);
}

static struct neonsim_q31_params random_params(uint8_t w_zero_point) {
  static const int32_t multipliers[] = {0x40000000, 0x7FFFFFFF, 0x40000001, 0x60000000};
  struct neonsim_q31_params p = {0};
  p.multiplier = below(2) ? multipliers[below(4)] : (int32_t)(0x40000000u + below(0x40000000u));
  p.left_shift = -(int32_t)(below(4) ? below(14) : below(32));
  p.output_zero_point = zero_point();
  p.output_max = 255;
  if (below(2)) {
    const uint32_t x = below(256);
    const uint32_t y = below(256);
    p.output_min = (uint8_t)(x < y ? x : y);
    p.output_max = (uint8_t)(x < y ? y : x);
  }
  p.w_zero_point = w_zero_point;
  return p;
}

static int32_t random_bias(const struct neonsim_q31_params *p) {
  switch (below(5)) {
    case 0: return (int32_t)below(2001) - 1000;
    case 1: return wrap((int64_t)random32());
    case 2: return below(2) ? INT32_MAX - (int32_t)below(3) : INT32_MIN + (int32_t)below(3);
    /* With all products 0 and a multiplier of 2**30 this is a tie of the second rounding, of either sign. */
    case 3: return wrap(((int64_t)below(512) - 256) * 2 * (INT64_C(1) << -p->left_shift) + (INT64_C(1) << -p->left_shift));
    default: return (int32_t)below(2000001) - 1000000;
  }
}

/* The packed layouts, from their description. */
static size_t pack(const struct problem *p, size_t nr, size_t kc, size_t width, uint32_t kr, uint32_t sr, uint8_t *packed) {
  const size_t groups = (kc + kr - 1) / kr;
  for (size_t n = 0; n < width; n++) {
    int64_t bias = 0;
    if (n < nr) {
      int64_t sum = 0;
      for (size_t k = 0; k < kc; k++) {
        sum += p->w[n][k];
      }
      bias = p->bias[n] + (int64_t)kc * p->a_zero_point * p->w_zero_point - p->a_zero_point * sum;
    }
    const int32_t wrapped = wrap(bias);
    memcpy(packed + n * sizeof wrapped, &wrapped, sizeof wrapped);
    for (size_t group = 0; group < groups; group++) {
      for (size_t i = 0; i < kr; i++) {
        size_t k = group * kr + i;
        if (sr > 1 && k / sr < kc / sr) {
          k = k / sr * sr + (k + n * kr) % sr;
        }
        const uint8_t padding = sr > 1 ? 0 : p->w_zero_point;
        packed[width * sizeof(int32_t) + (group * width + n) * kr + i] = n < nr && k < kc ? p->w[n][k] : padding;
      }
    }
  }
  return width * (sizeof(int32_t) + groups * kr);
}

/* ---- one case ------------------------------------------------------------------------------------------------------- */

static int report(const struct tile_case *t, const char *what) {
  fprintf(stderr, "%s: %s (mr %zu nr %zu kc %zu a_stride %zu c_stride %zu w_zero_point %d multiplier %d shift %d)\n",
          t->variant->info.name, what, t->mr, t->nr, t->kc, t->a_stride, t->c_stride, t->params.w_zero_point, t->params.multiplier,
          -t->params.left_shift);
  return 1;
}

/* Both placements, two poisons; the second run must write what the first wrote. */
static int judge(struct tile_case *t, const uint8_t *expected, uint8_t *c) {
  for (int run = 0; run < 2; run++) {
    struct outcome outcome;
    memset(c, run ? 0x5A : 0xA5, t->c_bytes);
    uint8_t before[MAX_ROWS * MAX_STRIDE];
    memcpy(before, c, t->c_bytes);
    t->c = c;
    run_tile(t, run ? AT_END : AT_START, run ? UINT64_C(0xDEADBEEFCAFEF00D) : UINT64_C(0x0123456789ABCDEF), &outcome);
    if (outcome.clobbered) {
      return report(t, "a callee-saved register was changed");
    }
    if (outcome.stray) {
      return report(t, "bytes outside the output were changed");
    }
    const size_t row_bytes = t->variant->info.contract == NEONSIM_QU8_SUMROWS ? sizeof(int32_t) : t->nr;
    for (size_t i = 0; i < t->c_bytes; i++) {
      const size_t row = i / t->c_stride;
      const size_t column = i % t->c_stride;
      const int inside = row < t->mr && column < row_bytes;
      if (c[i] != (inside ? expected[row * row_bytes + column] : before[i])) {
        fprintf(stderr, "row %zu byte %zu: %d, not %d: ", row, column, c[i],
                inside ? expected[row * row_bytes + column] : before[i]);
        return report(t, inside ? "a wrong result" : "a byte between the rows was changed");
      }
    }
  }
  return 0;
}

static int one_case(const struct neonsim_variant *variant, size_t mr, size_t nr, size_t kc) {
  static struct problem p;
  static uint8_t packed[NR * (4 + MAX_DEPTH + 8)];
  static uint8_t c[MAX_ROWS * MAX_STRIDE];
  uint8_t expected[MAX_ROWS * NR * sizeof(int32_t)];
  int32_t sums[MAX_ROWS];
  const int sumrows = variant->info.contract == NEONSIM_QU8_SUMROWS;

  p.a_zero_point = zero_point();
  p.w_zero_point = zero_point();
  struct tile_case t = {.variant = variant, .mr = mr, .nr = nr, .kc = kc, .params = random_params(p.w_zero_point)};
  t.a_stride = kc + (below(2) ? below(64) : 0);
  t.c_stride = sumrows ? sizeof(int32_t) : nr + (below(2) ? below(32) : 0);
  t.a_bytes = (mr - 1) * t.a_stride + kc;
  t.c_bytes = (mr - 1) * t.c_stride + (sumrows ? sizeof(int32_t) : nr);
  fill(p.a, t.a_bytes, p.a_zero_point);
  t.a = p.a;
  t.w = packed;

  for (size_t row = 0; row < mr; row++) {
    int64_t sum = 0;
    for (size_t k = 0; k < kc; k++) {
      sum += p.a[row * t.a_stride + k];
    }
    t.multiplier = sumrows ? (below(2) ? -(int32_t)p.w_zero_point : t.multiplier) : 0;
    sums[row] = wrap(-(int64_t)p.w_zero_point * sum);
  }
  if (sumrows) {
    t.multiplier = below(4) ? -(int32_t)p.w_zero_point : wrap((int64_t)random32());
    for (size_t row = 0; row < mr; row++) {
      uint32_t sum = 0;
      for (size_t k = 0; k < kc; k++) {
        sum += p.a[row * t.a_stride + k];
      }
      const int32_t product = wrap((int64_t)((uint64_t)sum * (uint32_t)t.multiplier & UINT32_MAX));
      memcpy(expected + row * sizeof product, &product, sizeof product);
    }
    return judge(&t, expected, c);
  }

  for (size_t n = 0; n < nr; n++) {
    fill(p.w[n], kc, p.w_zero_point);
    p.bias[n] = random_bias(&t.params);
  }
  t.w_bytes = pack(&p, nr, kc, variant->info.nr, variant->info.kr, variant->info.sr, packed);
  if (variant->info.contract == NEONSIM_QU8_GEMM_XZP_Q31) {
    t.a_sum = sums;
    t.params.w_zero_point = 0; /* not this kernel's business */
  }
  for (size_t row = 0; row < mr; row++) {
    for (size_t n = 0; n < nr; n++) {
      int64_t sum = p.bias[n];
      for (size_t k = 0; k < kc; k++) {
        sum += ((int64_t)p.a[row * t.a_stride + k] - p.a_zero_point) * ((int64_t)p.w[n][k] - p.w_zero_point);
      }
      expected[row * nr + n] = requantize(wrap(sum), &t.params);
    }
  }
  return judge(&t, expected, c);
}

int sweep(uint32_t seed, const char *only) {
  int differences = 0;
  for (size_t index = 0; index < neonsim_variant_count(); index++) {
    const struct neonsim_variant *variant = neonsim_variant_at(index);
    if (only != NULL && strstr(variant->info.name, only) == NULL) {
      continue;
    }
    if (variant->info.contract > NEONSIM_QU8_SUMROWS) {
      continue; /* judged from Python, whole operators through neonsim_call (tests/nn/ops) */
    }
    if (variant_missing(variant) != NULL) {
      printf("skipped %s: %s\n", variant->info.name, variant_missing(variant));
      continue;
    }
    random_state = seed;
    const size_t widest = variant->info.nr == 0 ? 1 : variant->info.nr;
    unsigned long cases = 0;
    for (size_t mr = 1; mr <= variant->info.mr; mr++) {
      for (size_t nr = 1; nr <= widest; nr++) {
        for (size_t step = 1; step <= 42; step++, cases++) {
          differences += one_case(variant, mr, nr, step <= 40 ? step : step == 41 ? 64 : MAX_DEPTH);
          if (differences >= 10) {
            fprintf(stderr, "ten differences are enough\n");
            return 1;
          }
        }
      }
    }
    printf("passed %s: %lu cases, seed %u\n", variant->info.name, cases, seed);
  }
  return differences != 0;
}
