"""Semantics on values: numpy lanes, initialised bits, expressions, polynomials, bit-vectors."""
