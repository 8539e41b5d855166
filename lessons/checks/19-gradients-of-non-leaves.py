"""What judges the exercise of lesson 19: why there is no gradient."""

import warnings


def diagnosis(why, torch):
    p = torch.tensor([1.0], requires_grad=True)
    q = torch.tensor([1.0], requires_grad=True)
    data = torch.tensor([3.0])
    kept, dropped = p * data, p + 1
    kept.retain_grad()
    (kept * dropped).backward()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = {name: why(t) for name, t in (("p", p), ("kept", kept), ("data", data), ("dropped", dropped), ("q", q))}
    yield "present", found["p"] == found["kept"] == "present", found
    yield "asked", found["data"] == "not asked", found["data"]
    yield "leaf", found["dropped"] == "not a leaf", found["dropped"]
    yield "yet", found["q"] == "not yet", found["q"]
    yield "silent", not caught, [str(w.message)[:40] for w in caught]
