"""Requantization: the schemes, side by side, explained to one value."""
