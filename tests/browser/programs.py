"""Programs whose backward is stepped through in the tests: run as cells of a notebook, their cards go out as JSON.

python -m tests.browser.programs
"""

from __future__ import annotations

import json
import tempfile

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
}


def main() -> None:
    """Each program in a notebook of its own cells; one line of JSON at the end."""
    import os

    os.environ["IPYTHONDIR"] = tempfile.mkdtemp()
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    shell = InteractiveShell.instance(config=config)
    start = "import autogradlab as torch\nfrom autogradlab import nn, inspectors as lab\nlab.set_language('en')"
    made = {}
    for name, program in PROGRAMS.items():
        for cell in (f"{start}\ntorch.manual_seed(0)", program, "view = lab.step(y)"):
            shell.run_cell(cell, store_history=True).raise_error()
        from autogradlab.inspectors.stored import packed

        card = shell.user_ns["view"].card
        made[name] = {"card": packed(card), "frames": [f.sentence for f in card.frames]}
        made[name]["said"] = [f.said for f in card.frames]
    print(json.dumps(made))


if __name__ == "__main__":
    main()
