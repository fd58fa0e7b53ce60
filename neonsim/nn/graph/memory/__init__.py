"""One block of memory for the tensors of a network."""
