"""Models of cores beside published loops and measured instructions."""
