/* What planning and running networks share. */
#ifndef NEONSIM_NETWORK_PLAN_H
#define NEONSIM_NETWORK_PLAN_H

#include "network/network.h"

struct neonsim_network {
  const struct neonsim_family *family;
  uint8_t *arena;
  struct neonsim_step *steps;
  size_t count, arena_bytes, packed_bytes, scratch_bytes;
  uint8_t *scratch; /* [NEONSIM_MAX_MEMBERS at most][scratch_bytes] */
  size_t members;
  atomic_uint not_a_number; /* of a run: a layer met a NaN that it was to quantise */
  /* One run at a time; 0 free, else 1 + the generation that took it. */
  atomic_uint taken;
  struct progress *progress; /* [count] */
  struct slice *slices;      /* [count][members] */
};

/* Of a layer in a run, and of one member's part of it; each on a line of its own. */
struct progress {
  _Alignas(64) atomic_size_t done; /* tasks */
};

struct slice {
  _Alignas(64) atomic_size_t next; /* task, from the slice's first */
};

/* Sizes, zero points, limits, and that what it reads and writes lies in the arena, apart. */
int32_t neonsim_check_layer(const struct neonsim_layer *layer, size_t arena_bytes, struct neonsim_refusal *refusal);
#define NEONSIM_NOT_FUSED "its place, which does not allow that it is joined to the layer before"
/* Whether the sums that `before` leaves are all that `layer` makes bytes of. */
int neonsim_is_requantized_by(const struct neonsim_layer *before, const struct neonsim_layer *layer);
/* Whether an addition can be done block by block with a GEMM: one operand is all of its output, and nothing that is written lies
 * where anything is still to be read. Both were checked before. */
int32_t neonsim_check_fused_add(const struct neonsim_layer *gemm, const struct neonsim_layer *add, struct neonsim_refusal *refusal);

#endif
