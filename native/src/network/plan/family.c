/* Which families of kernels there are, and which this processor runs. */
#include <string.h>

#include "network/float32/float32.h"
#include "contracts/variants.h"

/* Best first. */
static const struct neonsim_family *const families[] = {
#ifdef NEONSIM_HAVE_AMX
    &neonsim_family_amx,
#endif
#ifdef NEONSIM_HAVE_AVX512VNNI
    &neonsim_family_avx512vnni,
#endif
#ifdef NEONSIM_HAVE_AVX512BW
    &neonsim_family_avx512bw,
#endif
#ifdef NEONSIM_HAVE_AVXVNNI
    &neonsim_family_avxvnni,
#endif
#ifdef NEONSIM_HAVE_AVX2
    &neonsim_family_avx2,
#endif
#ifdef NEONSIM_HAVE_SSE41
    &neonsim_family_sse41,
#endif
#ifdef NEONSIM_HAVE_SSE2
    &neonsim_family_sse2,
#endif
#ifdef NEONSIM_HAVE_SIMD128
    &neonsim_family_simd128,
#endif
#ifdef NEONSIM_HAVE_I8MM
    &neonsim_family_i8mm,
#endif
#ifdef NEONSIM_HAVE_NEONDOT
    &neonsim_family_neondot,
#endif
#ifdef NEONSIM_HAVE_NEON
    &neonsim_family_neon,
#endif
#ifdef NEONSIM_HAVE_ASSEMBLY
    &neonsim_family_assembly,
#endif
    &neonsim_family_scalar,
};

enum { FAMILIES = sizeof families / sizeof families[0] };

const char *neonsim_family_missing(const struct neonsim_family *family) {
  return family->features & ~neonsim_cpu_feature_bits() ? family->needs : NULL;
}

int32_t neonsim_find_family(const char *name, const struct neonsim_family **family) {
  for (size_t i = 0; i < FAMILIES; i++) {
    const int fits = neonsim_family_missing(families[i]) == NULL;
    if (name == NULL ? fits : strcmp(families[i]->name, name) == 0) {
      *family = families[i];
      return fits ? NEONSIM_SUCCESS : NEONSIM_UNAVAILABLE_VARIANT;
    }
  }
  return NEONSIM_UNKNOWN_VARIANT;
}

int32_t neonsim_family_info(size_t index, const char **name, const char **missing) {
  if (name == NULL || missing == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (index >= FAMILIES) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  *name = families[index]->name;
  *missing = neonsim_family_missing(families[index]);
  return NEONSIM_SUCCESS;
}

static double best_rate(double (*probe)(void), size_t repeats) {
  double best = 0;
  for (size_t i = 0; i < repeats; i++) {
    const uint64_t before = neonsim_now();
    const double macs = probe();
    const uint64_t took = neonsim_now() - before;
    best = took != 0 && macs / (double)took > best ? macs / (double)took : best;
  }
  return best * 1e9;
}

double neonsim_probe_peak(const char *family, size_t repeats) {
  const struct neonsim_family *found;
  const int there = neonsim_find_family(family, &found) == NEONSIM_SUCCESS && found->probe != NULL;
  return there ? best_rate(found->probe, repeats) : 0;
}

double neonsim_probe_f32_peak(const char *family, size_t repeats) {
  const struct neonsim_family *found;
  if (neonsim_find_family(family, &found) != NEONSIM_SUCCESS) {
    return 0;
  }
  const struct neonsim_f32_kernels *f32 = (found->f32 == NULL ? found->fallback : found)->f32;
  return best_rate(f32->probe, repeats);
}
