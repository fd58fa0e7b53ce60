"""Benchmarks, comparison with other libraries, a program that measures an Arm board."""
