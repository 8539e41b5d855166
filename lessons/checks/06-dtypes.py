"""What judges the exercise of lesson 6: the memory of a model."""


def _slip(found, wanted):
    """Which usual mistake a number of megabytes is, if any."""
    if found is not None and abs(found - wanted * 1e6) < 1:
        return "bytes"
    return "binary" if found is not None and abs(found - wanted * 1e6 / 2**20) < 1e-3 else None


def megabytes(megabytes, torch):
    tensors = [torch.zeros(1000, 900), torch.zeros(100_000)]
    found = megabytes(tensors, torch.float32)
    yield "floats", found is not None and abs(found - 4.0) < 1e-9, found, 4.0, _slip(found, 4.0)
    found = megabytes([torch.zeros(500_000, dtype=torch.int64)], torch.float16)
    yield "kinds", abs(found - 1.0) < 1e-9, found, 1.0, "own" if found == 4.0 else None
    found = megabytes([], torch.float64)
    yield "none", found == 0, found, 0
