"""Files, locks, limits, arguments and reports of studies; nothing of Arm or of networks."""
