"""What judges the exercise of lesson 13: the leaves of a graph."""


def leaves(leaves, torch):
    p = torch.tensor([2.0], requires_grad=True)
    q = torch.tensor([2.0], requires_grad=True)
    data = torch.tensor([3.0])
    found = leaves(p * p + p)
    yield "one", len(found) == 1 and found[0] is p, found, [p], "twice" if len(found) > 1 else None
    found = leaves((p * data + q) * p)
    yield "all", len(found) == 2 and {id(t) for t in found} == {id(p), id(q)}, found, [p, q]
    yield "data", not any(t is data for t in found), found
