/* Calls a kernel the way nobody is kind: what the procedure call standard leaves undefined holds rubbish, what it protects is
 * compared afterwards. On processors without an assembly version it is a plain call. */
#ifndef NEONSIM_TEST_CALL_H
#define NEONSIM_TEST_CALL_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_ARGUMENTS = 16, KEPT_INTEGERS = 10, KEPT_VECTORS = 8 };

/* call.S knows the offsets. */
struct call {
  void (*function)(void);
  uintptr_t arguments[MAX_ARGUMENTS]; /* in ABI order, all of pointer size; those that do not fit registers go to the stack */
  uintptr_t integers[KEPT_INTEGERS];  /* x19..x28 or r4..r11: before the call what they hold, after it what was left */
  uint64_t vectors[KEPT_VECTORS];     /* d8..d15, likewise */
  uint64_t poison;                    /* fills every register that has no defined content at a call */
};

#if defined(__aarch64__)
_Static_assert(offsetof(struct call, integers) == 136 && offsetof(struct call, vectors) == 216 &&
                   offsetof(struct call, poison) == 280,
               "call.S");
#elif defined(__arm__)
_Static_assert(offsetof(struct call, integers) == 68 && offsetof(struct call, vectors) == 112 &&
                   offsetof(struct call, poison) == 176,
               "call.S");
#endif

void checked_call(struct call *call);

#endif
