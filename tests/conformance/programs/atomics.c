/* Atomic operations of every width: what compilers make loops of exclusive loads and stores of, or single instructions. */
#include <stdint.h>

#define OF(T, N)                                                                                                       \
    unsigned long all##N(T *p, unsigned long a, unsigned long b) {                                                     \
        unsigned long sum = __atomic_fetch_add(p, (T)a, __ATOMIC_SEQ_CST);                                             \
        sum = sum * 31 + __atomic_fetch_sub(p + 1, (T)b, __ATOMIC_ACQUIRE);                                            \
        sum = sum * 31 + __atomic_fetch_and(p + 2, (T)a, __ATOMIC_RELEASE);                                            \
        sum = sum * 31 + __atomic_fetch_or(p + 3, (T)b, __ATOMIC_RELAXED);                                             \
        sum = sum * 31 + __atomic_fetch_xor(p + 4, (T)a, __ATOMIC_ACQ_REL);                                            \
        sum = sum * 31 + __atomic_exchange_n(p + 5, (T)b, __ATOMIC_SEQ_CST);                                           \
        T known = p[6];                                                                                                \
        sum = sum * 31 + (unsigned)__atomic_compare_exchange_n(p + 6, &known, (T)a, 0, __ATOMIC_SEQ_CST,               \
                                                               __ATOMIC_RELAXED);                                      \
        known = (T)(p[7] + 1);                                                                                         \
        sum = sum * 31 + (unsigned)__atomic_compare_exchange_n(p + 7, &known, (T)b, 0, __ATOMIC_ACQUIRE,               \
                                                               __ATOMIC_ACQUIRE);                                      \
        __atomic_store_n(p + 8, (T)(a + b), __ATOMIC_RELEASE);                                                         \
        return sum * 31 + __atomic_load_n(p + 9, __ATOMIC_ACQUIRE) + known;                                            \
    }

OF(uint8_t, 8)
OF(uint16_t, 16)
OF(uint32_t, 32)
#if defined(__aarch64__)
OF(uint64_t, 64)
#endif
