"""The Tensor and its text."""
