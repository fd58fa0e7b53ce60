"""General registers: arithmetic, logic, loads and stores, branches."""
