"""Hints, barriers and system registers."""
