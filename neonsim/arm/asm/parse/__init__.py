"""Lines of assembly text to operands, data, sections and labels."""
