"""Files, locks, limits, arguments and reports: nothing of Arm, nothing of networks."""
