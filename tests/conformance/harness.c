/* Runs one instruction on many machine states, under qemu-user or on an Arm host.
 *
 * Its arguments are address and size of the memory that the tested instruction may touch. It says first: u64 address of
 * the tested instruction. Then requests, u32 kind, word, first, n, until its input ends:
 *   RUN      in: n <= 1024 states   out: n states after the word
 *   POOL     in: n <= 16384 states, kept
 *   CHANGES  out: struct changes of the word on n <= 1024 states of the pool, then what changed, place by place in the
 *            order of struct state, each n times; of memory the bytes low..high of each window
 * A state is `struct state` below, `fpsr` holds bits 26 to 19 of FPCR besides (AArch32: FPSCR has them), `window` the address of its bytes of memory; `fault` comes back as the signal that the
 * instruction raised, or 0, and the slot of register x27 (AArch32: r11) as 1 when the instruction behind the tested one
 * was reached, 0 when it was jumped over.
 *
 * Free for the tested instruction: every V, X (not x27, x28), sp, lr; AArch32: every Q, r0-r9, r12, sp, lr.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { RUN, POOL, CHANGES };
enum { WINDOW = 512, BATCH = 1024, KEPT = 16384 };

#if defined(__aarch64__)
struct state {
    uint8_t v[32][16];
    uint64_t x[31], sp, nzcv, fpsr, own_sp, fault, window;
    uint8_t mem[WINDOW];
};
typedef uint64_t word_t;
enum { BANKS = 32, GENERAL = 31, RESERVED = 3 << 27 };
_Static_assert(offsetof(struct state, x) == 512 && offsetof(struct state, fault) == 792, "the assembly below counts on it");

#define PAIRS(op) \
    op " q0, q1, [x28]\n" op " q2, q3, [x28, #32]\n" op " q4, q5, [x28, #64]\n" op " q6, q7, [x28, #96]\n" \
    op " q8, q9, [x28, #128]\n" op " q10, q11, [x28, #160]\n" op " q12, q13, [x28, #192]\n" op " q14, q15, [x28, #224]\n" \
    op " q16, q17, [x28, #256]\n" op " q18, q19, [x28, #288]\n" op " q20, q21, [x28, #320]\n" op " q22, q23, [x28, #352]\n" \
    op " q24, q25, [x28, #384]\n" op " q26, q27, [x28, #416]\n" op " q28, q29, [x28, #448]\n" op " q30, q31, [x28, #480]\n"
#define CORES(op) \
    op " x0, [x28, #512]\n" op " x1, [x28, #520]\n" op " x2, [x28, #528]\n" op " x3, [x28, #536]\n" \
    op " x4, [x28, #544]\n" op " x5, [x28, #552]\n" op " x6, [x28, #560]\n" op " x7, [x28, #568]\n" \
    op " x8, [x28, #576]\n" op " x9, [x28, #584]\n" op " x10, [x28, #592]\n" op " x11, [x28, #600]\n" \
    op " x12, [x28, #608]\n" op " x13, [x28, #616]\n" op " x14, [x28, #624]\n" op " x15, [x28, #632]\n" \
    op " x16, [x28, #640]\n" op " x17, [x28, #648]\n" op " x18, [x28, #656]\n" op " x19, [x28, #664]\n" \
    op " x20, [x28, #672]\n" op " x21, [x28, #680]\n" op " x22, [x28, #688]\n" op " x23, [x28, #696]\n" \
    op " x24, [x28, #704]\n" op " x25, [x28, #712]\n" op " x26, [x28, #720]\n" op " x29, [x28, #744]\n" \
    op " x30, [x28, #752]\n"

__asm__(".text\n.balign 4096\n.global stage\nstage:\n"
        "stp x29, x30, [sp, #-176]!\nstp x19, x20, [sp, #16]\nstp x21, x22, [sp, #32]\nstp x23, x24, [sp, #48]\n"
        "stp x25, x26, [sp, #64]\nstp x27, x28, [sp, #80]\n"
        "stp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\nstp d12, d13, [sp, #128]\nstp d14, d15, [sp, #144]\n"
        "adrp x28, now\nadd x28, x28, :lo12:now\n"
        "mov x27, sp\nstr x27, [x28, #784]\n"
        PAIRS("ldp")
        "ldr x27, [x28, #768]\nmsr nzcv, x27\nldr x27, [x28, #776]\nmsr fpsr, x27\n"
        "and x27, x27, #0x7f80000\nmsr fpcr, x27\n"
        "ldr x27, [x28, #760]\nmov sp, x27\n"
        CORES("ldr")
        "mov x27, #0\n"
        ".global slot\nslot: nop\n"
        "add x27, x27, #1\n"
        CORES("str")
        "str x27, [x28, #728]\nmov x27, sp\nstr x27, [x28, #760]\n"
        "mrs x27, nzcv\nstr x27, [x28, #768]\nmrs x27, fpsr\nmrs x26, fpcr\norr x27, x27, x26\nstr x27, [x28, #776]\n"
        "msr fpcr, xzr\n"
        PAIRS("stp")
        "ldr x27, [x28, #784]\nmov sp, x27\n"
        "ldp x19, x20, [sp, #16]\nldp x21, x22, [sp, #32]\nldp x23, x24, [sp, #48]\nldp x25, x26, [sp, #64]\n"
        "ldp x27, x28, [sp, #80]\n"
        "ldp d8, d9, [sp, #96]\nldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\nldp d14, d15, [sp, #144]\n"
        "ldp x29, x30, [sp], #176\nret\n.balign 4096\n");

#elif defined(__arm__)
struct state {
    uint8_t v[16][16];
    uint32_t x[16], nzcv, fpsr, own_sp, fault, window;
    uint8_t mem[WINDOW];
};
typedef uint32_t word_t;
enum { BANKS = 16, GENERAL = 16, RESERVED = 3 << 10 | 1 << 15 };
_Static_assert(offsetof(struct state, x) == 256 && offsetof(struct state, fault) == 332, "the assembly below counts on it");

#define CORES(op) \
    op " r0, [r10, #256]\n" op " r1, [r10, #260]\n" op " r2, [r10, #264]\n" op " r3, [r10, #268]\n" \
    op " r4, [r10, #272]\n" op " r5, [r10, #276]\n" op " r6, [r10, #280]\n" op " r7, [r10, #284]\n" \
    op " r8, [r10, #288]\n" op " r9, [r10, #292]\n" op " r12, [r10, #304]\n" op " sp, [r10, #308]\n" \
    op " lr, [r10, #312]\n"

__asm__(".syntax unified\n.arm\n.fpu neon\n.text\n.balign 4096\n.global stage\n.type stage, %function\nstage:\n"
        "push {r4-r11, lr}\nvpush {d8-d15}\n"
        "movw r10, #:lower16:now\nmovt r10, #:upper16:now\n"
        "str sp, [r10, #328]\nmov r11, r10\nvldmia r11!, {d0-d15}\nvldmia r11!, {d16-d31}\n"
        "ldr r11, [r10, #324]\nvmsr fpscr, r11\nldr r11, [r10, #320]\nmsr cpsr_fs, r11\n"
        CORES("ldr")
        "mov r11, #0\n"
        ".global slot\nslot: nop\n"
        "add r11, r11, #1\n"
        CORES("str")
        "str r11, [r10, #300]\nmrs r11, cpsr\nstr r11, [r10, #320]\nvmrs r11, fpscr\nstr r11, [r10, #324]\n"
        "mov r11, r10\nvstmia r11!, {d0-d15}\nvstmia r11!, {d16-d31}\n"
        "ldr sp, [r10, #328]\nmov r11, #0\nvmsr fpscr, r11\n"
        "vpop {d8-d15}\npop {r4-r11, pc}\n.balign 4096\n");
#else
#error "this guest is for AArch64 and AArch32"
#endif

/* Bit i of `v` and `x`: register i; of `others`: sp, nzcv, fpsr, fault. */
struct changes {
    uint32_t v, x, others, low, high;
};

struct state now;
extern uint8_t slot[];
extern void stage(void);
static sigjmp_buf back;
static struct state pool[KEPT], after[BATCH];
static uint32_t kept;

static void on_signal(int number) { siglongjmp(back, number); }

static void run(struct state *s) {
    void *window = (void *)(uintptr_t)s->window;
    memcpy(window, s->mem, WINDOW);
    now = *s;
    int fault = sigsetjmp(back, 0);
    if (!fault) stage();
    *s = now;
    s->fault = (unsigned)fault;
    memcpy(s->mem, window, WINDOW);
}

static void look(const struct state *a, const struct state *b, struct changes *c) {
    for (int i = 0; i < BANKS; i++)
        if (memcmp(a->v[i], b->v[i], 16)) c->v |= 1u << i;
    for (int i = 0; i < GENERAL; i++)
        if (a->x[i] != b->x[i]) c->x |= 1u << i;
    c->x &= ~(uint32_t)RESERVED;
#if defined(__aarch64__)
    c->others |= a->sp != b->sp;
#endif
    c->others |= (uint32_t)(a->nzcv != b->nzcv) << 1 | (uint32_t)(a->fpsr != b->fpsr) << 2 | (uint32_t)(b->fault != 0) << 3;
    if (!memcmp(a->mem, b->mem, WINDOW)) return;
    for (uint32_t i = 0; i < WINDOW; i++)
        if (a->mem[i] != b->mem[i]) {
            if (i < c->low) c->low = i;
            if (i >= c->high) c->high = i + 1;
        }
}

#define COLUMN(field) \
    for (uint32_t i = 0; i < n; i++) fwrite(&after[i].field, sizeof after[i].field, 1, stdout)

static void changes(uint32_t first, uint32_t n) {
    struct changes c = {0, 0, 0, WINDOW, 0};
    for (uint32_t i = 0; i < n; i++) {
        after[i] = pool[(first + i) % kept];
        run(&after[i]);
        look(&pool[(first + i) % kept], &after[i], &c);
    }
    fwrite(&c, sizeof c, 1, stdout);
    for (int k = 0; k < BANKS; k++)
        if (c.v >> k & 1) COLUMN(v[k]);
    for (int k = 0; k < GENERAL; k++)
        if (c.x >> k & 1) COLUMN(x[k]);
#if defined(__aarch64__)
    if (c.others & 1) COLUMN(sp);
#endif
    if (c.others & 2) COLUMN(nzcv);
    if (c.others & 4) COLUMN(fpsr);
    if (c.others & 8) COLUMN(fault);
    for (uint32_t i = 0; i < n && c.low < c.high; i++) fwrite(after[i].mem + c.low, c.high - c.low, 1, stdout);
}

int main(int count, char **words) {
    static uint8_t spare[65536];
    stack_t aside = {.ss_sp = spare, .ss_size = sizeof spare};
    sigaltstack(&aside, 0);
    struct sigaction act = {0};
    act.sa_handler = on_signal;
    act.sa_flags = SA_NODEFER | SA_ONSTACK;
    sigaction(SIGILL, &act, 0);
    sigaction(SIGSEGV, &act, 0);
    sigaction(SIGBUS, &act, 0);
    if (mprotect((void *)((uintptr_t)stage & ~(uintptr_t)4095), 4096, PROT_READ | PROT_WRITE | PROT_EXEC)) return 2;
    if (count != 3) return 3;
    void *memory = mmap((void *)(uintptr_t)strtoull(words[1], 0, 0), strtoull(words[2], 0, 0), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (memory == MAP_FAILED) return 4;
    uint64_t place = (uintptr_t)slot;
    fwrite(&place, sizeof place, 1, stdout);
    fflush(stdout);
    struct { uint32_t kind, word, first, n; } ask;
    while (fread(&ask, sizeof ask, 1, stdin) == 1) {
        if (ask.kind == POOL) {
            kept = ask.n;
            if (kept > KEPT || fread(pool, sizeof *pool, kept, stdin) != kept) return 1;
            continue;
        }
        memcpy(slot, &ask.word, 4);
        __builtin___clear_cache((char *)slot, (char *)slot + 4);
        if (ask.n > BATCH || (ask.kind == CHANGES && !kept)) return 1;
        if (ask.kind == RUN) {
            if (fread(after, sizeof *after, ask.n, stdin) != ask.n) return 1;
            for (uint32_t i = 0; i < ask.n; i++) run(&after[i]);
            fwrite(after, sizeof *after, ask.n, stdout);
        } else {
            changes(ask.first, ask.n);
        }
        fflush(stdout);
    }
    return 0;
}
