"""The native backend: the C library, its structs, layers of networks."""
