"""What judges the exercise of lesson 6: the memory of a model."""


def megabytes(megabytes, torch):
    tensors = [torch.zeros(1000, 900), torch.zeros(100_000)]
    found = megabytes(tensors, torch.float32)
    yield "floats", found is not None and abs(found - 4.0) < 1e-9, found
    found = megabytes([torch.zeros(500_000, dtype=torch.int64)], torch.float16)
    yield "kinds", abs(found - 1.0) < 1e-9, found
    found = megabytes([], torch.float64)
    yield "none", found == 0, found
