"""Assembly text before it is parsed: sources, diagnostics, the C preprocessor, macros of GNU as."""
