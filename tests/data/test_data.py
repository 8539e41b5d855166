"""Batches in PyTorch's order for the same seed."""

from __future__ import annotations

from typing import Any

import pytest

import autogradlab


def orders(torch: Any) -> list[Any]:
    data = torch.utils.data
    torch.manual_seed(0)
    ds = data.TensorDataset(torch.arange(10), torch.arange(10) * 2)
    loader = data.DataLoader(ds, 3, shuffle=True)
    found: list[Any] = [[b[0].tolist() for b in loader] for _ in range(2)]
    found.append(torch.rand(1).item())
    found.append(
        [list(s.indices) for s in data.random_split(ds, [7, 3])]
        + [list(s.indices) for s in data.random_split(ds, [0.5, 0.5])]
    )
    own = data.DataLoader(ds, 3, shuffle=True, generator=torch.Generator().manual_seed(3), drop_last=True)
    found += [[b[1].tolist() for b in own], len(own)]
    found.append([b[0].tolist() for b in data.DataLoader(ds, 4)])
    found += [
        list(data.WeightedRandomSampler([0.1, 0.9], 5)),
        list(data.RandomSampler(range(5), replacement=True, num_samples=40)),
    ]
    found += [list(data.SubsetRandomSampler([4, 5, 6])), torch.rand(1).item()]
    return found


@pytest.mark.parity
def test_orders_as_pytorch(torch: Any):
    assert orders(autogradlab) == orders(torch)


def test_order_of_a_seed():
    assert orders(autogradlab)[0] == [[6, 7, 1], [4, 2, 0], [9, 8, 3], [5]]
