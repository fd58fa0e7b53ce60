"""A call of a function: its arguments, its result, and the same call again with changes."""
