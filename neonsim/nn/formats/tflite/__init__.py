"""TensorFlow Lite's files: read, written, and rewritten where they lack an operator."""
