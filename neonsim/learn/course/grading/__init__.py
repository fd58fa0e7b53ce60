"""From an answer to a verdict: calls, cost, answers that cheat, proofs."""
