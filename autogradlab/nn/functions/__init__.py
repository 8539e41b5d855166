"""The functions behind torch.nn.functional, by subject."""
