"""Operators, graphs, model files (.tflite, .onnx, .npz), backends (reference, emulated, native)."""
