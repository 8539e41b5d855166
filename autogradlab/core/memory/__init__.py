"""The memory under tensors: storages, and which writes overlap."""
