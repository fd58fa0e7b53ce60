"""Is it right? Checking against a contract, proving for all data, debugging to the first byte that differs."""
