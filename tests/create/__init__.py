"""Tests of how tensors are made: answers to lists of expressions, PyTorch's kept beside them."""
