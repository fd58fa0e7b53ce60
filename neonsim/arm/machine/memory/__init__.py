"""Buffers with guard zones, arguments, the accesses of grids, and the rules that accesses keep."""
