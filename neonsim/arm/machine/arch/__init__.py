"""The state of a core: registers, flags, alignment, the procedure call standard; the binder joins it to semantics."""
