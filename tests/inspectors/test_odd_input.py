"""Odd and hostile input to every call: a card that can be read and drawn, or a TypeError of our own."""

from __future__ import annotations

import re
import weakref
from typing import Any
from xml.dom.minidom import parseString

import pytest

import autogradlab.inspectors as lab

CALLS = (
    "show",
    "watch",
    "graph",
    "step",
    "accumulation",
    "hooks",
    "storage",
    "broadcast",
    "why",
    "training",
    "receipt",
)
EVIL = "<img src=x onerror=alert(1)>"


class _Refuses:
    """Raises whatever it is asked."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"no {name}")

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    __hash__ = None  # type: ignore[assignment]


class _Gone:
    pass


def _dead() -> Any:
    alive = _Gone()
    return weakref.proxy(alive)


def _looked_at(view: Any) -> str:
    """All that it shows, after every way to show it has been tried."""
    parseString(view.svg())
    shown = "\n".join((view.text, view.svg(), view.html(), repr(view)))
    plain = re.sub(r'base64,[^"]*', "", shown)
    assert "<img src=x" not in view.svg() + view.html()
    assert not re.search(r"0x[0-9a-f]{6,}|site-packages", plain)
    return shown


@pytest.mark.parametrize("call", CALLS)
def test_things_that_are_no_tensors(torch: Any, call: str) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for thing in (
        None,
        3,
        "",
        EVIL,
        [],
        {},
        object(),
        torch,
        torch.Tensor,
        len,
        _Refuses(),
        _dead(),
        (i for i in ()),
        10**400,
        RuntimeError(EVIL),
    ):
        with_it = getattr(lab, call)(thing)
        assert _looked_at(with_it)
        with_it.close()
    assert x.grad is None


@pytest.mark.parametrize("call", CALLS)
def test_tensors_of_all_kinds(torch: Any, call: str) -> None:
    bad = type(
        EVIL,
        (torch.autograd.Function,),
        {"forward": staticmethod(lambda ctx, x: x * 2), "backward": staticmethod(lambda ctx, g: 1 / 0)},
    )
    leaf = torch.tensor([1.0, 2.0], requires_grad=True)
    used = (leaf * leaf).sum()
    used.backward()
    权重 = {EVIL: torch.tensor([float("nan"), float("inf"), -float("inf")], requires_grad=True)}
    odd = [
        used,
        bad.apply(leaf).sum(),
        权重[EVIL],
        (权重[EVIL] * 2).sum(),
        torch.zeros(0, 3, requires_grad=True),
        torch.zeros(0, 3, requires_grad=True).sum(),
        torch.tensor(2.0, requires_grad=True),
        torch.tensor([1, 2]),
        torch.tensor([True]),
        torch.tensor([1 + 2j], requires_grad=True),
    ]
    for number, _ in enumerate(odd):
        view = getattr(lab, call)(odd[number])
        assert _looked_at(view)
        view.close()


@pytest.mark.parametrize("call", CALLS)
def test_what_stands_beside_the_tensor_does_no_harm(torch: Any, call: str) -> None:
    """A variable that raises when it is asked anything: lazy modules, and weak proxies of what is gone."""
    refuses, gone = _Refuses(), _dead()
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (w * w).sum()
    for view in (getattr(lab, call)(y), lab.hooks(), lab.watch()):
        assert _looked_at(view)
        view.close()
    assert type(refuses) is _Refuses and type(gone) is weakref.ProxyType


def test_the_repr_of_what_was_not_written_has_no_address_and_no_path(torch: Any) -> None:
    for thing in (object(), torch, _Refuses(), _dead()):
        assert _looked_at(eval("lab.broadcast(thing)", {"lab": lab, "thing": thing}))  # no source: by its repr
    assert "__init__.py" not in lab.show(torch).text


def test_a_wrong_argument_is_said_in_our_words(torch: Any) -> None:
    lab.set_language("en")
    a, b = torch.ones(2), torch.ones(3)
    with pytest.raises(TypeError, match=r"name is a str, not .*Tensor.*watch\(a, b\)"):
        lab.show(a, b)
    y = (torch.ones(2, requires_grad=True) * 2).sum()
    with pytest.raises(TypeError, match=r"retain_graph is True or False, not .*Tensor"):
        lab.step(y, None, None, a)


def test_gradient_and_inputs_that_are_no_tensors(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    for thing in (3, "g", _Refuses(), _dead(), [x, None], torch.ones(3)):
        for arguments in ({"gradient": thing}, {"gradient": torch.ones(2), "inputs": thing}):
            assert _looked_at(lab.step(y, **arguments))
    assert x.grad is None and not x._backward_hooks


def test_a_rule_is_written_as_one_writes_the_call(torch: Any) -> None:
    """A shape as an argument, a slice as in the program: no `expand(3,)`, no end of 2**63 - 1."""
    x = torch.ones(5, requires_grad=True)
    said = [lab.step(x[part].sum()).text for part in (slice(None, None, 2), slice(1, -1), slice(-3, None))]
    assert "g.expand(3) = [1., 1., 1.]" in said[0]
    assert [re.search(r"g at \[.*?\]", text)[0] for text in said] == ["g at [::2]", "g at [1:-1]", "g at [-3:]"]  # type: ignore[index]


def test_tensors_of_inference_mode_count_no_versions(torch: Any) -> None:
    with torch.inference_mode():
        plain = torch.ones(2)
    for call in CALLS:
        view = getattr(lab, call)(plain)
        assert _looked_at(view)
        view.close()
    w = torch.ones(2, requires_grad=True)
    saved = w.exp()
    with torch.no_grad():
        saved.zero_()
    with pytest.raises(RuntimeError) as caught:
        saved.sum().backward()
    assert "version" in _looked_at(lab.explain(caught.value))  # `plain` has the same shape, and no version


def test_explain_takes_an_error(torch: Any) -> None:
    assert "takes an error" in lab.explain(torch.ones(2)).text
    assert "takes an error" in lab.explain("last").text  # type: ignore[arg-type]


def test_the_hooks_of_inspectors_are_not_shown_as_the_users(torch: Any) -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (w * w).sum()
    handle = w.register_hook(lambda g: g)
    before = lab.show(w).text, lab.graph(y).text, lab.graph(y).html()
    with lab.hooks(w):
        ledger = lab.accumulation(w)
        assert (lab.show(w).text, lab.graph(y).text, lab.graph(y).html()) == before
        ledger.close()
    assert "hooks 1" in before[0]
    handle.remove()
    assert "hooks 1" not in lab.show(w).text
