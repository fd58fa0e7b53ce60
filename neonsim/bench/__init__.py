"""Benchmarks of neonsim, each beside its peer or its bar; `neonsim bench`."""
