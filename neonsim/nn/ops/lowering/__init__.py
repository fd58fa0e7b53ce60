"""Operators as calls of kernels: which kernel, which tiles, which windows."""
