"""Between tensors and the values of Python and NumPy: building, converting, promoting."""
