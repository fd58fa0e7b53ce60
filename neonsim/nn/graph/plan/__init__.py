"""A graph prepared to run: natively, in segments, on several backends; its modelled cycles."""
