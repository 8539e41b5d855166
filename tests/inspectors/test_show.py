"""`show`: one tensor, module, Node, array or anything else as a card."""

from __future__ import annotations

import gc
import re
import weakref
from typing import Any

import numpy as np
import pytest

from autogradlab import inspectors as lab
from autogradlab.inspectors import words
from tests.conftest import need


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


def lines(shown: Any) -> list[str]:
    """Its text without where it was made: that names this file."""
    return [line for line in shown.text.split("\n") if ".py, line " not in line]


@pytest.mark.filterwarnings("error")
def test_a_leaf(torch: Any):
    w = torch.tensor([[1.0, 2.0], [0.0, 2.0]], requires_grad=True)
    w_np = w.detach().numpy()
    loss = (w * w).sum()
    facts = [
        "shape        (2, 2)",
        "dtype        float32",
        "stride       (2, 1) contiguous",
        "version      0",
        "storage      shared, 16 B",
        "shared with  w_np",
        "device       cpu",
        "made by  torch.tensor([[1.0, 2.0], [0.0, 2.0]], requires_grad=True)",
    ]
    assert lines(lab.show(w)) == [
        "`w` · float32 (2, 2) · is_leaf ✓ · requires_grad ✓ · grad_fn None",
        "values",
        "1.  2.",
        "0.  2.",
        (
            "`.grad` is None: `loss` was computed from `w`, and a gradient comes here when backward runs from "
            "`loss`. Call `loss.backward()`."
        ),
        *facts,
    ]
    assert lab.show(w).text.splitlines()[-1].startswith("at       test_show.py, line ")
    loss.backward()
    assert lines(lab.show(w))[1:] == ["values", "1.  2.", "0.  2.", "grad", "2.  4.", "0.  4.", *facts]
    assert w_np.shape == (2, 2)


def test_a_result(torch: Any):
    w = torch.ones(2, requires_grad=True)
    y = w * 2
    shown = lab.show(y)
    assert [badge.text for badge in shown.card.badges] == ["is_leaf ✗", "requires_grad ✓", "grad_fn MulBackward0"]
    assert "`.grad` is None and stays None: `y` is a non-leaf (the result of MulBackward0)" in shown.text
    assert "made by  w * 2" in shown.text
    y.retain_grad()
    y.register_hook(print)
    assert [badge.text for badge in lab.show(y).card.badges][3:] == ["retains_grad ✓", "hooks 1"]
    y.sum().backward()
    assert "grad\n1.  1." in lab.show(y).text


def test_views_say_whose_memory_it_is(torch: Any):
    x = torch.arange(6.0).reshape(2, 3)
    column = x[:, 1]
    shown = lines(lab.show(column))
    assert "stride       (3,) not contiguous" in shown
    assert "storage      shared, 24 B, offset 1" in shown
    assert "shared with  x" in shown
    x.add_(1)
    assert "version      1" in lines(lab.show(column))
    assert "view of      a tensor without a name" in lines(lab.show(column))  # reshape is a view of the arange


def test_what_has_no_name_is_called_by_what_was_written(torch: Any):
    w = torch.ones(2, requires_grad=True)
    assert lab.show(w * 2).card.title == "`w * 2`"
    assert "made by" not in lab.show(w * 2).text
    assert lab.show(w[0]).card.title == "`w[0]`"
    u = w
    assert lab.show(u).card.title == "`u`"
    assert lab.show(w).card.title == "`w`"
    assert lab.show(*[w * 2]).card.title == "`a Tensor`"
    assert lab.show(w, name="me").card.title == "`me`"


def test_a_parameter_and_a_module(torch: Any):
    model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.BatchNorm1d(1))
    assert lab.show(model[0].weight).card.subtitle == "Parameter float32 (1, 2)"
    assert lab.show(model).text.split("\n") == [
        "`model` · Sequential · training mode",
        "parameters   4 tensors, 5 numbers",
        "consists of  0: Linear, 1: BatchNorm1d",
        (
            "`.grad` is None: no result that has a name has a graph that leads back to `model[0].weight`, so there is "
            "nothing to call `backward()` on. Compute something from `model[0].weight`, such as `loss`, and call "
            "`loss.backward()`. 3 more have none either."
        ),
        "name                     kind       shape   dtype    learns           grad",
        "`0.weight`               parameter  (1, 2)  float32  requires_grad ✓  None",
        "`0.bias`                 parameter  (1,)    float32  requires_grad ✓  None",
        "`1.weight`               parameter  (1,)    float32  requires_grad ✓  None",
        "`1.bias`                 parameter  (1,)    float32  requires_grad ✓  None",
        "`1.running_mean`         buffer     (1,)    float32  requires_grad ✗  None",
        "`1.running_var`          buffer     (1,)    float32  requires_grad ✗  None",
        "`1.num_batches_tracked`  buffer     ()      int64    requires_grad ✗  None",
    ]
    model[0].weight.requires_grad_(False)
    assert "with gradient  3" in lab.show(model.eval()).text
    many = torch.nn.Sequential(*[torch.nn.Linear(1, 1) for _ in range(30)])
    assert "20 more are not shown." in lab.show(many).text


def test_nodes(torch: Any):
    w, x = torch.ones(2, requires_grad=True), torch.full((2,), 3.0)
    y = w * x
    node = y.grad_fn
    assert lab.show(node).text.split("\n") == [
        "`node` · MulBackward0 · Node",
        "result  y",
        (
            "A Node: what an operation left behind for backward. It gets the gradient of its result and gives one to "
            "each of its inputs."
        ),
        "saved for backward",
        "attribute       value",
        "`_saved_other`  `x` = [3., 3.]",
        "`_saved_self`   `None`",
        "where its gradients go",
        "input  next Node       name",
        "0      AccumulateGrad  `w`",
        "1      None            needs no gradient",
    ]
    y.sum().backward()
    assert "What it saved for backward is freed: backward has run through it." in lab.show(node).text
    assert lab.show(node.next_functions[0][0]).text.split("\n")[:2] == [
        "`node.next_functions[0][0]` · AccumulateGrad · Node",
        "leaf  w",
    ]


def test_arrays(torch: Any):
    a = np.arange(6.0)[::-2]
    shown = lines(lab.show(a))
    assert shown[:3] == ["`a` · numpy.ndarray float64 (3,) · no autograd", "values", "5.  3.  1."]
    first = shown.index("shape             (3,)")
    assert shown[first : first + 6] == [
        "shape             (3,)",
        "dtype             float64",
        "strides in bytes  (-16,) not contiguous",
        "storage           shared, 48 B",
        "shared with       —",
        "writeable         ✓",
    ]
    t = torch.from_numpy(np.zeros(2))
    b = t.numpy()
    assert "shared with       t" in lines(lab.show(b))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda torch: 3, "Not a tensor, but an object of type `int`: it has no gradient and no graph."),
        (lambda torch: "<img src=x onerror=alert(1)>", "value  '<img src=x onerror=alert(1)>'"),
        (lambda torch: None, "type   NoneType"),
        (lambda torch: [], "value  []"),
        (lambda torch: torch, "type   module"),
        (lambda torch: torch.float32, "Not a tensor, but an object of type `torch.dtype`"),
        (lambda torch: torch.zeros(0, 3), "no elements: the shape is (0, 3)"),
        (lambda torch: torch.tensor(5), "5"),
        (
            lambda torch: torch.tensor([1.0, float("nan"), -float("inf")]),
            "Not finite: 1 × nan, 1 × -inf among the values.",
        ),
        (lambda torch: torch.zeros(10_000_000), "7 of 10000000 elements"),
        (lambda torch: torch.tensor([1 + 2j]), "1.+2.j"),
        (lambda torch: torch.zeros(2, 2, 2), "[1, 0]  0.  0."),
    ],
)
def test_anything_gives_a_card(torch: Any, make: Any, said: str):
    thing = make(torch)
    assert said in lab.show(thing).text
    assert lab.show(thing).svg().startswith("<svg")


def test_an_object_whose_repr_fails():
    class Bad:
        def __repr__(self) -> str:
            raise ValueError("no")

    assert "value  ValueError" in lab.show(Bad()).text


def test_no_address_is_shown():
    class Thing:
        def __repr__(self) -> str:
            return f"<Thing at {id(self):#x}>"

    assert "<Thing at 0x…>" in lab.show(Thing()).text
    assert not re.search(r"0x[0-9a-f]", lab.show(np.array([Thing(), None])).text)
    assert not re.search(r"0x[0-9a-f]", lab.show(Thing()).text)


@pytest.mark.filterwarnings("error")
def test_unusual_tensors_of_pytorch():
    """Each refuses something that tensors answer; each has a card all the same, in every call."""
    torch = need("torch")
    from torch._subclasses.fake_tensor import FakeTensorMode

    freed = torch.ones(3)
    freed.untyped_storage().resize_(0)  # reading it would end the process
    with FakeTensorMode():
        fake = torch.ones(2)
    with torch.inference_mode():
        inference = torch.ones(2)
    sparse = torch.eye(2).to_sparse().requires_grad_()
    lazy = torch.nn.LazyLinear(2)
    others = [torch.tensor([1 + 2j]).conj(), torch.ones(2, device="meta"), torch.ones(2, dtype=torch.bfloat16)]
    for thing in (freed, fake, inference, sparse, lazy, lazy.weight, *others):
        for call in (lab.show, lab.storage, lab.broadcast, lab.watch):
            assert call(thing).svg().startswith("<svg")
    assert "the numbers cannot be read" in lab.show(freed).text
    assert "made in inference mode" in lab.show(inference).text
    assert "cannot be shown" in lab.show(lazy.weight).text
    torch.vmap(lambda x: next(call(x) for call in (lab.show, lab.storage, lab.broadcast)) and x)(torch.ones(2, 2))


def test_grad_that_is_none_says_whose(torch: Any):
    w = torch.ones(1, requires_grad=True)
    y = w * 2
    assert "`y` was computed from `w`, and a gradient comes here when backward runs from `y`" in lab.show(w.grad).text
    assert y.shape == (1,)


def test_lists_of_tensors(torch: Any):
    params = [torch.ones(1), torch.zeros(1), "three"]
    shown = lab.show(params)
    assert [card.title for card in shown.card.cards] == ["`params[0]`", "`params[1]`"]
    assert "Shown: 2. Left out, as no tensors or as too many: 1." in shown.text


def test_hostile_names_are_text(torch: Any):
    shown = lab.show(torch.ones(1), name="<img src=x onerror=alert(1)>`**")
    assert "<img" not in shown.svg()
    assert "<img src=x" not in shown.html()
    assert "&lt;img src=x onerror=alert(1)&gt;" in shown.svg()


def test_nothing_is_kept_alive_or_changed(torch: Any):
    w = torch.ones(2, requires_grad=True)
    y = (w * w).sum()
    shown = lab.show(y)
    reference = weakref.ref(y)
    del y
    gc.collect()
    assert reference() is None
    assert (w._version, w.grad, w._backward_hooks) == (0, None, None)
    assert shown.card.title == "`y`"


def test_chinese(torch: Any):
    lab.set_language("zh")
    权重 = torch.ones(2, requires_grad=True)
    shown = lab.show(权重)
    assert "形状    (2,)" in shown.text
    assert "`.grad` 是 None：" in shown.text
    assert (shown.card.lang, shown.card.title) == ("zh", "`权重`")


@pytest.mark.parametrize("file", ["show", "reasons", "origins", "values"])
def test_both_languages_have_the_same_fields(file: str):
    for key, entry in words.catalogue(file).items():
        assert set(entry) == {"en", "zh"}, key
        assert set(re.findall(r"{(\w+)}", entry["en"])) == set(re.findall(r"{(\w+)}", entry["zh"])), key


def test_in_a_notebook(shell: Any):
    shell.user_ns["lab"] = lab
    shell.run("w = torch.ones(2, requires_grad=True)\ny = w * 2")
    assert "at       cell [1], line 2" in shell.run("lab.show(y)").text
    assert shell.run("lab.show(y + 1)").card.title == "`y + 1`"
    assert [s.card.title for s in shell.run("[lab.show(t) for t in (w, y)]")] == ["`t`", "`t`"]


def test_one_parameter_is_one(torch: Any):
    assert "1 tensor, 12 numbers" in lab.show(torch.nn.Embedding(4, 3)).text
    assert "2 tensors, 3 numbers" in lab.show(torch.nn.Linear(2, 1)).text


def test_what_a_function_saved_is_listed(torch: Any):
    class Cube(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * 3 * x**2

    x = torch.tensor([2.0], requires_grad=True)
    y = Cube.apply(x)
    assert "`saved_tensors[0]`  `x` = [2.]" in lab.show(y.grad_fn).text
    y.backward()
    assert "What it saved for backward is freed" in lab.show(y.grad_fn).text


def test_one_more_is_one(torch: Any):
    net = torch.nn.Linear(2, 1)
    assert "1 more has none either." in lab.show(net).text
    assert "more ha" not in lab.show(torch.nn.Linear(2, 1, bias=False)).text
    two = torch.nn.Sequential(net, torch.nn.Linear(1, 1, bias=False))
    assert "2 more have none either." in lab.show(two).text
