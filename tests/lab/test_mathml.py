"""Formulas of lessons where no MathJax is: every one of them can be set, and code stays code."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from autogradlab.lab.author import book
from autogradlab.lab.mathml import FORMULA, mathml, typeset

LESSONS = book.lesson_files()


def formulas() -> list[str]:
    return [
        found[2]
        for path in LESSONS
        for cell in book.read(path).cells
        if cell.cell_type == "markdown"
        for found in FORMULA.finditer(cell.source)
        if found[2]
    ]


def test_lessons_set_formulas_where_they_are_the_shortest_word():
    found = formulas()
    assert len(found) > 30
    for tex in found:
        ElementTree.fromstring(mathml(tex))


def test_what_is_set():
    assert "<mfrac><mrow><mi>∂</mi><mi>y</mi></mrow><mrow><mi>∂</mi><mi>w</mi></mrow></mfrac>" in mathml(
        r"\frac{\partial y}{\partial w}"
    )
    assert "<msubsup><mi>v</mi><mn>0</mn><mn>2</mn></msubsup>" in mathml("v_0^2")
    assert "<munder><mo>∑</mo><mi>i</mi></munder>" in mathml(r"\sum_i z_i")
    assert '<mi>f</mi><mo stretchy="false">(</mo><mi>v</mi><mo stretchy="false">)</mo>' in mathml("f(v)")
    assert 'style="font-family: Cambria Math, ' in mathml("v_0")
    assert "<mo>−</mo>" in mathml("w - 4") and "<mtext>a b</mtext>" in mathml(r"\text{a b}")


@pytest.mark.parametrize("tex", [r"\oint x", "x^{2", "x^"])
def test_what_is_not_known_is_said(tex: str):
    with pytest.raises(ValueError, match=re.escape(tex)):
        mathml(tex)


def test_code_stays_code():
    text = "`$x$` and $x$\n\n```sh\necho $A $B\n```\n"
    assert typeset(text) == text.replace("and $x$", f"and {mathml('x')}")
