"""Checking (a kernel), proving (for all data), debugger (the first byte that differs), testing (in pytest)."""
