"""A comparison on a terminal, and as Markdown for a merge request."""

import re
from collections.abc import Iterable

from compiler.report.changes.lines import Line, Sign, lines
from flowc.terminal import Colour, clean, paint
from validator.diff.changes import Comparison

_COLOURS: dict[Sign, Colour] = {
    "title": "bold", "head": "cyan", "+": "green", "-": "red", "~": "yellow", "same": "dim", "open": "yellow",
}  # fmt: skip
_SIGNS: dict[Sign, str] = {"+": "+ ", "-": "- ", "~": "~ ", "open": "? "}


def as_text(comparison: Comparison) -> str:
    """The comparison for a person at a terminal."""
    return "".join(_painted(line) + "\n" for line in lines(comparison))


def _painted(line: Line) -> str:
    text = clean(_SIGNS.get(line.sign, "") + line.text)
    return "  " * line.depth + (paint(text, _COLOURS[line.sign]) if line.sign in _COLOURS else text)


def as_markdown(comparison: Comparison) -> str:
    """The comparison as Markdown: a heading for each workflow, under it the changes as a listing that sites colour."""
    blocks: list[tuple[str, list[Line]]] = []
    for line in lines(comparison):
        if line.sign == "title" or not blocks or (line.depth == 0 and blocks[-1][0]):
            blocks.append((line.text, []) if line.sign == "title" else ("", [line]))
        else:
            blocks[-1][1].append(line)
    return "\n".join(_block(title, own) for title, own in blocks)


def _block(title: str, own: Iterable[Line]) -> str:
    listing = [_listed(line) for line in own]
    longest = max((len(run) for text in listing for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    heading = re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", clean(title))
    return "\n".join([*([f"### {heading}", ""] if title else []), f"{fence}diff", *listing, fence, ""])


def _listed(line: Line) -> str:
    """A line with its sign first, as listings of differences have it."""
    sign = {"+": "+", "-": "-", "~": "!", "open": "!", "head": "@@"}.get(line.sign, " ")
    return f"{sign} {'  ' * max(0, line.depth - 1)}{clean(line.text)}".replace("\n", " ") + (
        " @@" if sign == "@@" else ""
    )
