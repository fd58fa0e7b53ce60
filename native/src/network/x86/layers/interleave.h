/* Channels of groups put between each other: byte i of group g to byte i * groups + g. Sixteen channels of every group make `groups`
 * registers, each a sum of those bytes of all groups that belong there (PSHUFB, which SSE2 lacks). */
#ifndef NEONSIM_X86_INTERLEAVE_H
#define NEONSIM_X86_INTERLEAVE_H

#include <immintrin.h>

#include "network/network.h"

enum { AT_ONCE = 16, NOWHERE = 0x80 };

/* picks: of each result and each group, which byte goes where. */
NEONSIM_FORCE_INLINE void interleave_sixteen(size_t groups, size_t channels, const uint8_t *in, uint8_t *out,
                                             const __m128i *picks) {
  __m128i of_group[NEONSIM_MAX_INTERLEAVED];
  for (size_t group = 0; group < groups; group++) {
    of_group[group] = _mm_loadu_si128((const __m128i *)(const void *)(in + group * channels));
  }
  for (size_t result = 0; result < groups; result++) {
    __m128i bytes = _mm_shuffle_epi8(of_group[0], picks[result * groups]);
    for (size_t group = 1; group < groups; group++) {
      bytes = _mm_or_si128(bytes, _mm_shuffle_epi8(of_group[group], picks[result * groups + group]));
    }
    _mm_storeu_si128((__m128i *)(void *)(out + AT_ONCE * result), bytes);
  }
}

NEONSIM_FORCE_INLINE void interleave_by(size_t groups, size_t pixels, size_t channels, const uint8_t *in, size_t in_stride,
                                        uint8_t *out, size_t out_stride) {
  __m128i picks[NEONSIM_MAX_INTERLEAVED * NEONSIM_MAX_INTERLEAVED];
  for (size_t result = 0; result < groups; result++) {
    for (size_t group = 0; group < groups; group++) {
      uint8_t pick[AT_ONCE];
      for (size_t i = 0; i < AT_ONCE; i++) {
        const size_t at = AT_ONCE * result + i;
        pick[i] = (uint8_t)(at % groups == group ? at / groups : NOWHERE);
      }
      picks[result * groups + group] = _mm_loadu_si128((const __m128i *)(const void *)pick);
    }
  }
  for (size_t pixel = 0; pixel < pixels; pixel++, in += in_stride, out += out_stride) {
    /* The last sixteen overlap those before them. */
    for (size_t at = 0; at < channels; at += AT_ONCE) {
      const size_t from = at + AT_ONCE > channels ? channels - AT_ONCE : at;
      interleave_sixteen(groups, channels, in + from, out + groups * from, picks);
    }
  }
}

NEONSIM_FORCE_INLINE void interleave_groups(size_t groups, size_t pixels, size_t channels, const uint8_t *in, size_t in_stride,
                                            uint8_t *out, size_t out_stride) {
  switch (groups) {
    case 2: interleave_by(2, pixels, channels, in, in_stride, out, out_stride); break;
    case 3: interleave_by(3, pixels, channels, in, in_stride, out, out_stride); break;
    default: interleave_by(4, pixels, channels, in, in_stride, out, out_stride); break;
  }
}

#endif
