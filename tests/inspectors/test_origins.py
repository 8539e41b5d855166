"""Where a variable got its value."""

# ruff: noqa: B007  variables are looked up by their names

from __future__ import annotations

from typing import Any

from autogradlab.inspectors import set_language
from autogradlab.inspectors.snapshot.names import namespace
from autogradlab.inspectors.snapshot.origins import origin, place


def made(name: Any) -> tuple[int, str] | None:
    """The line, counted from the caller's, and the expression."""
    space = namespace()
    found = origin(name, space)
    return (found.line - space.place.line, found.source) if found is not None else None


def cell(name: str) -> tuple[str, str] | None:
    found = origin(name, namespace())
    return (place(found), found.source) if found is not None else None


def test_the_last_assignment_before_this_line(torch: Any):
    x = torch.ones(1)
    y = x * 2
    assert made("y") == (-1, "x * 2")
    y = (x +
         1)  # fmt: skip
    assert made("y") == (-2, "x + 1")
    y += 1
    assert made("y") == (-1, "y += 1")
    assert made("torch") == (-9, "torch")
    y = 5
    assert y == 5
    assert made("nothing") is None


def test_without_what_changes_in_place(torch: Any):
    w = torch.ones(1)
    w -= 1
    assert origin("w", namespace(0)).source == "w -= 1"
    assert origin("w", namespace(0), changes=False).source == "torch.ones(1)"
    assert w.shape == (1,)


def test_all_ways_to_assign(torch: Any):
    a, (b, *c) = 1, (2, 3)
    assert (made("a"), made("b"), made("c")) == ((-1, "1"), (-1, "2"), (-1, "[3]"))
    p, q = divmod(7, 2)
    assert made("q") == (-1, "divmod(7, 2)")
    n: int = 3
    assert made("n") == (-1, "3")
    if (m := n + 1) > 3:
        k = m
    assert (made("m"), made("k")) == ((-2, "n + 1"), (-1, "m"))
    for i in range(2):
        assert made("i") == (-1, "for i in range(2)")
    params = [torch.ones(1), torch.ones(2)]
    assert made("params[1]") == (-1, "[torch.ones(1), torch.ones(2)]")
    params[1] = torch.zeros(1)
    assert made("params[1]") == (-1, "torch.zeros(1)")
    try:
        z = 1
    finally:
        assert made("z") == (-2, "1")
    assert made(["nothing", "z"]) == (-3, "1")
    assert made("a.grad") is None
    assert (a, b, c, p, q, k, z) == (1, 2, [3], 3, 1, 4, 1)


def given(name: str) -> tuple[str, bool]:
    found = origin(name, namespace())
    return found.source, found.exact


def test_a_loop_gives_one_of_several(torch: Any):
    cut = torch.ones(1)
    told: list[Any] = []
    for t in (torch.ones(1) * 1, cut):
        told.append(given("t"))
    for i, (t, u) in enumerate(zip([torch.zeros(1), cut], (cut, cut), strict=False)):
        told += [given("t"), given("u"), given("i")][: 3 - i]
    assert told[:2] == [("torch.ones(1) * 1", True), ("cut", True)]
    head = "for i, (t, u) in enumerate(zip([torch.zeros(1), cut], (cut, cut), strict=False))"
    assert told[2:] == [(head, False)] * 5
    for t, u in zip([torch.zeros(1), cut], (cut, cut)):  # noqa: B905
        told.append((given("t"), given("u")))
    assert told[7:] == [(("torch.zeros(1)", True), ("cut", True)), (("cut", True), ("cut", True))]
    for _, t in reversed(list(enumerate([torch.zeros(1), cut]))):
        told.append(given("t"))
    assert told[9:] == [("cut", True), ("torch.zeros(1)", True)]
    for k, t in {"x": torch.zeros(1), "y": cut}.items():
        told.append(given("t"))
    assert told[11:] == [("torch.zeros(1)", True), ("cut", True)]


def test_of_what_a_loop_gives_nothing_is_said_where_it_cannot_be_told(torch: Any):
    cut, several = torch.ones(1), [torch.ones(1), torch.ones(1)]
    told = []
    for t in (torch.ones(1) * 1, torch.zeros(1), cut):  # two that have no name
        told.append(given("t")[1])
    assert told == [False, False, True]
    for t in (torch.ones(1) * 1, cut):  # the variable was given another value since
        cut = t * 1
        told.append(given("t")[1])
    assert told[3:] == [False, False]
    for t in several:
        assert given("t") == ("for t in several", False)
    for t in (s * 1 for s in [torch.ones(1), cut]):
        assert given("t") == ("for t in (s * 1 for s in [torch.ones(1), cut])", False)
    for t in (*several, cut):
        assert given("t") == ("for t in (*several, cut)", False)
    with torch.no_grad() as t:
        assert given("t") == ("with torch.no_grad() as t", False)
    for t in cut.detach():  # a part of a tensor is computed from all that it was
        assert given("t") == ("cut.detach()", True)
    for t in torch.stack([cut, cut]):
        assert given("t") == ("torch.stack([cut, cut])", True)


def test_unpacking_gives_each_its_own(torch: Any):
    x, several = torch.ones(1), [torch.ones(1), torch.ones(1)]
    a, b = x * 1, x * 2
    assert (given("a"), given("b")) == (("x * 1", True), ("x * 2", True))
    a, *b = x * 1, x * 2, x * 3
    assert (given("a"), given("b")) == (("x * 1", True), ("[x * 2, x * 3]", True))
    *a, b = x * 1, x * 2, x * 3
    assert (given("a"), given("b")) == (("[x * 1, x * 2]", True), ("x * 3", True))
    *a, (b, c), d = x, (x * 4, x * 5), x * 6
    assert [given(n)[0] for n in "abcd"] == ["[x]", "x * 4", "x * 5", "x * 6"]
    a, b = several
    assert given("a") == ("a, b = several", False)
    a, *b = *several, x
    assert given("a") == ("a, *b = *several, x", False)
    a, b = (s * 1 for s in several)
    assert given("a") == ("a, b = (s * 1 for s in several)", False)
    a, b = reversed(several)
    assert given("a") == ("a, b = reversed(several)", False)
    a, b = x.expand(2)
    assert given("a") == ("x.expand(2)", True)
    a, b = torch.frexp(x)
    assert given("a") == ("torch.frexp(x)", True)
    (a := x * 1, b := x * 2)
    assert (given("a"), given("b")) == (("x * 1", True), ("x * 2", True))
    pair, listed = (x * 1, x * 2), [x * 1, x * 2]
    assert (given("pair[1]"), given("listed[1]")) == (("x * 2", True), ("[x * 1, x * 2]", False))
    assert len(pair) + len(listed) + len(a) + len(b) + len(c) + len(d) == 8


def test_a_later_cell_gave_the_variable_another_value(shell: Any):
    shell.user_ns["given"] = given
    shell.run("cut = torch.ones(1)\nfor t in (cut, torch.ones(1) * 1):\n    pass")
    assert shell.run("given('t')") == ("torch.ones(1) * 1", True)
    shell.run("for t in (torch.ones(1) * 1, cut):\n    pass")
    shell.run("cut = 2")
    assert shell.run("given('t')") == ("for t in (torch.ones(1) * 1, cut)", False)


def test_a_loop_that_came_round(torch: Any):
    seen = []
    for _ in range(2):
        if seen:
            seen.append(made("late"))
        late = len(seen) or seen.append(None)
    assert seen[1] == (1, "len(seen) or seen.append(None)")
    assert late


def test_blocks_around(torch: Any):
    with torch.no_grad():
        x = torch.ones(1)
        if True:
            y = x * 2
    z = 1
    space = namespace(0)
    assert origin("y", space).within == ("torch.no_grad()",)
    assert origin("z", space).within == ()
    assert (y.shape, z) == ((1,), 1)


MODULE_LEVEL = {"a": 1}


def test_names_of_the_module_and_of_inner_functions(torch: Any):
    outer = torch.ones(1)

    def inner(given: int, *more: int) -> Any:
        own = given + 1
        return made("own"), made("given"), made("more"), origin("MODULE_LEVEL", namespace(0)).source, own

    assert inner(1, 2)[:4] == ((-1, "given + 1"), (-2, "given"), (-2, "more"), '{"a": 1}')
    assert outer.shape == (1,)


def test_in_a_notebook(shell: Any):
    shell.user_ns["cell"] = cell
    shell.run("w = torch.ones(1)")
    shell.run("x = 1\ny = (w *\n     x)")
    assert shell.run("cell('w')") == ("cell [1], line 1", "torch.ones(1)")
    assert shell.run("cell('y')") == ("cell [2], line 2", "w * x")
    assert shell.run("y = 3\nfound = cell('y')\ny = 4\nfound") == ("cell [5], line 1", "3")
    assert shell.run("cell('y')") == ("cell [5], line 3", "4")
    shell.run("def f(a):\n    b = a + 1\n    return cell('b')")
    assert shell.run("f(1)") == ("cell [7], line 2", "a + 1")
    assert shell.run("cell('torch')") is None
    set_language("zh")
    assert shell.run("cell('w')") == ("单元格 [1] 第 1 行", "torch.ones(1)")


def test_magics(shell: Any):
    shell.user_ns["cell"] = cell
    shell.run("w = 1\nv = 0")
    shell.run("%time v = 2")
    shell.run("%%time\nu = 1\nw = (u +\n     3)")
    assert shell.run("cell('v')") == ("cell [2], line 1", "2")
    assert shell.run("cell('w')") == ("cell [3], line 3", "u + 3")
    shell.run("%who_ls int")
    assert shell.run("cell('u')") == ("cell [3], line 2", "1")


def test_no_source_no_origin():
    scope: dict[str, Any] = {"origin": origin, "namespace": namespace}
    exec("x = 1\nfound = origin('x', namespace(0))", scope)
    assert scope["found"] is None
    assert origin("x", {"x": 1}) is None
