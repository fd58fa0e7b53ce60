"""The processor, usable alone: semantics, isa, asm (text to program), machine, timing (cycles of a core)."""
