"""Operands of instructions: as parsed, as patterns of a form, as places in registers."""
