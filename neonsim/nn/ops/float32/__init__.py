"""Operators of float32."""
