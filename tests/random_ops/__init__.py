"""Tests of random tensors: answers to lists of expressions, PyTorch's kept beside them, and the graph behind them."""
