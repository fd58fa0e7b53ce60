"""Which algorithm computes a product: strategies, the cost model, measured times."""
