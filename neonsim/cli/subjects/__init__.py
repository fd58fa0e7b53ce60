"""The subjects of `neonsim explain` that have a file of their own."""
