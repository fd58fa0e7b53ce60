"""How a program is run: interpreted, recorded, replayed, compiled."""
