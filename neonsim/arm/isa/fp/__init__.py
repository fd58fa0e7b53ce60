"""Floating point: scalars in the lowest lane of SIMD registers, and vectors of them; one body is both."""
