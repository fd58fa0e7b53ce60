"""Definitions in numpy that kernels and operators are judged by."""
