"""What proofs are made of: solvers, induction, invariants, symbolic inputs and accumulators."""
