/* Ways to copy: bytes, words once the target is aligned, registers of 16 bytes, backwards, and by the library. */
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void by_bytes(uint8_t *to, const uint8_t *from, size_t n) {
    for (volatile size_t i = 0; i < n; i++) to[i] = from[i];
}

void by_words(uint8_t *to, const uint8_t *from, size_t n) {
    while (n && ((uintptr_t)to & 3)) *to++ = *from++, n--;
    for (; n >= 4; n -= 4, to += 4, from += 4) {
        uint32_t word;
        memcpy(&word, from, 4);
        *(uint32_t *)to = word;
    }
    while (n--) *to++ = *from++;
}

void by_vectors(uint8_t *to, const uint8_t *from, size_t n) {
    for (; n >= 64; n -= 64, to += 64, from += 64) {
        const uint8x16_t a = vld1q_u8(from), b = vld1q_u8(from + 16), c = vld1q_u8(from + 32), d = vld1q_u8(from + 48);
        __builtin_prefetch(from + 256);
        vst1q_u8(to, a), vst1q_u8(to + 16, b), vst1q_u8(to + 32, c), vst1q_u8(to + 48, d);
    }
    for (; n >= 8; n -= 8, to += 8, from += 8) vst1_u8(to, vld1_u8(from));
    while (n--) *to++ = *from++;
}

/* Overlapping is allowed. */
void moved(uint8_t *data, size_t to, size_t from, size_t n) {
    if (to < from)
        for (size_t i = 0; i < n; i++) data[to + i] = data[from + i];
    else
        while (n--) data[to + n] = data[from + n];
}

void by_library(uint8_t *to, const uint8_t *from, size_t n) {
    memcpy(to, from, n);
    memmove(to + n / 3, to, n / 2);
    memset(to, 0x5A, n / 5);
}

void reversed(uint8_t *to, const uint8_t *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = from[n - 1 - i];
}
