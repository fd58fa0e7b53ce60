"""Vectors: integers and polynomials in the lanes of SIMD registers, and what loads, stores and rearranges them."""
