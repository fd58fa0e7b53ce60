"""Checking (a kernel through its contract), proving (for all data), debugger (the first byte that differs)."""
