"""Other libraries and runtimes, as peers of `neonsim bench`."""
