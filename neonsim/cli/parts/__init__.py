"""What several commands have in common: options, progress, calls, networks."""
