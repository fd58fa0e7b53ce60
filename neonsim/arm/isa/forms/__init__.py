"""How instructions are written: templates, operand patterns, immediates, addresses, and the way from a mnemonic and
operands to an `Instruction`. Nothing here knows what an instruction does: that is the families' part, one file each, in
the folders beside this one."""
