"""Kernels that NumPy does not have."""
