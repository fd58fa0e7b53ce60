"""A program as Python, C or JavaScript."""
