"""Parameters of kernels, checked."""
