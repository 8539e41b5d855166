"""Conversion between tensors and Python or NumPy values: building, converting, promoting."""
