"""The processor, usable alone: semantics < isa < asm < machine < timing. Nothing here knows of kernels or networks."""
