"""Formulas of lessons as MathML, for pages that no MathJax reads: printed lessons, slides and the web page.

`typeset` turns every `$...$` of a Markdown text into a `<math>` element, which browsers draw by themselves. It knows
the part of TeX that lessons use, and says what it does not know.
"""

from __future__ import annotations

import html
import re

__all__ = ["mathml", "typeset"]

FORMULA = re.compile(r"(```.*?```|`[^`\n]*`)|\$([^$\n]+)\$", re.DOTALL)
TOKEN = re.compile(r"\\[A-Za-z]+|\\[,;: ]|[A-Za-z]|\d+(?:\.\d+)?|\S")
SYMBOLS = {"partial": "∂", "cdot": "·", "sum": "∑", "prod": "∏", "ln": "ln", "times": "×", "le": "≤", "ge": "≥"}
SPACES = {",": "0.17em", ";": "0.28em", ":": "0.22em", " ": "0.25em", "quad": "1em"}
LARGE = {"∑", "∏"}
#: Fences are as high as letters, as in TeX; browsers would let them grow, without bounds where fonts say nothing of it.
FENCES = "()[]|"
#: Fonts that know how far a subscript goes down: where none of them is found, browsers leave it on the line.
FONTS = "Cambria Math, STIX Two Math, Latin Modern Math, Libertinus Math, Noto Sans Math, DejaVu Math TeX Gyre, math"


def typeset(markdown: str) -> str:
    """A Markdown text with its formulas as MathML; code stays code."""
    return FORMULA.sub(lambda found: found[1] or mathml(found[2]), markdown)


def mathml(tex: str) -> str:
    """One formula as MathML."""
    parser = _Parser(tex)
    body = parser.row(None)
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" style="font-family: {FONTS}">{body}</math>'


class _Parser:
    """Reads a formula from left to right."""

    def __init__(self, tex: str) -> None:
        self.tex, self.at = tex, 0

    def take(self) -> str | None:
        """The next token, or None at the end."""
        while self.at < len(self.tex) and self.tex[self.at].isspace():
            self.at += 1
        if (found := TOKEN.match(self.tex, self.at)) is None:
            return None
        self.at = found.end()
        return found[0]

    def peek(self) -> str | None:
        """The token that comes next."""
        at, token = self.at, self.take()
        self.at = at
        return token

    def row(self, end: str | None) -> str:
        """Everything up to a closing brace, or up to the end."""
        parts = []
        while (token := self.take()) != end:
            if token is None:
                raise ValueError(f"a brace is not closed: {self.tex}")
            parts.append(self.scripts(self.atom(token)))
        return f"<mrow>{''.join(parts)}</mrow>"

    def scripts(self, base: str) -> str:
        """A base with what is written below and above it."""
        below = above = ""
        while self.peek() in ("_", "^"):
            if self.take() == "_":
                below = self.argument()
            else:
                above = self.argument()
        large = re.sub("<[^>]*>", "", base) in LARGE
        if below and above:
            return (
                f"<m{'underover' if large else 'subsup'}>{base}{below}{above}</m{'underover' if large else 'subsup'}>"
            )
        if below:
            return f"<m{'under' if large else 'sub'}>{base}{below}</m{'under' if large else 'sub'}>"
        return f"<msup>{base}{above}</msup>" if above else base

    def argument(self) -> str:
        """A group in braces, or one token."""
        if (token := self.take()) is None:
            raise ValueError(f"something is missing at the end: {self.tex}")
        return self.row("}") if token == "{" else self.atom(token)

    def atom(self, token: str) -> str:
        """A symbol, a number, a group, or a command with its arguments."""
        if token == "{":
            return self.row("}")
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token in FENCES:
            return f'<mo stretchy="false">{token}</mo>'
        kind = "mi" if token.isalpha() else "mo"
        return f"<{kind}>{html.escape('−' if token == '-' else token)}</{kind}>"

    def command(self, name: str) -> str:
        """What a backslash begins."""
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"/>'
        if name in ("frac", "dfrac"):
            return f"<mfrac>{self.argument()}{self.argument()}</mfrac>"
        if name == "text":
            opened, closed = self.tex.index("{", self.at), self.tex.index("}", self.at)
            self.at = closed + 1
            return f"<mtext>{html.escape(self.tex[opened + 1 : closed])}</mtext>"
        if name == "mathsf":
            return self.argument()
        if name not in SYMBOLS:
            raise ValueError(f"\\{name} is not known here: {self.tex}")
        kind = "mi" if name in ("partial", "ln") else "mo"
        return f"<{kind}>{SYMBOLS[name]}</{kind}>"
