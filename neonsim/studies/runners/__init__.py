"""Kernels of the catalogue, measured or modelled for the studies."""
