"""What judges the exercise of lesson 2: a batch of one."""


def batch(picture, batch, flat, torch):
    yield (
        "batch_shape",
        isinstance(batch, torch.Tensor) and batch.shape == (1, 1, 4, 5),
        getattr(batch, "shape", batch),
        (1, 1, 4, 5),
    )
    yield (
        "batch_shared",
        batch.data_ptr() == picture.data_ptr(),
        batch,
        None,
        "copied" if torch.equal(batch.flatten(), picture.flatten()) else None,
    )
    yield "flat_shape", isinstance(flat, torch.Tensor) and flat.shape == (1, 20), getattr(flat, "shape", flat), (1, 20)
    yield "flat_values", torch.equal(flat.flatten(), picture.flatten()), flat, picture.reshape(1, 20)
