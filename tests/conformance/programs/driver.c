/* Calls functions of a program under QEMU, as tests/conformance/calls.py asks for on the input:
 *
 *   u32 function, u32 n <= 8, then n arguments: u32 size, and 8 bytes of a number (size 0) or that many bytes of a buffer
 *
 * Answers: 8 bytes of what came back, 4 of the floating-point flags, then all buffers as they are now. FUNCTIONS is the list of the functions' names.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uintptr_t word;
typedef word called(word, word, word, word, word, word, word, word);
#define DECLARE(name) extern called name;
#define LISTED(name) name,
FUNCTIONS(DECLARE)
static called *const functions[] = {FUNCTIONS(LISTED)};

#ifdef __aarch64__
#define CLEAR __asm__ volatile("msr fpsr, xzr" ::: "memory")
#define READ(x) __asm__ volatile("mrs %0, fpsr" : "=r"(x)::"memory")
#else
#define CLEAR __asm__ volatile("vmsr fpscr, %0" ::"r"(0) : "memory")
#define READ(x) __asm__ volatile("vmrs %0, fpscr" : "=r"(x)::"memory")
#endif

int main(void) {
    uint32_t head[2];
    while (fread(head, sizeof head, 1, stdin) == 1) {
        word a[8] = {0};
        uint32_t sizes[8] = {0};
        for (uint32_t i = 0; i < head[1]; i++) {
            uint64_t number;
            if (fread(&sizes[i], 4, 1, stdin) != 1) return 2;
            if (sizes[i]) {
                void *buffer = aligned_alloc(64, (sizes[i] + 63) & ~63u);
                if (!buffer || fread(buffer, sizes[i], 1, stdin) != 1) return 3;
                a[i] = (word)buffer;
            } else {
                if (fread(&number, 8, 1, stdin) != 1) return 4;
                a[i] = (word)number;
            }
        }
        word flags;
        CLEAR;
        const uint64_t back = functions[head[0]](a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
        READ(flags);
        const uint32_t raised = (uint32_t)flags & 0x0800009f;
        fwrite(&back, 8, 1, stdout);
        fwrite(&raised, 4, 1, stdout);
        for (uint32_t i = 0; i < head[1]; i++)
            if (sizes[i]) {
                fwrite((void *)a[i], sizes[i], 1, stdout);
                free((void *)a[i]);
            }
        fflush(stdout);
    }
    return 0;
}
