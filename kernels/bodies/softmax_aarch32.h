// Softmax of a row of bytes on AArch32: the whole way of a call, but for what depends on the sign of bytes. A kernel defines
// before: larger, larger_pairs, largest_lane, load_byte, byte_constants, shares_8.
// KERNEL is the kernel's name.

#include "bodies/arch_aarch32.h"
    .text
    .p2align 4
    .global KERNEL
    .type   KERNEL, %function
KERNEL:
    // ---- Save what belongs to the caller: 28 bytes, so the stack argument now is at sp + 28.
    push        {r4-r9, lr}
    ldr         r9, [sp, #28]                   // r9: where the result is written next

    // ---- Find the largest byte: sixteen at a time, in the end some once more; fewer than sixteen one at a time.
    mov         r4, r1                          // r4: where x is read next
    vld1.8      {d0[], d1[]}, [r1]
    subs        r5, r0, #16                     // r5: left, less 16
    blo         2f
0:
    vld1.8      {d2-d3}, [r4]!
    larger      q0, q0, q1
    subs        r5, r5, #16
    bhs         0b
    cmp         r5, #-16                        // none left?
    beq         1f
    add         r4, r4, r5
    vld1.8      {d2-d3}, [r4]
    larger      q0, q0, q1
    b           1f
2:
    add         r5, r5, #16
3:
    vld1.8      {d2[], d3[]}, [r4]!
    larger      q0, q0, q1
    subs        r5, r5, #1
    bne         3b
1:
    larger      d0, d0, d1
    larger_pairs d0
    larger_pairs d0
    larger_pairs d0
    largest_lane r6                             // r6: the largest

    // ---- One after another, so that the sum is rounded as it is there: exponentials by table, kept, added up.
    mov         r4, r1
    mov         r5, r0
    mov         r7, r3                          // r7: where exponentials are kept
    vmov.i32    d2, #0                          // s4: their sum
4:
    load_byte   r8, r4
    sub         r8, r6, r8                      // r8: what it falls short of the largest, 0..255
    add         r8, r2, r8, lsl #2
    vldr        s0, [r8]
    vadd.f32    s4, s4, s0
    vstr        s0, [r7]
    add         r7, r7, #4
    subs        r5, r5, #1                      // one less to go
    bne         4b

    // ---- Divide once: 1 / (sum / 256).
    vmov.i32    d0, #0x3b000000                 // bits of 1 / 256
    vorr.i32    d0, #0x800000
    vmov.i32    d1, #0x3f000000                 // bits of 1
    vorr.i32    d1, #0x800000
    vmul.f32    s4, s4, s0
    vdiv.f32    s4, s2, s4
    vdup.32     q8, d2[0]                       // q8: the factor
    byte_constants

    // ---- Eight shares at a time: times the factor, to the nearest integer, to bytes.
    subs        r0, r0, #8                      // r0: left, less 8
    blo         6f
5:
    vld1.32     {d0-d3}, [r3]!
    shares_8                                    // d0: 8 bytes
    vst1.8      {d0}, [r9]!
    subs        r0, r0, #8
    bhs         5b

    // ---- The last 1..7: the buffer is as long as eight.
6:
    cmp         r0, #-8                         // none left?
    beq         7f
    vld1.32     {d0-d3}, [r3]
    shares_8
    store_rest  d0, r9, r0

    // ---- Give back what was saved.
7:
    pop         {r4-r9, pc}
    .size   KERNEL, . - KERNEL
