"""Studies of networks and of how they are quantized."""
