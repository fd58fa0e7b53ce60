"""Loads and stores, exclusive and atomic accesses."""
