"""From a float32 graph to an integer one, by the recipes of several runtimes."""
