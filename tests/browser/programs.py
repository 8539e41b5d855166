"""Programs whose backward is stepped through in the tests: run as cells of a notebook, their cards go out as JSON.

python -m tests.browser.programs                    the steps of each
python -m tests.browser.programs cards              every inspector on each
python -m tests.browser.programs cards torch        the same on PyTorch
python -m tests.browser.programs cards torch step   these of them
python -m tests.browser.programs odd                every inspector on long names, large tensors, none, huge numbers
python -m tests.browser.programs large              steps, graphs and models of an engineer's programs
python -m tests.browser.programs hooked             what hooks of all kinds do
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Any

PROGRAMS = {
    "first": """w = torch.tensor([1.], requires_grad=True)
x = torch.tensor([2.], requires_grad=True)
a = torch.mul(w, x)
b = torch.add(w, 1)
y = torch.mul(a, b)""",
    "mlp": """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 4)
        self.fc2 = nn.Linear(4, 2)

    def forward(self, x):
        h = torch.relu(self.fc1(x))
        return self.fc2(h)

net = Net()
x, target = torch.randn(5, 3), torch.randn(5, 2)
pred = net(x)
y = ((pred - target) ** 2).mean()""",
    "rnn": """W = torch.randn(3, 3, requires_grad=True)
U = torch.randn(2, 3, requires_grad=True)
xs = torch.randn(5, 4, 2)
h = torch.zeros(4, 3)
for t in range(5):
    h = torch.tanh(xs[t] @ U + h @ W)
y = (h ** 2).sum()""",
    "branches": """W = torch.randn(3, 3, requires_grad=True)
U = torch.randn(2, 3, requires_grad=True)
xs = torch.randn(4, 4, 2)
past = future = torch.zeros(4, 3)
for t in range(4):
    past = torch.tanh(xs[t] @ U + past @ W)
    future = torch.sigmoid(xs[3 - t] @ U - future @ W)
y = (past * future).sum()""",
    "attention": """x = torch.randn(4, 6)
Wq, Wk, Wv = (torch.randn(6, 6, requires_grad=True) for _ in range(3))
def attend(q, k, v):
    scores = q @ k.T / 6 ** 0.5
    return torch.softmax(scores, dim=-1) @ v
out = attend(x @ Wq, x @ Wk, x @ Wv)
y = out.pow(2).mean()""",
    "chain": """w = torch.tensor(1.01, requires_grad=True)
y = w * 1
for i in range(299):
    y = y * w""",
    "named": """w = torch.tensor([1., 2.], requires_grad=True)
x = torch.tensor([3., 4.])
b = torch.tensor([.5, .5], requires_grad=True)
u = w * x
z = u + b
h = torch.tanh(z)
e = h - 1
s = e ** 2
y = s.sum()""",
    "forked": """w = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([.5, .5], requires_grad=True)
u = w * 3
v = u + b
p = torch.exp(u)
q = v * v
r = p * q
s = r - 1
y = s.sum()""",
    "double": """x = torch.tensor([2.], requires_grad=True)
f = x ** 3
g, = torch.autograd.grad(f, x, create_graph=True)
y = g ** 2""",
    "custom": """class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3 * x ** 2

x = torch.tensor([2., -1.], requires_grad=True)
y = Cube.apply(x).sum()""",
    "nan": """x = torch.tensor([0., 4.], requires_grad=True)
r = torch.sqrt(x)
y = (r * 0. / x).sum()""",
    "names": """the_weight_matrix_of_the_second_layer_of_the_decoder = torch.randn(3, 4, requires_grad=True)
params = {"<img src=x onerror=alert(1)>&'": torch.randn(4, requires_grad=True), "权重 é": torch.randn(4)}
the_hidden_state_after_the_nonlinearity = torch.tanh(
    the_weight_matrix_of_the_second_layer_of_the_decoder * params["<img src=x onerror=alert(1)>&'"] + params["权重 é"])
y = (the_hidden_state_after_the_nonlinearity ** 2).sum()""",
    "large": """W = torch.randn(400, 300, requires_grad=True)
r = torch.relu(W) @ torch.randn(300, 200)
y = r.pow(2).mean()""",
    "empty": """e = torch.zeros(0, 3, requires_grad=True)
r = e * 2
y = r.sum()""",
    "extreme": """x = torch.tensor([1e30, -3e-30, float('inf'), 0.1], requires_grad=True)
r = x * torch.tensor([1e5, 1e-5, 1., 1e-20])
y = (r * r).sum()""",
}

PROGRAMS["transformer"] = """class Block(nn.Module):
    def __init__(self, width=8, heads=2):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.heads = heads

    def attend(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=2)
        q, k, v = (t.view(B, T, self.heads, C // self.heads).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.transpose(-2, -1) / (C // self.heads) ** 0.5
        later = torch.ones(T, T).tril() == 0
        weights = torch.softmax(scores.masked_fill(later, float("-inf")), dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(B, T, C))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.mlp(self.norm2(x))

embed, block, head = nn.Embedding(11, 8), Block(), nn.Linear(8, 11)
tokens = torch.randint(0, 11, (2, 6))
logits = head(block(embed(tokens[:, :-1])))
y = nn.functional.cross_entropy(logits.reshape(-1, 11), tokens[:, 1:].reshape(-1))"""
PROGRAMS["deep"] = """class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc, self.norm = nn.Linear(width, width), nn.LayerNorm(width)

    def forward(self, x):
        return x + torch.relu(self.fc(self.norm(x)))

class Deep(nn.Module):
    def __init__(self, layers=40, width=16):
        super().__init__()
        self.embed, self.head = nn.Linear(8, width), nn.Linear(width, 1)
        self.blocks = nn.ModuleList(Block(width) for _ in range(layers))

    def forward(self, x):
        x = self.embed(x)
        for i, block in enumerate(self.blocks):
            x = block(x)
            if i == 17:
                x = x.detach()
        return self.head(x)

block = Deep()
x, target = torch.randn(32, 8), torch.randn(32, 1)
y = ((block(x) - target) ** 2).mean()"""
PROGRAMS["shared"] = """block, readout = nn.RNNCell(3, 4), nn.Linear(4, 3)
xs, targets = torch.randn(6, 2, 3), torch.randn(6, 2, 3)
h, losses = torch.zeros(2, 4), []
for t in range(6):
    h = block(xs[t], h)
    losses.append(((readout(h) - targets[t]) ** 2).mean())
y = torch.stack(losses).sum()"""

PROGRAMS["gan"] = """G = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
block = nn.Sequential(nn.Linear(2, 3), nn.LeakyReLU(.2), nn.Linear(3, 1))
real, z = torch.randn(4, 2), torch.randn(4, 2)
fake, bce = G(z), nn.BCEWithLogitsLoss()
judged = bce(block(real), torch.ones(4, 1)) + bce(block(fake.detach()), torch.zeros(4, 1))
y = bce(block(fake), torch.ones(4, 1)) + judged"""


PROGRAMS["hooked"] = """w = torch.tensor([1., 2., 3.], requires_grad=True)
h = torch.tanh(w * 2)
y = h.sum() ** 2
def clamp(grad): return grad.clamp(-1, 1)
def note(grad): pass
def scale(p): p.grad.mul_(0.1)
handles = [h.register_hook(note), h.register_hook(clamp), w.register_hook(double)]
handles.append(w.register_post_accumulate_grad_hook(scale))"""


START = """import autogradlab as torch
from autogradlab import nn, inspectors as lab
lab.set_language({lang!r})
torch.manual_seed(0)
def double(grad): return grad * 2"""
#: of each program a leaf, and a tensor that can be cut
PARTS = {
    "first": ("w", "a"),
    "mlp": ("net.fc1.weight", "pred"),
    "rnn": ("W", "h"),
    "branches": ("W", "past"),
    "attention": ("Wq", "out"),
    "double": ("x", "g"),
    "custom": ("x", None),
    "nan": ("x", "r"),
}
#: the same of tensors that are unlike those of a lesson
ODD = {
    "names": ("the_weight_matrix_of_the_second_layer_of_the_decoder", "the_hidden_state_after_the_nonlinearity"),
    "large": ("W", "r"),
    "empty": ("e", "r"),
    "extreme": ("x", "r"),
}
#: the same of an engineer's programs; the model is called block
LARGE = {
    "transformer": ("block.qkv.weight", None),
    "deep": ("block.blocks[25].fc.weight", None),
    "shared": ("block.weight_hh", "h"),
    "gan": ("block[0].weight", "fake"),
}
HOOKS = """handle = {hooked}.register_hook(double)
fired = lab.hooks({hooked}, {leaf})
y.backward(retain_graph=True)
handle.remove()
fired"""
LEDGER = """ledger = lab.accumulation({leaf})
for _ in range(2): y.backward(retain_graph=True)
ledger"""
LONG_LEDGER = """long = lab.accumulation({leaf})
for k in range(7):
    if k == 3: {leaf}.grad = None
    if k == 5: {leaf}.grad.zero_()
    y.backward(retain_graph=True)
long"""
LONG_RECEIPT = """{leaf}.grad = None
for k in range(6): y.backward(retain_graph=True)
lab.receipt({leaf}, y)"""
TRAINING = """rec = lab.training({leaf})
for k in range(20):
    if k != 11:
        {leaf}.grad = None
    rec.step(y).backward(retain_graph=True)
rec"""
#: the cells behind a program, and the keys that are pressed in their cards; {leaf} and {cut} are the program's
CARDS = {
    "step": ("lab.step(y)", "ArrowRight ArrowRight ArrowRight"),
    "end": ("lab.step(y)", "End"),
    "drawn": ("lab.step(y)", "g ArrowRight ArrowRight ArrowRight"),
    "asked": ("lab.step(y, predict=True)", "ArrowRight ArrowRight"),
    "graph": ("lab.graph(y)", ""),
    "receipt": ("lab.receipt({leaf}, y)", ""),
    "what_if": ("lab.what_if(y, {how})", ""),
    "hooks": (HOOKS, ""),
    "accumulation": (LEDGER, ""),
    "long_accumulation": (LONG_LEDGER, ""),
    "long_receipt": (LONG_RECEIPT, ""),
    "training": (TRAINING, ""),
    "show": ("lab.show({leaf})", ""),
    "watch": ("lab.watch({leaf}, {hooked}, y)", ""),
    "why": ("lab.why({hooked})", ""),
    "storage": ("lab.storage({leaf}, {leaf}.detach()[..., :1], {leaf}.detach().numpy())", ""),
    "broadcast": ("lab.broadcast({leaf}, torch.ones(3, 1))", ""),
    "changed": ("with torch.no_grad():\n    {leaf}.mul_(0.5)\nlab.show({leaf}.grad)", ""),
}
#: the same of an engineer's programs
LARGE_CARDS = {name: CARDS[name] for name in ("end", "drawn", "graph", "what_if")} | {
    "training": ("rec = lab.training(block)\nrec.step(y).backward(retain_graph=True)\nrec", ""),
    "show": ("lab.show(block)", ""),
}
#: a program with hooks of all kinds, that ran many times
HOOKED = {"hooked": ("w", "h")}
HOOKED_CARDS = {name: CARDS[name] for name in ("step", "end", "drawn", "long_accumulation", "receipt", "show")} | {
    "hooks": ("fired = lab.hooks(h, w)\nfor _ in range(6): y.backward(retain_graph=True)\nfired", "")
}
#: programs and what is looked at of them
SETS: dict[str, tuple[Mapping[str, Any], dict[str, tuple[str, str]]]] = {
    "cards": (PARTS, CARDS),
    "odd": (ODD, CARDS),
    "large": (LARGE, LARGE_CARDS),
    "hooked": (HOOKED, HOOKED_CARDS),
}
PYTORCH = (
    "import autogradlab as torch\nfrom autogradlab import nn, ",
    "import torch\nfrom torch import nn\nfrom autogradlab import ",
)


def calls(program: str, lang: str) -> dict[str, str]:
    """The cells of a program's notebook, by what they show."""
    programs, cards = next(of for of in SETS.values() if program in of[0])
    leaf, cut = programs[program]
    how = f"cut={cut}" if cut else f"frozen={leaf}"
    fields = {"leaf": leaf, "how": how, "hooked": cut or "y"}
    made = {"start": START.format(lang=lang), "program": PROGRAMS[program]}
    return {**made, **{name: source.format(**fields) for name, (source, _) in cards.items()}}


def shell_of_its_own() -> Any:
    """An IPython that writes nothing down."""
    import os

    os.environ["IPYTHONDIR"] = tempfile.mkdtemp()
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    from autogradlab.inspectors.snapshot import lines

    config = Config()
    config.HistoryManager.enabled = False
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=config)
    lines.watch()  # the first shell does when it imports the inspectors
    return shell


def every_card(which: str, library: str = "autogradlab", *kinds: str, lang: str = "en") -> dict[str, Any]:
    """Every inspector on each program of a set, or these: the card and the keys that are pressed in it.

    Nothing is shown beside it, an inspector is closed when its card is there, and a program's tensors go with it: other
    renderings, cards made anew after each later cell, and tensors of earlier programs would take half of the time.
    """
    made = {}
    programs, cards = SETS[which]
    for program in programs:
        shell = shell_of_its_own()
        shell.display_formatter.format = lambda *shown: ({}, {})
        for name, source in calls(program, lang).items():
            if kinds and name in cards and name not in kinds:
                continue
            with redirect_stdout(io.StringIO()):
                ran = shell.run_cell(source.replace(*PYTORCH) if library == "torch" else source, store_history=True)
            ran.raise_error()
            if name in cards:
                from autogradlab.inspectors.stored import packed

                made[f"{program}-{name}"] = {"card": packed(ran.result.card), "keys": cards[name][1]}
                ran.result.close()
        del ran
        shell.reset()
    return made


def main() -> None:
    """Each program in a notebook of its own cells; one line of JSON at the end."""
    if sys.argv[1:]:
        print(json.dumps(every_card(*sys.argv[1:])))
        return
    shell = shell_of_its_own()
    start = START.format(lang="en").rpartition("\n")[0]
    made: dict[str, Any] = {}
    for name, program in PROGRAMS.items():
        if name in ODD or name in LARGE or name in HOOKED:
            continue
        for cell in (start, program, "view = lab.step(y)"):
            shell.run_cell(cell, store_history=True).raise_error()
        from autogradlab.inspectors.stored import packed

        card = shell.user_ns["view"].card
        made[name] = {"card": packed(card), "frames": [f.sentence for f in card.frames]}
        made[name]["said"] = [f.said for f in card.frames]
    print(json.dumps(made))


if __name__ == "__main__":
    main()
