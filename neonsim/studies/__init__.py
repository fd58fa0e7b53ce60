"""Questions of the literature as tables and figures; sweeps: kernels x cores x shapes."""
