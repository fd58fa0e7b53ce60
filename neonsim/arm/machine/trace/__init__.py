"""A recorded run: its columns, its file, and what is derived from it."""
