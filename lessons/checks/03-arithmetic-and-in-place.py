"""What judges the exercise of lesson 3: a running mean, updated in place."""


def running_mean(update, torch):
    mean, new = torch.tensor([10.0, 0.0]), torch.tensor([0.0, 5.0])
    place = mean.data_ptr()
    result = update(mean, new)
    yield (
        "value",
        torch.allclose(mean, torch.tensor([9.0, 0.5])),
        mean,
        torch.tensor([9.0, 0.5]),
        "renamed" if mean.tolist() == [10.0, 0.0] else None,
    )
    yield "place", mean.data_ptr() == place, mean
    yield "new_kept", new.tolist() == [0.0, 5.0], new, torch.tensor([0.0, 5.0])
    yield "nothing", result is None or result is mean, result, "None"
