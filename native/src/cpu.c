/* What this processor can do. */
#define _DEFAULT_SOURCE /* syscall, fork under -std=c11 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "contracts/variants.h"

#if (defined(__aarch64__) || defined(__arm__)) && defined(__GNUC__) && !defined(_WIN32)
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif
#if defined(__arm__) && defined(__linux__)
#include <sys/auxv.h>
/* HWCAP_NEON of the 32-bit Arm kernel ABI; the header that names it is not installed everywhere. */
#define LINUX_ARM_HWCAP_NEON (1UL << 12)
#define LINUX_ARM_HWCAP_ASIMDDP (1UL << 24)
#define LINUX_ARM_HWCAP_I8MM (1UL << 27)
#define LINUX_ARM_HWCAP2_CRC32 (1UL << 4)
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#define LINUX_ARM64_HWCAP_ASIMDDP (1UL << 20)
#define LINUX_ARM64_HWCAP2_I8MM (1UL << 13)
#elif defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

/* Names and bits. */
#define ALL_FEATURES(X) \
  X("neon", NEONSIM_FEATURE_NEON) \
  X("sse2", NEONSIM_FEATURE_SSE2) \
  X("sse41", NEONSIM_FEATURE_SSE41) \
  X("avx2", NEONSIM_FEATURE_AVX2) \
  X("avxvnni", NEONSIM_FEATURE_AVXVNNI) \
  X("avx512bw", NEONSIM_FEATURE_AVX512BW) \
  X("avx512vnni", NEONSIM_FEATURE_AVX512VNNI) \
  X("amxint8", NEONSIM_FEATURE_AMXINT8) \
  X("dotprod", NEONSIM_FEATURE_DOTPROD) \
  X("i8mm", NEONSIM_FEATURE_I8MM) \
  X("neonv8", NEONSIM_FEATURE_NEONV8) \
  X("simd128", NEONSIM_FEATURE_SIMD128)

#define NAME_AND_BIT(name, bit) {name, bit},
#define NAME_AND_BLANK(name, bit) name " "
static const struct {
  const char *name;
  uint32_t bit;
} features[] = {ALL_FEATURES(NAME_AND_BIT)};

enum { FEATURES = sizeof features / sizeof features[0], TEXT_BYTES = sizeof ALL_FEATURES(NAME_AND_BLANK) };

_Static_assert(FEATURES < 32, "the top bit says that they are known");

#if defined(__x86_64__) && defined(__GNUC__)
static int all(uint32_t word, uint32_t bits) { return (word & bits) == bits; }

/* Linux lets a process use tile registers only once it has asked: 8 KiB more are saved with every thread then. */
static int tiles_are_granted(void) {
#if defined(__linux__)
  enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
  return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
#else
  return 0;
#endif
}

/* The processor has it, and the system saves its registers (XCR0). */
static uint32_t detect(void) {
  uint32_t a, b, c, d, found = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d)) {
    return 0;
  }
  found |= all(d, 1u << 26) ? NEONSIM_FEATURE_SSE2 : 0;
  found |= all(c, 1u << 19) ? NEONSIM_FEATURE_SSE41 : 0;
  if (!all(c, 1u << 27 | 1u << 28 | 1u << 12)) { /* OSXSAVE, AVX, FMA */
    return found;
  }
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if (!all(low, 0x6) || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) { /* XMM and YMM */
    return found;
  }
  const uint32_t most = a;
  /* AMX-TILE, AMX-INT8; XTILECFG and XTILEDATA. */
  found |= all(d, 1u << 24 | 1u << 25) && all(low, 0x60000) && tiles_are_granted() ? NEONSIM_FEATURE_AMXINT8 : 0;
  const int avx2 = all(b, 1u << 5);
  found |= avx2 ? NEONSIM_FEATURE_AVX2 : 0;
  if (all(b, 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31) && all(low, 0xe6)) { /* F, DQ, BW, VL; ZMM and mask registers */
    found |= NEONSIM_FEATURE_AVX512BW | (all(c, 1u << 11) ? NEONSIM_FEATURE_AVX512VNNI : 0);
  }
  if (avx2 && most >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) {
    found |= all(a, 1u << 4) ? NEONSIM_FEATURE_AVXVNNI : 0;
  }
  return found;
}
#else
static uint32_t detect(void) {
#if defined(__aarch64__) || defined(_M_ARM64)
  uint32_t found = NEONSIM_FEATURE_NEON; /* part of the architecture */
#if defined(__linux__)
  found |= getauxval(AT_HWCAP) & LINUX_ARM64_HWCAP_ASIMDDP ? NEONSIM_FEATURE_DOTPROD : 0;
  found |= getauxval(AT_HWCAP2) & LINUX_ARM64_HWCAP2_I8MM ? NEONSIM_FEATURE_I8MM : 0;
#elif defined(__APPLE__)
  found |= NEONSIM_FEATURE_DOTPROD; /* every 64-bit processor that runs macOS has it */
#endif
  return found;
#elif defined(__arm__) && defined(__linux__)
  uint32_t found = getauxval(AT_HWCAP) & LINUX_ARM_HWCAP_NEON ? NEONSIM_FEATURE_NEON : 0;
  found |= getauxval(AT_HWCAP) & LINUX_ARM_HWCAP_ASIMDDP ? NEONSIM_FEATURE_DOTPROD : 0;
  found |= getauxval(AT_HWCAP) & LINUX_ARM_HWCAP_I8MM ? NEONSIM_FEATURE_I8MM : 0;
  /* There is no bit for Armv8 itself; its CRC32 instructions came with it. */
  found |= getauxval(AT_HWCAP2) & LINUX_ARM_HWCAP2_CRC32 ? NEONSIM_FEATURE_NEONV8 : 0;
  return found;
#elif defined(NEONSIM_HAVE_SIMD128)
  return NEONSIM_FEATURE_SIMD128; /* a machine without it has refused the whole module */
#else
  return 0;
#endif
}
#endif

/* ---- what the system did not tell ----------------------------------------------------------------------------------- */

#if (defined(__aarch64__) || defined(__arm__)) && defined(__GNUC__) && !defined(_WIN32)
/* Whether an instruction runs is found out by running it, in a process of its own: the handlers of this one stay as they are. */
static void refuse(int number) {
  (void)number;
  _exit(1);
}

/* Encodings, so that no option of the compiler is needed. All read and write d0 or q0, which is what Thumb calls them too. */
#if defined(__aarch64__)
#define RUN(a64, a32, t32) __asm__ volatile(".inst " #a64::: "v0")
#elif defined(__thumb__)
#define RUN(a64, a32, t32) __asm__ volatile(".inst.w " #t32::: "memory")
#else
#define RUN(a64, a32, t32) __asm__ volatile(".inst " #a32::: "memory")
#endif

static void run(uint32_t feature) {
  switch (feature) {
    case NEONSIM_FEATURE_DOTPROD: RUN(0x2e809400, 0xfc200d10, 0xfc200d10); break; /* UDOT, VUDOT.U8 */
    case NEONSIM_FEATURE_I8MM: RUN(0x6e80a400, 0xfc200c50, 0xfc200c50); break;    /* UMMLA, VUMMLA.U8 */
#if defined(__arm__)
    case NEONSIM_FEATURE_NEON: RUN(0, 0xf2000800, 0xef000800); break;   /* VADD.I8 */
    case NEONSIM_FEATURE_NEONV8: RUN(0, 0xf3bb0100, 0xffbb0100); break; /* VCVTN.S32.F32 */
#endif
    default: _exit(1);
  }
}

static int runs(uint32_t feature) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGILL, refuse);
    run(feature);
    _exit(0);
  }
  int status = 1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
#else
/* CPUID has told everything. */
static int runs(uint32_t feature) {
  (void)feature;
  return 0;
}
#endif

/* Is `name` one of the words of a list? */
static int listed(const char *list, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = list; (at = strstr(at, name)) != NULL; at += length) {
    if ((at == list || at[-1] == ',') && (at[length] == '\0' || at[length] == ',')) {
      return 1;
    }
  }
  return 0;
}

uint32_t neonsim_cpu_feature_bits(void) {
  static atomic_uint known; /* the bits, and the top bit once they are known */
  const uint32_t asked = UINT32_C(1) << 31;
  uint32_t found = atomic_load_explicit(&known, memory_order_relaxed);
  if (found == 0) {
    const uint32_t there = detect();
    found = there | asked;
    const char *without = getenv("NEONSIM_WITHOUT"), *with = getenv("NEONSIM_WITH");
    for (size_t i = 0; without != NULL && i < FEATURES; i++) {
      found &= listed(without, features[i].name) ? ~features[i].bit : ~UINT32_C(0);
    }
    for (size_t i = 0; with != NULL && i < FEATURES; i++) {
      const uint32_t bit = features[i].bit;
      found |= listed(with, features[i].name) && ((there & bit) || runs(bit)) ? bit : 0;
    }
    atomic_store_explicit(&known, found, memory_order_relaxed);
  }
  return found & ~asked;
}

const char *neonsim_cpu_features(void) {
  /* Written once, by the first caller. */
  static char text[TEXT_BYTES];
  static atomic_flag writing = ATOMIC_FLAG_INIT;
  static atomic_int written;
  while (!atomic_load(&written)) {
    if (atomic_flag_test_and_set(&writing)) {
      continue;
    }
    const uint32_t bits = neonsim_cpu_feature_bits();
    for (size_t i = 0; i < FEATURES; i++) {
      if (bits & features[i].bit) {
        strcat(strcat(text, text[0] == '\0' ? "" : " "), features[i].name);
      }
    }
    atomic_store(&written, 1);
  }
  return text;
}
