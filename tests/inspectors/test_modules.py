"""Large models read as their Modules, whether the lines of their Nodes are known or not."""

from __future__ import annotations

from typing import Any

import pytest

from autogradlab import inspectors as lab
from autogradlab.inspectors.parts import Card, Drawing, Facts, Table
from autogradlab.inspectors.snapshot.graph import Holders, Walk, describe
from autogradlab.inspectors.snapshot.names import namespace
from autogradlab.inspectors.snapshot.owners import modules_of
from autogradlab.inspectors.words import say

MODEL = """class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.ln = nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.Linear(d, d))

    def forward(self, x):
        q, k, v = self.qkv(self.ln(x)).split(x.shape[-1], dim=-1)
        x = x + self.proj(torch.softmax(q @ k.transpose(-2, -1), -1) @ v)
        return x + self.mlp(x)

class Net(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.table = nn.Embedding(7, 4)
        self.blocks = nn.ModuleList([Block(4) for _ in range(count)])
        self.head = nn.Linear(4, 7)

    def forward(self, x):
        x = self.table(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)
"""


def net(torch: Any, count: int) -> Any:
    made: dict[str, Any] = {"torch": torch, "nn": torch.nn}
    exec(MODEL, made)
    return made["Net"](count)


def small(card: Card) -> Drawing:
    (drawing,) = (block for block in card.blocks if isinstance(block, Drawing) and block.groups)
    return drawing


def boxes(card: Card) -> dict[str, dict[str, str]]:
    """What is in each box of the folded drawing, as it is told where it is opened."""
    found = {}
    for item in small(card).items:
        if item.id.startswith("k") and item.details:
            facts, *every = item.details
            assert isinstance(facts, Facts)
            if every:  # a long list of leaves is cut short, and whole where it is unfolded
                (leaves,) = every
                assert isinstance(leaves, Table) and leaves.folded and len(leaves.rows) > 12
                assert str(len(leaves.rows) - 12) in dict(facts.rows)[say("graph.fold_has")]
            found[item.label.partition(",")[0]] = dict(facts.rows)
    return found


def test_where_no_line_is_known_the_parameters_tell(torch: Any):
    model = net(torch, 2)
    y = model(torch.tensor([1, 2, 3])).sum()
    facts = describe(Walk([y]), Holders(namespace(0)))
    ways = {node: ".".join(step for _, step in way) for node, way in modules_of(facts).items()}
    told = [(fact.op, ways.get(fact.id, "")) for fact in sorted(facts.nodes, key=lambda f: f.order) if fact.id in ways]
    block = [(op, way.partition("blocks[1]")[2]) for op, way in told if "blocks[1]" in way]
    assert [op for op, way in block if way == ".qkv"] == ["t", "addmm"]
    assert [way for op, way in block if op in ("softmax", "mm", "split")] == [""] * 4
    assert [way for op, way in block if op == "gelu"] == [".mlp"]
    assert [way for op, way in told if op == "add"] == [
        "model.blocks.blocks[0]",
        "model.blocks",  # behind the last parameters of its block: it may be the caller's
        "model.blocks.blocks[1]",
        "model",
    ]
    assert "sum" not in dict(told)


def test_two_branches_through_one_module(torch: Any):
    judge = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    y = (judge(torch.ones(1, 2)).exp() + judge(torch.zeros(1, 2)).exp()).sum()
    facts = describe(Walk([y]), Holders(namespace(0)))
    ways = modules_of(facts)
    within = {fact.op for fact in facts.nodes if fact.id in ways}
    assert within == {"t", "addmm", "relu"}


def test_twelve_blocks_without_lines(torch: Any):
    model = net(torch, 12)
    y = model(torch.tensor([1, 2, 3])).sum()
    found = boxes(lab.graph(y).card)
    assert {"table", "head", *(f"blocks[{k} … {k + 1}] × 2" for k in range(0, 12, 2))} <= set(found)
    assert list(found["blocks[4 … 5] × 2"])[:3] == ["blocks[4]", "blocks[5]", "other Nodes in it"]
    assert found["blocks[4 … 5] × 2"]["blocks[4]"].startswith("ln, qkv, proj, mlp, ")


def test_a_page_shows_the_modules_of_what_is_too_large_for_it(torch: Any):
    model = net(torch, 30)
    y = model(torch.tensor([1, 2, 3])).sum()
    view = lab.graph(y)
    assert "<img src=" in view.html() and "too large" not in view.html()
    assert sum(len(block.items) for block in view.card.blocks if isinstance(block, Drawing)) > 1500


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_twelve_blocks_in_a_notebook(torch: Any, shell: Any, lang: str):
    shell.run(f"from autogradlab import inspectors as lab\nlab.set_language({lang!r})\nnn = torch.nn")
    shell.run(MODEL)
    shell.run("model = Net(12)\ny = model(torch.tensor([1, 2, 3])).sum()")
    found = boxes(shell.run("lab.graph(y)").card)
    assert {f"blocks[{k} … {k + 1}] × 2" for k in range(0, 12, 2)} <= set(found)
    assert list(found["blocks[4 … 5] × 2"])[:2] == ["blocks[4]", "blocks[5]"]


def test_numbered_modules_of_different_names_are_not_joined(torch: Any, shell: Any):
    shell.run("from autogradlab import inspectors as lab\nfrom collections import OrderedDict\nnn = torch.nn")
    shell.run(
        "model = nn.Sequential(OrderedDict((f'{name}{k}', nn.Linear(3, 3)) for k in range(9) for name in ('fc', 'to')))"
    )
    found = boxes(shell.run("lab.graph(model(torch.ones(2, 3)).sum())").card)
    assert not any("fc" in name and "to" in name for name in found)


GAN = """G = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
D = nn.Sequential(nn.Linear(2, 3), nn.LeakyReLU(.2), nn.Linear(3, 1))
real, z = torch.randn(4, 2), torch.randn(4, 2)
fake = G(z)
bce = nn.BCEWithLogitsLoss()
loss_D = bce(D(real), torch.ones(4, 1)) + bce(D(fake.detach()), torch.zeros(4, 1))
loss_G = bce(D(fake), torch.ones(4, 1))"""


def test_two_networks_that_play_against_each_other(torch: Any, shell: Any):
    shell.run("from autogradlab import inspectors as lab\nnn = torch.nn")
    shell.run(GAN)
    judged, played = shell.run("lab.graph(loss_D)"), shell.run("lab.graph(loss_G)")
    assert "leaves: 4" in judged.text and "G[" not in judged.text
    assert "leaves: 8" in played.text and "fake = addmm(G[2].bias" in played.text
    assert {"D", "G"} <= {name[0] for name in boxes(played.card)}
    assert "`fake` is not on any path back from `loss_D`" in shell.run("lab.what_if(loss_D, cut=fake)").text
    cut = shell.run("lab.what_if(loss_G, cut=fake)").text
    assert "All paths to them lead through `fake`" in cut and "No path to them goes through `fake`" in cut
    frozen = shell.run("lab.what_if(loss_G, frozen=list(D.parameters()))").text
    assert "They are the ones that are frozen" in frozen
    shell.run("before = [p.clone() for p in D.parameters()]\nloss_G.backward()")
    assert shell.run("all(p.grad is not None for p in [*G.parameters(), *D.parameters()])")
