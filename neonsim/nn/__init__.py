"""Operators, graphs and model files on three backends: backends < ops < graph < formats."""
