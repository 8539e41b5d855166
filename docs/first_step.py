"""Draws first-step.svg, the picture of the README: the backward pass of its example, stopped where one Node runs.

python docs/first_step.py
"""

from pathlib import Path

import autogradlab as torch
from autogradlab import inspectors as lab

lab.set_language("en")
w = torch.tensor([1.0], requires_grad=True)
x = torch.tensor([2.0], requires_grad=True)
a = torch.mul(w, x)
b = torch.add(w, 1)
y = torch.mul(a, b)
Path(__file__).with_name("first-step.svg").write_text(lab.step(y).svg(frame=4, dark=None) + "\n", encoding="utf-8")
