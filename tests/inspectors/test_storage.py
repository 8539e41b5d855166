"""`storage`: memory as a strip, tensors and arrays as windows on it."""

from __future__ import annotations

import gc
import re
import time
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autogradlab
from autogradlab import inspectors as lab
from autogradlab.inspectors import words
from autogradlab.inspectors.parts import Drawing, Rect, Table, Text
from autogradlab.inspectors.snapshot.memory import extent, strips


def drawings(shown: Any) -> list[Drawing]:
    return [block for block in shown.card.blocks if isinstance(block, Drawing)]


SAME = "look at the same memory: what one of them writes to a cell is seen by all that have this cell."


def test_views_of_one_memory(torch: Any):
    x = torch.arange(6.0).reshape(2, 3)
    a = x.numpy()
    shown = lab.storage(x, x.t(), x[:, 1], a)
    assert shown.text.split("\n") == [
        "`x`, `x.t()`, `x[:, 1]`, `a` · one piece of memory",
        "memory 1: 24 B, 6 cells of 4 B",
        "cells: 0.  1.  2.  3.  4.  5.",
        "`x`: cells 0 1 2 3 4 5",
        "`x.t()`: cells 0 3 1 4 2 5",
        "`x[:, 1]`: cells 1 4",
        "`a`: cells 0 1 2 3 4 5",
        "Above: the cells of the memory, counted from 0. Below, in each window: the indices of its elements.",
        "name       kind    dtype    shape   stride     first cell  contiguous  version  memory",
        "`x`        Tensor  float32  (2, 3)  (3, 1)     0           ✓           0        1",
        "`x.t()`    Tensor  float32  (3, 2)  (1, 3)     0           ✗           0        1",
        "`x[:, 1]`  Tensor  float32  (2,)    (3,)       1           ✗           0        1",
        "`a`        NumPy   float32  (2, 3)  (12, 4) B  0           ✓           —        1",
        "`x`, `x.t()`, `x[:, 1]`, `a` " + SAME,
        "What NumPy writes there is not counted in `version`: autograd cannot notice it.",
    ]
    lanes = drawings(shown)[0].items
    assert [item.id for item in lanes] == ["m1", "m1w1", "m1w2", "m1w3", "m1w4"]
    assert [s.text for s in lanes[2].shapes if hasattr(s, "text")] == [
        "x.t()",
        "0,0",
        "1,0",
        "2,0",
        "0,1",
        "1,1",
        "2,1",
    ]


def test_what_is_one_cell_and_several_elements(torch: Any):
    r = torch.tensor([1.0, 2.5])
    wide, windows = r.expand(3, 2), torch.arange(4).as_strided((3, 2), (1, 1))
    shown = lab.storage(r, wide)
    assert "`wide`: cells 0 1 0 1 0 1" in shown.text
    assert [s.text for s in drawings(shown)[0].items[2].shapes if hasattr(s, "text")] == ["wide", "×3", "×3"]
    assert "`×3` is a cell that is 3 elements at once." in shown.text
    shown = lab.storage(windows)
    assert "`windows`: cells 0 1 1 2 2 3" in shown.text
    assert [s.text for s in drawings(shown)[0].items[1].shapes if hasattr(s, "text")] == [
        "windows",
        "0,0",
        "×2",
        "×2",
        "2,1",
    ]


def test_two_memories(torch: Any):
    x, y = torch.zeros(2), torch.zeros(2)
    shown = lab.storage(x, y)
    assert "2 pieces of memory" in shown.text
    assert "`x`, `y` share no memory with each other: writing to one leaves the others as they are." in shown.text
    assert len(drawings(shown)) == 2
    assert drawings(shown)[0].width == drawings(shown)[1].width


def test_arrays_that_run_backwards():
    n = np.arange(5.0)
    tail = n[1:]
    back, every = n[::-1], n[::2]
    shown = lab.storage(back, every, tail)
    assert "`back`: cells 4 3 2 1 0" in shown.text
    assert "`every`: cells 0 2 4" in shown.text
    assert "`tail`: cells 1 2 3 4" in shown.text
    assert "cells: 0.  1.  2.  3.  4." in shown.text
    assert "`back`   NumPy  float64  (5,)   (-8,) B  4           ✗           —        1" in shown.text


def test_a_tensor_on_a_part_of_an_array(torch: Any):
    n = np.arange(4.0)
    part = torch.from_numpy(n[2:])
    shown = lab.storage(part, n)
    assert "`part`: cells 2 3" in shown.text
    assert "one piece of memory" in shown.text


def test_other_dtypes_on_the_same_bytes(torch: Any):
    i = torch.tensor([1, 2], dtype=torch.int32)
    halves = i.view(torch.int16)
    shown = lab.storage(i, halves)
    assert "memory 1: 8 B, 4 cells of 2 B\ncells: 1  0  2  0\n`i`: cells 0 2\n`halves`: cells 0 1 2 3" in shown.text
    boxes = [s for s in drawings(shown)[0].items[1].shapes if isinstance(s, Rect)]
    assert boxes[0].width > 1.8 * next(s for s in drawings(shown)[0].items[2].shapes if isinstance(s, Rect)).width


def test_empty_and_scalar(torch: Any):
    e, s = torch.zeros(0, 3), torch.tensor(5)
    shown = lab.storage(e, s)
    assert "memory 1: 0 B, 0 cells of 4 B\n`e`: no cells" in shown.text
    assert "cells: 5\n`s`: cell 0" in shown.text
    assert shown.svg().startswith("<svg")


def test_a_huge_memory_is_shown_where_the_windows_are(torch: Any):
    big = torch.arange(10_000_000)
    part, square = big[5_000_000:5_000_010], big.view(1000, 10_000).t()
    few = torch.arange(100)
    times = []
    for windows in ((few, few[50:60], few.view(10, 10).t()), (big, part, square)):
        start = time.process_time()
        shown = lab.storage(*windows)
        times.append(time.process_time() - start)
    assert times[1] < 5 * times[0] + 0.05, "what is not shown costs nothing"
    assert "10,000,000 cells" in shown.text
    assert "…  5000000  …" in shown.text
    texts = [s.text for s in drawings(shown)[0].items[3].shapes if hasattr(s, "text")]
    assert texts[1:4] == ["0,0", "1,0", "2,0"]
    assert "9999,999" in texts


def test_versions_and_nothing_else_changes(torch: Any):
    x = torch.zeros(2, requires_grad=True)
    y = x.detach()
    y.add_(1)
    shown = lab.storage(x, y)
    rows = next(b for b in shown.card.blocks if isinstance(b, Table)).rows
    assert [row[7] for row in rows] == ["1", "1"]
    assert (x._version, x.is_leaf, x.grad) == (1, True, None)


@pytest.mark.parametrize(
    ("things", "said"),
    [
        ((), "Nothing was given"),
        ((3,), "`a int` is of type `int`: only tensors and NumPy arrays have memory to show."),
        (("<img src=x onerror=alert(1)>", None), "of type `NoneType`"),
    ],
)
def test_bad_input(things: tuple[Any, ...], said: str):
    shown = lab.storage(*things)
    assert said in shown.text
    assert "<img" not in shown.svg()


def test_no_memory_of_its_own():
    torch = pytest.importorskip("torch")
    meta, sparse = torch.zeros(2, device="meta"), torch.zeros(2).to_sparse()
    shown = lab.storage(meta, sparse)
    assert "`sparse` does not say where its memory is." in shown.text
    assert "`meta` does not say where its memory is." in shown.text


def test_nothing_is_kept_alive(torch: Any):
    x = torch.zeros(2)
    shown = lab.storage(x, x[1:])
    reference = weakref.ref(x)
    del x
    gc.collect()
    assert reference() is None
    assert "`x`: cells 0 1" in shown.text


@given(data=st.data())
def test_windows_know_their_elements(data: st.DataObject):
    """For any view of an array, the cell of each index holds that element, whether it is walked or calculated."""
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    array = np.arange(np.prod(shape)).reshape(shape)
    view = array.transpose(data.draw(st.permutations(range(len(shape)))))
    view = view[tuple(slice(None, None, data.draw(st.sampled_from([1, 2, -1, -2]))) for _ in shape)]
    (strip,) = strips([("view", view)])
    (window,) = strip.windows
    flat = array.ravel()
    for index, place in window.places(10_000):
        assert flat[place // 8] == view[index]
        assert window.at(place) == ([index], 1)
    assert sum(window.at(cell * 8)[1] for cell in range(flat.size)) == view.size


@given(data=st.data())
def test_large_windows_are_calculated_alike(data: st.DataObject):
    sizes = data.draw(st.permutations([17, 18, 19]))
    array = np.arange(np.prod(sizes)).reshape(sizes).transpose(data.draw(st.permutations(range(3))))
    view = array[:: data.draw(st.sampled_from([1, -1])), :: data.draw(st.sampled_from([1, -1]))]
    (strip,) = strips([("view", view)])
    (window,) = strip.windows
    assert window.size() > 4096
    for index in [(0, 0, 0), (3, 5, 7), tuple(n - 1 for n in view.shape)]:
        place = window.offset + sum(i * s for i, s in zip(index, window.strides, strict=True))
        assert window.at(place) == ([index], 1)
    assert window.at(-8) == ([], 0)


def test_extent_never_names_an_address_in_a_card(torch: Any):
    x = torch.zeros(3)
    first, _ = extent(x)
    assert str(first) not in lab.storage(x).html() + lab.storage(x).text


def test_chinese():
    lab.set_language("zh")
    x = autogradlab.zeros(2)
    assert "`x`：依次是第 0 1 格" in lab.storage(x).text
    y, z = x.view(2, 1), autogradlab.zeros(2)
    said = lab.storage(x, y, z).text
    assert "`x`、`y` 看的是同一块内存" in said and "`x`、`z` 的内存互不相同" in said


def test_both_languages_have_the_same_fields():
    for key, entry in words.catalogue("storage").items():
        assert set(entry) == {"en", "zh"}, key
        assert set(re.findall(r"{(\w+)}", entry["en"])) == set(re.findall(r"{(\w+)}", entry["zh"])), key


def test_two_names_of_one_object(torch: Any):
    x = torch.arange(3.0)
    same, view, array = x, x.view(3), x.numpy()
    twice = array
    shown = lab.storage(x, same, view, array, twice).text
    assert "`x`, `same` are names of one object: not a copy, not a view, the same tensor." in shown
    assert "`array`, `twice` are names of one object: not a copy, not a view, the same array." in shown
    assert "one object" not in lab.storage(x, view).text


def test_what_is_read_conjugated_says_so(torch: Any):
    """conj() copies nothing."""
    z = torch.tensor([1 + 2j, 3.0])
    turned = z.conj()
    text = lab.storage(z, turned, turned.imag).text
    assert "`turned` reads its cells conjugated" in text
    assert "`turned.imag` reads its cells with the other sign" in text
    assert "`z` reads" not in text
    alone = lab.storage(turned).text
    assert "cells: 1.+2.j  3.+0.j" in alone
    assert "cells: 1.  2.  3.  0." in lab.storage(turned.imag).text


def test_long_numbers_keep_their_exponents(torch: Any) -> None:
    x = torch.tensor([1e30, -3e-30])
    card = lab.storage(x).card
    texts = [shape.text for item in card.blocks[0].items for shape in item.shapes if isinstance(shape, Text)]
    assert {"1e+30", "-3e-30"} <= set(texts)


def test_tensors_without_elements_have_no_memory_to_share(torch: Any) -> None:
    e = torch.zeros(0, 3)
    assert "memory of their own" not in lab.storage(e, e.detach()).text


def test_where_there_are_no_cells_there_is_no_room_nor_word_for_them(torch: Any) -> None:
    none, one = (lab.storage(torch.zeros(size)) for size in (0, 1))
    assert drawings(none)[0].height < drawings(one)[0].height - 10
    assert ["counted from 0" in shown.text for shown in (none, one)] == [False, True]


def test_one_cell_is_one(torch: Any):
    assert "memory 1: 4 B, 1 cell\n" in lab.storage(torch.tensor(3.0)).text
    assert "memory 1: 8 B, 2 cells of 4 B\n" in lab.storage(torch.tensor([3.0, 4.0])).text
