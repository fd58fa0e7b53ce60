"""Runs on unknown data: every register and byte is a term."""
