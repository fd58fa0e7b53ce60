"""Object files: ELF, relocations, archives, line tables, disassembly."""
