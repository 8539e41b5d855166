"""Random numbers as PyTorch draws them: the generator, uniform and normal numbers, the other distributions."""
