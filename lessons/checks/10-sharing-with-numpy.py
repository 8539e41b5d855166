"""What judges the exercise of lesson 10: an array handed over safely."""

import numpy as np


def guarded(guarded, torch):
    def scribble(array):
        array[:] = 7

    t = torch.tensor([1.0, 2.0])
    found = guarded(t, scribble)
    right = np.array([7.0, 7.0], np.float32)
    yield "returned", isinstance(found, np.ndarray) and found.tolist() == [7.0, 7.0], repr(found), repr(right)
    yield "kept", t.tolist() == [1.0, 2.0], t, torch.tensor([1.0, 2.0]), "shared" if t.tolist() == [7.0, 7.0] else None
    asking = torch.tensor([1.0, 2.0], requires_grad=True)
    found = guarded(asking, scribble)
    yield "asks", found.tolist() == [7.0, 7.0] and asking.tolist() == [1.0, 2.0], found
