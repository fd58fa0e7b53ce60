"""Operators in the arithmetic of one runtime: ONNX Runtime, Tengine, ncnn, gemmlowp, integers only."""
