"""Manual pages and the card of instructions."""
