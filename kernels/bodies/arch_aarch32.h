// What the instructions of a kernel need on AArch32: NEONV8 or DOTPROD says so; Armv7 with NEON otherwise.

    .syntax unified
#if defined DOTPROD
    .arch   armv8.2-a
    .fpu    neon-fp-armv8
    .arch_extension dotprod
#elif defined NEONV8
    .arch   armv8-a
    .fpu    neon-fp-armv8
#else
    .arch   armv7-a
    .fpu    neon
#endif
    .arm
