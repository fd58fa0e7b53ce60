"""Semantics as source text: Python, C, JavaScript."""
