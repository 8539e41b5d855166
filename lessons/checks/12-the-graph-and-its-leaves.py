"""What judges the exercise of lesson 12: from a tree back to code."""


def from_tree_to_code(answer, torch):
    def names(fn):
        return "-" if fn is None else [type(fn).__name__] + [names(child) for child, _ in fn.next_functions]

    yield "recorded", getattr(answer, "grad_fn", None) is not None, answer
    leaf = ["AccumulateGrad"]
    wanted = ["AddBackward0", ["MulBackward0", leaf, "-"], ["MulBackward0", leaf, leaf]]
    yield "tree", names(answer.grad_fn) == wanted, names(answer.grad_fn), wanted
