"""`show`: one tensor, module, Node, array or anything else as a card."""

from __future__ import annotations

from typing import Any


def test_hooks_of_a_tensor_are_listed_alike(torch: Any):
    """What `show` counts: the dictionaries of hooks, of leaves and of results, in both libraries."""

    def f(grad: Any) -> None: ...

    def named(hooks: Any) -> Any:
        return None if hooks is None else [hook.__name__ for hook in hooks.values()]

    w = torch.ones(2, requires_grad=True)
    y = w * 2
    handles = [y.register_hook(f), w.register_hook(f), w.register_post_accumulate_grad_hook(f)]
    assert [named(t._backward_hooks) for t in (w, y)] == [["f"], ["f"]]
    assert [named(t._post_accumulate_grad_hooks) for t in (w, y)] == [["f"], None]
    for handle in handles:
        handle.remove()
    assert [named(t._backward_hooks) for t in (w, y)] == [[], []]
    z = y * 2
    z.retain_grad()
    assert z._backward_hooks is None
