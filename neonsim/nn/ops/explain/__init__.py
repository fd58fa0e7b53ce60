"""What an operator did and what it costs: one element, rounding, traffic, backends compared."""
