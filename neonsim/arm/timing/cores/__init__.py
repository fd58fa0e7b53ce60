"""Models of cores: the TOML files, what reads them, classes of instructions, what a core can run."""
